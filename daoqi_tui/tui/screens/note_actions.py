"""What a person writes on a game: comments, marks, letters, and the numbers of the moves."""

from __future__ import annotations

from textual import work

from daoqi_tui.i18n import _
from daoqi_tui.tui.screens.base import GameBase


class NoteActions(GameBase):
    """Actions that write on the node the game stands on, or show what is written."""

    @work(exclusive=True, group="question")
    async def action_comment(self) -> None:
        """Write or change the comment on this move."""
        from daoqi_tui.record.markup import comment, set_comment  # noqa: PLC0415
        from daoqi_tui.tui.screens.comment import CommentScreen  # noqa: PLC0415 (an editor costs a start 30 ms)

        node = self.session.game.node
        written = await self.app.push_screen_wait(CommentScreen(comment(node)))
        if written is not None and written != comment(node):
            set_comment(node, written)
            self.noted(node)

    def action_mark(self) -> None:
        """Put the next kind of mark on the point under the cursor."""
        from daoqi_tui.tui.node_marks import SIGNS, next_mark  # noqa: PLC0415

        node = self.session.game.node
        mark = next_mark(node, self.cursor_point, self.session.game.torus.size)
        self.noted(node)
        self.say(_("Mark: {mark}").format(mark=SIGNS[mark] if mark else _("none")))

    def action_letter(self) -> None:
        """Put the next letter on the point under the cursor, or take it away."""
        from daoqi_tui.tui.node_marks import toggle_letter  # noqa: PLC0415

        node = self.session.game.node
        letter = toggle_letter(node, self.cursor_point, self.session.game.torus.size)
        self.noted(node)
        self.say(_("Letter: {letter}").format(letter=letter or _("none")))

    def action_numbers(self) -> None:
        """Show or hide the numbers of the moves."""
        self.numbering = not self.numbering
        self.show_board()
