"""Provides the kernel's functions in two forms from one source: interpreted over lists, or compiled over arrays.

:func:`interpreted` is always available. :func:`compiled` needs numba; see :mod:`daoqi_tui.ai.compiled`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, Protocol

from daoqi_tui.ai.compiled import (
    CacheState,
    LateKernel,
    cache_state,
    compile_all,
    compile_modules,
    filling_cache,
    functions_of,
    log_failure,
)
from daoqi_tui.ai.playout import features, kernel, policy
from daoqi_tui.ai.playout.kernel import INFO, Numbers, State, Table
from daoqi_tui.ai.playout.policy import pattern_table
from daoqi_tui.engine import Torus

_MODULES: Final = (kernel, policy, features)

SIGNED: Final = "i4"
UNSIGNED: Final = "u4"
BYTES: Final = "u1"
COLOURS: Final = "i1"


class Sequencer(Protocol):
    """Makes the flat sequences that the functions work on."""

    def __call__(self, numbers: Iterable[int], kind: str = SIGNED) -> Numbers:
        """Return a sequence of ``numbers``; an array is of the kind SIGNED, UNSIGNED, BYTES or COLOURS."""


@dataclass(frozen=True)
class Backend:
    """The kernel in one of its forms.

    Attributes:
        name: ``interpreted`` or ``compiled``.
        sequence: makes the flat sequences that the functions work on.
    """

    name: str
    sequence: Sequencer
    load: Callable[..., None]
    play: Callable[..., int]
    play_path: Callable[..., int]
    playout: Callable[..., int]
    score_area: Callable[..., int]
    simulate: Callable[..., int]
    simulate_batch: Callable[..., None]
    move_features: Callable[..., None]

    @cached_property
    def pattern(self) -> Table:
        """The 3×3 pattern table as a sequence of this backend."""
        return self.sequence(pattern_table(), BYTES)

    def empty_state(self, points: int) -> State:
        """Return the arrays of a state, to be filled by ``load``."""
        room = points + 1
        whole = self.sequence([0] * (8 * room + INFO), UNSIGNED)
        # Slices of an array are views of it, so one assignment copies a compiled state; see copy().
        one, two, three, four, five, six, seven, eight = (
            whole[start : start + room] for start in range(0, 8 * room, room)
        )
        return one, two, three, four, five, six, seven, eight, whole[8 * room :]


@dataclass(frozen=True)
class Tables:
    """The neighbour tables of a board; :mod:`~daoqi_tui.ai.playout.kernel` describes ``near`` and ``diagonal``."""

    points: int
    near: Table
    diagonal: Table
    pattern: Table

    @classmethod
    def of(cls, torus: Torus, backend: Backend) -> Tables:
        """Return the tables of a torus, or of any board with ``points``, ``neighbours`` and ``diagonals``."""
        off = torus.points
        near = [point for nearby in torus.neighbours for point in (*nearby, off, off, off, off)[:4]]
        diagonal = [point for nearby in torus.diagonals for point in (*nearby, off, off, off, off)[:4]]
        return cls(off, backend.sequence(near, UNSIGNED), backend.sequence(diagonal, UNSIGNED), backend.pattern)


def copy(source: State, target: State) -> None:
    """Copy a state. Not part of the kernel, where compiled slices would need numba's memory manager."""
    whole = getattr(target[0], "base", None)
    if whole is not None:
        whole[:] = source[0].base  # type: ignore[attr-defined]  # they are views of one array
        return
    for there, here in zip(source, target, strict=True):
        here[:] = there


def _backend(name: str, sequence: Sequencer, functions: dict[str, Any]) -> Backend:
    wanted = ("load", "play", "play_path", "playout", "score_area", "simulate", "simulate_batch", "move_features")
    return Backend(name, sequence, *(functions[key] for key in wanted))


@lru_cache(maxsize=1)
def interpreted() -> Backend:
    """Return the kernel as interpreted Python."""
    return _backend("interpreted", lambda numbers, kind=SIGNED: list(numbers), functions_of(_MODULES))  # noqa: ARG005


_lock: Final = threading.Lock()


def compiled() -> Backend:
    """Return the kernel compiled by numba, compiling it first if it is not cached.

    Raises:
        ImportError: numba is not installed.
    """
    with _lock:
        return _compiled()


@lru_cache(maxsize=1)
def _compiled() -> Backend:
    import numpy as np  # noqa: PLC0415 - the interpreted kernel does without

    def sequence(numbers: Iterable[int], kind: str = SIGNED) -> Numbers:
        array: Any = np.array(list(numbers), dtype=kind)
        return array  # type: ignore[no-any-return]

    with filling_cache(_MODULES):
        backend = _backend("compiled", sequence, compile_modules(_MODULES, forceinline=True))
        warm_up(backend, Torus(5))
    return backend


def warm_up(backend: Backend, torus: Torus) -> None:
    """Call every function once, so that it is compiled now and not during a search."""
    tables = Tables.of(torus, backend)
    points = torus.points
    root, work = backend.empty_state(points), backend.empty_state(points)
    moves, owner, first = (backend.sequence([0] * length) for length in (3 * points, points, points))
    stones = backend.sequence([0] * points)
    backend.load(points, tables.near, root, stones)
    backend.move_features(points, tables.near, tables.diagonal, root, 1, owner, first, moves)
    common = (tables.near, tables.diagonal, tables.pattern)
    copy(root, work)
    backend.simulate(points, *common, work, moves, 0, 1, 3, 1, moves, owner, first)
    copy(root, work)
    backend.play(tables.near, work, 0, 1)
    copy(root, work)
    backend.play_path(tables.near, work, moves, 1, 1)
    backend.playout(*common, work, moves, 1, 0, 1)
    backend.score_area(points, tables.near, work, owner)
    seeds = backend.sequence([1], UNSIGNED)
    lengths = backend.sequence([0])
    owners, firsts = (backend.sequence([0] * points, COLOURS) for _ in range(2))
    backend.simulate_batch(
        points, *common, root, work, moves, lengths, 1, 3, seeds, moves, moves, owner, first, moves, owners, firsts
    )


class BackgroundCompiler:
    """Compiles kernels in a background thread; :attr:`backend` is the interpreted one until that is done.

    Args:
        others: kernels to compile before the playouts' kernel.
    """

    def __init__(self, others: Iterable[LateKernel] = ()) -> None:
        self._others = tuple(others)
        self.backend = interpreted()
        self._thread: threading.Thread | None = None

    @property
    def cache_state(self) -> CacheState:
        """Whether all that is compiled is cached."""
        states = (*(kernel.cache_state for kernel in self._others), cache_state(_MODULES))
        return next((state for state in states if state != "cached"), "cached")

    def wait(self, seconds: float) -> bool:
        """Wait for at most ``seconds``; return whether compiling has ended."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def start(self, done: Callable[[], None] = lambda: None) -> None:
        """Start compiling, and call ``done`` in that thread afterwards; without numba nothing changes."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._compile, args=(done,), name="compile kernel", daemon=True)
            self._thread.start()

    def _compile(self, done: Callable[[], None]) -> None:
        compile_all(self._others)
        try:
            self.backend = compiled()
        except Exception as error:
            # The interpreted kernel still works.
            log_failure(error)
            return
        done()
