"""What the board and its frame look like: what the person chose, as far as the terminal can show it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from textual.app import App
from textual.theme import Theme

from daoqi_tui.tui.glyphs import Glyphs, glyphs_for
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.palette import Palette
from daoqi_tui.tui.themes import FRAMES, Colours, frame_for, palette_for

_FEW: Final = ("standard", "windows", None)
"""What rich calls the ways of terminals with sixteen colours or fewer."""
_PLAIN_TERMINALS: Final = ("linux", "vt", "ansi", "dumb")
"""How the names of terminals begin whose fonts have few signs."""


class Look(NamedTuple):
    """How a board is drawn."""

    palette: Palette
    glyphs: Glyphs


def colours_of(app: App[Any]) -> Colours:
    """How many colours the terminal of an app has."""
    if app.no_color:
        return "none"
    return "sixteen" if app.console.color_system in _FEW else "many"


def look_for(app: App[Any], options: Options, *, wide_signs: bool = False) -> Look:
    """Return how the board is drawn in the theme that the app wears."""
    colours = colours_of(app)
    glyphs = glyphs_for(
        options.glyphs, many_colours=colours == "many", plain_text=wide_signs or wants_plain_text(os.environ)
    )
    palette = palette_for(options.board, app.current_theme, colours)
    if has_256(app) and not palette.plain:
        from daoqi_tui.tui.colours256 import palette256  # noqa: PLC0415 (most terminals have all colours)

        palette = palette256(palette)
    return Look(palette, glyphs)


def frames_for(app: App[Any]) -> Iterable[Theme]:
    """Return our frames as the terminal of an app can show them."""
    if not has_256(app):
        return FRAMES.values()
    from daoqi_tui.tui.colours256 import frame256  # noqa: PLC0415

    return map(frame256, FRAMES.values())


def has_256(app: App[Any]) -> bool:
    """Whether the terminal of an app has 256 colours and no more."""
    return app.console.color_system == "256"


def theme_for(app: App[Any], options: Options) -> str:
    """Return the name of the theme that the app should wear."""
    name = frame_for(options.board, options.frame, colours_of(app))
    return name if name in app.available_themes else frame_for(options.board, "auto", colours_of(app))


def wants_plain_text(environment: Mapping[str, str]) -> bool:
    """Whether the terminal has to be sent ASCII: it says that it knows another character set, or has few signs.

    Where nothing is said (C, POSIX) UTF-8 is taken for granted: so most containers are set up.
    """
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    _language, _dot, charset = locale.partition(".")
    if charset and charset.partition("@")[0].lower().replace("-", "") not in ("utf8", ""):
        return True
    return environment.get("TERM", "").startswith(_PLAIN_TERMINALS)
