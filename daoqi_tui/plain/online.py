"""An online game in lines of text: what is typed goes to the server, what happens is told in words."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TextIO

from daoqi_tui.engine import PASS, Style
from daoqi_tui.i18n import N_, _, words_of
from daoqi_tui.play.events import Declined as Reason
from daoqi_tui.play.online.client import OnlineClient
from daoqi_tui.play.online.events import ClientEvent, Ended, Lost, Pending
from daoqi_tui.play.online.protocol import (
    Agree,
    Answer,
    Ask,
    ClockState,
    Declined,
    MarkDead,
    Moved,
    Ping,
    PlayOn,
    Pointed,
    Refused,
    RequestKind,
    Resign,
    Said,
    Say,
    SideTime,
    State,
    Welcome,
)
from daoqi_tui.play.online.words import (
    declined_request_words,
    declined_words,
    lost_words,
    phase_words,
    presence_words,
    refused_words,
    request_words,
    said_words,
)
from daoqi_tui.play.words import colour_word, made_words, refusal_words, score_words, sentence
from daoqi_tui.record.picture import text_picture
from daoqi_tui.text import plain_line


class OnlineCommand(NamedTuple):
    """Something a person can type.

    Attributes:
        run: does it, and yields what to tell; gets what is typed behind the name.
        help: what it does.
        typed: how it is typed where more comes behind its name.
    """

    run: Callable[[PlainOnline, str], Iterator[str]]
    help: str
    typed: str = ""


class PlainOnline:
    """A seat in an online game, or a place among the spectators.

    Args:
        make_client: makes the client, which gets what is to hear its events.
        style: how points are named.
        tell: called with each line.

    Attributes:
        client: the connection.
        over: whether the person has left.
    """

    def __init__(
        self,
        make_client: Callable[[Callable[[ClientEvent], object]], OnlineClient],
        style: Style,
        tell: Callable[[str], object],
    ) -> None:
        self.client: Final = make_client(self.hear)
        self.over = False
        self.muted = False
        self._style: Final = style
        self._tell = tell
        self._shown: State | None = None
        self._lost = False

    # What is typed

    def answer(self, line: str) -> None:
        """Do what a line says."""
        words = line.split(maxsplit=1)
        if not words:
            return
        command = COMMANDS.get(words[0].lower())
        rest = words[1].strip() if len(words) > 1 else ""
        if command is None:
            told = self._play(line)
        elif rest and not command.typed:
            told = iter([_("{command} takes no arguments: type it alone.").format(command=words[0].lower())])
        else:
            told = command.run(self, rest)
        for words_of_it in told:
            self._tell(words_of_it)

    def _play(self, typed: str) -> Iterator[str]:
        client = self.client
        try:
            point = client.game.torus.parse(typed, self._style)
        except ValueError:
            yield _("{text} is neither a point nor a command; help lists them.").format(text=repr(plain_line(typed)))
            return
        yield from self.make(point)

    def make(self, point: int) -> Iterator[str]:
        """Play at a point, or pass."""
        client = self.client
        if not client.my_turn:
            yield self._why_not()
        elif point != PASS and (refusal := client.game.refusal(point)) is not None:
            yield sentence(refusal_words(refusal, client.game.torus, self._style))
        else:
            client.play(point)

    def _why_not(self) -> str:
        client, state = self.client, self.client.state
        return declined_words(client.why_not or Reason.NOT_NOW, state, client)

    def ask(self, what: RequestKind) -> Iterator[str]:
        """Request something."""
        self.client.send(Ask(what))
        yield from self._unless_connected()

    def reply(self, *, accept: bool) -> Iterator[str]:
        """Answer what the opponent requested."""
        request = self.client.state.request if self.client.state is not None else None
        if request is None:
            yield _("There is no request.")
            return
        self.client.send(Answer(request.what, accept=accept))
        yield from self._unless_connected()

    def dead(self, typed: str) -> Iterator[str]:
        """Mark the chain on a point."""
        try:
            point = self.client.game.torus.parse(typed, self._style)
        except ValueError as error:
            yield sentence(words_of(error))
            return
        self.client.send(MarkDead(self.client.game.torus.name(point, "gtp")))
        yield from self._unless_connected()

    def agree(self) -> Iterator[str]:
        """Agree to the count as it is marked."""
        self.client.send(Agree(self.client.state.dead if self.client.state is not None else ()))
        yield from self._unless_connected()

    def send(self, message: Resign | PlayOn | Say) -> Iterator[str]:
        """Send a message that needs no more."""
        self.client.send(message)
        yield from self._unless_connected()

    def _unless_connected(self) -> Iterator[str]:
        if not self.client.connected:
            yield _("There is no connection at the moment.")

    def time(self) -> Iterator[str]:
        """Tell the time on the clock, as the server told it last."""
        state = self.client.state
        if state is None or state.clock is None:
            yield _("This game has no clock.")
        else:
            yield clock_words(state.clock)

    def help(self) -> Iterator[str]:
        """List the commands."""
        yield _("Type a point to play there, or a command:")
        for name, command in COMMANDS.items():
            yield f"  {command.typed or name:12} {_(command.help)}"

    # What happens

    def hear(self, event: ClientEvent) -> None:
        """Tell an event of the client."""
        for line in self._words(event):
            self._tell(line)

    def _words(self, event: ClientEvent) -> Iterator[str]:
        match event:
            case Welcome():
                if self._lost:
                    yield _("Connected again.")
                self._lost = False
            case Lost():
                if not self._lost:
                    yield lost_words(event)
                self._lost = True
            case Ended(reason=reason):
                yield sentence(plain_line(words_of(reason)))
            case State():
                yield from self._state_words(event)
                self._shown = event
            case Moved():
                game = self.client.game
                yield from made_words(game, game.node, self.client.removed, self._style)
                self._shown = self.client.state
                yield from self._turn()
            case Refused():
                yield refused_words(event)
            case Said():
                if not self.muted:
                    yield said_words(event)
            case Declined():
                yield declined_request_words(event, self.client.role)
            case Pending() | Ping() | Pointed():
                pass

    def _state_words(self, state: State) -> Iterator[str]:
        before, client = self._shown, self.client
        if before is None or before.round != state.round:
            yield _("{black} (Black) against {white} (White), {size} by {size}, komi {komi}.").format(
                black=plain_line(state.black) or "?",
                white=plain_line(state.white) or "?",
                size=state.size,
                komi=f"{state.komi:g}",
            )
            colour = client.colour
            yield _("You watch.") if colour is None else _("You play {colour}.").format(colour=colour_word(colour))
            moves = len(state.moves)
            if moves:
                yield from text_picture(client.game, self._style).splitlines()
        elif state.moves != before.moves:
            yield from self._moves_words(before, state)
        if before is not None:
            yield from presence_words(before, state, client.role)
        if state.request is not None and (before is None or state.request != before.request):
            yield request_words(state.request, client.role, _("Type accept or decline."))
        phase = before is None or before.phase != state.phase or before.round != state.round
        if phase or before is None or before.dead != state.dead or before.agreed != state.agreed:
            if state.phase == "counting":
                yield from self._count_words(state)
            elif phase:
                yield phase_words(state, client)
                if state.phase == "over":
                    if client.game.ending is not None and "R" not in state.result and "T" not in state.result:
                        yield from score_words(client.game)
                    return
        if phase or before is None or before.moves != state.moves:
            yield from self._turn()

    def _moves_words(self, before: State, state: State) -> Iterator[str]:
        known = len(before.moves)
        if state.moves[:known] == before.moves:
            fresh = self.client.game.moves()[known:]
            for move in fresh:
                name = _("pass") if move.is_pass else self.client.game.torus.name(move.point, self._style)
                yield sentence(f"{colour_word(move.colour)} {name}")
        else:
            yield _("Undone: {count} moves remain.").format(count=len(state.moves))

    def _count_words(self, state: State) -> Iterator[str]:
        torus = self.client.game.torus
        names = [torus.name(torus.parse(name, "gtp"), self._style) for name in state.dead]
        yield _("Dead stones: {points}.").format(points=", ".join(names) or _("none"))
        yield from score_words(self.client.game)
        if self.client.role in state.agreed:
            yield _("You agree; the opponent has not yet.")
        elif self.client.colour is not None:
            yield _("dead POINT marks a chain, agree accepts the count, play-on plays on.")

    def _turn(self) -> Iterator[str]:
        client, state = self.client, self.client.state
        if state is None or state.phase != "playing" or client.game.is_over:
            return
        if client.my_turn:
            yield _("Your move.")
        if state.clock is not None:
            yield clock_words(state.clock)


def clock_words(clock: ClockState) -> str:
    """Word the time left of both sides."""
    return _("Clock: Black {black}, White {white}.").format(
        black=_time_words(clock.black), white=_time_words(clock.white)
    )


def _time_words(left: SideTime) -> str:
    minutes, seconds = divmod(max(0, int(left.seconds)), 60)
    words = f"{minutes}:{seconds:02}"
    return f"{words} ({left.periods})" if left.byoyomi else words


def _board(table: PlainOnline, _rest: str) -> Iterator[str]:
    yield from text_picture(table.client.game, table._style).splitlines()  # noqa: SLF001 (of this module)


def _mute(table: PlainOnline, _rest: str) -> Iterator[str]:
    table.muted = not table.muted
    yield _("Chat is muted.") if table.muted else _("Chat is shown.")


def _say(table: PlainOnline, rest: str) -> Iterator[str]:
    if not rest:
        yield _("Type what to say behind say.")
    else:
        yield from table.send(Say(rest[:400]))


def _quit(table: PlainOnline, _rest: str) -> Iterator[str]:
    table.over = True
    yield _("Goodbye.")


COMMANDS: Final[dict[str, OnlineCommand]] = {
    "pass": OnlineCommand(lambda table, _rest: table.make(PASS), N_("Pass")),
    "undo": OnlineCommand(lambda table, _rest: table.ask("undo"), N_("Request to undo your last move")),
    "resign": OnlineCommand(lambda table, _rest: table.send(Resign()), N_("Resign")),
    "accept": OnlineCommand(lambda table, _rest: table.reply(accept=True), N_("Accept what the opponent requests")),
    "decline": OnlineCommand(
        lambda table, _rest: table.reply(accept=False), N_("Decline it, or withdraw your own request")
    ),
    "dead": OnlineCommand(
        lambda table, rest: table.dead(rest), N_("Mark a chain as dead, or as alive again"), "dead K9"
    ),
    "agree": OnlineCommand(lambda table, _rest: table.agree(), N_("Agree to the count with the dead stones marked")),
    "play-on": OnlineCommand(lambda table, _rest: table.send(PlayOn()), N_("Play on instead of counting")),
    "pause": OnlineCommand(lambda table, _rest: table.ask("pause"), N_("Request to pause the clock")),
    "adjourn": OnlineCommand(lambda table, _rest: table.ask("adjourn"), N_("Request to adjourn the game")),
    "continue": OnlineCommand(lambda table, _rest: table.ask("continue"), N_("Request to go on after that")),
    "rematch": OnlineCommand(lambda table, _rest: table.ask("rematch"), N_("Request another game, colours changed")),
    "say": OnlineCommand(_say, N_("Say something to everyone here"), "say TEXT"),
    "mute": OnlineCommand(_mute, N_("Mute the chat, or show it again")),
    "board": OnlineCommand(_board, N_("Draw the board")),
    "clock": OnlineCommand(lambda table, _rest: table.time(), N_("Tell the time left")),
    "help": OnlineCommand(lambda table, _rest: table.help(), N_("List the commands")),
    "quit": OnlineCommand(_quit, N_("Leave; your seat stays yours")),
}


async def play(table: PlainOnline, lines: TextIO, *, stays: bool = False) -> int:
    """Talk until the person leaves, the input ends, or the server lets this client in no more.

    Args:
        table: the seat.
        lines: what is typed.
        stays: whether the end of the input is not the end, as for an engine that plays without a person.

    Returns:
        The exit status: 1 where the server refused.
    """
    running = asyncio.create_task(table.client.run())
    typed: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        # On a thread, which a person who types nothing does not hold up the end of.
        try:
            while line := lines.readline():
                loop.call_soon_threadsafe(typed.put_nowait, line)
        finally:
            # However the input ends, it is told: nothing can be typed any more, and the clock runs.
            loop.call_soon_threadsafe(typed.put_nowait, "")

    threading.Thread(target=_quietly(read), name="lines", daemon=True).start()
    try:
        while not table.over:
            asking = asyncio.create_task(typed.get())
            await asyncio.wait((running, asking), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                asking.cancel()
                running.result()  # Raises what ended it, where that was not the server.
                return 1
            line = asking.result()
            if line:
                table.answer(line)
            elif not stays:
                break
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return 0


def _quietly(read: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        try:
            read()
        except (RuntimeError, ValueError, OSError):
            # The event loop, or the input, was closed while a line was waited for.
            return

    return run
