"""What a person looks for in a library: plain words, and fields such as ``white:ke``, ``size:9`` or ``date:>2020``.

>>> query = Query.parse("ladder white:ke date:>=2024 size:9")
>>> query.words, [condition.field for condition in query.conditions]
(('ladder',), ['white', 'date', 'size'])
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from daoqi_tui.record.library_index import LibraryEntry, folded

FIELDS: Final[Mapping[str, Callable[[LibraryEntry], Any]]] = {
    "black": lambda entry: folded(entry.black),
    "white": lambda entry: folded(entry.white),
    "player": lambda entry: f"{folded(entry.black)}\n{folded(entry.white)}",
    "name": lambda entry: folded(entry.name),
    "result": lambda entry: folded(entry.result),
    "date": lambda entry: folded(entry.date),
    "size": lambda entry: entry.size,
    "moves": lambda entry: entry.moves,
    "komi": lambda entry: entry.komi,
    "opening": lambda entry: entry.opening,
}
"""What may stand before a colon, and what it is compared with."""
_CONDITION = re.compile(rf"({'|'.join(FIELDS)}):(<=|>=|<|>|=)?(.+)")
"""Matched with folded text; without regard to case it would take ``whıte``, with a Turkish ı, for a field too."""
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_NUMBERS: Final = frozenset({"size", "moves", "komi", "opening"})


class Condition(NamedTuple):
    """One field and what it has to be.

    Attributes:
        field: a key of :data:`FIELDS`.
        sign: how it is compared; empty if it has to hold the text, or begin with it (a date or a result).
        value: what it is compared with: a number for a number, else folded text.
    """

    field: str
    sign: str
    value: float | str

    def holds(self, entry: LibraryEntry) -> bool:
        """Return whether an entry fulfils it; one that cannot be read fulfils none."""
        if entry.problem is not None:
            return False
        found = FIELDS[self.field](entry)
        if self.sign:
            # A day lies in its year: 2024-05 is neither before nor after 2024.
            shown = found[: len(str(self.value))] if self.field == "date" else found
            return bool(found != "" and _COMPARED[self.sign](shown, self.value))
        if self.field in _NUMBERS:
            return bool(found == self.value)
        return found.startswith(self.value) if self.field in ("date", "result") else self.value in found


class Query(NamedTuple):
    """What is looked for: words that have to stand somewhere, and conditions."""

    words: tuple[str, ...]
    conditions: tuple[Condition, ...]

    @staticmethod
    def parse(text: str) -> Query:
        """Read what a person typed; what is no condition is a word."""
        words, conditions = [], []
        for word in folded(text).split():
            condition = _condition(word)
            if condition is None:
                words.append(word)
            else:
                conditions.append(condition)
        return Query(tuple(words), tuple(conditions))

    def holds(self, entry: LibraryEntry) -> bool:
        """Return whether an entry fulfils all conditions."""
        return all(condition.holds(entry) for condition in self.conditions)


def _condition(word: str) -> Condition | None:
    found = _CONDITION.fullmatch(word)
    if found is None:
        return None
    field, sign, value = found[1], found[2] or "", found[3]
    if field not in _NUMBERS:
        return Condition(field, sign, value)
    try:
        return Condition(field, sign, float(value))
    except ValueError:
        return None
