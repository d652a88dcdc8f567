"""An online game in text mode: commands go to the server, events are announced in words."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, TextIO, TypeAlias

from daoqi_tui.ai.process import PlayerError
from daoqi_tui.commands.text import ONLINE_BY_NAME, ONLINE_COMMANDS, command_in
from daoqi_tui.engine import LARGEST, SMALLEST, Game, Node, Style, TwoPasses
from daoqi_tui.i18n import _, listed, plural, translate
from daoqi_tui.message import filled
from daoqi_tui.paths import SLOW
from daoqi_tui.pictures.text import text_picture
from daoqi_tui.plain.commands import READING
from daoqi_tui.plain.game import AtBoard
from daoqi_tui.play.analyst import propose_dead
from daoqi_tui.play.background import Background, Work
from daoqi_tui.play.events import Began, Change, Event
from daoqi_tui.play.events import Declined as Reason
from daoqi_tui.play.online.accounts import OWN_GAMES, VACATION, WEBHOOK, NewVacation, NewWebhook, OwnGames
from daoqi_tui.play.online.client import ClientEvent
from daoqi_tui.play.online.correspondence import VACATION_DAYS, read_moves
from daoqi_tui.play.online.hosting import Place, Visit, at_seat, join
from daoqi_tui.play.online.invitation import Invitation, qr_code
from daoqi_tui.play.online.listing import LOBBY, Bots, Challenge, Listing, NewGame
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.protocol import ClockState, Moved, Play, State
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook, describe_time
from daoqi_tui.play.online.seats import Recorder, ask, take_seat
from daoqi_tui.play.online.story import (
    Story,
    account_at,
    describe_bots,
    describe_cut_off,
    describe_listed,
    describe_own,
    describe_pending,
    describe_reach,
    describe_vacation,
    describe_webhook,
    found_lines,
    invitation_lines,
    link_lines,
    scanned,
)
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.wording import (
    Unable,
    colour_word,
    describe_made,
    describe_move,
    describe_refusal,
    describe_score,
    describe_sides,
    describe_turn,
    sentence,
)
from daoqi_tui.text import half_width, plain_line
from daoqi_tui.typed import level_number, whole_number

_AGAIN: Final = 10.0
"""The seconds after which it is said again that a move waits for the server."""
_LATER: Final = 1.0
"""The seconds by which a state that is told meanwhile, over a slow line, may seem to prolong a warning."""


def choose(visit: Visit, book: SeatBook, read: Callable[[], str], say: Callable[[str], object]) -> Place | None:
    """Show a lobby until a game is chosen there; None if the user leaves.

    Args:
        visit: the lobby, and who visits it.
        book: the seats of the user.
        read: returns the next typed line, empty at the end of the input.
        say: called with each line.
    """
    typed = "\n"
    while typed:
        listing = asyncio.run(ask(visit.server, LOBBY, account=visit.account))
        if not isinstance(listing, Listing):
            say(sentence(translate(listing)))
            return None
        account = visit.account if listing.accounts else ""
        own = asyncio.run(ask(visit.server, OWN_GAMES, account=account)) if account else OwnGames()
        mine = own.games if isinstance(own, OwnGames) else ()
        free, watched = listing.without({game.game for game in mine})
        games = [(_("Go back"), describe_own(game), Invitation(visit.server, game.game)) for game in mine]
        for game in free + watched:
            deed, offered = _("Sit down") if game.code else _("Watch"), Invitation(visit.server, game.game, game.code)
            games.append((deed, describe_listed(game), offered))
        for number, (deed, words, _invitation) in enumerate(games, 1):
            say(f"{number}  {deed}  {words}")
        if listing.cut_off:
            say(describe_cut_off(listing))
        if listing.bots is not None:
            say(describe_bots(listing.bots))
        helps: dict[str, str] = {}
        if listing.accounts:
            helps["account"] = helps["link"] = _(
                "Type account to see your account, account NAME to make one, or link for a link to it."
            )
        if isinstance(own, OwnGames) and account:
            helps["vacation"] = _("Your vacation: {vacation}; vacation DAYS begins one.").format(
                vacation=describe_vacation(own)
            )
            helps["webhook"] = _("webhook ADDRESS sets where you are told of your turn in correspondence games.")
        if listing.accounts:
            helps["find"] = _("find 9 D4 E5 finds the rated games with this position, and what was played next.")
        helps["bot"] = helps["quit"] = _(
            "Type the number of a game, or bot LEVEL SIZE; Enter lists them again, quit ends."
        )
        helps["host"] = _(
            "host SIZE CLOCK opens a game, with a clock such as 20+3x30 or 3d, days for each move; rated at the end."
        )
        for line in dict.fromkeys(helps.values()):
            say(line)
        while (typed := read()).strip():
            match typed.split():
                case ["quit"]:
                    return None
                case [chosen] if (place := whole_number(chosen, 1, len(games))) is not None:
                    return replace(join(games[place - 1][2], visit.name, book), account=visit.account)
                case ["bot", level, size] if (asked := _challenge(listing.bots, level, size, visit.name)) is not None:
                    begun = asyncio.run(take_seat(visit.server, asked, visit.account))
                    if isinstance(begun, SavedSeat):
                        return at_seat(begun, visit.account)
                    say(sentence(translate(begun)))
                case ["host", size, *rest] if (new := _new_game(size, rest, visit.name)) is not None:
                    opened = asyncio.run(take_seat(visit.server, new, visit.account))
                    if isinstance(opened, SavedSeat):
                        return at_seat(opened, visit.account)
                    say(sentence(translate(opened)))
                case ["vacation", days] if (count := whole_number(days, 0, VACATION_DAYS)) is not None:
                    answer = asyncio.run(ask(visit.server, VACATION, NewVacation(count), visit.account))
                    say(sentence(describe_vacation(answer) if isinstance(answer, OwnGames) else translate(answer)))
                case ["webhook", *address] if listing.accounts:
                    answer = asyncio.run(ask(visit.server, WEBHOOK, NewWebhook("".join(address)), visit.account))
                    say(describe_webhook(answer) if isinstance(answer, OwnGames) else sentence(translate(answer)))
                case ["account", *name] if listing.accounts:
                    visit, said = asyncio.run(account_at(visit, " ".join(name), book))
                    for line in said:
                        say(line)
                case ["find", size, *moves] if (points := whole_number(size, SMALLEST, LARGEST)) and listing.accounts:
                    try:
                        looked_up = read_moves(points, " ".join(moves))
                    except ValueError as error:
                        say(sentence(translate(error)))
                    else:
                        for line in asyncio.run(found_lines(visit.server, looked_up)):
                            say(line)
                case ["link"] if listing.accounts:
                    for line in asyncio.run(link_lines(visit, book)):
                        say(line)
                case [word, *_arguments]:
                    # With wrong arguments a command is explained again.
                    text = _("{text} is neither the number of a game nor a bot, such as bot 5 9.")
                    say(helps.get(word) or text.format(text=repr(plain_line(typed.strip()))))
    return None


def _new_game(size: str, rest: list[str], name: str) -> NewGame | None:
    """Return the game that is opened by ``host SIZE [CLOCK] [rated]``; None if it cannot be read."""
    points, rated = whole_number(size, SMALLEST, LARGEST), rest[-1:] == ["rated"]
    clock = rest[: len(rest) - rated]
    if points is None or len(clock) > 1:
        return None
    new = NewGame(name, points, clock="".join(clock), rated=rated)
    try:
        new.terms()
    except ValueError:
        return None
    return new


def _challenge(bots: Bots | None, level: str, size: str, name: str) -> Challenge | None:
    strength, points = level_number(level), whole_number(size, SMALLEST, LARGEST)
    if bots is None or strength not in bots.levels or points not in bots.sizes:
        return None
    return Challenge(strength, points, name)


class PlainOnline(AtBoard):
    """A seat in an online game, or a place among the spectators. Needs a running event loop.

    Args:
        place: where the game is, and who plays.
        make_players: makes the table of players, one of which proposes dead stones.
        style: how points are named.
        say: called with each line.
        recorder: saves the seat and finished games; None saves nothing.

    Attributes:
        match: the game.
        story: the same, in words.
        over: whether the user has left.
        background: the background tasks of the game, including the connection.
    """

    def __init__(
        self,
        place: Place,
        make_players: Callable[[], PlayerTable],
        style: Style,
        say: Callable[[str], object],
        recorder: Recorder | None = None,
    ) -> None:
        self.match: Final = OnlineMatch(place, make_players, spawn=self._spawn, recorder=recorder)
        self.match.subscribe(self.announce)
        self.match.subscribe_to_server(self.announce_from_server)
        self.story: Final = Story(self.match)
        self.background: Final[set[asyncio.Task[None]]] = set()
        self.over = False
        self.style = style
        self._say = say
        self._said_standing: tuple[str, ...] = ()
        self._announced: Node | None = None
        if place.disks is not None:
            place.disks.report = lambda message: say(sentence(translate(message)))

    def _spawn(self, work: Work) -> Background:
        task = asyncio.get_running_loop().create_task(work())
        self.background.add(task)
        return task

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def ended(self) -> bool:
        return bool(self.story.ended)

    # The network

    async def let_in(self, *, anywhere: bool = False) -> None:
        if problem := await self.story.let_in(anywhere=anywhere):
            self._say(problem)
        else:
            self._say_all(invitation_lines(self.match.place, self.match.state))

    # Commands

    def answer(self, line: str) -> None:
        if not line.strip():
            return
        command, rest = command_in(line, ONLINE_BY_NAME, self.match.game.torus, self.style)
        if command is None:
            self._say_all(self._play(line))
        elif problem := command.wrong_with(rest):
            self._say(problem)
        else:
            try:
                self._say_all(HANDLERS[command.name](self, rest))
            except Unable as error:
                self._say(sentence(str(error)))

    def _say_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)

    def _play(self, typed: str) -> Iterator[str]:
        try:
            point = self.match.game.torus.parse(half_width(typed).rstrip("."), self.style)
        except ValueError:
            yield _("{text} is neither a point nor a command; help lists them.").format(text=repr(plain_line(typed)))
            return
        refusal = self.match.play(point)
        if isinstance(refusal, Reason):
            yield self.story.done(refusal)
        elif refusal is not None:
            yield sentence(describe_refusal(refusal, self.match.game.torus, self.style))

    def said(self, text: str) -> Iterator[str]:
        """Return what a command says as lines, of which there is mostly none."""
        return iter((text,) if text else ())

    def dead(self, typed: str) -> Iterator[str]:
        """Mark the chain on a point, or have a computer propose dead stones."""
        match = self.match
        if not match.awaits_count:
            yield _("Dead stones are marked when two passes have ended the game.")
            return
        if not typed:
            yield from self._begin_proposal()
            return
        try:
            point = match.game.torus.parse(typed, self.style)
        except ValueError as error:
            yield sentence(translate(error))
            return
        reason = match.mark_dead(point)
        if reason is Reason.NO_STONE:
            yield _("There is no stone at {point}.").format(point=match.game.torus.name(point, self.style))
        else:
            yield from self.said(self.story.done(reason))

    def _begin_proposal(self) -> Iterator[str]:
        if self.match.client.colour is None:
            yield self.story.done(Reason.WATCHING)
        else:
            yield _("Looking for dead stones.")
            self._spawn(self._propose)

    async def _propose(self) -> None:
        """Propose the stones that a computer considers dead to both players, unless something was marked meanwhile."""
        match, node = self.match, self.match.game.node
        try:
            proposal = await propose_dead(match.turns.players.adviser.estimate, match.game)
        except PlayerError as error:
            self._say(sentence(translate(error)))
            return
        if match.game.node is node and match.awaits_count and not match.game.dead:
            self._say(sentence(proposal.describe()))
            if proposal.stones:
                match.agree_dead(proposal.stones)

    def time(self) -> Iterator[str]:
        state = self.match.state
        if state is None or state.clock is None:
            yield _("This game has no clock.")
        else:
            yield describe_clock(state.clock)

    def help(self) -> Iterator[str]:
        yield _("Type a point to play there, or a command:")
        for command in ONLINE_COMMANDS:
            yield _("{typed}: {deed}.").format(typed=listed(command.examples(self.example())), deed=command.deed)

    # Events

    def announce(self, event: Event) -> None:
        match event:
            case Began():
                self._say_all(self._describe_began())
                self._announced = self.match.game.node
            case Change():
                self._say_all(self._describe_change(event))

    def announce_from_server(self, event: ClientEvent) -> None:
        self._say_all(self.story.news(event))
        match event:
            case Play():
                asyncio.get_running_loop().call_later(SLOW, self._say_waiting, event)
            case State():
                self._say_all(self._describe_state(self.match.client.before, event))
            case Moved():
                self._say_all(self._turn())

    def _say_waiting(self, pending: Play) -> None:
        """Say that a move waits for the server, now and again, until it is acknowledged."""
        client = self.match.client
        if client.pending is not pending or self.over or self.ended:
            return
        if client.connected:
            self._say(sentence(describe_pending(client)))
        asyncio.get_running_loop().call_later(_AGAIN, self._say_waiting, pending)

    def _say_claimable(self) -> None:
        """Say that the time of an absent side is over, unless it came back, and may be warned anew."""
        if self.story.warning and not self.match.client.claimable_in and not self.over and not self.ended:
            self._say(self.story.warning)

    def _describe_began(self) -> Iterator[str]:
        setup, game, colour = self.match.session.setup, self.match.game, self.match.client.colour
        yield filled(
            _("{black} (Black) against {white} (White), {size} by {size}, komi {komi}."),
            black=plain_line(setup.black) or "?",
            white=plain_line(setup.white) or "?",
            size=game.torus.size,
            komi=f"{game.komi:g}",
        )
        yield _("You watch.") if colour is None else _("You play {colour}.").format(colour=colour_word(colour))
        if game.moves():
            yield from READING["moves"](self, "")

    def _describe_change(self, change: Change) -> Iterator[str]:
        """Word the moves that were made or undone; other changes are worded from the state."""
        game, told = self.match.game, self._announced
        if change.kind == "move":
            yield from describe_made(game, change.node, change.removed, self.style)
        elif change.kind in ("goto", "undo"):
            path, known = change.node.path(), set(told.path() if told is not None else ())
            fresh = [node for node in path if node not in known]
            if told not in path:
                left = len(game.moves()) - len(fresh)
                yield plural("Undone: {count} move remains.", "Undone: {count} moves remain.", left)
            for node in fresh:
                assert node.move is not None
                yield sentence(f"{colour_word(node.move.colour)} {describe_move(node, game.torus, self.style)}")
        self._announced = change.node

    def _describe_state(self, before: State | None, state: State) -> Iterator[str]:
        """Say what has changed in the state, besides the moves."""
        warned = before.warned.side if before is not None and before.warned is not None else ""
        if state.warned is not None and state.warned.side != warned:
            yield self.story.warning
            if state.warned.seconds:
                asyncio.get_running_loop().call_later(state.warned.seconds + _LATER, self._say_claimable)
        phase = before is None or (before.phase, before.round) != (state.phase, state.round)
        if state.phase == "counting" and (phase or before is None or before.dead != state.dead):
            yield from self._describe_dead()
        told, self._said_standing = self._said_standing, self.story.standing
        if self._said_standing != told:
            yield from (text if text.endswith("…") else sentence(text) for text in self._said_standing)
        # Who has seen the count has been told this with the last change of its marks.
        counted = before is not None and before.phase == "counting"
        if phase and state.phase == "over" and not counted and isinstance(self.match.game.ending, TwoPasses):
            yield from describe_sides(self.match.game)
        if phase and state.phase == "playing" and not self.match.client.my_turn:
            yield describe_turn(self.match.game)
        if phase or before is None or before.moves != state.moves:
            yield from self._turn()

    def _describe_dead(self) -> Iterator[str]:
        game = self.match.game
        names = [game.torus.name(point, self.style) for point in sorted(game.dead)]
        yield _("Dead stones: {points}.").format(points=listed(names) or _("none"))
        yield from describe_score(game)

    def _turn(self) -> Iterator[str]:
        match, state = self.match, self.match.state
        if state is None or state.phase != "playing" or match.game.is_over:
            return
        if match.client.my_turn:
            yield sentence(self.story.turn)
        if state.clock is not None:
            yield describe_clock(state.clock)


def describe_clock(clock: ClockState) -> str:
    return _("Clock: Black {black}, White {white}.").format(
        black=describe_time(clock.black), white=describe_time(clock.white)
    )


def qr_lines(text: str) -> Iterator[str]:
    """Yield the lines of a QR code, on a terminal in white on black, whatever its colours are."""
    before, after = ("\x1b[97;40m", "\x1b[m") if sys.stdout.isatty() else ("", "")
    for line in qr_code(text):
        yield f"{before}{line}{after}"


def _network(table: PlainOnline, _rest: str) -> Iterator[str]:
    place = table.match.place
    if place.let_in is not None and place.networks:
        table._spawn(table.let_in)  # noqa: SLF001 (of this module)
    else:
        yield _reach(place)


def _reach(place: Place) -> str:
    return describe_reach(place) or _("The host decides from where the game is reached.")


def _anywhere(table: PlainOnline, _rest: str) -> Iterator[str]:
    place = table.match.place
    if place.offer is not None:
        yield _("Looking for a way in from anywhere …")
        table._spawn(partial(table.let_in, anywhere=True))  # noqa: SLF001 (of this module)
    else:
        yield _reach(place)


def _quit(table: PlainOnline, _rest: str) -> Iterator[str]:
    table.over = True
    yield _("Goodbye.")


def _done(act: Callable[[OnlineMatch], Reason | None]) -> Handler:
    """Make a command of an action, which says why it did nothing."""
    return lambda table, _rest: table.said(table.story.done(act(table.match)))


def _described(act: Callable[[Story], str]) -> Handler:
    """Make a command of one that all faces have."""
    return lambda table, _rest: table.said(act(table.story))


Handler: TypeAlias = Callable[[PlainOnline, str], Iterable[str]]
HANDLERS: Final[Mapping[str, Handler]] = {
    "pass": _done(OnlineMatch.pass_turn),
    "undo": _done(OnlineMatch.undo),
    "resign": _done(OnlineMatch.resign),
    "accept": _described(lambda story: story.answer(accept=True)),
    "decline": _described(lambda story: story.answer(accept=False)),
    "dead": lambda table, rest: table.dead(rest),
    "agree": _done(OnlineMatch.agree),
    "resume": _done(OnlineMatch.resume),
    "pause": _done(OnlineMatch.pause),
    "adjourn": _described(lambda story: story.request("adjourn")),
    "rematch": _described(lambda story: story.request("rematch")),
    "claim": _described(Story.claim),
    "plan": lambda table, rest: table.said(table.story.make_plan(rest)),
    "say": lambda table, rest: table.said(table.story.say(rest) if rest else _("Type what to say behind say.")),
    "listen": _described(Story.listen),
    "mute": _described(Story.mute),
    **READING,
    "board": lambda table, _rest: text_picture(table.match.game, table.style).splitlines(),
    "clock": lambda table, _rest: table.time(),
    "invitation": lambda table, _rest: invitation_lines(table.match.place, table.match.state),
    "qr": lambda table, _rest: qr_lines(scanned(table.match.place, table.match.state)),
    "network": _network,
    "anywhere": _anywhere,
    "help": lambda table, _rest: table.help(),
    "quit": _quit,
}


async def play(table: PlainOnline, lines: TextIO, *, stays: bool = False) -> int:
    """Run until the user leaves, the input ends, or the server no longer admits this client.

    Args:
        table: the seat.
        lines: the typed lines.
        stays: whether to continue after the end of the input, as for an engine that plays without a human.

    Returns:
        The exit status: 1 if the server refused.
    """
    typed: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        # On a daemon thread, so that waiting for input does not delay the exit.
        try:
            while line := lines.readline():
                loop.call_soon_threadsafe(typed.put_nowait, line)
        finally:
            # However the input ends, say so: nothing can be typed any more, and the clock is running.
            loop.call_soon_threadsafe(typed.put_nowait, "")

    threading.Thread(target=_quietly(read), name="lines", daemon=True).start()
    asking = asyncio.create_task(typed.get())
    try:
        table.match.connect()
        while not (table.over or table.ended):
            await asyncio.wait({asking, *table.background}, return_when=asyncio.FIRST_COMPLETED)
            for task in tuple(table.background):
                if task.done():
                    table.background.remove(task)
                    task.result()  # Raises unexpected errors.
            if asking.done():
                line, asking = asking.result(), asyncio.create_task(typed.get())
                if line:
                    table.answer(line)
                elif not stays:
                    break
    finally:
        asking.cancel()
        await table.match.close()
        for task in table.background:
            task.cancel()
        await asyncio.gather(*table.background, return_exceptions=True)
    return 1 if table.ended else 0


def _quietly(read: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        try:
            read()
        except (RuntimeError, ValueError, OSError):
            # The event loop, or the input, was closed while waiting for a line.
            return

    return run
