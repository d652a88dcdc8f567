"""The interface of the overlays that the game screen draws over the board, and those for labels and the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daoqi_tui.engine import PASS, Area, Node, TwoPasses
from daoqi_tui.i18n import N_, _, words_of
from daoqi_tui.pictures.picture import Picture, marks_shown
from daoqi_tui.play.events import Declined
from daoqi_tui.play.session import Session
from daoqi_tui.play.words import margin_words, now_words

if TYPE_CHECKING:
    from daoqi_tui.play.dead_stones import Proposal
    from daoqi_tui.tui.game.screen import GameScreen


class Overlay:
    """Additional information drawn over the board. The screen calls each of its overlays in turn, the topmost last."""

    def begin(self, session: Session) -> None:
        """Drop the state of the previous session, if any; ``session`` is shown next."""

    def moved(self, node: Node) -> None:
        """Update the state for the current node ``node``; called before it is shown."""

    def decorate(self, picture: Picture) -> Picture:
        """Return the picture of the board with this overlay on it."""
        return picture

    def area(self) -> tuple[str, Area, str] | None:
        """Return the title, the area, and who is ahead in words, for the area pane; None to show none."""
        return None

    def clear(self) -> bool:
        """Handle the Clear command; return whether there was anything to remove."""
        return False

    async def close(self) -> None:
        """Release processes and files, since the screen is closing."""


class Labels(Overlay):
    """Shows the marks and letters of the node, and the numbers of the moves if they are on."""

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self._numbering = False

    def toggle_numbers(self) -> None:
        """Show or hide the numbers of the moves."""
        self._numbering = not self._numbering
        self._screen.show_board()

    def decorate(self, picture: Picture) -> Picture:
        """Add the labels; those of the record replace numbers."""
        game = self._screen.session.game
        node = game.node
        if not node.properties and not self._numbering:
            return picture
        numbers = move_numbers(node, bytes(game.board.colours)) if self._numbering else {}
        return picture._replace(labels=numbers | marks_shown(node, game.torus.size))


def move_numbers(node: Node, stones: bytes) -> dict[int, str]:
    """Return the number of the last move on each point whose stone is still on the board."""
    numbers: dict[int, str] = {}
    for step in node.path():
        move = step.move
        if move is not None and move.point != PASS and stones[move.point] == move.colour:
            numbers[move.point] = str(step.number)
    return numbers


class BetterMove(Overlay):
    """Shows the line that would have been better than the move that teach mode warns about."""

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen

    def decorate(self, picture: Picture) -> Picture:
        """Add the line, numbered from the alternative to the played move."""
        game, judged = self._screen.session.game, self._screen.match.questioned
        if judged is None or judged.node is not game.node or judged.node.parent is None:
            return picture
        from daoqi_tui.play.hints import BestMoves, Clarity  # noqa: PLC0415 (most games are played without)

        best = BestMoves(judged.node.parent, judged.mover, judged.before)
        return best.shown_on(picture, game.torus, Clarity.MOVE, PASS)


class Counting(Overlay):
    """Shows the current area, without the agreed dead stones.

    Attributes:
        on: whether the area shows.
        proposal: the computer's proposal since marking began.
    """

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self.on = False
        self.proposal: Proposal | None = None
        self._marking = False
        self._till_resumed = False
        """True if the area shows only because the game is over, until it is resumed."""

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Hide the area."""
        self.on = self._marking = False

    def moved(self, node: Node) -> None:  # noqa: ARG002 (the interface)
        """End the marking of dead stones if the game is no longer over, and hide an area that was not requested."""
        self._marking = self.marking_dead
        if self._till_resumed and not self._screen.session.is_over:
            self.on = self._till_resumed = False

    def decorate(self, picture: Picture) -> Picture:
        """Show dead stones, and the owner of each point."""
        return picture._replace(dead=self.dead, owners=self.now.owners if self.on else None)

    def area(self) -> tuple[str, Area, str] | None:
        """Return the area while it shows."""
        return (N_("Count"), self.now, margin_words(self.now)) if self.on else None

    @property
    def now(self) -> Area:
        """The area of the shown position, without the agreed dead stones."""
        return self._screen.session.game.area(self.dead)

    @property
    def dead(self) -> frozenset[int]:
        """The stones agreed to be dead."""
        ending = self._screen.session.game.ending
        return ending.dead if isinstance(ending, TwoPasses) else frozenset()

    @property
    def marking_dead(self) -> bool:
        """True if a click marks a chain dead instead of playing."""
        return self._marking and self.may_mark_dead

    @property
    def may_mark_dead(self) -> bool:
        """True if the game has ended by two passes, so that dead stones can be agreed on."""
        return isinstance(self._screen.session.game.ending, TwoPasses)

    def toggle(self) -> None:
        """Show or hide the area, replacing an estimate."""
        self.show(on=not self.on)

    def show_end(self) -> None:
        """Show the area from the next update until the game continues, replacing an estimate."""
        self._screen.estimate.on = False
        self.on = self._till_resumed = True

    def show(self, *, on: bool) -> None:
        """Show the area, replacing an estimate, or hide it."""
        screen = self._screen
        screen.estimate.on = False
        self.on, self._till_resumed = on, False
        screen.show_board()
        screen.show_panes()
        if self.on and screen.session.game.is_over:
            screen.status.show()
        elif self.on:
            count = now_words(self.now, screen.session.game.rules.pass_cost)
            screen.say(_("If the game ended now: {count}").format(count=count))
        else:
            screen.show_position()

    async def _propose(self) -> None:
        """Mark the stones that a computer considers dead, unless something was marked meanwhile."""
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.play.dead_stones import propose_dead  # noqa: PLC0415

        screen = self._screen
        node = screen.session.game.node
        try:
            proposal = await propose_dead(screen.match.players, screen.session.game)
        except PlayerError as error:
            screen.say(words_of(error))
            return
        if screen.session.game.node is node and self.marking_dead and not self.dead:
            self.proposal = proposal
            if proposal.stones:
                screen.match.agree_dead(proposal.stones)
            screen.status.show()
            if screen.online is not None:
                screen.say(proposal.words())

    def begin_marking(self) -> None:
        """Begin to choose dead stones, and show the area."""
        self._marking = True
        self.show_end()

    def toggle_marking(self) -> None:
        """Begin or end choosing dead stones."""
        if not self.may_mark_dead:
            self._screen.say(_("Dead stones are agreed on after two passes in a row"))
            return
        may_propose = not self.dead and (self._screen.online is None or self._screen.online.counts)
        if self._screen.online is None or not may_propose:
            # In an online game, chains can be marked until the score is agreed.
            self._marking = not self._marking
        self.show_end()
        self.proposal = None
        self._screen.show_position()
        if self._marking and may_propose:
            self._screen.say(_("Looking for dead stones …"))
            self._screen.run_exclusive(self._propose, "dead stones")

    def toggle_dead(self, point: int) -> None:
        """Mark the chain at a point dead, or alive again."""
        screen = self._screen
        self.proposal = None
        if screen.match.mark_dead(point) is Declined.NO_STONE:
            name = screen.session.game.torus.name(point, screen.options.names)
            screen.refuse(point, _("There is no stone at {point}").format(point=name))
