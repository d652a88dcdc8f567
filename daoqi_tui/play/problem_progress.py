"""Progress with problems, and which is due: spaced repetition with Leitner boxes (Leitner 1972).

A problem solved at the first try moves up a box and comes back after more days; after a wrong move or a hint it returns
to the first box.

>>> from datetime import date
>>> progress = Progress()
>>> for day in (1, 2, 5):
...     progress.record("a problem", date(2026, 11, day), solved_at_once=True)
>>> progress.records["a problem"]
Record(box=3, due=datetime.date(2026, 11, 12), tries=3, solved=3)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from daoqi_tui.analysis.problems import KINDS, Kind, Problem
from daoqi_tui.message import Message, reason_of
from daoqi_tui.play.problem_files import key_of
from daoqi_tui.play.problems import Answer, Attempt
from daoqi_tui.record.files import changing, library_folder, read_json, write_atomically

INTERVALS: Final = (1, 1, 3, 7, 16, 35, 90)
"""Days until a problem comes back, by its box."""
_MOST_BYTES: Final = 16 * 2**20
_MOST: Final = 10**9


class Record(NamedTuple):
    """The progress with a problem.

    Attributes:
        box: 0 after a failure, then one more for each time it was solved at the first try.
        due: the day when it is due again.
        tries: the number of attempts.
        solved: the number of times it was solved at the first try.
    """

    box: int
    due: date
    tries: int = 0
    solved: int = 0

    def merged(self, other: Record) -> Record:
        """Return the later of two records of the same problem: that after more tries, else that due later.

        The records of a problem are totally ordered, and this is the greater of the two. So merging is commutative,
        associative and idempotent: copies of the same progress may be merged in any order, and any number of times.

        >>> Record(2, date(2026, 11, 5), 3, 2).merged(Record(0, date(2026, 11, 9), 4, 2))
        Record(box=0, due=datetime.date(2026, 11, 9), tries=4, solved=2)
        """
        return max(self, other, key=lambda record: (record.tries, record.due, record.solved, record.box))


class ProgressError(ValueError):
    """The progress cannot be read; the text is one sentence."""


@dataclass(slots=True)
class Progress:
    """The progress with all problems.

    Attributes:
        records: by the problem's key.
    """

    records: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Progress:
        """Read a file; where there is none, nothing is remembered yet.

        Raises:
            ProgressError: it cannot be read.
        """
        try:
            problems = read_json(path, _MOST_BYTES)["problems"]
            return cls({str(key): _record(value) for key, value in problems.items()})
        except FileNotFoundError:
            return cls()
        except OSError as error:
            raise ProgressError(
                Message("{file} cannot be read: {reason}", file=path, reason=reason_of(error))
            ) from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ProgressError(
                Message("{file} is not a progress file; move it away to start a new one", file=path)
            ) from error

    def write(self, path: Path) -> None:
        """Write the file, atomically.

        Raises:
            OSError: as the system gives it.
        """
        problems = {
            key: [record.box, record.due.isoformat(), record.tries, record.solved]
            for key, record in self.records.items()
        }
        write_atomically(path, json.dumps({"problems": problems}, indent=0).encode())

    def merged(self, other: Progress) -> Progress:
        """Return the progress of both, the later record of each problem (:meth:`Record.merged`)."""
        records = dict(self.records)
        for key, record in other.records.items():
            records[key] = record.merged(records.get(key, record))
        return Progress(records)

    def record(self, key: str, today: date, *, solved_at_once: bool) -> None:
        """Record an attempt at a problem."""
        known = self.records.get(key, Record(0, today))
        box = min(known.box + 1, len(INTERVALS) - 1) if solved_at_once else 0
        due = today + timedelta(days=INTERVALS[box])
        self.records[key] = Record(box, due, known.tries + 1, known.solved + solved_at_once)

    def is_due(self, problem: Problem, today: date) -> bool:
        """Return whether a problem that was tried before is due."""
        record = self.records.get(key_of(problem))
        return record is not None and record.due <= today

    def is_solved(self, problem: Problem) -> bool:
        """Return whether a problem was solved at the first try the last time."""
        record = self.records.get(key_of(problem))
        return record is not None and record.box > 0

    def next(self, problems: Iterable[Problem], today: date, after: Problem | None = None) -> Problem | None:
        """Return the problem to solve next, another than ``after`` where there is one.

        Due problems come first, the longest overdue before the others; then new ones in their order, then those due
        soonest.
        """

        def order(place: int, problem: Problem) -> tuple[bool, int, date, int]:
            record = self.records.get(key_of(problem))
            if record is None:
                return problem is after, 1, today, place
            return problem is after, 0 if record.due <= today else 2, record.due, place

        listed = [(order(place, problem), problem) for place, problem in enumerate(problems)]
        return min(listed, key=lambda entry: entry[0])[1] if listed else None


def _record(value: Any) -> Record:  # noqa: ANN401 (what a file may hold)
    box, due, tries, solved = value
    for number in (box, tries, solved):
        if number.__class__ is not int or not 0 <= number < _MOST:
            raise ValueError(number)
    return Record(min(box, len(INTERVALS) - 1), date.fromisoformat(due), tries, solved)


class Group(NamedTuple):
    """The problems of one kind and level, and the progress with them.

    Attributes:
        kind, level: what they have in common.
        problems: all of them.
        solved: the number solved at the first try the last time.
        due: the number that are due.
    """

    kind: Kind
    level: int
    problems: tuple[Problem, ...]
    solved: int
    due: int


def groups(problems: Sequence[Problem], progress: Progress, today: date) -> list[Group]:
    """Return the problems by kind and level."""
    found: dict[tuple[Kind, int], list[Problem]] = {}
    kinds: list[Kind] = [*KINDS, "own"]
    for problem in problems:
        found.setdefault((problem.kind, problem.level), []).append(problem)
    return [
        Group(
            kind,
            level,
            tuple(listed),
            sum(progress.is_solved(problem) for problem in listed),
            sum(progress.is_due(problem, today) for problem in listed),
        )
        for (kind, level), listed in sorted(found.items(), key=lambda entry: (kinds.index(entry[0][0]), entry[0][1]))
    ]


def progress_file() -> Path:
    return library_folder().with_name("problems.json")


class _Attempted(NamedTuple):
    """An attempt at a problem: its key, the day, and whether it was solved at the first try."""

    key: str
    today: date
    solved_at_once: bool

    def add_to(self, progress: Progress) -> None:
        progress.record(self.key, self.today, solved_at_once=self.solved_at_once)


class ProgressFile:
    """The user's progress, in a file that several windows share.

    To save, a window locks the file, reads it, merges it with what the window has read or saved before, adds its own
    attempts since then, and writes it. So every attempt counts once, in whichever window it was made.

    Args:
        path: the file; None keeps nothing.

    Attributes:
        progress: with all problems.
        trouble: why the file cannot be read or written, None while it can. A file that cannot be read is not replaced.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._unsaved: list[_Attempted] = []
        self._known = Progress()
        """What was read or saved last."""
        self._lock = Lock()
        """Protects the attributes, but is not held while the disk is waited for."""
        self.progress = Progress()
        self.trouble: ProgressError | OSError | None = None
        if path is not None:
            try:
                self._known = Progress.read(path)
            except ProgressError as error:
                self._path, self.trouble = None, error
            self.progress = Progress(dict(self._known.records))

    def record(self, problem: Problem, today: date, *, solved_at_once: bool) -> None:
        """Record an attempt at a problem, to be saved by :meth:`save`."""
        attempted = _Attempted(key_of(problem), today, solved_at_once)
        with self._lock:
            attempted.add_to(self.progress)
            self._unsaved.append(attempted)

    def save(self) -> None:
        """Save the attempts, merged with those of other windows. Waits for the disk, and for those windows.

        What cannot be saved is saved with the next attempt.
        """
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with changing(self._path):
                unsaved = tuple(self._unsaved)
                progress = Progress.read(self._path).merged(self._known)
                for attempted in unsaved:
                    attempted.add_to(progress)
                if unsaved:
                    progress.write(self._path)
                with self._lock:
                    del self._unsaved[: len(unsaved)]
                    self._known, self.trouble = progress, None
                    self.progress = Progress(dict(progress.records))
                    for attempted in self._unsaved:
                        attempted.add_to(self.progress)
        except (ProgressError, OSError) as error:
            self.trouble = error


class Practice:
    """Solving problems one after another.

    Args:
        problems: one or more.
        file: the user's progress.
        today: returns the day.

    Attributes:
        problems: all that may come.
        file: as given.
        attempt: the attempt at the current problem.
        save: called when an outcome was recorded; saves the progress, unless a face replaces it to do so in a thread.
    """

    def __init__(self, problems: Sequence[Problem], file: ProgressFile, today: Callable[[], date] = date.today) -> None:
        self.problems: Final = tuple(problems)
        self.file: Final = file
        self._today: Final = today
        self._recorded = False
        self.save: Callable[[], object] = file.save
        first = file.progress.next(self.problems, today())
        assert first is not None
        self.attempt = Attempt(first)

    @property
    def problem(self) -> Problem:
        return self.attempt.problem

    def play(self, move: int) -> Answer:
        """Play at a point, or pass, and remember how the attempt ended."""
        answer = self.attempt.play(move)
        self._record()
        return answer

    def hint(self) -> tuple[int, ...]:
        """Give a hint, after which the attempt does not count as solved."""
        points = self.attempt.hint()
        self._record()
        return points

    def next(self) -> None:
        """Go to the next problem."""
        chosen = self.file.progress.next(self.problems, self._today(), self.problem)
        assert chosen is not None
        self.attempt, self._recorded = Attempt(chosen), False

    @property
    def solved(self) -> int:
        """The number of problems solved at the first try the last time."""
        return sum(self.file.progress.is_solved(problem) for problem in self.problems)

    def _record(self) -> None:
        """Record the first outcome of an attempt: failed or solved."""
        attempt = self.attempt
        if not self._recorded and (attempt.failed or attempt.solved):
            self._recorded = True
            self.file.record(attempt.problem, self._today(), solved_at_once=not attempt.failed)
            self.save()
