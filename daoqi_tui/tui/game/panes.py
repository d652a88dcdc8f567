"""The panes next to or below the board, including the clocks, and the status line."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer
from textual.widgets import Static

from daoqi_tui.engine import BLACK, WHITE, IllegalMove, Node, points_text
from daoqi_tui.i18n import _, words_of
from daoqi_tui.play.evaluation import GRADE_NAMES, Grade
from daoqi_tui.play.session import Session
from daoqi_tui.play.words import (
    SLOW,
    chain_words,
    colour_word,
    fitting,
    move_words,
    result_words,
    unsaved_words,
    with_keys,
)
from daoqi_tui.tui.look.text import tone
from daoqi_tui.tui.panes.pane import AreaPane, CommentPane, GamePane, GameState, Tally, entitle
from daoqi_tui.tui.panes.side import SIDE_PANES, SidePane

if TYPE_CHECKING:
    from daoqi_tui.ai.process import PlayerError
    from daoqi_tui.play.keeper import Keeper
    from daoqi_tui.tui.game.screen import GameScreen

_TICK: Final = 0.2
"""Seconds between updates of the clocks."""
_SHORT: Final = 10
"""The last seconds of a period, each of which rings the bell."""
LONGEST_COMMENT: Final = 20_000
"""The maximum number of characters of a comment that are shown: millions would take minutes to wrap."""


class Panes(Container):
    """The panes of a game screen.

    Attributes:
        side: the pane chosen for the side's lower part.
    """

    def __init__(self, screen: GameScreen) -> None:
        super().__init__(id="panes")
        self._of = screen
        self.side = SIDE_PANES[0]
        self._timer: Timer | None = None
        self._disk_timer: Timer | None = None
        self._second = -1
        """The last shown second of the clock."""

    def compose(self) -> ComposeResult:
        """Lay out the panes."""
        yield GamePane(id="game")
        yield AreaPane(id="area")
        yield CommentPane(id="comment")
        yield _box(self.side)

    def begin(self, session: Session) -> None:
        """Switch to the clocks of another session, if it has any."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if session.clock is not None:
            self._timer = self.set_interval(_TICK, self.tick)

    def tick(self) -> None:
        """Check the running clock: a side whose time is up loses, and the last seconds ring the bell."""
        clock = self._of.session.clock
        if clock is None or clock.running is None:
            return
        self._of.match.tick()
        if clock.running is None:
            return
        self.show_game()
        second = int(clock.left(clock.running, monotonic()).seconds)
        if second < _SHORT and second != self._second:
            self._of.ring("time")
        self._second = second

    def show(self) -> None:
        """Update all panes."""
        self.show_game()
        self._show_area()
        self._show_comment()
        self.feed_side()

    def show_game(self) -> None:
        """Show who is to move, with the clocks, captures and passes, once the corresponding change is on disk."""
        screen = self._of
        if screen.is_covered() or not screen.match.written:
            return
        session, game = screen.session, screen.session.game
        unsaved = unsaved_words(screen.keeper) if screen.online is None else screen.online.unsaved_words()
        screen.set_class(unsaved is not None, "-not-saved")
        self._watch_disk(screen.keeper)
        result, clock, now, board = game.result, session.clock, monotonic(), game.board
        self.query_one(GamePane).show(
            GameState(
                game.to_move,
                game.node.number,
                (session.player(BLACK), session.player(WHITE)),
                (clock.left(BLACK, now), clock.left(WHITE, now)) if clock is not None else None,
                Tally(*board.captured[1:]),
                Tally(*board.suicided[1:]),
                Tally(game.passes(BLACK), game.passes(WHITE)),
                game.rules.pass_cost,
                str(result) if result else "",
                _("{size}×{size}, komi {komi}").format(size=game.torus.size, komi=points_text(game.komi)),
                unsaved,
                screen.online.line_words() if screen.online is not None else "",
            )
        )

    def _watch_disk(self, keeper: Keeper | None) -> None:
        """Show every second how long moves have been waiting for the disk, until they are on it."""
        waits = keeper is not None and keeper.waited > 0
        if waits and self._disk_timer is None:
            # Of the screen, since the panes may be hidden.
            self._disk_timer = self._of.set_interval(SLOW, self._show_waiting)
        elif not waits and self._disk_timer is not None:
            self._disk_timer.stop()
            self._disk_timer = None

    def _show_waiting(self) -> None:
        unsaved = unsaved_words(self._of.keeper)
        if unsaved is not None and self._of.has_class("-focus"):
            # The board that fills the window hides the mark.
            self._of.say(_("{mark}: {why}").format(mark=unsaved[0], why=unsaved[1]))
        self.show_game()

    def _show_area(self) -> None:
        shown = next((shown for overlay in self._of.overlays if (shown := overlay.area()) is not None), None)
        self._of.set_class(shown is not None, "-counting")
        if shown is not None:
            pane = self.query_one(AreaPane)
            pane.TITLE, area, ahead = shown
            pane.show(area, ahead)

    def _show_comment(self) -> None:
        online = self._of.online
        text, title = (self._comment(), _("Comment")) if online is None else (online.chat_words(), _("Chat"))
        titled = self._of.has_class("-wide")
        self._of.set_class(bool(text), "-commented")
        self.query_one(CommentPane).show(text, title if titled else None, at_end=online is not None)

    def _comment(self) -> str:
        node = self._of.session.game.node
        if not node.properties:
            return ""
        from daoqi_tui.record.sgf.markup import comment  # noqa: PLC0415
        from daoqi_tui.text import plain  # noqa: PLC0415

        text = comment(node)
        if len(text) > LONGEST_COMMENT:
            text = text[:LONGEST_COMMENT] + "…"
        return plain(text)

    def feed_side(self) -> None:
        """Update the visible panes in the lower part of the side."""
        screen = self._of
        for pane in (self.side, *self.standing):
            for box in self.query_children(f"#{pane.id}-box"):
                entitle(box, _(pane.title) if screen.has_class("-wide") else None)
                widget = next(iter(box.children), None)
                # A pane that is being created is updated when it exists.
                if screen.match.written and widget is not None and widget.is_running:
                    pane.feed(widget, screen)

    @property
    def standing(self) -> tuple[SidePane, ...]:
        """The panes that are always shown below the selected one because there is room."""
        if not self._of.has_class("-wide"):
            return ()
        height = self._of.size.height
        panes = sorted(SIDE_PANES, key=lambda pane: pane.stands_from)
        return tuple(pane for pane in panes if 0 < pane.stands_from <= height and self._may_show(pane))

    @property
    def chosen(self) -> tuple[SidePane, ...]:
        """The panes that Tab cycles through."""
        return tuple(pane for pane in SIDE_PANES if pane not in self.standing and self._may_show(pane))

    def _may_show(self, pane: SidePane) -> bool:
        return self._of.may_help or not pane.helps

    async def show_side(self, pane: SidePane) -> None:
        """Show another pane in the lower part of the side, creating it on first use."""
        if pane not in self.standing:
            self.side = pane
        await self.fit_side()
        # The pane of openings also draws on the board.
        self._of.show_board()

    async def fit_side(self) -> None:
        """Show the panes there is room for, creating them on first use."""
        if not self.is_attached:
            return
        standing = self.standing
        if self.side in standing or not self._may_show(self.side):
            self.side = SIDE_PANES[0]
        for pane in (self.side, *standing):
            # Queried each time: a key may create the pane while another one is being mounted.
            if not self.query_children(f"#{pane.id}-box"):
                await self.mount(_box(pane))
        boxes = {box.id: box for box in self.query_children(".side")}
        standing = tuple(pane for pane in self.standing if f"{pane.id}-box" in boxes)
        below = [boxes[f"{pane.id}-box"] for pane in standing]
        if list(self.children)[len(self.children) - len(below) :] != below:
            for box in below:
                if self.children[-1] is not box:
                    self.move_child(box, after=-1)
        for pane in SIDE_PANES:
            if (shown := boxes.get(f"{pane.id}-box")) is not None:
                shown.display = pane is self.side or pane in standing
                shown.set_class(pane in standing, "-standing")
        self.feed_side()


def _box(pane: SidePane) -> Container:
    """Return a pane in a frame."""
    return Container(pane.make(), id=f"{pane.id}-box", classes="side")


_LINE_DELAY: Final = 0.12
"""The delay in seconds between moving the pointer and describing its target."""
_TELL: Final = 0.25
"""Seconds between updates of a computer's progress."""
_SPOKEN: Final = 4.0
"""Seconds for which a message is shown over a board that fills the window."""
_STAYS: Final = 2.5
"""Seconds for which a message is shown before progress may replace it."""


class StatusLine:
    """The contents of the status line of a game screen.

    Attributes:
        widget: the widget that shows it.
        said_at: when the last message was written.
    """

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self.widget = Static("", id="status")
        self.said_at = 0.0
        # A message about what came after a move that is not on the disk yet; that move does not replace it.
        self._is_ahead = False
        self._words = ""
        self._shown = Text()
        self._line_timer: Timer | None = None
        self._hush_timer: Timer | None = None
        self._progress_timer: Timer | None = None

    @property
    def words(self) -> str:
        """The message that was shown last."""
        return self._words

    def say(self, words: str) -> None:
        """Show a message until the position changes; for a while even if a computer is thinking."""
        self.said_at = monotonic()
        self._is_ahead = not self._screen.match.written
        self._write(words)
        self.speak()

    def speak(self) -> None:
        """Show the line over a board that fills the window, for a while."""
        screen = self._screen
        if screen.has_class("-focus"):
            self.hush()
            screen.add_class("-speaking")
            self._hush_timer = screen.set_timer(_SPOKEN, self.hush)

    def hush(self) -> None:
        """Remove the line from the board."""
        self._screen.remove_class("-speaking")
        if self._hush_timer is not None:
            self._hush_timer.stop()
            self._hush_timer = None

    def _write(self, words: str) -> None:
        if not words.isprintable():
            from daoqi_tui.text import plain_line  # noqa: PLC0415 (a name of a file may hold anything)

            words = plain_line(words)
        self._words = words
        self.show_line()

    def show_line_soon(self) -> None:
        """Describe the pointer's target a moment after it moved, not at every step of a pan."""
        if self._line_timer is None:
            self._line_timer = self._screen.set_timer(_LINE_DELAY, self.show_line)

    def show_line(self) -> None:
        """Show the message, and right-aligned the point under the cursor or the mouse."""
        if self._line_timer is not None:
            self._line_timer.stop()
            self._line_timer = None
        if not self._screen.is_covered():
            self.fit_line()

    def fit_line(self) -> None:
        """Show the line as it fits the window, which may have changed its size below a dialog."""
        screen, status = self._screen, self.widget
        game, point = screen.session.game, screen.cursor.pointed_at
        there = game.torus.name(point, screen.options.names)
        chain = game.board.chain_at(point)
        if chain is not None:
            there += f" · {chain_words(chain)}"
        # A low window has no line of hints.
        menu = f"  {_('Menu')}" if screen.has_class("-low") else ""
        room = status.content_size.width - cell_len(menu)
        words = fitting(self._words.split("  ·  "), room)
        text = Text(words, no_wrap=True, overflow="ellipsis")
        room -= cell_len(words)
        if room < cell_len(there) + 2:
            # The menu is kept, since a user without a keyboard needs it.
            there = ""
        if there or (menu and room >= 0):
            text.append(" " * (room - cell_len(there)) + there, style=tone(screen, "muted"))
            text.append(menu, style=Style(bold=True, meta={"@click": "screen.command('palette')"}))
        if text != self._shown or text.spans != self._shown.spans:
            self._shown = text
            status.update(text, layout=False)

    def show(self) -> None:
        """Show the state of the game."""
        screen, match = self._screen, self._screen.match
        game = match.game
        result = game.result
        is_ahead, self._is_ahead = self._is_ahead, False
        online = screen.online.status_words() if screen.online is not None else None
        if online is not None:
            self.said_at = monotonic()
            self._write(online)
        elif match.thinking is not None:
            if not is_ahead:
                self.said_at = 0.0
            self.show_progress()
        elif match.trouble is not None and not game.is_over:
            self.say(_trouble_words(match.trouble))
        elif screen.counting.marking_dead:
            self.say(_marking_words(screen))
        elif result is not None:
            parts = result_words(result), with_keys(_("{resume} resumes the game, {new_game} starts a new one"))
            self.say(fitting(parts, screen.size.width - 2))
        elif not is_ahead:
            words = _("{colour} to move").format(colour=colour_word(game.to_move))
            if screen.online is not None and match.awaits_person:
                words = _("Your move")
            move = game.node.move
            if move is not None:
                words += "  ·  " + _("last: {colour} {move}").format(
                    colour=colour_word(move.colour), move=move_words(game.node, game.torus, screen.options.names)
                )
                words += _grade_words(screen, game.node)
            # Not shown over a board that fills the window: the board itself shows the move.
            self.said_at = monotonic()
            self._write(words)

    def follow_thought(self) -> None:
        """Show the progress of the thinking computer repeatedly until it has moved."""
        if self._progress_timer is None:
            self._progress_timer = self._screen.set_interval(_TELL, self.show_progress)
        self.said_at = 0.0
        self.show_progress()

    def show_progress(self) -> None:
        """Show the progress of the thinking computer, unless a message was just shown."""
        screen, thought, now = self._screen, self._screen.match.thinking, monotonic()
        if thought is None:
            if self._progress_timer is not None:
                self._progress_timer.stop()
                self._progress_timer = None
        elif now - self.said_at >= _STAYS:
            room = max(30, screen.size.width - 10)
            self._write(thought.words(now, screen.session.game.torus, screen.options.names, room))


def _grade_words(screen: GameScreen, node: Node) -> str:
    """Describe the points lost by a move, if known and worth mentioning."""
    judged = next((move for move in screen.judged() if move.node is node), None)
    if judged is None or judged.grade == Grade.GOOD:
        return ""
    words = _("{grade}, {lost} points lost ({source})").format(
        grade=_(GRADE_NAMES[judged.grade]), lost=f"{judged.lost:.1f}", source=judged.after.source_words()
    )
    return f"  ·  {words}"


def _marking_words(screen: GameScreen) -> str:
    """Describe the computer's proposal, the effect of the dead stones, and how marking ends."""
    from daoqi_tui.play.dead_stones import difference_words  # noqa: PLC0415 (a game has to end first)

    proposal = screen.counting.proposal
    parts = [*difference_words(screen.session.game), with_keys(_("a click marks, {dead} ends marking"))]
    return fitting(parts if proposal is None else [proposal.words(), *parts], screen.size.width - 2)


def _trouble_words(problem: PlayerError | IllegalMove) -> str:
    """Describe why the computers are stopped."""
    if isinstance(problem, IllegalMove):
        return _("The computer's move is illegal: {reason}").format(reason=words_of(problem))
    return with_keys(_("{problem}  ·  {step} asks again, {players} changes the players"), problem=words_of(problem))
