"""KataGo's analysis protocol: what queries, actions and mistakes are answered by."""

from __future__ import annotations

import asyncio
import io
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from daoqi_tui.ai import Answer, Progress, Think
from daoqi_tui.engine import BLACK, DAOQI, PASS, WHITE
from daoqi_tui.gtp.engine import session
from daoqi_tui.gtp.engine.analysis import AnalysisServer
from tests.gtp.simple import SimplePlayer

ENDLESS = 1_000_000
"""The visits of a query from which on it is searched until it is terminated."""


class Analyst(SimplePlayer):
    """Answers at once, except for queries without an end."""

    visits: Sequence[int] = ()

    async def think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        self.visits = (*self.visits, request.visits)
        return await super().think(replace(request, analyse=request.visits >= ENDLESS), on_progress)


class LateLines(io.StringIO):
    """Objects or texts to be read as lines, the later ones only when what stands before them holds."""

    def __init__(self, *parts: object) -> None:
        super().__init__()
        self._parts = list(parts)

    def readline(self, _most: int = -1) -> str:  # type: ignore[override]
        while self._parts and callable(self._parts[0]):
            if self._parts[0]():
                del self._parts[0]
        if not self._parts:
            return ""
        line = self._parts.pop(0)
        return f"{line if isinstance(line, str) else json.dumps(line)}\n"


def served(*lines: object, player: Analyst | None = None) -> list[dict[str, Any]]:
    """Return what is answered to lines, each an object or a text; what comes after a condition, once that holds."""
    target = io.StringIO()

    async def run() -> None:
        await AnalysisServer(LateLines(*lines), target, player or Analyst(), rules=DAOQI, version="9.9").run()

    asyncio.run(run())
    return [json.loads(line) for line in target.getvalue().splitlines()]


def query(name: str = "q", *moves: str, **more: object) -> dict[str, Any]:
    """Return a query; Black moves first."""
    played = [["BW"[place % 2], move] for place, move in enumerate(moves)]
    usual = {"id": name, "moves": played, "rules": "tromp-taylor", "boardXSize": 9, "boardYSize": 9}
    return {key: value for key, value in {**usual, **more}.items() if value is not None}


def test_every_turn_has_one_result_and_all_values_are_black_s():
    found = served(query("q", "D4", "E5", analyzeTurns=[0, 1, 2]))
    assert [(each["id"], each["turnNumber"], each["isDuringSearch"]) for each in found] == [
        ("q", 0, False),
        ("q", 1, False),
        ("q", 2, False),
    ]
    # The player's side has 62.5 %, and Black leads by 3.5 in its view.
    assert [each["rootInfo"]["winrate"] for each in found] == [0.625, 0.375, 0.625]
    assert [each["rootInfo"]["currentPlayer"] for each in found] == ["B", "W", "B"]
    assert [each["moveInfos"][0]["winrate"] for each in found] == [0.625, 0.375, 0.625]
    assert {each["moveInfos"][0]["scoreLead"] for each in found} == {3.5}
    assert found[1]["moveInfos"][0]["lcb"] > found[1]["moveInfos"][0]["winrate"], "Black's bound is the upper one"
    assert {"ownership", "ownershipStdev", "policy"}.isdisjoint(found[0])
    assert {"ownership", "pvVisits"}.isdisjoint(found[0]["moveInfos"][0])


@pytest.mark.parametrize(
    ("flag", "where", "fields"),
    [
        ("includeOwnership", "", {"ownership": 81}),
        ("includeOwnershipStdev", "", {"ownershipStdev": 81}),
        ("includePolicy", "", {"policy": 82}),
        ("includeMovesOwnership", "moveInfos", {"ownership": 81}),
        ("includeMovesOwnershipStdev", "moveInfos", {"ownershipStdev": 81}),
        ("includePVVisits", "moveInfos", {"pvVisits": 1, "pvEdgeVisits": 1}),
    ],
)
def test_what_is_asked_for_is_told_and_nothing_else(flag: str, where: str, fields: dict[str, int]):
    [plain], [more] = served(query()), served(query(**{flag: True}))
    if where:
        [plain], [more] = plain[where], more[where]
    assert {name: len(more[name]) for name in more.keys() - plain.keys()} == fields


def test_a_position_is_the_one_that_was_described():
    player = Analyst()
    served(
        query("a", initialStones=[["B", "C3"], ["W", "(0,0)"]], moves=[["W", "D4"], ["W", "pass"]]),
        query("b", initialStones=[["B", "C3"]]),
        query("c", initialPlayer="W"),
        query("d", rules={"ko": "SIMPLE", "suicide": False}, komi=-2.5),
        player=player,
    )
    boards = [position.board() for position, _seconds in player.asked]
    torus = boards[0].torus
    assert [torus.name(point, "gtp") for point in torus.points_in(boards[0].stones(WHITE))] == ["A9", "D4"]
    assert boards[0].to_move == BLACK
    assert [boards[1].to_move, boards[2].to_move] == [WHITE, WHITE], "White moves after handicap stones"
    asked = player.asked[3][0]
    assert (asked.komi, str(asked.rules)) == (-2.5, "superko=simple, suicide=no")


def test_moves_are_avoided_and_allowed():
    player = Analyst()
    served(query(avoidMoves=[{"player": "B", "moves": ["C3", "pass"], "untilDepth": 2}]), player=player)
    [found] = player.restrictions
    assert (found.colour, found.moves[1], found.plies, found.only) == (BLACK, PASS, 2, False)
    served(query(allowMoves=[{"player": "W", "moves": ["C3"], "untilDepth": 1}]), player=player)
    [found] = player.restrictions
    assert (found.colour, found.plies, found.only) == (WHITE, 1, True)


def test_limits_are_the_query_s_then_the_settings_then_the_server_s():
    player = Analyst()
    served(
        query(maxVisits=7, overrideSettings={"maxVisits": 8}),
        query(overrideSettings={"maxVisits": 8, "reportAnalysisWinratesAs": "BLACK"}),
        query(),
        player=player,
    )
    assert player.visits == (7, 8, 500)


@pytest.mark.parametrize(
    ("asked", "field", "text"),
    [
        (query(moves=None), "moves", "missing required field `moves`"),
        (query(moves=[["B", "I4"]]), "moves", "'I4' is not a vertex"),
        (query(moves=[["X", "D4"]]), "moves", "Invalid enum value 'X'"),
        (query("q", "D4", "D4"), "moves", "Illegal move 1: D4"),
        (query("q", "D4", "E5", analyzeTurns=[3]), "analyzeTurns", "there is no turn 3; the last is 2"),
        (query(analyzeTurns=[-1]), "analyzeTurns", ">= 0"),
        (query(rules=None), "rules", "missing"),
        (query(rules="japanese"), "rules", "those that are: daoqi, tromp-taylor"),
        (query(rules={"scoring": "TERRITORY"}), "rules", 'scoring is "AREA", not "TERRITORY"'),
        (query(whiteHandicapBonus="N"), "rules", "whiteHandicapBonus"),
        (query(boardYSize=13), "boardYSize", "square"),
        (query(boardXSize=400, boardYSize=400), "boardXSize", "400"),
        (query(komi=1e9), "komi", "out of range"),
        (query(komi="4"), "komi", "Expected `float`"),
        (query(maxVisits=0), "maxVisits", ">= 1"),
        (query(includePolicy="yes"), "includePolicy", "Expected `bool`"),
        (query(initialStones=[["B", "C3"], ["W", "C3"]]), "initialStones", "C3"),
        (query(initialStones=[["B", "pass"]]), "initialStones", "pass"),
        (query(priorities=[1, 2]), "priorities", "as long as analyzeTurns"),
        (query(avoidMoves=[{"player": "B", "moves": ["Z9"], "untilDepth": 1}]), "avoidMoves", "'Z9'"),
        (query(allowMoves=[{"player": "B", "moves": [], "untilDepth": 1}] * 2), "allowMoves", "length <= 1"),
        (query(overrideSettings={"maxTime": "long"}), "overrideSettings", "Expected `float"),
        (query(overrideSettings={"reportAnalysisWinratesAs": "WHITE"}), "overrideSettings", "WHITE"),
        ({"id": "q", "action": "terminate"}, "terminateId", "missing"),
        ({"id": "q", "action": "dance"}, "action", "query_version"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_its_field(asked: dict[str, Any], field: str, text: str):
    error, after = served(asked, query("after"))
    assert (error["id"], error["field"], after["id"]) == ("q", field, "after")
    assert text in error["error"]
    assert error.keys() == {"error", "field", "id"}


@pytest.mark.parametrize("line", ["nonsense", "[1]", "{", '{"id":1}', "x" * 70_000, "{}", '{"a":' * 5_000])
def test_a_line_that_is_no_query_is_answered_and_the_next_one_too(line: str):
    error, after = served(line, query("after"))
    assert error["error"]
    assert after["id"] == "after"


def test_what_is_not_known_is_warned_of_and_the_query_answered():
    *warnings, found = served(query(rootPolicyTemperature=1.1, overrideSettings={"wideRootNoise": 0.04}))
    assert [(each["id"], each["field"]) for each in warnings] == [
        ("q", "rootPolicyTemperature"),
        ("q", "overrideSettings"),
    ]
    assert "wideRootNoise" in warnings[1]["warning"]
    assert found["turnNumber"] == 0


def test_an_unexpected_error_is_an_answer_and_the_next_query_is_searched(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session.crash, "report", lambda error: f"/reports/{type(error).__name__}")

    class Broken(Analyst):
        async def think(self, request: Think, *rest: Any) -> Answer:
            if request.position.actions:
                raise KeyError("x")
            return await super().think(request, *rest)

    error, after = served(query("q", "D4"), query("after"), player=Broken())
    words = "internal error: KeyError: 'x'; a report of it is in /reports/KeyError"
    assert error == {"error": words, "id": "q", "turnNumber": 1}
    assert after["id"] == "after"


def test_actions_are_echoed():
    version, models, cache = served(
        {"id": "v", "action": "query_version", "mine": 3},
        {"id": "m", "action": "query_models"},
        {"id": "c", "action": "clear_cache"},
    )
    assert version == {"id": "v", "action": "query_version", "mine": 3, "version": "9.9", "git_hash": "<omitted>"}
    assert models == {"id": "m", "action": "query_models", "models": []}
    assert cache == {"id": "c", "action": "clear_cache"}


def test_the_highest_priority_comes_first_and_equal_ones_in_their_order():
    analyst = Analyst()
    found = served(
        query("first", maxVisits=ENDLESS),
        lambda: analyst.visits,
        query("low", priority=-1),
        query("a"),
        query("b", "D4", analyzeTurns=[0, 1], priorities=[0, 5]),
        query("c"),
        {"id": "t", "action": "terminate", "terminateId": "first"},
        player=analyst,
    )
    order = [(each["id"], each["turnNumber"]) for each in found if "turnNumber" in each]
    assert order == [("first", 0), ("b", 1), ("a", 0), ("b", 0), ("c", 0), ("low", 0)]


def test_what_is_terminated_ends_with_one_result_and_what_waits_without_one():
    found = served(
        query("long", maxVisits=ENDLESS, reportDuringSearchEvery=0.01, priority=1),
        query("waits", "D4", analyzeTurns=[0, 1]),
        {"id": "t", "action": "terminate", "terminateId": "waits", "turnNumbers": [1]},
        query("other", maxVisits=ENDLESS),
        {"id": "all", "action": "terminate_all"},
    )
    ends = {(each["id"], each["turnNumber"]): each for each in found if each.get("isDuringSearch") is False}
    assert set(ends) == {("long", 0), ("waits", 0), ("waits", 1), ("other", 0)}
    assert ends["waits", 1] == {"id": "waits", "isDuringSearch": False, "noResults": True, "turnNumber": 1}


def test_a_long_search_reports_until_it_is_terminated():
    async def run() -> list[dict[str, Any]]:
        target = io.StringIO()
        lines = LateLines(
            query("long", maxVisits=ENDLESS, reportDuringSearchEvery=0.02),
            lambda: target.getvalue().count("isDuringSearch") >= 3,
            {"id": "t", "action": "terminate", "terminateId": "long"},
        )
        await AnalysisServer(lines, target, Analyst(), rules=DAOQI).run()
        return [json.loads(line) for line in target.getvalue().splitlines()]

    found = asyncio.run(run())
    during = [each["isDuringSearch"] for each in found if each["id"] == "long"]
    assert during[:3] == [True] * 3
    assert during.count(False) == 1
    assert during[-1] is False


@pytest.mark.parametrize("seed", range(10))
def test_every_position_that_was_asked_for_ends_exactly_once(seed: int):
    pick = random.Random(seed)
    lines: list[dict[str, Any]] = []
    asked: Counter[tuple[str, int]] = Counter()
    for number in range(20):
        if lines and pick.random() < 0.3:
            name = pick.choice(lines)["id"]
            lines.append({"id": f"t{number}", "action": "terminate", "terminateId": name})
            continue
        moves = ["A1", "C3", "E5"][: pick.randrange(4)]
        turns = pick.sample(range(len(moves) + 1), pick.randint(1, len(moves) + 1))
        lines.append(query(f"q{number}", *moves, analyzeTurns=turns, priority=pick.randrange(3)))
        asked.update((f"q{number}", turn) for turn in turns)
    found = served(*lines)
    assert Counter((each["id"], each["turnNumber"]) for each in found if "isDuringSearch" in each) == asked
