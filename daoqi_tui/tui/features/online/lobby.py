"""The lobby of a server: games to join and to watch, and bots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static
from textual.widgets.option_list import Option

from daoqi_tui.engine import Game, parse_rules
from daoqi_tui.engine.clock import parse_clock
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.message import Message
from daoqi_tui.play.online.accounts import (
    ME,
    OWN_GAMES,
    VACATION,
    WEBHOOK,
    NewVacation,
    NewWebhook,
    OwnGames,
    Profile,
    check_claim,
)
from daoqi_tui.play.online.correspondence import VACATION_DAYS, read_moves
from daoqi_tui.play.online.hosting import HERE, Visit
from daoqi_tui.play.online.invitation import LONGEST_NAME, Invitation, without_command
from daoqi_tui.play.online.listing import LOBBY, Bots, Challenge, Listing, NewGame
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook, Standing
from daoqi_tui.play.online.seats import ask, take_seat
from daoqi_tui.play.online.story import (
    account_at,
    describe_bots,
    describe_cut_off,
    describe_listed,
    describe_own,
    describe_vacation,
    describe_webhook,
    found_lines,
    link_lines,
)
from daoqi_tui.play.wording import Unable, sentence
from daoqi_tui.text import cell_width, plain_line
from daoqi_tui.tui.access import local_access
from daoqi_tui.tui.features.online.form import Joining, describe_seat
from daoqi_tui.tui.host import given
from daoqi_tui.tui.screens import Dialog, OptionList, Prompt, Question, TextPage, buttons
from daoqi_tui.tui.screens.form import Choice, Form, Switch, checked, labelled, value_of
from daoqi_tui.tui.screens.setup import board_fields, clock_field, read_board, rules_choice
from daoqi_tui.typed import read_size, whole_number

if TYPE_CHECKING:
    from daoqi_tui.play.online.table import Chooser

_AGAIN: Final = 3.0
"""The seconds after which the lobby is looked at again."""
_BOTS: Final = "bots"
_OWN: Final = "account"
_NEW: Final = "open"
_AWAY: Final = "vacation"
_HOOK: Final = "webhook"
_FIND: Final = "positions"
_INVITED: Final = "invitation"
_USUAL_LEVEL: Final = 5
_DAYS: Final = (1, 3, 7)
"""The days for each move that are offered; more are typed."""


class BotForm(Form[Challenge | None]):
    """Asks which bot to challenge.

    Args:
        bots: those that wait.
        name: of the challenger.
    """

    heading = N_("Play a bot")
    AUTO_FOCUS = "#level"

    def __init__(self, bots: Bots, name: str) -> None:
        super().__init__()
        self._bots, self._name_given = bots, name

    def fields(self) -> Iterable[Widget]:
        levels, sizes = self._bots.levels, self._bots.sizes
        level = min(levels, key=lambda level: abs(level - _USUAL_LEVEL))
        colours = [(_("Random (nigiri)"), "nigiri"), (_("I play Black"), "guest"), (_("I play White"), "host")]
        yield Choice(_("Level"), [(f"{level:g}", level) for level in levels], level, id="level")
        yield Choice(_("Board size"), [(f"{size}×{size}", size) for size in sizes], sizes[0], id="size")
        yield Choice(_("Your colour"), colours, "nigiri", id="colour")
        yield labelled("name", _("Your name"), self._name_given)

    def read(self) -> Challenge:
        black: Chooser = value_of(self, "colour")
        name = plain_line(self.text("name"))[:LONGEST_NAME]
        return Challenge(value_of(self, "level"), value_of(self, "size"), name, black)


class TableForm(Form[NewGame | None]):
    """Asks for the terms of a game to be opened in a lobby.

    Args:
        name: of the host.
        accounts: whether games can be rated there, and have days for each move.
    """

    heading = N_("Host a game")
    AUTO_FOCUS = "#size"

    def __init__(self, name: str, *, accounts: bool) -> None:
        super().__init__()
        self._name_given, self._accounts = name, accounts

    def fields(self) -> Iterable[Widget]:
        usual = NewGame()
        colours = [(_("Random (nigiri)"), "nigiri"), (_("I play Black"), "host"), (_("I play White"), "guest")]
        off = _("off; 3d: 3 days a move") if self._accounts else _("off")
        yield from board_fields(usual.size, usual.komi)
        yield rules_choice(parse_rules(usual.rules))
        yield Choice(_("Your colour"), colours, usual.black, id="colour")
        yield clock_field(off, _DAYS if self._accounts else ())
        yield Switch(_("Anyone may sit down"), usual.anyone, id="anyone")
        yield Switch(_("Undo may be requested"), usual.undo, id="undo")
        yield Switch(_("Others may watch"), usual.watch, id="spectators")
        if self._accounts:
            yield Switch(_("Rated, without undo"), usual.rated, id="rated")
        else:
            yield labelled("name", _("Your name"), self._name_given)

    def read(self) -> NewGame:
        size, komi, handicap = read_board(self)
        black: Chooser = value_of(self, "colour")
        clock = self.text("clock")
        if clock:
            checked("clock", parse_clock, clock)
        return NewGame(
            # An account has its name.
            plain_line(self._name_given if self._accounts else self.text("name"))[:LONGEST_NAME],
            size,
            komi,
            handicap,
            value_of(self, "rules"),
            clock,
            black,
            undo=value_of(self, "undo"),
            watch=value_of(self, "spectators"),
            anyone=value_of(self, "anyone"),
            rated=self._accounts and value_of(self, "rated"),
        )


def _turns_in(own: OwnGames) -> set[tuple[str, int]]:
    return {(game.game, game.moves) for game in own.games if game.my_turn}


def _read_days(text: str) -> int:
    days = whole_number(text, 0, VACATION_DAYS)
    if days is None:
        raise Unable(_("A number of days from 0 to {most}; 0 ends the vacation."), most=VACATION_DAYS)
    return days


def _read_invitation(text: str) -> Invitation:
    """Read an invitation to a game of this lobby, with or without an address, which does not matter."""
    text = without_command(text)
    return Invitation.parse(text if "#" in text or "/" in text else f"{HERE}#{text}")


def _read_position(text: str) -> Game:
    size, _space, moves = text.strip().partition(" ")
    return read_moves(read_size(size), moves)


class LobbyScreen(Dialog["Joining | SavedSeat | None"]):
    """What the lobby of a server shows, renewed while it is open; the result is what was chosen.

    Args:
        visit: whose lobby, and who visits it.
        book: keeps the visitor's account.
        seats: of the visitor, in unfinished games there.
        ring: called when it becomes the visitor's turn in a correspondence game.

    Attributes:
        visit: with the account that the visitor has made meanwhile.
    """

    BINDINGS = [("escape", "close")]  # noqa: RUF012 (Textual's form)

    def __init__(
        self, visit: Visit, book: SeatBook, seats: Sequence[SavedSeat] = (), ring: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__()
        self._ring = ring
        self._seats = {seat.game: seat for seat in seats}
        self._server = visit.server
        self.visit = visit
        self._book = book
        self._listing = Listing()
        self._own = OwnGames()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="picker") as dialog:
            dialog.border_title = _("Lobby at {address}").format(address=plain_line(self._server.partition("://")[2]))
            yield OptionList(Option(Text(_("Looking …")), disabled=True))
            yield Static("", id="complaint")
            yield buttons(("choose", _("Choose (Enter)")), ("leave", _("Go back (Esc)")))

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()
        self.look()
        self.set_interval(_AGAIN, self.look)

    @work(exclusive=True, group="look")
    async def look(self) -> None:
        found = await ask(self._server, LOBBY, account=self.visit.account)
        if not isinstance(found, Listing):
            self.complain(sentence(translate(found)))
            return
        account = self.visit.account if found.accounts else ""
        own = await ask(self._server, OWN_GAMES, account=account) if account else None
        self.complain(describe_cut_off(found))
        rows = self.query_one(OptionList)
        mine = own if isinstance(own, OwnGames) else OwnGames()
        if (found, mine) == (self._listing, self._own) and rows.highlighted is not None:
            return
        if _turns_in(mine) - _turns_in(self._own):
            self._ring()
        chosen = rows.highlighted_option
        self._listing, self._own = found, mine
        rows.set_options(self._options())
        ids = [option.id for option in rows.options]
        rows.highlighted = ids.index(chosen.id) if chosen is not None and chosen.id in ids else 0

    def _options(self) -> list[Option]:
        play, watch = _("Sit down"), _("Watch")
        back = _("Go back")
        found = [(back, describe_own(game), game.game) for game in self._own.games]
        own = {game.game for game in self._own.games}
        seats = ((game, seat) for game, seat in self._seats.items() if game not in own)
        found += [(back, describe_seat(Standing(seat)), game) for game, seat in seats]
        free, watched = self._listing.without(own | self._seats.keys())
        found += [(play, describe_listed(game), game.game) for game in free]
        if (bots := self._listing.bots) is not None:
            found.append((play, describe_bots(bots), _BOTS))
        found += [(watch, describe_listed(game), game.game) for game in watched]
        if local_access(self.app) is None:
            # Who has a program of their own gives it the invitation.
            found.append((play, _("with an invitation"), _INVITED))
        found.append((_("Host"), _("a game of your own"), _NEW))
        if self._listing.accounts:
            found.append((_("Search"), _("the rated games with a position"), _FIND))
            found.append((_("Account"), _("your rating and games, or a new account"), _OWN))
        if self._listing.accounts and self.visit.account:
            found.append((_("Vacation"), describe_vacation(self._own), _AWAY))
            found.append((_("Webhook"), describe_webhook(self._own), _HOOK))
        width = max(map(cell_width, (play, watch, *(deed for deed, _words, _name in found))))
        return [
            Option(
                Text(f"{deed}{' ' * (width - cell_width(deed))}  {text}", no_wrap=True, overflow="ellipsis"), id=name
            )
            for deed, text, name in found
        ]

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        chosen = str(event.option_id)
        acts = {
            _BOTS: self.ask_for_bot,
            _OWN: self.show_account,
            _NEW: self.open_game,
            _INVITED: self.use_invitation,
            _FIND: self.find_position,
            _HOOK: self.ask_for_webhook,
            _AWAY: self.ask_for_vacation,
        }
        game = next((game for game in self._listing.games if game.game == chosen), None)
        if chosen in acts:
            acts[chosen]()
        elif chosen in self._seats:
            self.dismiss(self._seats[chosen])
        elif any(own.game == chosen for own in self._own.games):
            self.dismiss(Joining(Invitation(self._server, chosen), self.visit.name))
        elif game is not None:
            self.dismiss(Joining(Invitation(self._server, game.game, game.code), self.visit.name))

    @work(exclusive=True, group="challenge")
    async def show_account(self) -> None:
        name = ""
        if not self.visit.account or not isinstance(await ask(self._server, ME, account=self.visit.account), Profile):
            name = given(await self.app.push_screen_wait(Prompt(_("Account: "), _("your name"), check_claim)))
        self.visit, said = await account_at(self.visit, name, self._book)
        if not name and await self.app.push_screen_wait(
            Question(_("Show a link that opens the account elsewhere?"), _("Show"), _("Cancel"))
        ):
            said += ["", *await link_lines(self.visit, self._book)]
        await self.app.push_screen_wait(TextPage(_("Account"), "\n".join(said)))

    @work(exclusive=True, group="challenge")
    async def ask_for_bot(self) -> None:
        bots = given(self._listing.bots)
        asked = given(await self.app.push_screen_wait(BotForm(bots, self.visit.name)))
        self._sit_down(await take_seat(self._server, asked, self.visit.account))

    @work(exclusive=True, group="challenge")
    async def open_game(self) -> None:
        accounts = self._listing.accounts and bool(self.visit.account)
        asked = given(await self.app.push_screen_wait(TableForm(self.visit.name, accounts=accounts)))
        self._sit_down(await take_seat(self._server, asked, self.visit.account))

    @work(exclusive=True, group="challenge")
    async def use_invitation(self) -> None:
        prompt = Prompt(_("Invitation: "), "mzxw6ytb-abcd…", _read_invitation)
        invitation = given(await self.app.push_screen_wait(prompt))
        # The visitor reaches this server, and no other, at an address of its own.
        self.dismiss(Joining(replace(invitation, server=self._server), self.visit.name))

    def _sit_down(self, answer: SavedSeat | Message | str) -> None:
        """Take the seat that the server gave, or say why it gave none."""
        if isinstance(answer, SavedSeat):
            self.dismiss(answer)
        else:
            self.complain(sentence(translate(answer)))

    def _show_change(self, answer: OwnGames | Message | str) -> None:
        """Show what was changed on the server, or say why it was not."""
        if not isinstance(answer, OwnGames):
            self.complain(sentence(translate(answer)))
        self.look()

    @work(exclusive=True, group="challenge")
    async def ask_for_vacation(self) -> None:
        hint = _("days from now on, 0 to end it")
        prompt = Prompt(_("Vacation: "), hint, _read_days, describe_vacation(self._own))
        days = given(await self.app.push_screen_wait(prompt))
        self._show_change(await ask(self._server, VACATION, NewVacation(days), self.visit.account))

    @work(exclusive=True, group="challenge")
    async def find_position(self) -> None:
        game = given(await self.app.push_screen_wait(Prompt(_("Position: "), "9 D4 E5 C3", _read_position)))
        found = await found_lines(self._server, game)
        await self.app.push_screen_wait(TextPage(_("Search"), "\n".join(found)))

    @work(exclusive=True, group="challenge")
    async def ask_for_webhook(self) -> None:
        hint = _("https://…, empty for none")
        prompt = Prompt(_("Webhook: "), hint, str.strip, describe_webhook(self._own))
        address = given(await self.app.push_screen_wait(prompt))
        self._show_change(await ask(self._server, WEBHOOK, NewWebhook(address), self.visit.account))
