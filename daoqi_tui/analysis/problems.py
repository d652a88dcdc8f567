"""Problems with proved answers: the task, the right moves, and the refutation of each wrong one.

>>> from daoqi_tui.engine import BLACK, Board, torus_of
>>> board = Board(torus_of(5))
>>> point = board.torus.parse
>>> black = board.torus.mask(point(name) for name in ("B4", "C4", "B2", "C2"))
>>> _ = board.lay_out(black, board.torus.mask([point("B3"), point("C3")]), 0, BLACK)
>>> fight = Fight(BoardPosition.of(board), point("B3"), board.torus.mask(map(point, ("A3", "B3", "C3", "D3"))))
>>> problem = prove(fight, "life")
>>> problem is None  # any move captures: there is nothing to find
True

The kinds of problems, and what a proof is for each:

``ladder``
    A chain in a ladder that runs around the torus. The ladder reader (:mod:`~daoqi_tui.reading.ladder`) reads each of
    the possible answers to its end.
``capture``, ``life``, ``seki``
    A fight for a chain in a closed area, or on a whole small torus. The solver (:mod:`~daoqi_tui.reading.solver`)
    settles what happens after *every* move, whatever the other side does, with any ko threats elsewhere. The chains
    around an area live outside it (:func:`weak_rim`), so that the answer holds on the whole board.
``ring``
    The same for a chain that is closed around the torus.
``superko``
    The same, decided by repetition: the solver follows the rules exactly, and nobody plays outside the area.
``opening``
    The best third move. This cannot be proved: it is a network's judgement after a number of visits, and says so.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, IllegalMove, opponent
from daoqi_tui.reading.ladder import BudgetSpent, read_ladder
from daoqi_tui.reading.solver import Outcome, Solver
from daoqi_tui.reading.status import pass_alive
from daoqi_tui.reading.symmetry import BoardPosition

Kind: TypeAlias = Literal["ladder", "capture", "life", "ring", "seki", "superko", "opening", "own", "mistake"]
KINDS: Final[tuple[Kind, ...]] = ("ladder", "capture", "life", "ring", "seki", "superko", "opening")
"""The kinds shipped with the program; ``own`` is for the user's collections, ``mistake`` for those of their games."""
Task: TypeAlias = Literal["capture", "save", "ladder", "break", "make", "reply", "own", "mistake"]
"""The task of the side to move: capture or save the target; start the ladder that captures it, or pass if there is
none; choose the point that breaks the ladder, or makes it work; reply to an opening; follow a comment; play better than
in the game."""

LEVELS: Final = 5
_HARDER: Final = (3.0, 3.8, 4.7, 6.0)
"""The difficulty with which the levels from 2 on begin."""
_DEPTH: Final = 13
_LADDER_NODES: Final = 60_000
MOST_EMPTY: Final = 16
"""The maximum number of empty points in the area of a fight in a position set up by hand or read from a file."""
_MOST_RIGHT: Final = 2
"""The right moves that leave something to find."""
_ENOUGH: Final = 3
"""The liberties outside an area with which a chain that reaches out of it counts as alive."""
_LARGE_BUDGET: Final = 500_000
"""The node budget for a position set up by hand, a few seconds."""
_CHECK_BUDGET: Final = 10 * _LARGE_BUDGET
"""The node budget to prove a whole answer from scratch, about a minute; the shipped problems need 40,000."""


class Step(NamedTuple):
    """A move in the answer to a problem, and what follows it.

    Attributes:
        move: a point, or :data:`~daoqi_tui.engine.PASS`.
        right: whether it still leads to success for the solving side.
        replies: after a move of the solving side, the opponent's answer, if any; after that, all right moves and the
            wrong ones with their refutations.
        lost: the points that a first move loses against the best one, as judged by a review; None if it is proved.
    """

    move: int
    right: bool
    replies: tuple[Step, ...] = ()
    lost: float | None = None


class Origin(NamedTuple):
    """The game of a mistake.

    Attributes:
        black, white: the names of the players with their ranks, as its record has them; empty if it has none.
        date: as its record has it.
        number: that of the last move before the mistake.
    """

    black: str
    white: str
    date: str
    number: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with its answer.

    Attributes:
        name: its name, unique in its collection.
        kind, task: of the problem.
        position: where it begins, with the solving side to move.
        target: the stone in question, PASS for none; in a mistake the last move.
        area: the mask of the points where both sides play; all points for the whole board.
        choices: the points to choose from, if limited.
        steps: every right first move, and wrong ones with their refutations. Other moves are wrong. The last one of a
            mistake is the move of the game.
        plies: the depth of the answer.
        prior: the network policy's probability of the right moves among those to choose from, 0 to 1.
        visits: of the network's search that judged it, 0 if the answer is proved.
        comment: additional text from a record.
        origin: of a mistake, unless an earlier version kept only a text, the comment.
        read: reads the other attributes of a problem made by :meth:`late`, when the first of them is asked for.
    """

    name: str
    kind: Kind
    task: Task
    position: BoardPosition
    steps: tuple[Step, ...]
    target: int = PASS
    area: int = 0
    choices: tuple[int, ...] = ()
    plies: int = 1
    prior: float = 1.0
    visits: int = 0
    comment: str = ""
    origin: Origin | None = None
    read: Callable[[], Problem] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def late(cls, read: Callable[[], Problem], **known: object) -> Problem:
        """Return a problem of which some attributes are known, and the others are read when one is asked for."""
        problem = object.__new__(cls)
        for name, value in {**known, "read": read}.items():
            object.__setattr__(problem, name, value)
        return problem

    if not TYPE_CHECKING:  # With it, mypy would take any name for an attribute.

        def __getattr__(self, name: str) -> object:
            # Python asks here only for an attribute that is not set.
            if name not in self.__slots__ or self.read is None:
                raise AttributeError(name)
            value = getattr(self.read(), name)
            object.__setattr__(self, name, value)
            return value

    @property
    def right(self) -> tuple[int, ...]:
        return tuple(step.move for step in self.steps if step.right)

    @property
    def level(self) -> int:
        """The difficulty, 1 to 5: by depth, and by how unexpected the right move is for the network."""
        depth = self.plies / 12 if self.kind == "ladder" else self.plies / 2
        surprise = -math.log2(max(self.prior, 1 / 256))
        return 1 + bisect_right(_HARDER, depth + surprise)

    @property
    def is_proved(self) -> bool:
        return self.kind not in ("opening", "own", "mistake")


class Fight(NamedTuple):
    """A fight for the chain on ``target``, in ``area``."""

    position: BoardPosition
    target: int
    area: int


Unproved: TypeAlias = Literal["open", "unsettled", "passing", "lost", "plain"]
"""The reason why a fight is not a valid problem: its area is too large; not every move is settled; passing succeeds; no
move does; or no move except the pass fails."""


def prove(
    fight: Fight, kind: Kind, name: str = "", *, depth: int = _DEPTH, budget: int | None = None, superko: bool = False
) -> Problem | None:
    """Return the problem of a fight with all its answers; None if a move is not settled or there is nothing to find.

    There is something to find if passing fails, one or two moves succeed, and most others fail.

    Args:
        fight: the position, the target and the area.
        kind: the kind of the problem.
        name: its name.
        depth: plies within which everything has to be settled.
        budget: the node budget, None for no limit.
        superko: whether superko is followed exactly.
    """
    found = _proved(fight, kind, name, depth=depth, budget=budget, superko=superko, choosy=True)
    return found if isinstance(found, Problem) else None


def prove_position(position: BoardPosition, target: int) -> Problem | Unproved:
    """Return the problem of the chain on ``target`` in a position, or the reason why there is none.

    It is a fight in the enclosing area of the chain. Any number of moves may succeed, as long as one fails.

    Raises:
        ValueError: a chain has no liberty, or no stone stands on ``target``.
    """
    board = position.board()
    area = enclosing_area(board, target)
    if (board.empty & area).bit_count() > MOST_EMPTY:
        return "open"
    return _proved(Fight(position, target, area), "life", budget=_LARGE_BUDGET)


def enclosing_area(board: Board, target: int) -> int:
    """Return the mask of the area that the opponent's stones enclose around the chain on ``target``.

    It consists of empty points, stones of the chain's side, and those of the opponent's stones that have no liberty
    outside it; further of the chains around it that might be captured from outside (:func:`weak_rim`), with their
    liberties.

    Raises:
        ValueError: no stone stands on ``target``.
    """
    torus, defender = board.torus, board.colours[target]
    if not defender:
        raise ValueError(f"there is no stone at {torus.name(target)}")
    passable = board.empty | board.stones(defender)
    area = 1 << target
    while True:
        while fresh := torus.dilate(area) & passable & ~area:
            area |= fresh
        taken = 0
        for head in board.chains_of(opponent(defender)):
            if not area >> head & 1 and not board.liberties_of(head) & ~area:
                taken |= torus.mask(board.stones_of(head))
        if not taken:
            break
        area |= taken
    while weak := weak_rim(board, area):
        area |= weak
    return area


def weak_rim(board: Board, area: int) -> int:
    """Return the mask of the chains around an area that might be captured from outside, with their liberties.

    A chain that touches the area and has a liberty outside is safe in the solver's game. On the board it is if it is
    pass-alive whatever happens in the area; with three liberties outside it counts as alive.
    """
    torus, weak = board.torus, 0
    border = torus.dilate(area) | area
    for colour in (BLACK, WHITE):
        alive = lives_outside(board, area, colour)
        for head in board.chains_of(colour):
            stones, liberties = torus.mask(board.stones_of(head)), board.liberties_of(head)
            outside = (liberties & ~area).bit_count()
            if 0 < outside < _ENOUGH and stones & border and not stones & alive:
                weak |= stones | liberties
    return weak


def rim_is_alive(problem: Problem) -> bool:
    """Return whether all stones outside the area of a problem are certain to live, whatever happens in it."""
    board = problem.position.board()
    return all(
        lives_outside(board, problem.area, colour) == board.stones(colour) & ~problem.area for colour in (BLACK, WHITE)
    )


def lives_outside(board: Board, area: int, colour: Colour) -> int:
    """Return the mask of the stones of a colour outside an area that are pass-alive whatever happens in the area."""
    torus, own = board.torus, board.stones(colour) & ~area
    regions = [region for region in torus.regions(torus.full & ~own) if not region & area]
    return pass_alive(torus, own, regions)


def _proved(
    fight: Fight,
    kind: Kind,
    name: str = "",
    *,
    depth: int = _DEPTH,
    budget: int | None = None,
    superko: bool = False,
    choosy: bool = False,
) -> Problem | Unproved:
    """Return the problem of a fight, or why there is none; ``choosy`` requires one or two right moves among many."""
    board = fight.position.board()
    solver = Solver(board, fight.target, fight.area, superko=superko, budget=budget)
    attacking = board.to_move == solver.attacker
    try:
        found = _first_moves(solver, depth, most=_MOST_RIGHT if choosy else None)
        if found is None:
            return "unsettled"
        if _wins(found[PASS], attacking):
            return "passing"
        right = [move for move, outcome in found.items() if _wins(outcome, attacking)]
        if not right:
            return "lost"
        if len(right) == len(found) - 1 or (choosy and (len(right) > _MOST_RIGHT or len(found) < 2 + 2 * len(right))):
            return "plain"
        steps = tuple(_Answer(solver, attacking).step(move, outcome) for move, outcome in found.items() if move != PASS)
    except (BudgetSpent, _NotSettled):
        return "unsettled"
    if _illegal(fight.position.board(), steps):
        return "unsettled"
    plies = 1 + min(found[move].plies for move in right)
    task: Task = "capture" if attacking else "save"
    area = 0 if fight.area == board.torus.full else fight.area
    return Problem(name, kind, task, fight.position, steps, fight.target, area, plies=plies)


def _illegal(board: Board, steps: Iterable[Step], path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Return the lines of an answer that superko forbids: the loser may repeat where the solver does not check it."""
    found = []
    for step in steps:
        line = (*path, step.move)
        try:
            board.make(step.move)
        except IllegalMove:
            found.append(line)
            continue
        found += _illegal(board, step.replies, line)
        board.undo()
    return found


def _wins(outcome: Outcome, attacking: bool) -> bool:
    return outcome.captured == attacking


def _first_moves(solver: Solver, depth: int, most: int | None = None) -> dict[int, Outcome] | None:
    """Return the outcome after every move, the pass first; None if one is not settled.

    No further moves are tried once more than ``most`` succeed.
    """
    found: dict[int, Outcome] = {}
    attacking = solver.board.to_move == solver.attacker
    for move in (PASS, *solver.moves()):
        if move == PASS and solver.board.to_move == solver.attacker:
            # Two passes end the game, so that the target survives.
            found[move] = Outcome(captured=False, plies=1)
            continue
        try:
            outcome = solver.outcome_after(move, depth)
        except IllegalMove:
            continue
        if outcome is None:
            return None
        found[move] = outcome
        if most is not None and sum(_wins(known, attacking) for known in found.values()) > most:
            break
    return found


class _NotSettled(Exception):
    """After some move on the way, neither side wins regardless of repetition."""


class _Answer(NamedTuple):
    """Builds the answer to a problem with a solver."""

    solver: Solver
    attacking: bool

    def step(self, move: int, outcome: Outcome) -> Step:
        right = _wins(outcome, self.attacking)
        board = self.solver.board
        board.make(move)
        try:
            replies = self._answered(outcome) if right else self._refuted(outcome)
        finally:
            board.undo()
        return Step(move, right, replies)

    def _answered(self, outcome: Outcome) -> tuple[Step, ...]:
        """Return the opponent's best answer to a right move, and after it every move of the solving side."""
        reply = self.solver.best_move(outcome) if outcome.plies > 1 else None
        if reply is None:
            return ()
        board = self.solver.board
        board.make(reply)
        try:
            found = _first_moves(self.solver, max(_DEPTH, outcome.plies))
            if found is None:
                raise _NotSettled
            right = {move: after for move, after in found.items() if _wins(after, self.attacking)}
            if not right or PASS in right:
                return ()
            best = min(right, key=lambda move: right[move].plies)
            steps = tuple(
                self.step(move, after) if move == best or move not in right else Step(move, True)
                for move, after in found.items()
                if move != PASS
            )
        finally:
            board.undo()
        return (Step(reply, True, tuple(sorted(steps, key=lambda step: step.move != best))),)

    def _refuted(self, outcome: Outcome) -> tuple[Step, ...]:
        line: tuple[Step, ...] = ()
        for move in reversed(self.solver.line(outcome.plies)):
            line = (Step(move, False, line),)
        return line


# Ladders


def prove_ladder(problem: Problem) -> tuple[Step, ...]:
    """Return every possible answer to a problem about a ladder, and whether it is right, read to the end.

    Raises:
        ValueError: the problem is not one about a ladder.
    """
    position, target = problem.position, problem.target
    board = position.board()
    if problem.task == "ladder":
        ataris = board.torus.points_in(board.liberties_of(target))
        works = {move: ladder_after(board, target, move)[0] for move in ataris}
        return (*(Step(move, right) for move, right in works.items()), Step(PASS, not any(works.values())))
    if problem.task not in ("break", "make"):
        raise ValueError(f"{problem.name} is not about a ladder")
    wanted = problem.task == "make"
    return tuple(Step(move, ladder_after(board, target, move)[0] == wanted) for move in problem.choices)


def ladder_after(board: Board, target: int, move: int) -> tuple[bool, tuple[int, ...]]:
    """Return whether the ladder on ``target`` works after ``move``, and the line from then on.

    Whoever made the move, the attacker continues: after an atari the defender is to move, after any other move of the
    attacker the defender passes.
    """
    attacker = opponent(board.colours[target])
    atari = move != PASS and bool(board.liberties_of(target) >> move & 1)
    board.make(move)
    try:
        passes = board.to_move != attacker and not atari
        ladder = read_ladder(board, target, attacker if passes else None, _LADDER_NODES)
    finally:
        board.undo()
    if ladder.result == "undecided":
        raise BudgetSpent
    return ladder.result == "captured", (PASS, *ladder.line) if passes else ladder.line


# Proofs from scratch


def faults(problem: Problem) -> list[str]:
    """Prove a problem from scratch, using only its position and task; return the faults of its answer."""
    try:
        if problem.kind == "ladder":
            return _ladder_faults(problem)
        if problem.is_proved:
            return _fight_faults(problem)
    except BudgetSpent:
        return ["not settled after as many moves as may be tried"]
    except (ValueError, IllegalMove) as error:
        return [f"{type(error).__name__}: {error}"]
    return []


def _ladder_faults(problem: Problem) -> list[str]:
    proved = {step.move: step.right for step in prove_ladder(problem)}
    given = {step.move: step.right for step in problem.steps}
    if any(proved.values()) and proved == given:
        return []
    return [f"proved {proved}, given {given}"]


def _goes_on(solver: Solver, *, attacking: bool) -> bool:
    outcome = solver.outcome(2 * _DEPTH)
    reply = solver.best_move(outcome) if outcome is not None and outcome.plies > 1 else None
    if reply is None:
        return False
    solver.board.make(reply)
    after = _first_moves(solver, 2 * _DEPTH)
    solver.board.undo()
    return after is None or not _wins(after[PASS], attacking)


def _fight_faults(problem: Problem) -> list[str]:
    """Check every node of the answer: each right or wrong move, and that no right one is missing."""
    board = problem.position.board()
    area = problem.area or board.torus.full
    empty = (board.empty & area).bit_count()
    if empty > MOST_EMPTY:
        return [f"{empty} empty points are too many for a proof: {MOST_EMPTY} at most"]
    if weak := weak_rim(board, area):
        names = " ".join(map(board.torus.name, board.torus.points_in(weak & ~board.empty)))
        return [f"{names}: fewer than {_ENOUGH} liberties outside the area, and not alive"]
    superko = problem.kind == "superko"
    solver = Solver(board, problem.target, area, superko=superko, budget=_CHECK_BUDGET)
    attacking = board.to_move == solver.attacker
    if attacking != (problem.task == "capture"):
        return ["the task is the other side's"]
    found = [f"{line} is illegal" for line in _illegal(problem.position.board(), problem.steps)]

    def check(steps: tuple[Step, ...], path: tuple[int, ...], *, complete: bool) -> None:
        given = {step.move: step for step in steps}
        proved = _first_moves(solver, 2 * _DEPTH) or {}
        if not proved:
            found.append(f"{path}: not settled")
        for move, outcome in proved.items():
            right = _wins(outcome, attacking)
            step = given.pop(move, None)
            if (step is not None and step.right != right) or (step is None and complete and move != PASS):
                found.append(f"{path}: {move} is {'right' if right else 'wrong'}")
            if step is not None:
                follow(step, path, is_main=step is steps[0])
        found.extend(f"{path}: {move} is illegal" for move in given)

    def follow(step: Step, path: tuple[int, ...], *, is_main: bool) -> None:
        here = (*path, step.move)
        solver.board.make(step.move)
        if step.right and not step.replies and (not path or is_main) and _goes_on(solver, attacking=attacking):
            found.append(f"{here}: the answer ends too soon")
        for reply in step.replies:
            if step.right:
                solver.board.make(reply.move)
                check(reply.replies, (*here, reply.move), complete=True)
                solver.board.undo()
            else:
                _check_refutation(reply, here)
        solver.board.undo()

    def _check_refutation(reply: Step, path: tuple[int, ...]) -> None:
        made = 0
        step: Step | None = reply
        while step is not None:
            solver.board.make(step.move)
            made += 1
            outcome = solver.outcome(2 * _DEPTH)
            if outcome is None or _wins(outcome, attacking):
                found.append(f"{path}: {step.move} does not refute")
            step = step.replies[0] if step.replies else None
        for _ in range(made):
            solver.board.undo()

    check(problem.steps, (), complete=True)
    if not problem.right:
        found.append("no move is right")
    return found
