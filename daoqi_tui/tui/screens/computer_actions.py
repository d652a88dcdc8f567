"""What a person can do about computers: let them in and out, wait, move at once, and take back what they answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from daoqi_tui.i18n import _
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.opponents import PERSON, EngineSeat, Seat
from daoqi_tui.tui.screens.computer_turns import ComputerTurns
from daoqi_tui.tui.words import colour_word

if TYPE_CHECKING:
    from daoqi_tui.tui.thinking import Thinking


class ComputerActions(ComputerTurns):
    """Actions about the players that are not persons, and those of persons that have to heed them."""

    @work(exclusive=True, group="question")
    async def action_players(self) -> None:
        """Choose who plays each side from here on."""
        from daoqi_tui.tui.screens.players import Chosen, PlayersScreen  # noqa: PLC0415 (forms cost 20 ms)

        session = self.session
        chosen = await self.app.push_screen_wait(PlayersScreen(Chosen.of(session)))
        if chosen is None or session is not self.session:
            return
        session.sit(chosen.black, chosen.white)
        session.resigns = chosen.resigns
        self._stop_thinking()
        if "minds" in self.__dict__:
            await self.minds.seated(session.seats)
        self.paused = False
        self._trouble = ""
        self._giving_up = None
        if self.keeper is not None:
            self.keeper.seated(session)
        self.show_position()
        self._let_play(asked=True)

    def action_pause(self) -> None:
        """Let the computers wait, or play on."""
        if len(self.persons) == 2:
            self.say(with_keys(_("Two persons play: {players} lets a computer in")))
            return
        self.paused = not self.paused
        self._trouble = ""
        if self.paused:
            self._stop_thinking()
            self._sync_clock()
            self.say(_waiting_words())
        else:
            self.show_position()
            self._let_play(asked=True)

    def action_step(self) -> None:
        """Let a computer make one move for the side to move, whoever plays it."""
        game = self.session.game
        if game.is_over:
            self.say(with_keys(_("The game is over: {resume} plays on, {new_game} begins a new game")))
        elif self.thinking is None:
            seat = self.seat_of(game.to_move)
            self._think(self._usual if seat == PERSON else seat)

    async def action_engine_log(self) -> None:
        """Show what GTP engines wrote to their standard error."""
        from daoqi_tui.tui.screens.engine_log import EngineLog  # noqa: PLC0415

        said = self.minds.said() if "minds" in self.__dict__ else ()
        if said:
            await self.app.push_screen(EngineLog(said))
        else:
            self.say(_("No GTP engine has played here yet"))

    # What persons do while a computer is to move

    def _must_wait(self) -> bool:
        """Whether a computer is about to move; says so."""
        if self.thinking is None:
            return False
        self.say(
            with_keys(
                _("{name} is to move: {clear} has it move now, {take_back} takes your move back"),
                name=self.thinking.name,
            )
        )
        return True

    def choose(self, point: int) -> None:
        """Play at a point, unless a computer is to move."""
        if not self._must_wait():
            super().choose(point)

    def action_pass(self) -> None:  # type: ignore[override]
        """Pass, unless a computer is to move."""
        if not self._must_wait():
            super().action_pass()

    def action_clear(self) -> None:
        """Clear what is laid over the board, or have the computer that thinks move at once."""
        thought = self.thinking
        if thought is None or self._ladder_node is not None:
            super().action_clear()
        elif isinstance(self.seat_of(thought.colour), EngineSeat):
            self.say(
                with_keys(_("A GTP engine cannot be hurried: {take_back} takes your move back, {pause} lets it wait"))
            )
        elif not thought.hurried:
            thought.hurried = True
            self.minds.of(thought.colour, self._seat_thinking(thought)).hurry()

    def _seat_thinking(self, thought: Thinking) -> Seat:
        seat = self.seat_of(thought.colour)
        return self._usual if seat == PERSON else seat

    def action_take_back(self) -> None:
        """Take back a person's last move with what the computer answered, also while it thinks."""
        persons = self.persons
        self._stop_thinking()
        if len(persons) != 1:
            # Of two computers the next would move again at once.
            self.paused = self.paused or not persons
            super().action_take_back()
            if not persons:
                self.say(_waiting_words())
            return
        if not self.session.take_back_turn(persons[0]):
            self.say(_("There is no move of yours to take back"))
            self._let_play()
            return
        self.play_goes_on_here()
        self.marking_dead = False
        self.show_position()

    def action_play_again(self) -> None:
        """Play a person's move taken back again, with what a computer answered."""
        super().action_play_again()
        game, persons = self.session.game, self.persons
        while len(persons) == 1 and game.to_move != persons[0] and self.next_node() is not None:
            super().action_play_again()

    @work(exclusive=True, group="question")
    async def action_resign(self) -> None:
        """Give the game up for the person who plays, whoever is to move."""
        game = self.session.game
        if game.is_over:
            self.say(with_keys(_("The game is over: {resume} plays on, {new_game} begins a new game")))
            return
        # Who looks back at earlier moves gives up the game all the same, not what was looked at.
        front = self.session.front
        if front is not None and front.is_over:
            self.say(with_keys(_("The game is over: {resume} plays on, {new_game} begins a new game")))
            return
        front = front or game.node
        persons = self.persons
        loser = persons[0] if len(persons) == 1 else front.to_move
        question = _("Shall {colour} resign?").format(colour=colour_word(loser))
        if await self.ask(question, _("Resign"), _("Play on")) and not (game.is_over or front.is_over):
            self._stop_thinking()
            # A move that a computer made meanwhile belongs to the game that is given up.
            game.goto(self.session.front or game.node)
            game.resign(loser)
            self.play_goes_on_here()
            self.show_position()
            self.ended()


def _waiting_words() -> str:
    return with_keys(_("The computers wait: {pause} lets them play on, {step} makes one move"))
