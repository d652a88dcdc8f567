"""Reports of unexpected exceptions, in this process or one that it started.

A report contains what a developer needs and is a file in the state directory.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from daoqi_tui import __version__, log
from daoqi_tui.i18n import _, translate
from daoqi_tui.streams import write_error

EXIT_STATUS: Final = 70
"""The exit status after an unexpected exception: EX_SOFTWARE of sysexits.h."""
_MAX_REPORTS: Final = 20
_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS))

_shows_tracebacks = False


def show_tracebacks() -> None:
    """Print the tracebacks of unexpected exceptions from now on instead of writing reports."""
    global _shows_tracebacks  # noqa: PLW0603 (an option of the process)
    _shows_tracebacks = True


def report(exception: BaseException) -> Path | None:
    """Write a report of an unexpected exception, print its path to standard error, and return it.

    With :func:`show_tracebacks`, or where no file can be written, the traceback is printed and there is no path. What a
    disk does not take is no mistake of the program, and is said in a sentence alone, with the name of the file.
    """
    from daoqi_tui.text import plain_line  # noqa: PLC0415 (as rare as an unexpected exception)

    log.error(exception)
    if _shows_tracebacks:
        write_error(_traceback(exception))
        return None
    if isinstance(exception, OSError) and exception.filename and exception.errno in _FULL:
        write_error(f"daoqi-tui: {plain_line(translate(exception))}\n")
        return None
    file = None
    try:
        file = write_report(_traceback(exception))
        text = _("an unexpected error occurred ({error}); a report of it is in {file}").format(
            error=type(exception).__name__, file=file
        )
    except OSError as problem:
        write_error(_traceback(exception))
        text = _("no report of this could be written: {reason}").format(reason=translate(problem))
    write_error(f"daoqi-tui: {plain_line(text)}\n")
    return file


def report_stacks(patience: float) -> tuple[Path | None, str]:
    """Write a report with the stacks of all threads, waiting for the disk for at most ``patience`` seconds.

    Returns:
        Its path and an empty text; or None and the stacks, to be printed, with :func:`show_tracebacks` or where no file
        could be written in this time.
    """
    stacks = _stacks()
    if _shows_tracebacks:
        return None, stacks
    written: list[Path] = []

    def write() -> None:
        with suppress(OSError):
            written.append(write_report(stacks))

    writer = threading.Thread(target=write, name="report", daemon=True)
    writer.start()
    writer.join(patience)
    return (written[0], "") if written else (None, stacks)


def write_report(details: str) -> Path:
    """Write a report into the state directory, and return its path.

    It contains the versions, the platform, the command line and ``details``: a traceback, the stacks of all threads, or
    the standard error of a process that died. Only the latest of the old reports are kept.

    Raises:
        OSError: it cannot be written.
    """
    import shlex  # noqa: PLC0415
    from datetime import UTC, datetime  # noqa: PLC0415
    from platform import platform, python_implementation, python_version  # noqa: PLC0415

    from daoqi_tui.paths import naming, own_folder  # noqa: PLC0415

    now = datetime.now(UTC)
    lines = (
        f"daoqi-tui {__version__}",
        f"Time: {now:%Y-%m-%d %H:%M:%S} UTC",
        f"Python: {python_implementation()} {python_version()}",
        f"Platform: {platform()}",
        *(f"{name}: {version}" for name, version in _libraries()),
        f"Command line: {_without_codes(shlex.join(sys.orig_argv))}",
        "",
        details,
    )
    folder = own_folder("state") / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y%m%d-%H%M%S-%f}-{os.getpid()}.txt"
    with naming(path):
        path.write_text("\n".join(lines), encoding="utf-8", errors="backslashreplace")
    for old in sorted(folder.glob("*.txt"))[:-_MAX_REPORTS]:
        # The report is written even if an old one cannot be deleted.
        with suppress(OSError):
            old.unlink()
    return path


def _without_codes(command: str) -> str:
    """Return a command line with the codes of invitations left out, since a report is shown to others."""
    return re.sub(r"(#[a-z2-7]{1,40}-)[a-z2-7]+", r"\1…", command)


def _libraries() -> list[tuple[str, str]]:
    """Return names and versions of the libraries that are loaded and may be involved."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    found: list[tuple[str, str]] = []
    for name in ("textual", "rich", "numpy", "numba", "torch", "aiohttp"):
        if name in sys.modules:
            try:
                found.append((name, version(name)))
            except PackageNotFoundError:
                continue
    return found


def _traceback(exception: BaseException) -> str:
    """Return the traceback as Python prints it, without values of variables, which may be private."""
    import traceback  # noqa: PLC0415

    return "".join(traceback.format_exception(exception))


def _stacks() -> str:
    """Return the stacks of all other threads, without values of variables."""
    import traceback  # noqa: PLC0415

    names = {thread.ident: thread.name for thread in threading.enumerate()}
    frames = sys._current_frames()  # noqa: SLF001 (documented for debuggers)
    return "\n".join(
        f"Thread {names.get(number, number)} (most recent call last):\n{''.join(traceback.format_stack(frame))}"
        for number, frame in frames.items()
        if number != threading.get_ident()
    )
