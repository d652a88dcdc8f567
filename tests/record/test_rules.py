"""Rules in records and journals: reading, writing, and keeping the name used in the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.ai import Position, Think, decode, encode
from daoqi_tui.engine import DAOQI, TROMP_TAYLOR, Game, Rules
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record import Info, dump, load
from daoqi_tui.record.journal import Journal
from daoqi_tui.record.journal.format import replay

ALL = [DAOQI, TROMP_TAYLOR, Rules("simple", suicide=False, pass_cost=0, tie=None)]


@pytest.mark.parametrize("rules", ALL)
def test_a_record_keeps_the_rules(rules: Rules):
    game = Game(5, 0, rules=rules)
    game.play(3)
    data = dump(game)
    assert f"RU[{rules}]".encode() in data
    loaded = load(data)
    assert loaded.game.rules == rules
    assert dump(loaded.game, loaded.info) == data


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        *(("tromp-taylor", TROMP_TAYLOR), ("daoqi", DAOQI), ("", DAOQI)),
        ("Chinese", Rules("positional", suicide=False, pass_cost=0, komi=7.5, tie=None)),
        ("Japanese", Rules("simple", pass_cost=0, komi=6.5, tie=None)),
        ("of the village", Rules("simple", pass_cost=0, komi=0, tie=None)),
        ("koSITUATIONALscoreAREAtaxALLsui0", Rules(suicide=False, pass_cost=0, komi=7.5, tie=None)),
    ],
)
def test_names_stay_as_the_record_has_them(name: str, rules: Rules):
    written = f"RU[{name}]" if name else ""
    loaded = load(f"(;FF[4]GM[1]SZ[5]KM[4]{written}TO[3];B[aa])".encode())
    assert loaded.game.rules == rules
    assert loaded.info.rules == name
    data = dump(loaded.game, loaded.info)
    assert (written.encode() in data) if name else (b"RU[" not in data)


def test_a_name_that_is_wrong_is_written_anew():
    assert b"RU[Tromp-Taylor]" in dump(Game(5, rules=TROMP_TAYLOR), Info(rules="Japanese"))
    assert b"RU[Daoqi]" in dump(Game(5), Info(rules="Tromp-Taylor"))


def test_a_drawn_game_has_its_result():
    game = Game(5, 0, rules=TROMP_TAYLOR)
    game.pass_turn()
    game.pass_turn()
    data = dump(game)
    assert b"RE[0]" in data
    assert load(data).game.result is not None


@pytest.mark.parametrize("rules", ALL)
def test_a_journal_keeps_the_rules(rules: Rules, tmp_path: Path):
    session = Session(GameSetup(5, rules=rules))
    assert session.game.rules == rules
    journal = Journal.begin(session.game, Info(), folder=tmp_path)
    session.game.play(7)
    assert journal.follow().wait()
    path = journal.path
    assert journal.close()
    restored = replay(path)
    assert restored.game.rules == rules
    assert restored.game.node.number == 1


@pytest.mark.parametrize("rules", ALL)
def test_the_players_process_is_told_the_rules(rules: Rules):
    game = Game(5, 1.5, rules=rules)
    game.play(3)
    think = Think(Position.of(game), 3)
    told = decode(encode(think))
    assert told == think
    assert isinstance(told, Think)
    assert told.position.board().rules == rules
