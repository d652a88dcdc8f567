"""What the reader process finds: ladders, stepped through on the board, and warnings of chains in danger."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import BLACK, WHITE, Colour, Node, opponent
from daoqi_tui.i18n import _, translate
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.background import Wait
from daoqi_tui.play.match import Changed, View
from daoqi_tui.play.reading import Reader, ReadingFailed
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import describe_refusal, with_keys
from daoqi_tui.text import cell_width
from daoqi_tui.tui.host import Feature, Handlers, Host
from daoqi_tui.tui.look import Options

if TYPE_CHECKING:
    from daoqi_tui.play.hints import LadderView

_PAUSE: Final = 0.08
"""Seconds a position must stay before its chains are read, so that a fast replay is not read."""
_BUDGET: Final = 20_000
"""The node budget for the warning of one chain; the user can request a full reading."""


class LadderReading(Feature):
    """A ladder drawn over the board. While it is shown, back and forward step through it instead of the game."""

    place = "line"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._shown: LadderView | None = None
        self._node: Node | None = None
        """The node of the reading that is shown or in progress."""
        self._reader = Reader()
        self.active = False

    def handlers(self) -> Handlers:
        return {"ladder": self.read}

    @property
    def shown(self) -> LadderView | None:
        """The reading of the current position, None if there is none."""
        return self._shown if self._node is self.match.game.node else None

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        self.give_way()

    def show(self, view: View) -> None:
        if self._node not in (None, view.node):
            self.give_way()

    def decorate(self, picture: Picture) -> Picture:
        if self.shown is not None:
            return self.shown.shown_on(picture)
        return picture

    def clear(self) -> bool:
        if self._node is None:
            return False
        self.give_way()
        self.host.show_position()
        return True

    async def close(self) -> None:
        await self._reader.close()

    def give_way(self) -> None:
        """Drop the reading, without redrawing the board."""
        self._shown = self._node = None
        self.active = False
        self.host.cancel("ladder")

    def read(self) -> None:
        """Read the chain under the pointer; if it is shown already, read it again with the other side first.

        Stones of the shown line, which are not in the game, belong to its reading.
        """
        host, view = self.host, self.shown
        point, game = host.cursor.pointed_at, self.match.game
        if view is not None and (
            point in view.ladder.target.stones or (view.stones[point] and not game.board.colours[point])
        ):
            self._begin_reading(view.ladder.target.stones[0], opponent(view.ladder.to_move))
            return
        if refusal := game.board.no_liberties():
            host.refuse(point, describe_refusal(refusal, game.torus, host.options.names))
            return
        if game.chain_at(point) is None:
            name = game.torus.name(point, host.options.names)
            host.refuse(point, _("There is no stone at {point}: point at the chain to read").format(point=name))
            return
        self._begin_reading(point, game.to_move)

    def step(self, moves: int) -> bool:
        if self.shown is None:
            return False
        self._show(self.shown.at(self.shown.step + moves))
        return True

    def go(self, *, end: bool) -> bool:
        if self.shown is None:
            return False
        self._show(self.shown.at(self.shown.ladder.plies if end else 0))
        return True

    def _begin_reading(self, point: int, to_move: Colour) -> None:
        self.host.replace_others(self)
        self.host.run_exclusive(partial(self._read, point, to_move), "ladder")

    async def _read(self, point: int, to_move: Colour) -> None:
        from daoqi_tui.ai import Position  # noqa: PLC0415 (a start reads no ladder)
        from daoqi_tui.play.hints import LadderView  # noqa: PLC0415

        game, node = self.match.game, self.match.game.node
        if game.chain_at(point) is None:
            return  # the game continued before the reading began
        self._shown, self._node, self.active = None, node, True
        self.host.stop_replay()
        self.host.show_board()
        position = Position.of(game)
        try:
            with self.host.waiting(Wait(_("Reading the ladder …"), with_keys(_("{clear} stops")))):
                ladder = await self._reader.ladder(position, game.board, point, to_move)
            if self.match.game is not game or game.node is not node:
                return
            self._show(LadderView.of(game.board, ladder))
            if len(ladder.target.liberties) <= 2:
                points = await self._reader.points(position, point, to_move)
                if self.shown is not None:
                    self._show(replace(self.shown, points=points))
        except ReadingFailed as error:
            # A ladder that is already shown is kept, without its breakers.
            if self._shown is None:
                self._node, self.active = None, False
            self.say(translate(error))

    def _show(self, view: LadderView) -> None:
        self._shown = view
        self.host.show_board()
        text = view.describe(self.match.game.torus, self.host.options.names)
        if view.ladder.line:
            text += f"  ·  {view.step}/{view.ladder.plies}"
            hint = "  ·  " + with_keys(_("{back} {forward} step, {ladder} other side first, {clear} clears"))
            if cell_width(text) + cell_width(hint) + 2 <= self.host.size.width:
                text += hint
        self.say(text)


class Warnings(Feature):
    """Marks chains in atari, and chains that a ladder captures, if enabled in the options."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._in_ladder: tuple[Node, frozenset[int]] | None = None
        self._in_atari: tuple[Node, frozenset[int]] | None = None
        self._reader = Reader()
        self.options_changed(host.options)

    def options_changed(self, before: Options) -> None:  # noqa: ARG002 (the interface)
        self.active = self.host.options.mark_atari or self.host.options.mark_ladders

    def show(self, view: View) -> None:
        node = view.node
        if Changed.POSITION not in view.changed:
            return
        if not self.host.options.mark_ladders or not self.host.may_help:
            return
        if self._in_ladder is None or self._in_ladder[0] is not node:
            self.host.run_exclusive(partial(self._read_threats, node), "warnings")

    async def close(self) -> None:
        await self._reader.close()

    async def _read_threats(self, node: Node) -> None:
        from daoqi_tui.ai import Position  # noqa: PLC0415

        await asyncio.sleep(_PAUSE)
        try:
            stones = await self._reader.threatened(Position.of(self.match.game), _BUDGET)
        except ReadingFailed:
            return
        if self.match.game.node is node:
            self._in_ladder = node, stones
            self.host.show_board()

    def decorate(self, picture: Picture) -> Picture:
        node, options, badges = self.view.node, self.host.options, {}
        in_ladder = self._in_ladder if options.mark_ladders else None
        if in_ladder is not None and in_ladder[0] is node and self.host.may_help:
            badges = dict.fromkeys(in_ladder[1], "ladder")
        if options.mark_atari:
            badges |= dict.fromkeys(self._stones_in_atari(node), "atari")
        return picture._replace(badges=badges) if badges else picture

    def _stones_in_atari(self, node: Node) -> frozenset[int]:
        if self._in_atari is None or self._in_atari[0] is not node:
            board = self.match.game.board
            self._in_atari = (
                node,
                frozenset(
                    stone
                    for colour in (BLACK, WHITE)
                    for chain in board.chains_of(colour)
                    if board.liberties_of(chain).bit_count() == 1
                    for stone in board.stones_of(chain)
                ),
            )
        return self._in_atari[1]
