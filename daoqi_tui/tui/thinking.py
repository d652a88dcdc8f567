"""What a player is thinking at the moment, as one line of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daoqi_tui.engine import PASS, Colour, Node, Style, Torus
from daoqi_tui.i18n import _
from daoqi_tui.tui.bound_keys import with_keys

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Answer, Progress


@dataclass(eq=False)
class Thinking:
    """A thought under way.

    Attributes:
        node: the node it is about.
        colour: whose move it looks for.
        name: who thinks.
        since: when it began, in seconds of a steady clock.
        progress: what was told last.
        hurried: whether the player was asked to move at once.
    """

    node: Node
    colour: Colour
    name: str
    since: float
    progress: Progress | None = None
    hurried: bool = False

    def words(self, now: float, torus: Torus, style: Style, room: int) -> str:
        """What it has come to, as much as fits into ``room`` characters: the line of moves is cut first."""
        head = _("{name} thinks").format(name=self.name)
        seconds = _("{seconds} s").format(seconds=f"{max(0.0, now - self.since):.1f}")
        hint = with_keys(_("{clear}: move now"))
        progress = self.progress
        if progress is None or not progress.lines:
            return _joined([head, seconds, hint], room)
        best = progress.lines[0]
        parts = [
            head,
            evaluations(progress),
            seconds,
            f"{move_name(best.move, torus, style)} {best.win:.0%}",
        ]
        line = line_words(best.line[1:6], torus, style)
        if line and len("  ·  ".join([*parts, line, hint])) <= room:
            parts[-1] += f" {line}"
        return _joined([*parts, hint], room)


def evaluations(found: Progress | Answer) -> str:
    """How much is behind an answer, in words."""
    words = _("{count} positions judged") if found.by_network else _("{count} playouts")
    return words.format(count=f"{found.playouts:,}")


def _joined(parts: list[str], room: int) -> str:
    """The parts in one line: closer together, then without the last, where they do not fit."""
    wide, close = "  ·  ".join(parts), " · ".join(parts)
    return wide if len(wide) <= room else close if len(close) <= room else " · ".join(parts[:-1])


def move_name(move: int, torus: Torus, style: Style) -> str:
    """A move as a person names it."""
    return _("pass") if move == PASS else torus.name(move, style)


def line_words(line: tuple[int, ...], torus: Torus, style: Style) -> str:
    """Moves one after the other."""
    return " ".join(move_name(move, torus, style) for move in line)
