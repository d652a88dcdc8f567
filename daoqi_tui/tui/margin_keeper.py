"""The margins along a game, counted once a node."""

from __future__ import annotations

from daoqi_tui.analysis.margin import MarginPoint, area_margin, margins
from daoqi_tui.engine import BLACK, WHITE, Board, Game, Node

UNKNOWN = float("nan")
"""The margin while a colour has no stone on the board: the other would count every point."""


class MarginKeeper:
    """Keeps the count of every node it was asked about; a move more costs one count more."""

    def __init__(self) -> None:
        self._game: Game | None = None
        self._kept: dict[Node, float] = {}
        self.counted = 0
        """How many positions have been counted."""

    def line(self, game: Game, end: Node) -> tuple[MarginPoint, ...]:
        """The margin after each node from the start of ``game`` through ``end`` to the end of its main line."""
        if game is not self._game:
            self._game = game
            self._kept.clear()
        nodes = iter((*end.path(), *end.line()))

        def count(board: Board, komi: float) -> float:
            node = next(nodes)
            if node not in self._kept:
                self.counted += 1
                both = board.stones(BLACK) and board.stones(WHITE)
                self._kept[node] = area_margin(board, komi) if both else UNKNOWN
            return self._kept[node]

        return margins(game, end, count)
