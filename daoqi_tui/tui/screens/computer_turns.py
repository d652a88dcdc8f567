"""Computers at the board: they move when it is their turn, and tell how the thinking goes."""

from __future__ import annotations

import asyncio
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.timer import Timer

from daoqi_tui.engine import PASS, Colour, IllegalMove, Resignation
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.opponents import PERSON, Computer, EngineSeat, Seat, seat_name
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.screens.analysis_actions import AnalysisActions
from daoqi_tui.tui.screens.ladder_actions import LadderActions
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.words import colour_word

if TYPE_CHECKING:
    from daoqi_tui.ai.player import PlayerError
    from daoqi_tui.ai.protocol import Answer, Progress
    from daoqi_tui.gtp.giving_up import GivingUp
    from daoqi_tui.tui.minds import Minds
    from daoqi_tui.tui.thinking import Thinking

_TELL: Final = 0.25
"""Seconds between two writings of the progress line."""
_STAYS: Final = 2.5
"""Seconds for which other words stay on the status line before the progress is written over them."""


class ComputerTurns(LadderActions, AnalysisActions):
    """The turns of the players that are not persons.

    A computer moves at the end of a line, where play goes on, and after every move a person makes; looking back over
    a game sets none in motion.
    """

    pace: ClassVar[float] = 0.3
    """Seconds from move to move at least where nobody but computers play, so that one can watch."""
    covered_pace: ClassVar[float] = 1.2
    """The same while a dialog is laid over the game: each move then draws the whole window anew, dimmed."""

    thinking: Thinking | None = None
    """The thought under way."""
    paused = False
    """Whether computers wait until they are told to move."""
    _trouble = ""
    """What went wrong, while the computers wait for that."""
    _said_at = 0.0
    _just_played = False
    _tell_timer: Timer | None = None
    _giving_up: GivingUp | None = None
    """Knows when a computer has long had no hope; made with the first computer's move."""
    _usual: Computer = Computer()
    """The player for a single move where no computer sits."""

    def net(self) -> str | None:
        """The file of the network that computers think with, None for playouts."""
        from daoqi_tui.ai.nets import net_of  # noqa: PLC0415 (a start needs no player)

        return net_of(self.options.net)

    @cached_property
    def minds(self) -> Minds:
        """The players; their room is imported when the first is to move."""
        from daoqi_tui.tui.minds import Minds  # noqa: PLC0415

        return Minds(net=self.net)

    async def on_unmount(self) -> None:
        """End the players' processes."""
        if "minds" in self.__dict__:
            await self.minds.close()

    @property
    def waiting(self) -> bool:
        """Whether the computers were told to wait; nobody loses time meanwhile."""
        return self.paused

    # Who plays

    def seat_of(self, colour: Colour) -> Seat:
        """Who plays a colour."""
        return self.session.seats[colour]

    @property
    def persons(self) -> tuple[Colour, ...]:
        """The colours that persons play."""
        return self.session.persons

    async def leave_game(self) -> None:
        """Give up following the game; a move that came meanwhile would be kept as another game."""
        self._stop_thinking()
        await super().leave_game()

    def begin(self, session: Session) -> None:
        """Show another session; its computers begin where it is their turn."""
        self._stop_thinking()
        self.paused = False
        self._trouble = ""
        self._giving_up = None
        super().begin(session)
        if any(seat != PERSON for seat in session.seats.values()):
            self.call_after_refresh(self._let_play)

    # Thinking

    def _let_play(self, *, asked: bool = False) -> None:
        """Let the computer move if one is to move here.

        Args:
            asked: whether it shall move where other moves follow already, too.
        """
        game = self.session.game
        if self.thinking is not None or self.paused or game.is_over or (game.node.children and not asked):
            return
        seat = self.seat_of(game.to_move)
        if seat != PERSON:
            self._think(seat)

    def _think(self, seat: Seat) -> None:
        game = self.session.game
        self._stop_thinking()
        if isinstance(seat, Computer):
            self._usual = seat
        self._trouble = ""
        name = seat_name(seat)
        from daoqi_tui.tui.thinking import Thinking  # noqa: PLC0415 (a start waits for no thought)

        self.thinking = Thinking(game.node, game.to_move, name, monotonic())
        self._tell_timer = self.set_interval(_TELL, self._tell)
        self._said_at = 0.0
        self._tell()
        self._find_move(self.thinking, seat)

    def _stop_thinking(self) -> None:
        if self.thinking is None:
            return
        self.thinking = None
        self._end_telling()
        self.workers.cancel_group(self, "computer")

    def _end_telling(self) -> None:
        if self._tell_timer is not None:
            self._tell_timer.stop()
            self._tell_timer = None

    @work(exclusive=True, group="computer")
    async def _find_move(self, thought: Thinking, seat: Seat) -> None:
        from daoqi_tui.ai.player import PlayerError  # noqa: PLC0415 (a start needs no player)

        try:
            answer = await self._answer(thought, seat)
        except PlayerError as error:
            self._gave_no_move(thought, error)
            return
        except asyncio.CancelledError:
            # What a GTP engine was asked for cannot be called off, so it is ended and begins anew.
            if isinstance(seat, EngineSeat):
                self.minds.dismiss(thought.colour)
            raise
        if not self.persons:
            pace = self.pace if self.is_active else self.covered_pace
            await asyncio.sleep(pace - (monotonic() - thought.since))
        if self.thinking is thought:
            self.thinking = None
            self._end_telling()
            self.computer_answered(thought, answer)
            self._make(answer)

    async def _answer(self, thought: Thinking, seat: Seat) -> Answer:
        """Ask for a move."""
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415
        from daoqi_tui.tui.minds import time_for_move  # noqa: PLC0415

        def told(progress: Progress) -> None:
            thought.progress = progress

        clock = self.session.clock
        left = clock.left(thought.colour, monotonic()) if clock is not None else None
        seconds = time_for_move(seat.seconds if seat != PERSON else None, left)  # type: ignore[union-attr]
        position = Position.of(self.session.game)
        return await self.minds.think(
            thought.colour,
            seat,
            position,
            seconds=seconds,
            on_progress=told,
            on_crash=lambda error: self.say(said(error)),
        )

    def _gave_no_move(self, thought: Thinking, error: PlayerError) -> None:
        if self.thinking is not thought:
            return
        self._stop_thinking()
        self._wait(with_keys(_("{problem}  ·  {step} asks again, {players} changes who plays"), problem=said(error)))

    def _wait(self, words: str) -> None:
        """Have the computers wait after something went wrong; it is said for as long as they do."""
        self.paused = True
        self._trouble = words
        self._sync_clock()
        self.say(words)

    def computer_answered(self, thought: Thinking, answer: Answer) -> None:
        """Hear what a computer thought of the position; the classes built on this one keep it."""

    def _make(self, answer: Answer) -> None:
        """Make a computer's move."""
        from daoqi_tui.gtp.giving_up import GivingUp, make  # noqa: PLC0415 (a start needs no player)

        self._giving_up = self._giving_up or GivingUp()
        game = self.session.game
        mover = game.to_move
        try:
            # Who lets a computer make single moves has not asked it to give up.
            own = self.session.resigns and self.seat_of(mover) != PERSON
            make(game, answer, self._giving_up if own else None)
        except IllegalMove as error:
            self._wait(_("The computer's move is illegal: {reason}").format(reason=said(error)))
            return
        if isinstance(game.ending, Resignation):
            self.show_position()
            self.ended()
            return
        if answer.move == PASS:
            self.counting = self.counting or game.is_over
        hovered = self.hovered
        self._moved()
        self.hovered = hovered
        self.ended()
        if answer.move == PASS and not game.is_over:
            self.say(_("{colour} passes").format(colour=colour_word(mover)))

    # Showing

    def decorated(self, picture: Picture) -> Picture:
        """Leave out the stone under the mouse while it would be the computer's."""
        picture = super().decorated(picture)
        return picture if self.thinking is None else picture._replace(ghost=None)

    def say(self, words: str) -> None:
        """Show a message; it stays for a while though a computer thinks."""
        self._said_at = monotonic()
        super().say(words)

    def _tell(self) -> None:
        """Write the progress line."""
        thought = self.thinking
        now = monotonic()
        if thought is None or now - self._said_at < _STAYS:
            return
        game = self.session.game
        room = max(30, self.size.width - 10)
        super().say(thought.words(now, game.torus, self.options.names, room))

    def _show_status(self) -> None:
        over = self.session.game.is_over
        if self.thinking is not None and not over:
            self._said_at = 0.0
            self._tell()
        elif self.paused and self._trouble and not over:
            self.say(self._trouble)
        else:
            super()._show_status()

    def show_position(self) -> None:
        """Show the node the game stands on; a thought about another one ends, and the next begins."""
        if self.thinking is not None and (
            self.thinking.node is not self.session.game.node or self.session.game.is_over
        ):
            self._stop_thinking()
        asked, self._just_played = self._just_played, False
        super().show_position()
        self._let_play(asked=asked)

    def _moved(self) -> None:
        self._just_played = True
        super()._moved()
