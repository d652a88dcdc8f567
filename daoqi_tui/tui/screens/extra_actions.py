"""What opens on the whole screen over the game and leaves it as it is: the torus in the round, the first lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from daoqi_tui.tui.screens.base import GameBase

if TYPE_CHECKING:
    from daoqi_tui.tui.screens.game import GameScreen


class ExtraActions(GameBase):
    """Actions that open another screen."""

    async def action_round(self) -> None:
        """Show the board in the round."""
        from daoqi_tui.tui.screens.round import RoundScreen  # noqa: PLC0415 (numpy costs 100 ms)

        await self.app.push_screen(RoundScreen(cast("GameScreen", self)))
