"""Self-play of one game on the engine's board in plain Python, the reference for games in batches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network.features import mask_to_array
from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.ai.search import HISTORY, Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.ai.search.node import PuctNode
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Torus, area
from daoqi_tui.lab.training.positions import Positions

SLACK = 2.0


class OneGame:
    """A game played to a settled end, after its exploratory moves."""

    def __init__(self, size: int, komi: float) -> None:
        self.board = Board(Torus(size))
        self.komi = komi
        self.moves: list[int] = []
        self.passes = 0
        self._first_balance: int | None = None

    def encode(self, network: NetworkEvaluator) -> Inputs:
        return network.encode(self.board, self.komi, self.moves[-HISTORY:], self.passes)

    def make(self, move: int) -> None:
        self.board.make(move)
        self.passes = self.passes + 1 if move == PASS else 0
        self.moves.append(move)

    def without_early_pass(self, policy: Floats, lead: float) -> Floats:
        margin = area(self.board, self.komi).margin
        settled = (margin if self.board.to_move == BLACK else -margin) >= lead - SLACK
        if not likes_pass(policy) or settled:
            return policy
        torus = self.board.torus
        free = mask_to_array(torus.dilate(torus.full & ~self.board.stones(self.board.to_move)), torus.points)
        plays = policy[:-1] * free
        total = float(plays.sum())
        return np.append(plays / np.float32(total), np.float32(0.0)) if total > 0.0 else policy

    def note_pass(self, policy: Floats) -> None:
        """Remember the balance of passes when a pass is the most likely move for the first time."""
        if self._first_balance is None and likes_pass(policy):
            self._first_balance = self._balance()

    def _balance(self) -> int:
        return self.board.passes[WHITE] - self.board.passes[BLACK]

    def margin(self) -> float:
        """Return the final margin, without the passes made since a pass was first the most likely move."""
        margin = area(self.board, self.komi).margin
        return margin if self._first_balance is None else margin - self._balance() + self._first_balance


def likes_pass(policy: Floats) -> bool:
    return int(policy.argmax()) == len(policy) - 1


def legal_policy(policy: Floats, board: Board) -> Floats:
    """Return a policy masked to the legal moves; the sum is 1."""
    legal = policy.copy()
    legal[:-1] *= mask_to_array(board.legal_mask(), board.torus.points)
    total = float(legal.sum())
    if total <= 0.0:
        legal[-1] = total = 1.0
    return np.asarray(legal / np.float32(total), np.float32)


def positions_of(batch: Sequence[Inputs], targets: Sequence[Evaluation], size: int) -> Positions:
    """Return training positions from inputs and targets of single positions."""
    planes = np.stack([inputs.planes for inputs in batch]).astype(np.bool_)
    return Positions(
        np.packbits(planes.reshape(len(batch), -1), axis=1),
        np.stack([inputs.whole for inputs in batch]),
        np.stack([target.policy for target in targets]).astype(np.float16),
        np.array([(target.win, target.lead, target.spread) for target in targets], np.float32),
        np.rint(np.stack([target.owner for target in targets]) * 127).astype(np.int8),
        np.array(size),
    )


class GumbelRoot:
    """Gumbel search at one root, without noise."""

    def __init__(self, root: PuctNode, visits: int, considered: int) -> None:
        self._root = root
        self._visits = visits
        self._logits = np.log(np.maximum(root.policy.astype(np.float64), 1e-12))
        count = min(considered, len(root.moves), visits)
        self._left = [int(index) for index in np.argsort(-self._logits)[: max(count, 1)]]

    def indices(self) -> Iterator[int]:
        """Yield the indices of the moves to evaluate, one after another."""
        spent = 0
        rounds = max(1, math.ceil(math.log2(len(self._left))))
        while spent < self._visits:
            left = len(self._left)
            for turn in range(min(max(1, self._visits // (rounds * left)) * left, self._visits - spent)):
                yield self._left[turn % left]
                spent += 1
            ranks = self._logits + self._values()
            if spent < self._visits:
                self._left.sort(key=lambda index: -ranks[index])
                del self._left[math.ceil(left / 2) :]

    def best(self) -> int:
        ranks, visits = self._logits + self._values(), self._root.visits
        return max(self._left, key=lambda index: (visits[index], ranks[index]))

    def policy(self) -> Floats:
        better = self._logits + self._values()
        risen = np.exp(better - better.max())
        return np.asarray(risen / risen.sum(), np.float32)

    def _values(self) -> NDArray[np.float64]:
        """Return the completed Q values on the scale of the logits."""
        root = self._root
        visits, policy = root.visits.astype(np.float64), root.policy.astype(np.float64)
        tried = visits > 0
        q_values = root.value_sum / np.where(tried, visits, 1.0)
        known = float(policy[tried].sum())
        mixed = root.value
        if known > 0:
            mean = float((policy * q_values)[tried].sum()) / known
            mixed = (root.value + visits.sum() * mean) / (1 + visits.sum())
        return (50.0 + visits.max()) * 0.3 * np.where(tried, q_values, mixed)
