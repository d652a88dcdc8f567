"""Runs a module of this package as a child process that ends with the process that started it, however that ends.

``python -m daoqi_tui.child MODULE [ARGUMENT]...`` arranges this before the module is imported, which may take a second:
the system sends SIGKILL (Linux), or else a thread looks for the parent a few times a second. That the standard input of
the child ends is not enough: another process may hold its pipe open, and a stopped process would not notice.
"""

from __future__ import annotations

import os
import sys
from typing import Final

PARENT: Final = "DAOQI_PARENT"
"""The variable with the id of the parent."""
STARTED_IN_THREAD: Final = "DAOQI_STARTED_IN_THREAD"
"""A variable set if another than the main thread of the parent starts the child: the system's signal is sent when the
thread ends that has started it."""
_INTERVAL: Final = 0.3
"""Seconds between two looks for the parent."""
_PR_SET_PDEATHSIG: Final = 1


def end_with_parent() -> None:
    """Have this process end when the one that started it has ended, which its environment names."""
    end_with(int(os.environ.pop(PARENT)), in_thread=bool(os.environ.pop(STARTED_IN_THREAD, "")))


def end_with(parent: int, *, in_thread: bool = False) -> None:
    """Have this process end when its ``parent`` has ended; end it now if that is so already."""
    if in_thread or not _is_killed_by_system():
        _watch(parent)
    if os.getppid() != parent:
        os._exit(0)


def _is_killed_by_system() -> bool:
    """Have the system kill this process; return whether it can."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415
    import signal  # noqa: PLC0415

    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    import threading  # noqa: PLC0415
    import time  # noqa: PLC0415

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_INTERVAL)
        os._exit(0)

    threading.Thread(target=watch, name="watch parent", daemon=True).start()


def main() -> None:
    """Run the module that the first argument names, as ``python -m`` does."""
    import runpy  # noqa: PLC0415

    end_with_parent()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
