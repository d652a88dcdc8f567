"""Compiles modules of plain functions over flat arrays with numba (``pip install daoqi-tui[fast]``).

Compiling takes a minute the first time and a second afterwards: the result is cached in the user's cache folder, under
a hash of the sources, because numba does not notice when a called function has changed in another file. If that folder
is not writable, nothing is cached: numba would otherwise do so next to the sources, without the hash. A file in the
folder marks that everything there has been compiled, so that others can tell whether a start will be slow.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Final, Literal, TypeAlias

from daoqi_tui import log
from daoqi_tui.paths import own_folder
from daoqi_tui.record.files import InUse, lock_file

_UNUSED_FOR: Final = 60 * 86400
"""Seconds after which an unused cache is removed: its sources have probably changed since."""


_PAUSE: Final = 0.2
"""Seconds between two looks whether another process has finished compiling."""
CacheState: TypeAlias = Literal["cached", "missing", "impossible", "no compiler"]
"""Whether modules are compiled and cached; ``impossible`` where the cache folder is not writable."""


def functions_of(modules: Iterable[ModuleType]) -> dict[str, FunctionType]:
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


def compile_modules(
    modules: Iterable[ModuleType],
    instructions: ModuleType | None = None,
    **options: Any,  # noqa: ANN401 - numba's own
) -> dict[str, Any]:
    """Return the functions of modules compiled, by name; each is compiled when it is first called.

    The functions see one another, the modules' integer constants, and what the function ``compiled`` of
    ``instructions`` returns. They run without the interpreter lock (GIL), with C arithmetic, and, since they allocate
    no arrays, without reference counting, which makes them three times as fast.

    Raises:
        ImportError: numba is not installed.
        NotImplementedError: it does not know the instructions.
    """
    import numba  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415 - an extra

    modules = tuple(modules)
    cache = _cache_folder(_sources(modules, instructions))
    if cache is not None:
        numba.config.CACHE_DIR = str(cache)
    shared: dict[str, Any] = {} if instructions is None else instructions.compiled()
    for module in modules:
        shared.update({name: value for name, value in vars(module).items() if isinstance(value, int)})
    compile_function = numba.njit(cache=cache is not None, nogil=True, error_model="numpy", _nrt=False, **options)
    functions: dict[str, Any] = {}
    for name, function in functions_of(modules).items():
        # The copy's globals are the compiled functions; the original's are the interpreted ones.
        twin = FunctionType(function.__code__, shared, name)
        twin.__module__, twin.__qualname__ = function.__module__, function.__qualname__
        functions[name] = shared[name] = compile_function(twin)
        if instructions is None:
            _compile_for_types(functions[name])
    return functions


def _compile_for_types(function: Any) -> None:  # noqa: ANN401
    """Have a function compiled once for calls with different constants; numba would compile it for each of them.

    That takes a third longer, and what it makes is no faster. Instructions need their constants.
    """
    import numba  # noqa: PLC0415 - an extra

    template, unliteral = function.get_call_template, numba.types.unliteral

    def of_types(args: Iterable[object], named: Mapping[str, object]) -> object:
        return template(tuple(map(unliteral, args)), {name: unliteral(each) for name, each in named.items()})

    function.get_call_template = of_types


def _sources(modules: tuple[ModuleType, ...], instructions: ModuleType | None) -> tuple[ModuleType, ...]:
    return modules if instructions is None else (*modules, instructions)


def cache_state(modules: Iterable[ModuleType]) -> CacheState:
    """Return whether modules are compiled and cached, without importing numba or writing anything."""
    marker = _marker()
    if marker is None:
        return "no compiler"
    folder = _folder_of(modules)
    if (folder / marker).exists():
        return "cached"
    existing = next(each for each in (folder, *folder.parents) if each.exists())
    return "missing" if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK) else "impossible"


@contextmanager
def filling_cache(modules: Iterable[ModuleType]) -> Iterator[None]:
    """Compile every function of modules in the block, and mark the cache as complete.

    Where they are not cached, one process at a time does so: the others wait, and use what it has cached.
    """
    modules = tuple(modules)
    folder, release = _cache_folder(modules), None
    while folder is not None and release is None and cache_state(modules) == "missing":
        try:
            release = lock_file(folder / ".lock")
        except InUse:
            time.sleep(_PAUSE)
        except OSError:
            break
    try:
        yield
        marker = _marker()
        if folder is not None and marker is not None:
            with suppress(OSError):
                (folder / marker).touch()
    finally:
        if release is not None:
            release()


def _marker() -> str | None:
    """Return the name of the file that marks a complete cache; None without numba.

    As for numba, code of another version of it or of Python does not count.
    """
    try:
        return f"complete-{sys.implementation.cache_tag}-numba-{version('numba')}"
    except PackageNotFoundError:
        return None


def _folder_of(modules: Iterable[ModuleType]) -> Path:
    digest = hashlib.sha256()
    for module in modules:
        assert module.__file__ is not None
        digest.update(Path(module.__file__).read_bytes())
    return own_folder("cache") / f"kernel-{digest.hexdigest()[:16]}"


def _cache_folder(modules: Iterable[ModuleType]) -> Path | None:
    """Return the cache folder for the compiled modules, None if it is not writable; remove unused ones."""
    try:
        folder = _folder_of(modules)
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError as error:
        log.warning("what is compiled is not cached: %r", error)
        return None
    for other in folder.parent.glob("kernel-*"):
        with suppress(OSError):
            if other.stat().st_mtime < time.time() - _UNUSED_FOR:
                shutil.rmtree(other)
    return folder


class LateKernel:
    """Functions that are used in compiled form once :meth:`compile` has been called in this process.

    Until then, and if numba is missing, :attr:`functions` is None, and the caller does the same in numpy.

    Args:
        modules: those that define the functions.
        warm_up: calls every public function, so that it is compiled then and not during a search.
        instructions: a module with functions that the others call, and their compiled form, as :func:`compile_modules`
            takes it.
    """

    def __init__(
        self,
        modules: Iterable[ModuleType],
        warm_up: Callable[[Any], None],
        instructions: ModuleType | None = None,
    ) -> None:
        self._modules = tuple(modules)
        self._warm_up = warm_up
        self._instructions = instructions
        self._lock = threading.Lock()
        self.functions: Any = None

    @property
    def cache_state(self) -> CacheState:
        return cache_state(_sources(self._modules, self._instructions))

    def compile(self) -> None:
        """Compile the functions, unless this is done already.

        Raises:
            ImportError: numba is not installed.
        """
        with self._lock:
            if self.functions is None:
                with filling_cache(_sources(self._modules, self._instructions)):
                    functions = SimpleNamespace(**compile_modules(self._modules, self._instructions))
                    self._warm_up(functions)
                self.functions = functions


def compile_all(kernels: Iterable[LateKernel]) -> None:
    """Compile kernels if numba is installed and supports the machine; otherwise leave them interpreted."""
    for kernel in kernels:
        try:
            kernel.compile()
        except Exception as error:
            # numba raises errors of any kind on machines it does not support.
            log.warning("a kernel is not compiled: %r", error)
