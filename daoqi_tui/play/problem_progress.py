"""What is remembered of problems, and which is due: spaced repetition with Leitner's boxes (Leitner 1972).

A problem solved at once moves up a box and comes back after more days; after a wrong move or a hint it begins in the
first box again.

>>> from datetime import date
>>> progress = Progress()
>>> for day in (1, 2, 5):
...     progress.record("a problem", date(2026, 11, day), solved_at_once=True)
>>> progress.records["a problem"]
Record(box=3, due=datetime.date(2026, 11, 12), tries=3, solved=3)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

from daoqi_tui.analysis.problems import Kind, Problem
from daoqi_tui.message import Message, reason_of
from daoqi_tui.play.problem_files import key_of
from daoqi_tui.record.files import library_folder, write_atomically

INTERVALS: Final = (1, 1, 3, 7, 16, 35, 90)
"""Days until a problem comes back, by its box."""
_MOST_BYTES: Final = 16 * 2**20
_MOST: Final = 10**9


class Record(NamedTuple):
    """What is remembered of a problem.

    Attributes:
        box: 0 after a failure, then one more for each time it was solved at once.
        due: the day when it is due again.
        tries: how often it was tried.
        solved: how often it was solved at once.
    """

    box: int
    due: date
    tries: int = 0
    solved: int = 0


class ProgressError(ValueError):
    """The progress cannot be read; the text is one sentence."""


@dataclass(slots=True)
class Progress:
    """What is remembered of all problems.

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
            with path.open("rb") as file:
                text = file.read(_MOST_BYTES + 1)
        except FileNotFoundError:
            return cls()
        except OSError as error:
            raise ProgressError(
                Message("{file} cannot be read: {reason}", file=path, reason=reason_of(error))
            ) from error
        try:
            if len(text) > _MOST_BYTES:
                raise ValueError
            return cls({str(key): _record(value) for key, value in json.loads(text)["problems"].items()})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ProgressError(
                Message("{file} is not a record of progress; move it away, and a new one is begun", file=path)
            ) from error

    def write(self, path: Path) -> None:
        """Write the file, atomically.

        Raises:
            OSError: as the system gives it.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        problems = {
            key: [record.box, record.due.isoformat(), record.tries, record.solved]
            for key, record in self.records.items()
        }
        write_atomically(path, json.dumps({"problems": problems}, indent=0).encode())

    def record(self, key: str, today: date, *, solved_at_once: bool) -> None:
        """Remember that a problem was tried."""
        known = self.records.get(key, Record(0, today))
        box = min(known.box + 1, len(INTERVALS) - 1) if solved_at_once else 0
        due = today + timedelta(days=INTERVALS[box])
        self.records[key] = Record(box, due, known.tries + 1, known.solved + solved_at_once)

    def is_due(self, problem: Problem, today: date) -> bool:
        """Return whether a problem that was tried before is due."""
        record = self.records.get(key_of(problem))
        return record is not None and record.due <= today

    def next(self, problems: Iterable[Problem], today: date, after: Problem | None = None) -> Problem | None:
        """Return the problem to solve next, another than ``after`` where there is one.

        Those that are due come first, the longest due before the others; then new ones in their order, then what is due
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
    """The problems of one kind and level, and how far one has got with them.

    Attributes:
        kind, level: what they have in common; level 0 stands for all.
        problems: all of them.
        solved: how many were solved at once the last time.
        due: how many are due.
    """

    kind: Kind
    level: int
    problems: tuple[Problem, ...]
    solved: int
    due: int


def groups(problems: Sequence[Problem], progress: Progress, today: date) -> list[Group]:
    """Return the problems by kind and level, in the order of the collection's kinds."""
    found: dict[tuple[Kind, int], list[Problem]] = {}
    kinds = list(dict.fromkeys(problem.kind for problem in problems))
    for problem in problems:
        found.setdefault((problem.kind, problem.level), []).append(problem)
    return [
        Group(
            kind,
            level,
            tuple(listed),
            sum((record := progress.records.get(key_of(problem))) is not None and record.box > 0 for problem in listed),
            sum(progress.is_due(problem, today) for problem in listed),
        )
        for (kind, level), listed in sorted(found.items(), key=lambda entry: (kinds.index(entry[0][0]), entry[0][1]))
    ]


def progress_file() -> Path:
    """Return the file of one's progress, beside the folder of the library."""
    return library_folder().with_name("problems.json")
