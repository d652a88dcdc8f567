"""How the game looks and sounds, and in which language: the board, its frame, the settings, the bell."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, cast

from textual import work

from daoqi_tui.tui.options import Options
from daoqi_tui.tui.screens.base import GameBase
from daoqi_tui.tui.widgets.hints import HintBar

if TYPE_CHECKING:
    from daoqi_tui.tui.app import DaoqiApp

_SHORT: Final = 10
"""Seconds of a period that are rung for, each."""


class LookActions(GameBase):
    """Actions that change what is seen and heard, and keep it for the next time."""

    _second = -1
    """The second of the clock that was seen last."""

    @property
    def _daoqi(self) -> DaoqiApp:
        return cast("DaoqiApp", self.app)

    @work(exclusive=True, group="question")
    async def action_options(self) -> None:
        """Ask how the board is to be shown and played on."""
        from daoqi_tui.tui.screens.options import OptionsScreen  # noqa: PLC0415 (forms cost 20 ms)

        before, size = self.options, self.session.game.torus.size
        form = OptionsScreen(before, size, self._daoqi.wear, self._daoqi.speak)
        self._take(before, await self.app.push_screen_wait(form))

    @work(exclusive=True, group="question")
    async def action_boards(self) -> None:
        """Ask for another board."""
        from daoqi_tui.tui.screens.boards import BoardsScreen  # noqa: PLC0415 (lists cost 10 ms)

        before = self.options
        self._take(before, await self.app.push_screen_wait(BoardsScreen(before, self._daoqi.wear)))

    def _take(self, before: Options, after: Options | None) -> None:
        """Use the options chosen, and keep them."""
        if after is None:
            return
        self._daoqi.wear(after)
        self._daoqi.keep(before, after)
        self.tree_changed()
        self.show_position()

    def rewrite(self) -> None:
        """Write everything in the language that words are in now."""
        self.query_one(HintBar).refresh_words()
        self.tree_changed()
        self.show_position()

    def refuse(self, point: int | None, words: str) -> None:
        """Say why a play was refused, and flash its point."""
        super().refuse(point, words)
        self.ring("refusal")

    def _tick(self) -> None:
        """Show the clock, and ring when time runs short."""
        super()._tick()
        clock = self.session.clock
        if clock is None or clock.running is None or "time" not in self.options.bells:
            return
        second = int(clock.left(clock.running, monotonic()).seconds)
        if second < _SHORT and second != self._second:
            self.ring("time")
        self._second = second

    def ring_for_move(self) -> None:
        """Ring for the move just made."""
        node = self.session.game.node
        if self.session.game.is_over:
            self.ring("end")
        elif node.captured or node.lost:
            self.ring("capture" if "capture" in self.options.bells else "move")
        else:
            self.ring("move")

    def ring(self, event: str) -> None:
        """Ring the terminal's bell, if that is liked at such an event (see :data:`~daoqi_tui.tui.options.BELLS`)."""
        if event in self.options.bells:
            self.app.bell()
