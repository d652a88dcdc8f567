"""Paths typed by the user, their files and what may replace them, and the folders of the program."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.message import NOT_A_FILE, Message

Kind: TypeAlias = Literal["config", "data", "state", "cache"]
NAME: Final = "daoqi-tui"
_BELOW_HOME: Final[dict[Kind, str]] = {
    "config": ".config",
    "data": ".local/share",
    "state": ".local/state",
    "cache": ".cache",
}
"""The default folders of the XDG base directory specification, for variables that are not set."""
_OPEN_FILES: Final = ("/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc/")


SLOW: Final = 1.0
"""Seconds after which a change that waits for the disk is shown as not saved yet."""


class NoHome(OSError):
    """The home folder is unknown; the text is one sentence."""


def own_folder(kind: Kind) -> Path:
    """Return the program's folder of a kind, on Linux ``~/.config/daoqi-tui`` unless XDG_CONFIG_HOME is set.

    Raises:
        NoHome: it would be in the home folder, which is unknown.
    """
    if sys.platform in ("win32", "darwin"):
        from platformdirs import PlatformDirs  # noqa: PLC0415 (costs a start up to 25 ms)

        try:
            return Path(getattr(PlatformDirs(NAME, appauthor=False), f"user_{kind}_dir"))
        except RuntimeError as error:
            raise _no_home() from error
    named = os.environ.get(f"XDG_{kind.upper()}_HOME", "")
    # The specification says that a relative path has to be ignored.
    return (Path(named) if named.startswith("/") else _home() / _BELOW_HOME[kind]) / NAME


def journal_folder() -> Path:
    """Return the folder of running games, ``~/.local/state/daoqi-tui/journal`` unless XDG_STATE_HOME differs."""
    return own_folder("state") / "journal"


def library_folder() -> Path:
    """Return the folder of the library, ``~/.local/share/daoqi-tui/games`` unless XDG_DATA_HOME differs."""
    return own_folder("data") / "games"


def mistakes_file() -> Path:
    """Return the collection of the user's own mistakes, which is next to the library."""
    return library_folder().with_name("mistakes.sgf")


def cached_for(folder: Path, kind: str, ending: str) -> Path:
    """Return the file of the cache that belongs to a folder of the user's, in the folder ``kind``."""
    from hashlib import blake2b  # noqa: PLC0415 (a start needs none)

    name = blake2b(str(folder.resolve()).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return own_folder("cache") / kind / f"{name}{ending}"


def _home() -> Path:
    """Return the home folder; a variable that is empty or relative counts as not set."""
    home = os.environ.get("HOME", "")
    if not home.startswith("/"):
        import pwd  # noqa: PLC0415 (missing on Windows)

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError as error:
            raise _no_home() from error
    return Path(home)


def _no_home() -> NoHome:
    return NoHome(Message("your home folder is not known; set the variable HOME to its path"))


_LONGEST_PASTE: Final = 16_384
"""Characters of a pasted text that may be paths."""


def typed_path(text: str) -> Path:
    """Return a typed path with ``~`` expanded, and without the quoting of a shell unless there is a file with that.

    Terminals quote the path of a dropped file in their way: in quotes, for PowerShell after ``&``, with backslashes, or
    as a ``file:`` address. The path is returned unchanged if there is no such user.
    """
    path, meant = _expanded(text), text.strip()
    if is_there(path):
        return path
    if meant.lower().startswith("file:"):
        from urllib.parse import unquote, urlsplit  # noqa: PLC0415 (few paths are addresses)

        return Path(unquote(urlsplit(meant).path))
    wording = _words(meant)
    if len(wording) == 1 and is_there(_expanded(wording[0])):
        return _expanded(wording[0])
    quoted = re.fullmatch(r"(?:&\s*)?(['\"])(.+)\1", meant)
    return path if quoted is None else _expanded(quoted[2])


def dropped_file(text: str) -> Path | None:
    """Return the file whose path was pasted, the first of several; None if the text is no path of a file."""
    if len(text) > _LONGEST_PASTE or "\0" in text or not text.strip():
        return None
    lines = [line.strip() for line in text.strip().splitlines()]
    paths = (typed_path(word) for word in (lines[0], *_words(lines[0])))
    return next((path for path in paths if is_there(path) and not is_folder(path)), None)


def _words(text: str) -> list[str]:
    """Split a text into words as a shell does; none if its quotes are not closed."""
    import shlex  # noqa: PLC0415 (few texts are quoted)

    try:
        return [word for word in shlex.split(text) if word]
    except ValueError:
        return []


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def absolute(path: Path) -> Path:
    """Return the absolute path; unchanged if the working directory is gone."""
    try:
        return path.absolute()
    except FileNotFoundError:
        return path


# os.path returns False where pathlib raises: for a name that is too long, or an unreadable folder.


def is_there(path: Path) -> bool:
    """Return whether the path exists; False if it cannot be looked up."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: Path) -> bool:
    """Return whether the path is a folder; False if it cannot be looked up."""
    return os.path.isdir(path)  # noqa: PTH112


# Files


def open_file(path: Path, *, open_files: bool = True) -> BinaryIO:
    """Open a file for reading bytes.

    Args:
        path: the file.
        open_files: as of :func:`check_file`.

    Raises:
        OSError: the file cannot be opened, or is a pipe or a device.
        ValueError: no file can have such a name.
    """
    check_file(path, open_files=open_files)
    return path.open("rb")


def check_file(path: Path, *, open_files: bool = True) -> None:
    """Refuse a pipe or a device, which may never have anything to read: merely opening a pipe may wait for ever.

    Args:
        path: of a file.
        open_files: whether one that this process was started with is let through all the same, as ``/dev/stdin`` is;
            not where commands come through that.

    Raises:
        OSError: it is a pipe or a device, or nothing is there.
        ValueError: no file can have such a name.
    """
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or (open_files and is_open(path))):
        raise OSError(errno.EINVAL, str(NOT_A_FILE), str(path))


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Have the system's errors of the block name a file, as the user knows it.

    That of a file that is open names none, as on a full disk, and others a temporary file beside it.
    """
    try:
        yield
    except OSError as error:
        if error.strerror:
            error.filename = str(path)
        raise


def is_open(path: Path) -> bool:
    """Return whether a path refers to an open file of a process."""
    return str(path.absolute()).startswith(_OPEN_FILES)


_PACKAGE: Final = Path(__file__).parent


def assets_folder() -> Path:
    """Find the folder, the same for a checkout, an editable install and an installed wheel.

    It is a real folder on disk, so that paths in it can be passed to other processes.

    Raises:
        FileNotFoundError: this installation lacks the folder.
    """
    for folder in (_PACKAGE / "assets", _PACKAGE.parent / "assets"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        Message("the folder 'assets' is missing from this installation of daoqi-tui; install it again")
    )


class FileKind(NamedTuple):
    """A kind of file.

    Attributes:
        name: its name, as in ``PNG``.
        beginning: the pattern of the first bytes of its files.
    """

    name: str
    beginning: bytes


SGF: Final = FileKind("SGF", rb"\s*\(\s*;\s*(?:[A-Za-z]{1,40}\s*\[|[;()])")
_LOOKED_AT: Final = 1 << 16
"""The number of bytes read from the start of a file to detect its kind; the prologue of an SVG is far shorter."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def is_replaced(path: Path) -> bool:
    """Return whether writing replaces ``path`` by a new file: it is a regular file, or does not exist yet.

    Names such as ``/dev/fd/3`` are files too, but whoever has them open would not see the replacement.
    """
    if is_open(path):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def may_replace(path: Path, kind: FileKind) -> bool:
    """Return whether writing to ``path`` overwrites no other kind of file: it is missing, empty, or of ``kind``.

    Writing to a pipe or a device overwrites nothing.

    Raises:
        OSError: the file cannot be read.
        ValueError: the path is invalid.
    """
    if not is_replaced(path):
        return True
    try:
        with path.open("rb") as file:
            beginning = file.read(_LOOKED_AT)
    except FileNotFoundError:
        return True
    return not beginning or re.match(kind.beginning, beginning.removeprefix(_BYTE_ORDER_MARK)) is not None
