"""Compiles modules of plain functions over flat arrays with numba (``pip install daoqi-tui[fast]``).

Compiling takes half a minute the first time and seconds afterwards: the result is cached in the user's cache folder,
under a hash of the sources, because numba does not notice when a called function has changed in another file. If that
folder is not writable, nothing is cached: numba would otherwise do so next to the sources, without the hash.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Final

from daoqi_tui import log
from daoqi_tui.paths import own_folder

_KEPT: Final = 60 * 86400
"""Seconds after which an unused cache is removed: its sources have probably changed since."""


def functions_of(modules: Iterable[ModuleType]) -> dict[str, FunctionType]:
    """Return the functions that the modules define, by name."""
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


def compile_modules(modules: Iterable[ModuleType], **options: Any) -> dict[str, Any]:  # noqa: ANN401 - numba's own
    """Return the functions of modules compiled, by name; each is compiled when it is first called.

    The functions see one another and the modules' integer constants. They run without the interpreter lock (GIL), with
    C arithmetic, and, since they allocate no arrays, without reference counting, which makes them three times as fast.

    Raises:
        ImportError: numba is not installed.
    """
    import numba  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415 - an extra

    modules = tuple(modules)
    cache = _cache_folder(modules)
    if cache is not None:
        numba.config.CACHE_DIR = str(cache)
    shared: dict[str, Any] = {}
    for module in modules:
        shared.update({name: value for name, value in vars(module).items() if isinstance(value, int)})
    compile_function = numba.njit(cache=cache is not None, nogil=True, error_model="numpy", _nrt=False, **options)
    functions: dict[str, Any] = {}
    for name, function in functions_of(modules).items():
        # The copy's globals are the compiled functions; the original's are the interpreted ones.
        twin = FunctionType(function.__code__, shared, name)
        twin.__module__, twin.__qualname__ = function.__module__, function.__qualname__
        functions[name] = shared[name] = compile_function(twin)
    return functions


def _cache_folder(modules: Iterable[ModuleType]) -> Path | None:
    """Return the cache folder for the compiled modules, None if it is not writable; remove unused ones."""
    digest = hashlib.sha256()
    for module in modules:
        assert module.__file__ is not None
        digest.update(Path(module.__file__).read_bytes())
    try:
        folder = own_folder("cache") / f"kernel-{digest.hexdigest()[:16]}"
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError as error:
        log.warning("what is compiled is not cached: %r", error)
        return None
    for other in folder.parent.glob("kernel-*"):
        with suppress(OSError):
            if other.stat().st_mtime < time.time() - _KEPT:
                shutil.rmtree(other)
    return folder


class LateKernel:
    """Functions that are used in compiled form once :meth:`compile` has been called in this process.

    Until then, and if numba is missing, :attr:`functions` is None, and the caller does the same in numpy.

    Args:
        modules: those that define the functions.
        warm_up: calls every public function, so that it is compiled then and not during a search.
    """

    def __init__(self, modules: Iterable[ModuleType], warm_up: Callable[[Any], None]) -> None:
        self._modules = tuple(modules)
        self._warm_up = warm_up
        self._lock = threading.Lock()
        self.functions: Any = None

    def compile(self) -> None:
        """Compile the functions, unless this is done already.

        Raises:
            ImportError: numba is not installed.
        """
        with self._lock:
            if self.functions is None:
                functions = SimpleNamespace(**compile_modules(self._modules))
                self._warm_up(functions)
                self.functions = functions


def compile_all(kernels: Iterable[LateKernel]) -> None:
    """Compile kernels if numba is installed and supports the machine; otherwise leave them interpreted."""
    for kernel in kernels:
        try:
            kernel.compile()
        except Exception as error:
            log_failure(error)


def log_failure(error: Exception) -> None:
    """Log why something is not compiled: numba raises errors of any kind on machines it does not support."""
    log.warning("a kernel is not compiled: %r", error)
