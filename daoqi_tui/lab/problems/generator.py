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

from daoqi_tui.analysis.problems import (
    Fight,
    Kind,
    Problem,
    Step,
    ladder_after,
    lives_outside,
    prove,
    prove_ladder,
)
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, Torus, opponent, torus_of
from daoqi_tui.reading.ladder import BudgetSpent
from daoqi_tui.reading.solver import Solver
from daoqi_tui.reading.symmetry import BoardPosition

_BUDGET: Final = 10_000
"""The node budget of an attempt, about half a second."""
_QUICK_BUDGET: Final = 2_000
"""The node budget for a first look at a position."""
_DEEP: Final = 13
"""The plies within which a fight has to be settled at a first look."""
_SUPERKO_EMPTY: Final = 7
"""The maximum number of empty points of such a position."""
_LONG_LADDER: Final = 9
"""The minimum plies of a ladder for a problem."""
_SHORTEST: Final = {"capture": 3, "save": 2}
"""The minimum plies of an answer for a problem."""
_TRIES: Final = 24
"""The number of points that are tried as breakers or makers of a ladder."""
_CHOICES: Final = 4
_MOST_EMPTY: Final = 10
"""The maximum number of empty points in the area of a fight."""
_WHOLE: Final = 0.3
"""The share of the positions that are fights for a whole small torus."""
_WALLS: Final = 8
"""How often eyes are drawn for the walls around an area."""
_LIBERTIES: Final = 3
"""The minimum liberties of a wall outside the area."""


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
        fights = _fights(random, self.kind)
        if self.kind != "superko" and not _is_open(fights):
            return None
        for fight in fights:
            found = self._prove(fight, name)
            if found is not None and _is_worth_it(found):
                return _walled(random, found) if found.area else found
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


def _is_open(fights: list[Fight]) -> bool:
    """Return whether the side to move succeeds, whichever it is: most positions are settled or trivial."""
    try:
        outcomes = [
            Solver(fight.position.board(), fight.target, fight.area, budget=_QUICK_BUDGET).outcome(_DEEP)
            for fight in fights
        ]
    except (BudgetSpent, ValueError):
        return False
    return None not in outcomes and len({outcome and outcome.captured for outcome in outcomes}) == 2


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
    if kind == "superko" or (kind in ("life", "seki") and random.random() < _WHOLE):
        size = random.choice((4, 5, 5, 6))
        torus = torus_of(size)
        area = torus.full
        masks = _fill(random, torus, area, area, 0.38)
    elif kind == "ring":
        size = random.choice((5, 6, 6, 7))
        torus = torus_of(size)
        area, masks = _rings(random, torus)
    elif kind == "capture" and random.random() < 0.5:
        size = random.choice((7, 9, 9))
        torus = torus_of(size)
        area = _blob(random, torus, random.randint(8, 13))
        masks = _fill(random, torus, area, area & torus.dilate(torus.full ^ area), 0.64)
    else:
        size = random.choice((7, 9, 9))
        torus = torus_of(size)
        area, masks = _eye_space(random, torus, 0.5 if kind == "seki" else 0.25)
    if area != torus.full:
        outside = torus.full ^ area
        ring = torus.dilate(area) & outside
        friends = _friends(random, torus, ring) if kind == "capture" else 0
        masks = [0, masks[BLACK] | ring & ~friends, masks[WHITE] | friends]
    if random.random() < 0.5:
        masks = [0, masks[WHITE], masks[BLACK]]
    fights: list[Fight] = []
    target: int | None = None
    for to_move in (BLACK, WHITE):
        position = BoardPosition(size, masks[BLACK], masks[WHITE], to_move)
        try:
            board = position.board()
        except ValueError:
            return []
        if (board.empty & area).bit_count() > _MOST_EMPTY:
            return []
        if not fights:
            target = _target(random, board, area, closed=kind == "ring")
        if target is None:
            return []
        fights.append(Fight(position, target, area))
    return fights


def _eye_space(random: Random, torus: Torus, share: float) -> tuple[int, list[int]]:
    """Return an area and masks of the stones in it: a white group around its eye space, with a gap or two.

    Args:
        random: draws the shape.
        torus: of the board.
        share: how much of the eye space is filled with stones.
    """
    inner = _blob(random, torus, random.randint(3, 8))
    shell = torus.dilate(inner) & ~inner
    masks = [0, 0, shell]
    for point in random.sample(torus.points_in(shell), random.randint(0, 3)):
        masks[WHITE] ^= 1 << point
        masks[BLACK] |= (random.random() < 0.4) << point
    for point in torus.points_in(inner):
        if random.random() < share:
            masks[random.choice((BLACK, BLACK, WHITE))] |= 1 << point
    return inner | shell, masks


def _rings(random: Random, torus: Torus) -> tuple[int, list[int]]:
    """Return an area and masks of the stones in it: rows closed around the torus, the others mixed.

    The area is a band with one closed white row, or the whole board with one of each colour.
    """
    whole = random.random() < _WHOLE
    rows = torus.size if whole else 2 if torus.size == 5 else random.choice((3, 3, 4))
    closed = random.sample(range(rows), 2 if whole else 1)
    masks = [0, 0, 0]
    for row in range(rows):
        for column in range(torus.size):
            draw = random.random()
            if row in closed:
                masks[(WHITE, BLACK)[closed.index(row)]] |= 1 << torus.point(row, column)
            elif draw < 0.78:
                masks[WHITE if draw < 0.42 else BLACK] |= 1 << torus.point(row, column)
    return (1 << rows * torus.size) - 1, masks


def _walled(random: Random, problem: Problem) -> Problem | None:
    """Return a problem with walls around its area that live, whatever happens in it; None if none were found."""
    position, area = problem.position, problem.area
    torus = torus_of(position.size)
    walls = _walls(random, torus, area, [0, position.black & ~area, position.white & ~area])
    if walls is None:
        return None
    black, white = position.black | walls[BLACK], position.white | walls[WHITE]
    return replace(problem, position=replace(position, black=black, white=white))


def _walls(random: Random, torus: Torus, area: int, ring: list[int]) -> list[int] | None:
    """Return masks of stones outside an area that live whatever happens in it; None if none were found.

    Args:
        random: draws the shape.
        torus: of the board.
        area: the mask of the area.
        ring: masks of the stones around it, which are among those returned.
    """
    outside = torus.full ^ area
    grown = list(ring)
    smaller: Colour = BLACK if ring[BLACK].bit_count() < ring[WHITE].bit_count() else WHITE
    while free := outside & ~grown[BLACK] & ~grown[WHITE]:
        # The smaller part needs room for its eyes, too.
        for colour in (smaller, smaller, opponent(smaller)):
            grown[colour] |= torus.dilate(grown[colour]) & free & ~grown[opponent(colour)]
    for _ in range(_WALLS):
        stones = list(grown)
        for colour in (BLACK, WHITE):
            for wall in torus.regions(grown[colour]):
                inner = [point for point in torus.points_in(wall & ~ring[colour]) if not torus.around[point] & ~wall]
                for eye in random.sample(inner, min(_LIBERTIES, len(inner))):
                    stones[colour] &= ~(1 << eye)
        if _stand(torus, area, stones):
            break
    else:
        return None
    movable = list(torus.points_in(outside & ~ring[BLACK] & ~ring[WHITE]))
    random.shuffle(movable)
    for point in movable:
        fewer = [mask & ~(1 << point) for mask in stones]
        if fewer != stones and _stand(torus, area, fewer):
            stones = fewer
    return stones


def _stand(torus: Torus, area: int, stones: list[int]) -> bool:
    """Return whether all stones outside an area live there, each chain with liberties enough."""
    board = Board(torus)
    try:
        board.lay_out(stones[BLACK], stones[WHITE], 0, BLACK)
    except ValueError:
        return False
    for colour in (BLACK, WHITE):
        if lives_outside(board, area, colour) != stones[colour]:
            return False
        if any((board.liberties_of(head) & ~area).bit_count() < _LIBERTIES for head in board.chains_of(colour)):
            return False
    return True


def _target(random: Random, board: Board, area: int, *, closed: bool) -> int | None:
    """Return a stone of a chain of three or more stones, or a closed one, that lies in the area; None without one."""
    chains = [
        board.stones_of(head)
        for colour in (BLACK, WHITE)
        for head in board.chains_of(colour)
        if not board.torus.mask(board.stones_of(head)) & ~area
    ]
    large = [
        min(stones)
        for stones in chains
        if len(stones) >= 3 and (not closed or _is_closed(board.torus, board.torus.mask(stones)))
    ]
    return random.choice(large) if large else None


def _is_closed(torus: Torus, chain: int) -> bool:
    """Return whether a chain is closed around the torus: some way along it returns to its start from the other side."""
    start = (chain & -chain).bit_length() - 1
    reached = {start: (0, 0)}
    waiting = [start]
    for point in waiting:
        down, right = reached[point]
        for near in torus.neighbours[point]:
            if not chain >> near & 1:
                continue
            further, across = torus.offset(point, near)
            there = down + further, right + across
            if near not in reached:
                reached[near] = there
                waiting.append(near)
            elif reached[near] != there:
                return True
    return False


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
    count = random.randint(2, 4)
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
        board = BoardPosition(size, stones[BLACK], stones[WHITE], to_move).board()
        problem = Problem(name, "ladder", "ladder", BoardPosition.of(board), (), target)
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
