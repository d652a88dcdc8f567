"""Positions with the inputs that KataGo's own code has for them: ``katago_vectors.npz``, and how it was made.

    python -m tests.ai.katago_vectors PROGRAM

PROGRAM is ``katago_vectors.cpp``, compiled with KataGo's source in its folder ``cpp``; they are by commit 6a1fc5d
of November 2026::

    g++ -O1 -std=c++17 -I. -Iexternal katago_vectors.cpp core/{global,hash,rand,test,bsearch}.cpp \
        core/{rand_helpers,fancymath,sha2,md5,timer}.cpp game/*.cpp neuralnet/{nninputs,modelversion}.cpp

The games are random ones on boards with edges, under every superko and suicide rule; no stone is played that would be
removed alone, which KataGo never allows.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.engine import PASS, POSITIONAL, SIMPLE, SITUATIONAL, Board, Rules
from tests.ai.other_boards import Bordered

FILE: Final = Path(__file__).with_suffix(".npz")
_SUPERKO: Final = (SIMPLE, POSITIONAL, SITUATIONAL)
_PLANES: Final = 22
_GLOBALS: Final = 19
_COUNT: Final = 240


class Vector(NamedTuple):
    """A position and its inputs: planes ``(points, 22)`` and global inputs ``(19,)``."""

    board: Board
    komi: float
    moves: tuple[int, ...]
    planes: NDArray[np.float32]
    whole: NDArray[np.float32]


def vectors() -> Iterator[Vector]:
    """Yield the positions of the file."""
    with np.load(FILE) as held:
        columns = [held[name] for name in ("size", "superko", "suicide", "komi", "moves", "planes", "whole")]
    for size, superko, suicide, komi, moves, bits, whole in zip(*columns, strict=True):
        rules = Rules(superko=_SUPERKO[superko], suicide=bool(suicide), pass_cost=0)
        board, played = Board(Bordered(int(size)), rules), tuple(moves[moves > -2].tolist())
        for move in played:
            board.make(move)
        planes = np.unpackbits(bits)[: size * size * _PLANES].reshape(size * size, _PLANES)
        yield Vector(board, float(komi), played, planes.astype(np.float32), whole)


def _random_game(rng: random.Random) -> tuple[Board, list[int]]:
    size = rng.choice((4, 5, 7, 9))
    rules = Rules(superko=rng.choice(_SUPERKO), suicide=rng.random() < 0.5, pass_cost=0)
    board, moves = Board(Bordered(size), rules), list[int]()
    for _ in range(rng.randrange(5, 3 * size * size)):
        plays = [point for point in board.torus.points_in(board.legal_mask()) if not _dies_alone(board, point)]
        last = moves[-1] if moves else 0
        move = PASS if not plays or (rng.random() < 0.03 and last != PASS) else rng.choice(plays)
        if move == last == PASS:
            break
        board.make(move)
        moves.append(move)
    return board, moves


def _dies_alone(board: Board, point: int) -> bool:
    mover, near = board.to_move, board.torus.neighbours[point]
    if any(board.colours[neighbour] in (0, mover) for neighbour in near):
        return False
    board.make(point)
    gone = board.colours[point] == 0
    board.undo()
    return gone


def main() -> None:
    rng = random.Random(1)
    games = [(*_random_game(rng), rng.randrange(-20, 21) + 0.5) for _ in range(_COUNT)]
    lines = [
        f"{board.torus.size} {board.rules.superko.upper()} {int(board.rules.suicide)} {komi} "
        f"{' '.join(map(str, moves))}\n"
        for board, moves, komi in games
    ]
    run = subprocess.run(sys.argv[1:], input="".join(lines), capture_output=True, text=True, check=True)
    found = [np.array(line.split(), np.float32) for line in run.stdout.splitlines()]
    longest = max(len(moves) for _board, moves, _komi in games)
    bits = [np.packbits(values[:-_GLOBALS].astype(np.uint8)) for values in found]
    widest = max(map(len, bits))
    np.savez_compressed(
        FILE,
        size=np.array([board.torus.size for board, _moves, _komi in games], np.int64),
        superko=np.array([_SUPERKO.index(board.rules.superko) for board, _moves, _komi in games]),
        suicide=np.array([board.rules.suicide for board, _moves, _komi in games]),
        komi=np.array([komi for _board, _moves, komi in games], np.float32),
        moves=np.array([moves + [-2] * (longest - len(moves)) for _board, moves, _komi in games], np.int16),
        planes=np.array([np.pad(each, (0, widest - len(each))) for each in bits]),
        whole=np.array([values[-_GLOBALS:] for values in found]),
    )


if __name__ == "__main__":
    main()
