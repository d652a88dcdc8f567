"""Small questions laid over the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from daoqi_tui.i18n import _

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """Something laid over the game; its style sheet is read when the first one opens, not at the start."""

    CSS_PATH = "dialogs.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012 (Textual's form)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 (Textual's form)

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close with a result, if this is on top.

        A key that repeats or a second click may reach a dialog again when it has just closed; Textual would then
        take away whatever is on top, down to the game itself.
        """
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()


class ByMouse(Dialog[Answer]):
    """A dialog that is left by a click outside it, too."""

    def on_click(self, event: events.Click) -> None:
        """Close."""
        if self.get_widget_at(event.screen_x, event.screen_y)[0] is self:
            self.dismiss(None)


class Page(ByMouse[None]):
    """Something to be read; it may fill the window, and is left by a click on the words that name the way out."""

    @staticmethod
    def way_out() -> Content:
        """What stands on the lower edge of its frame."""
        return Content(_("Esc closes")).stylize("@click=screen.close")

    def action_close(self) -> None:
        """Go back to the game."""
        self.dismiss(None)


class Question(Dialog[bool]):
    """A question to be answered yes or no, by key or by mouse."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("y", "answer(True)", show=False),
        Binding("n,escape", "answer(False)", show=False),
        Binding("left,right,up,down,tab", "app.focus_next", show=False),
    ]

    def __init__(self, question: str, yes: str, no: str) -> None:
        super().__init__()
        self._question, self._yes, self._no = question, yes, no

    def compose(self) -> ComposeResult:
        """Lay out the question above its answers."""
        with Vertical(classes="dialog"):
            yield Static(Text(self._question), classes="question")
            with Horizontal(classes="buttons"):
                yield Button(f"{self._yes} (y)", id="yes", variant="primary")
                yield Button(f"{self._no} (n)", id="no")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """Answer by key."""
        self.dismiss(answer)


class Prompt(ByMouse[str | None]):
    """One line of text, at the place of the status line."""

    BINDINGS = [Binding("escape", "cancel", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, label: str, placeholder: str, check: Callable[[str], str | None]) -> None:
        """Ask for a text; ``check`` says what is wrong with one, or None."""
        super().__init__()
        self._label, self._placeholder, self._check = label, placeholder, check

    def compose(self) -> ComposeResult:
        """Lay out the label, the input and room for a complaint."""
        with Vertical(classes="prompt"):
            yield Static("", id="complaint")
            with Horizontal():
                yield Static(Text(self._label), id="label")
                yield Input(placeholder=self._placeholder, compact=True)

    def on_mount(self) -> None:
        """Wait for text."""
        self.query_one("#complaint").display = False
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        complaint = self._check(event.value)
        if complaint is None:
            self.dismiss(event.value)
            return
        static = self.query_one("#complaint", Static)
        static.update(Text(complaint))
        static.display = True
        self.query_one(Input).select_all()

    def action_cancel(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class TooSmall(Dialog[None]):
    """Stands over everything while the window is too small to show a board."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(classes="too-small")
        self._needed = columns, rows

    def compose(self) -> ComposeResult:
        """Say what size is needed."""
        columns, rows = self._needed
        yield Static(
            Text(_("The window is too small: {columns}×{rows} is needed.").format(columns=columns, rows=rows)),
            id="too-small",
        )

    def on_resize(self) -> None:
        """Uncover what lies below once the window is large enough."""
        self._uncover()

    def on_screen_resume(self) -> None:
        """Do so too when the window grew while something else lay over this."""
        self._uncover()

    def _uncover(self) -> None:
        columns, rows = self._needed
        large_enough = self.app.size.width >= columns and self.app.size.height >= rows
        if large_enough:
            self.dismiss()
