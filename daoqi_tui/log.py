"""A log of the program's actions, in the file named by the variable DAOQI_LOG; without it nothing is logged.

:mod:`logging` is imported only if there is a log: it would cost every start about ten milliseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import logging

VARIABLE: Final = "DAOQI_LOG"
_FORMAT: Final = "%(asctime)s %(process)d %(levelname)s %(message)s"

_logger: logging.Logger | None = None
_trouble: OSError | None = None


def start(environment: Mapping[str, str]) -> None:
    """Start logging if the environment requests it. Child processes inherit the variable and append to the same file.

    Raises:
        OSError: the file cannot be written.
    """
    global _logger  # noqa: PLW0603 (the one log of the process)
    file = environment.get(VARIABLE)
    if not file or _logger is not None:
        return
    import logging  # noqa: PLC0415

    class File(logging.FileHandler):
        """A handler that ends the log when its file cannot be written, for example on a full disk.

        Otherwise logging would print a traceback for every line, over the screen.
        """

        def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's own name)
            global _trouble  # noqa: PLW0603 (as above)
            error = sys.exception()
            if not isinstance(error, OSError):
                super().handleError(record)
            elif _logger is not None:
                _logger.disabled = True
                error.filename = file
                _trouble = error

    try:
        handler = File(file, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        # If the working directory is gone, the name is not a file.
        error.filename = error.filename or file
        raise
    handler.setFormatter(logging.Formatter(_FORMAT))
    _logger = logging.getLogger("daoqi_tui")
    _logger.addHandler(handler)
    _logger.setLevel(logging.DEBUG)


def trouble() -> OSError | None:
    """Return why the log has ended before the program, with the file; None if it has not."""
    return _trouble


def info(message: str, *arguments: object) -> None:
    """Log an event, with `arguments` inserted into `message` by ``%``. Not for signal handlers: the log has a lock."""
    if _logger is not None:
        _logger.info(message, *arguments)


def warning(message: str, *arguments: object) -> None:
    """Log a problem that has been handled."""
    if _logger is not None:
        _logger.warning(message, *arguments)


def error(exception: BaseException) -> None:
    if _logger is not None:
        _logger.error("unexpected exception", exc_info=exception)
