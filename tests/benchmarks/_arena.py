"""Games between players given as functions, and statistics of their results."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from daoqi_tui.ai import Position, PositionAction
from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.player import KERNELS
from daoqi_tui.ai.search import Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.ai.search.puct import PuctSearch
from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Game, opponent
from daoqi_tui.gtp.player import HOPELESS_MOVES
from daoqi_tui.record import load

Mover: TypeAlias = Callable[[Position], tuple[int, bool]]
"""A function from a position to a move, and whether the player considers the game hopeless."""
BATCH = 32
"""Positions evaluated in one batch."""


@dataclass(frozen=True)
class Played:
    """A finished game."""

    winner: Colour
    result: str
    actions: tuple[PositionAction, ...]


def compile_kernels() -> None:
    """Compile the kernels that the player's process compiles in the background; without numba they stay interpreted."""
    compile_all(KERNELS)


def think_by_cpu_time() -> None:
    """Measure the time limits of searches in CPU time, so that a busy machine puts neither side at a disadvantage."""
    PuctSearch.clock = staticmethod(time.process_time)


def play_game(black: Mover, white: Mover, size: int, komi: float, opening: int, *, seed: int) -> Played:
    """Play a game after ``opening`` random plays; after four moves per point it is cut off and scored as it stands."""
    game, rng = Game(size, komi), random.Random(seed)
    for _ in range(opening):
        game.play(rng.choice(game.legal_points()))
    movers = {BLACK: black, WHITE: white}
    hopeless = {BLACK: 0, WHITE: 0}
    while not game.is_over and game.node.number < 4 * size * size:
        mine = game.to_move
        move, lost = movers[mine](Position.of(game))
        hopeless[mine] = hopeless[mine] + 1 if lost else 0
        if hopeless[mine] >= HOPELESS_MOVES and not (move == PASS and game.node.passes_in_row):
            return Played(opponent(mine), "resigned", Position.of(game).actions)
        if move == PASS:
            game.pass_turn()
        else:
            game.play(move)
    actions = Position.of(game).actions
    if game.result is None:
        return Played(game.area().winner, "cut off", actions)
    return Played(game.result.winner, str(game.result), actions)


def evaluated(network: NetworkEvaluator, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
    """Return a network's evaluations of any number of positions, made in batches."""
    return [
        found for start in range(0, len(batch), BATCH) for found in network.evaluate(batch[start : start + BATCH], size)
    ]


def interval(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % interval (Wilson) of a win rate, in per cent."""
    if not games:
        return 0.0, 100.0
    z, share = 1.96, wins / games
    middle = share + z * z / (2 * games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 100 / (1 + z * z / games)
    return (middle - half) * scale, (middle + half) * scale


def row(name: str, wins: int, games: int) -> str:
    """Return a row of a table: the players, wins and games, per cent with interval."""
    low, high = interval(wins, games)
    share = 100 * wins / games if games else 0.0
    return f"{name:44}{wins:4}/{games:<4}{share:6.1f} %  ({low:.0f}–{high:.0f})"


def recorded(folders: Iterable[Path]) -> Iterator[tuple[Path, Game]]:
    """Yield the games of the SGF files in folders, each at the end of its main line, and where they are."""
    for path in sorted(path for folder in folders for path in folder.glob("*.sgf")):
        game = load(path).game
        game.goto([game.node, *game.node.line()][-1])
        yield path, game
