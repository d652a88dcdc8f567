"""A lobby as its clients see it, on the screen and in text mode, with bots that answer at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import create_server

import pytest
from aiohttp import web
from textual.widgets import Checkbox, Input, Static

from daoqi_tui.message import Message
from daoqi_tui.plain.online import choose
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.online.bots import House, Workers
from daoqi_tui.play.online.hosting import Place, Visit, at_seat, back_at
from daoqi_tui.play.online.invitation import account_link, link_to_account
from daoqi_tui.play.online.listing import LOBBY, Challenge
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook
from daoqi_tui.play.online.seats import Recorder, ask, take_seat
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.story import invitation_lines
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.online.form import NetworkScreen
from daoqi_tui.tui.features.online.lobby import BotForm, LobbyScreen
from daoqi_tui.tui.screens import ChoiceDialog, OptionList, Prompt, Question, TextPage
from daoqi_tui.tui.screens.form import value_of
from tests.play.online.table import Player
from tests.play.online.test_house import Brain
from tests.tui.driving import Person, until
from tests.waiting import until as wait_for


@asynccontextmanager
async def lobby(folder: Path, *, bots: bool = True) -> AsyncIterator[tuple[Lobby, str]]:
    """A running lobby, with bots."""
    games = Lobby(folder / "games", folder / "library")
    app = web.Application(middlewares=[games.site.guard])
    games.add_to(app)
    house = House(games, Workers(1, Brain().make))
    if bots:
        house.add_to(app)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    with create_server(("127.0.0.1", 0)) as listening:
        await web.SockSite(runner, listening).start()
        url = f"ws://127.0.0.1:{listening.getsockname()[1]}"
        playing = asyncio.create_task(house.run(url))
        try:
            yield games, url
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            await runner.cleanup()
            await games.close()


def words_of(screen: LobbyScreen) -> list[str]:
    return [str(option.prompt) for rows in screen.query(OptionList) for option in rows.options if option.id]


async def test_a_lobby_on_the_screen_shows_games_and_bots_and_opens_what_is_chosen(tmp_path: Path) -> None:
    async with lobby(tmp_path) as (games, url):
        app = DaoqiApp(None, folders=Folders(tmp_path / "journal", tmp_path / "games"), visit=Visit(url, "Wu"))
        async with app.run_test(size=(80, 24)) as pilot:
            person = Person(app, pilot)
            await until(person, lambda: isinstance(app.screen, LobbyScreen) and len(words_of(app.screen)) == 2)
            screen = person.open(LobbyScreen)
            assert words_of(screen) == [
                "Sit down  Bots: levels 1 to 10, board sizes 9, 13, 16",
                "Host      a game of your own",
            ]
            # What comes is shown without asking.
            _game, _key, _code = await games.open(Terms(size=5, open=True), "Lu")
            screen.look()
            await until(person, lambda: len(words_of(screen)) == 3)
            assert words_of(screen)[0] == "Sit down  Lu  5×5  waiting for the guest"
            assert screen.query_one(OptionList).highlighted == 1
            await person.press("enter")
            await until(person, lambda: isinstance(app.screen, BotForm))
            await person.press("enter")
            await until(person, lambda: app.game.online is not None)
            online = app.game.online
            assert online is not None
            await until(person, lambda: online.match.state is not None and "Bot level 5" in str(online.match.state))
            state = online.match.state
            assert state is not None
            assert {state.black, state.white} == {"Wu", "Bot level 5"}
            await person.press("q")
            await until(person, lambda: isinstance(app.screen, Question))
            await person.press("y")
            await until(person, lambda: person.at_the_board)
            await person.press("N")
            await until(person, lambda: isinstance(app.screen, LobbyScreen) and len(words_of(app.screen)) == 4)
            screen = person.open(LobbyScreen)
            assert words_of(screen)[0].startswith("Go back   against Bot level 5")
            await person.press("home", "enter")
            await until(person, lambda: app.game.online is not None and app.game.online.match.client.connected)
            await person.press("q")
            await until(person, lambda: isinstance(app.screen, Question))
            await person.press("y")
            await until(person, lambda: person.at_the_board)
            await person.press("N")
            await until(person, lambda: isinstance(app.screen, LobbyScreen) and len(words_of(app.screen)) == 4)
            await person.press("home", "down", "enter")
            await until(person, lambda: app.game.online is not None)
            joined = app.game.online
            assert joined is not None
            await until(person, lambda: joined.match.state is not None and joined.match.state.phase == "playing")
    app = DaoqiApp(None, folders=Folders(tmp_path / "journal", tmp_path / "games"), visit=Visit(url, "Wu"))
    async with app.run_test(size=(80, 24)) as pilot:
        person = Person(app, pilot)
        await until(person, lambda: isinstance(app.screen, LobbyScreen))
        told = person.open(LobbyScreen).query_one("#complaint", Static)
        await until(person, lambda: "serves no game at port" in str(told.content))


async def test_who_opens_a_game_in_a_lobby_is_shown_the_invitation_to_it(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "games")
    async with lobby(tmp_path) as (_games, url):
        app = DaoqiApp(None, folders=folders, visit=Visit(url, "Wu"))
        async with app.run_test(size=(80, 24)) as pilot:
            person = Person(app, pilot)
            await until(person, lambda: isinstance(app.screen, LobbyScreen) and len(words_of(app.screen)) == 2)
            await person.press("end", "enter")
            await until(person, lambda: bool(app.screen.query("#anyone")))
            app.screen.query_one("#anyone", Checkbox).value = False
            await person.press("enter")
            await until(person, lambda: isinstance(app.screen, ChoiceDialog))
            book = SeatBook.in_folder(folders.online)
            await until(person, book.seats)
            [seat] = book.seats()
            assert seat.guest is not None
            assert f"Your guest types:\n{seat.guest.join_command}" in person.question()
            guest = Player(url, seat.game, code=seat.code)
            # The guest is here: there is nobody to invite any more.
            await until(person, lambda: app.screen is app.game)
            await guest.end()
        # The same holds in text mode, and for who comes back to the seat.
        for place in (at_seat(seat, ""), back_at(seat, book)):
            assert f"Your guest types: {seat.guest.join_command}" in list(invitation_lines(place, None))


@pytest.mark.parametrize("reached", ["", "http://127.0.0.1:8000", "https://go.example.org"])
async def test_a_visitor_over_ssh_invites_to_the_address_at_which_others_reach_the_server(
    reached: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DaoqiApp, "is_web", property(lambda _app: True))
    folders = Folders(tmp_path / "journal", tmp_path / "games")
    async with lobby(tmp_path) as (_games, url):
        app = DaoqiApp(None, folders=folders, visit=Visit(url, "Wu", reached=reached))
        async with app.run_test(size=(80, 24)) as pilot:
            person = Person(app, pilot)
            await until(person, lambda: isinstance(app.screen, LobbyScreen) and len(words_of(app.screen)) == 3)
            await person.press("end", "enter")
            await until(person, lambda: bool(app.screen.query("#anyone")))
            app.screen.query_one("#anyone", Checkbox).value = False
            await person.press("enter")
            await until(person, lambda: app.game.online is not None and app.game.online.match.state is not None)
            await until(person, lambda: isinstance(app.screen, ChoiceDialog))
            assert "127.0.0.1" not in person.question(), "it leads nobody else there"
            # The seat is written to the book by a thread.
            await until(person, lambda: len(SeatBook.in_folder(folders.online).seats()) == 1)
            [seat] = SeatBook.in_folder(folders.online).seats()
            if "example" in reached:
                assert f"daoqi-tui join wss://go.example.org#{seat.game}" in person.question()
            else:
                assert "daoqi-tui join" not in person.question()
            typed = f"daoqi-tui join wss://go.example.org#{seat.game}-{seat.code}"
            typed = typed if "example" in reached else f"{seat.game}-{seat.code}"
            assert typed in person.question().split("\n")
            await sit_down_with(typed, url, tmp_path / "guest")
            # The guest is here: there is nobody to invite any more.
            await until(person, lambda: app.screen is app.game)


async def sit_down_with(invitation: str, url: str, folder: Path) -> None:
    """Take the seat of an invitation as another visitor over ssh, in the lobby itself."""
    app = DaoqiApp(None, folders=Folders(folder / "journal", folder / "games"), visit=Visit(url, "Ke"))
    async with app.run_test(size=(80, 24)) as pilot:
        person = Person(app, pilot)
        await until(person, lambda: isinstance(app.screen, LobbyScreen) and len(words_of(app.screen)) >= 3)
        place = next(at for at, words in enumerate(words_of(app.screen)) if "with an invitation" in words)
        await person.press("home", *["down"] * place, "enter")
        await until(person, lambda: isinstance(app.screen, Prompt))
        await person.enter_text("Input", "nonsense#")
        await person.press("enter")
        assert "is not an invitation" in person.question()
        await person.enter_text("Input", f'"{invitation}"')
        await person.press("enter")
        await until(person, lambda: app.game.online is not None)
        joined = app.game.online
        assert joined is not None
        await until(person, lambda: joined.match.state is not None and joined.match.state.phase == "playing")


async def test_a_lobby_in_text_mode_lists_the_same_and_leads_to_the_same_places(tmp_path: Path) -> None:
    async with lobby(tmp_path) as (games, url):
        opened, _key, code = await games.open(Terms(size=5, open=True), "Lu")
        watched, _key, _code = await games.open(Terms(size=7), "Ke")
        book = SeatBook.in_folder(tmp_path)

        def chosen(*lines: str) -> tuple[Place | None, list[str]]:
            told: list[str] = []
            typed = iter([*lines, ""])
            return choose(Visit(url, "Wu"), book, lambda: next(typed), told.append), told

        place, told = await asyncio.to_thread(chosen, "1\n")
        assert told == [
            "1  Sit down  Lu  5×5  waiting for the guest",
            "2  Watch  Ke  7×7  waiting for the guest",
            "Bots: levels 1 to 10, board sizes 9, 13, 16",
            "Type the number of a game, or bot LEVEL SIZE; Enter lists them again, quit ends.",
            "host SIZE CLOCK opens a game, with a clock such as 20+3x30 or 3d, days for each move; rated at the end.",
        ]
        assert place is not None
        assert (place.invitation.game, place.invitation.code, place.name) == (opened.name, code, "Wu")
        place, told = await asyncio.to_thread(chosen, "\n", "3\n", "the\n", "bot 11 9\n", "bot 1 5\n", "2\n")
        assert place is not None
        assert (place.invitation.game, place.invitation.code) == (watched.name, "")
        assert told[-4:] == [
            *[f"'{text}' is neither the number of a game nor a bot, such as bot 5 9." for text in ("3", "the")],
            *["Type the number of a game, or bot LEVEL SIZE; Enter lists them again, quit ends."] * 2,
        ]
        place, told = await asyncio.to_thread(chosen, "bot 2.5 13\n")
        assert place is not None
        assert place.seat is not None
        assert len(place.key) > 20
        for lines in ((), ("quit\n",)):
            assert (await asyncio.to_thread(chosen, *lines))[0] is None


async def test_an_account_is_made_in_the_lobby_and_known_to_the_next_visit(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")
    from tests.play.online.test_accounts import club

    async with club(tmp_path) as table:
        book = SeatBook.in_folder(tmp_path / "own")

        def typed(visit: Visit, *lines: str) -> tuple[Place | None, list[str]]:
            told: list[str] = []
            given = iter([*lines, ""])
            return choose(visit, book, lambda: next(given), told.append), told

        guest = Visit(table.url, "Wu")
        _place, told = await asyncio.to_thread(typed, guest, "account\n", "account Bot level 5\n", "account Ke Jie\n")
        assert "you have no account here yet: account NAME makes one." in told
        assert "nobody can be called Bot level 5." in told
        assert "The account Ke Jie is yours." in told
        server, secret = account_link(told[-1]) or ("", "")
        assert (server, book.account(table.url)) == (table.url, secret)
        assert (tmp_path / "own" / "accounts.json").stat().st_mode & 0o777 == 0o600
        # The next visit, in which a game is joined as the owner of the account.
        account = table.lobby.store.account(table.lobby.store.named("Ke Jie").id)
        await table.lobby.open(Terms(size=5, open=True), "Lu")
        visit = Visit(table.url, "Wu", book.account(table.url))
        place, told = await asyncio.to_thread(typed, visit, "account\n", "link\n", "1\n")
        assert "Ke Jie" in told
        assert "No rated game yet." in told
        # Looking at it makes no new link, which would displace an old one in the end.
        assert (table.url, secret) in map(account_link, told)
        assert place is not None
        assert place.account == secret
        match = OnlineMatch(place, PlayerTable, spawn=lambda work: asyncio.create_task(work()))
        match.connect()
        await wait_for(lambda: match.state is not None and match.state.phase == "playing")
        assert "Ke Jie" in (match.state.black, match.state.white)
        assert account.id in table.lobby.games[place.invitation.game].table.accounts
        await match.close()
        # Games are opened from here; with days for each move the account alone opens the seat again.
        place, told = await asyncio.to_thread(
            typed,
            visit,
            "host 5 3x\n",
            "host 5 15d\n",
            "vacation 31\n",
            "vacation 0\n",
            "webhook ftp://x\n",
            "webhook https://ntfy.example.org/x\n",
            "host 5 3d rated\n",
        )
        assert "Your turn is told to https://ntfy.example.org/x." in told
        assert any(line.startswith("a webhook is an address") for line in told)
        assert sum(line.startswith("host SIZE CLOCK") for line in told) == 3, "once for each that was wrong"
        assert not any("is neither the number" in line for line in told)
        assert "Your vacation: 30 days of vacation left this year; vacation DAYS begins one." in told
        assert place is not None
        opened = table.lobby.games[place.invitation.game]
        assert (opened.table.terms.days, opened.table.terms.rated, opened.table.terms.undo) == (3, True, False)
        lu = table.lobby.store.claim("Lu", "digest of a key", "ssh")
        await table.lobby.claim(opened.name, opened.table.open_code, "", "", lu)
        black = opened.table.accounts[opened.table.blacks[-1]]
        await wait_for(lambda: table.lobby.store.turns_of(account.id))
        place, told = await asyncio.to_thread(typed, visit, "1\n")
        state = "your move" if black == account.id else "the opponent's move"
        assert told[0] == f"1  Go back  against Lu: {state}, 3 d 0 h left  5×5  0 moves"
        assert place is not None
        assert (place.key, place.account) == ("", secret)
        # On the screen, the same account is shown, and the same game.
        folders = Folders(tmp_path / "journal", tmp_path / "games")
        SeatBook.in_folder(folders.online).put_account(table.url, secret)
        app = DaoqiApp(None, folders=folders, visit=visit)
        async with app.run_test(size=(100, 30)) as pilot:
            person = Person(app, pilot)
            await until(person, lambda: isinstance(app.screen, LobbyScreen) and len(words_of(app.screen)) == 7)
            rows = words_of(person.open(LobbyScreen))
            assert rows[0].startswith(f"Go back   against Lu: {state}, ")
            assert rows[-2] == "Vacation  30 days of vacation left this year"
            assert rows[-1] == "Webhook   Your turn is told to https://ntfy.example.org/x."
            await person.press("end", "up", "up", "enter")
            await until(person, lambda: isinstance(app.screen, Question))
            await person.press("y")
            await until(person, lambda: isinstance(app.screen, TextPage))
            shown = str(person.open(TextPage).query_one(Static).content)
            assert shown.startswith("Ke Jie\nNo rated game yet.")
            assert account_link(shown.rsplit(maxsplit=1)[-1]) == (table.url, secret)
            await person.press("enter")
            await until(person, lambda: isinstance(app.screen, LobbyScreen))
            # A wrong position is refused where it is typed, another one is searched.
            await person.press("up", "enter")
            await until(person, lambda: isinstance(app.screen, Prompt) and isinstance(app.focused, Input))
            person.open(Prompt).query_one(Input).value = "5 C3 C3"
            await person.press("enter")
            await until(person, lambda: "occupied" in str(app.screen.query_one("#complaint", Static).content))
            person.open(Prompt).query_one(Input).value = "5 C3"
            await person.press("enter")
            await until(person, lambda: isinstance(app.screen, TextPage))
            shown = str(person.open(TextPage).query_one(Static).content)
            assert shown == "0 games: Black won 0, White won 0 (0 games searched)"
        # A server that has forgotten it does not keep the player out the next time.
        table.lobby.store.delete(account.id)
        recorder = Recorder(book, None, None)
        match = OnlineMatch(place, PlayerTable, spawn=lambda work: asyncio.create_task(work()), recorder=recorder)
        match.connect()
        # The recorder hears of the end only after the client has ended.
        await wait_for(lambda: match.client.ended is not None and book.account(table.url) == "")
        await match.close()
        await recorder.close()


async def test_a_server_without_bots_or_without_games_says_so(tmp_path: Path) -> None:
    no_lobby = Message("the server has no lobby; ask for an invitation")
    async with lobby(tmp_path, bots=False) as (_games, url):
        assert await take_seat(url, Challenge(1, 9)) == no_lobby
    sent = [b"", b"[]", b'{"games": 1}', b'{"games": [{"game": "../x"}]}', b"x" * (1 << 20), b"\xff{"]

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=sent[0])

    app = web.Application()
    app.router.add_get("/games", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    with create_server(("127.0.0.1", 0)) as listening:
        await web.SockSite(runner, listening).start()
        while sent:
            assert await ask(f"ws://127.0.0.1:{listening.getsockname()[1]}", LOBBY) == no_lobby
            del sent[0]
        await runner.cleanup()
    assert not isinstance(await ask("ws://127.0.0.1:1", LOBBY), SavedSeat)


async def test_a_link_to_an_account_in_the_form_opens_the_lobby_with_it(tmp_path: Path) -> None:
    secret = "abcdefghijklmnopqrstuvwx"
    async with lobby(tmp_path, bots=False) as (_games, url):
        folders = Folders(tmp_path / "journal", tmp_path / "games")
        app = DaoqiApp(None, folders=folders)
        async with app.run_test(size=(80, 24)) as pilot:
            person = Person(app, pilot)
            await until(person, lambda: person.at_the_board)
            await person.press("N")
            await until(person, lambda: isinstance(app.screen, NetworkScreen))
            form = person.open(NetworkScreen)
            await until(person, lambda: form.focused is form.query_one("#kind"))
            await person.press("right")
            field = form.query_one("#invitation", Input)
            await until(person, lambda: value_of(form, "kind") == "join")
            field.value = link_to_account(url, secret)
            field.focus()
            await until(person, lambda: field.has_focus)
            await person.press("enter")
            await until(person, lambda: isinstance(app.screen, LobbyScreen))
            assert person.open(LobbyScreen).visit.account == secret
            assert SeatBook.in_folder(folders.online).account(url) == secret
