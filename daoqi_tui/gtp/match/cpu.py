"""The CPU time that a program and all it has started have used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")


class _Process(NamedTuple):
    parent: int
    ticks: int
    """Of CPU time, its own and that of its children that have ended."""


def cpu_seconds(pid: int | None) -> float | None:
    """Return the CPU seconds of a process and its descendants, of those that have ended too.

    None where there is no such process, and on systems that have no ``/proc``.
    """
    processes = dict(_processes())
    if pid is None or pid not in processes:
        return None
    children: dict[int, list[int]] = {}
    for number, process in processes.items():
        children.setdefault(process.parent, []).append(number)
    ticks, left = 0, [pid]
    while left:
        number = left.pop()
        ticks += processes[number].ticks
        left += children.get(number, [])
    return ticks / os.sysconf("SC_CLK_TCK")


def _processes() -> Iterator[tuple[int, _Process]]:
    """Yield the processes of this machine by number; those that end meanwhile are left out."""
    for path in _PROC.glob("[0-9]*"):
        try:
            # The name of the program, which may hold anything, is in parentheses.
            fields = (path / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        # Numbers 4 and 14 to 17 in proc(5).
        yield int(path.name), _Process(int(fields[1]), sum(map(int, fields[11:15])))
