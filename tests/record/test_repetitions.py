"""Records with moves that repeat a position: every reader replays them as recorded and marks the repetitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from daoqi_tui.ai import Position
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Game, IllegalMove, NoLiberties, Repeats, torus_of
from daoqi_tui.engine.tree import Move, move_of
from daoqi_tui.pictures.text import score, show
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame
from daoqi_tui.play.session import Session
from daoqi_tui.record import dump, load
from daoqi_tui.record.journal import Journal
from daoqi_tui.record.journal import replay as replayed
from daoqi_tui.record.library import Library
from daoqi_tui.record.sgf.markup import set_comment
from daoqi_tui.record.sgf.write import dump_portable
from tests.engine.pictures import board_state
from tests.engine.referee import Position as Referee
from tests.record.journal_acts import state_of
from tests.tui.driving import playing

# Black and White each capture in the same ko twice, without a threat in between.
KO = "(;SZ[9]TO[3]AB[ed][de][ef]AW[fd][ge][ff][ee];B[fe];W[ee];B[fe];W[ee];B[aa];W[bb])"


def after(position: Referee, move: Move, size: int) -> tuple[Referee, int | None]:
    """Return the referee's position after a recorded move, and the number of the move that it repeats, if any."""
    if move.is_pass:
        return position.after_pass(), None
    result = position.after(divmod(move.point, size))
    if not isinstance(result, int):
        assert isinstance(result, Referee)
        return result, None
    played = replace(position, faced=(("nothing was faced", -1),)).after(divmod(move.point, size))
    assert isinstance(played, Referee)
    return replace(played, faced=position.faced), result


def random_record(rng: Random, size: int) -> tuple[str, dict[int, tuple[Move, int | None, list[int]]]]:
    """Return a random tree with repetitions as SGF, and its nodes in file order.

    Each node is its move, the number of the move that it repeats, and the board after it.
    """
    text = [f"(;FF[4]GM[1]SZ[{size}]KM[4]TO[3]"]
    told: dict[int, tuple[Move, int | None, list[int]]] = {}

    def line(position: Referee, moves: int) -> None:
        for _ in range(moves):
            empty = [p for p in range(size * size) if divmod(p, size) not in position.cells]
            repeating = [p for p in empty if isinstance(position.after(divmod(p, size)), int)]
            point = PASS
            if repeating and rng.random() < 0.5:
                point = rng.choice(repeating)
            elif empty and rng.random() < 0.9:
                point = rng.choice(empty)
            move = move_of(BLACK if position.to_move == "B" else WHITE, point)
            position, repeats = after(position, move, size)
            colours = [
                {"B": BLACK, "W": WHITE}.get(position.cells.get(divmod(p, size), ""), 0) for p in range(size * size)
            ]
            told[len(told)] = move, repeats, colours
            name = "" if move.is_pass else torus_of(size).name(point, "sgf")
            text.append(f";{'BW'[move.colour - 1]}[{name}]")
            if rng.random() < 0.05:
                text.append("(")
                line(position, rng.randint(1, 12))
                text.append(")(")
                line(position, rng.randint(1, 12))
                text.append(")")
                return

    line(Referee(size, size), 60)
    return "".join(text) + ")", told


def told_of(game: Game) -> dict[int, tuple[Move, int | None, list[int]]]:
    """Return the move, the repeated move and the board of each node, in file order."""
    told: dict[int, tuple[Move, int | None, list[int]]] = {}
    for node in game.root.walk():
        if node.move is not None:
            repeats = None if node.against is None else node.against.move
            told[len(told)] = node.move, repeats, list(game.board_at(node).colours)
    return told


@pytest.mark.parametrize("seed", range(40))
def test_random_records_with_repetitions_come_back_by_every_way(seed: int, tmp_path: Path):
    rng = Random(seed)
    size = rng.choice([2, 3, 3, 4])
    text, told = random_record(rng, size)
    loaded = load(text.encode())
    assert told_of(loaded.game) == told
    repeated = sum(repeats is not None for _, repeats, _ in told.values())
    assert len(loaded.problems) == (repeated > 0), "said once"
    # Written and read again: the same game. Written a second time: the same bytes.
    written = dump(loaded.game, loaded.info)
    again = load(written)
    assert state_of(again.game) == state_of(loaded.game)
    assert len(again.problems) == len(loaded.problems)
    assert dump(again.game, again.info) == written
    # From the journal, with the cursor at a random node.
    nodes = list(loaded.game.root.walk())
    journal = Journal.begin(loaded.game, loaded.info, folder=tmp_path)
    loaded.game.goto(rng.choice(nodes))
    journal.follow()
    set_comment(loaded.game.node, "seen")
    journal.edited(loaded.game.node)
    assert journal.close()
    back = replayed(journal.path)
    assert not back.problems
    assert state_of(back.game) == state_of(loaded.game)
    assert told_of(back.game) == told_of(loaded.game)
    # By moving the cursor between random nodes, and in the position sent to a computer player.
    for _ in range(20):
        node = rng.choice(nodes)
        loaded.game.goto(node)
        assert board_state(loaded.game.board) == board_state(loaded.game.board_at(node))
        asked = Position.of(loaded.game).board()
        assert (asked.key, asked.faced, asked.passes) == (
            loaded.game.board.key,
            loaded.game.board.faced,
            loaded.game.board.passes,
        )
        legal = [p for p in range(size * size) if loaded.game.board.refusal(p) is None]
        assert list(loaded.game.torus.points_in(loaded.game.board.legal_mask())) == legal


def test_a_ko_taken_back_at_once_is_kept_move_by_move():
    loaded = load(KO.encode())
    numbers = [node.against and node.against.move for node in loaded.game.root.line()]
    assert numbers == [None, 0, 1, 0, None, None]
    first = "line 1, column 51: W[ee] repeats the position after move 0, which the rules (Daoqi) forbid"
    assert list(map(str, loaded.problems)) == [f"{first}; 2 more in the record, all played as recorded"]
    board = load(KO.encode()).game.board
    assert (board.colours[4 * 9 + 4], board.colours[4 * 9 + 5]) == (WHITE, 0)
    assert board.captured[BLACK] == board.captured[WHITE] == 2


def test_show_score_and_the_flat_record_are_of_the_same_game():
    loaded = load(KO.encode())
    again = load(dump(loaded.game, loaded.info))
    flat = load(dump_portable(loaded.game, loaded.info), torus=False)
    for other in (again, flat):
        assert score(other) == score(loaded)
        for move in range(7):
            assert show(other, move) == show(loaded, move)


def test_superko_binds_play_where_the_record_went_on():
    game = load(KO.encode()).game
    first = game.root.line()[0]
    game.goto(first)
    with pytest.raises(IllegalMove) as error:
        game.play(4 * 9 + 4)
    assert error.value.refusal == Repeats(4 * 9 + 4, 0, BLACK)
    assert game.node is first
    assert game.redo() is first.children[0]


def test_a_flat_record_is_replayed_through_a_repetition_too():
    loaded = load(KO.replace("TO[3]", "").encode(), torus=False)
    assert [node.move.point for node in loaded.game.root.line() if node.move][-1] == 10
    assert len(loaded.problems) == 1


def test_a_repeated_play_is_taken_back_with_nothing_left_of_it():
    board = Board(torus_of(3))
    board.play(4)
    board.pass_turn()
    before = board_state(board)
    board.lay_out(0, 0, 1 << 4, BLACK)
    board.play(4)
    board.pass_turn()
    board.lay_out(0, 0, 0, BLACK)
    for _ in range(4):
        board.undo()
    assert board_state(board) == before


def test_text_mode_tells_it_where_it_is_played_again():
    session = Session.opened(KO.encode())
    person = PlainGame(session)
    (warning,) = [line for line in person.greeting() if "forbid" in line]
    assert warning.endswith("2 more in the record, all played as recorded.")
    assert execute(person, "redo") == ["Black F5, captures 1 stone: E5.", "Move 2, White to move."]
    assert execute(person, "redo") == [
        "White E5, captures 1 stone: F5.",
        "This repeats the position after move 0: the rules (Daoqi) forbid it, but it was recorded.",
        "Move 3, Black to move.",
    ]
    execute(person, "undo")
    assert "would repeat the starting position" in execute(person, "e5")[0]
    for _ in range(6):
        execute(person, "redo")
    assert session.game.node.number == 6


@pytest.mark.parametrize("rules", ["Daoqi", "Tromp-Taylor"])
def test_text_mode_names_the_rules_that_do_not_allow_it(rules: str):
    session = Session.opened(KO.replace("(;", f"(;RU[{rules}]", 1).encode())
    person = PlainGame(session)
    assert any(f"which the rules ({rules}) forbid" in line for line in person.greeting())
    told = [*execute(person, "redo"), *execute(person, "redo"), *execute(person, "redo")]
    assert any(f"the rules ({rules}) forbid it" in line for line in told)


async def test_the_history_on_the_screen_marks_it():
    async with playing() as person:
        person.screen.begin(Session.opened(KO.encode()))
        await person.settle()
        lines = [line.split() for line in person.history_lines() if line.strip()]
        assert lines[-6:] == [
            ["1", "F5", "×1"],
            ["2", "E5", "×1", "repeats", "0"],
            ["3", "F5", "×1", "repeats", "1"],
            ["4", "E5", "×1", "repeats", "0"],
            ["5", "A9"],
            ["6", "B8"],
        ]


async def test_the_screen_lists_repairs_marks_the_nodes_and_refuses_only_to_play_there():
    record = "(;SZ[9]TO[3]PL[X]AW[ee]AB[ed][ef][de][fe];B[aa];W[aa])"
    async with playing() as person:
        person.screen.begin(Session.opened(record.encode()))
        await person.settle()
        (told,) = person.app._notifications
        assert [line.partition(": ")[2] for line in told.message.splitlines()] == [
            "PL[X] is read as Black",
            "the chain at E5 stands without liberties, as recorded: no play and no score from there",
            "W[aa] is on a stone, which it replaces; played as recorded",
        ]
        lines = [line.split() for line in person.history_lines() if line.strip()]
        assert lines[-2:] == [["1", "A9"], ["2", "A9", "on", "a", "stone"]]
        match = person.screen.match
        for node in (match.game.root, *match.game.root.line()):
            match.goto(node)
            assert isinstance(match.play(40), NoLiberties)
            assert isinstance(match.pass_turn(), NoLiberties)
        assert isinstance(match.game.root.against, NoLiberties)
        for key in ("t", "H"):
            await person.press(key)
            assert "stands here without liberties" in person.status


def test_a_library_tells_the_whole_game(tmp_path: Path):
    file = tmp_path / "ko.sgf"
    file.write_text(KO)
    library = Library(tmp_path / "library")
    imported = library.import_files([file])
    assert imported.problems == ()
    (entry,) = library.games().entries
    library.close()
    assert entry.moves == 6
    assert list(entry.stones()) == load(KO.encode()).game.board.colours
