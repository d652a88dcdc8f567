"""Writes what panes and dialogs show in ASCII, for terminals that show nothing else or draw signs two cells wide.

Chinese and other text stays: only signs that are one cell wide by Unicode are replaced, by one character each.
"""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SIGNS: Final = str.maketrans(
    {
        "●": "X", "○": "O", "◉": "#", "◎": "@", "◇": "*", "◆": "#", "■": "#", "□": "+", "▪": "+", "▫": "-",
        "▶": ">", "▸": ">", "►": ">", "◀": "<", "◂": "<", "◄": "<", "▲": "^", "△": "^", "▴": "^", "▵": "^",
        "▼": "v", "▽": "v", "▾": "v", "←": "<", "→": ">", "↑": "^", "↓": "v", "⇧": "^", "↔": "-", "↕": "|",
        "•": "*", "·": "-", "…": "~", "×": "x", "−": "-", "–": "-", "—": "-", "±": "~", "✓": "v", "✗": "x",
        "†": "+", "‡": "+", "“": '"', "”": '"', "‘": "'", "’": "'", "°": "o", "»": ">", "«": "<", "⊗": "o",
    }
)  # fmt: skip
_LINES: Final = str.maketrans(
    dict.fromkeys("─━┄┅┈┉╌╍╴╶═▔▁▂", "-")
    | dict.fromkeys("│┃┆┇┊┋╎╏║▏▕▎▍", "|")
    | dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋", "+")
    | dict.fromkeys("█▉▊▋▌▐▇▆▅▓▀▄▃▖▗▘▝▚▞▙▛▜▟", "#")
    | dict.fromkeys("▒░", ":")
)


def ascii_text(text: str) -> str:
    """Write signs and frames in ASCII; what else there is stays."""
    return text if text.isascii() else text.translate(_SIGNS).translate(_LINES)


class AsciiFilter(LineFilter):
    """Applies :func:`ascii_text` to every line on the screen."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 (Textual's form)
        """Rewrite one line."""
        return [Segment(ascii_text(text), style, control) for text, style, control in segments]
