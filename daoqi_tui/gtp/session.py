"""The game a controller leads: one line of play, in which either colour may move at any time, also after the end."""

from __future__ import annotations

from dataclasses import dataclass, replace

from daoqi_tui.ai.protocol import RESUME, Layout, Position
from daoqi_tui.engine import PASS, Colour, Ending, Game, IllegalMove, Node, Refusal
from daoqi_tui.record import Info


@dataclass(frozen=True, slots=True)
class _Step:
    """Where taking a move back leads: a node and what was declared there before the move resumed play."""

    node: Node
    ending: Ending | None
    resumed: bool


class Session:
    """A game under a controller.

    Attributes:
        game: the game; its tree is one line, which ends at the cursor.
        info: what the record it was loaded from says about it.

    The rules know no move out of turn. Where a controller makes one, the turn is set by hand before it: as with
    every setup the position is then a starting state, from which repetition is counted anew.
    """

    def __init__(self, size: int, komi: float) -> None:
        self.game = Game(size, komi)
        self.info = Info()
        self._steps: list[_Step] = []

    @property
    def is_empty(self) -> bool:
        """Whether the board is empty."""
        return self.game.board.empty == self.game.torus.full

    def new_game(self, size: int | None = None, handicap: int = 0) -> None:
        """Begin anew, with the same size unless another is given, and the same komi.

        Raises:
            ValueError: the size or the handicap is out of range.
        """
        game = self.game
        self.game = Game(game.torus.size if size is None else size, game.komi, handicap)
        self.info = Info(handicap=handicap)
        self._steps.clear()

    def load(self, game: Game, info: Info) -> None:
        """Take over a game up to its cursor, as if its moves had been played here."""
        path = game.node.path()
        for node in path:
            for child in node.children:
                if child not in path:
                    game.delete(child)
        for child in game.node.children:
            game.delete(child)
        self.game = game
        # The result was that of the whole game.
        self.info = replace(info, result="")
        self._steps = [
            _Step(node.parent, node.parent.ending, node.parent.resumed)
            for node in path
            if node.move is not None and node.parent is not None
        ]

    def play(self, colour: Colour, point: int) -> None:
        """Play at a point, or pass.

        Raises:
            IllegalMove: the rules refuse it; nothing changes.
        """
        step = self._turn_to(colour)
        try:
            if point == PASS:
                self.game.pass_turn()
            else:
                self.game.play(point)
        except IllegalMove:
            self._return_to(step)
            raise
        self._steps.append(step)

    def undo(self, moves: int = 1) -> None:
        """Take back so many moves, for good.

        Raises:
            ValueError: there are not so many; nothing changes.
        """
        if moves > len(self._steps):
            raise ValueError(f"there are {len(self._steps)} moves to take back")
        for _ in range(moves):
            self._return_to(self._steps.pop())

    def refusal(self, colour: Colour, point: int) -> Refusal | None:
        """Why a colour may not play at a point now, None where it may."""
        step = self._turn_to(colour)
        refusal = self.game.refusal(point)
        self._return_to(step)
        return refusal

    def legal_points(self, colour: Colour) -> tuple[int, ...]:
        """All points where a colour may play now."""
        step = self._turn_to(colour)
        points = self.game.legal_points()
        self._return_to(step)
        return points

    def position(self, colour: Colour) -> Position:
        """The position with ``colour`` to move, for a player to think about."""
        position = Position.of(self.game)
        more = (RESUME,) if self.game.is_over else ()
        turn = () if self.game.to_move == colour else (Layout((), (), (), colour),)
        return replace(position, actions=position.actions + more + turn)

    def _turn_to(self, colour: Colour) -> _Step:
        """Make it the turn of ``colour`` in a game that is on; returns the way back."""
        game = self.game
        step = _Step(game.node, game.node.ending, game.node.resumed)
        if game.is_over:
            game.resume()
        if game.to_move != colour:
            game.setup(to_move=colour)
        return step

    def _return_to(self, step: _Step) -> None:
        self.game.goto(step.node)
        for child in step.node.children:
            self.game.delete(child)
        step.node.ending, step.node.resumed = step.ending, step.resumed
