"""The settings: look, play and language; applied immediately and saved in the settings file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Checkbox
from textual.widgets.option_list import Option

from daoqi_tui import config
from daoqi_tui.config import CELLS, FRAMES, STONES
from daoqi_tui.i18n import LANGUAGES, N_, _, language
from daoqi_tui.pictures.palettes import BOARDS, RGB, Palette
from daoqi_tui.tui.look import BELLS, Options
from daoqi_tui.tui.screens import Dialog, DismissibleDialog, OptionList, buttons
from daoqi_tui.tui.screens.form import Choice, Fields, Switch, value_of

_FILL = -1
_NAMES = {
    "daoqi": N_("A–P with I (Daoqi)"),
    "gtp": N_("Without I (GTP)"),
    "sgf": N_("Two letters (SGF)"),
}
_STONES = {
    "auto": N_("Auto"),
    "discs": N_("Discs ● ●"),
    "round": N_("Filled and hollow ● ○"),
    "blocks": N_("Squares"),
    "ascii": N_("Letters X O"),
}
_NETS = {
    "auto": N_("Neural network"),
}
_BELLS = {
    "move": N_("Bell at each move"),
    "capture": N_("Bell at captures"),
    "refusal": N_("Bell at refused moves"),
    "end": N_("Bell at the end"),
    "time": N_("Bell when time runs short"),
    "turn": N_("Bell at your move online"),
    "desktop": N_("Notification at your move online"),
}
_GRAPHICS = {
    "auto": N_("Auto"),
    "kitty": N_("Pictures (kitty)"),
    "sixel": N_("Pictures (Sixel)"),
    "off": N_("Characters"),
}
_MOTION = {
    "full": N_("Full"),
    "reduced": N_("Reduced"),
}
_SWITCHES = {
    "confirm_click": N_("Click twice to play"),
    "follow": N_("Follow the last move"),
    "mark_atari": N_("Highlight chains in atari"),
    "mark_ladders": N_("Highlight chains caught in a ladder"),
    "sound": N_("Sound of stones"),
}


_LOST = (0, 2, 3, 5, 8, 12)
_VISITS = (200, 500, 1000, 2000, 5000, 10_000, 50_000, 200_000)
_SECONDS = (5, 10, 20, 60, 180, 600)
_REVIEW_VISITS = (30, 60, 200, 500, 2000)
_REVIEW_SECONDS = (1, 2, 5, 20, 60)
_GRADES = ("1 2 5", "1.5 3 8", "2 5 12")


def _with(choices: Iterable[int], value: int) -> list[int]:
    """Return the choices and the current value, which may be another one from the settings file."""
    return sorted({*choices, value})


class OptionsScreen(Dialog[Options | None]):
    """The settings form; its result is the chosen options."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "close", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(
        self,
        options: Options,
        size: int,
        apply_options: Callable[[Options], None],
        set_language: Callable[[str], None],
    ) -> None:
        """Begin with ``options``; each change calls ``apply_options``, and one of the language ``set_language``."""
        super().__init__()
        self._options, self._board_size = options, size
        self._apply_options, self._set_language = apply_options, set_language

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="options") as dialog:
            dialog.border_title = _("Settings")
            with Fields():
                for name, label, choices, value in self._choices():
                    yield Choice(label, choices, value, id=name)
                for name, label in _SWITCHES.items():
                    yield Switch(_(label), getattr(self._options, name), id=name.replace("_", "-"))
                for name in BELLS:
                    yield Switch(_(_BELLS[name]), name in self._options.bells, id=f"bell-{name}")
            yield buttons(("done", _("Done (Esc)")))

    def _choices(self) -> Iterable[tuple[str, str, Iterable[tuple[str, object]], object]]:
        """Return the identifiers of the choices with their labels, their values, and the current one."""
        options = self._options
        margin = _FILL if options.margin is None else options.margin
        nets = _translated(_NETS)
        if options.net not in _NETS:
            nets.append((Path(options.net).name, options.net))
        return [
            ("language", _("Language"), [(name, code) for code, name in LANGUAGES.items()], language()),
            ("board", _("Board theme"), _translated(config.BOARDS), options.board),
            ("frame", _("App colours"), [(_frame_label(name), name) for name in FRAMES], options.frame),
            ("glyphs", _("Stones"), [(_(_STONES[name]), name) for name in STONES], options.glyphs),
            (
                "cell",
                _("Cell size"),
                [(_("Auto (fit window)"), 0) if name == "auto" else (name, int(name[0])) for name in CELLS],
                options.cell or 0,
            ),
            ("graphics", _("Graphics"), _translated(_GRAPHICS), options.graphics),
            ("motion", _("Motion"), _translated(_MOTION), options.motion),
            (
                "margin",
                _("Margin (wrapped copies)"),
                [
                    (_("Fill the window") if lines == _FILL else str(lines), lines)
                    for lines in _with(range(_FILL, self._board_size + 1), margin)
                ],
                margin,
            ),
            ("names", _("Coordinates"), _translated(_NAMES), options.names),
            ("net", _("Computer search"), nets, options.net),
            (
                "teach",
                _("Teach mode: ask from"),
                [
                    (_("Off") if not lost else _("{points} points").format(points=lost), lost)
                    for lost in _with(_LOST, options.teach)
                ],
                options.teach,
            ),
            ("visits", _("Analysis: visits"), _counts(_VISITS, options.analysis_visits), options.analysis_visits),
            ("seconds", _("Analysis: seconds"), _counts(_SECONDS, options.analysis_seconds), options.analysis_seconds),
            (
                "review-visits",
                _("Review: visits a position"),
                _counts(_REVIEW_VISITS, options.review_visits),
                options.review_visits,
            ),
            (
                "review-seconds",
                _("Review: seconds a position"),
                _counts(_REVIEW_SECONDS, options.review_seconds),
                options.review_seconds,
            ),
            (
                "grades",
                _("Inaccuracy, mistake, blunder from"),
                [
                    (_("{points} points").format(points=" · ".join(grades.split())), grades)
                    for grades in dict.fromkeys((*_GRADES, options.grades))
                ],
                options.grades,
            ),
        ]

    @on(Choice.Changed)
    @on(Checkbox.Changed)
    def _changed(self, event: Choice.Changed | Checkbox.Changed) -> None:
        if isinstance(event, Choice.Changed) and event.choice.id == "language":
            if event.value != language():
                self._set_language(str(event.value))
                self._options = self.chosen()
                self.call_later(self._begin_anew)
        else:
            self._apply_options(self.chosen())

    async def _begin_anew(self) -> None:
        place = self.focused.id if self.focused is not None else None
        await self.recompose()
        # There is none if the form has been left meanwhile.
        for field in self.query(f"#{place}").results(Widget) if place is not None else ():
            self.set_focus(field)

    def chosen(self) -> Options:
        margin = value_of(self, "margin")
        alike = ("board", "frame", "glyphs", "graphics", "motion", "names", "net", "teach", "grades")
        return self._options._replace(
            **{name: value_of(self, name) for name in alike},
            cell=value_of(self, "cell") or None,
            margin=None if margin == _FILL else margin,
            analysis_visits=value_of(self, "visits"),
            analysis_seconds=value_of(self, "seconds"),
            review_visits=value_of(self, "review-visits"),
            review_seconds=value_of(self, "review-seconds"),
            bells=frozenset(name for name in BELLS if value_of(self, f"bell-{name}")),
            **{name: value_of(self, name.replace("_", "-")) for name in _SWITCHES},
        )

    @on(Button.Pressed, "#done")
    def action_close(self) -> None:
        # After a change of language the form is recomposed; it can be read only when that is done.
        self.call_later(self._read_and_leave)

    def _read_and_leave(self) -> None:
        self.dismiss(self.chosen())


def _frame_label(name: str) -> str:
    if name == "auto":
        return _("Match board")
    return _(config.BOARDS[name]) if name in config.BOARDS else name


def _translated(labels: Mapping[str, str]) -> list[tuple[str, object]]:
    return [(_(label), value) for value, label in labels.items()]


def _counts(choices: Iterable[int], value: int) -> list[tuple[str, object]]:
    return [(f"{count:,}", count) for count in _with(choices, value)]


class BoardsScreen(DismissibleDialog[Options | None]):
    """The choice of a board theme; its result is the options with it, None to keep the former one."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "close", show=False),
        Binding("T", "next", show=False),
    ]

    def __init__(self, options: Options, apply_options: Callable[[Options], None]) -> None:
        """Begin at the board of ``options``; ``apply_options`` is called with each board that is highlighted."""
        super().__init__()
        self._before, self._apply_options = options, apply_options

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="boards") as dialog:
            dialog.border_title = _("Board theme")
            dialog.border_subtitle = Content(" · ").join(
                (
                    Content(_("Enter selects")).stylize("@click=screen.choose"),
                    Content(_("Esc cancels")).stylize("@click=screen.close"),
                )
            )
            yield OptionList(
                *(Option(_sample(palette, _(config.BOARDS[name])), id=name) for name, palette in BOARDS.items())
            )

    def on_mount(self) -> None:
        names = self.query_one(OptionList)
        names.highlighted = list(BOARDS).index(self._before.board)
        names.focus()

    def action_next(self) -> None:
        names = self.query_one(OptionList)
        names.highlighted = ((names.highlighted or 0) + 1) % names.option_count

    def _options(self, name: str | None) -> Options:
        return self._before._replace(board=name or self._before.board)

    @on(OptionList.OptionHighlighted)
    def _point(self, event: OptionList.OptionHighlighted) -> None:
        # The message of a highlight may arrive after the dialog was cancelled and the former board restored.
        if self.is_current:
            self._apply_options(self._options(event.option_id))

    @on(OptionList.OptionSelected)
    def _keep(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._options(event.option_id))

    def action_close(self) -> None:
        self._apply_options(self._before)
        self.dismiss(None)


def _sample(palette: Palette, name: str) -> Text:
    shades = palette.bright
    text = Text(no_wrap=True)
    for sign, ink in (
        (" ", shades.black),
        ("●", shades.black),
        (" ", shades.black),
        ("●", shades.white_fill),
        (" ", shades.white_fill),
    ):
        text.append(sign, style=f"{_rgb(ink)} on {_rgb(shades.board)}")
    return text.append(f"  {name}")


def _rgb(colour: RGB) -> str:
    return f"rgb({colour[0]},{colour[1]},{colour[2]})"
