"""Colours of the frame's theme for text that panes write themselves."""

from __future__ import annotations

from typing import Literal

from rich.style import Style
from textual.color import Color
from textual.widget import Widget

Tone = Literal["foreground", "accent", "primary", "error", "muted"]


def tone(widget: Widget, name: Tone, *, bold: bool | None = None) -> Style:
    """Return the style of a tone in the theme that the app wears now."""
    variables = widget.app.theme_variables
    ink = Color.parse(variables["foreground" if name == "muted" else name])
    if name != "muted":
        return Style(color=ink.rich_color, bold=bold)
    paper = Color.parse(variables["background"])
    if ink.ansi is not None or paper.ansi is not None:
        return Style(dim=True, bold=bold)
    return Style(color=paper.blend(ink, 0.65).rich_color, bold=bold)
