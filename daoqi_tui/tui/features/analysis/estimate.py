"""The estimated territory: by the influence of the stones at once, then by the computer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import Node, TwoPasses
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.pictures.picture import NOBODY, Picture
from daoqi_tui.play.session import Session
from daoqi_tui.play.view import Changed, View
from daoqi_tui.play.wording import describe_margin, with_keys
from daoqi_tui.tui.feature import Feature, Handlers, ShownArea
from daoqi_tui.tui.features.analysis.best_moves import PAUSE
from daoqi_tui.tui.features.playing.counting import Counting
from daoqi_tui.tui.host import Host

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Estimated
    from daoqi_tui.analysis.influence import InfluenceEstimate

_LEVELS: Final = (0.85, 0.45, 0.0)
"""The strengths above which a point certainly, probably, or more likely than not belongs to a side."""


class EstimatedTerritory(Feature):
    """Shows the estimated territory, unless the score is shown.

    Attributes:
        on: whether it was requested.
    """

    place = "area"

    def __init__(self, host: Host, counting: Counting) -> None:
        super().__init__(host)
        self._counting = counting
        self.on = False
        self._by_influence: tuple[Node, InfluenceEstimate] | None = None
        self._by_computer: tuple[Node, Estimated] | None = None

    def handlers(self) -> Handlers:
        """Return the command of the estimate."""
        return {"estimate": self.toggle}

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Hide the estimate."""
        self._by_computer = None
        self._end()

    def _end(self) -> None:
        self.on = False
        self.host.cancel("expected")

    def show(self, view: View) -> None:
        """Estimate another position; after two passes, the result takes its place."""
        super().show(view)
        if self.on and isinstance(view.ending, TwoPasses):
            self._end()
        elif self.on and Changed.POSITION in view.changed:
            self._ask()

    def give_way(self) -> None:
        """Hide the estimate, since the count shows."""
        self.on = False

    def toggle(self) -> None:
        """Show or hide the estimated territory."""
        host = self.host
        if not self.on and isinstance(self.match.game.ending, TwoPasses):
            # An estimate next to the score would only contradict it.
            self._counting.show_area(on=True)
            host.say(with_keys(_("The game is over: the count shows, and {dead} marks dead stones")))
            return
        self.on = not self.on
        host.replace_others(self)
        host.show_board()
        host.show_panes()
        if self.on:
            host.say(_("Estimating … until then the influence of the stones shows"))
            self._ask()
        else:
            host.show_position()

    @property
    def shows(self) -> bool:
        """True if the board shows the estimate."""
        return self.on and not self._counting.on

    @property
    def now(self) -> InfluenceEstimate:
        """The estimate of the shown position."""
        game = self.match.game
        if self._by_influence is None or self._by_influence[0] is not game.node:
            from daoqi_tui.analysis.influence import estimate  # noqa: PLC0415 (numpy costs 100 ms)

            self._by_influence = game.node, estimate(game.board, game.komi)
        return self._by_influence[1]

    @property
    def by_computer(self) -> Estimated | None:
        """The computer's estimate of the shown position, None if it was not requested."""
        if self._by_computer is None or self._by_computer[0] is not self.match.game.node:
            return None
        return self._by_computer[1]

    def area(self) -> ShownArea | None:
        """Return the estimated area."""
        if not self.shows:
            return None
        from daoqi_tui.play.analyst import describe_expected_margin  # noqa: PLC0415

        area, found = self.now.area, self.by_computer
        if found is None:
            return ShownArea(N_("Estimate"), area, _("{margin} (influence)").format(margin=describe_margin(area)))
        return ShownArea(N_("Estimate"), area, describe_expected_margin(found))

    def decorate(self, picture: Picture) -> Picture:
        """Show the strength of each side at each point, and stones that are expected to be captured."""
        if not self.shows:
            return picture
        picture = picture._replace(strength=bytes(map(_level, self.now.strength)))
        if self.by_computer is None:
            return picture
        from daoqi_tui.play.analyst import dead_in  # noqa: PLC0415

        return picture._replace(dead=picture.dead | dead_in(picture.stones, self.by_computer))

    def _ask(self) -> None:
        self.host.run_exclusive(self._ask_computer, "expected")

    async def _ask_computer(self) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415
        from daoqi_tui.play.analyst import describe_expected, estimate_of  # noqa: PLC0415

        host = self.host
        game = self.match.game
        node = game.node
        if self.by_computer is None:
            await asyncio.sleep(PAUSE)
            position = Position.of(game)
            try:
                found = await self.match.players.adviser.estimate(position)
            except PlayerError as error:
                host.say(translate(error))
                return
            if game is not self.match.game or node is not game.node:
                return
            self._by_computer = node, found
            self._by_influence = node, estimate_of(game.board, game.komi, found)
        if self.on:
            host.show_board()
            host.show_panes()
            if self.by_computer is not None:
                host.say(describe_expected(self.by_computer))


def _level(strength: float) -> int:
    """Convert a strength from -1 to 1 to that of a picture."""
    for certain, least in zip((3, 2, 1), _LEVELS, strict=True):
        if abs(strength) > least:
            return NOBODY + (certain if strength > 0 else -certain)
    return NOBODY
