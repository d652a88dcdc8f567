"""The interface of overlays, which the game screen lays over the board, with those of labels and of the count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daoqi_tui.engine import PASS, Area, Node, TwoPasses
from daoqi_tui.i18n import N_, _
from daoqi_tui.play.events import Declined
from daoqi_tui.play.picture import Picture, marks_shown
from daoqi_tui.play.session import Session
from daoqi_tui.play.words import now_words

if TYPE_CHECKING:
    from daoqi_tui.tui.game.screen import GameScreen


class Overlay:
    """Something shown over the stones. The screen keeps a list of overlays, the topmost last, and asks each in turn."""

    def begin(self, session: Session) -> None:
        """Forget the session before, if any; ``session`` shows next."""

    def moved(self, node: Node) -> None:
        """Take note that the game is now at ``node``; called before that shows."""

    def decorate(self, picture: Picture) -> Picture:
        """Return the picture of the board with this overlay on it."""
        return picture

    def area(self) -> tuple[str, Area] | None:
        """Return the title and the area for the area pane, None to show none."""
        return None

    def clear(self) -> bool:
        """Remove what the Clear command removes; return whether there was anything."""
        return False

    async def close(self) -> None:
        """Release processes and files; the screen goes away."""


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
    """Return the number of the last move on each point where its stone still stands."""
    numbers: dict[int, str] = {}
    for step in node.path():
        move = step.move
        if move is not None and move.point != PASS and stones[move.point] == move.colour:
            numbers[move.point] = str(step.number)
    return numbers


class Counting(Overlay):
    """Shows the area as it stands, less agreed dead stones.

    Attributes:
        on: whether the area shows.
    """

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self.on = False
        self._marking = False

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Hide the area."""
        self.on = self._marking = False

    def moved(self, node: Node) -> None:  # noqa: ARG002 (the interface)
        """End the choice of dead stones where the game has not ended by two passes."""
        self._marking = self.marking_dead

    def decorate(self, picture: Picture) -> Picture:
        """Show dead stones, and the owner of each point."""
        return picture._replace(dead=self.dead, owners=self.now.owners if self.on else None)

    def area(self) -> tuple[str, Area] | None:
        """Return the area while it shows."""
        return (N_("Count"), self.now) if self.on else None

    @property
    def now(self) -> Area:
        """The area of the position shown, less agreed dead stones."""
        return self._screen.session.game.area(self.dead)

    @property
    def dead(self) -> frozenset[int]:
        """The stones agreed to be dead."""
        ending = self._screen.session.game.ending
        return ending.dead if isinstance(ending, TwoPasses) else frozenset()

    @property
    def marking_dead(self) -> bool:
        """Whether a click marks a chain dead instead of playing."""
        return self._marking and self.may_mark_dead

    @property
    def may_mark_dead(self) -> bool:
        """Whether the game has ended by two passes, so that dead stones can be agreed on."""
        return isinstance(self._screen.session.game.ending, TwoPasses)

    def toggle(self) -> None:
        """Show or hide the area, in place of an estimate."""
        screen = self._screen
        screen.estimate.on = False
        self.on = not self.on
        screen.show_board()
        screen.show_panes()
        area = self.now
        if self.on:
            screen.say(_("If the game ended now: {count}").format(count=now_words(area)))
        else:
            screen.show_position()

    def begin_marking(self) -> None:
        """Begin to choose dead stones, and show the area."""
        self._marking = self.on = True

    def toggle_marking(self) -> None:
        """Begin or end choosing dead stones."""
        if not self.may_mark_dead:
            self._screen.say(_("Dead stones are agreed on after two passes in a row"))
            return
        self._marking = not self._marking
        self.on = True
        self._screen.show_position()

    def toggle_dead(self, point: int) -> None:
        """Mark the chain at a point dead, or alive again."""
        screen = self._screen
        if screen.match.mark_dead(point) is Declined.NO_STONE:
            name = screen.session.game.torus.name(point, screen.options.names)
            screen.refuse(point, _("There is no stone at {point}").format(point=name))
