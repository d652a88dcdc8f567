"""Evaluates openings with a network: searches of the classes and their third moves, and games played from them.

The work is a list of small tasks, and each result is a line of JSON in a file. An interruption loses only the current
task; the next run continues with the tasks missing from the file. Random numbers are seeded by the task, so that the
results do not depend on interruptions.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np

from daoqi_tui.ai.search.evaluator import HISTORY, NetworkEvaluator
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.analysis.opening import (
    FORMAT,
    LEAD_UNITS,
    WIN_UNITS,
    class_count,
    opening_class,
    third_moves,
    third_position,
)
from daoqi_tui.engine import BLACK, LARGEST, PASS, SMALLEST, Board, torus_of
from daoqi_tui.lab.openings.fair_komi import fair_komi
from daoqi_tui.lab.openings.games import TOGETHER, PlayStyle, Start, play_games, search_together
from daoqi_tui.message import Message
from daoqi_tui.paths import check_file, naming
from daoqi_tui.reading.symmetry import canonical_moves, point_table
from daoqi_tui.record.files import lock

KOMI: Final = 4.0
"""The komi of all searches and of the games from the classes."""
KOMI_TRIED: Final = tuple(range(16))
"""The komi values of the games for the fair komi: each once per round."""
GAMES_A_TASK: Final = 8
BEST: Final = 8
"""The number of replies kept from the search of a class."""

Kind: TypeAlias = Literal["class", "third", "games", "komi", "policy"]
_KINDS: Final = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Plan:
    """The amount of work for each size.

    Attributes:
        sizes: board sizes, the most important first.
        visits: for the search of each class of two moves.
        third_visits: for the search after each third move; 0 for none.
        games: policy-only games from each class; rounded up to a multiple of 8.
        komi_games: games with a search for each move, for the fair komi of each size; rounded up to a multiple of 16.
        komi_visits: visits per move in these.
        policy_games: policy-only games for the fair komi; rounded up to a multiple of 16.
    """

    sizes: tuple[int, ...]
    visits: int
    third_visits: int
    games: int
    komi_games: int
    komi_visits: int
    policy_games: int

    def tasks(self) -> Iterator[Task]:
        """Yield all tasks, the most important first."""
        for kind in ("class", "third") if self.third_visits else ("class",):
            for size in self.sizes:
                for number in range(1, class_count(size) + 1):
                    yield Task(kind, size, number)
        turns: dict[Kind, int] = {
            "komi": -(-self.komi_games // len(KOMI_TRIED)),
            "policy": -(-self.policy_games // len(KOMI_TRIED)),
            "games": -(-self.games // GAMES_A_TASK),
        }
        for turn in range(max(turns.values())):
            for size in self.sizes:
                for batch, most in turns.items():
                    numbers = range(1, class_count(size) + 1) if batch == "games" else (0,)
                    if turn < most:
                        yield from (Task(batch, size, number, turn) for number in numbers)


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work.

    Attributes:
        kind: search of a class, or of its third moves; games from a class, or for the fair komi with a search for each
            move, or by the policy alone.
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
            case "games":
                moves = opening_class(task.size, task.number).points(task.size)
                return self._play(task, [Start(KOMI, moves)] * GAMES_A_TASK, 0)
            case "komi":
                return self._play(task, [Start(komi) for komi in KOMI_TRIED], self._plan.komi_visits)
            case "policy":
                return self._play(task, [Start(komi) for komi in KOMI_TRIED], 0)

    def _search_class(self, task: Task) -> dict[str, Any]:
        size, moves = task.size, opening_class(task.size, task.number).points(task.size)
        search = self._search(size, moves)
        search.run(Limits(self._plan.visits))
        form = _merged(search, size, moves)
        return {"visits": self._plan.visits, **_value(search), "best": form[:BEST]}

    def _search_thirds(self, task: Task) -> dict[str, Any]:
        size, number = task.size, task.number
        moves = opening_class(size, number).points(size)
        # Another class may transpose to the same position, and then has the same value.
        own = [point for point in third_moves(size, number) if third_position(size, number, point) == (number, point)]
        values: list[tuple[int, float, float]] = []
        for start in range(0, len(own), TOGETHER):
            points = own[start : start + TOGETHER]
            searches = [self._search(size, (*moves, point)) for point in points]
            search_together(self._network, searches, self._plan.third_visits)
            for point, search in zip(points, searches, strict=True):
                value = _value(search)
                values.append((point, value["win"], value["lead"]))
        return {"visits": self._plan.third_visits, "values": values}

    def _play(self, task: Task, starts: Sequence[Start], visits: int) -> dict[str, Any]:
        random = np.random.default_rng(task.seed)
        games = play_games(self._network, task.size, starts, PlayStyle(visits), random)
        return {"visits": visits, "games": [(game.komi, game.margin, game.moves) for game in games]}

    def _search(self, size: int, moves: tuple[int, ...]) -> PuctSearch:
        board = Board(torus_of(size))
        for move in moves:
            board.make(move)
        return PuctSearch(board, KOMI, self._network, recent=moves[-HISTORY:])


def _value(search: PuctSearch) -> dict[str, float]:
    """Return Black's win rate and score lead, each the mean of the search."""
    root = search.root
    mean = float(root.value_sum.sum()) / root.total_visits
    black = mean if root.to_move == BLACK else 1.0 - mean
    return {"win": round(black, 4), "lead": round(search.margin, 2)}


def _merged(search: PuctSearch, size: int, moves: Sequence[int]) -> list[tuple[int, int, float, float]]:
    """Return point, visits, Black's win rate and lead of the replies, merging symmetric ones."""
    indices = list(canonical_moves(size, moves).indices)
    table = point_table(size)
    merged: dict[int, list[float]] = {}
    root = search.root
    for index, move in enumerate(root.moves.tolist()):
        visits = float(root.visits[index])
        if visits:
            point = move if move == PASS else int(table[indices, move].min())
            entry = merged.setdefault(point, [0.0, 0.0, 0.0])
            entry[0] += visits
            entry[1] += float(root.value_sum[index])
            entry[2] += root.margins[index]
    rows = []
    for point, (visits, won, margin) in sorted(merged.items(), key=lambda item: -item[1][0]):
        win = won / visits
        black = win if root.to_move == BLACK else 1.0 - win
        rows.append((point, int(visits), round(black, 4), round(margin / visits, 2)))
    return rows


_BEGINNING: Final = b'{"made":'


class JudgementFile:
    """The results so far, one line of JSON each, in an append-only file.

    Args:
        path: the file, which need not exist.
        made: how the results are made: network, visits. A file made differently is refused.

    Attributes:
        made: as given.
        results: by task.

    Raises:
        OSError: the file cannot be read or written.
        ValueError: it is not such a file, or was made differently.
        InUse: another process is writing to it.
    """

    def __init__(self, path: Path, made: dict[str, Any]) -> None:
        self.made: Final = made
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
            self._write({"made": made})

    def _read(self, path: Path, made: dict[str, Any]) -> int:
        """Read the file; return the number of bytes in complete lines."""
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].splitlines()
        try:
            if not data.startswith(_BEGINNING[: len(data)]):
                raise ValueError("beginning")
            made_so = json.loads(lines[0])["made"] if lines else made
        except (KeyError, ValueError, RecursionError) as error:
            raise ValueError(Message("{file} is not a file of judged openings", file=path)) from error
        if made_so != made:
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
    classes = class_count(size) if kind in ("class", "third", "games") else 0
    _check_whole(number, min(1, classes), classes)
    _check_whole(turn, 0, 0 if kind in ("class", "third") else _MOST)
    last = size * size - 1
    match kind:
        case "class":
            _check_value(result["win"], result["lead"])
            for point, visits, win, lead in result["best"]:
                _check_whole(point, PASS, last)
                _check_whole(visits, 1, _MOST)
                _check_value(win, lead)
        case "third":
            for point, win, lead in result["values"]:
                _check_whole(point, 0, last)
                _check_value(win, lead)
        case _:
            for komi, margin, moves in result["games"]:
                _check_range(komi, -_MOST, _MOST)
                _check_range(margin, -_MOST, _MOST)
                _check_whole(moves, 0, _MOST)
    return Task(kind, size, number, turn), result


_MOST: Final = 1 << 31
"""More than any count or number of points."""


def _check_value(win: float, lead: float) -> None:
    _check_range(win, 0, 1)
    _check_range(lead, -_MOST, _MOST)


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
        "komi": KOMI,
        "visits": plan.visits,
        "third_visits": plan.third_visits,
        "komi_visits": plan.komi_visits,
        "style": asdict(PlayStyle()),
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


def compact(file: JudgementFile, date: str, version: str) -> bytes:
    """Return the results so far in the program's file format, see :mod:`~daoqi_tui.analysis.opening`.

    Sizes with unsearched classes are left out.

    Args:
        file: the results.
        date: the day.
        version: of the program.
    """
    by_size: dict[int, dict[Task, dict[str, Any]]] = {}
    for task, result in file.results.items():
        by_size.setdefault(task.size, {})[task] = result
    sizes = {
        size: _compact_size(size, results, file.made)
        for size, results in sorted(by_size.items())
        if sum(task.kind == "class" for task in results) == class_count(size)
    }
    made = {key: file.made[key] for key in ("network", "sha256", "komi")}
    held = {"format": FORMAT, "made": {**made, "date": date, "version": version}, "sizes": sizes}
    return gzip.compress(json.dumps(held, separators=(",", ":")).encode(), mtime=0)


def _compact_size(size: int, results: dict[Task, dict[str, Any]], made: dict[str, Any]) -> dict[str, Any]:
    classes = []
    for number in range(1, class_count(size) + 1):
        found = results[Task("class", size, number)]
        thirds = results.get(Task("third", size, number), {"values": []})["values"]
        margins = [
            margin
            for task, result in results.items()
            if (task.kind, task.number) == ("games", number)
            for _komi, margin, _moves in result["games"]
        ]
        classes.append(
            {
                "value": _units(found["win"], found["lead"]),
                "best": [(point, visits, *_units(win, lead)) for point, visits, win, lead in found["best"]],
                "games": (len(margins), sum(margin > made["komi"] for margin in margins)),
                "thirds": [(point, *_units(win, lead)) for point, win, lead in thirds],
            }
        )
    fair = []
    for kind, visits in (("komi", made["komi_visits"]), ("policy", 0)):
        margins = [
            margin for task, result in results.items() if task.kind == kind for _komi, margin, _moves in result["games"]
        ]
        if margins:
            fair.append(asdict(fair_komi(margins, visits)))
    return {
        "visits": made["visits"],
        "third_visits": made["third_visits"],
        "classes": classes,
        "fair_komi": fair,
    }


def _units(win: float, lead: float) -> tuple[int, int]:
    return round(win * WIN_UNITS), round(lead * LEAD_UNITS)
