"""A generator of problems: random positions, kept if their answers are proved and worth finding.

Each attempt draws its position from a seed, a kind and a number, so that the same numbers always make the same problems
and a run can be resumed at any number.

>>> problem = next(problem for problem in map(Attempts("life", seed=1).attempt, range(230, 1000)) if problem)
>>> problem.kind, problem.is_proved, len(problem.right) <= 2
('life', True, True)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Final

from daoqi_tui.analysis.problems import Fight, Kind, Position, Problem, Step, ladder_after, prove, prove_ladder
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, Torus, opponent, torus_of
from daoqi_tui.reading.ladder import BudgetSpent
from daoqi_tui.reading.solver import Solver

_BUDGET: Final = 10_000
"""The node budget of an attempt, about half a second."""
_QUICK_BUDGET: Final = 3_000
"""The node budget after which a position is too large for exact superko rules, in the search for superko problems."""
_SUPERKO_EMPTY: Final = 7
"""The maximum number of empty points of such a position."""
_LONG_LADDER: Final = 9
"""The minimum plies of a ladder for a problem."""
_SHORTEST: Final = {"capture": 3, "save": 2}
"""The minimum plies of an answer for a problem."""
_TRIES: Final = 24
"""The number of points that are tried as breakers or makers of a ladder."""
_CHOICES: Final = 4


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts at problems of one kind."""

    kind: Kind
    seed: int = 1

    def attempt(self, number: int) -> Problem | None:
        """Return the problem of an attempt, not graded yet; None if it failed."""
        random = Random(f"{self.seed} {self.kind} {number}")
        name = f"{self.kind}-{self.seed}-{number}"
        if self.kind == "ladder":
            return _ladder(random, name)
        for fight in _fights(random, self.kind):
            found = self._prove(fight, name)
            if found is not None and _is_worth_it(found):
                return found
        return None

    def _prove(self, fight: Fight, name: str) -> Problem | None:
        try:
            if self.kind == "superko":
                return _by_superko(fight, name)
            found = prove(fight, self.kind, name, budget=_BUDGET)
            if found is None or (self.kind == "seki") != _ends_in_seki(found):
                return None
        except (BudgetSpent, ValueError):
            # A chain that extends outside the area without a liberty there.
            return None
        return found


def _is_worth_it(problem: Problem) -> bool:
    """Return whether there is something to find: neither the answer nor all refutations are obvious."""
    refuted = max((_length(step.replies) for step in problem.steps if not step.right), default=0)
    return problem.plies >= _SHORTEST[problem.task] and refuted >= _SHORTEST[problem.task]


def _length(replies: tuple[Step, ...]) -> int:
    return 1 + max(_length(step.replies) for step in replies) if replies else 0


def _by_superko(fight: Fight, name: str) -> Problem | None:
    """Return the problem of a fight decided by superko: neither side wins regardless of repetition."""
    board = fight.position.board()
    if (board.empty & fight.area).bit_count() > _SUPERKO_EMPTY:
        return None
    if Solver(board, fight.target, fight.area, budget=_QUICK_BUDGET).outcome(9) is not None:
        return None
    found = prove(fight, "superko", name, budget=3 * _BUDGET, superko=True)
    if found is None or Solver(board, fight.target, fight.area, budget=30 * _BUDGET).outcome(found.plies) is not None:
        return None
    return found


def _ends_in_seki(problem: Problem) -> bool:
    """Return whether the main line ends with chains of both sides, without two eyes, that neither can capture."""
    if problem.task != "save":
        return False
    board = problem.position.board()
    steps = problem.steps
    while right := [step for step in steps if step.right]:
        step = right[0]
        board.make(step.move)
        steps = ()
        if step.replies:
            board.make(step.replies[0].move)
            steps = step.replies[0].replies
    area = problem.area or None
    solver = Solver(board, problem.target, area, budget=_BUDGET)
    if solver.is_captured or solver.is_safe:
        return False
    liberties = board.liberties_of(problem.target)
    for head in list(board.chains_of(solver.attacker)):
        if not board.liberties_of(head) & liberties:
            continue
        theirs = Solver(board, head, area, budget=_BUDGET)
        if theirs.is_safe:
            continue
        if theirs.board.to_move != theirs.attacker:
            theirs.board.pass_turn()
        outcome = theirs.outcome(9)
        if outcome is not None and not outcome.captured:
            return True
    return False


# Fights


def _fights(random: Random, kind: Kind) -> list[Fight]:
    """Return the fights of a random position, with either side to move."""
    if kind != "capture" and random.random() < 0.4:
        size = random.choice((4, 5, 5, 6))
        torus = torus_of(size)
        area = torus.full
        masks = _fill(random, torus, area, area, 0.38)
    else:
        size = random.choice((7, 9, 9))
        torus = torus_of(size)
        area = _blob(random, torus, random.randint(8, 13))
        ring = torus.dilate(area) & ~area
        rim = area & torus.dilate(ring)
        masks = _fill(random, torus, area, rim, 0.64)
        walls = _friends(random, torus, ring) if kind == "capture" else 0
        masks = [0, masks[BLACK] | ring & ~walls, masks[WHITE] | walls]
    if random.random() < 0.5:
        masks = [0, masks[WHITE], masks[BLACK]]
    fights = []
    for to_move in (BLACK, WHITE):
        position = Position(size, masks[BLACK], masks[WHITE], to_move)
        try:
            board = position.board()
        except ValueError:
            return []
        if not (board.empty & area).bit_count() <= 10:
            return []
        target = _target(random, board, area)
        if target is not None:
            fights.append(Fight(position, target, area))
    return fights


def _target(random: Random, board: Board, area: int) -> int | None:
    """Return a stone of a chain of three or more stones that lies in the area; None if all are small."""
    chains = [
        board.stones_of(head)
        for colour in (BLACK, WHITE)
        for head in board.chains_of(colour)
        if not board.torus.mask(board.stones_of(head)) & ~area
    ]
    large = [min(stones) for stones in chains if len(stones) >= 3]
    return random.choice(large) if large else None


def _blob(random: Random, torus: Torus, count: int) -> int:
    """Return the mask of a connected area of ``count`` points, compact rather than thin."""
    mask = 1 << random.randrange(torus.points)
    while mask.bit_count() < count:
        border = torus.points_in(torus.dilate(mask) & ~mask)
        close = [(torus.around[point] & mask).bit_count() for point in border]
        mask |= 1 << random.choices(border, close)[0]
    return mask


def _friends(random: Random, torus: Torus, ring: int) -> int:
    """Return the mask of a few stones of the ring, close together, that become the other side's."""
    start = random.choice(torus.points_in(ring))
    count = random.randint(1, 3)
    return torus.mask(sorted(torus.points_in(ring), key=lambda point: torus.distance(start, point))[:count])


def _fill(random: Random, torus: Torus, area: int, rim: int, share: float) -> list[int]:
    """Return masks of stones for each colour: White's mostly on the rim, a few in the middle, and some black ones."""
    masks = [0, 0, 0]
    for point in torus.points_in(area):
        on_rim = rim >> point & 1
        white = share if on_rim else 0.2
        black = 0.36 if rim == area else 0.1
        draw = random.random()
        if draw < white:
            masks[WHITE] |= 1 << point
        elif draw < white + black:
            masks[BLACK] |= 1 << point
    return masks


# Ladders


def _ladder(random: Random, name: str) -> Problem | None:
    """Return a problem about a ladder among a few scattered stones."""
    size = random.choice((7, 8, 9, 9, 9, 11, 11, 13))
    torus = torus_of(size)
    attacker: Colour = random.choice((BLACK, WHITE))
    target = random.randrange(torus.points)
    across, along = random.choice((((0, 1), (1, 0)), ((1, 0), (0, 1))))
    ways = [across, along]
    flip_across, flip_along = random.choice((-1, 1)), random.choice((-1, 1))

    def at(first: int, second: int) -> int:
        down = flip_across * first * ways[0][0] + flip_along * second * ways[1][0]
        right = flip_across * first * ways[0][1] + flip_along * second * ways[1][1]
        return torus.shift(target, down, right)

    stones = {attacker: torus.mask((at(0, -1), at(1, 0), at(1, 1))), opponent(attacker): 1 << target}
    near = torus.dilate(1 << target | stones[attacker]) | 1 << target | stones[attacker]
    free = list(torus.points_in(torus.full & ~near))
    for point in random.sample(free, random.randint(2, size // 2 + 1)):
        stones[random.choice((BLACK, WHITE))] |= 1 << point
    task = random.choice(("ladder", "ladder", "break", "make"))
    to_move = opponent(attacker) if task == "break" else attacker
    try:
        board = Position(size, stones[BLACK], stones[WHITE], to_move).board()
        problem = Problem(name, "ladder", "ladder", Position.of(board), (), target)
        if task == "ladder":
            return _to_start(problem)
        return _to_choose(random, replace(problem, task="break" if task == "break" else "make"))
    except (ValueError, BudgetSpent):
        return None


def _to_start(problem: Problem) -> Problem | None:
    """Return the problem of starting a ladder, or of seeing that it does not work; None if that is obvious."""
    board = problem.position.board()
    steps = prove_ladder(problem)
    lengths = [len(ladder_after(board, problem.target, step.move)[1]) for step in steps if step.move != PASS]
    if sum(step.right for step in steps) != 1 or max(lengths) < _LONG_LADDER:
        return None
    return replace(problem, steps=steps, plies=1 + max(lengths))


def _to_choose(random: Random, problem: Problem) -> Problem | None:
    """Return the problem of choosing, from a few points, the one that breaks a ladder or makes it work."""
    board = problem.position.board()
    torus, target = board.torus, problem.target
    wanted = problem.task == "make"
    works, line = ladder_after(board, target, PASS)
    if works == wanted or len(line) < _LONG_LADDER:
        return None
    way = torus.mask(point for point in line if point != PASS)
    close = board.empty & (torus.dilate(torus.dilate(way)) | way)
    points = [point for point in torus.points_in(close) if torus.distance(point, target) > 2]
    right: list[int] = []
    wrong: list[int] = []
    deepest = 0
    for point in random.sample(points, min(_TRIES, len(points))):
        result, after = ladder_after(board, target, point)
        if result == wanted and not right:
            right.append(point)
            deepest = len(after)
        elif result != wanted and len(wrong) < _CHOICES - 1:
            wrong.append(point)
        if right and len(wrong) == _CHOICES - 1:
            choices = tuple(sorted((*right, *wrong)))
            steps = tuple(Step(point, point in right) for point in choices)
            return replace(problem, choices=choices, steps=steps, plies=1 + deepest)
    return None
