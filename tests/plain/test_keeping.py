"""Autosave in text mode: no reported move is lost, whether the program is killed, left or resumed."""

from __future__ import annotations

import errno
import io
import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.plain import execute, play
from daoqi_tui.plain.game import PlainGame, PlainKeeper
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.session import PERSON, Computer, GameSetup, Session
from daoqi_tui.record import dump, load
from daoqi_tui.record.journal import Journal, replay
from daoqi_tui.record.journal.format import Seats
from daoqi_tui.record.journal.writer import JournalFile
from tests.forked import forked_command
from tests.full_disk import fail_as_full
from tests.plain.test_game import home
from tests.thorough import rounds
from tests.waiting import HANG

KILLS = rounds(4, 100)
CHECKOUT = Path(__file__).resolve().parents[2]
OFFER = "There are unfinished games. Type continue 1 to resume the first."


def person_of(folder: Path, size: int = 5, session: Session | None = None) -> PlainGame:
    session = session or Session(GameSetup(size))
    keeper = PlainKeeper(session, Folders(folder / "journal", folder / "library"))
    return PlainGame(session, keeper=keeper)


def test_where_a_finished_game_is_kept_is_said_once(tmp_path: Path) -> None:
    """Until the game goes on: marking dead stones writes the file again."""
    person = person_of(tmp_path)
    for expected, typed in ((1, "a1 c3 pass pass"), (0, "dead_c3 dead_c3 resume"), (1, "pass pass")):
        told = [line for word in typed.split() for line in execute(person, word.replace("_", " "))]
        assert sum("in the library" in line for line in told) == expected
    person.close()


def leave_unfinished(folder: Path) -> None:
    """Leave an unfinished game with one move."""
    other = person_of(folder)
    execute(other, "a1")
    list(other.leave())


def journals(folder: Path) -> list[Path]:
    return sorted((folder / "journal").glob("*.journal"))


def filed(folder: Path) -> list[Path]:
    return sorted((folder / "library").glob("*.sgf"))


@contextmanager
def talking(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run the program with pipes for its input and output."""
    with subprocess.Popen(
        forked_command("-m", "daoqi_tui", "--lang", "en", "--plain", *options),
        cwd=CHECKOUT,
        env=home(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str], last: str) -> list[str]:
    """Return the output up to a line that starts with ``last``."""
    assert process.stdout is not None
    told: list[str] = []
    while not (told and told[-1].startswith(last)):
        line = process.stdout.readline()
        assert line, f"{last!r} did not come: {told}"
        told.append(line.rstrip("\n"))
    return told


def test_killed_at_any_moment_it_goes_on_with_all_that_was_told(tmp_path: Path) -> None:
    rng = random.Random(2004)
    names = [f"{column}{row}" for column in "ABCDEFGHI" for row in range(1, 10)]
    rng.shuffle(names)
    played: list[str] = []
    for kill in range(KILLS):
        with talking(tmp_path, "--size", "9") as process:
            told = hear(process, "Move 1,")
            assert (OFFER in told) is bool(kill)
            if kill:
                say(process, "continue")
                hear(process, f"Move {len(played) + 1},")
            for _ in range(rng.randint(1, 2)):
                say(process, names[len(played)])
                hear(process, f"Move {len(played) + 2},")
                played.append(names[len(played)])
            process.kill()
    with talking(tmp_path) as process:
        hear(process, "Move 1,")
        say(process, "continue 1")
        hear(process, f"Move {len(played) + 1},")
        for name in reversed(played):
            say(process, "undo")
            assert name in hear(process, "Undone: ")[-1]


EDITED = "(;SZ[9]KM[4]TO[3]RU[Daoqi]PB[Lu];B[ee]C[The middle];W[cc](;B[gg];W[gf])(;B[gc]C[Instead]))"
EDITS = (
    *("forward 3", "cut", "back", "paste", "promote", "annotate good move", "comment Well", "copy", "back 9", "paste"),
    *(
        "info event Cup",
        "info komi 3.5",
        "undo",
        "info rules tromp-taylor",
        "flatten",
        "undo",
        "delete",
        "undo",
        "undo",
    ),
)


def test_an_edited_record_is_whole_whenever_the_program_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(EDITED)
    person = PlainGame(Session.opened(EDITED.encode(), source=file))
    records = [person.session.record()]
    for edit in EDITS:
        execute(person, edit)
        records.append(person.session.record())
    rng, survived = random.Random(51), 0
    for kill in range(rounds(6, 200)):
        folder = tmp_path / str(kill)
        folder.mkdir()
        heard = rng.randint(1, len(EDITS))
        with talking(folder, str(file)) as process:
            hear(process, "Lu against White")
            # All is typed at once, so that the program is killed in the middle of what follows.
            say(process, "\n".join(f"{edit}\nrating" for edit in EDITS))
            for _ in range(heard):
                hear(process, "No game on 9 by 9 is rated yet.")
            process.kill()
        found = list(folder.rglob("*.journal"))
        if not found:
            # Nothing was edited yet.
            assert records[heard] == records[0]
            continue
        restored = replay(found[0])
        assert not restored.damaged
        assert dump(restored.game, restored.names) in records[heard:], (heard, kill)
        survived += 1
    assert survived


def test_leaving_says_where_the_game_stays(tmp_path: Path) -> None:
    person = person_of(tmp_path)
    execute(person, "c3")
    assert execute(person, "quit") == ["The game is kept. Type continue 1 at the next start to resume it.", "Goodbye."]
    again = person_of(tmp_path, 9)
    assert OFFER in list(again.greeting())
    assert execute(again, "continue") == [
        "Game resumed: 5 by 5, komi 4.",
        "Stones on the board: Black 1, White 0. Type stones to list them.",
        "Move 2, White to move.",
    ]
    assert execute(again, "undo") == ["Undone: C3.", "Move 1, Black to move."]
    assert len(journals(tmp_path)) == 1


def test_a_finished_game_that_is_left_at_an_earlier_move_is_not_said_to_be_kept_for_later(tmp_path: Path) -> None:
    person = person_of(tmp_path)
    for line in ("a1", "c3", "b2", "resign", "back 2"):
        execute(person, line)
    assert execute(person, "quit") == ["Goodbye."]
    assert journals(tmp_path) == []


def test_a_record_that_was_only_looked_at_is_left_as_it_is(tmp_path: Path) -> None:
    session = Session.opened(b"(;GM[1]SZ[5]TO[3];B[cc];W[bb])")
    person = person_of(tmp_path, session=session)
    assert execute(person, "redo")[-1] == "Move 2, White to move."
    assert execute(person, "quit") == ["Goodbye."]
    assert journals(tmp_path) == []


def test_an_end_of_the_input_keeps_it_too(tmp_path: Path) -> None:
    person = person_of(tmp_path)
    execute(person, "c3")
    assert list(person.leave())[-1] == "Goodbye."
    assert len(journals(tmp_path)) == 1


def test_looking_leaves_nothing_behind(tmp_path: Path) -> None:
    person = person_of(tmp_path)
    for line in ("board", "score", "shift r2", "help", "", "undo", "nonsense"):
        execute(person, line)
    assert execute(person, "quit") == ["Goodbye."]
    assert journals(tmp_path) == []


def test_going_on_with_another_game_keeps_the_one_before(tmp_path: Path) -> None:
    for name in ("a1", "b2"):
        person = person_of(tmp_path)
        execute(person, name)
        execute(person, "quit")
    person = person_of(tmp_path, 7)
    execute(person, "c3")
    assert execute(person, "continue 2")[-1] == "Move 2, White to move."
    execute(person, "d4")
    assert execute(person, "continue 9") == ["There is no unfinished game 9: 1 to 2."]
    assert execute(person, "continue 0") == ["There is no unfinished game 0: 1 to 2."]
    assert execute(person, "continue Ⅱ") == execute(person, "continue it") == ["Name a game by its number: continue 1."]
    # Their order is that of their files' times, and quick answers can leave those equal.
    offered = [line for line in execute(person, "games") if "7 by 7" in line]
    assert len(offered) == 1, "the game that was left can be resumed"
    told = execute(person, f"continue {offered[0].partition(':')[0]}")
    assert told[0] == "The game before is kept: type games to list it."
    assert "7 by 7" in told[1]
    execute(person, "quit")
    assert len(journals(tmp_path)) == 3


def test_without_any_there_is_nothing_to_go_on_with(tmp_path: Path) -> None:
    assert execute(person_of(tmp_path), "continue") == ["There is no unfinished game."]
    assert execute(PlainGame(Session(GameSetup(5))), "continue") == ["There is no unfinished game."]


def test_unfinished_games_can_be_named_again(tmp_path: Path) -> None:
    assert execute(person_of(tmp_path), "games") == ["There is no unfinished game."]
    person = person_of(tmp_path)
    execute(person, "c3")
    execute(person, "quit")
    told = execute(person_of(tmp_path, 9), "games")
    assert told[0] == OFFER
    assert told[1].startswith("1: Black against White, 5 by 5, ")


def test_all_unfinished_games_are_listed_though_the_start_names_only_five(tmp_path: Path) -> None:
    for _ in range(7):
        one = person_of(tmp_path)
        execute(one, "a1")
        list(one.leave())
    person = person_of(tmp_path, 9)
    told = list(person.greeting())
    assert [line.partition(":")[0] for line in told if "against" in line] == ["1", "2", "3", "4", "5"]
    assert "2 more: type games to list them." in told
    told = execute(person, "games")
    assert [line.partition(":")[0] for line in told[1:]] == ["1", "2", "3", "4", "5", "6", "7"]


def test_ctrl_c_at_the_prompt_says_where_the_game_stays(tmp_path: Path) -> None:
    class Interrupted(io.StringIO):
        def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
            line = super().readline()
            if not line:
                raise KeyboardInterrupt
            return line

    out = io.StringIO()
    assert play(person_of(tmp_path), Interrupted("c3\n"), out) == 130
    assert out.getvalue().splitlines()[-2:] == [
        "The game is kept. Type continue 1 at the next start to resume it.",
        "Goodbye.",
    ]


def test_a_game_being_played_elsewhere_is_not_offered(tmp_path: Path) -> None:
    one, other = person_of(tmp_path), person_of(tmp_path)
    execute(one, "a1")
    assert OFFER not in list(other.greeting())
    execute(other, "b2")
    assert len(journals(tmp_path)) == 2


def test_a_finished_game_goes_into_the_library_once(tmp_path: Path) -> None:
    person = person_of(tmp_path)
    execute(person, "c3")
    execute(person, "pass")
    [name] = [line for line in execute(person, "pass") if "library" in line]
    [file] = filed(tmp_path)
    assert name == f"The game is saved in the library as {file.name}."
    assert not any("library" in line for line in execute(person, "score"))
    execute(person, "resume")
    execute(person, "b2")
    assert any("library" in line for line in execute(person, "resign"))
    assert filed(tmp_path) == [file]
    assert execute(person, "quit") == ["Goodbye."]
    assert [node.number for node in load(file).game.root.line()][-1] == 4
    assert journals(tmp_path) == []


def test_a_record_saved_as_a_file_is_not_kept_twice(tmp_path: Path) -> None:
    (tmp_path / "old.sgf").write_text("(;GM[1]SZ[5];B[cc])")
    person = person_of(tmp_path)
    execute(person, f"open {tmp_path / 'old.sgf'}")
    execute(person, "b2")
    execute(person, f"save {tmp_path / 'mine.sgf'}")
    assert execute(person, "quit") == ["Goodbye."]
    assert journals(tmp_path) == []


def test_a_game_begun_here_is_kept_though_it_was_saved_as_a_file(tmp_path: Path) -> None:
    """The file lacks the clock and the players."""
    person = person_of(tmp_path)
    execute(person, "c3")
    execute(person, f"save {tmp_path / 'mine.sgf'}")
    assert execute(person, "quit")[0].startswith("The game is kept.")
    again = person_of(tmp_path)
    execute(again, "continue")
    execute(again, f"save {tmp_path / 'again.sgf'}")
    assert execute(again, "quit")[0].startswith("The game is kept."), "neither when it was resumed"


@pytest.mark.parametrize("lines", [["comment a good move"], ["b2", "undo"]], ids=["comment", "variation"])
def test_what_was_changed_after_a_game_was_saved_as_a_file_is_kept(tmp_path: Path, lines: list[str]) -> None:
    person = person_of(tmp_path)
    for line in ("c3", f"save {tmp_path / 'mine.sgf'}", *lines):
        execute(person, line)
    now = person.session.record()
    assert execute(person, "quit")[0].startswith("The game is kept.")
    again = person_of(tmp_path)
    execute(again, "continue")
    assert again.session.record() == now


def test_a_disk_that_takes_nothing_is_told_and_the_game_goes_on(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("a file where the folder should be")
    person = person_of(tmp_path)
    told = [*execute(person, "c3"), *execute(person, "b2")]
    assert sum("cannot be saved" in line for line in told) == 1
    assert "Move 3, Black to move." in told
    assert execute(person, "quit") == [
        "The game is not saved. Type save FILE to save it, or quit again to leave without saving."
    ]
    assert execute(person, "quit")[-1] == "Goodbye."


def test_each_move_says_that_it_is_not_saved_until_it_is(tmp_path: Path) -> None:
    blocked = tmp_path / "journal"
    blocked.write_text("a file where the folder should be")
    person = person_of(tmp_path)
    assert "cannot be saved" in execute(person, "c3")[-1]
    for move in ("b2", "d4", "a1"):
        assert execute(person, move)[-1] == f"NOT SAVED: {os.strerror(errno.EEXIST)}."
    blocked.unlink()
    assert execute(person, "b1")[-1] == "Saving works again: nothing was lost."
    assert execute(person, "e5") == ["White E5.", "Move 7, Black to move."]
    (journal,) = journals(tmp_path)
    assert replay(journal).game.moves() == person.game.moves()
    assert len(person.game.moves()) == 6


def test_another_game_is_taken_up_without_the_trouble_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_unfinished(tmp_path)
    person = person_of(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(JournalFile, "append", fail_as_full)
        assert "the disk is full" in execute(person, "c3")[-1]
        assert execute(person, "b2")[-1] == "NOT SAVED: disk full."
    execute(person, "continue 1")
    told = execute(person, "continue 1")
    assert not [line for line in told if "saved" in line.lower() or "saving" in line.lower()], told


def test_a_game_that_is_not_saved_is_left_for_an_unfinished_one_at_the_second_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_unfinished(tmp_path)
    person = person_of(tmp_path, 7)
    monkeypatch.setattr(JournalFile, "append", fail_as_full)
    execute(person, "c3")
    assert execute(person, "continue 2") == ["There is no unfinished game 2: 1 to 1."]
    assert execute(person, "continue 1") == [
        "The game is not saved. Type save FILE to save it, or continue again to leave without saving."
    ]
    assert len(person.game.moves()) == 1
    assert person.game.torus.size == 7
    assert execute(person, "continue 1")[:2] == ["The last moves could not be saved.", "Game resumed: 5 by 5, komi 4."]


def test_a_record_saved_as_a_file_is_not_kept_twice_when_another_is_taken_up(tmp_path: Path) -> None:
    leave_unfinished(tmp_path)
    (tmp_path / "old.sgf").write_text("(;GM[1]SZ[7];B[cc])")
    person = person_of(tmp_path, 7)
    execute(person, f"open {tmp_path / 'old.sgf'}")
    execute(person, "b2")
    execute(person, f"save {tmp_path / 'mine.sgf'}")
    assert execute(person, "continue 1")[0] == "Game resumed: 5 by 5, komi 4."
    assert len(journals(tmp_path)) == 1


def test_a_game_against_a_computer_goes_on_against_it(tmp_path: Path) -> None:
    session = Session(GameSetup(5))
    journal = Journal.begin(session.game, session.record_info(), folder=tmp_path / "journal")
    session.game.play(12)
    journal.follow()
    journal.note(Seats("person", "level:5")).wait(HANG)
    journal.close()
    person = person_of(tmp_path)
    assert execute(person, "continue")[1:] == [
        "Computer 5 plays White.",
        "Stones on the board: Black 1, White 0. Type stones to list them.",
        "Move 2, White to move.",
    ]
    assert person.session.seats == {BLACK: PERSON, WHITE: Computer(5)}
    execute(person, "white person")
    person.close()
    execute(person, "quit")
    again = person_of(tmp_path)
    assert execute(again, "continue")[2:] == ["Move 2, White to move."], "who sits there now is kept"


def test_points_are_named_as_in_the_settings(tmp_path: Path) -> None:
    config = tmp_path / "config" / "daoqi-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[look]\nnames = "gtp"\n')
    with talking(tmp_path, "--size", "9") as process:
        hear(process, "Move 1,")
        say(process, "j9")
        assert hear(process, "Move 2,")[-2] == "Black J9."
        say(process, "i5")
        assert "A1 to J9" in hear(process, "i5 is neither")[-1]
    config.write_text('[look]\nnames = "sgf"\n')
    with talking(tmp_path, "--size", "9") as process:
        hear(process, "Move 1,")
        say(process, "cd\nboard")
        assert "Black cd." in hear(process, "Move 2,")
        assert any(" d . .(X). ." in line for line in hear(process, " d"))


@pytest.mark.parametrize("what", ["garbage", ""])
def test_a_damaged_journal_is_set_aside_and_told(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "journal"
    folder.mkdir()
    (folder / "2026-01-01-000000-00000000.journal").write_text(what)
    told = list(person_of(tmp_path).greeting())
    assert any("damaged" in line for line in told)
    assert told[-1] == "Move 1, Black to move."
