"""What a face shows of a match: one immutable value for each change, pushed to everything that shows something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto

from daoqi_tui.engine import BLACK, WHITE, Colour, Ending, Move, Node, Result, Rules, Style, Torus
from daoqi_tui.engine.clock import Clock
from daoqi_tui.play.evaluation import Evaluations, JudgedMove, judged_moves
from daoqi_tui.play.match import Match


class Changed(Flag):
    """What differs from the previous view."""

    POSITION = auto()
    """Another node is current, or the game has ended or been resumed."""
    TREE = auto()
    """Nodes were added to the tree, removed or reordered, or the text of moves has changed."""
    NOTES = auto()
    """The comment or the marks of a node, or the names in the record."""
    EVALUATION = auto()
    """What is known of the values of positions."""
    STATE = auto()
    """The players, the clocks, saving or the connection."""


@dataclass(frozen=True, slots=True)
class View:
    """The shown position of a game, with what belongs to it.

    Attributes:
        changed: what differs from the previous view.
        torus: the board.
        rules: the rules of the game.
        names: how points are named.
        root: the root of the game tree.
        node: the current node.
        end: the last node of the line of play through ``node``.
        stones: the colour of each point, as in :attr:`.Board.colours`.
        to_move: the side to move.
        ending: how the game ended at ``node``, None while it is on.
        result: the result, None while the game is on.
        captured: the stones captured by Black and by White.
        suicided: the stones lost by suicide by Black and by White.
        passes: the passes of Black and of White.
        players: the names of Black and of White, empty if none was given.
        clock: the clock, None without one. It runs on: its times are those of the moment they are read.
        tree: counts the changes of the tree, so that a view of it knows when to lay it out again.
        evaluations: of the positions of the game.
        judged: the moves of the line with known losses.
    """

    changed: Changed
    torus: Torus
    rules: Rules
    names: Style
    root: Node
    node: Node
    end: Node
    stones: bytes
    to_move: Colour
    ending: Ending | None
    result: Result | None
    captured: tuple[int, int]
    suicided: tuple[int, int]
    passes: tuple[int, int]
    players: tuple[str, str]
    clock: Clock | None
    tree: int
    evaluations: Evaluations
    judged: Sequence[JudgedMove]

    @property
    def is_over(self) -> bool:
        """True if the game has ended at the current node."""
        return self.ending is not None

    @property
    def last_point(self) -> int | None:
        """The point of the last move, None after a pass or at the start."""
        move = self.node.move
        return None if move is None or move.is_pass else move.point


class Viewer:
    """Makes the views of a match."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._tree = 0
        self._last: View | None = None
        self._judged: tuple[tuple[Node, int, int], Sequence[JudgedMove]] | None = None

    def view(self, names: Style, changed: Changed) -> View:
        """Return the view of the current position, whose points are named in a style."""
        if Changed.TREE in changed:
            self._tree += 1
        match, session = self._match, self._match.session
        game = session.game
        board, end = game.board, match.variations.last_node()
        players = session.player(BLACK), session.player(WHITE)
        last = self._last
        if last is not None and last.node is game.node and not changed & (Changed.POSITION | Changed.TREE):
            # Counting the passes and the result takes time in proportion to the game.
            self._last = replace(last, changed=changed, end=end, players=players, judged=self._judge(end))
            return self._last
        ending = game.ending
        passed = [
            node.action.colour for node in game.node.path() if isinstance(node.action, Move) and node.action.is_pass
        ]
        self._last = View(
            changed,
            game.torus,
            board.rules,
            names,
            game.root,
            game.node,
            end,
            bytes(board.colours),
            board.to_move,
            ending,
            None if ending is None else game.result,
            (board.captured[BLACK], board.captured[WHITE]),
            (board.suicided[BLACK], board.suicided[WHITE]),
            (passed.count(BLACK), passed.count(WHITE)),
            players,
            session.clock,
            self._tree,
            match.evaluations,
            self._judge(end),
        )
        return self._last

    def _judge(self, end: Node) -> Sequence[JudgedMove]:
        """Return the moves of a line with known losses; the same sequence until something changes."""
        known = end, self._match.evaluations.version, self._tree
        if self._judged is None or self._judged[0] != known:
            self._judged = known, judged_moves(end.path(), self._match.evaluations)
        return self._judged[1]
