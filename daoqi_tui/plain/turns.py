"""Computers at the board of a game in lines of text: let in and out, their moves, and taking those back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from daoqi_tui.engine import BLACK, WHITE, Colour, IllegalMove, Node, Resignation, Style
from daoqi_tui.gtp.giving_up import GivingUp, make
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.numbers_typed import whole_number
from daoqi_tui.plain.interrupts import held_interrupts
from daoqi_tui.plain.sentences import sentence
from daoqi_tui.plain.telling import PlainTelling
from daoqi_tui.record.text import plain_line
from daoqi_tui.tui.opponents import PERSON, STRONGEST, WEAKEST, Computer, EngineSeat, Seat, seat_name
from daoqi_tui.tui.words import colour_word, move_words

if TYPE_CHECKING:
    from daoqi_tui.ai.player import PlayerError
    from daoqi_tui.ai.protocol import Answer
    from daoqi_tui.plain.computers import Computers
    from daoqi_tui.plain.keeping import PlainKeeper
    from daoqi_tui.tui.session import Session

MakeComputers: TypeAlias = "Callable[[], Computers]"
_ENGINE: Final = "engine"


def usual_computers() -> Computers:
    """Players with the network that comes with the program, which think in silence."""
    from daoqi_tui.plain.computers import Computers  # noqa: PLC0415 (a game of persons needs none)
    from daoqi_tui.tui.minds import usual_net  # noqa: PLC0415

    return Computers(usual_net, lambda _: None)


class PlainTurns(PlainTelling):
    """A game in lines of text in which computers may play.

    As on the screen a computer moves at the end of a line, where play goes on; looking back sets none in motion.
    """

    def __init__(
        self, session: Session, style: Style, keeper: PlainKeeper | None, make_computers: MakeComputers
    ) -> None:
        self._make_computers = make_computers
        self._computers: Computers | None = None
        super().__init__(session, style, keeper)

    @property
    def computers(self) -> Computers:
        """The players that are not persons, and an adviser."""
        if self._computers is None:
            self._computers = self._make_computers()
        return self._computers

    def close(self) -> None:
        """End the players' processes."""
        if self._computers is not None:
            self._computers.close()
            self._computers = None

    def _sit_down(self, session: Session) -> None:
        super()._sit_down(session)
        self._giving_up = GivingUp()
        self._paused = False
        self._untold: list[str] = []
        """What a computer did and nobody has been told yet."""
        self._asked: Computer | EngineSeat | None = None
        """Who is to make one move here, whatever follows already."""

    # Who plays

    def _who_plays(self) -> Iterator[str]:
        """Tell of the sides that computers play."""
        for colour in (BLACK, WHITE):
            if colour not in self.session.persons:
                yield self._seat_words(colour)

    def _seat_words(self, colour: Colour) -> str:
        seat = self.session.seats[colour]
        if seat == PERSON:
            return _("You play {colour}.").format(colour=colour_word(colour))
        name = plain_line(seat_name(seat))
        return _("{name} plays {colour}.").format(name=name, colour=colour_word(colour))

    def _black(self, rest: str) -> Iterator[str]:
        return self._take_seat(BLACK, rest)

    def _white(self, rest: str) -> Iterator[str]:
        return self._take_seat(WHITE, rest)

    def _take_seat(self, colour: Colour, rest: str) -> Iterator[str]:
        """Let somebody else play a side from here on."""
        try:
            seat = _seat(rest)
        except ValueError as error:
            yield sentence(said(error))
            return
        if seat is None:
            side = "black" if colour == BLACK else "white"
            yield _("Say who plays: {side} 5 for a computer of level 5, {side} person, {side} engine COMMAND.").format(
                side=side
            )
            return
        session = self.session
        session.sit(*((seat, None) if colour == BLACK else (None, seat)))
        self._giving_up.clear()
        self._paused = False
        if self._computers is not None:
            self._computers.seated(session)
        if self._keeper is not None:
            self._keeper.seated()
        yield self._seat_words(colour)
        self._played()
        if self._asked is None:
            yield self.turn()

    # Their moves

    def _played(self) -> None:
        """Have a computer answer what was just done, whatever follows there already."""
        self._asked = None
        if not (self._paused or self.game.is_over):
            self._asked = _thinking(self.session.seats[self.game.to_move])

    def _next(self) -> Computer | EngineSeat | None:
        """The computer that is to move now."""
        game = self.game
        if self._asked is not None or self._paused or game.is_over or game.node.children:
            return self._asked
        return _thinking(self.session.seats[game.to_move])

    def replies(self) -> Iterator[str]:
        """Let computers move as long as it is their turn; each move is told when it is on the disk."""
        while not self.over and (seat := self._next()) is not None:
            self._asked = None
            yield from self._reply(seat)

    def _reply(self, seat: Computer | EngineSeat) -> Iterator[str]:
        """One move of a computer, or why there is none; then all wait."""
        from daoqi_tui.ai.player import PlayerError  # noqa: PLC0415 (a game of persons needs no player)

        try:
            answer = self.computers.move(self.game, seat)
        except PlayerError as error:
            yield from self._wait(error)
            return
        with held_interrupts():
            self._untold = list(self._made(answer))
        while self._untold:
            yield self._untold[0]
            # What was cut off while it was told is told again.
            self._untold.pop(0)

    def _made(self, answer: Answer) -> Iterator[str]:
        """Make a computer's move, and write it down before it is told."""
        game, before = self.game, bytes(self.game.board.colours)
        # Who lets a computer make single moves has not asked it to give up.
        own = self.session.resigns and game.to_move not in self.session.persons
        try:
            make(game, answer, self._giving_up if own else None)
        except IllegalMove as error:
            yield from self._wait(error)
            return
        kept = self._kept()
        self._played()
        if isinstance(game.ending, Resignation):
            yield self.turn()
        else:
            yield from self._told_with_turn(game.node, before)
        yield from kept

    def stopped(self) -> Iterator[str]:
        """Have the computers wait; tells what is untold of their moves."""
        self._paused = True
        self._asked = None
        yield from self._untold
        self._untold = []
        seat = _thinking(self.session.seats[self.game.to_move])
        if seat is None or self.game.is_over:
            yield _("Stopped.")
        else:
            yield _("Stopped: {name} waits. go lets it move, undo takes back.").format(name=plain_line(seat_name(seat)))

    def _wait(self, problem: PlayerError | IllegalMove) -> Iterator[str]:
        self._paused = True
        words = said(problem)
        if isinstance(problem, IllegalMove):
            words = _("The computer's move is illegal: {reason}").format(reason=words)
        side = "black" if self.game.to_move == BLACK else "white"
        if self.computers.last_told != sentence(words):
            yield sentence(words)
        yield _("go asks again, {side} person lets you play for it.").format(side=side)

    def _told_with_turn(self, node: Node, before: bytes) -> Iterator[str]:
        """Tell a move and who is next; of a computer its move says as much."""
        yield from self._told(node, before)
        if not self.game.is_over and self._next() is None:
            yield self.turn()

    def _kept(self) -> list[str]:
        """Write down what was done and wait for the disk; returns what is to be told of that."""
        return list(self._keeper.keep()) if self._keeper is not None and not self.over else []

    # What a person says about them

    def _go(self, _rest: str) -> Iterator[str]:
        """Let a computer move here, whoever plays this side; those that wait play on."""
        if self.game.is_over:
            yield self._over_words()
            return
        self._paused = False
        self._asked = _thinking(self.session.seats[self.game.to_move]) or Computer()

    def _undo(self, _rest: str) -> Iterator[str]:
        """Take back the last move, with what a computer answered."""
        session, game = self.session, self.game
        before, ended, persons = game.node, game.node.ending is not None, session.persons
        # Of two computers the next would move again at once; one person is to move then.
        self._paused = not persons or (self._paused and len(persons) == 2)
        if len(persons) == 1:
            if not session.take_back_turn(persons[0]):
                yield _("There is no move of yours to take back.")
                return
        elif ended:
            session.resume()
        elif before is session.start or before.parent is None:
            yield _("This is the start: there is nothing to take back.")
            return
        else:
            game.undo()
        if ended:
            yield _("The end of the game is taken back.")
        taken, node = [], before
        while node is not game.node and node.parent is not None:
            self._left[node.parent] = node
            taken.append(move_words(node, game.torus, self._style))
            node = node.parent
        if taken:
            yield _("Taken back: {move}.").format(move=", ".join(taken))
        yield self.turn()


def _thinking(seat: Seat) -> Computer | EngineSeat | None:
    """The player of a seat, None for a person."""
    return seat if isinstance(seat, Computer | EngineSeat) else None


def _seat(text: str) -> Seat | None:
    """Who is meant by ``5``, ``person`` or ``engine COMMAND``; None where nobody is.

    Raises:
        ValueError: the command cannot be read.
    """
    word, _space, command = text.partition(" ")
    if word == _ENGINE and command.strip():
        return EngineSeat(command.strip())
    if text == "person":
        return PERSON
    level = whole_number(text, WEAKEST, STRONGEST)
    return None if level is None else Computer(level)
