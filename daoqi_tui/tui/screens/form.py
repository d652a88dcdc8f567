"""Forms over the game, with checkboxes and fields that choose one of several values."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final, ParamSpec, TypeVar

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Button, Checkbox, Input, Label, Static

from daoqi_tui.engine import points_text
from daoqi_tui.i18n import N_, SentenceError, _, translate
from daoqi_tui.tui.look import signs_of
from daoqi_tui.tui.panes import cut
from daoqi_tui.tui.screens import Dialog, DialogResult, DismissibleDialog, OptionList, buttons
from daoqi_tui.typed import decimal_number

_LABEL: Final = 26
"""The width of the label where there is room for the value beside it."""


class Form(Dialog[DialogResult]):
    """A form; Enter in any field submits it, Space opens a choice or ticks a box.

    Attributes:
        heading: on the frame; to be translated, as the labels of the buttons.
        submits: the label of the button that submits.
        others: the identifiers and labels of buttons after those that submit and cancel.
    """

    heading: ClassVar[str]
    submits: ClassVar[str] = N_("Start (Enter)")
    others: ClassVar[tuple[tuple[str, str], ...]] = ()
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "close", show=False),
        Binding("ctrl+s", "begin", show=False, priority=True),
        # With priority over the fields: Enter would open a choice or change a box.
        Binding("enter", "begin_from_field", show=False, priority=True),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "begin_from_field":
            return not isinstance(self.focused, Button | OptionList)
        return super().check_action(action, parameters)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="setup") as dialog:
            dialog.border_title = _(self.heading)
            with Fields():
                yield from self.fields()
            yield Static("", id="complaint")
            row = (("begin", self.submits), ("cancel", N_("Cancel (Esc)")), *self.others)
            yield buttons(*((name, _(label)) for name, label in row), classes="three" if self.others else "")

    @abstractmethod
    def fields(self) -> Iterable[Widget]:
        """Return the fields, in their order."""

    @abstractmethod
    def read(self) -> DialogResult:
        """Return the contents.

        Raises:
            WrongField: they are invalid.
        """

    @on(Button.Pressed, "#begin")
    def action_begin(self) -> None:
        try:
            contents = self.read()
        except WrongField as wrong:
            self.complain(str(wrong))
            self.query_one(f"#field-{wrong.field}", Field).entry.focus()
        else:
            self.dismiss(contents)

    def action_begin_from_field(self) -> None:
        self.action_begin()

    def text(self, field: str) -> str:
        return " ".join(self.query_one(f"#field-{field}", Field).entry.value.split())


def value_of(form: Dialog[Any], name: str) -> Any:  # noqa: ANN401 (each has a type of its own)
    field = form.query_one(f"#{name}")
    assert isinstance(field, Choice | Switch)
    return field.value


class WrongField(SentenceError):
    """An invalid field of a form, with the reason; ``field`` is its identifier."""

    def __init__(self, field: str, sentence: str, /, **parts: object) -> None:
        super().__init__(sentence, **parts)
        self.field = field


_Read = TypeVar("_Read")
_Typed = ParamSpec("_Typed")


def checked(field: str, read: Callable[_Typed, _Read], *typed: _Typed.args, **options: _Typed.kwargs) -> _Read:
    """Return the value of a field, as parsed by ``read``.

    Raises:
        WrongField: ``read`` raised ValueError.
    """
    try:
        return read(*typed, **options)
    except ValueError as error:
        raise WrongField(field, translate(error)) from None


class Field(Horizontal):
    """A label and an input, :attr:`entry`, which can be read even before the field is mounted.

    Args:
        label: the label.
        entry: the input.
        offers: values to choose from in a list, which a click beside the input opens, so that the mouse alone is
            enough: the text of each and what the list says of it. That which stands in the input is added.
    """

    ALLOW_SELECT = False

    def __init__(self, label: str, entry: Input, offers: Iterable[tuple[str, str]] = ()) -> None:
        self._offers = tuple(offers)
        super().__init__(Label(label), entry, classes="field", id=f"field-{entry.id}")
        self.entry = entry
        if self._offers:
            # For the sign; with a class of its own its styles would be matched again.
            entry.styles.margin = 0, 2, 0, 0

    def render(self) -> RenderResult:
        """Return the sign of the list, which stands where the input leaves room for it."""
        if not self._offers:
            return super().render()
        sign = Text("▼ ", self.entry.rich_style, no_wrap=True)
        return Text(" " * (self.content_size.width - sign.cell_len), no_wrap=True).append_text(sign)

    def on_descendant_focus(self) -> None:
        self.refresh()

    def on_descendant_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Open the list, unless the click was on the input, or the list is open already."""
        if not self._offers or event.widget is self.entry or self.app.screen is not self.screen:
            return
        event.stop()
        self.entry.focus()
        typed = self.entry.value.strip()
        offers = self._offers
        if typed not in dict(offers):
            offers = tuple(sorted((*offers, (typed, typed)), key=_by_number))

        def choose(place: int | None) -> None:
            if place is not None:
                self.entry.value = offers[place][0]
                self.entry.cursor_position = len(self.entry.value)

        texts = [text for text, _words in offers]
        self.app.push_screen(ChoiceList(self, [words for _text, words in offers], texts.index(typed)), choose)


def _by_number(offer: tuple[str, str]) -> float:
    """Sort offers by their numbers; what is none comes first, in the order given."""
    number = decimal_number(offer[0])
    return -math.inf if number is None else number


def numbers(values: Iterable[float]) -> list[tuple[str, str]]:
    """Return the offers of a field for numbers."""
    return [(text, text) for text in map(points_text, values)]


def labelled(
    name: str,
    label: str,
    value: str,
    restrict: str | None = None,
    *,
    hint: str = "",
    offers: Iterable[tuple[str, str]] = (),
) -> Field:
    """Return a field; ``restrict`` is a regular expression that the text must match while it is typed."""
    return Field(label, Input(value, hint, id=name, compact=True, restrict=restrict), offers)


class Fields(VerticalScroll, can_focus=False, inherit_bindings=False):
    """The fields of a form, scrolled to the one with the focus; the arrow keys are left to the form, or to a field."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("pageup", "page_up", show=False),
        Binding("pagedown", "page_down", show=False),
    ]


class Switch(Checkbox):
    """A checkbox whose states differ by shape if there are no colours."""

    def __init__(self, label: str, value: bool, *, id: str) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(label, value, compact=True, id=id)
        self._show_value()

    def watch_value(self) -> None:
        self._show_value()
        super().watch_value()

    def render(self) -> Content:
        self.BUTTON_LEFT, self.BUTTON_RIGHT = "▐▌" if signs_of(self).glyphs.blocks else "[]"
        return super().render()

    def _show_value(self) -> None:
        self.BUTTON_INNER = "X" if self.value else " "


class Choice(Widget, can_focus=True):
    """A choice of one of several values, with a label.

    Space or a click opens the list of values; left and right switch to the previous or next one. Textual's Select
    consists of six widgets, with which a form of eight takes a third of a second to open.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"choice--value"}  # noqa: RUF012 (Textual's form)
    BINDINGS: ClassVar[list[Any]] = [
        Binding("space,enter", "open", show=False),
        Binding("left", "step(-1)", show=False),
        Binding("right", "step(1)", show=False),
    ]
    DEFAULT_CSS = """
    Choice { height: auto; width: 52; max-width: 100%; }
    Choice > .choice--value { background: $background; }
    Choice:focus > .choice--value { background: $focused; }
    """

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, choice: Choice, value: object) -> None:
            super().__init__()
            self.choice, self.value = choice, value

        @property
        def control(self) -> Choice:
            return self.choice

    value: reactive[Any] = reactive(None, init=False)

    def __init__(self, label: str, choices: Iterable[tuple[str, object]], value: object, *, id: str) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self.choices = tuple(choices)
        self._label = label
        self.set_reactive(Choice.value, self.validate_value(value))

    def validate_value(self, value: object) -> object:
        """Return the value.

        Raises:
            ValueError: the value is not among the choices.
        """
        if value not in [each for _words, each in self.choices]:
            raise ValueError(value)
        return value

    def watch_value(self, value: object) -> None:
        self.refresh(layout=True)
        self.post_message(self.Changed(self, value))

    @property
    def _place(self) -> int:
        return [value for _words, value in self.choices].index(self.value)

    def _fits(self, width: int) -> bool:
        return self._label_width(width) + cell_len(self.choices[self._place][0]) + 4 <= width

    def _label_width(self, width: int) -> int:
        return max(cell_len(self._label) + 1, min(_LABEL, width // 2))

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 (Textual's form)
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 (Textual's form)
        return 1 if self._fits(width) else 2

    def render(self) -> Text:
        width = self.content_size.width
        words, style = self.choices[self._place][0], self.get_component_rich_style("choice--value")
        label, line = (self._label_width(width), "") if self._fits(width) else (2, "\n  ")
        text = Text(cut(self._label, width if line else label) + line, no_wrap=True)
        return text.append(cut(words, width - label - 2) + "▼ ", style)

    def action_step(self, step: int) -> None:
        self.value = self.choices[(self._place + step) % len(self.choices)][1]

    def action_open(self) -> None:
        """Open the list, unless it is open already: more keys and clicks may arrive before it shows."""
        if self.app.screen is not self.screen:
            return

        def choose(place: int | None) -> None:
            if place is not None:
                self.value = self.choices[place][1]

        self.app.push_screen(ChoiceList(self, [text for text, _value in self.choices], self._place), choose)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.focus()
        self.action_open()


class ChoiceList(DismissibleDialog[int | None]):
    """The list of a choice or a field, below it or where there is room; its result is the index of the chosen value."""

    BINDINGS = [Binding("escape,space", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, choice: Widget, words: list[str], place: int) -> None:
        super().__init__()
        self._choice, self._words, self._at = choice, words, place

    def compose(self) -> ComposeResult:
        yield OptionList(*(Text(text, no_wrap=True) for text in self._words), compact=True)

    def on_mount(self) -> None:
        choices = self.query_one(OptionList)
        choices.highlighted = self._at
        choices.focus()
        self.fit()

    def fit(self) -> None:
        screen, below = self.app.size, self._choice.region
        width = min(screen.width, max(map(cell_len, self._words)) + 6)
        height = min(len(self._words) + 2, max(3, screen.height - 2))
        choices = self.query_one(OptionList)
        choices.styles.width, choices.styles.height, choices.styles.max_height = width, height, height
        x = max(0, min(below.right - width, screen.width - width))
        y = max(0, min(below.bottom, screen.height - height))
        choices.styles.offset = x, y

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)
