"""Writing and reading analysis lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daoqi_tui.ai import Candidate, Details, Ownership, Progress
from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, torus_of
from daoqi_tui.gtp import SWITCHES, Dialect, read_infos, root_win, vertex_name, write_analysis

TORUS = torus_of(19)


def point(name: str) -> int:
    return TORUS.parse(name, "gtp")


def test_a_line_of_leela_zero():
    text = (
        "info move E4 visits 1178 winrate 4802 prior 2211 lcb 4781 order 1 pv E4 E3 F3 "
        "info move P16 visits 2056 winrate 1 prior 2206 lcb 1 order 0 pv P16 pass"
    )
    found = read_infos(TORUS, WHITE, text, "lz")
    assert found is not None
    assert found.visits == 3234
    assert [line.move for line in found.lines] == [point("P16"), point("E4")]
    assert found.lines[0].line == (point("P16"), PASS)
    assert found.lines[1] == Candidate(point("E4"), 1178, 0.4802, (point("E4"), point("E3"), point("F3")), prior=0.2211)
    assert found.margin == 0


def test_a_line_of_katago():
    text = (
        "info move E4 visits 487 utility -0.0408357 winrate 0.480018 scoreMean -0.611848 scoreStdev 24.7 "
        "scoreLead -0.611848 prior 0.22 order 0 pv E4 E3 pvVisits 487 20 rootInfo visits 500 winrate 0.4 "
        "ownership " + " ".join(["0.5"] * 361)
    )
    for colour, margin in ((BLACK, -0.611848), (WHITE, 0.611848)):
        found = read_infos(TORUS, colour, text, "kata")
        assert found is not None
        assert found.lines == (Candidate(point("E4"), 487, 0.480018, (point("E4"), point("E3")), margin, 0.22),)
        assert found.margin == margin


def test_before_any_visit_the_root_is_as_good_as_its_first_move():
    lines = (Candidate(3, 0, 0.648, (3,)), Candidate(4, 0, 0.2, (4,)))
    assert root_win(Progress(1, 0, 0.1, lines, 2.0)) == pytest.approx(0.648)
    visited = Progress(1, 4, 0.1, (Candidate(3, 3, 0.6, (3,)), Candidate(4, 1, 0.2, (4,))), 2.0)
    assert root_win(visited) == pytest.approx(0.5)
    assert "rootInfo visits 4 winrate 0.500000" in write_analysis(TORUS, BLACK, visited, "kata", {"rootInfo"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "info",
        "play E4",
        "info move",
        "info move I4 visits 1 winrate 0.5 pv I4",
        "info move E4 visits many winrate 0.5",
        "info move E4 visits nan winrate 0.5",
        "info move E4 visits 1e99 winrate 0.5",
        "info move E4 visits 1 winrate inf.",
        "info visits 1 winrate 0.5 pv",
    ],
)
def test_lines_that_say_nothing(text: str):
    assert read_infos(TORUS, BLACK, text, "lz") is read_infos(TORUS, BLACK, text, "kata") is None


@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize("dialect", ["lz", "kata"])
def test_what_is_written_is_read(dialect: Dialect, colour: Colour):
    first, second = (2.5, -1.5) if dialect == "kata" else (0.0, 0.0)
    lines = (Candidate(5, 30, 0.75, (5, 6, PASS), first, 0.625), Candidate(PASS, 10, 0.25, (PASS,), second, 0.125))
    owned = Ownership((0.25, -1.0), (0.5, 0.0))
    told = [replace(line, line_visits=(line.visits,) * len(line.line), ownership=owned) for line in lines]
    progress = Progress(0, 40, 0.0, tuple(told), first, Details(owned, ()))
    text = write_analysis(TORUS, colour, progress, dialect, set(SWITCHES))
    assert read_infos(TORUS, colour, text, dialect) == Progress(0, 40, 0.0, lines, first)
    shown = "0.250 -1.000" if colour == BLACK else "-0.250 1.000"
    for words, times in (
        ("pvVisits 30 30 30 pvEdgeVisits 30 30 30", 1),
        (f"movesOwnership {shown} movesOwnershipStdev 0.500 0.000", 2),
        (f" ownership {shown} ownershipStdev 0.500 0.000", 1),
    ):
        assert text.count(words) == times
    assert not any(switch in write_analysis(TORUS, colour, progress, dialect) for switch in SWITCHES)


@pytest.mark.parametrize(("dialect", "rate"), [("lz", 0.0001), ("kata", 1.0)])
def test_one_is_certain_in_one_dialect_and_next_to_nothing_in_the_other(dialect: Dialect, rate: float):
    found = read_infos(TORUS, BLACK, "info move E4 visits 1 winrate 1 prior 1 order 0 pv E4", dialect)
    assert found is not None
    assert (found.lines[0].win, found.lines[0].prior) == (rate, rate)


def test_an_engine_of_leela_zeros_dialect_may_write_fractions():
    found = read_infos(TORUS, BLACK, "info move E4 visits 1 winrate 0.5 prior 1e-3 order 0 pv E4", "lz")
    assert found is not None
    assert (found.lines[0].win, found.lines[0].prior) == (0.5, 0.001)


def test_every_move_has_its_own_score_for_the_side_to_move():
    lines = (Candidate(5, 30, 0.75, (5,), 2.5, 0.6), Candidate(6, 10, 0.25, (6,), -4.0, 0.3))
    progress = Progress(0, 40, 0.0, lines, 1.0)
    for colour, scores in ((BLACK, ["2.500", "-4.000"]), (WHITE, ["-2.500", "4.000"])):
        words = write_analysis(TORUS, colour, progress, "kata").split()
        assert [words[place + 1] for place, word in enumerate(words) if word == "scoreLead"] == scores
        assert [words[place + 1] for place, word in enumerate(words) if word == "scoreMean"] == scores
        assert [words[place + 1] for place, word in enumerate(words) if word == "prior"] == ["0.600000", "0.300000"]


def test_a_move_that_was_not_searched_has_been_looked_at_once():
    text = write_analysis(TORUS, BLACK, Progress(0, 0, 0.0, (Candidate(5, 0, 0.5, (5,)),), 0.0), "kata")
    assert text.startswith(f"info move {vertex_name(TORUS, 5)} visits 1 ")
