"""Notes: the marks, letters and comment of a node, and the numbers of the moves."""

from __future__ import annotations

from daoqi_tui.engine import PASS, Node
from daoqi_tui.i18n import _
from daoqi_tui.pictures.picture import SIGNS, Picture, marks_shown
from daoqi_tui.tui.feature import Feature, Handlers
from daoqi_tui.tui.host import Host


class Notes(Feature):
    """Shows the marks and letters of the node, and the numbers of the moves if they are on."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._numbering = False

    def handlers(self) -> Handlers:
        return {
            "comment": self.asking(self.edit_comment),
            "mark": self.mark,
            "letter": self.letter,
            "numbers": self.toggle_numbers,
        }

    def toggle_numbers(self) -> None:
        self._numbering = not self._numbering
        self.host.show_board()

    def decorate(self, picture: Picture) -> Picture:
        """Add the labels; those of the record replace numbers."""
        node = self.view.node
        if not node.properties and not self._numbering:
            return picture
        numbers = move_numbers(node, self.view.stones) if self._numbering else {}
        return picture._replace(labels=numbers | marks_shown(node, self.view.torus.size))

    async def edit_comment(self) -> None:
        from daoqi_tui.record.sgf.markup import comment, set_comment  # noqa: PLC0415
        from daoqi_tui.tui.screens.dialogs import CommentScreen  # noqa: PLC0415 (an editor costs a start 30 ms)

        node = self.match.game.node
        written = await self.host.questions.answer_to(CommentScreen(comment(node)))
        if written is not None and written != comment(node):
            set_comment(node, written)
            self.match.note(node)

    def mark(self) -> None:
        from daoqi_tui.record.sgf.markup import next_mark  # noqa: PLC0415

        game = self.match.game
        kind = next_mark(game.node, self.host.cursor.point, game.torus.size)
        self.match.note(game.node)
        self.say(_("Mark: {mark}").format(mark=SIGNS[kind] if kind else _("none")))

    def letter(self) -> None:
        from daoqi_tui.record.sgf.markup import toggle_letter  # noqa: PLC0415

        game = self.match.game
        written = toggle_letter(game.node, self.host.cursor.point, game.torus.size)
        self.match.note(game.node)
        self.say(_("Letter: {letter}").format(letter=written or _("none")))


def move_numbers(node: Node, stones: bytes) -> dict[int, str]:
    numbers: dict[int, str] = {}
    for step in node.path():
        move = step.move
        if move is not None and move.point != PASS and stones[move.point] == move.colour:
            numbers[move.point] = str(step.number)
    return numbers
