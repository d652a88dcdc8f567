"""The settings: how the board looks and is played on, in which language; seen at once, kept in the settings file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Checkbox, Label, Select

from daoqi_tui.config_keys import CELLS, FRAMES, STONES
from daoqi_tui.engine import Style
from daoqi_tui.i18n import LANGUAGES, N_, _, language
from daoqi_tui.tui.options import BELLS, Options
from daoqi_tui.tui.screens.dialogs import Dialog
from daoqi_tui.tui.themes import BOARD_LABELS

_FILL = -1
_NAMES = {
    "daoqi": N_("A–P with I (Daoqi)"),
    "gtp": N_("without I (GTP)"),
    "sgf": N_("two letters (SGF)"),
}
_STONES = {
    "auto": N_("as the terminal can"),
    "discs": N_("discs ● ●"),
    "round": N_("filled and hollow ● ○"),
    "blocks": N_("square"),
    "ascii": N_("letters X O"),
}
_NETS = {
    "auto": N_("its network"),
    "none": N_("playouts alone"),
}
_BELLS = {
    "move": N_("Bell at each move"),
    "capture": N_("Bell at captures"),
    "refusal": N_("Bell at refused plays"),
    "end": N_("Bell at the end"),
    "time": N_("Bell when time runs short"),
}
_SWITCHES = {
    "confirm_click": N_("Click twice to play"),
    "follow": N_("Follow the last move"),
    "mark_atari": N_("Mark chains in atari"),
    "mark_ladders": N_("Mark chains that a ladder captures"),
}


class Switch(Checkbox):
    """A checkbox that differs by shape where colours are missing."""

    def watch_value(self) -> None:
        """Show a cross, or none."""
        self.BUTTON_INNER = "X" if self.value else " "
        super().watch_value()


class OptionsScreen(Dialog[Options | None]):
    """Asks how the board is shown and played on; closing keeps what is chosen, and gives it."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "close", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(
        self,
        options: Options,
        size: int,
        wear: Callable[[Options], None] | None = None,
        speak: Callable[[str], None] | None = None,
    ) -> None:
        """Begin with ``options``; ``wear`` shows the game as liked, ``speak`` changes the language."""
        super().__init__()
        self._options, self._board_size = options, size
        self._wear, self._speak = wear, speak

    def compose(self) -> ComposeResult:
        """Lay out the choices."""
        options = self._options
        with Vertical(classes="dialog", id="options") as dialog:
            dialog.border_title = _("Options")
            with VerticalScroll(can_focus=False):
                yield from _choice(
                    "language", _("Language"), [(name, code) for code, name in LANGUAGES.items()], language()
                )
                boards = [(_(label), name) for name, label in BOARD_LABELS.items()]
                yield from _choice("board", _("Board"), boards, options.board)
                frames = [(_frame_label(name), name) for name in FRAMES]
                yield from _choice("frame", _("Frame"), frames, options.frame)
                yield from _choice("glyphs", _("Stones"), [(_(_STONES[name]), name) for name in STONES], options.glyphs)
                cells = [
                    (_("as fits") if name == "auto" else name, int(name[0]) if name != "auto" else 0) for name in CELLS
                ]
                yield from _choice("cell", _("Size of a point"), cells, options.cell or 0)
                copies = [
                    (_("fill the window"), _FILL),
                    *((str(lines), lines) for lines in range(self._board_size + 1)),
                ]
                margin = _FILL if options.margin is None else min(options.margin, self._board_size)
                yield from _choice("margin", _("Copies around the board"), copies, margin)
                names = [(_(label), name) for name, label in _NAMES.items()]
                yield from _choice("names", _("Names of points"), names, options.names)
                nets = [(_(label), name) for name, label in _NETS.items()]
                if options.net not in _NETS:
                    nets.append((Path(options.net).name, options.net))
                yield from _choice("net", _("Computer thinks with"), nets, options.net)
                for name, label in _SWITCHES.items():
                    with Horizontal(classes="field"):
                        yield Switch(_(label), getattr(options, name), compact=True, id=name.replace("_", "-"))
                for name in BELLS:
                    with Horizontal(classes="field"):
                        yield Switch(_(_BELLS[name]), name in options.bells, compact=True, id=f"bell-{name}")
            with Horizontal(classes="buttons"):
                yield Button(_("Done (Esc)"), id="done", variant="primary")

    @on(Select.Changed)
    @on(Checkbox.Changed)
    def _changed(self, event: Select.Changed | Checkbox.Changed) -> None:
        """Show the game as it is liked now."""
        event.stop()
        if isinstance(event, Select.Changed) and event.select.id == "language":
            if event.value != language() and self._speak is not None:
                self._speak(str(event.value))
                self._options = self.chosen()
                self.call_later(self.recompose)
            return
        if self._wear is not None:
            self._wear(self.chosen())

    def chosen(self) -> Options:
        """Read the form."""
        margin = cast("int", self._value("margin"))
        return self._options._replace(
            board=self._value("board"),
            frame=self._value("frame"),
            glyphs=self._value("glyphs"),
            cell=self._value("cell") or None,
            margin=None if margin == _FILL else margin,
            names=cast("Style", self._value("names")),
            net=self._value("net"),
            bells=frozenset(name for name in BELLS if self._is_on(f"bell-{name}")),
            **{name: self._is_on(name.replace("_", "-")) for name in _SWITCHES},
        )

    def _value(self, name: str) -> Any:  # noqa: ANN401 (each has a type of its own)
        return self.query_one(f"#{name}", Select).value

    def _is_on(self, name: str) -> bool:
        return self.query_one(f"#{name}", Checkbox).value

    @on(Button.Pressed, "#done")
    def action_close(self) -> None:
        """Go back to the game with what was chosen."""
        self.dismiss(self.chosen())


def _frame_label(name: str) -> str:
    if name == "auto":
        return _("as the board")
    return _(BOARD_LABELS[name]) if name in BOARD_LABELS else name


def _choice(name: str, label: str, choices: Iterable[tuple[str, object]], value: object) -> ComposeResult:
    with Horizontal(classes="field"):
        yield Label(label)
        yield Select(choices, value=value, allow_blank=False, compact=True, id=name)
