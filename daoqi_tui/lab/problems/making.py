"""Makes collections of problems, for ``daoqi-tui problems make``.

A collection grows problem by problem and is saved after each. The name of a problem contains its kind, its seed and the
number of the attempt that made it, so that a run continues where the last one ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Final, TypeAlias

from daoqi_tui.ai.nets import NetworkFiles
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.analysis.opening import class_count, opening_class
from daoqi_tui.analysis.problems import LEVELS, Kind, Problem, Step
from daoqi_tui.engine import PASS, STANDARD_KOMI, WHITE, Board, torus_of
from daoqi_tui.lab.problems.generator import Attempts
from daoqi_tui.play.problem_files import add_to_collection, read_collection
from daoqi_tui.reading.symmetry import BoardPosition, canonical_position

_TURNS: Final[tuple[Kind, ...]] = (
    *("capture", "life", "ladder", "ring", "capture", "life", "ladder", "ring", "seki"),
    *("capture", "life", "ladder", "ring", "capture", "life", "ladder", "ring", "superko"),
)
"""The kinds by turns."""
_EASY: Final = 0.4
_PLAIN: Final = 0.8
"""Problems of level 1 are dropped if the policy solves them with at least this probability, the lower one for short
problems."""
_EVEN: Final = 4
"""So many problems of a level are kept in any case; beyond that, twice as many as if all levels had the same."""
_OPENING_SIZES: Final = (9, 13)
_AS_GOOD: Final = 0.01
"""The win rate by which another correct reply to an opening may fall short of the best one."""
_MOST_REPLIES: Final = 4
"""Openings with more good replies than this make no problem."""
_SEARCHED: Final = 0.25
"""The share of the best reply's visits that it needs for that."""


class NetworkJudge:
    """A network that grades problems, and judges openings."""

    def __init__(self, net: str) -> None:
        self._network: Final = NetworkFiles().load(net)

    def policy(self, board: Board) -> Sequence[float]:
        """Return the probability of each point and, last, of the pass."""
        inputs = self._network.encode(board, STANDARD_KOMI, (), 0)
        found: list[float] = self._network.evaluate([inputs], board.torus.size)[0].policy.tolist()
        return found

    def reply(self, size: int, number: int, visits: int) -> Problem | None:
        """Return the problem of the best third move of an opening, None if too many are as good."""
        torus = torus_of(size)
        middle = torus.point(size // 2, size // 2)
        x, y = opening_class(size, number).displacement
        white = torus.shift(middle, -y, x)
        board = Board(torus)
        board.play(middle)
        board.play(white)
        search = PuctSearch(board, STANDARD_KOMI, self._network, recent=(middle, white))
        search.run(Limits(visits=visits))
        root, canonical = search.root, canonical_position(board)
        # Symmetric moves count as one.
        values: dict[int, tuple[float, float]] = {}
        for index, move in enumerate(root.moves):
            if (count := float(root.visits[index])) and move != PASS:
                known, won = values.get(canonical.move(int(move)), (0.0, 0.0))
                values[canonical.move(int(move))] = known + count, won + float(root.value_sum[index])
        most, won = max(values.values())
        right = [
            point
            for move, (count, wins) in values.items()
            if count >= _SEARCHED * most and wins / count >= won / most - _AS_GOOD
            for point in canonical.back(move)
        ]
        if len(right) > _MOST_REPLIES:
            return None
        position = BoardPosition.of(board)
        steps = tuple(Step(point, True) for point in sorted(right))
        return Problem(f"opening-{size}-{number}", "opening", "reply", position, steps, visits=visits)


def make(path: Path, count: int, seed: int, judge: NetworkJudge, kinds: Sequence[Kind] = ()) -> Iterator[Problem]:
    """Add ``count`` problems to a collection; yield each once it is saved.

    Args:
        path: the collection, created if missing.
        count: how many to add.
        seed: of the random positions.
        judge: grades them.
        kinds: those to make, in turn; all but openings if none is given.

    Raises:
        SgfError: the file cannot be read, or is no collection of problems.
        OSError: it cannot be written.
    """
    problems = list(read_collection(path).problems) if path.exists() else []
    known = {_canonical(problem) for problem in problems}
    turns = kinds or _TURNS
    attempts = {kind: _Source(kind, seed, problems) for kind in dict.fromkeys(turns)}
    # The turns also continue where they were.
    over = sum(source.made for source in attempts.values()) % len(turns)
    for kind in islice(cycle(turns), over, None):
        if count <= 0:
            return
        problem = attempts[kind].next(judge, lambda found: _canonical(found) in known)
        known.add(_canonical(problem))
        add_to_collection(path, problem)
        count -= 1
        yield problem


def make_openings(path: Path, visits: int, judge: NetworkJudge, count: int) -> Iterator[Problem]:
    """Add up to ``count`` problems of best replies to openings that a collection lacks; yield each once it is saved.

    Raises:
        SgfError, OSError: as for :func:`make`.
    """
    problems = list(read_collection(path).problems) if path.exists() else []
    known = {problem.name for problem in problems}
    for size in _OPENING_SIZES:
        for number in range(1, class_count(size) + 1):
            if count > 0 and f"opening-{size}-{number}" not in known:
                found = judge.reply(size, number, visits)
                if found is None:
                    continue
                count -= 1
                problem = graded(found, judge.policy)
                add_to_collection(path, problem)
                yield problem


class _Source:
    """The source of problems of a kind: attempts, starting with the first that is not in the collection.

    Attributes:
        made: the number of the collection's problems from this source.
    """

    def __init__(self, kind: Kind, seed: int, problems: Sequence[Problem]) -> None:
        prefix = f"{kind}-{seed}-"
        named = [problem.name.removeprefix(prefix) for problem in problems if problem.name.startswith(prefix)]
        used = [int(number) for number in named if number.isdecimal()]
        self.made: Final = len(used)
        self._levels: Final = Counter(problem.level for problem in problems if problem.kind == kind)
        self._attempts: Final = Attempts(kind, seed)
        self._next = 1 + max(used, default=-1)

    def next(self, judge: NetworkJudge, is_known: Callable[[Problem], bool]) -> Problem:
        """Return the next problem that is not equivalent to a known one, of a level that has not too many yet."""
        while True:
            found = self._attempts.attempt(self._next)
            self._next += 1
            if found is None or is_known(found):
                continue
            problem = graded(found, judge.policy)
            if problem.level == 1 and problem.prior >= (_EASY if problem.plies <= 3 else _PLAIN):
                continue
            if self._levels[problem.level] < max(_EVEN, 2 * self._levels.total() / LEVELS):
                self._levels[problem.level] += 1
                return problem


def _canonical(problem: Problem) -> tuple[BoardPosition, str]:
    """Return a canonical form, equal for problems that are the same up to symmetry and colour swap."""
    position = problem.position
    black, white = position.black, position.white
    if position.to_move == WHITE:
        black, white = white, black
    return canonical_position(BoardPosition(position.size, black, white)).position, problem.task


Policy: TypeAlias = Callable[[Board], Sequence[float]]
"""Returns for a board the probability of each point and, last, of the pass."""


def graded(problem: Problem, policy: Policy) -> Problem:
    """Return the problem with the policy's probability of the right moves among those to choose from."""
    board = problem.position.board()
    probabilities = policy(board)
    choices: Iterable[int] = problem.choices
    if not choices:
        legal = board.legal_mask()
        choices = board.torus.points_in(legal & problem.area if problem.area else legal)
        if problem.task == "ladder":
            choices = (*board.torus.points_in(board.liberties_of(problem.target)), PASS)
    total = sum(probabilities[move] for move in choices)
    right = sum(probabilities[move] for move in problem.right)
    return replace(problem, prior=round(float(right / total), 4) if total > 0 else 0.0)
