"""Compiles modules of plain functions over flat arrays with numba (``pip install daoqi-tui[fast]``).

Compiling takes half a minute the first time, seconds from then on: the result is cached in the user's cache folder,
under a hash of the sources, because numba does not notice when a called function has changed in another file.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any


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

    The functions see one another and the modules' whole numbers. They run without the interpreter's lock and with C's
    arithmetic; without counted references, since they make no arrays, they are three times as fast.

    Raises:
        ImportError: numba is not installed.
    """
    import numba  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415 - an extra

    modules = tuple(modules)
    numba.config.CACHE_DIR = str(_cache_folder(modules))
    shared: dict[str, Any] = {}
    for module in modules:
        shared.update({name: value for name, value in vars(module).items() if isinstance(value, int)})
    compile_function = numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False, **options)
    functions: dict[str, Any] = {}
    for name, function in functions_of(modules).items():
        # The copy sees the compiled functions where the original sees the interpreted ones.
        twin = FunctionType(function.__code__, shared, name)
        twin.__module__, twin.__qualname__ = function.__module__, function.__qualname__
        functions[name] = shared[name] = compile_function(twin)
    return functions


def _cache_folder(modules: Iterable[ModuleType]) -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - wanted for compiling only

    digest = hashlib.sha256()
    for module in modules:
        assert module.__file__ is not None
        digest.update(Path(module.__file__).read_bytes())
    return user_cache_path("daoqi-tui") / f"kernel-{digest.hexdigest()[:16]}"


class LateKernel:
    """Functions that are used compiled once :meth:`compile` has been called in this process.

    Until then, and where numba is missing, :attr:`functions` is None, and the caller does the same in numpy.

    Args:
        modules: with the functions.
        warm_up: calls every function that is called from outside, so that it is compiled then and not in a search.
    """

    def __init__(self, modules: Iterable[ModuleType], warm_up: Callable[[Any], None]) -> None:
        self._modules = tuple(modules)
        self._warm_up = warm_up
        self._lock = threading.Lock()
        self.functions: Any = None

    def compile(self) -> None:
        """Compile the functions, unless they are.

        Raises:
            ImportError: numba is not installed.
        """
        with self._lock:
            if self.functions is None:
                functions = SimpleNamespace(**compile_modules(self._modules))
                self._warm_up(functions)
                self.functions = functions


def compile_all(kernels: Iterable[LateKernel]) -> None:
    """Compile kernels where numba is installed and can handle the machine; where not, they stay as they are."""
    # Numba raises errors of any kind on machines it cannot handle.
    with suppress(Exception):
        for kernel in kernels:
            kernel.compile()
