"""The count: the area of both sides, and the dead stones that the players agree on after two passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daoqi_tui.engine import Area, TwoPasses
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.events import Declined
from daoqi_tui.play.session import Session
from daoqi_tui.play.view import View
from daoqi_tui.play.wording import describe_margin, describe_now, fitting, with_keys
from daoqi_tui.tui.feature import Feature, Handlers, ShownArea
from daoqi_tui.tui.host import Host

if TYPE_CHECKING:
    from daoqi_tui.play.dead_stones import Proposal


class Counting(Feature):
    """Shows the current area, without the agreed dead stones.

    Attributes:
        on: whether the area shows.
        proposal: the computer's proposal since marking began.
    """

    place = "area"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.on = False
        self.proposal: Proposal | None = None
        self._marking = False
        self._till_resumed = False
        """True if the area shows only because the game is over, until it is resumed."""

    def handlers(self) -> Handlers:
        """Return the commands of the count."""
        return {"count": self.toggle, "dead": self.toggle_marking}

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Hide the area."""
        self.on = self._marking = False

    def show(self, view: View) -> None:
        """End the marking of dead stones if the game is no longer over, and hide an area that was not requested."""
        super().show(view)
        self._marking = self.marking_dead
        if self._till_resumed and not self.match.session.is_over:
            self.on = self._till_resumed = False

    def decorate(self, picture: Picture) -> Picture:
        """Show dead stones, and the owner of each point."""
        return picture._replace(dead=self.dead, owners=self.now.owners if self.on else None)

    def area(self) -> ShownArea | None:
        """Return the area while it shows."""
        if not self.on:
            return None
        area = self.now
        return ShownArea(N_("Count"), area, describe_margin(area))

    def status(self) -> str | None:
        """Describe the computer's proposal, the effect of the dead stones, and how marking ends."""
        if not self.marking_dead:
            return None
        from daoqi_tui.play.dead_stones import describe_difference  # noqa: PLC0415 (a game has to end first)

        parts = [*describe_difference(self.match.game), with_keys(_("a click marks, {dead} ends marking"))]
        if self.proposal is not None:
            parts.insert(0, self.proposal.words())
        return fitting(parts, self.host.size.width - 2)

    def give_way(self) -> None:
        """Hide the area."""
        self.on = False

    @property
    def now(self) -> Area:
        """The area of the shown position, without the agreed dead stones."""
        return self.match.game.area(self.dead)

    @property
    def dead(self) -> frozenset[int]:
        """The stones agreed to be dead."""
        ending = self.match.game.ending
        return ending.dead if isinstance(ending, TwoPasses) else frozenset()

    @property
    def marking_dead(self) -> bool:
        """True if a click marks a chain dead instead of playing."""
        return self._marking and self.may_mark_dead

    @property
    def may_mark_dead(self) -> bool:
        """True if the game has ended by two passes, so that dead stones can be agreed on."""
        return isinstance(self.match.game.ending, TwoPasses)

    def toggle(self) -> None:
        """Show or hide the area, replacing an estimate."""
        self.show_area(on=not self.on)

    def show_end(self) -> None:
        """Show the area from the next update until the game continues, replacing an estimate."""
        self.host.replace_others(self)
        self.on = self._till_resumed = True

    def show_area(self, *, on: bool) -> None:
        """Show the area, replacing an estimate, or hide it."""
        host = self.host
        host.replace_others(self)
        self.on, self._till_resumed = on, False
        host.show_board()
        host.show_panes()
        if self.on and self.match.game.is_over:
            host.show_status()
        elif self.on:
            count = describe_now(self.now, self.match.game.rules.pass_cost)
            host.say(_("If the game ended now: {count}").format(count=count))
        else:
            host.show_position()

    async def _propose(self) -> None:
        """Mark the stones that a computer considers dead, unless something was marked meanwhile."""
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.play.dead_stones import propose_dead  # noqa: PLC0415

        host = self.host
        node = self.match.game.node
        try:
            proposal = await propose_dead(self.match.players, self.match.game)
        except PlayerError as error:
            host.say(translate(error))
            return
        if self.match.game.node is node and self.marking_dead and not self.dead:
            self.proposal = proposal
            if proposal.stones:
                self.match.agree_dead(proposal.stones)
            host.show_status()
            if host.online is not None:
                host.say(proposal.words())

    def begin_marking(self) -> None:
        """Begin to choose dead stones, and show the area."""
        self._marking = True
        self.show_end()

    def toggle_marking(self) -> None:
        """Begin or end choosing dead stones."""
        if not self.may_mark_dead:
            self.host.say(_("Dead stones are agreed on after two passes in a row"))
            return
        may_propose = not self.dead and (self.host.online is None or self.host.online.counts)
        if self.host.online is None or not may_propose:
            # In an online game, chains can be marked until the score is agreed.
            self._marking = not self._marking
        self.show_end()
        self.proposal = None
        self.host.show_position()
        if self._marking and may_propose:
            self.host.say(_("Looking for dead stones …"))
            self.host.run_exclusive(self._propose, "dead stones")

    def toggle_dead(self, point: int) -> None:
        """Mark the chain at a point dead, or alive again."""
        host = self.host
        self.proposal = None
        if self.match.mark_dead(point) is Declined.NO_STONE:
            name = self.match.game.torus.name(point, host.options.names)
            host.refuse(point, _("There is no stone at {point}").format(point=name))
