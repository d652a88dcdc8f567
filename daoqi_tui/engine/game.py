"""A game of Daoqi: what the rules let be done at the cursor of its tree of moves.

Undo, redo, replay and variations are moves of the cursor; a move played where the tree has none yet starts a
branch. Whatever is refused raises before anything changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daoqi_tui.engine.board import PASS
from daoqi_tui.engine.chains import Chain
from daoqi_tui.engine.colour import BLACK, WHITE, Colour
from daoqi_tui.engine.cursor import Cursor, lay_out
from daoqi_tui.engine.ending import Ending, OutOfTime, Resignation, Result, TwoPasses, uncounted
from daoqi_tui.engine.handicap import handicap_points
from daoqi_tui.engine.node import Move, Node, Setup, move_of
from daoqi_tui.engine.refusal import GameOver, IllegalMove, Refusal
from daoqi_tui.engine.score import Area, area
from daoqi_tui.engine.torus import LARGEST, SMALLEST, torus_of

STANDARD_SIZE: Final = 16
STANDARD_KOMI: Final = 4


class Game(Cursor):
    """A game on a ``size`` × ``size`` torus.

    Args:
        size: 2 to 25.
        komi: points for White, any finite number; halves and quarters are exact.
        handicap: 0, or 2 to 9 black stones laid out evenly; White then moves first.

    Attributes:
        board: the position at the cursor. Look, but leave playing on it to the game.
        root: the start.
        node: the cursor.
    """

    def __init__(self, size: int = STANDARD_SIZE, komi: float = STANDARD_KOMI, handicap: int = 0) -> None:
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"the size is a whole number from {SMALLEST} to {LARGEST}, not {size!r}")
        if not SMALLEST <= size <= LARGEST:
            raise ValueError(f"size {size} is out of range: {SMALLEST} to {LARGEST}")
        super().__init__(torus_of(size))
        self.komi = _checked_komi(komi)
        self.handicap: Final = handicap
        stones = handicap_points(self.torus, handicap)
        if stones:
            self.setup(black=stones, to_move=WHITE)

    # Looking

    @property
    def to_move(self) -> Colour:
        """The colour to move at the cursor."""
        return self.board.to_move

    @property
    def ending(self) -> Ending | None:
        """How the game ended at the cursor, None while it is on."""
        node = self.node
        if node.ending is not None:
            return node.ending
        return TwoPasses() if node.ends_by_passes else None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended at the cursor."""
        return self.node.is_over

    @property
    def result(self) -> Result | None:
        """Who won at the cursor, None while the game is on."""
        ending = self.ending
        if ending is None:
            return None
        if isinstance(ending, TwoPasses):
            count = self.area(ending.dead)
            return Result(count.winner, abs(count.margin), ending)
        return uncounted(ending)

    def refusal(self, point: int) -> Refusal | None:
        """Why the side to move may not play at ``point``, None when it may."""
        self._check_point(point)
        return GameOver() if self.is_over else self.board.refusal(point)

    def legal_points(self) -> tuple[int, ...]:
        """All points where the side to move may play; none when the game is over."""
        return () if self.is_over else self.torus.points_in(self.board.legal_mask())

    def chain_at(self, point: int) -> Chain | None:
        """The chain on ``point`` with its liberties, None where no stone stands."""
        self._check_point(point)
        return self.board.chain_at(point)

    def area(self, dead: Iterable[int] = ()) -> Area:
        """Tromp–Taylor area of the position at the cursor, the stones on ``dead`` points taken off first.

        Raises:
            ValueError: a point is off the board.
            TypeError: a point is not a whole number.
        """
        dead = tuple(dead)
        for point in dead:
            self._check_point(point)
        return area(self.board, self.komi, dead)

    def moves(self) -> list[Move]:
        """The plays and passes from the start to the cursor."""
        return [node.move for node in self.node.path() if node.move is not None]

    # Playing

    def play(self, point: int) -> Node:
        """Play at ``point``; follows the tree where the move is known, else starts a branch.

        Raises:
            IllegalMove: the rules refuse it; the error's ``refusal`` says why.
            ValueError: the point is off the board.
            TypeError: the point is not a whole number.
        """
        self._check_point(point)
        self._check_on()
        board = self.board
        colour = board.to_move
        captured, lost = board.captured[colour], board.suicided[colour]
        board.play(point)
        node = self._advance(move_of(colour, point))
        node.captured = board.captured[colour] - captured
        node.lost = board.suicided[colour] - lost
        return node

    def pass_turn(self) -> Node:
        """Pass; the second pass in a row ends the game.

        Raises:
            IllegalMove: the game is over.
        """
        self._check_on()
        colour = self.board.to_move
        self.board.pass_turn()
        node = self._advance(move_of(colour, PASS))
        # A pass taken back and made again ends the game again, also where play was once resumed.
        node.resumed = False
        return node

    def setup(
        self,
        *,
        black: Iterable[int] = (),
        white: Iterable[int] = (),
        empty: Iterable[int] = (),
        to_move: Colour | None = None,
    ) -> Node:
        """Lay out stones by hand. The state this makes is a starting state: earlier ones may come again.

        Raises:
            IllegalMove: the game is over.
            ValueError: a point is off the board or named twice, or a chain would have no liberty.
            TypeError: a point or the side to move is not a whole number.
        """
        self._check_on()
        laid_out = [tuple(points) for points in (black, white, empty)]
        named: set[int] = set()
        for point in (point for points in laid_out for point in points):
            self._check_point(point)
            if point in named:
                raise ValueError(f"{self.torus.name(point)} is set up twice; name each point once")
            named.add(point)
        masks = [self.torus.mask(points) for points in laid_out]
        action = Setup(masks[0], masks[1], masks[2], self._checked_player(to_move))
        lay_out(self.board, action)
        return self._advance(action)

    def resign(self, loser: Colour | None = None) -> None:
        """Give up: the side to move, or ``loser``.

        Raises:
            IllegalMove: the game is over.
            ValueError, TypeError: ``loser`` is not a player.
        """
        self._check_on()
        self.node.ending = Resignation(self._checked_player(loser))

    def lose_on_time(self, loser: Colour | None = None) -> None:
        """End the game because the clock of ``loser``, or of the side to move, ran out.

        Raises:
            IllegalMove: the game is over.
            ValueError, TypeError: ``loser`` is not a player.
        """
        self._check_on()
        self.node.ending = OutOfTime(self._checked_player(loser))

    def resume(self) -> None:
        """Play on after the game has ended; two new passes in a row end it again.

        Raises:
            ValueError: the game is not over.
        """
        if not self.is_over:
            raise ValueError("the game is not over, so there is nothing to resume; play on")
        self.node.ending = None
        self.node.resumed = self.node.passes_in_row >= 2

    def agree_dead(self, points: Iterable[int]) -> None:
        """Record which chains both players agree are dead, by any of their points; none takes it back.

        Raises:
            ValueError: the game has not ended with two passes, or no stone stands on a point.
        """
        if not isinstance(self.ending, TwoPasses):
            raise ValueError("dead stones are agreed on after two passes in a row; pass first")
        dead: set[int] = set()
        for point in points:
            chain = self.chain_at(point)
            if chain is None:
                raise ValueError(f"no stone stands on {self.torus.name(point)}; name a point with a stone")
            dead.update(chain.stones)
        self.node.ending = TwoPasses(frozenset(dead)) if dead else None

    # Below the surface

    def _check_on(self) -> None:
        node = self.node
        if (node.ending is not None or node.action is not None) and self.is_over:
            raise IllegalMove(GameOver())

    def _check_point(self, point: int) -> None:
        if point.__class__ is not int:
            raise TypeError(f"a point is a whole number, not {point!r}")
        if not 0 <= point < self.torus.points:
            raise ValueError(f"point {point} is off the board: 0 to {self.torus.points - 1}")

    def _checked_player(self, player: Colour | None) -> Colour:
        """``player``, or the side to move when None."""
        if player is None:
            return self.board.to_move
        if player.__class__ is not int:
            raise TypeError(f"a player is {BLACK} (Black) or {WHITE} (White), not {player!r}")
        if player not in (BLACK, WHITE):
            raise ValueError(f"a player is {BLACK} (Black) or {WHITE} (White), not {player}")
        return player


def _checked_komi(komi: float) -> float:
    if isinstance(komi, bool) or not isinstance(komi, (int, float)):
        raise TypeError(f"komi is a number, not {komi!r}")
    if not -1000 <= komi <= 1000:
        raise ValueError(f"komi {komi} is out of range: -1000 to 1000")
    # None is none, also below zero.
    return komi or 0
