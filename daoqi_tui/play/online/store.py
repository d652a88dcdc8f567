"""The accounts, ratings and rated games of a server, in SQLite or PostgreSQL; every call waits for the database.

A finished game is counted in one transaction, by its name, so that it changes each rating once however often it is
told. What is stored is bounded: accounts that never played go after a while, records of games after a number of them.
"""

from __future__ import annotations

import secrets
import time
from base64 import b32encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Column,
    Connection,
    Executable,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    Row,
    Table,
    Text,
    UniqueConstraint,
    and_,
    create_engine,
    delete,
    event,
    extract,
    func,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert as insert_or
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError

from daoqi_tui.message import Message, problem_of
from daoqi_tui.play.online.accounts import (
    Account,
    ClaimError,
    Kind,
    NetworkBan,
    RatedGame,
    Report,
    check_claim,
    claim_form,
)
from daoqi_tui.play.online.correspondence import VACATION_DAYS, YEAR, Turn, Vacation, days_used, deadline
from daoqi_tui.play.online.limits import DAY
from daoqi_tui.play.online.ratings import PERIOD, Rating, updated

MOST_ACCOUNTS: Final = 50_000
_UNPLAYED: Final = 180 * DAY
"""After so long without a visit, an account that has no rated game is removed, and its name is free."""
_UNSEEN: Final = 2 * 365 * DAY
"""The same for one that has."""
_GIVES_WAY: Final = 30 * DAY
"""The same as for one that has no game, when there is no room for another."""
_LINKS: Final = 10
"""The links of an account; a new one replaces the oldest."""
RECORDS: Final = 1000
"""The records that are kept of an account's games on one size."""
_KEPT: Final = 365 * DAY
"""For so long, at least, it is known that a game was counted: longer than any journal is kept."""
_MOST_FOUND: Final = 200
MOST_REPORTS: Final = 1000
_ROWS: Final = 1000
"""The rows that are copied at a time."""
_WAIT: Final = 30
"""Seconds to wait for another writer."""

_FORMAT: Final = 6
"""The version of the database, which a change of its tables increases."""
_TABLES: Final = MetaData()
_VERSION: Final = Table("version", _TABLES, Column("version", Integer, nullable=False))
_ACCOUNTS: Final = Table(
    "accounts",
    _TABLES,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("claimed", Text, nullable=False, unique=True),
    Column("created", Float, nullable=False),
    Column("seen", Float, nullable=False),
    Column("banned", Text, nullable=False, server_default=""),
    Column("muted", Integer, nullable=False, server_default="0"),
)
_CREDENTIALS: Final = Table(
    "credentials",
    _TABLES,
    Column("digest", Text, primary_key=True),
    Column("account", Text, ForeignKey(_ACCOUNTS.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("created", Float, nullable=False),
)
_GAMES: Final = Table(
    "games",
    _TABLES,
    Column("name", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("black", Text, ForeignKey(_ACCOUNTS.c.id, ondelete="SET NULL"), index=True),
    Column("white", Text, ForeignKey(_ACCOUNTS.c.id, ondelete="SET NULL"), index=True),
    Column("black_name", Text, nullable=False),
    Column("white_name", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("moves", Integer, nullable=False),
    Column("played", Float, nullable=False, index=True),
    Column("record", Text),
)
_RATINGS: Final = Table(
    "ratings",
    _TABLES,
    Column("game", Text, primary_key=True),
    Column("account", Text, ForeignKey(_ACCOUNTS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("size", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("value", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    UniqueConstraint("account", "size", "number"),
)

_REPORTS: Final = Table(
    "reports",
    _TABLES,
    Column("id", Text, primary_key=True),
    Column("at", Float, nullable=False),
    Column("by", Text, nullable=False),
    Column("by_name", Text, nullable=False),
    Column("account", Text, ForeignKey(_ACCOUNTS.c.id, ondelete="SET NULL")),
    Column("name", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("chat", Text, nullable=False),
)
_TURNS: Final = Table(
    "turns",
    _TABLES,
    Column("game", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("black", Text, nullable=False, index=True),
    Column("white", Text, nullable=False, index=True),
    Column("black_name", Text, nullable=False),
    Column("white_name", Text, nullable=False),
    Column("moves", Integer, nullable=False),
    Column("mover", Text, nullable=False),
    Column("began", Float, nullable=False),
    Column("seconds", Float, nullable=False),
)
_VACATIONS: Final = Table(
    "vacations",
    _TABLES,
    Column("account", Text, ForeignKey(_ACCOUNTS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("begun", Float, primary_key=True),
    Column("ended", Float, nullable=False),
)
_WEBHOOKS: Final = Table(
    "webhooks",
    _TABLES,
    Column("account", Text, ForeignKey(_ACCOUNTS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("address", Text, nullable=False),
)
_BANS: Final = Table(
    "bans",
    _TABLES,
    Column("network", Text, primary_key=True),
    Column("ended", Float, nullable=False),
    Column("reason", Text, nullable=False),
)

_SERVERS: Final = Table(
    "servers",
    _TABLES,
    Column("id", Text, primary_key=True),
    Column("address", Text, nullable=False),
    Column("seen", Float, nullable=False),
)
_OPEN_TABLES: Final = Table(
    "tables",
    _TABLES,
    Column("game", Text, primary_key=True),
    Column("server", Text, ForeignKey(_SERVERS.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("listed", Text, nullable=False),
)
_CHANNEL: Final = "daoqi_tables"
_ALIVE: Final = 8.0
"""The seconds after which a server that was not seen is down."""
_FORGOTTEN: Final = 120 * DAY
"""The seconds after which it is not known any more which tables a server had: longer than they are kept."""
_CLOCK: Final = extract("epoch", func.clock_timestamp())
"""That of the database, one for all servers."""


_SQLITE: Final = {
    str(message): message
    for message in (
        Message("database or disk is full"),
        Message("unable to open database file"),
        Message("attempt to write a readonly database"),
        Message("database is locked"),
        Message("file is not a database"),
        Message("disk I/O error"),
    )
}
"""What SQLite says where its file cannot be used."""


class StoreError(OSError):
    """The database cannot be used, or not now; the text is one sentence."""


class _ConflictError(StoreError):
    """What is to be stored is there already, or belongs to an account that is gone."""


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A rating after a game, and when that was."""

    at: float
    rating: Rating


class Store:
    """A database of a server.

    Args:
        address: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``.
        now: returns the seconds of the epoch.

    Raises:
        StoreError: it cannot be opened, or is of a newer version.
    """

    def __init__(self, address: str, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._is_closed = False
        try:
            url = _read_address(address)
            is_file = url.get_backend_name() == "sqlite"
            self._engine: Final = create_engine(
                url,
                pool_pre_ping=not is_file,
                connect_args={"timeout": _WAIT} if is_file else _POSTGRESQL,
                # A statement in an error may have a digest as its parameter.
                hide_parameters=True,
            )
        except ImportError as error:
            raise StoreError(Message("the package {name} is missing", name=error.name or "")) from error
        event.listen(self._engine, "before_cursor_execute", _make_storable, retval=True)
        if is_file:
            event.listen(self._engine, "connect", _set_up_file)
            event.listen(self._engine, "begin", _begin_writing)
        try:
            with self._transaction() as db:
                _make_tables(db)
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        """Close the connections; the one of a thread that is still at work, as soon as it is done."""
        self._is_closed = True
        # Not that of the engine, which would make another pool and leave what is returned to this one open.
        self._engine.pool.dispose()

    @property
    def is_shared(self) -> bool:
        """Whether several servers can use it, and tell each other of changes."""
        return self._engine.dialect.name == "postgresql"

    @contextmanager
    def _transaction(self, *, one_view: bool = False) -> Iterator[Connection]:
        """Work in a transaction, which is undone if an error leaves it.

        Args:
            one_view: whether all that is read is of one time, also beside other servers.

        Raises:
            StoreError: the database fails.
        """
        try:
            with self._failing(), self._engine.connect() as db:
                if one_view and self.is_shared:
                    db.execution_options(isolation_level="REPEATABLE READ")
                with db.begin():
                    yield db
        finally:
            if self._is_closed:
                self._engine.pool.dispose()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Raise what the database raises as a :class:`StoreError`, in one sentence."""
        try:
            yield
        except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            text = str(cause).strip().partition("\n")[0]
            kind = _ConflictError if isinstance(error, IntegrityError) else StoreError
            raise kind(Message("the database cannot be used: {reason}", reason=_SQLITE.get(text, text))) from None

    def _rows(self, query: Executable) -> Sequence[Row[Any]]:
        """Return what is found in a transaction of its own."""
        with self._transaction() as db:
            return db.execute(query).all()

    # Accounts

    def claim(self, name: str, digest: str, kind: Kind) -> Account:
        """Make an account with a name, which the owner of a secret with this digest opens.

        Raises:
            ClaimError: nobody can be called so, somebody else is, or there is no room.
        """
        name = check_claim(name)
        now = self._now()
        account = Account(_new_id(), name, created=now, seen=now)
        try:
            with self._transaction() as db:
                if (db.scalar(select(func.count()).select_from(_ACCOUNTS)) or 0) >= MOST_ACCOUNTS:
                    _remove_unplayed(db, now - _GIVES_WAY)
                    if (db.scalar(select(func.count()).select_from(_ACCOUNTS)) or 0) >= MOST_ACCOUNTS:
                        raise ClaimError(Message("this server has no room for more accounts"))
                db.execute(
                    insert(_ACCOUNTS).values(
                        id=account.id, name=name, claimed=claim_form(name), created=now, seen=now, banned="", muted=0
                    )
                )
                db.execute(insert(_CREDENTIALS).values(digest=digest, account=account.id, kind=kind, created=now))
        except _ConflictError:
            raise _taken(name) from None
        return account

    def opened_with(self, digest: str) -> Account | None:
        """Return the account that a secret with this digest opens, and note the visit, to a day."""
        with self._transaction() as db:
            query = select(_ACCOUNTS).join(_CREDENTIALS, _CREDENTIALS.c.account == _ACCOUNTS.c.id)
            row = db.execute(query.where(_CREDENTIALS.c.digest == digest)).one_or_none()
            if row is None:
                return None
            now = self._now()
            if now - row.seen > DAY:
                db.execute(update(_ACCOUNTS).where(_ACCOUNTS.c.id == row.id).values(seen=now))
            return _account(row)

    def account(self, id_: str) -> Account | None:
        return next(map(_account, self._rows(select(_ACCOUNTS).where(_ACCOUNTS.c.id == id_))), None)

    def named(self, name: str) -> Account | None:
        """Return the account that has a name, or one that would be taken for it."""
        found = select(_ACCOUNTS).where(_ACCOUNTS.c.claimed == claim_form(name))
        return next(map(_account, self._rows(found)), None)

    def accounts(self, part: str = "", most: int = _MOST_FOUND) -> list[Account]:
        """Return the accounts whose names contain some text, those seen last first."""
        found = select(_ACCOUNTS).order_by(_ACCOUNTS.c.seen.desc(), _ACCOUNTS.c.id).limit(most)
        if part:
            found = found.where(_ACCOUNTS.c.name.icontains(part, autoescape=True))
        return [*map(_account, self._rows(found))]

    def add_link(self, id_: str, digest: str) -> None:
        """Have an account opened by another secret as well, in place of the oldest link if there are many."""
        with self._transaction() as db:
            links = select(_CREDENTIALS.c.digest).where(_CREDENTIALS.c.account == id_, _CREDENTIALS.c.kind == "link")
            known = list(db.scalars(links.order_by(_CREDENTIALS.c.created.desc())))
            db.execute(delete(_CREDENTIALS).where(_CREDENTIALS.c.digest.in_(known[_LINKS - 1 :])))
            db.execute(insert(_CREDENTIALS).values(digest=digest, account=id_, kind="link", created=self._now()))

    def remove_links(self, id_: str) -> None:
        """Have none of the links of an account open it any more."""
        with self._transaction() as db:
            db.execute(delete(_CREDENTIALS).where(_CREDENTIALS.c.account == id_, _CREDENTIALS.c.kind == "link"))

    # Correspondence games

    def put_turn(self, game: str, turn: Turn | None) -> bool:
        """Store the turn of a game in place of the one before; None for a game without.

        Returns:
            Whether it is the turn of a side that had not this turn before.
        """
        with self._transaction() as db:
            row = db.execute(select(_TURNS.c.moves, _TURNS.c.mover).where(_TURNS.c.game == game)).one_or_none()
            db.execute(delete(_TURNS).where(_TURNS.c.game == game))
            if turn is None:
                return False
            db.execute(insert(_TURNS).values(asdict(turn)))
            return bool(turn.mover) and (row is None or (row.moves, row.mover) != (turn.moves, turn.mover))

    def set_webhook(self, account: str, address: str) -> None:
        """Set where an account is told of its turn; empty for nowhere."""
        with self._transaction() as db:
            db.execute(delete(_WEBHOOKS).where(_WEBHOOKS.c.account == account))
            if address:
                db.execute(insert(_WEBHOOKS).values(account=account, address=address))

    def webhook_of(self, account: str) -> str:
        """Return where an account is told of its turn, empty for nowhere."""
        query = select(_WEBHOOKS.c.address).where(_WEBHOOKS.c.account == account)
        return next((row.address for row in self._rows(query)), "")

    def turns_of(self, account: str) -> list[Turn]:
        """Return the turns of the games of an account, those first that began first."""
        mine = or_(_TURNS.c.black == account, _TURNS.c.white == account)
        query = select(_TURNS).where(mine).order_by(_TURNS.c.began, _TURNS.c.game).limit(_MOST_FOUND)
        return [Turn(**row._asdict()) for row in self._rows(query)]

    def expired(self, now: float) -> list[str]:
        """Return the games whose deadline was before a time, not counting vacations of the side to move."""
        late = select(_TURNS).where(_TURNS.c.began + _TURNS.c.seconds <= now)
        with self._transaction() as db:
            turns = [Turn(**row._asdict()) for row in db.execute(late)]
            found = []
            for turn in turns:
                waited = {"black": (turn.black,), "white": (turn.white,)}.get(turn.mover, (turn.black, turn.white))
                ends = (deadline(turn.began, turn.seconds, _vacations(db, each)) for each in waited)
                # Of a count it is not known here who has agreed.
                if min(ends) <= now:
                    found.append(turn.game)
            return found

    def vacations(self, account: str) -> list[Vacation]:
        """Return the vacations of an account in the last year, and the one to come."""
        since = self._now() - YEAR
        with self._transaction() as db:
            return [each for each in _vacations(db, account) if each.ended > since]

    def go_on_vacation(self, account: str, days: int) -> bool:
        """Begin a vacation in place of one that is not over, or with 0 days only end that.

        Returns:
            False if so many days are not left, and nothing has changed.
        """
        now = self._now()
        with self._transaction() as db:
            # One after the other, so that two requests together do not take more than there is.
            db.execute(select(_ACCOUNTS.c.id).where(_ACCOUNTS.c.id == account).with_for_update())
            known = _vacations(db, account)
            cut = [Vacation(begun, min(ended, now)) for begun, ended in known]
            if days_used(cut, now) + days > VACATION_DAYS:
                return False
            current = and_(_VACATIONS.c.account == account, _VACATIONS.c.ended > now)
            db.execute(update(_VACATIONS).where(current).values(ended=now))
            db.execute(delete(_VACATIONS).where(_VACATIONS.c.account == account, _VACATIONS.c.begun >= now))
            if days:
                db.execute(insert(_VACATIONS).values(account=account, begun=now, ended=now + days * DAY))
        return True

    # The tables of several servers

    def announce(self, server: str, address: str, tables: Mapping[str, str], gone: Iterable[str]) -> None:
        """Store that a server is there, and which of its tables are new, changed or gone; tell the others if any is.

        Args:
            server: its id.
            address: its URL.
            tables: what is listed of each, by the id of its game; empty for one that is not listed.
            gone: the ids of games that it has no longer.
        """
        with self._transaction() as db:
            here = insert_or(_SERVERS).values(id=server, address=address, seen=_CLOCK)
            db.execute(here.on_conflict_do_update(index_elements=["id"], set_={"seen": _CLOCK}))
            if tables:
                rows = [{"game": game, "server": server, "listed": listed} for game, listed in tables.items()]
                put = insert_or(_OPEN_TABLES)
                taken = {"server": put.excluded.server, "listed": put.excluded.listed}
                db.execute(put.on_conflict_do_update(index_elements=["game"], set_=taken), rows)
            of_server = _OPEN_TABLES.c.server == server
            db.execute(delete(_OPEN_TABLES).where(of_server, _OPEN_TABLES.c.game.in_(sorted(gone))))
            db.execute(delete(_SERVERS).where(_SERVERS.c.seen < _CLOCK - _FORGOTTEN))
            if tables or gone:
                db.execute(select(func.pg_notify(_CHANNEL, server)))

    def withdraw(self, server: str) -> None:
        """Store that a server is down; which tables it had stays known."""
        with self._transaction() as db:
            db.execute(update(_SERVERS).where(_SERVERS.c.id == server).values(seen=_CLOCK - _ALIVE))
            db.execute(select(func.pg_notify(_CHANNEL, server)))

    def listed_elsewhere(self, server: str) -> list[str]:
        """Return what is listed of the tables of the other servers that are up."""
        query = select(_OPEN_TABLES.c.listed).join(_SERVERS).order_by(_SERVERS.c.id, _OPEN_TABLES.c.game)
        query = query.where(_SERVERS.c.seen > _CLOCK - _ALIVE, _SERVERS.c.id != server, _OPEN_TABLES.c.listed != "")
        return [row.listed for row in self._rows(query)]

    def server_of(self, game: str, server: str) -> str | None:
        """Return the address of the other server that has a table, empty if it is down, None if there is none."""
        query = select(_SERVERS.c.address, (_SERVERS.c.seen > _CLOCK - _ALIVE).label("up")).join(_OPEN_TABLES)
        found = self._rows(query.where(_OPEN_TABLES.c.game == game, _SERVERS.c.id != server))
        return next((row.address if row.up else "" for row in found), None)

    def changes(self, step: float) -> Iterator[str]:
        """Yield what servers say of changes, mostly their id; empty after each number of seconds without a change.

        Raises:
            StoreError: the database fails.
        """
        with self._failing(), self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            # Nobody else is to get a connection that listens.
            db.detach()
            db.exec_driver_sql(f"LISTEN {_CHANNEL}")
            wire: Any = db.connection.dbapi_connection
            while True:
                yield from (each.payload for each in wire.notifies(timeout=step, stop_after=1))
                yield ""

    # The operator's

    def moderated(self) -> dict[str, Account]:
        query = select(_ACCOUNTS).where(or_(_ACCOUNTS.c.banned != "", _ACCOUNTS.c.muted != 0))
        return {row.id: _account(row) for row in self._rows(query)}

    def set_banned(self, id_: str, reason: str) -> None:
        """Ban an account, or with an empty reason no longer."""
        with self._transaction() as db:
            db.execute(update(_ACCOUNTS).where(_ACCOUNTS.c.id == id_).values(banned=reason))

    def ban_network(self, network: str, days: int, reason: str) -> None:
        """Keep guests from a network out for some days from now, or with 0 no longer."""
        with self._transaction() as db:
            db.execute(delete(_BANS).where(or_(_BANS.c.network == network, _BANS.c.ended <= self._now())))
            if days:
                ended = self._now() + days * DAY
                db.execute(insert(_BANS).values(network=network, ended=ended, reason=reason))

    def banned_networks(self) -> list[NetworkBan]:
        """Return the networks whose guests are kept out now."""
        query = select(_BANS).where(_BANS.c.ended > self._now()).order_by(_BANS.c.ended, _BANS.c.network)
        return [NetworkBan(**row._asdict()) for row in self._rows(query)]

    def set_muted(self, id_: str, *, muted: bool) -> None:
        with self._transaction() as db:
            db.execute(update(_ACCOUNTS).where(_ACCOUNTS.c.id == id_).values(muted=int(muted)))

    def rename(self, id_: str, name: str) -> None:
        """Give an account another name. Raises ClaimError as :meth:`claim` does."""
        name = check_claim(name)
        try:
            with self._transaction() as db:
                new = {"name": name, "claimed": claim_form(name)}
                db.execute(update(_ACCOUNTS).where(_ACCOUNTS.c.id == id_).values(new))
        except _ConflictError:
            raise _taken(name) from None

    def delete(self, id_: str) -> None:
        """Remove an account with its ratings; its games stay with its opponents, without its name."""
        with self._transaction() as db:
            for column, name in ((_GAMES.c.black, "black_name"), (_GAMES.c.white, "white_name")):
                db.execute(update(_GAMES).where(column == id_).values({name: "", "record": None}))
            db.execute(delete(_ACCOUNTS).where(_ACCOUNTS.c.id == id_))

    def report(self, report: Report) -> None:
        """Keep a report; when there are many, the oldest goes of whoever made the most."""
        with self._transaction() as db:
            if (db.scalar(select(func.count()).select_from(_REPORTS)) or 0) >= MOST_REPORTS:
                many = select(_REPORTS.c.by).group_by(_REPORTS.c.by).order_by(func.count().desc(), _REPORTS.c.by)
                by = db.scalar(many.limit(1))
                oldest = select(_REPORTS.c.id).where(_REPORTS.c.by == by).order_by(_REPORTS.c.at, _REPORTS.c.id)
                db.execute(delete(_REPORTS).where(_REPORTS.c.id == db.scalar(oldest.limit(1))))
            # None where it is gone.
            account = db.scalar(select(_ACCOUNTS.c.id).where(_ACCOUNTS.c.id == report.account))
            db.execute(insert(_REPORTS).values({**asdict(report), "id": _new_id(), "account": account}))

    def reports(self) -> list[Report]:
        """Return the reports that are open, the oldest first."""
        rows = self._rows(select(_REPORTS).order_by(_REPORTS.c.at, _REPORTS.c.id))
        return [Report(**{**row._asdict(), "account": row.account or ""}) for row in rows]

    def close_report(self, id_: str) -> bool:
        """Remove a report; return whether there was one."""
        with self._transaction() as db:
            return bool(db.execute(delete(_REPORTS).where(_REPORTS.c.id == id_)).rowcount)

    def copy_to(self, other: Store) -> bool:
        """Copy everything, as it is at one time, into an empty database; return whether that was empty."""
        # Those that are of the servers which run now are no part of a copy.
        tables = [table for table in _TABLES.sorted_tables if table not in (_VERSION, _SERVERS, _OPEN_TABLES)]
        with self._transaction(one_view=True) as db, other._transaction() as new:
            if any(new.execute(select(table).limit(1)).first() for table in tables):
                return False
            for table in tables:
                rows = db.execution_options(yield_per=_ROWS).execute(select(table)).mappings()
                for part in rows.partitions(_ROWS):
                    new.execute(insert(table), [dict(row) for row in part])
        return True

    # Games

    def record(self, game: RatedGame, record: str | None) -> bool:
        """Count a rated game, unless it was counted before; return whether it was counted now.

        Its record is SGF, None if nobody else may see it. The game is stored without a rating if one of the accounts is
        gone, or it has no winner and no draw. Games count in the order in which they ended, whenever they are told:
        what ended later, and depends on this one, is rated anew.
        """
        players = {game.black, game.white}
        try:
            with self._transaction() as db:
                if self.is_shared:
                    # One server at a time, since a game may change ratings of any account; the number is any.
                    db.execute(text("SELECT pg_advisory_xact_lock(7170552)"))
                # In one order, so that two servers do not wait for each other.
                locked = select(_ACCOUNTS.c.id).where(_ACCOUNTS.c.id.in_(players)).order_by(_ACCOUNTS.c.id)
                known = set(db.scalars(locked.with_for_update()))
                if db.scalar(select(_GAMES.c.name).where(_GAMES.c.name == game.name)) is not None:
                    return False
                others = {
                    "black": game.black if game.black in known else None,
                    "white": game.white if game.white in known else None,
                    "record": record,
                }
                columns = ("name", "size", "black_name", "white_name", "result", "moves", "played")
                db.execute(insert(_GAMES).values({name: getattr(game, name) for name in columns} | others))
                if _score(game.result) is not None and len(known) == 2:
                    again = _depending(db, game)
                    for each in again:
                        db.execute(delete(_RATINGS).where(_RATINGS.c.game == each.name))
                    for each in (game, *again):
                        _rate(db, each)
        except _ConflictError:
            if self._rows(select(_GAMES.c.name).where(_GAMES.c.name == game.name)):
                # Another server was faster.
                return False
            raise
        return True

    def ratings(self, id_: str) -> dict[int, Rating]:
        with self._transaction() as db:
            sizes = db.scalars(select(_RATINGS.c.size).where(_RATINGS.c.account == id_).distinct())
            return {size: self._now_of(_last(db, id_, size)) for size in sorted(sizes)}

    def _now_of(self, last: tuple[int, RatingPoint] | None) -> Rating:
        if last is None:
            return Rating()
        point = last[1]
        return updated(point.rating, (), max(0.0, self._now() - point.at) / PERIOD)

    def history(self, id_: str, size: int) -> list[RatingPoint]:
        """Return the ratings of an account after each of its games on a size, the first ones first."""
        query = select(_RATINGS).where(_RATINGS.c.account == id_, _RATINGS.c.size == size)
        return [*map(_point, self._rows(query.order_by(_RATINGS.c.number.desc()).limit(RECORDS)))][::-1]

    def ranked(self, size: int, most: int = 50) -> list[tuple[Account, Rating]]:
        """Return the accounts with a rating on a size, the strongest first."""
        newest = select(_RATINGS.c.account, func.max(_RATINGS.c.number).label("number")).where(_RATINGS.c.size == size)
        last = newest.group_by(_RATINGS.c.account).subquery()
        same = and_(_RATINGS.c.account == last.c.account, _RATINGS.c.number == last.c.number, _RATINGS.c.size == size)
        query = select(_ACCOUNTS, _RATINGS.c.at, _RATINGS.c.value, _RATINGS.c.deviation, _RATINGS.c.volatility)
        query = query.join(_RATINGS, _RATINGS.c.account == _ACCOUNTS.c.id).join(last, same)
        query = query.where(_ACCOUNTS.c.banned == "").order_by(_RATINGS.c.value.desc()).limit(most)
        return [(_account(row), self._now_of((0, _point(row)))) for row in self._rows(query)]

    def games(
        self, player: str = "", *, name: str = "", size: int = 0, winner: str = "", most: int = _MOST_FOUND
    ) -> list[RatedGame]:
        """Return rated games, the last ones first.

        Args:
            player: the id of an account that played; empty for any.
            name: a part of the name of a player.
            size: of the board, 0 for any.
            winner: ``B`` or ``W``; empty for any.
            most: their number.
        """
        query = select(_GAMES).order_by(_GAMES.c.played.desc(), _GAMES.c.name).limit(most)
        if player:
            query = query.where(or_(_GAMES.c.black == player, _GAMES.c.white == player))
        if name:
            either = (column.icontains(name, autoescape=True) for column in (_GAMES.c.black_name, _GAMES.c.white_name))
            query = query.where(or_(*either))
        if size:
            query = query.where(_GAMES.c.size == size)
        if winner:
            query = query.where(_GAMES.c.result.startswith(f"{winner}+", autoescape=True))
        return [*map(_game, self._rows(query))]

    def record_of(self, name: str) -> str | None:
        """Return the record of a game, None if there is none any more."""
        return next((row.record for row in self._rows(select(_GAMES.c.record).where(_GAMES.c.name == name))), None)

    def recorded(self, most: int) -> list[str]:
        """Return the names of the games that have a record, the last ones first."""
        query = select(_GAMES.c.name).where(_GAMES.c.record.is_not(None))
        found = self._rows(query.order_by(_GAMES.c.played.desc(), _GAMES.c.name).limit(most))
        return [row.name for row in found]

    def games_named(self, names: Sequence[str], most: int) -> list[RatedGame]:
        """Return those of some games that have a record, the last ones first."""
        query = select(_GAMES).where(_GAMES.c.name.in_(names), _GAMES.c.record.is_not(None))
        return [*map(_game, self._rows(query.order_by(_GAMES.c.played.desc(), _GAMES.c.name).limit(most)))]

    # Bounds

    def prune(self) -> None:
        """Remove what is no longer needed; called now and then."""
        now = self._now()
        with self._transaction() as db:
            _remove_unplayed(db, now - _UNPLAYED)
            db.execute(delete(_VACATIONS).where(_VACATIONS.c.ended < now - YEAR))
            # Of a table that is gone, as with the folder of a server.
            db.execute(delete(_TURNS).where(_TURNS.c.began < now - YEAR))
            db.execute(delete(_ACCOUNTS).where(_ACCOUNTS.c.seen < now - _UNSEEN, _ACCOUNTS.c.banned == ""))
            last = select(_RATINGS.c.account, _RATINGS.c.size, func.max(_RATINGS.c.number).label("number"))
            last_ones = last.group_by(_RATINGS.c.account, _RATINGS.c.size).subquery()
            same = and_(_RATINGS.c.account == last_ones.c.account, _RATINGS.c.size == last_ones.c.size)
            older = select(_RATINGS.c.game).join(last_ones, same)
            older = older.where(_RATINGS.c.number <= last_ones.c.number - RECORDS)
            db.execute(update(_GAMES).where(_GAMES.c.name.in_(older), _GAMES.c.record.is_not(None)).values(record=None))
            ended = and_(_GAMES.c.record.is_(None), _GAMES.c.played < now - _KEPT)
            gone = list(db.scalars(select(_GAMES.c.name).where(ended)))
            old_ones = last.where(_RATINGS.c.at < now - _KEPT).group_by(_RATINGS.c.account, _RATINGS.c.size).subquery()
            is_last = and_(*(_RATINGS.c[name] == old_ones.c[name] for name in ("account", "size", "number")))
            for begin in range(0, len(gone), _MOST_FOUND):
                names = gone[begin : begin + _MOST_FOUND]
                # The last of them stays, whatever becomes of the game: those after it go by it.
                current = select(_RATINGS.c.game).join(old_ones, is_last)
                db.execute(delete(_RATINGS).where(_RATINGS.c.game.in_(names), _RATINGS.c.game.not_in(current)))
                db.execute(delete(_GAMES).where(_GAMES.c.name.in_(names)))


_POSTGRESQL: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    # What is sent to a computer that is gone fails as well.
    "tcp_user_timeout": _WAIT * 1000,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "options": f"-c statement_timeout={_WAIT}s -c lock_timeout={_WAIT}s",
}


def file_address(file: Path) -> str:
    return URL.create("sqlite", database=str(file)).render_as_string()


def _read_address(address: str) -> URL:
    try:
        url = make_url(address)
        if url.drivername in ("postgresql", "postgres"):
            return url.set(drivername="postgresql+psycopg")
        if url.drivername == "sqlite" and url.database:
            file = Path(url.database)
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # The files beside it take its permissions.
            file.touch(0o600)
            return url
    except OSError as error:
        raise StoreError(Message("the database cannot be used: {reason}", reason=problem_of(error))) from error
    except (ArgumentError, ValueError):
        pass
    raise StoreError(Message("a database is sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"))


def _set_up_file(connection: DBAPIConnection, _record: object) -> None:
    # Transactions are begun below, where they hold for reading and for changes of tables too.
    connection.isolation_level = None
    for setting in ("foreign_keys = ON", "journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")


def _make_storable(
    _db: Connection, _cursor: object, statement: str, parameters: object, _context: object, _many: bool
) -> tuple[str, object]:
    """Replace what a database takes in no text, as PostgreSQL a zero byte, and both half a surrogate pair."""
    return statement, _storable(parameters)


def _storable(value: object) -> object:
    if isinstance(value, str):
        return value.replace("\0", "\u2400").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {name: _storable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [*map(_storable, value)]
    return (*map(_storable, value),) if isinstance(value, tuple) else value


def _begin_writing(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _make_tables(db: Connection) -> None:
    """Make the tables that the database has not yet. Raises StoreError if it is of a newer version."""
    if db.dialect.name == "postgresql":
        # One server at a time; the number is any.
        db.execute(text("SELECT pg_advisory_xact_lock(7170551)"))
    _TABLES.create_all(db)
    version = db.scalar(select(_VERSION.c.version))
    if version is None:
        db.execute(insert(_VERSION).values(version=_FORMAT))
    elif version > _FORMAT:
        raise StoreError(Message("the database is of a newer version of the program"))
    elif version < _FORMAT:
        db.execute(update(_VERSION).values(version=_FORMAT))


def _new_id() -> str:
    return b32encode(secrets.token_bytes(5)).decode().lower()


def _taken(name: str) -> ClaimError:
    return ClaimError(Message("somebody is called {name} already, or so that people would confuse you", name=name))


def _account(row: Row[Any]) -> Account:
    return Account(row.id, row.name, row.banned, bool(row.muted), row.created, row.seen)


def _point(row: Row[Any]) -> RatingPoint:
    return RatingPoint(row.at, Rating(row.value, row.deviation, row.volatility))


def _game(row: Row[Any]) -> RatedGame:
    return RatedGame(
        row.name,
        row.size,
        row.black or "",
        row.white or "",
        row.black_name,
        row.white_name,
        row.result,
        row.moves,
        row.played,
        row.record is not None,
    )


def _vacations(db: Connection, account: str) -> list[Vacation]:
    query = select(_VACATIONS.c.begun, _VACATIONS.c.ended).where(_VACATIONS.c.account == account)
    return [Vacation(row.begun, row.ended) for row in db.execute(query.order_by(_VACATIONS.c.begun))]


def _score(result: str) -> float | None:
    """Return the score of Black, None for a game without a result."""
    if result in ("0", "Draw", "Jigo"):
        return 0.5
    return {"B+": 1.0, "W+": 0.0}.get(result[:2])


def _last(db: Connection, account: str, size: int) -> tuple[int, RatingPoint] | None:
    query = select(_RATINGS).where(_RATINGS.c.account == account, _RATINGS.c.size == size)
    row = db.execute(query.order_by(_RATINGS.c.number.desc()).limit(1)).one_or_none()
    return None if row is None else (row.number, _point(row))


def _depending(db: Connection, game: RatedGame) -> list[RatedGame]:
    """Return the games that ended later than one, and whose ratings depend on it, in the order in which they ended.

    One with an account that is gone is none: it cannot be rated anew.
    """
    columns = _GAMES.c
    later = or_(columns.played > game.played, and_(columns.played == game.played, columns.name > game.name))
    query = select(_GAMES).where(columns.size == game.size, later).order_by(columns.played, columns.name)
    found, players = [], {game.black, game.white}
    for row in db.execute(query):
        both = {row.black, row.white}
        if not players.isdisjoint(both) and None not in both and _score(row.result) is not None:
            players |= both
            found.append(_game(row))
    return found


def _rate(db: Connection, game: RatedGame) -> None:
    score = _score(game.result)
    assert score is not None
    last = {id_: _last(db, id_, game.size) for id_ in (game.black, game.white)}
    start = RatingPoint(game.played, Rating())
    before = {id_: start if found is None else found[1] for id_, found in last.items()}
    for own, other, won in ((game.black, game.white, score), (game.white, game.black, 1 - score)):
        at = max(game.played, before[own].at)
        rating = updated(before[own].rating, [(before[other].rating, won)], (at - before[own].at) / PERIOD)
        found = last[own]
        number = 1 if found is None else found[0] + 1
        db.execute(
            insert(_RATINGS).values(
                game=game.name,
                account=own,
                size=game.size,
                number=number,
                at=at,
                value=rating.value,
                deviation=rating.deviation,
                volatility=rating.volatility,
            )
        )


def _remove_unplayed(db: Connection, before: float) -> None:
    """Remove accounts that have no game and were not seen since a time; those that are banned stay."""
    played = select(_RATINGS.c.account)
    query = delete(_ACCOUNTS).where(_ACCOUNTS.c.seen < before, _ACCOUNTS.c.banned == "", _ACCOUNTS.c.id.not_in(played))
    db.execute(query)
