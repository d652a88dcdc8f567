"""What the operator of a lobby does while it runs: bans and mutes at once, reports, and a backup to go on from."""

from __future__ import annotations

import gzip
import os
import re
import tarfile
import time
from ipaddress import ip_network
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

from daoqi_tui import codec
from daoqi_tui.cli import CommandError, UsageError, admin
from daoqi_tui.cli.parsers import ADMIN_USAGE, parser_for
from daoqi_tui.i18n import use_language
from daoqi_tui.play.online import store as module
from daoqi_tui.play.online.accounts import ACCOUNTS, Report
from daoqi_tui.play.online.connections import Site
from daoqi_tui.play.online.limits import DAY, Limits
from daoqi_tui.play.online.protocol import Moved, Play, Refused, Resign, Said, Say, State, Welcome
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.store import Store
from tests.play.online.table import Time, Wire, server
from tests.play.online.test_accounts import ask, club, joined, rated_game
from tests.play.online.test_correspondence import Calendar
from tests.waiting import until


class Operator:
    """The operator of the lobby in a folder, at the prompt."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.address = f"sqlite:///{folder}/accounts.db"
        self.capsys = capsys
        monkeypatch.setattr(admin, "lobby_folder", lambda: folder)
        monkeypatch.setattr("daoqi_tui.play.online.server._MODERATED", 0.05)

    def types(self, *words: str) -> str:
        options = parser_for("admin").parse_args(["admin", "--database", self.address, *words])
        assert admin.run_admin(options) == 0
        return self.capsys.readouterr().out


@pytest.fixture
def operator(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Operator:
    return Operator(tmp_path, capsys, monkeypatch)


async def closed_with(wire: Wire) -> Refused:
    refused = await wire.hear(Refused)
    assert refused.fatal
    assert await wire.hear(Refused) is None
    return refused


async def test_bans_and_mutes_hold_at_once_and_until_they_are_lifted(tmp_path: Path, operator: Operator) -> None:
    async with club(tmp_path) as table:
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        host, guest = await rated_game(table, ke, lu)
        watcher = await table.wire(secret=ke.secret)
        await watcher.join()
        operator.types("mute", "lu")
        await until(lambda: lu.id in table.lobby._moderated)
        await guest.say(Say("hello"))
        assert (await guest.hear(Refused)).code == "muted"
        operator.types("unmute", "Lu")
        await until(lambda: lu.id not in table.lobby._moderated)
        await guest.say(Say("hello"))
        assert (await host.hear(Said)).text == "hello"
        operator.types("ban", "KE", "insults others")
        # The connections of the account, and that of its seat.
        assert [(await closed_with(wire)).code for wire in (host, watcher)] == ["banned", "banned"]
        assert (await (await table.wire()).join(key=table.host_key)).code == "banned"
        assert "insults others" in operator.types("accounts", "k")
        operator.types("unban", "Ke")
        assert isinstance(await (await table.wire()).join(key=table.host_key), Welcome)
        # Lu, who is not concerned, has been there all the time.
        await guest.say(Resign())
        await until(table.lobby.store.games)
        operator.types("rename", "Ke", "Gu Li")
        assert b"Gu Li" in (await ask(table, "/accounts/me", ke.secret))[1]
        operator.types("delete", ke.id)
        assert (await ask(table, "/accounts/me", ke.secret))[0] == 403
        [game] = table.lobby.store.games()
        assert (game.black, game.black_name, game.white_name, game.has_record) == ("", "", "Lu", False)
        assert "Lu" in operator.types("games", "lu")


async def test_a_report_keeps_the_last_lines_of_chat_and_only_the_operator_sees_it(
    tmp_path: Path, operator: Operator
) -> None:
    async with club(tmp_path, limits=Limits(reports_daily=2)) as table:
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        host, guest = await rated_game(table, ke, lu)
        watcher = await table.wire()
        await watcher.join(name="Wu Q")
        await host.say(Say("you \x1b[31midiot"))
        assert (await guest.hear(Said)).name == "Ke"
        await guest.say(Say("/report insults me"))
        assert (await guest.hear(Refused)).code == "reported"
        await watcher.say(Say("/report he plays badly"))
        assert (await watcher.hear(Refused)).code == "nobody"
        await watcher.say(Say("/report ke insults others"))
        assert (await watcher.hear(Refused)).code == "reported"
        await guest.say(Say("/report Wu Q looks on"))
        assert (await guest.hear(Refused)).code == "reported"
        await guest.say(Say("/report once more"))
        assert (await guest.hear(Refused)).code == "full"
        reports = table.lobby.store.reports()
        assert {(report.by_name, report.name, report.account) for report in reports} == {
            ("Lu", "Ke", ke.id),
            ("Wu Q", "Ke", ke.id),
            ("Lu", "Wu Q", ""),
        }
        await guest.say(Say("bye"))
        # Nothing of it was said.
        assert (await guest.hear(Said)).text == "bye"
        told = operator.types("reports")
        assert "Ke (black): you \N{SYMBOL FOR ESCAPE}[31midiot" in told
        assert "\x1b" not in told
        operator.types("close", reports[0].id)
        assert len(table.lobby.store.reports()) == 2


def test_many_reports_of_one_do_not_displace_those_of_others(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REPORTS", 4)
    store = Store(address)
    for number in range(10):
        store.report(Report(f"{number % 5 == 1}", "", "", "Ke", "abc", f"reason {number}", "", number))
    assert [report.reason for report in store.reports()] == ["reason 1", "reason 6", "reason 8", "reason 9"]
    store.close()


async def test_a_lobby_goes_on_from_its_backup(tmp_path: Path, operator: Operator) -> None:
    clock, backup, restored = Time(), tmp_path / "backup.tar.gz", tmp_path / "restored"
    async with club(tmp_path, clock) as table:
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        host, guest = await rated_game(table, ke, lu)
        await guest.say(Resign())
        await until(table.lobby.store.games)
        host, guest = await rated_game(table, ke, lu)
        await host.say(Play(1, "C3"))
        await guest.hear(Moved)
        operator.types("backup", str(backup))
        await guest.say(Resign())
        await until(lambda: len(table.lobby.store.games()) == 2)
        game, key = table.game, table.host_key
    assert backup.stat().st_mode & 0o777 == 0o600
    with tarfile.open(backup) as archive:
        archive.extractall(restored, filter="data")
    store = Store(f"sqlite:///{restored}/accounts.db", clock)
    async with server(restored, None, clock, store=store) as table:
        assert len(store.games()) == 1
        host = await table.wire(game, secret=ke.secret)
        assert isinstance(await host.join(key=key), Welcome)
        assert (await host.hear(State)).moves == ("C3",)
        await host.say(Resign())
        await until(lambda: len(store.games()) == 2)
        assert len(store.history(lu.id, 5)) == 2
    store.close()


def test_a_database_that_cannot_be_used_is_said_in_the_language_of_the_user(tmp_path: Path, operator: Operator) -> None:
    (tmp_path / "accounts.db").write_bytes(b"no database " * 100)
    use_language("zh")
    try:
        with pytest.raises(CommandError, match=r"^数据库无法使用：文件不是数据库$"):
            operator.types("accounts")
    finally:
        use_language("en")


def test_a_backup_replaces_nothing_but_a_backup(tmp_path: Path, operator: Operator) -> None:
    Store(operator.address).close()
    out = tmp_path / "out"
    (out / "folder").mkdir(parents=True)
    (out / "notes").write_text("notes")
    (out / "other.gz").write_bytes(gzip.compress(b"other"))
    with tarfile.open(out / "other.tar.gz", "w:gz") as archive:
        archive.add(out / "notes", "notes")
    (out / "loop").symlink_to("loop")
    before = {path.name: path.read_bytes() for path in out.glob("o*")}
    another = "is another kind of file and is not replaced; choose another name"
    for name, reason in (
        ("", "cannot be written: Is a directory"),
        ("folder", "cannot be written: Is a directory"),
        ("nowhere/backup", "cannot be written: No such file or directory"),
        ("notes/backup", "cannot be written: Not a directory"),
        ("loop", "cannot be written: Too many levels of symbolic links"),
        *((name, another) for name in ("notes", "other.gz", "other.tar.gz", os.devnull)),
    ):
        file = str(out / name) if name else name
        with pytest.raises(CommandError, match=re.escape(f"{file} {reason}")):
            operator.types("backup", file)
    assert {path.name: path.read_bytes() for path in out.glob("o*")} == before
    assert (out / "notes").read_text() == "notes"
    assert not list(out.glob(".*")), "no file is left behind"
    (out / "link").symlink_to("backup")
    for name in ("backup", "backup", "link"):
        assert str(out / name) in operator.types("backup", str(out / name))
        assert (out / "link").is_symlink()
        with tarfile.open(out / "backup") as archive:
            assert "accounts.db" in archive.getnames()


def test_everything_is_copied_from_one_database_to_another(address: str, tmp_path: Path, operator: Operator) -> None:
    first, second = Store(address), Store(f"sqlite:///{tmp_path}/second.db")
    ke = first.claim("Ke", "digest", "link")
    first.report(Report("", "", ke.id, "Ke", "abc", "reason", "chat", 1.0))
    assert first.copy_to(second)
    assert not first.copy_to(second)
    assert (second.accounts(), second.reports()) == (first.accounts(), first.reports())
    assert second.opened_with("digest") == ke
    operator.address = address
    with pytest.raises(CommandError, match="not empty"):
        operator.types("copy", f"sqlite:///{tmp_path}/second.db")
    operator.types("copy", f"sqlite:///{tmp_path}/third.db")
    first.close(), second.close()


async def test_guests_from_a_banned_address_are_kept_out_until_its_end_and_members_are_not(
    tmp_path: Path, operator: Operator
) -> None:
    at = Calendar()
    store = Store(operator.address, at.date)
    proxied = Site((), (ip_network("127.0.0.1"),))
    try:
        async with server(tmp_path, now=at, store=store, site=proxied, wall=at.date) as table:
            ke = await joined(table, "Ke")
            table.lay()
            guest = await table.wire(address="203.0.113.7")
            await guest.join(name="Rude")
            assert operator.types("bans") == "No address is banned.\n"
            told = operator.types("ban-address", "203.0.113.0/24", "3", "insults")
            assert told.startswith("Guests from 203.0.113.0/24 are kept out until 2")
            assert (await closed_with(guest)).code == "banned-here"
            assert "203.0.113.0/24" in operator.types("bans")
            for address in ("203.0.113.7", "203.0.113.200"):
                refused = await (await table.wire(address=address)).join()
                assert (refused.code, refused.wait > 0) == ("banned-here", True)
                # Nor is there another account for them.
                headers = {"X-Forwarded-For": address}
                body = codec.encode({"name": "Another"})
                url = "http" + table.url[2:] + ACCOUNTS.path
                async with table.session.post(url, data=body, headers=headers) as answer:
                    assert (answer.status, "banned-here" in await answer.text()) == (403, True)
            for address, secret in (("203.0.112.7", ""), ("2001:db8::1", ""), ("203.0.113.7", ke.secret)):
                assert isinstance(await (await table.wire(address=address, secret=secret)).join(), Welcome)
            # It ends by itself, or by the operator. Nothing else runs while it is another year, as nothing is awaited.
            begun, at.now = at.now, time.time() - at.date() + at.now + 4 * DAY
            table.lobby.check_guest("203.0.113.7")
            at.now = begun
            with pytest.raises(RefusedError, match="banned-here"):
                table.lobby.check_guest("203.0.113.7")
            operator.types("unban-address", "203.0.113.0/24")
            await until(lambda: not table.lobby._bans)
            host = await table.wire(address="203.0.113.7")
            assert isinstance(await host.join(key=table.host_key), Welcome)
    finally:
        store.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("127.0.0.1", "3"), "is this computer"),
        (("0.0.0.0/0", "3"), "is this computer"),
        (("nowhere", "3"), "an address is such as"),
        (("203.0.113.7", "0"), "a ban has 1 to"),
        (("203.0.113.7", "for ever"), "a ban has 1 to"),
    ],
)
def test_an_address_that_cannot_be_banned_is_one_sentence(
    words: tuple[str, ...], said: str, operator: Operator
) -> None:
    with pytest.raises(CommandError, match=said):
        operator.types("ban-address", *words)
    assert operator.types("bans") == "No address is banned.\n"


@pytest.mark.parametrize("action", ADMIN_USAGE)
def test_words_that_are_missing_or_too_many_are_one_sentence(action: str, operator: Operator) -> None:
    usage = f"daoqi-tui admin {ADMIN_USAGE[action]}"
    wanted = ADMIN_USAGE[action].split()[1:]
    wrong = [["a", "b", "c", "d"], *([[]] if wanted and not wanted[0].startswith("[") else [])]
    for words in wrong:
        with pytest.raises(UsageError) as raised:
            operator.types(action, *words)
        assert usage in str(raised.value)


@pytest.mark.parametrize(
    "words", [("ban", "nobody", "x"), ("close", "x"), ("rename", "Ke", "Bot level 5"), ("rename", "Ke", "Lu")]
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(words: tuple[str, ...], operator: Operator) -> None:
    store = Store(operator.address)
    before = [store.claim(name, f"digest of {name}", "link") for name in ("Ke", "Lu")]
    with pytest.raises(CommandError) as raised:
        operator.types(*words)
    assert "\n" not in str(raised.value)
    assert sorted(store.accounts(), key=lambda account: account.name) == before
    store.close()
