"""One source, two speeds: the kernel's functions interpreted over lists, or compiled over arrays.

:func:`interpreted` is always there. :func:`compiled` needs numba (``pip install daoqi-tui[fast]``) and takes
half a minute the first time, seconds from then on: the result is kept in the user's cache folder, under a name
made from the very source, because numba would not notice that a function it calls has changed elsewhere.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

from daoqi_tui.ai import features, kernel, policy
from daoqi_tui.ai.kernel import INFO, OFF, Numbers, State, Table
from daoqi_tui.ai.patterns import pattern_table
from daoqi_tui.engine import Torus

_MODULES: Final = (kernel, policy, features)


@dataclass(frozen=True)
class Backend:
    """The kernel in one of its forms.

    Attributes:
        name: ``interpreted`` or ``compiled``.
        sequence: makes the flat sequence that the functions work on.
    """

    name: str
    sequence: Callable[[Iterable[int]], Numbers]
    load: Callable[..., None]
    play: Callable[..., int]
    follow: Callable[..., int]
    playout: Callable[..., int]
    settle: Callable[..., int]
    simulate: Callable[..., int]
    judge: Callable[..., None]

    @cached_property
    def pattern(self) -> Table:
        """The pattern table, as this form likes it."""
        return self.sequence(pattern_table())

    def empty_state(self, points: int) -> State:
        """Room for a position, to be filled by ``load``."""
        entry = [0] * points
        return (
            self.sequence([*entry, OFF]),
            self.sequence(entry),
            self.sequence(entry),
            self.sequence(entry),
            self.sequence(entry),
            self.sequence(entry),
            self.sequence(entry),
            self.sequence([0] * INFO),
        )


@dataclass(frozen=True)
class Tables:
    """The neighbour tables of a board; ``near`` and ``diagonal`` as :mod:`~daoqi_tui.ai.kernel` explains."""

    points: int
    near: Table
    diagonal: Table
    pattern: Table

    @classmethod
    def of(cls, torus: Torus, backend: Backend) -> Tables:
        """The tables of a torus, or of anything with ``points``, ``neighbours`` and ``diagonals``, up to four each."""
        off = torus.points
        near = [point for nearby in torus.neighbours for point in (*nearby, off, off, off, off)[:4]]
        diagonal = [point for nearby in torus.diagonals for point in (*nearby, off, off, off, off)[:4]]
        return cls(off, backend.sequence(near), backend.sequence(diagonal), backend.pattern)


def copy(source: State, target: State) -> None:
    """Make ``target`` equal to ``source``. Not in the kernel: compiled slices would need numba's memory manager."""
    for there, here in zip(source, target, strict=True):
        here[:] = there


def _functions(modules: Iterable[ModuleType]) -> dict[str, FunctionType]:
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


def _backend(name: str, sequence: Callable[[Iterable[int]], Numbers], functions: dict[str, Any]) -> Backend:
    wanted = ("load", "play", "follow", "playout", "settle", "simulate", "judge")
    return Backend(name, sequence, *(functions[key] for key in wanted))


@lru_cache(maxsize=1)
def interpreted() -> Backend:
    """The kernel as it stands in the source."""
    return _backend("interpreted", list, _functions(_MODULES))


_lock: Final = threading.Lock()


def compiled() -> Backend:
    """The kernel compiled by numba, ready to use.

    Raises:
        ImportError: numba is not installed.
    """
    with _lock:
        return _compiled()


@lru_cache(maxsize=1)
def _compiled() -> Backend:
    import numba  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415 - an extra
    import numpy as np  # noqa: PLC0415 - the interpreted kernel does without

    numba.config.CACHE_DIR = str(_cache_folder())
    functions: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for module in _MODULES:
        shared.update({name: value for name, value in vars(module).items() if isinstance(value, int)})
    # Without counted references (nothing in the kernel makes an array) a playout is three times as fast.
    compile_function = numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True, _nrt=False)
    for name, function in _functions(_MODULES).items():
        # The copy sees the compiled functions where the original sees the interpreted ones.
        twin = FunctionType(function.__code__, shared, name)
        twin.__module__, twin.__qualname__ = function.__module__, function.__qualname__
        functions[name] = shared[name] = compile_function(twin)

    def sequence(numbers: Iterable[int]) -> Numbers:
        array: Any = np.array(list(numbers), dtype=np.int32)
        return array  # type: ignore[no-any-return]

    backend = _backend("compiled", sequence, functions)
    exercise(backend, Torus(5))
    return backend


def _cache_folder() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - wanted for compiling only

    digest = hashlib.sha256()
    for module in _MODULES:
        assert module.__file__ is not None
        digest.update(Path(module.__file__).read_bytes())
    return user_cache_path("daoqi-tui") / f"kernel-{digest.hexdigest()[:16]}"


def exercise(backend: Backend, torus: Torus) -> None:
    """Call every function once, so that it is compiled now and not in the middle of a thought."""
    tables = Tables.of(torus, backend)
    points = torus.points
    root, work = backend.empty_state(points), backend.empty_state(points)
    moves, owner, first = (backend.sequence([0] * length) for length in (3 * points, points, points))
    stones = backend.sequence([0] * points)
    backend.load(points, tables.near, root, stones)
    backend.judge(points, tables.near, tables.diagonal, root, 1, owner, first, moves)
    common = (tables.near, tables.diagonal, tables.pattern)
    copy(root, work)
    backend.simulate(points, *common, work, moves, 0, 1, 3, 1, moves, owner, first)
    copy(root, work)
    backend.play(tables.near, work, 0, 1)
    copy(root, work)
    backend.follow(tables.near, work, moves, 1, 1)
    backend.playout(*common, work, moves, 1, 0, 1)
    backend.settle(points, tables.near, work, owner)


class Quickening:
    """The best backend there is by now: interpreted at once, compiled as soon as the background has made it."""

    def __init__(self) -> None:
        self.backend = interpreted()
        self._thread: threading.Thread | None = None

    def start(self, done: Callable[[], None] = lambda: None) -> None:
        """Begin compiling in the background, and call ``done`` there; without numba all stays interpreted."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._compile, args=(done,), name="compile kernel", daemon=True)
            self._thread.start()

    def wait(self) -> Backend:
        """The final backend, waited for."""
        if self._thread is not None:
            self._thread.join()
        return self.backend

    def _compile(self, done: Callable[[], None]) -> None:
        # Whatever numba finds wrong with this machine, the interpreted kernel still plays.
        try:
            self.backend = compiled()
        except Exception:
            return
        done()
