"""``admin``: what the operator of a lobby does with accounts, reports and backups, also while the lobby runs."""

from __future__ import annotations

import argparse
import errno
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from daoqi_tui.cli import CommandError, UsageError, needing
from daoqi_tui.cli.parsers import ADMIN_USAGE
from daoqi_tui.extras import install_command
from daoqi_tui.i18n import _, translate
from daoqi_tui.paths import is_replaced
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.online.accounts import Account, ClaimError, check_network
from daoqi_tui.play.wording import brief_result
from daoqi_tui.streams import write_text
from daoqi_tui.text import plain_line
from daoqi_tui.typed import whole_number

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store

_DATABASE: Final = "accounts.db"
"""The file of the database in a lobby's folder, and in a backup."""
_LONGEST_BAN: Final = 3650
_NOT_KEPT: Final = ("lock",)


def lobby_folder() -> Path:
    return Folders.standard().online / "lobby"


def open_store(place: str | Path | None) -> Store:
    """Open the accounts of the lobby, or those at the address of a database, or in its file.

    Raises:
        CommandError: the package for it is missing, or the database cannot be used.
    """
    missing = _("accounts need the package sqlalchemy: {command} installs it")
    with needing("sqlalchemy", missing, install_command("server")):
        from daoqi_tui.play.online.store import Store, file_address  # noqa: PLC0415 (an extra)
    place = place or lobby_folder() / _DATABASE
    try:
        return Store(file_address(place) if isinstance(place, Path) else place)
    except OSError as error:
        raise CommandError(plain_line(translate(error))) from error


def run_admin(options: argparse.Namespace) -> int:
    usage = ADMIN_USAGE[options.action]
    wanted = usage.split()[1:]
    least, most = sum(not word.startswith("[") for word in wanted), len(wanted)
    if not least <= len(options.words) <= most:
        raise UsageError(
            _("admin {action} is used as: {usage}"), action=options.action, usage=f"daoqi-tui admin {usage}"
        )
    with closing(open_store(options.database)) as store:
        try:
            lines = list(_ACTIONS[options.action](store, *options.words))
        except (ClaimError, OSError) as error:
            raise CommandError(plain_line(translate(error))) from error
    write_text("".join(f"{line}\n" for line in lines))
    return 0


def _account(store: Store, name: str) -> Account:
    """Return the account with a name or an id. Raises CommandError if there is none."""
    account = store.named(name) or store.account(name)
    if account is None:
        raise CommandError(_("there is no account {name}; daoqi-tui admin accounts lists them"), name=repr(name))
    return account


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _accounts(store: Store, part: str = "") -> Iterator[str]:
    found = store.accounts(part)
    for account in found:
        ratings = ", ".join(f"{size}×{size} {rating.value:.0f}" for size, rating in store.ratings(account.id).items())
        marks = [_("banned: {reason}").format(reason=account.banned)] if account.banned else []
        marks += [_("muted")] if account.muted else []
        yield plain_line("  ".join((account.id, _day(account.seen), account.name, *filter(None, [ratings]), *marks)))
    if not found:
        yield _("There is no such account.") if part else _("There is no account yet.")


def _games(store: Store, name: str = "") -> Iterator[str]:
    found = store.games(name=name)
    for game in found:
        players = f"{game.black_name or '–'} – {game.white_name or '–'}"
        result = brief_result(game.result)
        yield plain_line(f"{game.name}  {_day(game.played)}  {game.size}×{game.size}  {players}  {result}")
    if not found:
        yield _("There is no such game.") if name else _("There is no rated game yet.")


def _reports(store: Store) -> Iterator[str]:
    found = store.reports()
    for report in found:
        text = _("{id}  {day}  {by} reports {name}, in game {game}: {reason}").format(
            id=report.id,
            day=_day(report.at),
            by=report.by_name or report.by,
            name=report.name,
            game=report.game,
            reason=report.reason,
        )
        yield plain_line(text)
        yield from (f"    {plain_line(line)}" for line in report.chat.splitlines())
    if not found:
        yield _("No report is open.")


def _close(store: Store, report: str) -> Iterator[str]:
    if not store.close_report(report):
        raise CommandError(_("there is no report {id}; daoqi-tui admin reports lists them"), id=repr(report))
    yield _("Closed.")


def _ban(store: Store, name: str, reason: str) -> Iterator[str]:
    account = _account(store, name)
    store.set_banned(account.id, plain_line(reason) or "-")
    yield _("{name} is banned.").format(name=account.name)


def _unban(store: Store, name: str) -> Iterator[str]:
    account = _account(store, name)
    store.set_banned(account.id, "")
    yield _("{name} is no longer banned.").format(name=account.name)


def _bans(store: Store) -> Iterator[str]:
    found = store.banned_networks()
    for ban in found:
        yield plain_line("  ".join(filter(None, (ban.network, _day(ban.ended), ban.reason))))
    if not found:
        yield _("No address is banned.")


def _ban_address(store: Store, address: str, days: str, reason: str = "") -> Iterator[str]:
    count = whole_number(days, 1, _LONGEST_BAN)
    if count is None:
        raise CommandError(_("a ban has 1 to {most} days"), most=_LONGEST_BAN)
    network = _network(address)
    store.ban_network(network, count, plain_line(reason))
    day = next(_day(ban.ended) for ban in store.banned_networks() if ban.network == network)
    yield _("Guests from {network} are kept out until {day}.").format(network=network, day=day)


def _unban_address(store: Store, address: str) -> Iterator[str]:
    network = _network(address)
    store.ban_network(network, 0, "")
    yield _("Guests from {network} are admitted.").format(network=network)


def _network(address: str) -> str:
    with CommandError.instead_of(ValueError):
        return check_network(address)


def _mute(store: Store, name: str, *, muted: bool = True) -> Iterator[str]:
    account = _account(store, name)
    store.set_muted(account.id, muted=muted)
    text = _("{name} is muted.") if muted else _("{name} is no longer muted.")
    yield text.format(name=account.name)


def _rename(store: Store, name: str, new: str) -> Iterator[str]:
    account = _account(store, name)
    store.rename(account.id, new)
    yield _("{name} is called {new} now.").format(name=account.name, new=new)


def _delete(store: Store, name: str) -> Iterator[str]:
    account = _account(store, name)
    store.delete(account.id)
    yield _("{name} is deleted.").format(name=account.name)


def _copy_into(store: Store, place: str | Path) -> None:
    with closing(open_store(place)) as other:
        if not store.copy_to(other):
            raise CommandError(_("the other database is not empty"))


def _copy(store: Store, address: str) -> Iterator[str]:
    _copy_into(store, address)
    yield _("Copied.")


def _backup(store: Store, file: str) -> Iterator[str]:
    """Write all that a lobby has into one archive.

    The database is read last: so a game that is over is counted there, or still has its journal in the archive.
    """
    path, folder = Path(os.path.realpath(file)), lobby_folder()
    with CommandError.writing(plain_line(file) or "."):
        if not file or path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file)
        if not is_replaced(path) or not _is_backup(path):
            raise CommandError(
                _("{file} is another kind of file and is not replaced; choose another name"), file=plain_line(file)
            )
        _write_backup(store, folder, path)
    yield _("Saved as {file}.").format(file=plain_line(file))


def _is_backup(path: Path) -> bool:
    """Return whether there is nothing but a backup that a new one may replace."""
    try:
        if not path.stat().st_size:
            return True
        with tarfile.open(path) as archive:
            return any(member.name == _DATABASE for member in archive)
    except FileNotFoundError:
        return True
    except (tarfile.TarError, EOFError, zlib.error):
        return False


def _write_backup(store: Store, folder: Path, path: Path) -> None:
    """Write the archive under another name, which is then changed."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        # It has the keys of seats and of the host.
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz") as archive:
            for each in sorted(folder.rglob("*")) if folder.is_dir() else ():
                name = each.relative_to(folder)
                if each.is_file() and each.name not in _NOT_KEPT and not name.name.startswith(_DATABASE):
                    _add(archive, each, name)
            with TemporaryDirectory() as copied:
                copy = Path(copied, _DATABASE)
                _copy_into(store, copy)
                _add(archive, copy, Path(_DATABASE))
            archive.close()
            os.fsync(raw.fileno())
        unfinished.replace(path)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _add(archive: tarfile.TarFile, file: Path, name: Path) -> None:
    """Add a file as long as it is now, if it is still there: a journal grows, and goes when its game is over."""
    with suppress(FileNotFoundError), file.open("rb") as held:
        archive.addfile(archive.gettarinfo(arcname=str(name), fileobj=held), held)


_ACTIONS: Final[dict[str, Callable[..., Iterator[str]]]] = {
    "accounts": _accounts,
    "games": _games,
    "reports": _reports,
    "close": _close,
    "mute": _mute,
    "unmute": partial(_mute, muted=False),
    "ban": _ban,
    "unban": _unban,
    "bans": _bans,
    "ban-address": _ban_address,
    "unban-address": _unban_address,
    "rename": _rename,
    "delete": _delete,
    "backup": _backup,
    "copy": _copy,
}
