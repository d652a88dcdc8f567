"""Choose the look of the board and its frame: the user's choice, as far as the terminal supports it.

Board and frame are separate settings; the frame ``auto`` is the one made for the board. The colours themselves are in
:mod:`daoqi_tui.tui.look.boards`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

from textual.app import App
from textual.color import Color
from textual.theme import Theme

from daoqi_tui.play.looks import Options
from daoqi_tui.tui.board.glyphs import Glyphs, glyphs_for
from daoqi_tui.tui.graphics.kitty import PLAIN_TERMINALS
from daoqi_tui.tui.look.boards import BOARDS, FRAME_PREFIX, FRAMES
from daoqi_tui.tui.look.palette import KAYA, Palette, framed

Colours = Literal["none", "sixteen", "many"]
"""The number of colours of a terminal; 256 are many."""


def frame_for(board: str, frame: str, colours: Colours) -> str:
    """Return the name of the Textual theme for a choice of board and frame."""
    if colours == "none":
        return "ansi-dark"
    if frame != "auto":
        return FRAME_PREFIX + frame if frame in FRAMES else frame
    return FRAMES[_board_of(board, colours).name].name


def palette_for(board: str, frame: Theme, colours: Colours) -> Palette:
    """Return the colours of a board within a frame."""
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
    if colours != "sixteen":
        return BOARDS[name]
    from daoqi_tui.tui.look.boards import BOARDS16  # noqa: PLC0415 (few terminals have so few colours)

    return BOARDS16[name]


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
    """Return the number of colours of an app's terminal."""
    if app.no_color:
        return "none"
    return "sixteen" if app.console.color_system in _FEW else "many"


def board_style_for(app: App[Any], options: Options, *, wide_signs: bool = False) -> BoardStyle:
    """Return the style of the board in the theme of the app."""
    colours = colours_of(app)
    glyphs = glyphs_for(
        options.glyphs, many_colours=colours == "many", plain_text=wide_signs or wants_plain_text(os.environ)
    )
    palette = palette_for(options.board, app.current_theme, colours)
    painted = palette if colours != "sixteen" else palette_for(options.board, app.current_theme, "many")
    if has_256(app) and not palette.plain:
        from daoqi_tui.tui.look.palette import palette256  # noqa: PLC0415 (most terminals have all colours)

        palette = palette256(palette)
    return BoardStyle(palette, glyphs, painted)


def frames_for(app: App[Any]) -> Iterable[Theme]:
    """Return the program's frames in colours that the terminal of an app can show."""
    if not has_256(app):
        return FRAMES.values()
    from daoqi_tui.tui.look.palette import frame256  # noqa: PLC0415

    return map(frame256, FRAMES.values())


def has_256(app: App[Any]) -> bool:
    """Return whether the terminal of an app has 256 colours and no more."""
    return app.console.color_system == "256"


def theme_for(app: App[Any], options: Options) -> str:
    """Return the name of the theme for the app."""
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
