"""Arbitrary input lines: the server never crashes or stays silent, and each response is ``=`` or ``?`` with the id.

``DAOQI_LINES=100000 python -m pytest tests/gtp/test_hostile.py`` tries more lines than the default.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from daoqi_tui.gtp import parse_line
from daoqi_tui.gtp.engine import COMMANDS
from tests.gtp.talking import Talk, Told, split

LINES = int(os.environ.get("DAOQI_LINES", "10000"))

WORDS = """b w black white BLACK x pass PASS resign A1 a1 I5 j9 T19 Z25 A0 A99 C3 D4 E5 0 1 2 5 9 16 25 26 -1 1e9 0.5
nan inf -inf 99999999999999999999 alive dead seki true false interval maxmoves avoid ownership none absolute byoyomi
canadian game.sgf . / \x00 é 道棋 \ud800 ½ ٣ # ## =1 ?1 %s {} \\ " '"""
LEGAL = (
    "play b D4",
    "play w E5",
    "boardsize 5",
    "clear_board",
    "genmove b",
    "undo",
    "showboard",
    "final_score",
    "komi 4",
)


def hostile_lines(chance: random.Random, count: int) -> list[str]:
    """Return commands with random arguments, mutated commands, and noise, without line breaks inside."""
    names = [name for name in COMMANDS if name not in ("quit", "daoqi-ladder_points")]
    lines = []
    for _ in range(count):
        kind = chance.random()
        if kind < 0.35:
            line = " ".join([chance.choice(names), *chance.choices(WORDS.split(), k=chance.randrange(4))])
        elif kind < 0.6:
            line = (
                chance.choice(LEGAL)
                if chance.random() < 0.7
                else f"play {chance.choice('bw')} {chance.choice(WORDS.split())}"
            )
        elif kind < 0.9:
            line = mutated(chance, " ".join([chance.choice(names), *chance.choices(WORDS.split(), k=2)]))
        else:
            line = "".join(chr(chance.choice((chance.randrange(128), chance.randrange(0x3000)))) for _ in range(12))
        if chance.random() < 0.5:
            line = f"{chance.randrange(10 ** chance.randrange(1, 12))} {line}"
        lines.append(re.sub(r"[\r\n]", " ", line))
    return lines


def mutated(chance: random.Random, line: str) -> str:
    signs = list(line)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(signs) + 1)
        match chance.randrange(3):
            case 0:
                signs[place : place + 1] = []
            case 1:
                signs.insert(place, chr(chance.randrange(256)))
            case 2:
                signs[place:] = signs[place:] + signs[: chance.randrange(8)]
    return "".join(signs)


def test_every_line_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # Commands that write files use the working directory.
    monkeypatch.chdir(tmp_path)
    lines = hostile_lines(random.Random(20061017), LINES)
    expected = []
    for line in lines:
        command = parse_line(line)
        if command is not None:
            expected.append(command.id)
            # A line that mutation reduced to "quit" would end the session.
            assert command.name != "quit" or command.arguments
    told = split(Talk().raw("".join(f"{line}\n" for line in lines)))
    assert [answer.id for answer in told] == expected
    assert [answer.text for answer in told if "internal error" in answer.text] == []
    signs = [answer.sign for answer in told]
    # Both outcomes must be common, or the test would prove little.
    assert min(signs.count("="), signs.count("?")) > len(signs) // 5


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r\r\n", " \t\n"])
def test_ends_of_lines(ending: str):
    assert split(Talk().raw(f"1 name{ending}{ending}2 komi 5{ending}")) == [Told("=", "1", "Daoqi"), Told("=", "2", "")]


@pytest.mark.parametrize("last", ["name", "name\x00", "1 na", "play b", "\ud800"])
def test_a_last_line_without_end(last: str):
    told = split(Talk().raw(f"2 komi 5\n{last}"))
    assert len(told) == 2
