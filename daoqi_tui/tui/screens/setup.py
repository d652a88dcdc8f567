"""The forms for a new game, for changing the players during a game, and for the information of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from daoqi_tui.engine import BLACK, DAOQI, PRESETS, WHITE, Rules, parse_rules, points_text, torus_of
from daoqi_tui.engine.clock import TimeControl, clock_text, parse_clock
from daoqi_tui.engine.game import most_handicap
from daoqi_tui.i18n import N_, STYLE_LABELS, _, plural, translate
from daoqi_tui.play.session import PERSON, USUAL_LEVEL, Computer, EngineSeat, GameSetup, Seat, Session
from daoqi_tui.play.wording import describe_rules
from daoqi_tui.tui.access import local_access
from daoqi_tui.tui.look import Paragraph
from daoqi_tui.tui.screens.form import Choice, Field, Form, Switch, WrongField, checked, labelled, numbers, value_of
from daoqi_tui.typed import (
    LARGEST_OFFERED,
    LEVEL_NUMBERS,
    MOST_HANDICAP,
    MOST_SECONDS,
    SMALLEST_OFFERED,
    STRONGEST,
    WEAKEST,
    decimal_number,
    level_number,
    read_handicap,
    read_komi,
    read_size,
    whole_number,
)

if TYPE_CHECKING:
    from daoqi_tui.play.profile import Ratings

_PERSON, _COMPUTER, _MINE, _ENGINE = "person", "computer", "mine", "engine"
_OF_KIND: Final = {
    _PERSON: (),
    _COMPUTER: ("level", "style", "seconds"),
    _MINE: ("style", "seconds"),
    _ENGINE: ("command", "seconds"),
}
_LEVELS: Final = {"weakest": WEAKEST, "strongest": STRONGEST}


class SeatFields(Vertical):
    """The fields of a player: human, computer level and style or engine command, and seconds per move.

    Args:
        side: ``black`` or ``white``; the fields are called ``black-kind`` and so on.
        label: the label of the choice.
        seat: the current player.
        my_level: returns the level that matches the user's rating; None does not offer it.
    """

    DEFAULT_CSS = """
    SeatFields { height: auto; width: 52; max-width: 100%; }
    .-narrow SeatFields { width: 36; }
    """

    def __init__(self, side: str, label: str, seat: Seat, my_level: Callable[[], float] | None = None) -> None:
        super().__init__()
        self._side, self._label, self._seat, self._my_level = side, label, seat, my_level

    def compose(self) -> ComposeResult:
        seat = self._seat
        kind = {Computer: _COMPUTER, EngineSeat: _ENGINE}.get(type(seat), _PERSON)
        kinds = [(_("Human"), _PERSON), (_("Computer"), _COMPUTER)]
        if self._my_level is not None:
            kinds.append((_("Computer, my level"), _MINE))
            kind = _MINE if isinstance(seat, Computer) and seat.mine else kind
        if local_access(self.app) is not None or kind == _ENGINE:
            kinds.append((_("GTP engine"), _ENGINE))
        yield Choice(self._label, kinds, kind, id=self._called("kind"))

    def _fields(self) -> list[Widget]:
        """Return the fields of a computer or an engine; each takes 10 ms, so they are added only when needed."""
        seat = self._seat
        level = str(seat.level if isinstance(seat, Computer) else USUAL_LEVEL)
        command = seat.command if isinstance(seat, EngineSeat) else ""
        seconds = None if seat == PERSON else seat.seconds  # type: ignore[union-attr]
        text = "" if seconds is None else points_text(seconds)
        styles = [(_("all-round"), ""), *((_(label), style) for style, label in STYLE_LABELS.items())]
        style = seat.style if isinstance(seat, Computer) else ""
        return [
            self._field(
                "level", _("  Level ({weakest}–{strongest} and halves)").format(**_LEVELS), level, LEVEL_NUMBERS
            ),
            Choice(_("  Style"), styles, style, id=self._called("style")),
            self._field("command", _("  Command"), command, hint=_("daoqi-tui gtp")),
            self._field("seconds", _("  Seconds per move"), text, _SECONDS_A_MOVE, _("Auto")),
        ]

    def _called(self, field: str) -> str:
        return f"{self._side}-{field}"

    def _field(self, name: str, label: str, value: str, offered: Iterable[float] = (), hint: str = "") -> Widget:
        # Naming a command means running anything; without local access only the owner's command can be played against.
        fixed = name == "command" and local_access(self.app) is None
        entry = Input(value, hint, id=self._called(name), compact=True, disabled=fixed)
        return Field(label, entry, [*([("", hint)] if offered and hint else []), *numbers(offered)])

    def on_mount(self) -> None:
        self._show_fields()

    @on(Choice.Changed)
    def _show_fields(self) -> None:
        shown = _OF_KIND[self._kind]
        if shown and not self.query(Field):
            self.mount_all(self._fields())
        for name in ("level", "command", "seconds"):
            for field in self.query(f"#field-{self._called(name)}"):
                field.display = name in shown
        for choice in self.query(f"#{self._called('style')}"):
            choice.display = "style" in shown

    @property
    def _kind(self) -> str:
        return str(self.query_one(f"#{self._called('kind')}", Choice).value)

    def read(self) -> Seat:
        """Return the chosen player.

        Raises:
            WrongField: a field is invalid.
        """
        kind = self._kind
        if kind == _PERSON:
            return PERSON
        # The kind may just have been changed.
        self._show_fields()
        seconds = self._seconds()
        if kind == _MINE and self._my_level is not None:
            return Computer(self._my_level(), seconds, self._style, mine=True)
        if kind == _COMPUTER:
            text = self._text("level")
            level = level_number(text)
            if level is None:
                raise WrongField(
                    self._called("level"),
                    _("The level must be from {weakest} to {strongest}, in steps of 0.5"),
                    **_LEVELS,
                )
            return Computer(level, seconds, self._style)
        command = self._text("command")
        if not command:
            raise WrongField(self._called("command"), _("Enter a program and its arguments, such as daoqi-tui gtp"))
        try:
            return EngineSeat(command, seconds)
        except ValueError as error:
            raise WrongField(self._called("command"), translate(error)) from None

    @property
    def _style(self) -> str:
        return str(self.query_one(f"#{self._called('style')}", Choice).value)

    def _seconds(self) -> float | None:
        text = self._text("seconds")
        if not text:
            return None
        seconds = decimal_number(text)
        if seconds is None or not 0 < seconds <= MOST_SECONDS:
            raise WrongField(self._called("seconds"), _("Seconds per move must be a number up to 3600, or empty"))
        return seconds

    def _text(self, field: str) -> str:
        return self.query_one(f"#field-{self._called(field)}", Field).entry.value.strip()


@dataclass(frozen=True, slots=True)
class PlayersChoice:
    """The players of both sides, and whether a computer may resign."""

    black: Seat
    white: Seat
    resigns: bool

    @classmethod
    def of(cls, session: Session) -> PlayersChoice:
        return cls(session.seats[BLACK], session.seats[WHITE], session.resigns)


class PlayersScreen(Form[PlayersChoice | None]):
    """The form for the players of both sides."""

    heading = N_("Players from here on")
    submits = N_("Play (Enter)")

    def __init__(self, before: PlayersChoice) -> None:
        super().__init__()
        self._before = before

    def fields(self) -> Iterable[Widget]:
        yield SeatFields("black", _("Black player"), self._before.black)
        yield SeatFields("white", _("White player"), self._before.white)
        yield Switch(_("Computers may resign"), self._before.resigns, id="resigns")

    def read(self) -> PlayersChoice:
        black, white = (fields.read() for fields in self.query(SeatFields))
        return PlayersChoice(black, white, value_of(self, "resigns"))


def rules_choice(rules: Rules) -> Choice:
    offered = dict.fromkeys((*PRESETS.values(), replace(rules, komi=DAOQI.komi)))
    return Choice(_("Rules"), [(describe_rules(each), str(each)) for each in offered], str(rules), id="rules")


_SIZES: Final = range(SMALLEST_OFFERED, LARGEST_OFFERED + 1)
_KOMI: Final = tuple(half / 2 for half in range(17))
_HANDICAPS: Final = (0, *range(2, MOST_HANDICAP + 1))
_SECONDS_A_MOVE: Final = (1, 2, 5, 10, 20, 30, 60)
_MINUTES: Final = (0, 1, 5, 10, 15, 20, 30, 45, 60, 90)
_PERIODS: Final = (0, 1, 3, 5, 10)
_PERIOD: Final = (5, 10, 15, 20, 30, 45, 60)
_CLOCKS: Final = ("5+3x30", "10+3x30", "20+3x30", "30+5x30", "60+3x60", "3+2", "5+5", "10+10", "20+20")


def board_fields(size: int, komi: float, handicap: int = 0) -> Iterator[Field]:
    """Yield the fields that :func:`read_board` reads."""
    yield labelled("size", _("Board size (5–25)"), str(size), offers=numbers(_SIZES))
    yield labelled("komi", _("Komi"), points_text(komi), offers=numbers(_KOMI))
    yield labelled("handicap", _("Handicap (0, 2–9)"), str(handicap), offers=numbers(_HANDICAPS))


def clock_field(hint: str, days: Iterable[int] = (), time: TimeControl | None = None) -> Field:
    """Return the field for a clock in short, such as 20+3x30, or of so many ``days`` for each move.

    It begins with ``time``, if that can be typed.
    """
    clocks = (*_CLOCKS, *(f"{count}d" for count in days))
    width = max(map(len, clocks))
    offers = [("", _("off")), *((text, f"{text:{width}}  {_describe_clock(text)}") for text in clocks)]
    return labelled("clock", _("Clock, such as 20+3x30"), clock_text(time), hint=hint, offers=offers)


def _describe_clock(text: str) -> str:
    time = parse_clock(text)
    if time.days:
        return plural("{count} day for each move", "{count} days for each move", time.days)
    minutes = points_text(time.main / 60)
    if time.increment:
        return _("{minutes} min + {seconds} s for each move").format(
            minutes=minutes, seconds=points_text(time.increment)
        )
    return _("{minutes} min + {periods} × {seconds} s").format(
        minutes=minutes, periods=time.periods, seconds=points_text(time.period)
    )


def read_board(form: Form[Any]) -> tuple[int, float, int]:
    """Return the size, the komi and the handicap typed in a form. Raises WrongField if one is invalid."""
    size = checked("size", read_size, form.text("size"))
    komi = checked("komi", read_komi, form.text("komi"))
    return size, komi, checked("handicap", read_handicap, form.text("handicap"), most_handicap(torus_of(size)))


_SIZE_TYPED = r"[0-9]?|1[0-9]|2[0-5]"
"""Matches what may be typed as a size; a single digit is allowed, since it may be part of a longer number."""
_OFF, _BYOYOMI, _FISCHER = "off", "byoyomi", "fischer"
_ROOMY: Final = 28
"""The minimum number of rows for the fields of two human players without a clock."""


class SetupScreen(Form[GameSetup | Literal["network"] | None]):
    """The form for a new game: size, komi, rules, handicap, players and clock, or a game on the network."""

    heading = N_("New game")
    others = (("network", N_("Online …")),)

    VERTICAL_BREAKPOINTS = [*Form.VERTICAL_BREAKPOINTS, (_ROOMY, "-roomy")]  # noqa: RUF012 (Textual's form)
    # Otherwise Textual focuses the scrolling container first, and restyles its contents when the focus leaves it.
    AUTO_FOCUS = "#size"

    def __init__(self, before: GameSetup, ratings: Ratings | None = None, level: float = USUAL_LEVEL) -> None:
        """Begin with ``before``; the user's level comes from ``ratings``, or is ``level`` before the first result."""
        super().__init__()
        self._before, self._ratings, self._level = before, ratings, level

    @property
    def filled_in(self) -> GameSetup:
        """What stood in the form when it was left for an online game, with which that and the form itself begin."""
        return self._before

    def fields(self) -> Iterable[Widget]:
        before, time = self._before, self._before.time
        kind = _OFF if time is None else _FISCHER if time.increment else _BYOYOMI
        size, komi, handicap = board_fields(before.size, before.komi, before.handicap)
        size.entry.restrict = _SIZE_TYPED
        yield size
        if self._ratings is not None:
            size.add_class("noted")
            yield Static("", id="rating")
        yield komi
        yield rules_choice(before.rules)
        yield handicap
        mine = None if self._ratings is None else self._my_level
        yield SeatFields("black", _("Black player"), before.black_seat, mine)
        yield SeatFields("white", _("White player"), before.white_seat, mine)
        yield labelled("black", _("Black's name"), before.black)
        yield labelled("white", _("White's name"), before.white)
        clocks = [(_("off"), _OFF), (_("Byo-yomi"), _BYOYOMI), (_("Fischer"), _FISCHER)]
        yield Choice(_("Clock"), clocks, kind, id="clock")
        yield Switch(_("Computers may resign"), before.resigns, id="resigns")

    def on_mount(self) -> None:
        self._show_clock_fields()
        self._show_rating()

    @property
    def _size_typed(self) -> int:
        try:
            return read_size(self.text("size"))
        except ValueError:
            return self._before.size

    def _my_level(self) -> float:
        assert self._ratings is not None
        return self._ratings.level(self._size_typed, self._level)

    @on(Input.Changed, "#size")
    def _show_rating(self) -> None:
        if self._ratings is None:
            return
        rating = self._ratings.of(self._size_typed)
        if rating is None:
            size = self._size_typed
            text = _("My level on {size}×{size}: {level}, no game is rated yet").format(size=size, level=self._level)
        else:
            text = rating.describe()
        self.query_one("#rating", Static).update(Paragraph(Text(text, style="dim")))

    @on(Choice.Changed, "#clock")
    def _show_clock_fields(self) -> None:
        clock = self.query_one("#clock", Choice)
        kind = clock.value
        if kind != _OFF and not self.query("#field-main") and isinstance(clock.parent, Widget):
            clock.parent.mount_all(self._clock_fields(), after=clock)
        for name, kinds in (
            ("main", (_BYOYOMI, _FISCHER)),
            ("periods", (_BYOYOMI,)),
            ("period", (_BYOYOMI,)),
            ("increment", (_FISCHER,)),
        ):
            for field in self.query(f"#field-{name}"):
                field.display = kind in kinds

    def _clock_fields(self) -> list[Widget]:
        """Return the fields of a clock; each takes 10 ms, so they are added only when needed."""
        time = self._before.time
        return [
            labelled(name, label, points_text(value), offers=numbers(offered))
            for name, label, value, offered in (
                ("main", _("Main time, minutes"), time.main / 60 if time else 10, _MINUTES),
                ("periods", _("Byo-yomi periods"), time.periods if time and time.periods else 3, _PERIODS),
                ("period", _("Seconds per period"), time.period if time and time.period else 30, _PERIOD),
                ("increment", _("Seconds added per move"), time.increment if time and time.increment else 10, _PERIOD),
            )
        ]

    @on(Button.Pressed, "#network")
    def _play_online(self) -> None:
        with suppress(WrongField):
            self._before = self.read()
        self.dismiss("network")

    def read(self) -> GameSetup:
        size, komi, handicap = read_board(self)
        black, white = (fields.read() for fields in self.query(SeatFields))
        return GameSetup(
            size,
            komi,
            handicap,
            self.text("black"),
            self.text("white"),
            self._time(),
            black,
            white,
            value_of(self, "resigns"),
            parse_rules(value_of(self, "rules")),
        )

    def _time(self) -> TimeControl | None:
        kind = value_of(self, "clock")
        if kind == _OFF:
            return None
        # The clock may just have been chosen.
        self._show_clock_fields()
        wrong = _("Times must be numbers, 0 or more")
        main = 60 * self._number("main", _("Main time must be a number of minutes"), 6000)
        if kind == _FISCHER:
            increment = self._number("increment", wrong, 3600)
            if not main:
                raise WrongField("main", _("Fischer time needs some main time"))
            return TimeControl(main, increment=increment)
        periods = whole_number(self.text("periods"), 0, 100)
        if periods is None:
            raise WrongField("periods", _("Periods must be a whole number from 0 to 100"))
        period = self._number("period", wrong, 3600)
        if not main and not periods * period:
            raise WrongField("main", _("A clock needs some time to start with"))
        return TimeControl(main, periods, period)

    def _number(self, field: str, wrong: str, most: float) -> float:
        number = decimal_number(self.text(field))
        if number is None or not 0 <= number <= most:
            raise WrongField(field, wrong)
        return number
