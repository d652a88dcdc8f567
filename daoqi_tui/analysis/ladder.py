"""Ladders (征子): whether atari upon atari captures a chain with one or two liberties.

>>> from daoqi_tui.engine import BLACK, Game
>>> game = Game(size=9)
>>> node = game.setup(white=[40], black=[39, 49, 50], to_move=BLACK)
>>> ladder = read_ladder(game.board, 40)
>>> ladder.result, ladder.plies, ladder.line[:4]
('captured', 33, (31, 41, 42, 32))

On a torus a ladder has no edge to run into: it circles the board and meets its own start. What is read is told in
:mod:`~daoqi_tui.analysis.ladder_search`; the rules, superko over the states faced in the game and in the line
included, are the engine's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from daoqi_tui.analysis.ladder_search import BudgetSpent, LadderSearch, Line
from daoqi_tui.analysis.reading_board import ReadingBoard
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Chain, Colour, Style, Torus, opponent

Verdict: TypeAlias = Literal["captured", "escapes", "undecided"]


@dataclass(frozen=True, slots=True)
class Ladder:
    """The answer for one chain.

    Attributes:
        result: ``captured``, ``escapes``, or ``undecided`` when the node budget was spent.
        target: the chain as it stands.
        to_move: the colour that moves first.
        line: the main line from there, colours taking turns, ``PASS`` for a pass. When the chain is captured the
            line ends with the capture; when it escapes, with its third liberty or where the attacker has no atari.
        nodes: moves tried.
    """

    result: Verdict
    target: Chain
    to_move: Colour
    line: tuple[int, ...]
    nodes: int

    @property
    def plies(self) -> int:
        """Moves in the main line."""
        return len(self.line)

    @property
    def attacker(self) -> Colour:
        """The colour that tries to capture."""
        return opponent(self.target.colour)

    def as_dict(self, torus: Torus, style: Style = "daoqi") -> dict[str, Any]:
        """The answer as plain values, points by name and a pass as ``pass``, for ``--json``."""
        names = ["pass" if point == PASS else torus.name(point, style) for point in self.line]
        return {"result": self.result, "plies": self.plies, "line": names}


@dataclass(frozen=True, slots=True)
class LadderPoints:
    """Where one more stone changes the answer, as if it had stood there since the start.

    Attributes:
        result: the answer without such a stone.
        black: points where a black stone changes it.
        white: points where a white stone changes it.
        undecided: questions the node budget left open, as (colour, point).
    """

    result: Verdict
    black: tuple[int, ...]
    white: tuple[int, ...]
    undecided: tuple[tuple[Colour, int], ...]

    def as_dict(self, torus: Torus, style: Style = "daoqi") -> dict[str, Any]:
        """``{"breakers": {"black": […], "white": […]}, "makers": …}`` by name; one of the two is empty."""
        found = {
            "black": [torus.name(point, style) for point in self.black],
            "white": [torus.name(point, style) for point in self.white],
        }
        none: dict[str, list[str]] = {"black": [], "white": []}
        captured = self.result == "captured"
        return {"breakers": found if captured else none, "makers": none if captured else found}


def read_ladder(
    board: Board,
    point: int,
    to_move: Colour | None = None,
    nodes: int | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Ladder:
    """Read the chain on ``point``; ``board`` stays as it is.

    Args:
        board: the position, with the states faced in its game.
        point: any stone of the chain.
        to_move: the colour to move first, by default whose turn it is. If it is not, the other side passes first.
        nodes: how many moves to try before giving up as ``undecided``; None reads to the end.
        stopped: asked every millisecond or so whether to give up in the same way.

    Raises:
        ValueError: no stone stands on ``point``, it is off the board, or ``nodes`` is negative.
    """
    target = _chain(board, point)
    if nodes is not None and nodes < 0:
        raise ValueError(f"the node budget is 0 or more, not {nodes}")
    return _read(ReadingBoard(board, to_move), target, point, nodes, stopped)


def ladder_points(board: Board, point: int, to_move: Colour | None = None, nodes: int | None = None) -> LadderPoints:
    """Find every point where one more stone of either colour changes the answer: breakers and makers.

    A stone that would leave some chain without a liberty cannot be added, so it changes nothing. ``nodes`` is the
    budget of each single question; the other arguments and the errors are those of :func:`read_ladder`.
    """
    start = read_ladder(board, point, to_move, nodes)
    found: dict[Colour, list[int]] = {BLACK: [], WHITE: []}
    undecided: list[tuple[Colour, int]] = []
    for extra in board.torus.points_in(board.empty):
        for colour in (BLACK, WHITE):
            trial = ReadingBoard(board, to_move)
            try:
                trial.lay(extra, colour)
            except ValueError:
                continue
            result = _read(trial, start.target, point, nodes).result
            if "undecided" in (result, start.result):
                undecided.append((colour, extra))
            elif result != start.result:
                found[colour].append(extra)
    return LadderPoints(start.result, tuple(found[BLACK]), tuple(found[WHITE]), tuple(undecided))


def threatened_chains(board: Board, nodes: int | None = None) -> tuple[Ladder, ...]:
    """The chains of both colours that a ladder captures if the other side moves now, each with its reading."""
    ladders = []
    reading = ReadingBoard(board)
    for colour in (BLACK, WHITE):
        for point in reading.chains_of(colour):
            if reading.liberties_of(point).bit_count() <= 2:
                ladder = read_ladder(board, point, opponent(colour), nodes)
                if ladder.result == "captured":
                    ladders.append(ladder)
    return tuple(ladders)


def _chain(board: Board, point: int) -> Chain:
    if not 0 <= point < board.torus.points:
        raise ValueError(f"point {point} is off the board: 0 to {board.torus.points - 1}")
    chain = board.chain_at(point)
    if chain is None:
        raise ValueError(f"no stone stands on {board.torus.name(point)}; name a point of the chain to read")
    return chain


def _read(
    board: ReadingBoard, target: Chain, point: int, nodes: int | None, stopped: Callable[[], bool] | None = None
) -> Ladder:
    to_move = board.to_move
    search = LadderSearch(board, point, nodes, stopped)
    try:
        captured, line = search.solve()
    except BudgetSpent:
        return Ladder("undecided", target, to_move, (), search.nodes)
    return Ladder("captured" if captured else "escapes", target, to_move, tuple(_moves(line)), search.nodes)


def _moves(line: Line | None) -> Iterator[int]:
    while line is not None:
        _, move, line = line
        yield move
