"""Analysis output of our own player, as a controller reads it."""

from __future__ import annotations

import asyncio
import io

from daoqi_tui.gtp.engine import ServeOptions, Server
from daoqi_tui.gtp.player import LevelPlayer
from tests.gtp.talking import Told, split

FIELDS = ("move", "visits", "utility", "winrate", "scoreMean", "scoreLead", "prior", "lcb", "order")


def talk(level: int, *commands: str) -> list[Told]:
    target = io.StringIO()

    async def run() -> None:
        source = io.StringIO("".join(f"{command}\n" for command in commands))
        await Server(source, target, LevelPlayer(level), ServeOptions(5)).run()

    asyncio.run(run())
    return split(target.getvalue())


def infos(line: str) -> list[tuple[dict[str, str], list[str]]]:
    """Return the fields and the principal variation of each move in an analysis line."""
    found = []
    for section in line.removeprefix("info ").split(" info "):
        fields, _, moves = section.partition(" pv ")
        words = fields.split()
        found.append((dict(zip(words[::2], words[1::2], strict=True)), moves.split()))
    return found


def test_each_move_is_told_with_what_was_found_of_it():
    told = talk(9, "play b C3", "play w D4", "play b B4", "kata-genmove_analyze w 1")[-1].text
    *lines, move = told.split("\n")
    moves = infos(lines[-1])
    assert len(moves) > 2
    assert all(tuple(fields) == FIELDS for fields, _ in moves)
    assert [int(fields["order"]) for fields, _ in moves] == list(range(len(moves)))
    assert all(int(fields["visits"]) >= 1 for fields, _ in moves)
    assert all(played[0] == fields["move"] for fields, played in moves)
    assert len({fields["scoreLead"] for fields, _ in moves}) > 1
    assert 0 < sum(float(fields["prior"]) for fields, _ in moves) <= 1.00001
    assert move.startswith("play ")


def test_the_first_line_of_an_analysis_has_a_visit_whatever_comes_next():
    for level in (1, 9):
        first = talk(level, "play b C3", "kata-analyze w 1", "name")[1].text.split("\n")[0]
        assert int(infos(first)[0][0]["visits"]) >= 1


def test_a_move_made_without_a_search_is_told_as_one_look():
    line = talk(2, "play b C3", "lz-genmove_analyze w 1")[1].text.split("\n")[0]
    assert {fields["visits"] for fields, _ in infos(line)} == {"1"}


def test_only_what_is_allowed_is_told_and_played():
    for level in (3, 8):
        line, move = talk(level, "play b C3", "kata-genmove_analyze w 1 allow w A1,E5 1")[1].text.split("\n")[-2:]
        assert {fields["move"] for fields, _ in infos(line)} <= {"A1", "E5"}
        assert move in ("play A1", "play E5")
    line, move = talk(8, "play b C3", "kata-genmove_analyze w 1 avoid w C2,C4,B3,D3,pass 1")[1].text.split("\n")[-2:]
    assert move.removeprefix("play ") not in ("C2", "C4", "B3", "D3", "pass")


def test_a_search_that_was_forgotten_begins_anew():
    visits = []
    for between in ("komi 4", "clear_cache"):
        analysis = "kata-genmove_analyze w 1 rootInfo true allow w A1 1"
        told = talk(8, "play b C3", analysis, "undo", between, "kata-analyze w 1 rootInfo true allow w A1 1", "name")
        visits.append(int(told[4].text.split("\n")[0].partition("rootInfo visits ")[2].split()[0]))
    # The first analysis reuses the search tree of the undone move.
    assert visits[0] > visits[1]
