"""An online game in text mode: commands go to the server, events are announced in words."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

from daoqi_tui.engine import Node, Refusal, Style, TwoPasses
from daoqi_tui.i18n import N_, _, plural, words_of
from daoqi_tui.message import filled, reason_of
from daoqi_tui.pictures.text import text_picture
from daoqi_tui.play.background import Background, Work
from daoqi_tui.play.events import Began, Change, Event
from daoqi_tui.play.events import Declined as Reason
from daoqi_tui.play.online.events import ClientEvent, Ended, Lost, Pending
from daoqi_tui.play.online.hosting import Place
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.protocol import ClockState, Declined, Moved, Refused, Said, Say, SideTime, State, Welcome
from daoqi_tui.play.online.words import (
    declined_request_words,
    declined_words,
    guest_lines,
    lost_words,
    pending_words,
    phase_words,
    presence_words,
    reach_words,
    refused_words,
    request_words,
    said_words,
    warning_words,
)
from daoqi_tui.play.words import SLOW, colour_word, listed, made_words, refusal_words, score_words, sentence
from daoqi_tui.text import cell_width, plain_line

if TYPE_CHECKING:
    from daoqi_tui.play.online.seats import Recorder
    from daoqi_tui.play.players import PlayerTable


_AGAIN: Final = 10.0
"""The seconds after which it is said again that a move waits for the server."""


class OnlineCommand(NamedTuple):
    """A command that can be typed.

    Attributes:
        run: executes it with the text after the name, and yields lines to print.
        help: what it does.
        typed: its syntax if it takes arguments.
    """

    run: Callable[[PlainOnline, str], Iterator[str]]
    help: str
    typed: str = ""


class PlainOnline:
    """A seat in an online game, or a place among the spectators. Needs a running event loop.

    Args:
        place: where the game is, and who plays.
        make_players: makes the table of players, one of which proposes dead stones.
        style: how points are named.
        tell: called with each line.
        recorder: saves the seat and finished games; None saves nothing.

    Attributes:
        match: the game.
        over: whether the user has left.
        ended: whether the server no longer admits this client.
        background: the background tasks of the game, including the connection.
    """

    def __init__(
        self,
        place: Place,
        make_players: Callable[[], PlayerTable],
        style: Style,
        tell: Callable[[str], object],
        recorder: Recorder | None = None,
    ) -> None:
        self.match: Final = OnlineMatch(place, make_players, spawn=self._spawn, recorder=recorder)
        self.match.subscribe(self.hear)
        self.match.subscribe_to_server(self.hear_server)
        self.background: Final[set[asyncio.Task[None]]] = set()
        self.over = self.ended = self.muted = False
        self._style: Final = style
        self._tell = tell
        self._shown: State | None = None
        self._node: Node | None = None
        """The last announced move."""
        if place.disks is not None:
            place.disks.report_to(lambda message: tell(sentence(words_of(message))))
        self._lost: str | None = None
        """The announced reason why there is no connection."""

    def _spawn(self, work: Work) -> Background:
        task = asyncio.get_running_loop().create_task(work())
        self.background.add(task)
        return task

    # The network

    async def let_in(self) -> None:
        """Let this network reach the game, and say where."""
        try:
            await self.match.let_in()
        except OSError as error:
            self._tell(_("The game stays on this computer: {reason}").format(reason=words_of(reason_of(error))))
            return
        place = self.match.place
        if place.guest is not None and self.match.state is not None and self.match.state.phase == "waiting":
            for words, line in guest_lines(place, place.guest):
                self._tell(f"{words} {line}")
        if place.watch is not None:
            self._tell(f"{_('Spectators type:')} {place.watch.join_command}")
        self._tell(reach_words(place))

    # Commands

    def answer(self, line: str) -> None:
        """Execute a line."""
        words = line.split(maxsplit=1)
        if not words:
            return
        typed = words[0].lower()
        command = COMMANDS.get(_SHORT.get(typed, typed))
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
        try:
            point = self.match.game.torus.parse(typed, self._style)
        except ValueError:
            yield _("{text} is neither a point nor a command; help lists them.").format(text=repr(plain_line(typed)))
            return
        yield from self.done(self.match.play(point))

    def done(self, reason: Refusal | Reason | None) -> Iterator[str]:
        """Word why a command did nothing, if so."""
        match = self.match
        if isinstance(reason, Reason):
            yield declined_words(reason, match.state, match.client)
        elif reason is not None:
            yield sentence(refusal_words(reason, match.game.torus, self._style))

    def reply(self, *, accept: bool) -> Iterator[str]:
        """Answer the opponent's request, or agree to the score."""
        reason = self.match.answer(accept=accept)
        if reason is Reason.NOT_NOW:
            yield _("There is no request.")
        else:
            yield from self.done(reason)

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
            point = match.game.torus.parse(typed, self._style)
        except ValueError as error:
            yield sentence(words_of(error))
            return
        reason = match.mark_dead(point)
        if reason is Reason.NO_STONE:
            yield _("There is no stone at {point}.").format(point=match.game.torus.name(point, self._style))
        else:
            yield from self.done(reason)

    def _begin_proposal(self) -> Iterator[str]:
        if self.match.client.colour is None:
            yield from self.done(Reason.WATCHING)
        else:
            yield _("Looking for dead stones.")
            self._spawn(self._propose)

    async def _propose(self) -> None:
        """Propose the stones that a computer considers dead to both players, unless something was marked meanwhile."""
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (most games are played without)
        from daoqi_tui.play.dead_stones import propose_dead  # noqa: PLC0415

        match, node = self.match, self.match.game.node
        try:
            proposal = await propose_dead(match.players, match.game)
        except PlayerError as error:
            self._tell(sentence(words_of(error)))
            return
        ending = match.game.ending
        if match.game.node is node and match.awaits_count and isinstance(ending, TwoPasses) and not ending.dead:
            self._tell(sentence(proposal.words()))
            if proposal.stones:
                match.agree_dead(proposal.stones)

    def time(self) -> Iterator[str]:
        """Show the time on the clock, as last sent by the server."""
        state = self.match.state
        if state is None or state.clock is None:
            yield _("This game has no clock.")
        else:
            yield clock_words(state.clock)

    def help(self) -> Iterator[str]:
        """List the commands."""
        yield _("Type a point to play there, or a command:")
        for name, command in COMMANDS.items():
            typed = (command.typed or name).format(text=_("TEXT"))
            yield f"  {typed}{' ' * (12 - cell_width(typed))} {_(command.help)}"

    # Events

    def hear(self, event: Event) -> None:
        """Announce a change of the game."""
        for line in self._words(event):
            self._tell(line)

    def hear_server(self, event: ClientEvent) -> None:
        """Announce a message of the server, or a change of the connection."""
        for line in self._server_words(event):
            self._tell(line)

    def _words(self, event: Event) -> Iterator[str]:
        match event:
            case Began():
                yield from self._began_words()
                self._node = self.match.game.node
            case Change():
                yield from self._change_words(event)

    def _server_words(self, event: ClientEvent) -> Iterator[str]:
        match event:
            case Welcome():
                if self._lost is not None:
                    yield _("Connected again.")
                self._lost = None
            case Lost(reason=reason, refused=refused):
                # Not again at each attempt, unless the server refuses for another reason.
                if self._lost is None or (refused and str(reason) != self._lost):
                    yield lost_words(event)
                    self._lost = str(reason)
            case Pending():
                asyncio.get_running_loop().call_later(SLOW, self._tell_waiting, event)
            case Ended(reason=reason):
                self.ended = True
                yield sentence(plain_line(words_of(reason)))
            case State():
                yield from self._state_words(event)
                self._shown = event
            case Moved():
                self._shown = self.match.state
                yield from self._turn()
            case Refused():
                yield refused_words(event)
            case Said():
                if not self.muted:
                    yield said_words(event)
            case Declined():
                yield declined_request_words(event, self.match.client.role)

    def _tell_waiting(self, pending: Pending) -> None:
        """Say that a move waits for the server, now and again, until it is acknowledged."""
        client = self.match.client
        if client.pending is not pending or self.over or self.ended:
            return
        if client.connected:
            self._tell(sentence(pending_words(client)))
        asyncio.get_running_loop().call_later(_AGAIN, self._tell_waiting, pending)

    def _began_words(self) -> Iterator[str]:
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
            yield from text_picture(game, self._style).splitlines()

    def _change_words(self, change: Change) -> Iterator[str]:
        """Word the moves that were made or undone; other changes are worded from the state."""
        game, told = self.match.game, self._node
        if change.kind == "move":
            yield from made_words(game, change.node, change.removed, self._style)
        elif change.kind in ("goto", "undo"):
            path, known = change.node.path(), set(told.path() if told is not None else ())
            fresh = [node for node in path if node not in known]
            if told not in path:
                left = len(game.moves()) - len(fresh)
                yield plural("Undone: {count} move remains.", "Undone: {count} moves remain.", left)
            for node in fresh:
                assert node.move is not None
                name = _("pass") if node.move.is_pass else game.torus.name(node.move.point, self._style)
                yield sentence(f"{colour_word(node.move.colour)} {name}")
        self._node = change.node

    def _state_words(self, state: State) -> Iterator[str]:
        before, client, game = self._shown, self.match.client, self.match.game
        if before is not None:
            yield from presence_words(before, state, client.role)
        if state.request is not None and (before is None or state.request != before.request):
            yield request_words(state.request, client.role, _("Type accept or decline."))
        warned = before.warned.side if before is not None and before.warned is not None else ""
        if state.warned is not None and state.warned.side != warned:
            yield warning_words(state, client.role)
        phase = before is None or before.phase != state.phase or before.round != state.round
        if phase or before is None or before.dead != state.dead or before.agreed != state.agreed:
            if state.phase == "counting":
                yield from self._count_words(state, None if phase else before)
            elif phase:
                yield phase_words(state, client)
                if state.phase == "over":
                    if isinstance(game.ending, TwoPasses):
                        yield from score_words(game)
                    return
        if phase or before is None or before.moves != state.moves:
            yield from self._turn()

    def _count_words(self, state: State, before: State | None) -> Iterator[str]:
        """Word the dead stones and the score unless they are those of the state before, and who agrees."""
        match = self.match
        ending, torus = match.game.ending, match.game.torus
        dead = ending.dead if isinstance(ending, TwoPasses) else frozenset[int]()
        if before is None or before.dead != state.dead:
            names = [torus.name(point, self._style) for point in sorted(dead)]
            yield _("Dead stones: {points}.").format(points=listed(names) or _("none"))
            yield from score_words(match.game)
        if match.client.role in state.agreed:
            yield _("You agree; the opponent has not yet.")
        elif match.client.colour is not None:
            if state.agreed:
                yield _("The opponent agrees to the count.")
            yield _("dead POINT marks a chain, agree accepts the count, play-on plays on.")

    def _turn(self) -> Iterator[str]:
        match, state = self.match, self.match.state
        if state is None or state.phase != "playing" or match.game.is_over:
            return
        if match.client.my_turn:
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
    yield from text_picture(table.match.game, table._style).splitlines()  # noqa: SLF001 (of this module)


def _mute(table: PlainOnline, _rest: str) -> Iterator[str]:
    table.muted = not table.muted
    yield _("Chat is muted.") if table.muted else _("Chat is shown.")


def _say(table: PlainOnline, rest: str) -> Iterator[str]:
    if not rest:
        yield _("Type what to say behind say.")
    else:
        yield from table.done(table.match.send(Say(rest[:400])))


def _network(table: PlainOnline, _rest: str) -> Iterator[str]:
    place = table.match.place
    if place.let_in is not None and place.networks:
        table._spawn(table.let_in)  # noqa: SLF001 (of this module)
    else:
        yield reach_words(place) or _("The host decides from where the game is reached.")


def _quit(table: PlainOnline, _rest: str) -> Iterator[str]:
    table.over = True
    yield _("Goodbye.")


COMMANDS: Final[dict[str, OnlineCommand]] = {
    "pass": OnlineCommand(lambda table, _rest: table.done(table.match.pass_turn()), N_("Pass")),
    "undo": OnlineCommand(lambda table, _rest: table.done(table.match.undo()), N_("Request to undo your last move")),
    "resign": OnlineCommand(lambda table, _rest: table.done(table.match.resign()), N_("Resign")),
    "accept": OnlineCommand(
        lambda table, _rest: table.reply(accept=True), N_("Accept what the opponent requests, or the count")
    ),
    "decline": OnlineCommand(
        lambda table, _rest: table.reply(accept=False), N_("Decline it, or withdraw your own request")
    ),
    "dead": OnlineCommand(
        lambda table, rest: table.dead(rest),
        N_("Mark a chain as dead, or as alive again; without a point, have a computer propose the dead stones"),
        "dead K9",
    ),
    "agree": OnlineCommand(
        lambda table, _rest: table.done(table.match.agree()), N_("Agree to the score with the marked dead stones")
    ),
    "play-on": OnlineCommand(
        lambda table, _rest: table.done(table.match.resume()), N_("Continue play instead of scoring")
    ),
    "pause": OnlineCommand(lambda table, _rest: table.done(table.match.pause()), N_("Request to pause the clock")),
    "adjourn": OnlineCommand(
        lambda table, _rest: table.done(table.match.request("adjourn")), N_("Request to adjourn the game")
    ),
    "continue": OnlineCommand(
        lambda table, _rest: table.done(table.match.unpause()), N_("Request to continue after that")
    ),
    "rematch": OnlineCommand(
        lambda table, _rest: table.done(table.match.request("rematch")), N_("Request another game with colours swapped")
    ),
    "claim": OnlineCommand(
        lambda table, _rest: table.done(table.match.claim()),
        N_("Claim the win where the opponent stays away, after a warning"),
    ),
    "say": OnlineCommand(_say, N_("Say something to the players, or as a spectator to the spectators"), "say {text}"),
    "listen": OnlineCommand(
        lambda table, _rest: table.done(table.match.listen()), N_("Hear what spectators say, or no longer")
    ),
    "mute": OnlineCommand(_mute, N_("Mute the chat, or show it again")),
    "board": OnlineCommand(_board, N_("Draw the board")),
    "clock": OnlineCommand(lambda table, _rest: table.time(), N_("Show the time left")),
    "network": OnlineCommand(_network, N_("Let this network reach the game you host; L is short for it")),
    "help": OnlineCommand(lambda table, _rest: table.help(), N_("List the commands")),
    "quit": OnlineCommand(_quit, N_("Leave; your seat stays yours")),
}


_SHORT: Final = {"l": "network"}


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
