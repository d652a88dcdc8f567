"""The count: the area of both sides, and the dead stones that the players agree on after two passes."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import Area, Node, TwoPasses
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.pictures.picture import NOBODY, Picture
from daoqi_tui.play.background import Wait
from daoqi_tui.play.events import Declined
from daoqi_tui.play.match import Changed, View
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import (
    Unable,
    describe_margin,
    describe_now,
    describe_refusal,
    fitting,
    with_keys,
)
from daoqi_tui.tui.host import Feature, Handlers, Host, ShownArea

if TYPE_CHECKING:
    from daoqi_tui.ai import Estimated
    from daoqi_tui.analysis.influence import InfluenceEstimate
    from daoqi_tui.play.analyst import Proposal


class Counting(Feature):
    """Shows the current area, without the agreed dead stones.

    Attributes:
        on: whether the area shows.
        marking: whether dead stones are being marked, which is possible only after two passes.
        proposal: the computer's proposal since marking began.
    """

    place = "area"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.on = False
        self.proposal: Proposal | None = None
        self.marking = False
        self._till_resumed = False
        """True if the area shows only because the game is over, until it is resumed."""

    def handlers(self) -> Handlers:
        return {"count": lambda: self.show_area(on=not self.on), "dead": self.toggle_marking}

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        self.on = self.marking = False

    def show(self, view: View) -> None:
        self.marking = self.marking and isinstance(view.ending, TwoPasses)
        if self._till_resumed and not self.match.session.is_over:
            self.on = self._till_resumed = False

    def decorate(self, picture: Picture) -> Picture:
        if not self.on and not isinstance(self.view.ending, TwoPasses):
            return picture
        return picture._replace(dead=self.match.game.dead, owners=self.now.owners if self.on else None)

    def area(self) -> ShownArea | None:
        if not self.on:
            return None
        return ShownArea(N_("Count"), self.now, describe_margin(self.now))

    def status(self) -> str | None:
        if not self.marking:
            return None
        from daoqi_tui.play.analyst import describe_difference  # noqa: PLC0415 (a game has to end first)

        parts = [*describe_difference(self.match.game), with_keys(_("a click marks, {dead} ends marking"))]
        if self.proposal is not None:
            parts.insert(0, self.proposal.describe())
        return fitting(parts, self.host.size.width - 2)

    def give_way(self) -> None:
        self.on = False

    @property
    def now(self) -> Area:
        """The area of the shown position, without the agreed dead stones."""
        return self.match.game.area(self.match.game.dead)

    def show_end(self) -> None:
        """Show the area from the next update until the game continues, replacing an estimate."""
        self.host.replace_others(self)
        self.on = self._till_resumed = self.active = True

    def show_area(self, *, on: bool) -> None:
        if on and (refusal := self.match.game.board.no_liberties()):
            raise Unable(describe_refusal(refusal, self.match.game.torus, self.host.options.names))
        self.host.replace_others(self)
        self.on, self._till_resumed, self.active = on, False, True
        self.host.show_board()
        self.host.show_panes()
        if self.on and self.match.game.is_over:
            self.host.show_status()
        elif self.on:
            count = describe_now(self.now, self.match.game.rules.pass_cost)
            self.say(_("{count}  ·  if the game ended now").format(count=count))
        else:
            self.host.show_position()

    async def _propose(self) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.play.analyst import propose_dead  # noqa: PLC0415

        node = self.match.game.node
        wait = Wait(_("Looking for dead stones …"), with_keys(_("{dead} stops")))
        with Unable.instead_of(PlayerError), self.host.waiting(wait):
            proposal = await propose_dead(self.match.turns.players.adviser.estimate, self.match.game)
        if self.match.game.node is node and self.marking and not self.match.game.dead:
            self.proposal = proposal
            if proposal.stones:
                self.match.agree_dead(proposal.stones)
            self.host.show_status()
            if self.host.online is not None:
                self.say(proposal.describe())

    def begin_marking(self) -> None:
        self.marking = True
        self.show_end()

    def toggle_marking(self) -> None:
        if not isinstance(self.match.game.ending, TwoPasses):
            raise Unable(_("Dead stones are agreed on after two passes in a row"))
        may_propose = not self.match.game.dead and (self.host.online is None or self.host.online.counts)
        if self.host.online is None or not may_propose:
            # In an online game, chains can be marked until the score is agreed.
            self.marking = not self.marking
        self.host.cancel(_PROPOSING)
        self.show_end()
        self.proposal = None
        self.host.show_position()
        if self.marking and may_propose:
            self.host.run_exclusive(self._propose, _PROPOSING)

    def toggle_dead(self, point: int) -> None:
        self.proposal = None
        if self.match.mark_dead(point) is Declined.NO_STONE:
            name = self.match.game.torus.name(point, self.host.options.names)
            self.host.refuse(point, _("There is no stone at {point}").format(point=name))


_PROPOSING: Final = "dead stones"
_PAUSE: Final = 0.05
"""Seconds a position must stay before the computer estimates it, so that a fast replay is not."""
_LEVELS: Final = (0.85, 0.45, 0.1)
"""The strengths above which a point certainly, probably, or more likely than not belongs to a side.

On an empty board every point is Black's by 0.02, which is nobody's.
"""


class EstimatedTerritory(Feature):
    """Shows the estimated territory, unless the score is shown.

    Attributes:
        on: whether it was requested.
    """

    place = "area"

    def __init__(self, host: Host, counting: Counting) -> None:
        super().__init__(host)
        self._counting = counting
        self.on = self.active = False
        self._by_influence: tuple[Node, InfluenceEstimate] | None = None
        self._by_computer: tuple[Node, Estimated] | None = None

    def handlers(self) -> Handlers:
        return {"estimate": self.toggle}

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        self._by_computer = None
        self._end()

    def _end(self) -> None:
        self.on = self.active = False
        self.host.cancel("expected")

    def show(self, view: View) -> None:
        """Estimate another position; after two passes, the result takes its place."""
        if self.on and isinstance(view.ending, TwoPasses):
            self._end()
        elif self.on and Changed.POSITION in view.changed:
            self._ask()

    def give_way(self) -> None:
        self.on = self.active = False

    def toggle(self) -> None:
        if not self.on and isinstance(self.match.game.ending, TwoPasses):
            # An estimate next to the score would only contradict it.
            self._counting.show_area(on=True)
            self.say(with_keys(_("The game is over: the count shows, and {dead} marks dead stones")))
            return
        self.on = self.active = not self.on
        self.host.replace_others(self)
        self.host.show_board()
        self.host.show_panes()
        if self.on:
            self._ask(at_once=True)
        else:
            self.host.show_position()

    @property
    def shows(self) -> bool:
        return self.on and not self._counting.on

    @property
    def now(self) -> InfluenceEstimate | None:
        """The estimate of the shown position, None while it is made. Two that differ never take turns."""
        if self._by_influence is None or self._by_influence[0] is not self.match.game.node:
            return None
        return self._by_influence[1]

    @property
    def by_computer(self) -> Estimated | None:
        """The computer's estimate of the shown position, None if it was not requested."""
        if self._by_computer is None or self._by_computer[0] is not self.match.game.node:
            return None
        return self._by_computer[1]

    def area(self) -> ShownArea | None:
        if not self.shows or self.now is None:
            return None
        from daoqi_tui.play.analyst import describe_expected_margin  # noqa: PLC0415

        area, found = self.now.area, self.by_computer
        if found is None:
            return ShownArea(N_("Estimate"), area, _("{margin} (influence)").format(margin=describe_margin(area)))
        return ShownArea(N_("Estimate"), area, describe_expected_margin(found))

    def decorate(self, picture: Picture) -> Picture:
        if not self.shows or self.now is None:
            return picture
        picture = picture._replace(strength=bytes(map(_level, self.now.strength)))
        if self.by_computer is None:
            return picture
        from daoqi_tui.play.analyst import dead_in  # noqa: PLC0415

        return picture._replace(dead=picture.dead | dead_in(picture.stones, self.by_computer))

    def _ask(self, *, at_once: bool = False) -> None:
        self.host.run_exclusive(partial(self._ask_computer, at_once=at_once), "expected")

    async def _ask_computer(self, *, at_once: bool) -> None:
        from daoqi_tui.ai import Position  # noqa: PLC0415
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.play.analyst import describe_expected, estimate_of  # noqa: PLC0415

        game = self.match.game
        node = game.node
        if self.by_computer is None:
            wait = Wait(_("Estimating …"), with_keys(_("{estimate} stops")))
            try:
                with self.host.waiting(wait, at_once=at_once):
                    await asyncio.sleep(_PAUSE)
                    found = await self.match.turns.players.adviser.estimate(Position.of(game))
            except PlayerError as error:
                from daoqi_tui.analysis.influence import estimate  # noqa: PLC0415 (numpy costs 100 ms)

                # Without a network, the influence of the stones is all that can be shown.
                if game is self.match.game and node is game.node:
                    self._by_influence = node, estimate(game.board, game.komi)
                    self.host.show_board()
                    self.host.show_panes()
                self.say(translate(error))
                return
            if game is not self.match.game or node is not game.node:
                return
            self._by_computer = node, found
            self._by_influence = node, estimate_of(game.board, game.komi, found)
        if self.on:
            self.host.show_board()
            self.host.show_panes()
            if self.by_computer is not None:
                self.say(describe_expected(self.by_computer))


def _level(strength: float) -> int:
    for certain, least in zip((3, 2, 1), _LEVELS, strict=True):
        if abs(strength) > least:
            return NOBODY + (certain if strength > 0 else -certain)
    return NOBODY
