"""Which functions of the program some code runs, in the order in which they are first called."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import daoqi_tui

_PACKAGE = str(Path(daoqi_tui.__file__).parent) + "/"


class Function(NamedTuple):
    """A function of the program, by its file in the package and its name."""

    file: str
    name: str

    @property
    def is_of_screen(self) -> bool:
        return self.file.startswith("tui/")


Calls = Counter[tuple[Function | None, Function]]
"""How often each function was called, by its caller in the program, if any, in the order of the first calls."""


@contextmanager
def traced() -> Iterator[Calls]:
    """Record the calls of functions of the program in this thread."""
    calls: Calls = Counter()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and (called := _function(frame)) is not None:
            before = frame.f_back
            calls[None if before is None else _function(before), called] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def _function(frame: FrameType) -> Function | None:
    code = frame.f_code
    if not code.co_filename.startswith(_PACKAGE):
        return None
    return Function(code.co_filename.removeprefix(_PACKAGE), code.co_qualname)


def is_path(path: list[Function], calls: Calls) -> bool:
    """Return whether each function of a path ran, first after those before it."""
    first: dict[Function, int] = {}
    for _caller, called in calls:
        first.setdefault(called, len(first))
    missing = [function for function in path if function not in first]
    assert not missing, f"{missing} did not run"
    return sorted(path, key=first.__getitem__) == path
