"""The board with an edge, as other programs know it: needed only to talk to them and about their records."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, Torus, opponent, torus_of
from daoqi_tui.record.points import PointError, masks_of, point_of
from daoqi_tui.record.sgf_parse import RawNode


class FlatGrid(Torus):
    """A grid that does not wrap. With it in place of a torus, the engine's board plays flat Go."""

    def _table(self, steps: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
        steps = tuple(steps)
        table = []
        for point in range(self.points):
            row, column = self.position(point)
            reached = [(row + down, column + right) for down, right in steps]
            table.append(
                tuple(self.point(*at) for at in reached if at[0] in range(self.rows) and at[1] in range(self.columns))
            )
        return tuple(table)

    def dilate(self, mask: int) -> int:
        """The mask of all points that are a neighbour of a point in ``mask``; nothing comes round the edge."""
        width = self.columns
        sideways = (mask & ~self._last_column) << 1 | (mask & ~self._first_column) >> 1
        return self.full & (mask << width | mask >> width | sideways)


@lru_cache(maxsize=32)
def flat_of(size: int) -> FlatGrid:
    """The shared grid of a size."""
    return FlatGrid(size)


def play_on(grid: Torus, colours: list[Colour], colour: Colour, point: int) -> None:
    """Play as a program on ``grid`` would, changing ``colours``: only chains beside the stone are looked at.

    Other than on :class:`~daoqi_tui.engine.board.Board`, any stones may stand there, chains without a liberty
    too: those stand on a flat board that shows a torus. Repetition is not looked at.
    """
    if point == PASS:
        return
    colours[point] = colour
    for nearby in grid.neighbours[point]:
        if colours[nearby] == opponent(colour):
            _remove_if_dead(grid, colours, nearby)
    _remove_if_dead(grid, colours, point)


def _remove_if_dead(grid: Torus, colours: list[Colour], start: int) -> None:
    colour = colours[start]
    chain, seen = [start], {start}
    for stone in chain:
        for nearby in grid.neighbours[stone]:
            if not colours[nearby]:
                return
            if colours[nearby] == colour and nearby not in seen:
                seen.add(nearby)
                chain.append(nearby)
    for stone in chain:
        colours[stone] = 0


_MAIN_LINE = 3_000
"""Nodes of a main line looked at to tell a torus from a flat board."""


def legal_only_on_torus(root: RawNode, size: int) -> bool:
    """Whether the main line of a record is legal on a torus but not on a flat board."""
    return _main_line_is_legal(root, Board(torus_of(size))) and not _main_line_is_legal(root, Board(flat_of(size)))


def _main_line_is_legal(root: RawNode, board: Board) -> bool:
    node: RawNode | None = root
    flat = isinstance(board.torus, FlatGrid)
    for _ in range(_MAIN_LINE):
        if node is None:
            break
        properties = node.properties
        try:
            for name, colour in (("B", BLACK), ("W", WHITE)):
                for raw in properties.get(name, ()):
                    _play(board, colour, point_of(raw, board.torus.size))
            if "AB" in properties or "AW" in properties or "AE" in properties:
                _setup(board, properties)
        except PointError:
            pass  # It says nothing about the edge.
        except ValueError:
            return False
        if flat and (board.suicided[BLACK] or board.suicided[WHITE]):
            return False
        node = node.children[0] if node.children else None
    return True


def _play(board: Board, colour: Colour, point: int) -> None:
    if board.to_move != colour:
        board.setup(board.colours.copy(), colour)
    board.make(point)


def _setup(board: Board, properties: dict[str, list[str]]) -> None:
    colours = board.colours.copy()
    for colour, mask in enumerate(masks_of(properties, board.torus.size).masks):
        for point in board.torus.points_in(mask):
            colours[point] = colour
    board.setup(colours, board.to_move)
