"""Whole games in text mode: new games, files, navigation, comments and dead stones."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Coroutine
from pathlib import Path

import pytest

from daoqi_tui.commands.text import TEXT_COMMANDS as COMMANDS
from daoqi_tui.engine import BLACK, TROMP_TAYLOR, WHITE, Game
from daoqi_tui.i18n import use_language
from daoqi_tui.paths import library_folder
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame, PlainKeeper
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.session import PERSON, Computer, EngineSeat, GameSetup, Session
from daoqi_tui.record.sgf.markup import Link, toggle_link
from tests.play.quick import QuickAnalyst

PLAYERS = "use a level from 1 to 10, such as 4.5, mine, person, or engine COMMAND"
RECORD = "(;FF[4]GM[1]SZ[9]KM[3]TO[3]PB[Lu];B[ee]C[The middle];W[cc](;B[gg])(;B[gc]C[Instead]))"


def person_at(game: Game) -> PlainGame:
    return PlainGame(Session(game=game))


def kept_person(folder: Path, size: int = 9) -> PlainGame:
    session = Session(game=Game(size))
    return PlainGame(session, keeper=PlainKeeper(session, Folders(folder / "journal", folder / "library")))


def test_a_new_game_has_what_was_named() -> None:
    person = person_at(Game(9))
    told = execute(person, "new 7 komi 0.5 handicap 2 rules tromp-taylor white 3")
    assert told[0] == "A game of 7 by 7, komi 0.5."
    assert "Computer 3 plays White." in told
    assert told[-1] == "Move 1, White to move."
    game = person.game
    assert (game.torus.size, game.komi, game.handicap) == (7, 0.5, 2)
    assert game.rules.superko == TROMP_TAYLOR.superko
    assert person.session.seats == {BLACK: PERSON, WHITE: Computer(3)}


def test_a_new_game_is_like_the_one_before_where_nothing_is_named() -> None:
    person = person_at(Game(9))
    execute(person, "new 7 komi 2 handicap 3 black 2")
    assert execute(person, "NEW") == ["A game of 7 by 7, komi 2.", "Computer 2 plays Black.", "Move 1, Black to move."]
    execute(person, "new white engine my-engine --level 3 komi 5")
    # Everything after "engine" is the engine's command line.
    assert person.session.seats[WHITE] == EngineSeat("my-engine --level 3 komi 5")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("new 99", "The board size must be a whole number from 5 to 25."),
        ("new 9 komi much", "Komi must be a number such as 4 or 3.75."),
        ("new 9 komi nan", "Komi must be a number such as 4 or 3.75."),
        ("new 9 handicap 1", "The handicap must be 0, or 2 to 9 stones that fit the board."),
        ("new 9 black 11", f"invalid player '11': {PLAYERS}."),
        ("new 9 black engine", f"invalid player 'engine': {PLAYERS}."),
        ("new 9 komi", "komi needs a value: new 9 komi 4 handicap 2 white 5."),
        ("new colour blue", "unknown setting 'colour': use size, komi, handicap, rules, black, white."),
        ("new rules chess", "'chess' is not a set of rules: Daoqi, Tromp-Taylor, or a field such as suicide=no."),
        ("open", "Name a file: open game.sgf."),
        ("open https://example.org/a.sgf", "Web pages are not opened: save the SGF file there, and open that."),
        ("(;GM[1]SZ[9];B[aa];W[bb])", "Records are opened from files: open game.sgf."),
        ("'/tmp/a game.GIB' ", "Records are opened from files: open game.sgf."),
        ("back far", "Name a number of moves: back 5."),
        ("forward -1", "Name a number of moves: forward 5."),
    ],
)
def test_what_cannot_be_read_changes_nothing(typed: str, told: str) -> None:
    person = person_at(Game(9))
    execute(person, "e5")
    game, node = person.game, person.game.node
    assert execute(person, typed) == [told]
    assert person.game is game
    assert game.node is node


def test_a_record_may_have_any_number_of_moves_to_go_through() -> None:
    person = person_at(Game(9))
    execute(person, "e5")
    assert execute(person, "back 20000") == ["Move 1, Black to move."]
    assert execute(person, "forward 20000") == ["The last move: Black E5.", "Move 2, White to move."]


def test_a_game_that_is_not_kept_is_left_at_the_second_time_only() -> None:
    person = person_at(Game(9))
    execute(person, "e5")
    game = person.game
    warning = "The game is not saved. Type save FILE to save it, or new again to leave without saving."
    assert execute(person, "new 7") == [warning]
    assert execute(person, "turn")
    # Another command in between cancels the confirmation.
    assert execute(person, "new 7") == [warning]
    assert person.game is game
    assert execute(person, "new 7")[0] == "A game of 7 by 7, komi 4."


def test_a_game_that_is_kept_can_be_left_and_continued(tmp_path: Path) -> None:
    person = kept_person(tmp_path)
    execute(person, "e5")
    assert execute(person, "new 7")[:2] == [
        "The game before is kept: type games to list it.",
        "A game of 7 by 7, komi 4.",
    ]
    execute(person, "d4")
    execute(person, "games")
    assert execute(person, "continue 1")[:2] == [
        "The game before is kept: type games to list it.",
        "Game resumed: 9 by 9, komi 4.",
    ]
    assert execute(person, "moves") == ["From move 1: Black E5."]
    person.close()


def test_of_a_file_with_several_games_the_one_that_is_open_is_named(tmp_path: Path) -> None:
    file = tmp_path / "two.sgf"
    file.write_text(f"{RECORD}{RECORD}")
    person = person_at(Game(9))
    told = execute(person, f"open {file}")
    assert "Game 1 of 2 in the file." in told
    assert "Game 2 of 2 in the file." in execute(person, f"open --game 2 --torus {file}")
    assert execute(person, f"open --game 3 {file}") == ["there is no game 3 in the file; it holds 2."]
    for option in ("--wrong", "--game 0", "--game x"):
        said = f"open takes --torus or --flat, and --game 2 for the second game of a file, but not {option}."
        assert execute(person, f"open {option} {file}") == [said]
    second = PlainGame(Session.opened(file.read_bytes(), index=1))
    assert "Game 2 of 2 in the file." in list(second.greeting())


@pytest.mark.parametrize(
    ("black", "white", "told"),
    [
        ("dqdqyq", "dqdqmonkey", "dqdqyq 对 dqdqmonkey，"),
        ("柯洁", "弈秋", "柯洁对弈秋，"),
        ("柯洁", "Émile", "柯洁对 Émile，"),
        ("Юрий", "弈秋", "Юрий 对弈秋，"),
    ],
)
def test_latin_names_have_spaces_beside_chinese(black: str, white: str, told: str) -> None:
    use_language("zh")
    record = f"(;FF[4]CA[UTF-8]GM[1]SZ[9]TO[3]PB[{black}]PW[{white}];B[ee])"
    assert list(PlainGame(Session.opened(record.encode())).greeting())[-1].startswith(told)


def test_a_record_is_opened_and_stepped_through(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(RECORD)
    person = person_at(Game(9))
    assert execute(person, f"open {file}") == [
        "A game of 9 by 9, komi 3.",
        "Move 1, Black to move.",
        "Lu against White, 3 moves. Type forward to step through it.",
    ]
    assert list(PlainGame(Session.opened(file.read_bytes())).greeting())[-1] == (
        "Lu against White, 3 moves. Type forward to step through it."
    )
    assert execute(person, "forward") == ["The last move: Black E5.", "Move 2, White to move.", "Comment: The middle"]
    assert execute(person, "forward") == [
        "The last move: White C7.",
        "Move 3, Black to move.",
        "Moves played from here: G3, G7. Type variation at one of them for the next.",
    ]
    assert execute(person, "forward")[0] == "The last move: Black G3."
    assert execute(person, "forward") == ["This is the last move."]
    assert execute(person, "variation") == ["The last move: Black G7.", "Move 4, White to move.", "Comment: Instead"]
    assert execute(person, "back 9") == ["Move 1, Black to move."]
    assert execute(person, "back") == ["This is the start."]
    # Forward follows the variation viewed last.
    assert execute(person, "forward 9")[0] == "The last move: Black G7."
    execute(person, "back")
    assert execute(person, "variation") == ["There is no other variation here."]


def test_going_back_stops_at_the_handicap_stones() -> None:
    person = person_at(Game(9))
    execute(person, "new 9 handicap 4")
    assert execute(person, "back") == ["This is the start."]
    execute(person, "a1")
    assert execute(person, "back 5") == ["Move 1, White to move."]
    assert sum(colour != 0 for colour in person.game.board.colours) == 4


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="pipes have no names here")
@pytest.mark.parametrize("command", ["open", "problem open"])
def test_what_a_program_was_started_with_is_not_read_as_a_file(command: str) -> None:
    """For example ``/dev/stdin``, from which the commands are read."""
    reading, writing = os.pipe()
    os.write(writing, b"quit\n")
    os.close(writing)
    person = PlainGame(Session(GameSetup(5)))
    try:
        (told,) = execute(person, f"{command} /dev/fd/{reading}")
        assert told == f"/dev/fd/{reading} cannot be read: it is a pipe or a device, not a file."
        assert os.read(reading, 9) == b"quit\n"
    finally:
        os.close(reading)


def test_of_a_record_that_does_not_say_on_what_board_it_was_played_one_can_say_it(tmp_path: Path) -> None:
    file = tmp_path / "flat game.sgf"
    file.write_text("(;GM[1]SZ[5];B[aa])")
    person = person_at(Game(9))
    asked = "The record does not say whether it was played on a torus. Use --torus or --flat to say so."
    assert asked in execute(person, f"open {file}")
    for option in ("--flat", "--torus"):
        told = execute(person, f"open {option}  {file}")
        assert told[0].startswith("A game of 5 by 5, komi ")
        assert asked not in told
    assert execute(person, "open --flat") == ["Name a file: open game.sgf."]


@pytest.mark.parametrize(("pieces", "more"), [(20, 35), (80, 155)], ids=["kept", "more than are kept"])
def test_of_many_problems_of_a_record_the_first_are_told(tmp_path: Path, pieces: int, more: int) -> None:
    file = tmp_path / "damaged.sgf"
    file.write_text(f"(;SZ[9]TO[3]{'%x ' * pieces};B[aa])")
    told = execute(person_at(Game(9)), f"open {file}")
    assert [line.startswith("line 1, column ") for line in told] == [False, *[True] * 5, False, False, False]
    assert told[6] == f"and {more} more like these."


def test_a_file_that_cannot_be_opened_leaves_the_game(tmp_path: Path) -> None:
    person = person_at(Game(9))
    game = person.game
    assert execute(person, f"open {tmp_path / 'none.sgf'}")[0].endswith("cannot be read: No such file or directory.")
    (tmp_path / "bad.sgf").write_text("no game")
    assert len(execute(person, f"open {tmp_path / 'bad.sgf'}")) == 1
    assert person.game is game


def test_comments_are_told_written_and_removed() -> None:
    person = person_at(Game(9))
    assert execute(person, "comment") == ["There is no comment on this move."]
    assert execute(person, "comment A good start") == ["Comment: A good start"]
    assert execute(person, "turn")[-1] == "Comment: A good start"
    assert b"C[A good start]" in person.session.record()
    assert execute(person, "comment -") == ["There is no comment on this move."]


def test_a_record_is_edited_and_every_edit_undone(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(RECORD)
    person = person_at(Game(9))
    execute(person, f"open {file}")
    before = person.session.record()
    execute(person, "forward 3")
    assert execute(person, "promote") == ["This is the main line already."]
    assert execute(person, "copy") == ["1 move copied."]
    assert execute(person, "cut")[:2] == ["1 move deleted.", "The last move: White C7."]
    assert execute(person, "paste")[:2] == ["Variation pasted.", "The last move: Black G3."]
    assert execute(person, "promote")[0] == "This is the main line now."
    assert execute(person, "flatten")[0] == "All other variations are deleted."
    assert b"Instead" not in person.session.record()
    assert execute(person, "annotate good move") == ["Good move."]
    assert execute(person, "annotate hotspot") == ["Good move, Hotspot."]
    assert execute(person, "turn")[2] == "Good move, Hotspot."
    person.match.annotate(person.game.node, lambda: toggle_link(person.game.node, Link("arrow", 0, 10), 9))
    assert execute(person, "turn")[3] == "Arrows: A9 to B8."
    assert execute(person, "annotate pretty")[0].startswith("Name an annotation: Good move, ")
    assert execute(person, "comment Well") == ["Comment: Well"]
    undone = [execute(person, "undo")[0] for _ in range(8)]
    assert undone[0] == "Undone: Notes."
    assert undone[-1] == "Undone: Cut variation."
    assert person.session.record() == before
    assert execute(person, "redo") == ["1 move deleted."]


def test_a_setup_is_not_counted_as_moves() -> None:
    person = person_at(Game(9))
    execute(person, "e5")
    execute(person, "put black c3")
    assert execute(person, "copy") == ["Setup copied."]
    assert execute(person, "delete")[0] == "Setup deleted."


def test_the_game_information_is_told_and_edited(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(RECORD)
    person = person_at(Game(9))
    execute(person, f"open {file}")
    before = person.session.record()
    assert execute(person, "info")[:2] == ["Black's name: Lu.", "Komi: 3."]
    for typed in (
        "info event 第一届 Cup",
        "info white_rank 9p",
        "info result 黑中盘胜",
        "info komi 3.75",
        "info black -",
    ):
        assert execute(person, typed) == ["Game information changed."], typed
    record = person.session.record().decode()
    for text in ("EV[第一届 Cup]", "WR[9p]", "RE[B+R]", "KM[3.75]"):
        assert text in record
    assert "PB[" not in record
    assert execute(person, "info komi much") == ["Komi must be a number such as 4 or 3.75."]
    assert execute(person, "info rules tromp-taylor") == ["Game information changed."]
    assert person.game.rules.superko == TROMP_TAYLOR.superko
    assert execute(person, "info weather fine")[0].startswith("Name one of black, black_rank, ")
    for _ in range(6):
        execute(person, "undo")
    assert person.session.record() == before


def test_dead_stones_are_agreed_on_after_two_passes() -> None:
    person = person_at(Game(5))
    for line in ("a1", "c3", "pass"):
        execute(person, line)
    assert execute(person, "dead c3") == ["Dead stones are marked when two passes have ended the game."]
    before = execute(person, "pass")
    assert any("over" in line for line in before)
    assert execute(person, "dead c3")[0] == "The chain at C3 is dead."
    assert person.game.result is not None
    assert "Black wins" in " ".join(execute(person, "turn"))
    assert execute(person, "dead c3")[0] == "The chain at C3 is alive."
    assert execute(person, "dead b2") == ["There is no stone at B2."]


def test_dead_stones_are_proposed_after_two_passes() -> None:
    person = person_at(Game(5))
    for line in ("a1", "c3"):
        execute(person, line)
    assert execute(person, "dead") == ["Dead stones are marked when two passes have ended the game."]
    analyst = QuickAnalyst()
    analyst.ownership = (1.0,) * 25
    person.match.turns.players._adviser = analyst  # type: ignore[assignment]
    execute(person, "pass")
    execute(person, "pass")
    told = execute(person, "dead")
    assert told[0] == "These look dead (over 80% sure)."
    assert told[1] == "Dead White: C3."
    assert told[2].startswith("1 stone dead: Black by ")
    assert "All alive (Tromp–Taylor): " in told[3]
    assert execute(person, "dead c3")[0] == "The chain at C3 is alive."
    person.close()


def test_everything_is_told_in_words_and_nothing_is_drawn_unasked(tmp_path: Path) -> None:
    """Tries every command: except for the board, no line has symbols that a screen reader would spell out."""
    file = tmp_path / "game.sgf"
    file.write_text(RECORD)
    typed = {
        "black": "black person",
        "white": "white person",
        "shift": "shift r2",
        "around": "around e5",
        "chain": "chain e5",
        "dead": "dead e5",
        "ladder": "ladder e5",
        "back": "back",
        "comment": "comment Well played",
        "new": "new 7",
        "open": f"open {file}",
        "save": f"save {tmp_path / 'saved.sgf'}",
        "continue": "continue 1",
    }
    for command in COMMANDS:
        if command.name == "go":
            # Covered by the tests of computer players.
            continue
        person = kept_person(tmp_path / command.name)
        person.match.turns.players._adviser = QuickAnalyst()  # type: ignore[assignment]
        for line in ("e5", "d5"):
            execute(person, line)
        told = execute(person, typed.get(command.name, command.name))
        assert told, command.name
        for line in told:
            assert line.strip(), command.name
            if command.name not in ("board", "shift"):
                assert not [sign for sign in line if unicodedata.category(sign) in ("So", "Sk", "Cc")], line
                assert line[-1] in ".:?!" or line.startswith("Comment"), line
        person.close()


def test_who_resigns_in_an_opened_game_resigns_at_its_end(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[9]TO[3]RU[Daoqi];B[ee];W[cc];B[gg])")
    person = person_at(Game(9))
    execute(person, f"open {file}")
    execute(person, "forward 3")
    told = execute(person, "resign")
    assert any("White resigns" in words for words in told)
    assert person.game.node.number == 3
    assert str(person.game.result) == "B+R"
    assert person.game.root.ending is None


def test_a_game_continued_where_it_was_looked_back_goes_on_at_its_end(tmp_path: Path) -> None:
    person = kept_person(tmp_path)
    for typed in ("a1", "c3", "e5", "g7", "back 3", "new 7", "d4", "games"):
        execute(person, typed)
    assert "Game resumed: 9 by 9, komi 4." in execute(person, "continue 1")
    assert any("Black resigns" in words for words in execute(person, "resign"))
    assert person.game.node.number == 4
    person.close()


def test_games_of_the_library_with_a_position_or_a_rectangle_are_listed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    library_folder().mkdir(parents=True)
    file = library_folder() / "lu.sgf"
    file.write_text(RECORD)
    person = person_at(Game(9))
    execute(person, "a1")
    told = execute(person, "find")
    assert told[0] == "1 game: Black won 0, White won 0."
    assert told[1].startswith("White ")
    assert told[2:] == [f"{file}: move 1."]
    assert execute(person, "find A1:B9")[-1:] == told[2:]
    assert execute(person, "find B2:C3") == ["there is no stone in this shape."]
    assert execute(person, "find B2") == ["B2 is not a rectangle: two points such as C6:G3."]
    execute(person, "b1")
    assert execute(person, "find") == ["No game in your library has it."]

    def interrupted(asked: Coroutine[object, object, object], _words: str) -> None:
        asked.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(person.waiting, "run", interrupted)
    assert execute(person, "find") == ["Stopped."]
    person.close()
