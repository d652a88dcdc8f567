"""Time settings, standard and those of KGS (http://www.gokgs.com/help/timesystems.html)."""

from __future__ import annotations

from typing import Final

from daoqi_tui.gtp.context import Arguments, Context, Table, take
from daoqi_tui.gtp.parsing import GtpError, parse_colour, parse_number, parse_whole, shown
from daoqi_tui.gtp.timing import TimeSettings

_LONGEST: Final = 1e7
_MOST_STONES: Final = 100_000


def time_settings(context: Context, arguments: Arguments) -> str:
    """Main time and Canadian overtime, in seconds; overtime for no stones means no limit at all."""
    words = take(arguments, 3, 3, "time_settings MAIN OVERTIME STONES")
    main, period, stones = _seconds(words[0]), _seconds(words[1]), _stones(words[2])
    if period and not stones:
        settings = TimeSettings()
    elif stones and period:
        settings = TimeSettings("canadian", main, period, stones)
    else:
        settings = TimeSettings("absolute", main)
    context.timing.set(settings)
    return ""


def time_left(context: Context, arguments: Arguments) -> str:
    """What a player has left: main time where the stones are 0, else overtime for so many."""
    words = take(arguments, 3, 3, "time_left COLOR SECONDS STONES")
    colour = parse_colour(words[0])
    # Some controllers tell a clock that has run a little over.
    seconds = max(0.0, parse_number(words[1], -_LONGEST, _LONGEST))
    context.timing.tell(colour, seconds, _stones(words[2]))
    return ""


def kgs_time_settings(context: Context, arguments: Arguments) -> str:
    """The time systems of KGS: none, absolute, byoyomi and canadian."""
    form = "kgs-time_settings none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES"
    system = take(arguments, 1, 4, form)[0].lower()
    count = {"none": 1, "absolute": 2, "byoyomi": 4, "canadian": 4}.get(system)
    if count is None:
        raise GtpError(f"syntax error: {shown(arguments[0])} is no time system; the form is: {form}")
    words = take(arguments, count, count, form)
    match system:
        case "none":
            settings = TimeSettings()
        case "absolute":
            settings = TimeSettings("absolute", _seconds(words[1]))
        case "byoyomi":
            settings = TimeSettings("byoyomi", _seconds(words[1]), _seconds(words[2]), _stones(words[3]))
        case _:
            settings = TimeSettings("canadian", _seconds(words[1]), _seconds(words[2]), _stones(words[3]))
    context.timing.set(settings)
    return ""


def _seconds(word: str) -> float:
    return parse_number(word, 0, _LONGEST)


def _stones(word: str) -> int:
    return parse_whole(word, 0, _MOST_STONES)


COMMANDS: Final[Table] = {
    "time_settings": time_settings,
    "time_left": time_left,
    "kgs-time_settings": kgs_time_settings,
}
