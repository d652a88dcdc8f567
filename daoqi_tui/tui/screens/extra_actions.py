"""What opens on the whole screen over the game and leaves it as it is: the torus in the round, the first lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import work

from daoqi_tui.i18n import _
from daoqi_tui.tui.screens.base import GameBase

if TYPE_CHECKING:
    from daoqi_tui.tui.screens.game import GameScreen


class ExtraActions(GameBase):
    """Actions that open another screen."""

    async def action_round(self) -> None:
        """Show the board in the round."""
        from daoqi_tui.tui.screens.round import RoundScreen  # noqa: PLC0415 (numpy costs 100 ms)

        await self.app.push_screen(RoundScreen(cast("GameScreen", self)))

    async def action_lesson(self) -> None:
        """Begin the first lesson."""
        from daoqi_tui.tui.screens.lesson import LessonScreen  # noqa: PLC0415 (few need it)

        await self.app.push_screen(LessonScreen(self.options))

    @work(exclusive=True, group="question")
    async def offer_lesson(self) -> None:
        """At the first start of all, ask whether to begin with the lesson."""
        from daoqi_tui.tui.first_start import is_first_start  # noqa: PLC0415

        if not is_first_start():
            return
        question = _(
            "Welcome to Daoqi, the game of Go on a torus.\nShall ten short steps show you what is special here?"
        )
        if await self.ask(question, _("Yes, show me"), _("No, I know it")):
            await self.action_lesson()
