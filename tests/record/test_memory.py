"""The memory that records take: bounded for each node, and in total by the stated limit."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from daoqi_tui.engine import PASS, Board, torus_of
from daoqi_tui.message import Message
from daoqi_tui.record import sgf
from daoqi_tui.record.sgf import build
from daoqi_tui.record.sgf.read import load
from daoqi_tui.record.text import SgfError
from tests.gtp.talking import Talk

NODES = 1_000
MOST_PER_NODE = 1_500
POINTS = [chr(97 + row) + chr(97 + column) for row in range(16) for column in range(16)]
STONES = "AW[xx:yy]AB[aa:dd]"


def _nested(nodes: list[str], size: int = 16, root: str = "TO[3]") -> str:
    return f"(;SZ[{size}]{root}" + "".join(f"(;{node}" for node in nodes) + ")" * (len(nodes) + 1)


@cache
def _game(size: int) -> tuple[str, ...]:
    """Return the moves of a game of random legal moves, in which stones are captured again and again."""
    chance, torus = random.Random(1), torus_of(size)
    board, moves = Board(torus), []
    for _ in range(NODES):
        colour = "?BW"[board.to_move]
        free = torus.points_in(board.legal_mask())
        move = chance.choice(free) if free else PASS
        board.make(move)
        moves.append(f"{colour}[{torus.name(move, 'sgf') if free else ''}]")
    return tuple(moves)


RECORDS: dict[str, Callable[[], str]] = {
    "a main line": lambda: "(;SZ[16]TO[3];" + ";".join(_game(16)) + ")",
    "a game in nested variations": lambda: _nested(list(_game(16))),
    "the same on the largest board": lambda: _nested(list(_game(25)), 25),
    "nested passes of one colour": lambda: _nested(["B[]"] * NODES),
    "nested moves of one colour on its stone": lambda: _nested(["B[aa]"] * NODES),
    "points that are none": lambda: _nested(["B[!!]"] * NODES),
    "a wide root": lambda: "(;SZ[16]TO[3]" + "".join(f"(;B[{POINTS[n % 256]}])" for n in range(NODES)) + ")",
    "two variations at each node": lambda: (
        "(;SZ[16]TO[3]" + "".join(f"(;{'BW'[n % 2]}[aa])(;{'BW'[n % 2]}[]" for n in range(NODES)) + ")" * (NODES + 1)
    ),
    "comments": lambda: _nested([f"{'BW'[n % 2]}[]C[move {n}]" for n in range(NODES)]),
    "one emptied point each": lambda: _nested([f"AE[{POINTS[n % 256]}]" for n in range(NODES)]),
    "impossible setup": lambda: _nested(["AB[aa:pp]"] * NODES),
    "wrong points in setup": lambda: _nested(["AB[!!]"] * NODES),
}
"""Records of :data:`NODES` nodes or more, by what is peculiar to them."""
RICHER: dict[str, Callable[[], str]] = {
    "nested moves on an occupied point": lambda: _nested([f"{'BW'[n % 2]}[aa]" for n in range(NODES)]),
    "the same among stones and with comments": lambda: _nested(
        [f"{'BW'[n % 2]}[yy]C[a]" for n in range(NODES)], 25
    ).replace("TO[3]", f"TO[3]{STONES}"),
    "the same on a flat board": lambda: _nested([f"{'BW'[n % 2]}[yy]C[a]" for n in range(NODES)], 25, f"TO[0]{STONES}"),
    "a new position each": lambda: _nested([f"AE[aa:yy]AB[{p}]AW[{p[0]}q]PL[B]" for p in (POINTS * 12)[:NODES]], 25),
    "a move and setup each": lambda: _nested([f"B[{point}]AE[aa:yy]" for point in (POINTS * 12)[:NODES]], 25),
    "one node with many moves": lambda: f"(;SZ[16]TO[3];B{'[]' * NODES})",
    "one node with many properties": lambda: "(;SZ[16];" + "".join(f"X{p}[]".upper() for p in POINTS * 12) + ")",
    "one property with many values": lambda: f"(;SZ[16]XX{''.join(f'[{n}]' for n in range(NODES * 4))})",
    "long comments": lambda: _nested([f"C[{n}{'a' * 2000}]" for n in range(NODES // 10)]),
    "Chinese comments": lambda: _nested([f"C[{n}{'道棋' * 1000}]" for n in range(NODES // 10)], root="CA[UTF-8]TO[3]"),
}
"""Records with more in a node, or in fewer nodes."""


@pytest.fixture(autouse=True, scope="module")
def _garbage_is_looked_for_in_records_alone() -> None:
    """After thousands of other tests each collection would look through what these left: a third of a second."""
    gc.collect()
    gc.freeze()


@cache
def _peak_of_loading(kind: str) -> int:
    data = {**RECORDS, **RICHER}[kind]().encode()
    load(data)  # Fills the caches.
    return _peak_of(lambda: load(data))


def _peak_of(act: Callable[[], object]) -> int:
    """Return the most memory that was in use at once, besides that from before."""
    gc.collect()
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", RECORDS)
def test_a_node_takes_little_memory(kind: str) -> None:
    data = RECORDS[kind]().encode()
    nodes = sum(1 for _ in load(data).game.root.walk())
    assert nodes >= NODES
    assert _peak_of_loading(kind) / nodes <= MOST_PER_NODE


@pytest.mark.parametrize("kind", [*RECORDS, *RICHER])
def test_what_would_take_more_memory_than_the_limit_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = {**RECORDS, **RICHER}[kind]().encode()
    peak = _peak_of_loading(kind)
    for module in (sgf, build):
        # The text of the file has a limit of its own.
        monkeypatch.setattr(module, "MOST_MEMORY", peak - _peak_of(lambda: sgf.decoded(data)))
    with pytest.raises(SgfError, match=r"^line 1, column \d+: the games up to here take more memory than the limit of"):
        load(data)


def test_the_largest_record_of_variations_that_is_promised_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """100,000 variations of four moves, at a hundredth of the size."""
    moves = "(;B[aa];W[bb];B[cc];W[dd])"
    for module in (sgf, build):
        monkeypatch.setattr(module, "MOST_MEMORY", module.MOST_MEMORY // 100)
    assert len(load(f"(;SZ[16]TO[3]{moves * 1_000})".encode()).game.root.children) == 1_000


def test_a_message_holds_no_exception_and_with_it_no_frame() -> None:
    try:
        raise ValueError(Message("a chain has no liberty"))
    except ValueError as error:
        message = Message("impossible: {reason}", reason=error)
    assert message == Message("impossible: {reason}", reason=Message("a chain has no liberty"))
    try:
        raise OSError(28, "No space left on device")
    except OSError as error:
        message = Message("not written: {reason}", reason=error)
    assert message.values == {"reason": "[Errno 28] No space left on device"}


def test_the_limit_is_said_in_one_sentence_by_every_face(tmp_path: Path) -> None:
    too_large = tmp_path / "large.sgf"
    too_large.write_text("(;SZ[9]" + ";" * (sgf.MOST_MEMORY // sgf.NODE_BYTES) + ")")
    sentence = "the games up to here take more memory than the limit of 600 MB; split the file"
    for command in (["show", str(too_large)], ["play", "--plain", str(too_large)], [str(too_large)]):
        done = subprocess.run(
            [sys.executable, "-m", "daoqi_tui", *command], input="", capture_output=True, text=True, check=False
        )
        assert done.returncode in (1, 2)
        assert done.stderr.count("\n") == 1
        assert sentence in done.stderr
    assert sentence in Talk().last(f"loadsgf {too_large}").text
