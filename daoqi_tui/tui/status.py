"""The status line: messages, progress, what is under the pointer; and the clocks, which run by themselves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from daoqi_tui.engine import IllegalMove
from daoqi_tui.i18n import _, translate
from daoqi_tui.paths import SLOW
from daoqi_tui.play.background import Wait, shown
from daoqi_tui.play.evaluation import GRADE_NAMES, Grade
from daoqi_tui.play.match import View
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import (
    colour_word,
    describe_chain,
    describe_move,
    describe_result,
    describe_unsaved,
    fitting,
    with_keys,
)
from daoqi_tui.text import plain_line
from daoqi_tui.tui.host import Feature, Host
from daoqi_tui.tui.look import tone

if TYPE_CHECKING:
    from daoqi_tui.ai.process import PlayerError
    from daoqi_tui.play.keeper import Keeper

_LINE_DELAY: Final = 0.12
"""The delay in seconds between moving the pointer and describing its target."""
_TELL: Final = 0.25
_SPOKEN: Final = 4.0
"""Seconds for which a message is shown over a board that fills the window."""
_STAYS: Final = 2.5
"""Seconds for which a message is shown before progress may replace it."""


class StatusLine(Widget):
    """The status line of a game screen.

    Args:
        host: the screen.

    Attributes:
        text: the message that was shown last.
        said_at: when it was written.
        connection: the line of an online game about it, at the right.
    """

    connection = reactive("")

    def __init__(self, host: Host) -> None:
        super().__init__(id="status")
        self._host = host
        self.text = ""
        self._shown = ""
        """That message, or the one of before where a dialog covers the line: it stands still there."""
        self.said_at = 0.0
        # A message about what came after a move that is not on the disk yet; that move does not replace it.
        self._is_ahead = False
        self._line_timer: Timer | None = None
        self._hide_timer: Timer | None = None
        self._progress_timer: Timer | None = None

    def render(self) -> Text:
        """Return the message and, right-aligned, the point under the cursor or the mouse, for the width it has.

        After the point comes the connection of an online game, as much of it as fits, but rather than the point.
        """
        host = self._host
        game, point = host.match.game, host.cursor.pointed_at
        there = game.torus.name(point, host.options.names)
        chain = game.board.chain_at(point)
        if chain is not None:
            there += f" · {describe_chain(chain)}"
        # A low window has no line of hints.
        menu = f"  {_('Menu')}" if host.has_class("-low") else ""
        room = self.content_size.width - cell_len(menu)
        message = fitting(self._shown.split("  ·  "), room)
        text = Text(message, no_wrap=True, overflow="ellipsis")
        room -= cell_len(message)
        for before in (f"{there}   ", "") if self.connection else ():
            line = before + fitting(self.connection.split(" · "), room - cell_len(before) - 2)
            if cell_len(line) + 2 <= room:
                there = line
                break
        if room < cell_len(there) + 2:
            # The menu is kept, since a user without a keyboard needs it.
            there = ""
        if there or (menu and room >= 0):
            text.append(" " * (room - cell_len(there)) + there, style=tone(self, "muted"))
            text.append(menu, style=Style(bold=True, meta={"@click": "screen.command('palette')"}))
        return text

    def say(self, text: str) -> None:
        """Show a message until the position changes; for a while even if a computer is thinking."""
        self.said_at = monotonic()
        self._is_ahead = not self._host.match.written
        self.show_line(_without_stops(text))
        self.speak()

    def speak(self) -> None:
        """Show the line over a board that fills the window, for a while."""
        if self._host.in_focus_mode:
            self.hide()
            self._host.set_class(True, "-speaking")
            self._hide_timer = self._host.set_timer(_SPOKEN, self.hide)

    def hide(self) -> None:
        self._host.set_class(False, "-speaking")
        if self._hide_timer is not None:
            self._hide_timer.stop()
            self._hide_timer = None

    def show_line_soon(self) -> None:
        """Describe the pointer's target a moment after it moved, not at every step of a pan."""
        if self._line_timer is None:
            self._line_timer = self._host.set_timer(_LINE_DELAY, self.show_line)

    def show_line(self, text: str | None = None) -> None:
        """Show a message, by default that of before, and right-aligned the point under the cursor or the mouse."""
        if text is not None:
            # A name of a file may hold anything.
            self.text = text if text.isprintable() else plain_line(text)
        if self._line_timer is not None:
            self._line_timer.stop()
            self._line_timer = None
        if not self._host.is_covered():
            self._shown = self.text
            self.refresh()

    def show(self, view: View, standing: str | None, *, urgent: bool) -> None:
        """Show the state of the game.

        Args:
            view: the position.
            standing: what a feature says in place of the state of the game, None if none does.
            urgent: whether that stands even while a computer is thinking.
        """
        match = self._host.match
        is_ahead, self._is_ahead = self._is_ahead, False
        if urgent and standing is not None:
            self.said_at = monotonic()
            self.show_line(_without_stops(standing))
        elif match.turns.thinking is not None:
            if not is_ahead:
                self.said_at = 0.0
            self.show_progress()
        elif match.turns.trouble is not None and not view.is_over:
            self.say(_describe_trouble(match.turns.trouble))
        elif standing is not None:
            self.say(standing)
        elif view.result is not None:
            parts = describe_result(view.result), with_keys(_("{resume} resumes the game, {new_game} starts a new one"))
            self.say(fitting(parts, self._host.size.width - 2))
        elif not is_ahead:
            text = _("{colour} to move").format(colour=colour_word(view.to_move))
            if self._host.online is not None and match.awaits_person:
                text = _("Your move")
            move = view.node.move
            if move is not None:
                text += "  ·  " + _("last: {colour} {move}").format(
                    colour=colour_word(move.colour), move=describe_move(view.node, view.torus, view.names)
                )
                if view.evaluated:
                    text += _describe_grade(view)
            # Not shown over a board that fills the window: the board itself shows the move.
            self.said_at = monotonic()
            self.show_line(text)

    def waiting(
        self, wait: Wait, *, at_once: bool = True, unless: Callable[[], object] = lambda: False
    ) -> AbstractContextManager[Wait]:
        """Show what is waited for while it lasts; later messages stay for a while, a thought's progress always."""
        if at_once:
            self.say(wait.describe())
        own = self.text

        def show(text: str) -> None:
            nonlocal own
            replaces = self.text == own or monotonic() - self.said_at >= _STAYS
            if replaces and self._host.match.turns.thinking is None and not unless():
                self.show_line(text)
                own = self.text

        return shown(wait, self._host.set_interval, show)

    def follow_thought(self) -> None:
        """Show the progress of the thinking computer repeatedly until it has moved."""
        if self._progress_timer is None:
            self._progress_timer = self._host.set_interval(_TELL, self.show_progress)
        self.said_at = 0.0
        self.show_progress()

    def show_progress(self) -> None:
        """Show the progress of the thinking computer, unless a message was just shown."""
        host, thought, now = self._host, self._host.match.turns.thinking, monotonic()
        if thought is None:
            if self._progress_timer is not None:
                self._progress_timer.stop()
                self._progress_timer = None
        elif now - self.said_at >= _STAYS:
            room = max(30, host.size.width - 10)
            self.show_line(thought.describe(now, host.match.game.torus, host.options.names, room))


def _describe_grade(view: View) -> str:
    place = bisect_left(view.evaluated, view.node.depth, key=lambda move: move.node.depth)
    evaluated = view.evaluated[place] if place < len(view.evaluated) else None
    if evaluated is None or evaluated.node is not view.node or evaluated.grade == Grade.GOOD:
        return ""
    text = _("{grade}, {lost} points lost")
    return "  ·  " + text.format(grade=_(GRADE_NAMES[evaluated.grade]), lost=f"{evaluated.lost:.1f}")


def _without_stops(text: str) -> str:
    """Return a line without the full stops of its parts, which text mode says with them; an ellipsis stays."""
    between = "  ·  "
    parts = (part if part.endswith("..") else part.removesuffix(".") for part in text.split(between))
    return between.join(part.removesuffix("。") for part in parts)


def _describe_trouble(problem: PlayerError | IllegalMove) -> str:
    if isinstance(problem, IllegalMove):
        return _("The computer's move is illegal: {reason}").format(reason=translate(problem))
    return with_keys(_("{problem}  ·  {step} asks again, {players} changes the players"), problem=translate(problem))


_TICK: Final = 0.2
_SHORT: Final = 10
"""The last seconds of a period, each of which rings the bell."""


class Clocks(Feature):
    """Shows running clocks and waiting moves, and rings in the last seconds."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._timer: Timer | None = None
        self._disk_timer: Timer | None = None
        self._second = -1

    def begin(self, session: Session) -> None:
        """Switch to the clocks of another session, if it has any."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if session.clock is not None:
            self._timer = self.host.set_interval(_TICK, self.tick)

    def tick(self) -> None:
        clock = self.match.session.clock
        if clock is None or clock.running is None:
            return
        self.match.tick()
        if clock.running is None:
            return
        self.host.show_game()
        second = int(clock.left(clock.running, monotonic()).seconds)
        if second < _SHORT and second != self._second:
            self.host.ring("time")
        self._second = second

    def watch_disk(self, keeper: Keeper) -> None:
        """Show every second how long moves have been waiting for the disk, until they are on it."""
        waits = keeper.waited > 0
        if waits and self._disk_timer is None:
            self._disk_timer = self.host.set_interval(SLOW, partial(self._show_waiting, keeper))
        elif not waits and self._disk_timer is not None:
            self._disk_timer.stop()
            self._disk_timer = None

    def _show_waiting(self, keeper: Keeper) -> None:
        unsaved = describe_unsaved(keeper.failing, keeper.waited)
        if unsaved is not None and self.host.in_focus_mode:
            # The board that fills the window hides the mark.
            self.host.say(_("{mark}: {why}").format(mark=unsaved[0], why=unsaved[1]))
        self.host.show_game()
