"""Evaluates openings with a network: searches of the classes and their third moves, and games for the fair komi.

The work is a list of small tasks, and each result is a line of JSON in a file. An interruption loses only the current
task; the next run continues with the tasks missing from the file. Random numbers are seeded by the task, so that the
results do not depend on interruptions.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist, fmean
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.search import HISTORY, NetworkEvaluator
from daoqi_tui.ai.search.puct import PuctSearch
from daoqi_tui.analysis.opening import (
    FORMAT,
    UNITS,
    class_count,
    least_equivalent,
    opening_class,
    third_moves,
    third_position,
)
from daoqi_tui.engine import LARGEST, PASS, SMALLEST, Board, torus_of
from daoqi_tui.lab.openings.fair_komi import fair_komi
from daoqi_tui.lab.openings.games import TOGETHER, PlayStyle, play_games, search_together
from daoqi_tui.message import Message
from daoqi_tui.paths import check_file, naming
from daoqi_tui.record.files import lock

KOMIS: Final = (0.0, 4.0, 8.0)
"""The komis of the searches; their mean is kept, of Black's points without komi."""
KOMI_TRIED: Final = tuple(range(16))
"""The komi values of the games for the fair komi: each once per round."""
STYLE: Final = PlayStyle(temperature=0.6, later=0.0)
"""How the games are played: by the policy alone, since a search that is behind risks everything and loses by sixty."""
BEST: Final = 3
"""The number of replies kept from the searches of a class."""
_CHANCE: Final = 0.05
"""The probability that a difference is told where there is none."""

Kind: TypeAlias = Literal["class", "third", "komi"]
_KINDS: Final = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Plan:
    """The amount of work for each size.

    Attributes:
        sizes: board sizes, the most important first.
        visits: for the search of each class of two moves, at each komi.
        third_visits: for the search after each third move, at each komi.
        komi_games: games for the fair komi of each size; rounded up to a multiple of 16.
    """

    sizes: tuple[int, ...]
    visits: int
    third_visits: int
    komi_games: int

    def tasks(self) -> Iterator[Task]:
        """Yield all tasks, the most important first."""
        for kind in ("class", "third"):
            for size in self.sizes:
                yield from (Task(kind, size, number) for number in range(1, class_count(size) + 1))
        for turn in range(-(-self.komi_games // len(KOMI_TRIED))):
            yield from (Task("komi", size, 0, turn) for size in self.sizes)


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work.

    Attributes:
        kind: search of a class, or of its third moves; or games for the fair komi.
        size: of the board.
        number: of the class, 0 if there is none.
        turn: the index of the batch of games.
    """

    kind: Kind
    size: int
    number: int
    turn: int = 0

    @property
    def seed(self) -> tuple[int, ...]:
        """The seed of its random numbers."""
        return _KINDS.index(self.kind), self.size, self.number, self.turn


class Judge:
    """Does tasks with a network.

    Args:
        network: the network.
        plan: visits.
    """

    def __init__(self, network: NetworkEvaluator, plan: Plan) -> None:
        self._network = network
        self._plan = plan

    def result(self, task: Task) -> dict[str, Any]:
        """Return the result of a task as values for JSON."""
        match task.kind:
            case "class":
                return self._search_class(task)
            case "third":
                return self._search_thirds(task)
            case "komi":
                return self._play(task)

    def _search_class(self, task: Task) -> dict[str, Any]:
        size, moves = task.size, opening_class(task.size, task.number).points(task.size)
        searches = self._searches(size, [moves], self._plan.visits)
        return {"points": _points(searches), "best": _merged(searches, size, moves)[:BEST]}

    def _search_thirds(self, task: Task) -> dict[str, Any]:
        size, number = task.size, task.number
        moves = opening_class(size, number).points(size)
        # Another class may transpose to the same position, and then has the same value.
        own = [point for point in third_moves(size, number) if third_position(size, number, point) == (number, point)]
        values: list[tuple[int, float]] = []
        for start in range(0, len(own), TOGETHER):
            points = own[start : start + TOGETHER]
            searches = self._searches(size, [(*moves, point) for point in points], self._plan.third_visits)
            each = len(KOMIS)
            values += [(point, _points(searches[each * i : each * (i + 1)])) for i, point in enumerate(points)]
        return {"values": values}

    def _play(self, task: Task) -> dict[str, Any]:
        games = play_games(self._network, task.size, KOMI_TRIED, STYLE, np.random.default_rng(task.seed))
        return {"games": [(game.komi, game.margin, game.moves) for game in games]}

    def _searches(self, size: int, lines: Sequence[tuple[int, ...]], visits: int) -> list[PuctSearch]:
        """Return searches of the positions after some lines, each at all komis."""
        searches = []
        for moves in lines:
            for komi in KOMIS:
                board = Board(torus_of(size))
                for move in moves:
                    board.make(move)
                searches.append(PuctSearch(board, komi, self._network, recent=moves[-HISTORY:]))
        search_together(self._network, searches, visits)
        return searches


def _points(searches: Sequence[PuctSearch]) -> float:
    """Return Black's points without komi, the mean of a position's searches at all komis."""
    return round(fmean(search.margin + komi for search, komi in zip(searches, KOMIS, strict=True)), 2)


def _merged(searches: Sequence[PuctSearch], size: int, moves: Sequence[int]) -> list[int]:
    """Return the plays that searches of one position tried, the most visited first, one of each equivalent set."""
    merged: dict[int, float] = {}
    for search in searches:
        for move, visits in zip(search.root.moves.tolist(), search.root.visits.tolist(), strict=True):
            if move != PASS and visits:
                point = least_equivalent(size, moves, move)
                merged[point] = merged.get(point, 0.0) + visits
    return sorted(merged, key=lambda point: -merged[point])


_BEGINNING: Final = b'{"made":'


class JudgementFile:
    """The results so far, one line of JSON each, in an append-only file.

    Args:
        path: the file, which need not exist.
        made: how the results are made: network, visits. A file made differently is refused; None takes results as they
            are, of which there must be some.

    Attributes:
        made: as given, or as the file says.
        results: by task.

    Raises:
        OSError: the file cannot be read or written.
        ValueError: it is not such a file, or was made differently.
        InUse: another process is writing to it.
    """

    made: dict[str, Any]

    def __init__(self, path: Path, made: dict[str, Any] | None) -> None:
        self.results: dict[Task, dict[str, Any]] = {}
        with suppress(FileNotFoundError):
            # Refuse a pipe here: opening it for writing would block until there is a reader.
            check_file(path)
        self._path: Final = path
        self._file = path.open("ab")
        try:
            self._release = lock(self._file.fileno(), path)
        except BaseException:
            self._file.close()
            raise
        try:
            whole = self._read(path, made)
        except BaseException:
            self.close()
            raise
        # Anything after the last complete line was cut off by an interruption.
        self._file.truncate(whole)
        if not whole:
            self._write({"made": self.made})

    def _read(self, path: Path, made: dict[str, Any] | None) -> int:
        """Read the file and how it was made; return the number of bytes in complete lines."""
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].splitlines()
        try:
            if not data.startswith(_BEGINNING[: len(data)]):
                raise ValueError("beginning")
            made_so = json.loads(lines[0])["made"] if lines else made
            if not isinstance(made_so, dict):
                raise ValueError("beginning")
        except (KeyError, ValueError, RecursionError) as error:
            raise ValueError(Message("{file} is not a file of judged openings", file=path)) from error
        self.made = made_so
        if made not in (None, made_so):
            raise ValueError(Message("{file} was made with another network or other visits", file=path))
        for number, line in enumerate(lines[1:], 2):
            try:
                task, result = _parse_result(line)
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                raise ValueError(
                    Message(
                        "line {number} of {file} is not a result of daoqi-tui judge: delete it to have that result "
                        "computed again",
                        number=number,
                        file=path,
                    )
                ) from error
            self.results[task] = result
        return whole

    def add(self, task: Task, result: dict[str, Any]) -> None:
        """Append a result and sync it to disk."""
        self.results[task] = result
        self._write({"task": list(asdict(task).values()), "result": result})

    def _write(self, held: dict[str, Any]) -> None:
        with naming(self._path):
            self._file.write(json.dumps(held, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file and release its lock."""
        self._release()
        # What cannot be written has been told; a result is flushed as soon as it is added.
        with suppress(OSError):
            self._file.close()


def _parse_result(line: bytes) -> tuple[Task, dict[str, Any]]:
    """Parse a line of results.

    Raises:
        KeyError, TypeError, ValueError, RecursionError: it is no line that a :class:`JudgementFile` writes.
    """
    held = json.loads(line)
    (kind, size, number, turn), result = held["task"], held["result"]
    if kind not in _KINDS:
        raise ValueError("kind")
    _check_whole(size, SMALLEST, LARGEST)
    classes = class_count(size) if kind in ("class", "third") else 0
    _check_whole(number, min(1, classes), classes)
    _check_whole(turn, 0, 0 if kind in ("class", "third") else _MOST)
    last = size * size - 1
    match kind:
        case "class":
            _check_range(result["points"], -_MOST, _MOST)
            for point in result["best"]:
                _check_whole(point, 0, last)
        case "third":
            for point, points in result["values"]:
                _check_whole(point, 0, last)
                _check_range(points, -_MOST, _MOST)
        case _:
            for komi, margin, moves in result["games"]:
                _check_range(komi, -_MOST, _MOST)
                _check_range(margin, -_MOST, _MOST)
                _check_whole(moves, 0, _MOST)
    return Task(kind, size, number, turn), result


_MOST: Final = 1 << 31
"""More than any count or number of points."""


def _check_whole(number: int, low: int, high: int) -> None:
    if not isinstance(number, int):
        raise TypeError("a whole number is wanted")
    _check_range(number, low, high)


def _check_range(number: float, low: float, high: float) -> None:
    if not low <= number <= high:
        raise ValueError("range")


def how_made(plan: Plan, net: Path, name: str) -> dict[str, Any]:
    """Return the parameters that must agree for results to belong together."""
    return {
        "network": name,
        "sha256": hashlib.sha256(net.read_bytes()).hexdigest(),
        "komis": list(KOMIS),
        "visits": plan.visits,
        "third_visits": plan.third_visits,
        "style": asdict(STYLE),
    }


def judge(
    plan: Plan,
    network: NetworkEvaluator,
    file: JudgementFile,
    told: Callable[[int, int, Task], object] = lambda _done, _all, _task: None,
) -> None:
    """Do the tasks missing from the file.

    Args:
        plan: the tasks.
        network: the network.
        file: for the results.
        told: called before each task with the number of finished tasks, the total, and the task.
    """
    tasks = list(plan.tasks())
    done = sum(task in file.results for task in tasks)
    judging = Judge(network, plan)
    for task in tasks:
        if task not in file.results:
            told(done, len(tasks), task)
            file.add(task, judging.result(task))
            done += 1


Results: TypeAlias = dict[Task, dict[str, Any]]


def compact(files: Sequence[JudgementFile], date: str, version: str) -> bytes:
    """Return the results so far in the program's file format, see :mod:`~daoqi_tui.analysis.opening`.

    Sizes are left out whose classes have not been searched by all networks, and third moves likewise.

    Args:
        files: the results of one network each, two at least: how far they differ says how much their mean is worth. The
            games for the fair komi are those of the first.
        date: the day.
        version: of the program.

    Raises:
        ValueError: there is only one file.
    """
    if len(files) < 2:
        raise ValueError(Message("the values need the results of two networks"))
    sizes = {}
    for size in sorted({task.size for task in files[0].results}):
        found = [{task: result for task, result in file.results.items() if task.size == size} for file in files]
        if all(_is_searched("class", size, results) for results in found):
            sizes[str(size)] = _compact_size(size, found)
    judges = [{key: file.made[key] for key in ("network", "sha256", "visits", "third_visits")} for file in files]
    held = {"format": FORMAT, "made": {"judges": judges, "date": date, "version": version}, "sizes": sizes}
    return gzip.compress(json.dumps(held, separators=(",", ":")).encode(), mtime=0)


def _is_searched(kind: Kind, size: int, results: Results) -> bool:
    return all(Task(kind, size, number) in results for number in range(1, class_count(size) + 1))


def _compact_size(size: int, found: Sequence[Results]) -> dict[str, Any]:
    numbers = range(1, class_count(size) + 1)
    classes = np.array([[results[Task("class", size, number)]["points"] for number in numbers] for results in found])
    # A network may favour one side everywhere; only what it says of one opening against another counts.
    level = classes.mean(axis=1)
    classes -= level[:, None]
    means = classes.mean(axis=0)
    thirds: list[list[list[tuple[int, float]]]] = [[[] for _ in numbers] for _ in found]
    if all(_is_searched("third", size, results) for results in found):
        thirds = [[results[Task("third", size, number)]["values"] for number in numbers] for results in found]
    third_points = np.array([[points for each in values for _point, points in each] for values in thirds])
    third_points -= level[:, None]
    given = iter(third_points.mean(axis=0).tolist())
    played = (result["games"] for task, result in found[0].items() if task.kind == "komi")
    margins = [margin for games in played for _komi, margin, _moves in games]
    return {
        "noise": max(1, round(_noise(classes) * UNITS)),
        "third_noise": max(1, round(_noise(third_points) * UNITS)),
        "classes": [
            {
                "points": round(float(means[number - 1]) * UNITS),
                "best": found[-1][Task("class", size, number)]["best"],
                "thirds": [(point, round(next(given) * UNITS)) for point, _points in thirds[0][number - 1]],
            }
            for number in numbers
        ],
        "fair_komi": asdict(fair_komi(margins)) if margins else None,
    }


def _noise(points: NDArray[np.float64]) -> float:
    """Return which deviation of a position's mean chance explains, in 95 % of cases for all positions at once.

    Args:
        points: of each network and position, ``(networks, positions)``.
    """
    networks, positions = points.shape
    if not positions:
        return 0.0
    variance = points.var(axis=0, ddof=1).mean() / networks
    # Of forty positions, two would exceed the bound for one of them (Bonferroni).
    return NormalDist().inv_cdf(1.0 - _CHANCE / 2 / positions) * math.sqrt(float(variance))
