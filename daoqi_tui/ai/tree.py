"""The tree a search grows: for each node its moves with what has been seen of them, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.evaluator import Outcome, Prior
from daoqi_tui.engine import Colour


@dataclass(frozen=True, slots=True)
class Formula:
    """How a node weighs what it knows of a move.

    Attributes:
        rave: about how many games of a move count as much as what the playouts did with it (all moves as first,
            Gelly and Silver 2007); 0 for plain UCT.
        exploration: the weight of the term that grows for moves seldom tried (UCB1); with RAVE, 0 is usual.
    """

    rave: float = 1500.0
    exploration: float = 0.0


class Node:
    """A position in the tree, opened: its moves, and how they fared. Wins are those of the side to move.

    Attributes:
        moves: plays and, last, PASS.
        children: the nodes that moves lead to, by their place in ``moves``, as far as they were opened.
        visits, wins: one entry a move.
        rave_visits, rave_wins: of playouts through this node in which the side to move played there first.
        ending: the count where the game has ended here, else None.
    """

    __slots__ = (
        "children",
        "ending",
        "moves",
        "prior_games",
        "prior_wins",
        "rave_visits",
        "rave_wins",
        "to_move",
        "total",
        "visits",
        "wins",
    )

    def __init__(
        self, to_move: Colour, moves: Sequence[int], prior: Prior | None, ending: Outcome | None = None
    ) -> None:
        count = len(moves)
        self.to_move: Final = to_move
        self.moves: Final[NDArray[np.intp]] = np.array(moves, dtype=np.intp)
        self.children: dict[int, Self] = {}
        self.ending: Final = ending
        self.total = 0
        self.visits = np.zeros(count, dtype=np.float32)
        self.wins = np.zeros(count, dtype=np.float32)
        self.prior_games = prior.games if prior else self.visits
        self.prior_wins = prior.wins if prior else self.wins
        self.rave_visits = self.prior_games.copy()
        self.rave_wins = self.prior_wins.copy()

    def place(self, move: int) -> int | None:
        """Where in ``moves`` a move is, None where it is not among them."""
        places = np.flatnonzero(self.moves == move)
        return int(places[0]) if len(places) else None

    def select(self, formula: Formula) -> int:
        """The place in ``moves`` of the one to look at next."""
        games = self.visits + self.prior_games
        worth = (self.wins + self.prior_wins) / games
        if formula.rave:
            seen = self.rave_visits
            beta = seen / (seen + games + seen * games * (1.0 / formula.rave))
            worth += beta * (self.rave_wins / seen - worth)
        if formula.exploration:
            worth += np.sqrt(np.log(self.total + 2.0) / games) * formula.exploration
        return int(worth.argmax())

    def learn(self, place: int, win: float) -> None:
        """Count one evaluation below the move at ``place``, worth ``win`` to the side to move."""
        self.total += 1
        self.visits[place] += 1.0
        self.wins[place] += win

    def learn_firsts(self, first: NDArray[np.int8], win: float) -> None:
        """Count a playout for all moves that the side to move was the first to play at."""
        played = first[self.moves] == self.to_move
        self.rave_visits += played
        if win:
            self.rave_wins += played * np.float32(win)

    def best(self) -> list[int]:
        """The places in ``moves``, those most visited first, and of those equally often visited the likelier."""
        worth = (self.wins + self.prior_wins) / (self.visits + self.prior_games)
        order = np.lexsort((-worth, -self.visits))
        return [int(place) for place in order]

    def rate(self, place: int) -> float:
        """The share of games won after the move at ``place``, of those played; of those imagined where none was."""
        games, wins = self.visits[place], self.wins[place]
        if games:
            return float(wins / games)
        return float(self.prior_wins[place] / self.prior_games[place])

    def line(self, place: int, longest: int = 12) -> list[int]:
        """The moves expected from the move at ``place`` on: the most visited each time."""
        moves = [int(self.moves[place])]
        node = self.children.get(place)
        while node is not None and node.total and len(moves) < longest:
            place = int(node.visits.argmax())
            moves.append(int(node.moves[place]))
            node = node.children.get(place)
        return moves
