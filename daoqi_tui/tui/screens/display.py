"""How the game screen shows what it knows: the board, the panes and the status line."""

from __future__ import annotations

from time import monotonic
from typing import Final

from rich.cells import cell_len
from rich.text import Text
from textual.containers import Container

from daoqi_tui.engine import BLACK, WHITE, Chain, TwoPasses, points_text
from daoqi_tui.i18n import _
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.looks import look_for
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.picture import Ghost, Picture
from daoqi_tui.tui.screens.state import GameState
from daoqi_tui.tui.side_panes import SidePane
from daoqi_tui.tui.tones import tone
from daoqi_tui.tui.viewport import CELLS
from daoqi_tui.tui.widgets.comment import CommentPane
from daoqi_tui.tui.widgets.hints import HintBar, Stage
from daoqi_tui.tui.widgets.panes import AreaPane, CapturesPane, PassesPane, Tally, TurnPane, TurnState
from daoqi_tui.tui.words import chain_words, colour_word, move_words, result_words

_FLASH: Final = 0.5
_LINE_DELAY: Final = 0.12


class GameDisplay(GameState):
    """Hands plain values to the widgets."""

    _cell_liked: int | None = None
    _stood_still = False

    def dress(self, options: Options) -> None:
        """Show the board as the person likes it, from now on."""
        self.options = options
        look = look_for(self.app, options, wide_signs=getattr(self.app, "wide_signs", False))
        self.board.set_look(palette=look.palette, glyphs=look.glyphs, name_style=options.names)
        self.board.set_viewport(self.board.viewport._replace(margin=options.margin))
        if options.cell != self._cell_liked:
            self._cell_liked = options.cell
            self.board.set_cell(next((cell for cell in CELLS if cell.width == options.cell), None))

    def say(self, words: str) -> None:
        """Show a message on the status line until the position changes."""
        if not words.isprintable():
            from daoqi_tui.record.text import plain_line  # noqa: PLC0415 (a name of a file may hold anything)

            words = plain_line(words)
        self._words = words
        self._show_line()

    def _show_line(self) -> None:
        """Write the status line: the message, and at its end what the cursor or the mouse points at."""
        self._line_timer = None
        if self._stands_still():
            return
        status = self._status
        point = self.cursor_point if self.hovered is None else self.hovered
        game = self.session.game
        there = game.torus.name(point, self.options.names)
        chain = game.board.chain_at(point)
        if chain is not None:
            there += f" · {chain_words(chain)}"
        room = status.content_size.width - cell_len(self._words) - cell_len(there)
        text = Text(self._words, no_wrap=True, overflow="ellipsis")
        if room >= 2:
            text.append(" " * room + there, style=tone(self, "muted"))
        status.update(text, layout=False)

    def _stands_still(self) -> bool:
        """Whether a dialog is laid over the game, so that words and progress are written when it goes.

        Any change below it would draw the whole window anew, dimmed: 100 KB each. A clock that runs has to be seen.
        """
        clock = self.session.clock
        if self.is_active or (clock is not None and clock.running is not None):
            return False
        self._stood_still = True
        return True

    def on_screen_resume(self) -> None:
        """Write what stood still."""
        if self._stood_still:
            self._stood_still = False
            self._show_line()
            self._show_turn()

    def _show_line_soon(self) -> None:
        """Write the status line a moment after the pointer moved, not at every step of a pan."""
        if self._line_timer is None:
            self._line_timer = self.set_timer(_LINE_DELAY, self._show_line)

    def refuse(self, point: int | None, words: str) -> None:
        """Say why a play was refused, and flash its point."""
        self.say(words)
        if point is None:
            return
        self._refused = point
        self.show_board()
        if self._flash_timer is not None:
            self._flash_timer.stop()
        self._flash_timer = self.set_timer(_FLASH, self._end_flash)

    def _end_flash(self) -> None:
        self._refused = None
        self.show_board()

    def _show_now(self) -> None:
        self.show_board()
        if self.options.follow and (point := self.last_point) is not None:
            self.board.set_viewport(self.board.viewport.centred_on(*self.session.game.torus.position(point)))
        self.keep_cursor_in_view()
        self.show_panes()
        self._show_status()

    def keep_cursor_in_view(self) -> None:
        """Let the cursor stay where a person can see it, if a board can be seen at all."""
        if self.app.screen.has_class("too-small"):
            return
        viewport, torus = self.board.viewport, self.session.game.torus
        x, y = viewport.place_of(*torus.position(self.cursor_point))
        # Before its first layout the board has no window yet that the cursor could be outside of.
        if self.board.size and not (0 <= x < viewport.width and 0 <= y < viewport.height):
            self.cursor_point = torus.point(*viewport.middle_point())
            self.show_board()

    def show_board(self) -> None:
        """Show the board as it is: stones, marks, and what is pointed at."""
        if self._unkept:
            return
        self._show_line_soon()
        game = self.session.game
        board = game.board
        chain = self._chain_pointed_at()
        ghost = None
        if self.pending is not None:
            ghost = Ghost(self.pending, game.to_move)
        elif self.hovered is not None and not board.colours[self.hovered] and not game.is_over:
            ghost = Ghost(self.hovered, game.to_move)
        self.board.show_picture(
            self.decorated(
                Picture(
                    size=game.torus.size,
                    stones=bytes(board.colours),
                    last=self.last_point,
                    cursor=self.cursor_point,
                    ghost=ghost,
                    chain=frozenset(chain.stones) if chain else frozenset(),
                    liberties=frozenset(chain.liberties) if chain else frozenset(),
                    owners=self.count.owners if self.counting else None,
                    dead=self.dead,
                    refused=self._refused,
                    labels=self._labels(),
                )
            )
        )

    def decorated(self, picture: Picture) -> Picture:
        """Add to the picture what an overlay shows; the classes built on this one have some."""
        return picture

    def _labels(self) -> dict[int, str]:
        """Return the characters to show on points: marks and letters of the record, and move numbers."""
        node = self.session.game.node
        if not node.properties and not self.numbering:
            return {}
        from daoqi_tui.tui.node_marks import marks_shown, move_numbers  # noqa: PLC0415

        numbers = move_numbers(node, bytes(self.session.game.board.colours)) if self.numbering else {}
        return numbers | marks_shown(node, self.session.game.torus.size)

    def _chain_pointed_at(self) -> Chain | None:
        point = self.cursor_point if self.hovered is None else self.hovered
        return self.session.game.board.chain_at(point)

    def show_panes(self) -> None:
        """Write all panes anew."""
        if self._unkept:
            return
        game = self.session.game
        board = game.board
        self._show_turn()
        self.query_one(CapturesPane).show(Tally(*board.captured[1:]), Tally(*board.suicided[1:]))
        self.query_one(PassesPane).show(Tally(*board.passes[1:]))
        self.set_class(self.counting, "-counting")
        if self.counting:
            self.query_one(AreaPane).show(self.count)
        self.query_one(CommentPane).show(self._comment(), titled=self.has_class("-wide"))
        self._feed_side()
        self.query_one(HintBar).show(self._stage())

    def _stage(self) -> Stage:
        if self.session.game.is_over:
            return "counted" if isinstance(self.session.game.ending, TwoPasses) else "given up"
        return "playing" if self.session.start.children else "beginning"

    def _comment(self) -> str:
        node = self.session.game.node
        if not node.properties:
            return ""
        from daoqi_tui.record.markup import comment  # noqa: PLC0415
        from daoqi_tui.record.text import plain  # noqa: PLC0415

        return plain(comment(node))

    def _show_notes(self) -> None:
        self.show_board()
        self.show_panes()

    def _feed_side(self) -> None:
        """Write the pane that shows at the side's lower part."""
        container = self.query_one("#side", Container)
        container.border_title = _(self.side.title) if self.has_class("-wide") else None
        for widget in container.children:
            # One that is being made is fed when it is there.
            if widget.id == self.side.id and widget.is_running:
                self.side.feed(widget, self)

    async def show_side(self, pane: SidePane) -> None:
        """Show another pane at the side's lower part, making it if it has not been looked at yet."""
        container = self.query_one("#side", Container)
        if not container.is_attached:
            return
        self.side = pane
        if not any(widget.id == pane.id for widget in container.children):
            await container.mount(pane.make())
        for widget in container.children:
            widget.display = widget.id == pane.id
        self._feed_side()

    def _show_turn(self) -> None:
        if self._stands_still():
            return
        session, game = self.session, self.session.game
        clock, now = session.clock, monotonic()
        result = game.result
        self.query_one(TurnPane).show(
            TurnState(
                game.to_move,
                game.node.number,
                (session.player(BLACK), session.player(WHITE)),
                (clock.left(BLACK, now), clock.left(WHITE, now)) if clock else None,
                str(result) if result else "",
                _("{size}×{size}, komi {komi}").format(size=game.torus.size, komi=points_text(game.komi)),
            )
        )

    def _show_status(self) -> None:
        game = self.session.game
        result = game.result
        if self.marking_dead:
            self.say(with_keys(_("Choose dead stones; {dead} ends choosing")))
        elif result is not None:
            self.say(result_words(result) + "  ·  " + with_keys(_("{resume} plays on, {new_game} begins a new game")))
        else:
            words = _("{colour} to move").format(colour=colour_word(game.to_move))
            move = game.node.move
            if move is not None:
                words += "  ·  " + _("last: {colour} {move}").format(
                    colour=colour_word(move.colour), move=move_words(game.node, game.torus, self.options.names)
                )
            self.say(words)
