"""Every field of the rules reaches everything that knows rules: what is legal and counted, networks, GTP and records.

The tensors of training have theirs in ``tests/lab/training/test_rules.py``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.ai import Position, Think, decode, encode
from daoqi_tui.ai.network.features import Features
from daoqi_tui.engine import Game, Rules, parse_rules
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record import Info, dump, load
from daoqi_tui.record.journal import Journal
from daoqi_tui.record.journal.format import replay
from tests.engine.every_rules import VARIED, differing
from tests.every import every
from tests.gtp.talking import Talk

LONE_EYE = ("play w C4", "play w B3", "play w D3", "play w C2")
"""A point of 5×5 where a play of Black is suicide, and repeats the board, but not the situation."""
KO = (*(f"play b {name}" for name in ("B5", "A4", "B3")), *(f"play w {name}" for name in ("C5", "D4", "C3", "B4")))
"""Black's play at C4 takes a ko."""

SHOWN: dict[str, tuple[tuple[str, ...], ...]] = {
    "superko": (
        (*LONE_EYE, "daoqi-legal b C3"),
        (*KO, "play b C4", "play w pass", "play b pass", "daoqi-legal w B4"),
    ),
    "suicide": ((*LONE_EYE, "play b A1", "play w A2", "daoqi-legal b C3"),),
    "pass_cost": (("play b C3", "play w pass", "play b A1", "play w D4", "final_score"),),
    "komi": (("get_komi",),),
    "tie": (("play b C3", "komi 25", "play w pass", "play b pass", "final_score"),),
}
"""For each field, commands whose last answers differ wherever the field does."""


def both(rules: Rules) -> str:
    return f"{rules}, komi={rules.komi}"


def whole(game: Game) -> Rules:
    """Return the rules of a game with the komi that it is played with: GTP and records have that for itself."""
    return replace(game.rules, komi=game.komi)


@pytest.mark.parametrize("rules", VARIED, ids=both)
def test_what_a_program_reads_is_what_was_written(rules: Rules, tmp_path: Path):
    game = Game(5, rules=rules)
    game.play(3)
    assert replace(parse_rules(str(rules)), komi=rules.komi) == rules
    assert whole(load(dump(game)).game) == rules
    think = Think(Position.of(game), 3)
    told = decode(encode(think))
    assert isinstance(told, Think)
    assert told.position.board().rules == rules
    session = Session(GameSetup(5, rules.komi, rules=rules))
    journal = Journal.begin(session.game, Info(), folder=tmp_path)
    session.game.play(7)
    assert journal.follow().wait()
    assert journal.close()
    assert whole(replay(journal.path).game) == rules


@every("rules", VARIED, ids=both)
def test_gtp_sets_what_it_shows(rules: Rules):
    asked = Talk(5, rules.komi, rules=rules)
    told = json.loads(asked.last("kata-get-rules").text)
    assert whole(asked.game) == rules
    whole_line = Talk(5, rules.komi)
    whole_line.last(f"kata-set-rules {json.dumps(told)}", "name")
    assert whole(whole_line.game) == rules
    by_field = Talk(5, rules.komi)
    values = {name: value if isinstance(value, str) else json.dumps(value) for name, value in told.items()}
    by_field.last(
        *(f"kata-set-rule {name} {value}" for name, value in values.items() if name != "oneStoneSuicide"), "name"
    )
    assert whole(by_field.game) == rules


@every(("field", "one", "other"), differing(), ids=str)
def test_gtp_plays_by_the_field(field: str, one: Rules, other: Rules):
    def answers(rules: Rules) -> list[str]:
        return [Talk(5, rules.komi, rules=rules).last(*commands).text for commands in SHOWN[field]]

    assert answers(one) != answers(other)


def inputs_of(rules: Rules) -> list[Any]:
    game = Game(5, rules=rules)
    for move in (12, None, 7, 3):
        game.pass_turn() if move is None else game.play(move)
    found = Features(8).encode(game.board, game.komi, [12, -1, 7, 3], 0)
    return [found.planes.tobytes(), found.whole.tobytes()]


@every(("field", "one", "other"), differing(), ids=str)
def test_a_network_sees_the_field(field: str, one: Rules, other: Rules):
    assert inputs_of(one) != inputs_of(other)
