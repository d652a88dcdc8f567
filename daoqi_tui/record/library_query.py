"""Library search queries: plain words, and fields such as ``white:ke``, ``size:9`` or ``date:>2020``.

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
"""The field names before a colon, and the values they are compared with."""
_CONDITION = re.compile(rf"({'|'.join(FIELDS)}):(<=|>=|<|>|=)?(.+)")
"""Matched with case-folded text; matching case-insensitively would also accept ``whıte``, with a Turkish ı."""
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_NUMBERS: Final = frozenset({"size", "moves", "komi", "opening"})


class Condition(NamedTuple):
    """A condition on one field.

    Attributes:
        field: a key of :data:`FIELDS`.
        sign: the comparison operator; empty if the field has to contain the text, or begin with it (a date or a
            result).
        value: the operand: a number for a number, else case-folded text.
    """

    field: str
    sign: str
    value: float | str

    def holds(self, entry: LibraryEntry) -> bool:
        """Return whether an entry meets the condition; an unreadable entry meets none."""
        if entry.problem is not None:
            return False
        found = FIELDS[self.field](entry)
        if self.sign:
            # Compare prefixes: 2024-05 is neither before nor after 2024.
            shown = found[: len(str(self.value))] if self.field == "date" else found
            return bool(found != "" and _COMPARED[self.sign](shown, self.value))
        if self.field in _NUMBERS:
            return bool(found == self.value)
        return found.startswith(self.value) if self.field in ("date", "result") else self.value in found


class Query(NamedTuple):
    """A query: words that have to occur somewhere, and conditions."""

    words: tuple[str, ...]
    conditions: tuple[Condition, ...]

    @staticmethod
    def parse(text: str) -> Query:
        """Parse typed text; anything that is not a condition is a word."""
        words, conditions = [], []
        for word in folded(text).split():
            condition = _condition(word)
            if condition is None:
                words.append(word)
            else:
                conditions.append(condition)
        return Query(tuple(words), tuple(conditions))

    def holds(self, entry: LibraryEntry) -> bool:
        """Return whether an entry meets all conditions."""
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
