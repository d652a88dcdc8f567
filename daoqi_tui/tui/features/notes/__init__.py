"""Notes and editing: the marks, letters, annotations and comment of a node, move numbers, variations, information."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from daoqi_tui.commands.screen import key_of
from daoqi_tui.engine import PASS, Node
from daoqi_tui.i18n import _
from daoqi_tui.pictures.picture import SIGNS, Picture, links_shown, marks_shown
from daoqi_tui.play.editing import Edit, Editor, describe_copied
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import ANNOTATION_LABELS, Unable, annotation_signs, with_keys
from daoqi_tui.tui.host import Feature, Handlers, Host, given

if TYPE_CHECKING:
    from daoqi_tui.record.sgf.markup import LinkKind


class Notes(Feature):
    """Shows the marks and letters of the node, and the numbers of the moves if they are on."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._numbering = False
        self._from: int | None = None
        """The point where an arrow or a line begins that is being drawn."""

    def handlers(self) -> Handlers:
        return {
            "comment": self.asking(self.edit_comment),
            "mark": self.mark,
            "letter": self.letter,
            "numbers": self.toggle_numbers,
            "annotate": self.asking(self.annotate),
            "arrow": partial(self.draw, "arrow"),
            "line": partial(self.draw, "line"),
            "information": self.asking(self.edit_information),
            "delete_variation": partial(self.edit, Editor.delete),
            "cut_variation": partial(self.edit, Editor.cut),
            "copy_variation": self.copy,
            "paste_variation": partial(self.edit, Editor.paste),
            "promote": partial(self.edit, Editor.promote),
            "flatten": partial(self.edit, lambda editor: editor.flatten(self.match.variations.line)),
        }

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        self._from = None

    def clear(self) -> bool:
        drawing, self._from = self._from is not None, None
        if drawing:
            self.host.show_status()
        return drawing

    def toggle_numbers(self) -> None:
        self._numbering = not self._numbering
        self.host.show_board()
        if not self._numbering:
            self.say(_("Move numbers are hidden"))
        # Of a picture this is in pixels, of which all digits are drawn.
        elif self.host.board.viewport.cell.width < 3 and self.view.node.number > 99:
            self.say(with_keys(_("Move numbers are shown, here their last two digits: {zoom_in} makes room for all")))
        else:
            self.say(_("Move numbers are shown"))

    def decorate(self, picture: Picture) -> Picture:
        """Add the labels; those of the record replace numbers."""
        node = self.view.node
        if not node.properties and not self._numbering:
            return picture
        numbers = move_numbers(node, self.view.stones) if self._numbering else {}
        size = self.view.torus.size
        return picture._replace(labels=numbers | marks_shown(node, size), links=links_shown(node, size))

    async def edit_comment(self) -> None:
        from daoqi_tui.record.sgf.markup import comment, set_comment  # noqa: PLC0415
        from daoqi_tui.tui.features.notes.dialogs import CommentScreen  # noqa: PLC0415 (an editor costs a start 30 ms)

        node = self.match.game.node
        written = given(await self.host.questions.answer_to(CommentScreen(comment(node))))
        if written != comment(node):
            self.match.annotate(node, lambda: set_comment(node, written))

    def mark(self) -> None:
        from daoqi_tui.record.sgf.markup import marks, next_mark  # noqa: PLC0415

        node, point, size = self.match.game.node, self.host.cursor.point, self.match.game.torus.size
        self.match.annotate(node, lambda: next_mark(node, point, size))
        kind = marks(node, size).get(point)
        self.say(_("Mark: {mark}").format(mark=SIGNS[kind] if kind else _("none")))

    def letter(self) -> None:
        from daoqi_tui.record.sgf.markup import labels, toggle_letter  # noqa: PLC0415

        node, point, size = self.match.game.node, self.host.cursor.point, self.match.game.torus.size
        self.match.annotate(node, lambda: toggle_letter(node, point, size))
        self.say(_("Letter: {letter}").format(letter=labels(node, size).get(point) or _("none")))

    async def annotate(self) -> None:
        from daoqi_tui.record.sgf.markup import ANNOTATIONS, annotations_of, toggle_annotation  # noqa: PLC0415
        from daoqi_tui.tui.screens import Picker  # noqa: PLC0415

        node = self.match.game.node
        kinds, there = list(ANNOTATIONS), annotations_of(node)
        rows = [
            f"[{'x' if kind in there else ' '}] {ANNOTATIONS[kind][2]:2} {_(ANNOTATION_LABELS[kind])}" for kind in kinds
        ]
        question = _("Which annotation? The same again removes it.")
        picker = Picker(_("Annotate"), question, rows, choose=_("Choose (Enter)"), leave=_("Go back (Esc)"))
        kind = kinds[given(await self.host.questions.answer_to(picker))]
        self.match.annotate(node, lambda: toggle_annotation(node, kind))
        self.say(annotation_signs(node) or _("No annotation"))

    def draw(self, kind: LinkKind) -> None:
        """Begin an arrow or a line at the cursor, or end it there."""
        from daoqi_tui.record.sgf.markup import Link, toggle_link  # noqa: PLC0415

        node, point, torus = self.match.game.node, self.host.cursor.point, self.match.game.torus
        start, self._from = self._from, None
        if start is None:
            self._from = point
            text = _("From {point}: move the cursor to the end and press {key} again; {clear} stops")
            self.say(with_keys(text, point=torus.name(point, self.host.options.names), key=key_of(kind)))
        elif start == point:
            self.host.show_status()
        else:
            self.match.annotate(node, lambda: toggle_link(node, Link(kind, start, point), torus.size))
            self.host.show_status()

    # The record

    def edit(self, operation: Callable[[Editor], Edit]) -> None:
        self.host.stop_replay()
        self.say(with_keys(_("{done}; {undo} undoes it"), done=self.match.edit(operation).describe()))

    def copy(self) -> None:
        self.say(describe_copied(self.match.editor.copy()))

    async def edit_information(self) -> None:
        from daoqi_tui.tui.features.notes.dialogs import InformationScreen  # noqa: PLC0415 (a form costs a start 30 ms)

        if self.match.refuses_edits:
            raise Unable(self.match.refuses_edits)
        session = self.match.session
        told = given(await self.host.questions.answer_to(InformationScreen(session)))
        if session is self.match.session:
            self.edit(lambda editor: editor.describe(*told))


def move_numbers(node: Node, stones: bytes) -> dict[int, str]:
    numbers: dict[int, str] = {}
    for step in node.path():
        move = step.move
        if move is not None and move.point != PASS and stones[move.point] == move.colour:
            numbers[move.point] = str(step.number)
    return numbers
