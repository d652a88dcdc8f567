"""Choose the look of the board and its frame: the user's choice, as far as the terminal supports it.

Board and frame (the colours around the board) are separate settings; the frame ``auto`` is the one made for the board.
The colours of boards are in :mod:`daoqi_tui.pictures.palettes`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any, Final, Literal, NamedTuple

from textual.app import App
from textual.color import Color
from textual.theme import Theme

from daoqi_tui.pictures.palettes import (
    BOARDS,
    BOARDS16,
    KAYA,
    LEAST,
    LEAST_DIMMED,
    LEAST_ON_COPIES,
    LEAST_ON_STONES,
    RGB,
    Palette,
    Shades,
    blend,
    contrast,
    framed,
)
from daoqi_tui.play.looks import Options
from daoqi_tui.streams import PLAIN_TERMINALS
from daoqi_tui.tui.look import Glyphs, glyphs_for

Colours = Literal["none", "sixteen", "many"]


def frame_for(board: str, frame: str, colours: Colours) -> str:
    if colours == "none":
        return "ansi-dark"
    if frame != "auto":
        return FRAME_PREFIX + frame if frame in FRAMES else frame
    return FRAMES[_board_of(board, colours).name].name


def palette_for(board: str, frame: Theme, colours: Colours) -> Palette:
    if colours == "none":
        return KAYA._replace(name="plain", plain=True)
    palette = _board_of(board, colours)
    if frame.name == FRAME_PREFIX + palette.name:
        return palette
    background = Color.parse(frame.background or ("#121212" if frame.dark else "#efefef"))
    foreground = Color.parse(frame.foreground or ("#e0e0e0" if frame.dark else "#101010"))
    if background.ansi is not None or foreground.ansi is not None:
        # The terminal's own colours are unknown here; the frame of the board always fits it.
        return palette
    return framed(palette, background.rgb, foreground.rgb)


def _board_of(name: str, colours: Colours) -> Palette:
    """Return a board for a number of colours; its name is that of its frame."""
    return (BOARDS16 if colours == "sixteen" else BOARDS)[name]


_FEW: Final = ("standard", "windows", None)
"""Rich's names of colour systems with sixteen colours or fewer."""


class BoardStyle(NamedTuple):
    """The style of a board.

    Attributes:
        palette: the colours of its characters.
        glyphs: the characters.
        painted: the colours of pictures, which may be more than characters can have.
    """

    palette: Palette
    glyphs: Glyphs
    painted: Palette


def colours_of(app: App[Any]) -> Colours:
    if app.no_color:
        return "none"
    return "sixteen" if app.console.color_system in _FEW else "many"


def board_style_for(app: App[Any], options: Options, *, wide_signs: bool = False) -> BoardStyle:
    colours = colours_of(app)
    glyphs = glyphs_for(
        options.glyphs, many_colours=colours == "many", plain_text=wide_signs or wants_plain_text(os.environ)
    )
    palette = palette_for(options.board, app.current_theme, colours)
    painted = palette if colours != "sixteen" else palette_for(options.board, app.current_theme, "many")
    if has_256(app) and not palette.plain:
        palette = palette256(palette)
    return BoardStyle(palette, glyphs, painted)


def frames_for(app: App[Any]) -> Iterable[Theme]:
    """Return the program's frames in colours that the terminal of an app can show."""
    if not has_256(app):
        return FRAMES.values()
    return map(frame256, FRAMES.values())


def has_256(app: App[Any]) -> bool:
    return app.console.color_system == "256"


def theme_for(app: App[Any], options: Options) -> str:
    name = frame_for(options.board, options.frame, colours_of(app))
    return name if name in app.available_themes else frame_for(options.board, "auto", colours_of(app))


def wants_plain_text(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal needs ASCII: its locale has another charset than UTF-8, or it has few characters.

    Without a charset (C, POSIX) UTF-8 is assumed, as most containers are set up like that.
    """
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    _language, _dot, charset = locale.partition(".")
    if charset and charset.partition("@")[0].lower().replace("-", "") not in ("utf8", ""):
        return True
    return environment.get("TERM", "").startswith(PLAIN_TERMINALS)


# Frames.

FRAME_PREFIX: Final = "daoqi-"


def readable(ink: RGB, grounds: tuple[RGB, ...], share: float, least: float) -> RGB:
    """Mix as little of an ink, but at least ``share``, into the first ground as is readable on all of them.

    Args:
        ink: the ink.
        grounds: the backgrounds.
        share: the least fraction of the ink.
        least: the minimum contrast with each ground.
    """
    mixed = (blend(grounds[0], ink, percent / 100) for percent in range(round(100 * share), 100, 2))
    return next((colour for colour in mixed if all(contrast(colour, ground) >= least for ground in grounds)), ink)


def written(colour: RGB) -> str:
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def _frame(
    name: str,
    *,
    background: str,
    surface: str,
    panel: str,
    foreground: str,
    primary: str,
    secondary: str,
    accent: str,
    error: str = "#f08060",
    dark: bool = True,
    faint: str = "",
    focused: str = "",
) -> Theme:
    """Return a frame as a Textual theme.

    ``faint`` is the colour of muted text, ``focused`` the background of a field with the focus; if empty, they are
    derived from the other colours.
    """
    grounds = tuple(Color.parse(colour).rgb for colour in (background, surface))
    ink = Color.parse(foreground).rgb
    return Theme(
        name=FRAME_PREFIX + name,
        background=background,
        surface=surface,
        panel=panel,
        foreground=foreground,
        primary=primary,
        secondary=secondary,
        accent=accent,
        warning=accent,
        error=error,
        success=secondary,
        dark=dark,
        variables={
            "text-muted": faint or written(readable(ink, grounds, 0.6, 4.5)),
            "text-disabled": faint or written(readable(ink, grounds, 0.38, 3.0)),
            **({"focused": focused} if focused else {}),
        },
    )


FRAMES: Final = {
    theme.name.removeprefix(FRAME_PREFIX): theme
    for theme in (
        _frame(
            "kaya",
            background="#18140f",
            surface="#2a221a",
            panel="#4a3826",
            foreground="#eae0c4",
            primary="#b0582a",
            secondary="#8b7046",
            accent="#e2a45c",
        ),
        _frame(
            "slate",
            background="#14181c",
            surface="#20262c",
            panel="#36414b",
            foreground="#dbe3ea",
            primary="#3f6f93",
            secondary="#6b8296",
            accent="#8fc7ee",
        ),
        _frame(
            "paper",
            background="#f4f0e6",
            surface="#e6dfcf",
            panel="#d3c9b4",
            foreground="#2e2a24",
            primary="#a04a2c",
            secondary="#8a7d66",
            accent="#964020",
            error="#a81c1c",
            dark=False,
        ),
        _frame(
            "night",
            background="#0b0d13",
            surface="#151925",
            panel="#283048",
            foreground="#b9c1d4",
            primary="#3a4a86",
            secondary="#55607e",
            accent="#8d9ddf",
        ),
        _frame(
            "jade",
            background="#0f1713",
            surface="#1a2720",
            panel="#2f4639",
            foreground="#dcebdf",
            primary="#2f7a56",
            secondary="#6a8f79",
            accent="#86d3a8",
        ),
        _frame(
            "contrast",
            background="#000000",
            surface="#1a1a1a",
            panel="#404040",
            foreground="#ffffff",
            primary="#0050d0",
            secondary="#ffffff",
            accent="#ffff00",
            error="#ff9090",
        ),
        _frame(
            "deuteranopia",
            background="#10151c",
            surface="#1b2430",
            panel="#304156",
            foreground="#e8e6df",
            primary="#0072b2",
            secondary="#6f8194",
            accent="#e69f00",
            error="#f0e442",
        ),
        _frame(
            "sixteen",
            background="#000000",
            surface="#555555",
            panel="#000000",
            foreground="#ffffff",
            primary="#0000aa",
            secondary="#aaaaaa",
            accent="#ffff55",
            error="#ff5555",
            faint="#aaaaaa",
            focused="#0000aa",
        ),
        _frame(
            "sixteen-light",
            background="#ffffff",
            surface="#aaaaaa",
            panel="#ffffff",
            foreground="#000000",
            primary="#0000aa",
            secondary="#555555",
            accent="#0000aa",
            error="#aa0000",
            dark=False,
            faint="#555555",
            focused="#ffff55",
        ),
    )
}
"""The frames by the board they were made for; those called ``sixteen`` are for terminals with sixteen colours."""


# Terminals with 256 colours. Rich rounds red, green and blue separately, which turns light browns into pink and mauve.

_LEVELS: Final = (0, 95, 135, 175, 215, 255)
_GROUNDS: Final[dict[str, RGB]] = {"slate": (95, 135, 175), "night": (108, 108, 108)}
"""The grounds, by the name of the board, where the nearest would be that of another board, or too dark for copies."""
_HUE: Final = 2.0


def palette256(palette: Palette) -> Palette:
    ground = _GROUNDS.get(palette.name) or nearest(palette.bright.board)
    bright = _shades(palette.bright, ground, LEAST)
    copies = nearest(palette.dim.board, ((ground, LEAST_DIMMED["board"]),))
    return palette._replace(
        bright=bright,
        dim=_shades(palette.dim, copies, LEAST_ON_COPIES, bright),
        frame=nearest(palette.frame),
    )


def frame256(theme: Theme) -> Theme:
    """Return the frame in the fixed colours, with text in a neutral grey, whose mixtures stay grey."""
    if theme.foreground is None:
        return theme
    grey = round(255 * Color.parse(theme.foreground).brightness)
    return replace(
        theme,
        foreground=written((grey, grey, grey)),
        background=_fixed(theme.background),
        surface=_fixed(theme.surface),
        panel=_fixed(theme.panel),
        variables={name: written(nearest(Color.parse(colour).rgb)) for name, colour in theme.variables.items()},
    )


def _fixed(colour: str | None) -> str | None:
    return colour and written(nearest(Color.parse(colour).rgb))


def _shades(shades: Shades, ground: RGB, least: Mapping[str, float], bright: Shades | None = None) -> Shades:
    """Return shades in the fixed colours with sufficient contrast on a ground, and with what they copy, if copies."""
    found = {}
    for name in Shades._fields:
        if name == "board":
            continue
        kind = "white_fill" if name == "white" else name
        seen_on = [(ground, least.get(kind, 1.0))]
        if bright is not None and kind in LEAST_DIMMED:
            seen_on.append((getattr(bright, name), LEAST_DIMMED[kind]))
        found[name] = nearest(getattr(shades, name), tuple(seen_on))
    stones = ((found["black"], LEAST_ON_STONES), (found["white"], LEAST_ON_STONES))
    found["last"] = nearest(shades.last, stones if least is LEAST else ())
    return Shades(board=ground, **found)


@lru_cache(maxsize=512)
def nearest(colour: RGB, seen_on: tuple[tuple[RGB, float], ...] = ()) -> RGB:
    """Return the most similar of the 240 fixed colours.

    Args:
        colour: the colour wanted.
        seen_on: grounds, each with the minimum contrast.
    """
    wanted = _oklab(colour)
    by_distance = sorted(_known(), key=lambda pair: _distance(pair[1], wanted))
    return next(known for known, _ in by_distance if all(contrast(known, ground) >= least for ground, least in seen_on))


def _distance(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    light, green_red, blue_yellow = (a - b for a, b in zip(one, other, strict=True))
    return light * light + _HUE * (green_red * green_red + blue_yellow * blue_yellow)


@lru_cache(maxsize=1)
def _known() -> tuple[tuple[RGB, tuple[float, float, float]], ...]:
    cube = [(red, green, blue) for red, green, blue in product(_LEVELS, repeat=3)]
    greys = [(level, level, level) for level in range(8, 239, 10)]
    return tuple((colour, _oklab(colour)) for colour in (*cube, *greys))


def _oklab(colour: RGB) -> tuple[float, float, float]:
    """Return lightness and two hue axes of a perceptually uniform colour space (Ottosson, Oklab, 2020)."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in colour)
    )
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )
