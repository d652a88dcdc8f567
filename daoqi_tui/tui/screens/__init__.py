"""The screens over the game: dialogs, lists and pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from rich.cells import cell_len
from rich.text import Text
from textual import events, on, widgets, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Offset, Size
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.types import OptionListContent
from textual.widget import Widget
from textual.widgets import Button, Input, Static
from textual.widgets.option_list import Option

from daoqi_tui.i18n import SentenceError, _, name_in_language, translate
from daoqi_tui.message import Message, first_of
from daoqi_tui.play.wording import brief_result
from daoqi_tui.text import plain_line
from daoqi_tui.tui.access import LocalAccess
from daoqi_tui.tui.fitting import FittedScreen, fit_soon, window_classes
from daoqi_tui.tui.look import Paragraph

if TYPE_CHECKING:
    from daoqi_tui.gtp.player import EnginePlayer
    from daoqi_tui.record.journal import UnfinishedGame
    from daoqi_tui.record.sgf.info import Info


DialogResult = TypeVar("DialogResult")
Value = TypeVar("Value")
_MOST_LISTED: Final = 20
_READING: Final = 30
"""Seconds for which the repairs of a record are listed; a click closes the list."""
FRAME_ENDS: Final = 6
"""The columns of a dialog's frame that text cannot use: three at each end."""
_BUTTON: Final = 8
"""The minimum width of a button, as in the style sheet."""


def labelled(label: str, key: str) -> str:
    """Return the label of a button with its key: ``Quit (y)``."""
    return _("{label} ({key})").format(label=label, key=key)


class Dialog(ModalScreen[DialogResult], FittedScreen[DialogResult]):
    """A screen over the game; its style sheet is read when the first one opens, not at the start."""

    # The app's bindings do not reach modal screens.
    BINDINGS = [Binding("ctrl+c,ctrl+q", "app.help_quit", show=False)]  # noqa: RUF012 (Textual's form)
    CSS_PATH = Path(__file__).with_name("dialogs.tcss")  # Textual resolves relative paths from the subclass's file.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012 (Textual's form)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 (Textual's form)

    def __init__(self) -> None:
        super().__init__(classes=window_classes(type(self), self.app.size))

    @on(Button.Pressed, "#cancel, #leave")
    def _close_pressed(self) -> None:
        self.action_close()

    @on(Button.Pressed, "#choose")
    def action_choose(self) -> None:
        """Choose the highlighted row of the list."""
        self.query_one(OptionList).action_select()

    def complain(self, text: str) -> None:
        """Show an error, or another message, on the line for it."""
        # There is none once the dialog has been left.
        for line in self.query("#complaint").results(Static):
            line.update(Paragraph(Text(text)))

    def is_outside(self, event: events.Click) -> bool:
        """Return whether a click is outside the dialog; one from an earlier, larger window is not."""
        return widget_at(self, event.screen_offset) is self


def widget_at(screen: Screen[Any], at: Offset) -> Widget | None:
    """Return the widget at a place; None where there is none, as before a resized window is laid out anew."""
    try:
        return screen.get_widget_at(*at)[0]
    except NoWidget:
        return None


class DismissibleDialog(Dialog[DialogResult]):
    """A dialog that a click outside it closes, too."""

    def on_click(self, event: events.Click) -> None:
        if self.is_outside(event):
            self.action_close()


def list_repairs(app: App[Any], repairs: Sequence[Message], more: int = 0) -> None:
    """List what was wrong with a record beside the screen, of many problems the first; ``more`` have no sentence."""
    listed = first_of(repairs, more, _MOST_LISTED)
    app.notify("\n".join(map(translate, listed)), timeout=_READING, markup=False)


class TextPage(DismissibleDialog[None]):
    """A page of text, which may fill the window; a click on its closing hint closes it, too.

    Args:
        title: the title on the frame.
        content: the text.
        as_wide: whether the page is as wide as the text.
    """

    BINDINGS = [Binding("escape,q,enter", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, title: str, content: str | Text, *, as_wide: bool = False) -> None:
        super().__init__()
        self._title = title
        self._content = Text(content) if isinstance(content, str) else content
        self._as_wide = as_wide

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog drawn" if self._as_wide else "dialog", id="help") as page:
            page.border_title = self._title
            page.border_subtitle = closing_hint()
            yield Static(self._content if self._content.no_wrap else Paragraph(self._content))


def closing_hint() -> Content:
    return Content(_("Esc closes")).stylize("@click=screen.close")


def buttons(*labels: tuple[str, str], classes: str = "") -> Horizontal:
    """Return a row of buttons, by their identifiers and labels; the first one is the usual choice."""
    row = [
        Button(label, id=name, variant="default" if place else "primary") for place, (name, label) in enumerate(labels)
    ]
    return Horizontal(*row, classes=f"buttons {classes}")


class ChoiceDialog(Dialog[DialogResult]):
    """A question with its answers below, chosen by key or by mouse; Enter takes the first.

    Args:
        question: the question, or a function that returns it as it is now, for one that may change while it is open;
            empty if there is nothing to ask any more, which closes the dialog as Esc does.
        answers: the key, the label and the value of each answer.
        left: the value for Esc.
    """

    # At 78 columns the frame has room for the widest questions.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-middling"), (78, "-wide")]  # noqa: RUF012 (Textual's form)
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "close", show=False),
        Binding("left,right,tab", "app.focus_next", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
    ]

    def __init__(
        self,
        question: str | Callable[[], str],
        answers: Sequence[tuple[str, str, DialogResult]],
        *,
        left: DialogResult,
    ) -> None:
        super().__init__()
        self._now = None if isinstance(question, str) else question
        self._question = question if isinstance(question, str) else question()
        self._answers, self._left = answers, left
        for place, (key, _label, _value) in enumerate(answers):
            # ``bind`` would add to lists that all dialogs share.
            self._bindings.key_to_bindings[key] = [Binding(key, f"answer({place})", show=False)]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog asking"):
            with VerticalScroll(can_focus=False):
                yield Static(Paragraph(Text(self._question), self), classes="question")
            labels = [
                (f"answer-{key}", labelled(label, "Esc" if key == "escape" else key))
                for key, label, _value in self._answers
            ]
            yield buttons(*labels)

    def fit(self) -> None:
        """Put the answers into two columns where they do not fit side by side."""
        width = sum(max(_BUTTON, cell_len(str(button.label)) + 2) + 1 for button in self.query(Button))
        self.query_one(".asking").set_class(width + 1 > self.app.size.width - FRAME_ENDS, "-crowded")

    def renew(self) -> None:
        """Show the question as it is now, or close without an answer if there is nothing to ask any more."""
        if self._now is None or (question := self._now()) == self._question:
            return
        self._question = question
        if not question:
            self.dismiss(self._left)
        for shown in self.query(".question").results(Static):
            shown.update(Paragraph(Text(question), self))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.action_answer([*self.query(Button)].index(event.button))

    def action_answer(self, place: int) -> None:
        self.dismiss(self._answers[place][2])

    def action_move(self, lines: int) -> None:
        """Scroll a question that does not fit; otherwise move the focus to the next answer."""
        page = self.query_one(VerticalScroll)
        if page.max_scroll_y:
            page.scroll_relative(y=lines, animate=False, immediate=True)
        else:
            self.app.action_focus_next()

    def action_close(self) -> None:
        """Close with the value for Esc."""
        self.dismiss(self._left)


class Question(ChoiceDialog[bool]):
    """A yes-or-no question; Esc means no."""

    def __init__(self, question: str | Callable[[], str], yes: str, no: str) -> None:
        super().__init__(question, (("y", yes, True), ("n", no, False)), left=False)


class SideQuestion(ChoiceDialog[bool]):
    """A question next to the board, which stays visible."""

    CSS = """
    SideQuestion {
        align: right bottom;
        background: transparent;
        & > .dialog { width: 54; max-width: 100%; padding: 0 1; }
        .asking VerticalScroll, .question { width: 100%; max-width: 100%; }
    }
    """


class Prompt(DismissibleDialog[Value | None]):
    """A prompt for one line of text, in place of the status line; the result is what the text means."""

    BINDINGS = [Binding("escape", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(
        self,
        label: str,
        placeholder: str,
        read: Callable[[str], Value | Awaitable[Value]],
        note: str = "",
        *,
        typed: str = "",
    ) -> None:
        """Ask for a text.

        Args:
            label: the label before the field.
            placeholder: the placeholder of the field.
            read: returns what a text means; raises ValueError or SentenceError where it means nothing.
            note: a text above the field.
            typed: what the field contains at first, as typed before.
        """
        super().__init__()
        self._label, self._placeholder, self._read, self._note = label, placeholder, read, note
        self._typed = typed

    def compose(self) -> ComposeResult:
        with Vertical(classes="prompt"):
            if self._note:
                yield Static(Paragraph(Text(self._note)), id="note")
            yield Static("", id="complaint")
            with Horizontal():
                yield Static(Text(self._label), id="label")
                yield Input(self._typed, self._placeholder, compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        self.query_one("#complaint").display = False
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        try:
            answer = self._read(event.value)
        except (ValueError, SentenceError) as error:
            self._refuse(error)
        else:
            if isinstance(answer, Awaitable):
                self._answer_when_read(answer)
            else:
                self.dismiss(answer)

    @work
    async def _answer_when_read(self, answer: Awaitable[Value]) -> None:
        try:
            self.dismiss(await answer)
        except (ValueError, SentenceError) as error:
            self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        self.complain(translate(error))
        self.query_one("#complaint").display = True
        self.query_one(Input).select_all()


class PathPrompt(Prompt[Value]):
    """A prompt for a path on this computer, which needs local access: a browser has none."""

    def __init__(
        self,
        access: LocalAccess,  # noqa: ARG002 (proof of the permission to ask)
        label: str,
        placeholder: str,
        read: Callable[[str], Value | Awaitable[Value]],
        note: str = "",
        *,
        typed: str = "",
    ) -> None:
        super().__init__(label, placeholder, read, note, typed=typed)


class TooSmall(Dialog[None]):
    """A screen that covers everything while the window is too small to show a board."""

    BINDINGS = [Binding("ctrl+c,ctrl+q", "quit", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, columns: int, rows: int, at_risk: Callable[[], bool]) -> None:
        super().__init__()
        self.add_class("too-small")
        self._needed = columns, rows
        self._at_risk = at_risk

    def compose(self) -> ComposeResult:
        columns, rows = self._needed
        text = _("The window is too small: {columns}×{rows} is needed. Ctrl+q quits.")
        yield Static(Paragraph(Text(text.format(columns=columns, rows=rows))), id="too-small")

    def action_quit(self) -> None:
        if self._at_risk():
            self.query_one(Static).update(Paragraph(Text(_("The moves are not saved: enlarge the window to quit."))))
        else:
            self.app.exit()

    def on_screen_resume(self) -> None:
        fit_soon(self)


def ask_to_leave(screen: Screen[Any], question: str) -> None:
    """Close a screen without a result if the user agrees to lose what is not saved."""

    def leave(agreed: bool | None) -> None:
        if agreed:
            screen.dismiss(None)

    screen.app.push_screen(Question(question, _("Leave"), _("Go back")), leave)


class EngineLog(DismissibleDialog[None]):
    """What is said between the program and each engine, and a line for a command of the user's.

    Args:
        engines: the engines.
    """

    AUTO_FOCUS = "#help"
    BINDINGS = [Binding("escape,q,E", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, engines: Sequence[EnginePlayer]) -> None:
        super().__init__()
        self._engines = engines
        self._shown: list[tuple[str, ...]] = []

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog", id="help") as page:
            page.border_title = _("Engine log")
            page.border_subtitle = closing_hint()
            for player in self._engines:
                yield Static(Text(player.engine.name, style="bold"))
                yield Static(classes="said")
                yield Input(placeholder=_("GTP command (Tab, then Enter)"), compact=True)

    def on_mount(self) -> None:
        self._show()
        self.set_interval(_LOOK_AGAIN, self._show)

    def _show(self) -> None:
        said = [player.engine.dialogue for player in self._engines]
        if said != self._shown:
            self._shown = said
            for lines, shown in zip(said, self.query(".said").results(Static), strict=True):
                shown.update(Text("\n".join(lines) if lines else _("The log is empty.")))
            self.query_one("#help", VerticalScroll).scroll_end(animate=False)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        command = plain_line(event.value).strip()
        if command:
            event.input.clear()
            self.run_worker(self._send(self._engines[list(self.query(Input)).index(event.input)], command))

    async def _send(self, player: EnginePlayer, command: str) -> None:
        problem = await player.send_command(command)
        if self.is_mounted:
            self._show()
            if problem is not None:
                self.notify(translate(problem), severity="error")


_LOOK_AGAIN: Final = 0.3
"""Seconds between two looks at what the engines have said."""
_EDITION: Final = "edition"
"""The key in the style's metadata for the version of the list."""


class OptionList(widgets.OptionList):
    """A list of options that may be replaced while it is shown.

    Textual 8.2 reads the index of an option from the style under the mouse when the button is released, and looks the
    option up when the click is handled. A click is ignored here if the options were replaced in between.
    """

    _edition = 0
    """The number of times that options were removed."""

    def clear_options(self) -> Self:
        self._edition += 1
        return super().clear_options()

    def set_options(self, options: Iterable[OptionListContent]) -> Self:
        self._edition += 1
        return super().set_options(options)

    def _pre_remove_option(self, option: Option, index: int) -> None:
        self._edition += 1
        super()._pre_remove_option(option, index)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # Textual 8.2 raises ValueError where not one character of an option has room, here and below.
        return super().get_content_height(container, viewport, max(width, self._padding + 1))

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a size, and determine at once whether a scrollbar is needed; Textual does so when a line is drawn."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self._update_lines()
        return changed

    def _update_lines(self) -> None:
        if self.scrollable_content_region.width > self._padding:
            super()._update_lines()

    @property
    def _padding(self) -> int:
        return self.get_component_styles("option-list--option").padding.width

    def render_line(self, y: int) -> Strip:
        return super().render_line(y).apply_meta({_EDITION: self._edition})

    def on_click(self, event: events.Click) -> None:
        if event.style.meta.get(_EDITION) != self._edition:
            event.prevent_default()


class Picker(Dialog[int | None]):
    """A list to choose from; its result is the index of the chosen row, None if cancelled."""

    BINDINGS = [Binding("escape", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, title: str, question: str, rows: Sequence[str], *, choose: str, leave: str) -> None:
        super().__init__()
        self._title, self._question, self._rows = title, question, rows
        self._choose, self._leave = choose, leave

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="picker") as dialog:
            dialog.border_title = self._title
            yield Static(Paragraph(Text(self._question)), classes="question")
            yield OptionList(*map(Text, self._rows))
            yield buttons(("choose", self._choose), ("leave", self._leave))

    def on_mount(self) -> None:
        rows = self.query_one(OptionList)
        rows.highlighted = 0
        rows.focus()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)


class ResumeScreen(Picker):
    """The list of unfinished games, the latest first.

    Args:
        games: the games.
        requested: whether the user requested the list; the current game then continues if none is chosen.
    """

    BINDINGS = [Binding("n", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, games: Sequence[UnfinishedGame], *, requested: bool) -> None:
        super().__init__(
            _("Unfinished games"),
            _("There are unfinished games. Resume one?"),
            [_describe_unfinished(game) for game in games],
            choose=_("Resume (Enter)"),
            leave=_("Go back (Esc)") if requested else _("New game (n)"),
        )


def _describe_unfinished(game: UnfinishedGame) -> str:
    black, white = (plain_line(name_in_language(name)) for name in (game.names.black, game.names.white))
    changed = datetime.fromtimestamp(game.changed).astimezone()
    # With the year, or wider gaps, there would be no room for the players in 40 columns.
    this_year = changed.year == datetime.now(UTC).astimezone().year
    when = f"{changed:%m-%d %H:%M}" if this_year else f"{changed:%Y-%m-%d} "
    size = f"{game.size}×{game.size}"
    return f"{when} {size:>5} {black or _('Black')} – {white or _('White')}"


def file_picker(games: Sequence[Info]) -> Picker:
    rows = []
    for number, info in enumerate(games, 1):
        black, white = name_in_language(info.black), name_in_language(info.white)
        players = f"{black or _('Black')} – {white or _('White')}"
        result = brief_result(info.result or "")
        said = filter(None, map(plain_line, (info.date, players, result, info.name or info.event)))
        rows.append("  ".join((f"{number:>{len(str(len(games)))}}", *said)))
    return Picker(
        _("Games in this file"),
        _("The file holds {count} games. Open which?").format(count=len(games)),
        rows,
        choose=_("Open (Enter)"),
        leave=_("Go back (Esc)"),
    )
