"""Webhooks: what is posted, that they lead nowhere but to the internet, and that nothing waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

from aiohttp import web

from daoqi_tui import codec
from daoqi_tui.play.online import webhooks
from daoqi_tui.play.online.accounts import OWN_GAMES, WEBHOOK, OwnGames
from daoqi_tui.play.online.protocol import Play
from daoqi_tui.play.online.store import Store
from daoqi_tui.play.online.webhooks import Notice, Webhooks, check_address, is_public
from tests.play.online.table import Time, server
from tests.play.online.test_accounts import ask, joined, refusal
from tests.play.online.test_correspondence import Calendar, begun, game_of, seated
from tests.waiting import until


class Target:
    """A server that notes what is posted to it; /away leads to /target, /slow does not answer."""

    def __init__(self) -> None:
        self.url = ""
        self.got: list[tuple[str, str, str]] = []
        self.slow = asyncio.Event()

    async def take(self, request: web.Request) -> web.Response:
        self.got.append((request.path, request.content_type, await request.text()))
        if request.path == "/away":
            raise web.HTTPTemporaryRedirect(f"{self.url}/target")
        if request.path == "/slow":
            await self.slow.wait()
        return web.Response(status=500 if request.path == "/failing" else 200)


@asynccontextmanager
async def target() -> AsyncIterator[Target]:
    found, app = Target(), web.Application()
    app.router.add_route("*", "/{path:.*}", found.take)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        found.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield found
    finally:
        found.slow.set()
        await runner.cleanup()


@asynccontextmanager
async def posting(addresses: dict[str, str], hourly: int = 100, *, private: bool = True) -> AsyncIterator[Webhooks]:
    hooks = Webhooks(addresses.__getitem__, hourly, Time(), private=private)
    running = asyncio.create_task(hooks.run())
    try:
        yield hooks
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
        ),
        *("255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1"),
        *(
            "::ffff:127.0.0.1",
            "::ffff:a00:1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001:0:1::1",
            "2001:db8::1",
        ),
    ],
)
def test_an_address_of_no_public_host_is_none(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "text",
    [
        *("ftp://example.org", "file:///etc/passwd", "https://", "example.org", "javascript:x", "http://[::1", "//x/y"),
        *("http://a:b@example.org", "http://x:99999/", "http://x/ y", "http://x/\n", "https://x/\x00", "http://é/", ""),
        "https://x/" + "y" * 400,
    ],
)
def test_what_is_no_address_of_the_web_is_refused(text: str) -> None:
    assert check_address(" https://ntfy.example.org/topic#json ") == "https://ntfy.example.org/topic#json"
    if text == "http://x/\n":
        # A line that was copied with its end.
        assert check_address(text) == "http://x/"
        return
    with pytest.raises(ValueError, match="webhook"):
        check_address(text)


async def test_a_line_is_posted_as_text_or_json_and_no_redirect_is_followed() -> None:
    async with target() as there:
        addresses = {"a": f"{there.url}/target", "b": f"{there.url}/away", "c": f"{there.url}/d?e#json", "f": ""}
        async with posting(addresses) as hooks:
            for account in "bfac":
                hooks.notify(Notice(account, "Your move", "http://here/"))
            await until(lambda: len(there.got) == 3)
            for account in "a":
                hooks.notify(Notice(account, "Again", ""))
            await until(lambda: len(there.got) == 4)
        assert sorted(there.got[:3]) == [
            ("/away", "text/plain", "Your move\nhttp://here/"),
            ("/d", "application/json", there.got[[path for path, *_rest in there.got].index("/d")][2]),
            ("/target", "text/plain", "Your move\nhttp://here/"),
        ]
        assert '"text":"Your move\\nhttp://here/"' in str(sorted(there.got[:3])[1][2])
        assert there.got[3] == ("/target", "text/plain", "Again")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "127.1", "0x7f000001", "[::ffff:127.0.0.1]"])
async def test_without_the_operators_leave_nothing_private_is_reached(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with target() as there:
        port = there.url.rpartition(":")[2]
        failed: list[object] = []
        monkeypatch.setattr(webhooks.log, "info", lambda *words: failed.append(words))
        async with posting({"a": f"http://{host}:{port}/x"}, private=False) as hooks:
            hooks.notify(Notice("a", "Your move", ""))
            await until(lambda: failed)
        assert not there.got


async def test_slow_and_failing_addresses_and_many_lines_keep_nobody_from_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webhooks, "_MOST_NOTICES", 5)
    async with target() as there:
        addresses = {"slow": f"{there.url}/slow", "failing": f"{there.url}/failing", "good": f"{there.url}/good"}
        async with posting(addresses | {"gone": "http://127.0.0.1:1/"}, 3) as hooks:
            # Of an account only so many an hour; slow ones take some of the workers, not all.
            for account in ("slow", "slow", "slow", "slow", "failing", "gone"):
                hooks.notify(Notice(account, "x", ""))
            await until(lambda: len(there.got) == 4)
            hooks.notify(Notice("good", "x", ""))
            await until(lambda: ("/good", "text/plain", "x") in there.got)
            assert [path for path, *_rest in there.got].count("/slow") == 3
        hooks = Webhooks(addresses.__getitem__, 100)
        for _line in range(20):
            hooks.notify(Notice("good", "x", ""))
        assert hooks._queue.qsize() == 5


async def test_a_player_is_told_of_their_turn_unless_they_are_at_the_table(tmp_path: Path) -> None:
    at = Calendar()
    store = Store(f"sqlite:///{tmp_path}/accounts.db", at.date)
    try:
        async with (
            target() as there,
            server(tmp_path, now=at, store=store, wall=at.date, private_webhooks=True) as table,
        ):
            ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
            for account, path in ((ke, "ke"), (lu, "lu")):
                status, body = await ask(table, WEBHOOK, account.secret, address=f"{there.url}/{path}")
                assert status == 200, body
            assert await refusal(table, WEBHOOK, ke.secret, address="file:///etc/passwd") == "webhook"
            _status, body = await ask(table, OWN_GAMES, ke.secret)
            assert codec.decode(body, OwnGames).webhook == f"{there.url}/ke"
            await begun(table, members=(ke, lu))
            await until(lambda: there.got)
            host = await seated(table, ke)
            await host.say(Play(1, "C3"))
            await until(lambda: len(there.got) == 2)
            guest = await seated(table, lu)
            await guest.say(Play(2, "D3"))
            # Ke is at the table, and is told there.
            referee = game_of(table)
            await until(lambda: [turn and turn.moves for turn in referee._announced] == [2] and not referee._following)
            await host.say(Play(3, "B3"))
            await host.socket.close()
            await until(lambda: not game_of(table).is_present(0))
            await guest.say(Play(4, "B2"))
            await until(lambda: len(there.got) == 3)
            assert [(path, text) for path, _kind, text in there.got] == [
                ("/ke", "Your move against Lu, 5×5, move 1: 3 d 0 h left."),
                ("/lu", "Your move against Ke, 5×5, move 2: 3 d 0 h left."),
                ("/ke", "Your move against Lu, 5×5, move 5: 3 d 0 h left."),
            ]
    finally:
        store.close()
