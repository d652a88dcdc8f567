"""A game: a tree of moves, a cursor in it, and the board at the cursor.

Undo, redo, replay and variations move the cursor; a move that is not in the tree yet starts a branch. Illegal actions
raise before anything changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daoqi_tui.engine.board import PASS, Board, Chain
from daoqi_tui.engine.result import (
    Area,
    Ending,
    OutOfTime,
    Resignation,
    Result,
    TwoPasses,
    area,
    points_text,
    uncounted,
)
from daoqi_tui.engine.rules import BLACK, DAOQI, WHITE, Colour, GameOver, IllegalMove, Refusal, Rules, name_of
from daoqi_tui.engine.torus import LARGEST, SMALLEST, Torus, off_board, torus_of
from daoqi_tui.engine.tree import Action, Move, Node, Setup, make, move_of
from daoqi_tui.message import Message

_MAX_HANDICAP: Final = 9
LARGEST_KOMI: Final = 1000
"""The limit of komi for either side; user interfaces allow far less."""


def most_handicap(torus: Torus) -> int:
    """Return the most handicap stones that a board takes: one for every four points, at most 9; less than 2 is none."""
    return min(_MAX_HANDICAP, torus.points // 4)


def handicap_points(torus: Torus, stones: int) -> tuple[int, ...]:
    """Return the points of 0 or 2 to 9 handicap stones, spread as evenly as the torus allows.

    The first is in the middle of the unshifted board and each further one is farthest from those before it (squared
    distance; the first such point from the top left), so that the layout for n + 1 extends that for n.

    Raises:
        TypeError: ``stones`` is not a whole number.
        ValueError: it is out of range for the board.
    """
    if isinstance(stones, bool) or not isinstance(stones, int):
        raise TypeError(f"the handicap is a whole number, not {stones!r}")
    most = most_handicap(torus)
    if stones and not 2 <= stones <= most:
        allowed = Message("0, or 2 to {most}", most=most) if most >= 2 else Message("0 on a board this small")
        raise ValueError(Message("handicap {stones} is out of range: {allowed}", stones=stones, allowed=allowed))
    points: list[int] = []
    while len(points) < stones:
        if not points:
            points.append(torus.point(torus.rows // 2, torus.columns // 2))
            continue
        points.append(max(range(torus.points), key=lambda point: min(_apart(torus, point, p) for p in points)))
    return tuple(points)


def _apart(torus: Torus, start: int, end: int) -> int:
    down, right = torus.offset(start, end)
    return down * down + right * right


STANDARD_SIZE: Final = 16
STANDARD_KOMI: Final = DAOQI.komi


class Game:
    """A game on a ``size`` × ``size`` torus.

    Args:
        size: 2 to 25.
        komi: points for White, any finite number; halves and quarters are exact. None takes that of the rules.
        handicap: 0, or 2 to 9 black stones laid out evenly; White then moves first.
        rules: what is legal, what a pass costs, and who wins a tie.

    Attributes:
        torus: the points of the board.
        board: the position at the cursor. Read it, but play through the game.
        root: the start.
        node: the cursor.
        handicap: the number of handicap stones.
    """

    def __init__(
        self, size: int = STANDARD_SIZE, komi: float | None = None, handicap: int = 0, rules: Rules = DAOQI
    ) -> None:
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"the size is a whole number from {SMALLEST} to {LARGEST}, not {size!r}")
        if not SMALLEST <= size <= LARGEST:
            raise ValueError(
                Message("size {size} is out of range: {least} to {most}", size=size, least=SMALLEST, most=LARGEST)
            )
        self.torus: Final = torus_of(size)
        self.board = Board(self.torus, rules)
        self.root: Final = Node(None, None, 0)
        self.node = self.root
        self.komi = rules.komi if komi is None else komi
        self.handicap: Final = handicap
        stones = handicap_points(self.torus, handicap)
        if stones:
            self.setup(black=stones, to_move=WHITE)

    def __repr__(self) -> str:
        words = [f"komi {points_text(self.komi)}"]
        if self.handicap:
            words.append(f"handicap {self.handicap}")
        if self.rules != DAOQI:
            words.append(f"rules {self.rules}")
        result = self.result
        state = f"{name_of(self.to_move)} to move" if result is None else f"result {result}"
        return f"<Game {self.torus.size}×{self.torus.size}, {', '.join(words)}: move {self.node.number}, {state}>"

    # Reading the position

    @property
    def rules(self) -> Rules:
        return self.board.rules

    @property
    def komi(self) -> float:
        """Return the points for White in this game; it may be set.

        Raises:
            ValueError: it is set out of range.
            TypeError: it is set to something that is not a number.
        """
        return self._komi

    @komi.setter
    def komi(self, komi: float) -> None:
        self._komi = _checked_komi(komi)

    @property
    def to_move(self) -> Colour:
        return self.board.to_move

    @property
    def ending(self) -> Ending | None:
        """Return how the game ended at the cursor, None while it is on."""
        node = self.node
        if node.ending is not None:
            return node.ending
        return TwoPasses() if node.ends_by_passes else None

    @property
    def dead(self) -> frozenset[int]:
        """Return the points of the stones that both players agreed are dead; empty where two passes are not the end."""
        ending = self.ending
        return ending.dead if isinstance(ending, TwoPasses) else frozenset()

    @property
    def is_over(self) -> bool:
        return self.node.is_over

    @property
    def result(self) -> Result | None:
        """Return who won at the cursor, None while the game is on."""
        ending = self.ending
        if ending is None:
            return None
        if isinstance(ending, TwoPasses):
            return self.area(ending.dead).result(ending)
        return uncounted(ending)

    def refusal(self, point: int) -> Refusal | None:
        """Return why the side to move may not play at ``point``, None when it may."""
        self._check_point(point)
        return GameOver() if self.is_over else self.board.no_liberties() or self.board.refusal(point)

    def legal_points(self) -> tuple[int, ...]:
        """Return all points where the side to move may play; none after the end, or where a chain has no liberties."""
        return () if self.is_over or self.board.no_liberties() else self.torus.points_in(self.board.legal_mask())

    def chain_at(self, point: int) -> Chain | None:
        """Return the chain on ``point`` with its liberties, None if no stone stands."""
        self._check_point(point)
        return self.board.chain_at(point)

    def area(self, dead: Iterable[int] = ()) -> Area:
        """Score the position at the cursor by area, after removing the stones on ``dead`` points.

        Raises:
            ValueError: a point is off the board.
            TypeError: a point is not a whole number.
        """
        dead = tuple(dead)
        for point in dead:
            self._check_point(point)
        return area(self.board, self.komi, dead)

    def moves(self) -> list[Move]:
        """Return the plays and passes from the start to the cursor."""
        return [node.move for node in self.node.path() if node.move is not None]

    def passes(self, colour: Colour) -> int:
        """Return how often a player has passed, from the start to the cursor."""
        return self.node.passes[colour == WHITE]

    # Playing

    def play(self, point: int) -> Node:
        """Play at ``point``: follow the tree where the move is known, else start a branch.

        What the tree records of a known move stays, so a resignation after it ends the game again.

        Raises:
            IllegalMove: the rules refuse it; the error's ``refusal`` says why.
            ValueError: the point is off the board.
            TypeError: the point is not a whole number.
        """
        self._check_point(point)
        self._check_on(play=True)
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
            IllegalMove: the game is over, or a chain has no liberties.
        """
        self._check_on(play=True)
        colour = self.board.to_move
        self.board.pass_turn()
        node = self._advance(move_of(colour, PASS))
        # A pass that is undone and repeated ends the game again, even if play was once resumed here.
        node.resumed = False
        return node

    def make(self, move: int) -> Node:
        """Play at the point ``move``, or pass where it is :data:`PASS`; raises as these do."""
        return self.pass_turn() if move == PASS else self.play(move)

    def setup(
        self,
        *,
        black: Iterable[int] = (),
        white: Iterable[int] = (),
        empty: Iterable[int] = (),
        to_move: Colour | None = None,
    ) -> Node:
        """Set up stones by hand. The superko history restarts from this position.

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
                raise ValueError(Message("{point} is set up twice; name each point once", point=self.torus.name(point)))
            named.add(point)
        masks = [self.torus.mask(points) for points in laid_out]
        side = self._checked_player(to_move)
        self.board.lay_out(masks[0], masks[1], masks[2], side)
        return self._advance(Setup(masks[0], masks[1], masks[2], side))

    def resign(self, loser: Colour | None = None) -> None:
        """Resign for the side to move, or for ``loser``.

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
        """Resume the game after it has ended; two new passes in a row end it again.

        Raises:
            ValueError: the game is not over.
        """
        if not self.is_over:
            raise ValueError(Message("the game is not over, so there is nothing to resume; play on"))
        self.node.ending = None
        self.node.resumed = self.node.passes_in_row >= 2

    def agree_dead(self, points: Iterable[int]) -> None:
        """Record which chains both players agree are dead, given by any of their points; no points undo the agreement.

        Raises:
            ValueError: the game has not ended with two passes, a point is off the board, or no stone stands on it.
            TypeError: a point is not a whole number.
        """
        if not isinstance(self.ending, TwoPasses):
            raise ValueError(Message("dead stones are agreed on after two passes in a row; pass first"))
        dead: set[int] = set()
        for point in points:
            chain = self.chain_at(point)
            if chain is None:
                raise ValueError(
                    Message("there is no stone at {point}; name a point with a stone", point=self.torus.name(point))
                )
            dead.update(chain.stones)
        self.node.ending = TwoPasses(frozenset(dead)) if dead else None

    # Moving the cursor and changing the tree

    def undo(self) -> Node:
        """Undo the last action; the tree keeps it.

        Raises:
            ValueError: this is the start.
        """
        if self.node.parent is None:
            raise ValueError(Message("this is the start; there is nothing to undo"))
        self.board.undo()
        self.node = self.node.parent
        return self.node

    def redo(self, variation: int = 0) -> Node:
        """Redo: move the cursor to a child, the main continuation by default.

        Raises:
            ValueError: nothing was played from here.
            TypeError: ``variation`` is not a whole number.
        """
        if variation.__class__ is not int:
            raise TypeError(f"a variation is a whole number, not {variation!r}")
        if not 0 <= variation < len(self.node.children):
            raise ValueError(Message("there are no moves after this one; there is nothing to redo"))
        node = self.node.children[variation]
        self._enter(node)
        return node

    def goto(self, node: Node) -> None:
        """Move the cursor to any node of the tree; takes time proportional to the distance.

        Raises:
            ValueError: the node is not in the tree: it belongs to another game, or was deleted.
            TypeError: it is not a node.
        """
        meeting, forward = self._way_to(node)
        while self.node is not meeting:
            self.undo()
        for step in forward:
            self._enter(step)

    def promote(self, node: Node) -> None:
        """Make the line through ``node`` the main line all the way from the root.

        Raises:
            ValueError: the node is not in the tree.
            TypeError: it is not a node.
        """
        self._way_to(node)
        for child in node.path()[1:]:
            parent = child.parent
            assert parent is not None
            parent.children = (child, *(other for other in parent.children if other is not child))

    def delete(self, node: Node) -> None:
        """Remove ``node`` and its descendants from the tree; the cursor moves out of them to the parent.

        Raises:
            ValueError: the node is the root, or not in the tree.
            TypeError: it is not a node.
        """
        meeting, _ = self._way_to(node)
        parent = node.parent
        if parent is None:
            raise ValueError(Message("the start cannot be deleted"))
        if meeting is node:
            self.goto(parent)
        parent.children = tuple(child for child in parent.children if child is not node)
        node.deleted = True

    def change_rules(self, rules: Rules) -> None:
        """Change the rules of the whole game, with a new board: what they have against each move is found anew.

        Komi stays as it is.
        """
        here, waiting = self.node, [self.root]
        self.board, self.node = Board(self.torus, rules), self.root
        while waiting:
            node = waiting.pop()
            if node.parent is not None:
                self.goto(node.parent)
            node.against = make(self.board, node.action)
            self.node = node
            waiting.extend(reversed(node.children))
        self.goto(here)

    def prune(self) -> None:
        """Remove everything but the line from the start to the cursor; faster than deleting nodes one by one."""
        kept: Node | None = None
        for node in reversed(self.node.path()):
            for child in node.children:
                child.deleted = child is not kept
            node.children = () if kept is None else (kept,)
            kept = node

    def board_at(self, node: Node) -> Board:
        """Return a separate board with the position at any node; the cursor stays where it is.

        Raises:
            ValueError, TypeError: as for :meth:`goto`.
        """
        board = Board(self.torus, self.rules)
        self._way_to(node)
        for step in node.path():
            make(board, step.action)
        return board

    def record(self, action: Action) -> Node:
        """Add a recorded action as another child of the cursor, and move there.

        The rules bind play, not the replay of a record: :attr:`Node.against` says what they have against the action.

        Raises:
            ValueError: a setup leaves no player to move, a play or a setup is off the board, or it is not the turn of
                the move's colour. Nothing changes.
            TypeError: the point of a play is not a whole number. Nothing changes.
        """
        board, here = self.board, self.node
        colour = board.to_move
        if isinstance(action, Move):
            if action.point != PASS:
                self._check_point(action.point)
            if action.colour != colour:
                raise ValueError(f"it is the turn of {name_of(colour)}; {action} cannot be recorded without a setup")
        elif action.points & ~self.torus.full or action.to_move not in (BLACK, WHITE):
            raise ValueError(f"{action} names points off the board, or no player to move")
        captured, lost = board.captured[colour], board.suicided[colour]
        against = make(board, action)
        node = Node(here, action, board.move_number)
        node.captured, node.lost = board.captured[colour] - captured, board.suicided[colour] - lost
        node.against = against
        here.children = (*here.children, node)
        self.node = node
        return node

    # Internals

    def _advance(self, action: Action) -> Node:
        """Move the cursor to the child that ``action``, already made on the board, leads to.

        If there are several such children, as after play was resumed next to a finished line, it is the first
        unfinished one.
        """
        here = self.node
        known = [child for child in here.children if child.action == action]
        if known:
            self.node = next((child for child in known if child.ending is None), known[0])
            return self.node
        node = Node(here, action, here.number + isinstance(action, Move))
        here.children = (*here.children, node)
        self.node = node
        return node

    def _enter(self, node: Node) -> None:
        make(self.board, node.action)
        self.node = node

    def _way_to(self, node: Node) -> tuple[Node, list[Node]]:
        """Return the node where the paths to the cursor and to ``node`` diverge, and the nodes from there to ``node``.

        Raises:
            ValueError: the node is not in the tree.
            TypeError: it is not a node.
        """
        if not isinstance(node, Node):
            raise TypeError(f"a node of the game is wanted, not {node!r}")
        here: Node | None = self.node
        there: Node | None = node
        forward: list[Node] = []
        while here is not there:
            if there is not None and (here is None or there.depth >= here.depth):
                if there.deleted:
                    break
                forward.append(there)
                there = there.parent
            elif here is not None:
                here = here.parent
        if here is None or here is not there:
            raise ValueError("that node is not in this game's tree; take one that walk() yields")
        forward.reverse()
        return here, forward

    def _check_on(self, *, play: bool = False) -> None:
        if self.node.is_over:
            raise IllegalMove(GameOver())
        if play and self.board.stifled and (refusal := self.board.no_liberties()):
            raise IllegalMove(refusal)

    def _check_point(self, point: int) -> None:
        if point.__class__ is not int:
            raise TypeError(f"a point is a whole number, not {point!r}")
        if not 0 <= point < self.torus.points:
            raise ValueError(off_board(point, self.torus.points))

    def _checked_player(self, player: Colour | None) -> Colour:
        if player is None:
            return self.board.to_move
        if player.__class__ is not int:
            raise TypeError(f"a player is {BLACK} (Black) or {WHITE} (White), not {player!r}")
        if player not in (BLACK, WHITE):
            raise ValueError(f"a player is {BLACK} (Black) or {WHITE} (White), not {player}")
        return player


def _checked_komi(komi: float) -> float:
    if isinstance(komi, bool) or not isinstance(komi, (int, float)):
        raise TypeError(Message("komi must be a number, not {komi}", komi=repr(komi)))
    if not -LARGEST_KOMI <= komi <= LARGEST_KOMI:
        wrong = Message(
            "komi {komi} is out of range: {least} to {most}", komi=komi, least=-LARGEST_KOMI, most=LARGEST_KOMI
        )
        raise ValueError(wrong)
    # Normalise -0.0 to 0.
    return komi or 0
