"""Playing: stones, passes, resignation, the count, and the end of the game."""

from __future__ import annotations

from time import monotonic

from textual import work

from daoqi_tui.engine import BLACK, WHITE, IllegalMove, TwoPasses
from daoqi_tui.i18n import _
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.screens.base import GameBase
from daoqi_tui.tui.widgets.board import BoardView
from daoqi_tui.tui.words import margin_words, now_words, refusal_words, sum_words


class PlayActions(GameBase):
    """Actions that change the game."""

    def action_play(self) -> None:
        """Play at the cursor."""
        self.choose(self.cursor_point)

    def on_board_view_point_chosen(self, message: BoardView.PointChosen) -> None:
        """Play where the mouse clicked, at the second click if that was asked for."""
        message.stop()
        self.cursor_point = point = message.point
        game = self.session.game
        if self.options.confirm_click and self.pending != point and game.refusal(point) is None:
            self.pending = point
            self.show_board()
            self.say(_("Click {point} again to play there").format(point=game.torus.name(point, self.options.names)))
        else:
            self.choose(point)
            self.show_board()
        # The view may have followed another move since the click.
        self.keep_cursor_in_view()

    def choose(self, point: int) -> None:
        """Play at a point, or mark its chain dead while dead stones are being chosen."""
        if self.marking_dead:
            self._toggle_dead(point)
            return
        game = self.session.game
        try:
            game.play(point)
        except IllegalMove as error:
            self.refuse(point, refusal_words(error.refusal, game.torus, self.options.names))
            return
        self._moved()

    def _moved(self) -> None:
        """Show a move just made."""
        clock, made_at = self.session.clock, self.session.game.node.parent
        if clock is not None and made_at is self.session.front:
            # A variation from an earlier move earns no time: none was measured for it.
            clock.press(monotonic())
        self.play_goes_on_here()
        self.hovered = None
        self.tree_changed()
        self.show_position()

    @work(exclusive=True, group="question")
    async def action_pass(self) -> None:
        """Pass; ask first when that would end the game."""
        game = self.session.game
        if game.is_over:
            self.say(with_keys(_("The game is over: {resume} plays on, {new_game} begins a new game")))
            return
        node = game.node
        if node.passes_in_row == 1 and not node.resumed and not await self._agreed_to_end():
            return
        if game.node is not node or game.is_over:
            return
        game.pass_turn()
        if game.is_over:
            self.counting = True
        self._moved()
        self.ended()

    async def _agreed_to_end(self) -> bool:
        """Ask whether to end the game with the score it has now, this pass included."""
        game = self.session.game
        game.board.pass_turn()
        area = game.area()
        game.board.undo()
        question = "\n".join(
            (
                _("Passing again ends the game with this count:"),
                "",
                f"● {sum_words(area, BLACK)}",
                f"○ {sum_words(area, WHITE)}",
                margin_words(area),
                "",
                _("(stones + territory − passes; all stones on the board count as alive)"),
            )
        )
        return await self.ask(question, _("Pass and end"), _("Play on"))

    def action_resume(self) -> None:
        """Play on after the end."""
        game = self.session.game
        if not game.is_over:
            self.say(_("The game is not over: play on"))
            return
        self.session.resume()
        self.play_goes_on_here()
        self.marking_dead = self.counting = False
        self.show_position()

    def action_dead(self) -> None:
        """Begin or end choosing dead stones."""
        if not isinstance(self.session.game.ending, TwoPasses):
            self.say(_("Dead stones are agreed on after two passes in a row"))
            return
        self.marking_dead = not self.marking_dead
        self.counting = True
        self.show_position()

    def _toggle_dead(self, point: int) -> None:
        game = self.session.game
        chain = game.chain_at(point)
        if chain is None:
            name = game.torus.name(point, self.options.names)
            self.refuse(point, _("No stone stands on {point}").format(point=name))
            return
        dead = self.dead
        stones = frozenset(chain.stones)
        game.agree_dead(dead - stones if stones <= dead else dead | stones)
        self.show_position()
        self.ended()

    def action_count(self) -> None:
        """Show or hide whose area is whose."""
        self.counting = not self.counting
        self.show_board()
        self.show_panes()
        area = self.count
        if self.counting:
            self.say(_("If the game ended now: {count}").format(count=now_words(area)))
        else:
            self.show_position()

    def action_take_back(self) -> None:
        """Take back the last move, or a resignation."""
        game = self.session.game
        if game.node.ending is not None:
            self.session.resume()
        elif game.node is self.session.start or game.node.parent is None:
            self.say(_("This is the start: there is nothing to take back"))
            return
        else:
            game.undo()
        self.play_goes_on_here()
        self.marking_dead = False
        self.show_position()

    @work(exclusive=True, group="question")
    async def action_type_move(self) -> None:
        """Ask for a move by name and play it."""
        from daoqi_tui.tui.screens.dialogs import Prompt  # noqa: PLC0415 (dialogs cost a start 10 ms)

        torus, style = self.session.game.torus, self.options.names
        example = torus.name(torus.point(torus.size // 2, torus.size // 2), style)
        hint = _("{point}, or pass").format(point=example)
        typed = await self.app.push_screen_wait(Prompt(_("Move: "), hint, self._wrong_with))
        if typed is None:
            return
        if typed.strip().lower() == "pass":
            self.action_pass()
        else:
            self.cursor_point = torus.parse(typed, style)
            self.board.set_viewport(self.board.viewport.showing(*torus.position(self.cursor_point)))
            self.choose(self.cursor_point)

    def _wrong_with(self, typed: str) -> str | None:
        """Say what is wrong with a typed move, None when it can be played."""
        game = self.session.game
        if typed.strip().lower() == "pass":
            return None
        try:
            point = game.torus.parse(typed, self.options.names)
        except ValueError:
            first, last = game.torus.name(game.torus.points - game.torus.size), game.torus.name(game.torus.size - 1)
            if self.options.names != "daoqi":
                first = game.torus.name(game.torus.points - game.torus.size, self.options.names)
                last = game.torus.name(game.torus.size - 1, self.options.names)
            return _("That is not a point: type a name from {first} to {last}, or pass").format(first=first, last=last)
        refusal = game.refusal(point)
        return None if refusal is None else refusal_words(refusal, game.torus, self.options.names)
