"""The command line, and the exceptions that it prints as one sentence; all others are reported."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Final

from daoqi_tui.i18n import N_, SentenceError

EXIT_STATUSES: Final = (
    ("0", N_("success")),
    ("1", N_("an error, or a problem found by config or doctor")),
    ("2", N_("wrong usage")),
    ("70", N_("an unexpected error, of which a report is written")),
    ("128+N", N_("ended by signal N; 130 after Ctrl+C")),
)
"""Every exit status of the program, and its meaning."""


class CommandError(SentenceError):
    """A command failed; the text is one sentence in the user's language."""

    status: ClassVar[int] = 1
    """The exit status."""


class UsageError(CommandError):
    """A command was called incorrectly."""

    status = 2


class MissingExtra(CommandError):
    """An extra is not installed.

    Args:
        words: the sentence, with ``{command}`` in it.
        command: the command line that installs it.
    """

    def __init__(self, text: str, command: str) -> None:
        super().__init__(text, command=command)
        self.command: Final = command


@contextmanager
def needing(package: str, words: str, command: str) -> Iterator[None]:
    """Report that an import needs a package that is not installed.

    Args:
        package: its name, as it is imported.
        words: the sentence, with ``{command}`` in it.
        command: the command line that installs it.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingExtra(words, command) from error


class UnexpectedError(Exception):
    """The screen ended with an exception, its cause, which is reported regardless of its type."""


EXPECTED: Final = {
    "daoqi_tui.ai.network": ("NetError",),
    "daoqi_tui.ai.process": ("PlayerError",),
    "daoqi_tui.lab.cluster": ("ClusterError",),
    "daoqi_tui.config.save": ("ConfigError",),
    "daoqi_tui.lab.match.results": ("MatchError",),
    "daoqi_tui.paths": ("NoHome",),
    "daoqi_tui.play.reading": ("ReadingFailed",),
    "daoqi_tui.record.journal.format": ("JournalError",),
    "daoqi_tui.record.files": ("InUse",),
    "daoqi_tui.record.text": ("SgfError",),
    "daoqi_tui.pictures.pixels": ("PictureTooLarge",),
    "daoqi_tui.lab.training.learn": ("Diverged",),
    "daoqi_tui.lab.training.positions": ("WrongPositions",),
    "daoqi_tui.lab.training.settings": ("SettingsError",),
    "daoqi_tui.lab.training.workers": ("PlayFailed",),
}
"""Exceptions of lower layers whose text is one sentence, by module. Given as names, so that nothing is imported."""

_SYSTEM: Final = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
)
"""System errors, which need not name a file."""


def is_expected(error: Exception) -> bool:
    """Return whether `error` is printed as a sentence rather than reported."""
    if isinstance(error, CommandError):
        return True
    if isinstance(error, OSError) and (error.filename is not None or error.errno in _SYSTEM):
        return True
    # A class whose module was never imported cannot have been raised.
    loaded = ((sys.modules.get(module), names) for module, names in EXPECTED.items())
    return any(isinstance(error, getattr(module, name)) for module, names in loaded if module for name in names)
