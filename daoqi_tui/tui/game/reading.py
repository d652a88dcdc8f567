"""Overlays with results of the reader process: ladders, warnings of chains in danger, and opening statistics."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import Colour, Node, opponent
from daoqi_tui.i18n import _, language, words_of
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.reading import Reader, ReadingFailed
from daoqi_tui.play.session import Session
from daoqi_tui.play.words import with_keys
from daoqi_tui.text import cell_width
from daoqi_tui.tui.game.overlay import Overlay

if TYPE_CHECKING:
    from daoqi_tui.analysis.opening_index import OpeningIndex
    from daoqi_tui.play.ladder_view import LadderView
    from daoqi_tui.play.openings import OpeningView
    from daoqi_tui.tui.board.viewport import Viewport
    from daoqi_tui.tui.game.screen import GameScreen

_PAUSE: Final = 0.08
"""Seconds a position must stay before its chains are read, so that a fast replay is not read."""
_BUDGET: Final = 20_000
"""The node budget for the warning of one chain; the user can request a full reading."""


class LadderReading(Overlay):
    """A ladder drawn over the board. While it is shown, back and forward step through it instead of the game."""

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self._view: LadderView | None = None
        self._node: Node | None = None
        """The node of the reading that is shown or in progress."""
        self._reader = Reader()

    @property
    def view(self) -> LadderView | None:
        """The reading of the current position, None if there is none."""
        return self._view if self._node is self._screen.session.game.node else None

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Drop the reading."""
        self.end()

    def moved(self, node: Node) -> None:
        """Drop a reading of another position."""
        if self._node not in (None, node):
            self.end()

    def decorate(self, picture: Picture) -> Picture:
        """Show the ladder in place of the game."""
        if self.view is not None:
            return self.view.shown_on(picture)
        return picture

    def clear(self) -> bool:
        """Remove the ladder shown, or stop the reading."""
        if self._node is None:
            return False
        self.end()
        self._screen.show_position()
        return True

    async def close(self) -> None:
        """Stop the reader process."""
        await self._reader.close()

    def end(self) -> None:
        """Drop the reading, without redrawing the board."""
        self._view = self._node = None
        self._screen.workers.cancel_group(self._screen, "ladder")

    def read(self) -> None:
        """Read the chain under the pointer; if it is shown already, read it again with the other side first.

        Stones of the shown line, which are not in the game, belong to its reading.
        """
        screen, view = self._screen, self.view
        point, game = screen.cursor.pointed_at, screen.session.game
        if view is not None and (
            point in view.ladder.target.stones or (view.stones[point] and not game.board.colours[point])
        ):
            self._begin_reading(view.ladder.target.stones[0], opponent(view.ladder.to_move))
            return
        if game.chain_at(point) is None:
            name = game.torus.name(point, screen.options.names)
            screen.refuse(point, _("There is no stone at {point}: point at the chain to read").format(point=name))
            return
        self._begin_reading(point, game.to_move)

    def step(self, moves: int) -> bool:
        """Step the shown ladder forward, or back if negative; return whether one is shown."""
        if self.view is None:
            return False
        self._show(self.view.at(self.view.step + moves))
        return True

    def go(self, *, end: bool) -> bool:
        """Go to the start or the end of the shown ladder; return whether one is shown."""
        if self.view is None:
            return False
        self._show(self.view.at(self.view.ladder.plies if end else 0))
        return True

    def _begin_reading(self, point: int, to_move: Colour) -> None:
        self._screen.analysis.end()
        self._screen.run_exclusive(partial(self._read, point, to_move), "ladder")

    async def _read(self, point: int, to_move: Colour) -> None:
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415 (a start reads no ladder)
        from daoqi_tui.play.ladder_view import LadderView  # noqa: PLC0415

        screen = self._screen
        game, node = screen.session.game, screen.session.game.node
        if game.chain_at(point) is None:
            return  # the game continued before the reading began
        self._view, self._node = None, node
        screen.replay.stop()
        screen.show_board()
        screen.say(with_keys(_("Reading the ladder … {clear} stops")))
        position = Position.of(game)
        try:
            ladder = await self._reader.ladder(position, game.board, point, to_move)
            if screen.session.game is not game or game.node is not node:
                return
            self._show(LadderView.of(game.board, ladder))
            if len(ladder.target.liberties) <= 2:
                points = await self._reader.points(position, point, to_move)
                if self.view is not None:
                    self._show(replace(self.view, points=points))
        except ReadingFailed as error:
            # A ladder that is already shown is kept, without its breakers.
            if self._view is None:
                self._node = None
            screen.say(words_of(error))

    def _show(self, view: LadderView) -> None:
        screen = self._screen
        self._view = view
        screen.show_board()
        words = view.words(screen.session.game.torus, screen.options.names)
        if view.ladder.line:
            words += f"  ·  {view.step}/{view.ladder.plies}"
            hint = "  ·  " + with_keys(_("{back} {forward} step, {ladder} other side first, {clear} clears"))
            if cell_width(words) + cell_width(hint) + 2 <= screen.size.width:
                words += hint
        screen.say(words)


class Warnings(Overlay):
    """Marks chains in atari, and chains that a ladder captures, if enabled in the options."""

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self._in_ladder: tuple[Node, frozenset[int]] | None = None
        self._in_atari: tuple[Node, frozenset[int]] | None = None
        self._reader = Reader()

    def moved(self, node: Node) -> None:
        """Read ladders at another node."""
        if self._marks_ladders and (self._in_ladder is None or self._in_ladder[0] is not node):
            self._screen.run_exclusive(partial(self._read_threats, node), "warnings")

    async def close(self) -> None:
        """Stop the reader process."""
        await self._reader.close()

    @property
    def _marks_ladders(self) -> bool:
        return self._screen.options.mark_ladders and self._screen.may_help

    async def _read_threats(self, node: Node) -> None:
        """Find the chains that a ladder captures now, and mark them."""
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415

        await asyncio.sleep(_PAUSE)
        try:
            stones = await self._reader.threatened(Position.of(self._screen.session.game), _BUDGET)
        except ReadingFailed:
            return
        if self._screen.session.game.node is node:
            self._in_ladder = node, stones
            self._screen.show_board()

    def decorate(self, picture: Picture) -> Picture:
        """Mark the stones of chains in danger."""
        node, options, badges = self._screen.session.game.node, self._screen.options, {}
        if self._marks_ladders and self._in_ladder is not None and self._in_ladder[0] is node:
            badges = dict.fromkeys(self._in_ladder[1], "ladder")
        if options.mark_atari:
            badges |= dict.fromkeys(self._stones_in_atari(node), "atari")
        return picture._replace(badges=badges) if badges else picture

    def _stones_in_atari(self, node: Node) -> frozenset[int]:
        if self._in_atari is None or self._in_atari[0] is not node:
            board = self._screen.session.game.board
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


_PANE: Final = "opening"
"""The pane of openings."""


class OpeningCounts(Overlay):
    """Shows how often each next move was played, while the pane of openings is shown. Imports numpy on first use."""

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self._view: tuple[Node, OpeningView] | None = None
        self._index: OpeningIndex | None = None
        self._index_asked_for = False
        self._turned: tuple[Viewport, Viewport] | None = None
        """The view before and after it was turned to the standard form."""

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Forget the turned view of the previous game."""
        self._turned = None

    async def close(self) -> None:
        """Close the index of openings."""
        if self._index is not None:
            self._index.close()

    def decorate(self, picture: Picture) -> Picture:
        """Add the counts where no other label is."""
        screen = self._screen
        if screen.may_help and screen.panes.side.id == _PANE and (counts := self.view.counts()):
            return picture._replace(labels=counts | dict(picture.labels))
        return picture

    @property
    def view(self) -> OpeningView:
        """The data on the opening of the current position."""
        game = self._screen.session.game
        if self._view is None or self._view[0] is not game.node:
            from daoqi_tui.play.openings import library_index, opening_view  # noqa: PLC0415 (numpy costs 100 ms)

            if not self._index_asked_for:
                self._index_asked_for = True
                self._index = library_index()
                if self._index is not None:
                    self._screen.run_exclusive(self._update_index, "index")
            self._view = game.node, opening_view(game, self._index)
        return self._view[1]

    @property
    def index(self) -> OpeningIndex | None:
        """The index of the library's openings, as far as read; None without one."""
        return self._index

    async def _update_index(self) -> None:
        """Read the new games in the library, in a child process, and show the result."""
        from daoqi_tui.record.files import library_folder  # noqa: PLC0415

        reader = Reader()
        try:
            await reader.update_index(library_folder())
        except ReadingFailed:
            return
        finally:
            await reader.close()
        self._view = None
        self._screen.show_board()
        self._screen.panes.feed_side()

    def turn_back(self) -> bool:
        """Restore the view from before it was turned to the standard form; return whether it showed that."""
        turned, self._turned = self._turned, None
        viewport = self._screen.board.viewport
        if turned is None or viewport.orientation != turned[1].orientation:
            return False
        if viewport == viewport.at_origin() != turned[1]:
            return False  # it was reset meanwhile
        before = turned[0]
        back = viewport._replace(x=before.x, y=before.y, orientation=before.orientation)
        if (before.cell, before.width, before.height) != (viewport.cell, viewport.width, viewport.height):
            back = back.centred_on(*before.middle_point())
        self._screen.cursor.look(back)
        return True

    def turn_to_standard(self) -> None:
        """Turn and pan the view to the standard form of the opening."""
        screen, opening = self._screen, self.view.opening
        if not opening.moves:
            screen.say(_("There is no standard form before the first stone"))
            return
        from daoqi_tui.tui.board.viewport import Orientation  # noqa: PLC0415

        symmetry = opening.symmetry
        corner = screen.session.game.torus.position(symmetry.inverse.point(0))
        orientation = Orientation(symmetry.transposed, symmetry.turns)
        before = screen.board.viewport
        screen.board.set_viewport(before.turned_to(orientation, *corner))
        self._turned = before, screen.board.viewport
        screen.cursor.keep_in_view()
        screen.show_board()
        kind = opening.kind
        name = f"  ·  {kind.name.in_language(language())}" if kind else ""
        screen.say(_("Standard form: Black at the top left") + name + "  ·  " + with_keys(_("{standard} turns back")))
