"""The CPU time used by a program and its descendants."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")


class _Process(NamedTuple):
    parent: int
    ticks: int
    """Clock ticks of CPU time, including its ended children."""


def cpu_seconds(pid: int | None) -> float | None:
    """Return the CPU seconds of a process and its descendants, including ended ones.

    None if there is no such process, or no ``/proc``.
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
    """Yield the processes of this machine by id; those that end meanwhile are skipped."""
    for path in _PROC.glob("[0-9]*"):
        try:
            # The program's name, which may contain anything, is in parentheses.
            fields = (path / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        # Fields 4 and 14 to 17 in proc(5).
        yield int(path.name), _Process(int(fields[1]), sum(map(int, fields[11:15])))
