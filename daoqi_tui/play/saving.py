"""Saving a game as an SGF file, and exporting it: choosing a name, and when to ask before overwriting a file."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from daoqi_tui.i18n import _, one_of
from daoqi_tui.paths import assets_folder, is_folder, is_open, is_there
from daoqi_tui.pictures import EXPORTS

if TYPE_CHECKING:
    from daoqi_tui.play.session import Session


def suggested_path(session: Session) -> Path:
    """Return the file to suggest for saving a game: its own, else one named after the file it was opened from."""
    own, source = own_file(session), session.source
    if own is not None:
        return own
    if source is None or is_open(source):
        return Path(_("game.sgf"))
    # A game from a file with several is named by its index, since the file also contains the others.
    name = f"{source.stem}-{session.index + 1}.sgf" if session.games > 1 else f"{source.stem}.sgf"
    return Path(name) if _is_shipped(source) else source.with_name(name)


def own_file(session: Session) -> Path | None:
    """Return the file that contains only this game, which may be overwritten without asking.

    It is the file the game was saved as, or the SGF file with a single game that it was opened from. A board diagram, a
    record in another format and a sample game are not overwritten.
    """
    if session.saved_as is not None:
        return session.saved_as
    source = session.source
    if source is None or session.games > 1 or source.suffix.lower() != ".sgf" or _is_shipped(source):
        return None
    return source


def must_ask(session: Session, path: Path) -> bool:
    """Return whether saving a game as ``path`` would overwrite a file that is not its own."""
    return is_there(path) and path != own_file(session)


def wrong_with(path: Path) -> str | None:
    """Say why nothing can be saved as ``path``, as far as can be checked in advance; None if it can."""
    if is_folder(path):
        return _("{file} is a folder: name a file in it").format(file=path)
    if not is_folder(path.parent):
        return _("There is no folder {folder}: name one that exists").format(folder=path.parent)
    return None


def save(session: Session, path: Path) -> bytes:
    """Write a game as SGF; return what was written. From then on, the file is the game's own.

    Raises:
        OSError: as the system gives it.
        ValueError: the path is invalid.
    """
    from daoqi_tui.record.files import write_atomically  # noqa: PLC0415 (as above)

    record = session.record()
    write_atomically(path, record)
    session.saved_as = path
    return record


def _is_shipped(path: Path) -> bool:
    try:
        return path.resolve().is_relative_to(assets_folder().resolve())
    except OSError:
        # Circular links, or an installation without the folder.
        return False


def export_note() -> str:
    """Return what a file shows by its ending: ``.png or .svg: the board, .gif: the game``."""
    endings: dict[str, list[str]] = {}
    for export in EXPORTS.values():
        endings.setdefault(export.label, []).append(export.ending)
    notes = [_("{endings}: {label}").format(endings=one_of(each), label=_(label)) for label, each in endings.items()]
    return reduce(lambda before, note: _("{notes}, {note}").format(notes=before, note=note), notes)


def wrong_with_export(path: Path) -> str | None:
    """Return the error of a file name for an export, None if it is valid."""
    if path.suffix.lower() not in EXPORTS:
        return _("End the name in {endings}").format(endings=one_of(tuple(EXPORTS)))
    return wrong_with(path)
