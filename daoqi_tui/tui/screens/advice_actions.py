"""Advice: the best moves with their win rates, who will own what, and how the chances ran through the game."""

from __future__ import annotations

import asyncio
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Final

from textual import work

from daoqi_tui.engine import Colour, Node
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.opponents import STRONGEST
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.screens.computer_actions import ComputerActions
from daoqi_tui.tui.session import Session

if TYPE_CHECKING:
    from daoqi_tui.ai.player import Player
    from daoqi_tui.ai.protocol import Answer, Estimated, Progress
    from daoqi_tui.tui.judging import Hint
    from daoqi_tui.tui.thinking import Thinking

_EVERY: Final = 0.5
"""Seconds between two showings of a hint that is still thought about."""
_PAUSE: Final = 0.05
"""Seconds a position must stay before it is played out: nobody looks at it while a game runs past."""


class AdviceActions(ComputerActions):
    """Actions that ask the strongest player. It has a process of its own, so that no opponent profits from it."""

    _hint: Hint | None = None
    _expected: tuple[Node, Estimated] | None = None

    @cached_property
    def judged(self) -> dict[Node, float]:
        """Black's share of the games at each node that was searched."""
        return {}

    @cached_property
    def adviser(self) -> Player:
        """The player that is asked."""
        from daoqi_tui.ai.player import Player  # noqa: PLC0415 (a start needs no player)

        return Player()

    async def on_unmount(self) -> None:
        """End the adviser's process."""
        if "adviser" in self.__dict__:
            self.workers.cancel_node(self)
            await self.adviser.close()

    def begin(self, session: Session) -> None:
        """Show another session, without advice."""
        self._end_hint()
        self.workers.cancel_group(self, "expected")
        self._expected = None
        self.judged.clear()
        super().begin(session)

    # The best moves

    def action_hint(self) -> None:
        """Show the best moves with their win rates and the expected line; asked again, think on."""
        game = self.session.game
        if game.is_over:
            self.say(_("The game is over: go back to a move to ask about it"))
            return
        if game.board.empty == game.torus.full and game.node.number == 0:
            self.say(_("Every first move is as good as any other: this board has no corner, no edge and no middle"))
            return
        self._stop_replay()
        self._end_ladder()
        self._look_for_hint(game.node, game.to_move)

    @work(exclusive=True, group="hint")
    async def _look_for_hint(self, node: Node, mover: Colour) -> None:
        from daoqi_tui.ai.player import PlayerError  # noqa: PLC0415
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415
        from daoqi_tui.tui.judging import HINT_SECONDS  # noqa: PLC0415

        self.say(with_keys(_("Looking for the best moves … {clear} stops")))

        shown = 0.0

        def told(found: Progress | Answer) -> None:
            nonlocal shown
            # Each showing writes rows of the board anew, which a pan would feel.
            if monotonic() - shown >= _EVERY:
                shown = monotonic()
                self._show_hint(node, mover, found)

        try:
            answer = await self.adviser.think(
                Position.of(self.session.game, node),
                STRONGEST,
                seconds=HINT_SECONDS,
                analyse=True,
                net=self.net(),
                on_progress=told,
            )
        except PlayerError as error:
            self.say(said(error))
            return
        self._show_hint(node, mover, answer)
        self._feed_side()

    def _show_hint(self, node: Node, mover: Colour, found: Progress | Answer) -> None:
        from daoqi_tui.tui.judging import Hint  # noqa: PLC0415
        from daoqi_tui.tui.thinking import evaluations  # noqa: PLC0415

        self.judge(node, mover, found)
        if node is self.session.game.node and found.lines and not self.session.game.is_over:
            self._hint = Hint(node, mover, found.lines, evaluations(found))
            self._hint_changed()

    def _hint_changed(self) -> None:
        assert self._hint is not None
        self.show_board()
        point = self.cursor_point if self.hovered is None else self.hovered
        game = self.session.game
        self.say(self._hint.words(game.torus, self.options.names, point, self.size.width - 12))

    def action_ladder(self) -> None:
        """Read the ladder of the chain pointed at, in place of a hint."""
        self._end_hint()
        super().action_ladder()

    def _end_hint(self) -> None:
        self._hint = None
        self.workers.cancel_group(self, "hint")

    def judge(self, node: Node, mover: Colour, found: Progress | Answer) -> None:
        """Keep Black's chances at a node."""
        from daoqi_tui.tui.judging import black_share  # noqa: PLC0415

        share = black_share(found, mover)
        if share is not None:
            self.judged[node] = share

    def computer_answered(self, thought: Thinking, answer: Answer) -> None:
        """Keep the chances as a computer saw them."""
        super().computer_answered(thought, answer)
        self.judge(thought.node, thought.colour, answer)

    # Who will own what

    def action_estimate(self) -> None:
        """Show or hide who would own what: by influence at once, by the computer as soon as it has an answer."""
        super().action_estimate()
        if self.estimating:
            self._expect()

    @property
    def expected(self) -> Estimated | None:
        """What the computer says of the position shown, None where it was not asked."""
        if self._expected is None or self._expected[0] is not self.session.game.node:
            return None
        return self._expected[1]

    @work(exclusive=True, group="expected")
    async def _expect(self) -> None:
        from daoqi_tui.ai.player import PlayerError  # noqa: PLC0415
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415
        from daoqi_tui.tui.judging import ESTIMATE_PLAYOUTS, ESTIMATE_SECONDS, estimate_of  # noqa: PLC0415

        game = self.session.game
        node = game.node
        if self.expected is None:
            await asyncio.sleep(_PAUSE)
            position = Position.of(game)
            try:
                found = await self.adviser.estimate(
                    position, playouts=ESTIMATE_PLAYOUTS, seconds=ESTIMATE_SECONDS, net=self.net()
                )
            except PlayerError as error:
                self.say(said(error))
                return
            if game is not self.session.game or node is not game.node:
                return
            self._expected = node, found
            self._estimate = node, estimate_of(game.board, game.komi, found)
        if self.estimating:
            self.show_board()
            self.show_panes()
            self._say_expected()

    def _say_expected(self) -> None:
        from daoqi_tui.tui.judging import expected_words  # noqa: PLC0415

        if self.expected is not None:
            self.say(expected_words(self.expected))

    # Showing

    def show_position(self) -> None:
        """Show the node the game stands on; advice about another one goes."""
        game = self.session.game
        if game.is_over or (self._hint is not None and self._hint.node is not game.node):
            self._end_hint()
        super().show_position()
        if self.estimating:
            self._expect()

    def action_clear(self) -> None:
        """Clear the hint, or else what shows below it."""
        if self._hint is not None or any(worker.group == "hint" and not worker.is_finished for worker in self.workers):
            self._end_hint()
            self.show_board()
            self._show_status()
        else:
            super().action_clear()

    def decorated(self, picture: Picture) -> Picture:
        """Lay the hint over the picture, or mark the stones that are expected to be captured."""
        picture = super().decorated(picture)
        hint = self._hint
        if hint is not None and hint.node is self.session.game.node and self._ladder is None:
            return hint.shown_on(picture, self.cursor_point if self.hovered is None else self.hovered)
        if self.estimating and not self.counting and self.expected is not None:
            from daoqi_tui.tui.judging import dead_in  # noqa: PLC0415

            return picture._replace(dead=picture.dead | dead_in(picture.stones, self.expected))
        return picture
