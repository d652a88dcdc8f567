"""Ladders on the board: reading one, playing it forward and back, and warning of chains in danger."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from textual import work

from daoqi_tui.engine import Colour, Node, opponent
from daoqi_tui.i18n import _
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.reading import Reader, ReadingFailed
from daoqi_tui.tui.screens.replay_actions import ReplayActions

if TYPE_CHECKING:
    from daoqi_tui.tui.ladder_view import LadderView

_PAUSE: Final = 0.08
"""Seconds a position must stay before its chains are read: nobody looks at warnings while a game runs past."""
_BUDGET: Final = 20_000
"""Moves tried for the warning of one chain; a person who wants to know more asks about it."""


class LadderActions(ReplayActions):
    """Actions that read ladders. While one shows, going back and on plays it instead of the game."""

    _ladder: LadderView | None = None
    _ladder_node: Node | None = None
    """The node the reading shown, or under way, is about."""
    _warned: tuple[Node, frozenset[int]] | None = None
    _in_atari: tuple[Node, frozenset[int]] | None = None

    @cached_property
    def _reader(self) -> Reader:
        return Reader()

    @cached_property
    def _warner(self) -> Reader:
        return Reader()

    async def on_unmount(self) -> None:
        """End what still reads."""
        self.workers.cancel_node(self)
        await self._reader.close()
        await self._warner.close()

    def action_ladder(self) -> None:
        """Read the chain pointed at; once it shows, read it again with the other side first."""
        point = self.cursor_point if self.hovered is None else self.hovered
        game, ladder = self.session.game, self._ladder
        if ladder is not None and (point in ladder.ladder.target.stones or ladder.stones[point]):
            self._read_ladder(ladder.ladder.target.stones[0], opponent(ladder.ladder.to_move))
            return
        if game.chain_at(point) is None:
            name = game.torus.name(point, self.options.names)
            self.refuse(point, _("No stone stands on {point}: point at the chain to read").format(point=name))
            return
        self._read_ladder(point, game.to_move)

    @work(exclusive=True, group="ladder")
    async def _read_ladder(self, point: int, to_move: Colour) -> None:
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415 (a start reads no ladder)
        from daoqi_tui.tui.ladder_view import LadderView  # noqa: PLC0415

        game, node = self.session.game, self.session.game.node
        if game.chain_at(point) is None:
            return  # the game went on before the reading began
        self._ladder, self._ladder_node = None, node
        self._stop_replay()
        self.show_board()
        self.say(with_keys(_("Reading the ladder … {clear} stops")))
        position = Position.of(game)
        try:
            ladder = await self._reader.ladder(position, game.board, point, to_move)
            if self.session.game is not game or game.node is not node:
                return
            self._show_ladder(LadderView.of(game.board, ladder))
            if len(ladder.target.liberties) <= 2:
                points = await self._reader.points(position, point, to_move)
                if self._ladder is not None:
                    self._show_ladder(replace(self._ladder, points=points))
        except ReadingFailed as error:
            self._ladder_node = None
            self.say(_(str(error)))

    def _show_ladder(self, ladder: LadderView) -> None:
        self._ladder = ladder
        self.show_board()
        words = ladder.words(self.session.game.torus, self.options.names)
        if ladder.ladder.line:
            words += f"  ·  {ladder.step}/{ladder.ladder.plies}"
            hint = "  ·  " + with_keys(_("{back} {forward} play it, {ladder} other side, {clear} clears"))
            if len(words) + len(hint) + 2 <= self.size.width:
                words += hint
        self.say(words)

    def action_clear(self) -> None:
        """Clear the ladder shown, or stop the reading."""
        if self._ladder_node is not None:
            self._end_ladder()
            self.show_position()

    def _end_ladder(self) -> None:
        self._ladder = self._ladder_node = None
        self.workers.cancel_group(self, "ladder")

    # Playing it

    def action_back(self, moves: int = 1) -> None:
        """Go back some moves, of the ladder while one shows."""
        if self._ladder is None:
            super().action_back(moves)
        else:
            self._show_ladder(self._ladder.at(self._ladder.step - moves))

    def action_forward(self, moves: int = 1) -> None:
        """Go on some moves, of the ladder while one shows."""
        if self._ladder is None:
            super().action_forward(moves)
        else:
            self._show_ladder(self._ladder.at(self._ladder.step + moves))

    def action_start(self) -> None:
        """Go to the start, of the ladder while one shows."""
        if self._ladder is None:
            super().action_start()
        else:
            self._show_ladder(self._ladder.at(0))

    def action_end(self) -> None:
        """Go to the end, of the ladder while one shows."""
        if self._ladder is None:
            super().action_end()
        else:
            self._show_ladder(self._ladder.at(self._ladder.ladder.plies))

    # Showing

    def _show_now(self) -> None:
        """Show the node the game stands on; a ladder read elsewhere goes."""
        node = self.session.game.node
        if self._ladder_node not in (None, node):
            self._end_ladder()
        if self.options.mark_ladders and (self._warned is None or self._warned[0] is not node):
            self._warn(node)
        super()._show_now()

    @work(exclusive=True, group="warnings")
    async def _warn(self, node: Node) -> None:
        """Find the chains that a ladder captures now, and mark them."""
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415

        await asyncio.sleep(_PAUSE)
        try:
            stones = await self._warner.threatened(Position.of(self.session.game), _BUDGET)
        except ReadingFailed:
            return
        if self.session.game.node is node:
            self._warned = node, stones
            self.show_board()

    def decorated(self, picture: Picture) -> Picture:
        """Lay the ladder over the picture, or the warnings."""
        picture = super().decorated(picture)
        if self._ladder is not None and self._ladder_node is self.session.game.node:
            return self._ladder.shown_on(picture)
        node, badges = self.session.game.node, {}
        if self.options.mark_ladders and self._warned is not None and self._warned[0] is node:
            badges = dict.fromkeys(self._warned[1], "ladder")
        if self.options.mark_atari:
            badges |= dict.fromkeys(self._stones_in_atari(), "atari")
        return picture._replace(badges=badges) if badges else picture

    def _stones_in_atari(self) -> frozenset[int]:
        node, board = self.session.game.node, self.session.game.board
        if self._in_atari is None or self._in_atari[0] is not node:
            left = board.torus.full & ~board.empty
            stones: set[int] = set()
            while left:
                chain = board.chain_at(left.bit_length() - 1)
                assert chain is not None
                left &= ~board.torus.mask(chain.stones)
                if len(chain.liberties) == 1:
                    stones.update(chain.stones)
            self._in_atari = node, frozenset(stones)
        return self._in_atari[1]
