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
        return FRAME_PREFIX + frame if frame in BOARDS else frame
    return FRAME_PREFIX + _board_of(board, colours).name


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
    """Return the frames of all boards in colours that the terminal of an app can show."""
    frames = map(theme_of, {board.name: board for board in (*BOARDS.values(), *BOARDS16.values())}.values())
    return map(frame256, frames) if has_256(app) else frames


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


def theme_of(palette: Palette) -> Theme:
    """Return the interface of a board as a Textual theme."""
    colours = palette.interface
    grounds = (colours.background, colours.surface)
    faint = colours.faint and written(colours.faint)
    return Theme(
        name=FRAME_PREFIX + palette.name,
        background=written(colours.background),
        surface=written(colours.surface),
        panel=written(colours.panel),
        foreground=written(colours.foreground),
        primary=written(colours.primary),
        secondary=written(colours.secondary),
        accent=written(colours.accent),
        warning=written(colours.accent),
        error=written(colours.error),
        success=written(colours.secondary),
        dark=colours.dark,
        variables={
            "text-muted": faint or written(readable(colours.foreground, grounds, 0.6, 4.5)),
            "text-disabled": faint or written(readable(colours.foreground, grounds, 0.38, 3.0)),
            **({"focused": written(colours.focused)} if colours.focused else {}),
        },
    )


# Terminals with 256 colours. Rich rounds red, green and blue separately, which turns light browns into pink and mauve.

_LEVELS: Final = (0, 95, 135, 175, 215, 255)
_GROUNDS: Final[dict[str, RGB]] = {"slate": (95, 135, 175), "night": (108, 108, 108)}
"""The grounds, by the name of the board, where the nearest would be that of another board, or too dark for copies."""
_HUE: Final = 2.0


def palette256(palette: Palette) -> Palette:
    stones = ((palette.bright.black, LEAST["black"]), (palette.bright.white_fill, LEAST["white_fill"]))
    ground = _GROUNDS.get(palette.name) or nearest(palette.bright.board, stones)
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
    """Return the most similar of the 240 fixed colours, or where none has the contrast wanted, the one with most of it.

    Args:
        colour: the colour wanted.
        seen_on: grounds, each with the minimum contrast.
    """
    wanted = _oklab(colour)

    def fit(pair: tuple[RGB, tuple[float, float, float]]) -> tuple[float, float]:
        enough = min((contrast(pair[0], ground) / least for ground, least in seen_on), default=1.0)
        return min(enough, 1.0), -_distance(pair[1], wanted)

    return max(_known(), key=fit)[0]


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
