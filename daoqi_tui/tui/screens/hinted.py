"""Screens with a cursor; screens and dialogs that show their keys: as many as fit on a line, and all on a page."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen, ScreenResultType
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import Static

from daoqi_tui.engine import PASS, Game
from daoqi_tui.i18n import _
from daoqi_tui.pictures.picture import Ghost, Picture
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.board.screen import STEPS, BoardScreen, Cursor
from daoqi_tui.tui.fitting import fit_soon, window_classes
from daoqi_tui.tui.look import Options, Paragraph, folded
from daoqi_tui.tui.panes import KeyHint, hint_line, lit
from daoqi_tui.tui.screens import FRAME_ENDS, DialogResult, DismissibleDialog, closing_hint

_SCROLL_BAR: Final = 1


class KeyList(DismissibleDialog[str | None]):
    """The list of all keys of a screen; its result is the action of the one that was clicked.

    Args:
        hints: the keys.
    """

    BINDINGS = [Binding("escape,question_mark,f1,q,enter", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, hints: Sequence[KeyHint]) -> None:
        super().__init__()
        self._hints = hints

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog", id="keys") as page:
            page.border_title = _("Keys")
            page.border_subtitle = closing_hint()
            yield Static(self._lines())

    def fit(self) -> None:
        text, lines = self.query_one("#keys > Static", Static), self._lines()
        if lines != text.content:  # Other contents are another layout.
            text.update(lines)

    def _lines(self) -> Content:
        """Return the keys, with what they do beside them, or below where the window is too narrow."""
        room = self.app.size.width - FRAME_ENDS - _SCROLL_BAR
        keys, deeds = (
            max(map(cell_len, words)) for words in zip(*((it.key, it.deed) for it in self._hints), strict=True)
        )
        width = keys + 2 if keys + 2 + deeds <= room else 0
        return Content("\n").join(self._line(place, width, room) for place in range(len(self._hints)))

    def _line(self, place: int, width: int, room: int) -> Content:
        hint = self._hints[place]
        line = Content.styled(hint.key, "bold")
        if width:
            line += " " * (width - cell_len(hint.key)) + hint.deed
        else:
            line += "".join(f"\n  {part}" for part in folded(Text(hint.deed), room - 2).plain.split("\n"))
        return line.stylize(f"@click=screen.run_key({place})") if hint.action else line

    def action_run_key(self, place: int) -> None:
        self.dismiss(self._hints[place].action)


class KeyLine(Static):
    """The line that shows the keys of a screen."""

    DEFAULT_CSS = """
    KeyLine {
        height: 1;
        padding: 0 1;
        color: $text-muted;
        link-style: none;
        link-color: $text-muted;
        link-background: transparent;
        link-style-hover: none;
        link-color-hover: $foreground;
        link-background-hover: transparent;
    }
    """

    def render_line(self, y: int) -> Strip:
        return lit(self, super().render_line(y))


def key_line(hints: Sequence[KeyHint], width: int, key: str = "?") -> Content:
    """Return as many keys as fit, ending with ``key``, which lists all of them, and the key that leaves."""
    *others, leave = hints
    return hint_line((*others, KeyHint(key, _("Keys"), "screen.list_keys"), leave), width, last=2, least=3)


def list_keys(screen: Screen[Any], hints: Sequence[KeyHint]) -> None:
    """List all keys of a screen; a click on one runs its action."""

    async def run(action: str | None) -> None:
        if action is not None:
            await screen.run_action(action)

    screen.app.push_screen(KeyList(hints), run)


class HintedDialog(DismissibleDialog[DialogResult]):
    """A dialog that shows its keys on the lower edge of its frame, and lists all of them at F1.

    Attributes:
        list_key: the key for the list that the edge names, another one if a subclass binds it.
    """

    BINDINGS = [Binding("f1", "list_keys", show=False)]  # noqa: RUF012 (Textual's form)
    list_key: ClassVar = "?"

    @abstractmethod
    def key_hints(self) -> Sequence[KeyHint]:
        """Return the keys and their current effects, the most important first and the key that leaves last."""

    def show_hints(self) -> None:
        frame = self.query_one(".dialog")
        width = frame.outer_size.width or self.app.size.width
        frame.border_subtitle = key_line(self.key_hints(), width - FRAME_ENDS, self.list_key)

    def fit(self) -> None:
        self.show_hints()

    def action_list_keys(self) -> None:
        list_keys(self, self.key_hints())


class CursorScreen(BoardScreen[ScreenResultType]):
    """A screen with a cursor on its board, panned by keys and mouse; the cursor stays in the window.

    Args:
        board: the board.
        classes: as of other screens.

    Attributes:
        board: the board.
        cursor: the points of the keyboard and the mouse.
    """

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("0", "reset_view", show=False),
        *(Binding(way, f"pan('{way}')", show=False) for way in STEPS),
        *(Binding(f"shift+{way}", f"pan('{way}', 4)", show=False) for way in STEPS),
        *(
            Binding(key, f"cursor('{way}')", show=False)
            for key, way in zip("hjkl", ("left", "down", "up", "right"), strict=True)
        ),
    ]

    def __init__(self, board: BoardView, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.board: Final = board
        self.cursor: Final = Cursor(board, self.show_board)

    def on_mount(self) -> None:
        self.board.resized.subscribe(self, lambda _board: self.cursor.keep_in_view(), immediate=True)

    @abstractmethod
    def show_board(self) -> None:
        """Show the position."""

    def panned(self, points: int) -> None:
        """Handle a pan by a number of points."""

    def action_pan(self, way: str, points: int = 1) -> None:
        right, down = STEPS[way]
        self.cursor.pan(right * points, down * points)
        self.panned(points)

    def action_cursor(self, way: str) -> None:
        self.cursor.move(*STEPS[way])
        self.cursor.put(self.cursor.point)

    def action_reset_view(self) -> None:
        self.cursor.reset_view()

    def point_recentred(self, point: int) -> None:
        self.cursor.centre_view(point)

    def point_hovered(self, point: int | None) -> None:
        self.cursor.hovered = point
        self.show_board()

    def on_board_view_panned(self) -> None:
        """Keep the cursor in the window that the mouse moved; each message counts as a pan by one point."""
        self.cursor.keep_in_view()
        self.panned(1)


class HintedScreen(CursorScreen[ScreenResultType]):
    """A screen that shows its keys on the last line, and lists all of them at ``?``."""

    BINDINGS = [Binding("question_mark,f1", "list_keys", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, board: BoardView) -> None:
        super().__init__(board, classes=window_classes(type(self), self.app.size))

    @abstractmethod
    def key_hints(self) -> Sequence[KeyHint]:
        """Return the keys and their current effects, the most important first and the key that leaves last."""

    def show_hints(self) -> None:
        self.query_one(KeyLine).update(key_line(self.key_hints(), self.size.width - 2), layout=False)

    def action_list_keys(self) -> None:
        list_keys(self, self.key_hints())


WIDE: Final = 76
"""The minimum number of columns for text beside the board."""


class Answer(Static):
    """The answer to the last move, brought into view whenever its size changes: in a low window it may be out of it."""

    def on_resize(self) -> None:
        fit_soon(self)

    def fit(self) -> None:
        if self.size:  # Else it would be put off in a callback.
            self.scroll_visible(animate=False, immediate=True)


class StudyScreen(HintedScreen[None]):
    """A screen with its own board to play on, and text beside it. Esc leaves.

    Attributes:
        kind: the start of the identifiers of the widgets.
        parts: the parts of the text; the last one is the answer to the last move.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (Textual's form)
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,q", "close", show=False),
        Binding("enter,space", "play", show=False),
        Binding("p", "pass", show=False),
    ]
    kind: ClassVar[str]
    parts: ClassVar[tuple[str, ...]]

    def __init__(self, options: Options) -> None:
        super().__init__(BoardView(self.board_size, centred=True, id=f"{self.kind}-board"))
        self._options = options
        self._said = Text()
        self._coming: list[int] = []
        """The automatic moves still to be made."""
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.board
        with VerticalScroll(id=f"{self.kind}-words", can_focus=False):
            *parts, answer = self.parts
            yield from (Static("", id=f"{self.kind}-{part}") for part in parts)
            yield Answer("", id=f"{self.kind}-{answer}", classes="answer")
        yield KeyLine(id=f"{self.kind}-hints")

    def on_mount(self) -> None:
        self.board.use_options(self._options)
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self.show())
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Show the first position."""

    @property
    @abstractmethod
    def game(self) -> Game:
        """The position."""

    @property
    @abstractmethod
    def ended(self) -> bool:
        """True if there is nothing more to play, and Enter goes on."""

    @property
    def board_size(self) -> int:
        return self.game.torus.size

    @property
    def narrow(self) -> bool:
        return self.size.width < WIDE

    @abstractmethod
    def show(self) -> None:
        """Show the position and the words."""

    @property
    def answer(self) -> Answer:
        """The widget with the answer to the last move; hidden if there is none."""
        return self.query_one(Answer)

    def write(self, part: str, text: RenderableType) -> None:
        self.query_one(f"#{self.kind}-{part}", Static).update(text)

    def write_answer(self, text: Text, *, done: bool) -> None:
        self.answer.update(Paragraph(text))
        self.answer.set_class(done, "-done")
        self.answer.display = bool(self._said)
        self.show_hints()
        self.show_board()

    def show_answer(self) -> None:
        """Show the position and the words with a new answer."""
        self.show()
        fit_soon(self.answer)

    def fit(self) -> None:
        self.show()
        self.answer.fit()

    def picture(self) -> Picture:
        """Return the position with the chain pointed at, and the stone that a click would play."""
        game, hovered = self.game, self.cursor.hovered
        chain, move = game.chain_at(self.cursor.pointed_at), game.node.move
        playable = hovered is not None and not self.ended and not game.board.colours[hovered]
        return Picture(
            size=game.torus.size,
            stones=bytes(game.board.colours),
            last=None if move is None or move.is_pass else move.point,
            cursor=self.cursor.point,
            ghost=Ghost(self.cursor.pointed_at, game.to_move) if playable else None,
            chain=frozenset(chain.stones) if chain else frozenset(),
        )

    # Automatic moves

    def begin_line(self, line: Sequence[int], pace: float) -> None:
        """Make automatic moves, one after another, or all at once if nothing on the screen should move."""
        self._coming = list(line)
        if not self._coming or getattr(self.app, "still", False):
            self.finish_line()
        else:
            self._timer = self.set_interval(pace, self._follow)

    def finish_line(self) -> None:
        while self._coming:
            self.game.make(self._coming.pop(0))
        self._end_line()

    def _follow(self) -> None:
        # None is left at a tick that was pending when the timer was stopped.
        if self._coming:
            self.game.make(self._coming.pop(0))
            if self._coming:
                self.show_answer()
            else:
                self._end_line()

    def _end_line(self) -> None:
        self.stop_line()
        self.line_ended()
        self.show_answer()

    def stop_line(self) -> None:
        """Drop the automatic moves left."""
        self._coming = []
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def line_ended(self) -> None:
        """Handle the end of the automatic moves."""

    # Actions of the learner

    @abstractmethod
    def make(self, move: int) -> None:
        """Play at a point, or pass, for the learner."""

    @abstractmethod
    def go_on(self) -> None:
        """Do what Enter does once this has ended."""

    def play_at(self, point: int) -> None:
        """Play for the learner, or go on."""
        if self.ended:
            self.action_play()
        else:
            self.cursor.hovered = None
            self.make(point)

    def action_play(self) -> None:
        """Play at the cursor, or go on; while moves are made automatically, make them all at once."""
        if self._coming:
            self.finish_line()
        elif self.ended:
            self.go_on()
        else:
            self.play_at(self.cursor.point)

    def action_pass(self) -> None:
        if not self._coming and not self.ended:
            self.make(PASS)

    @on(events.Click, ".answer")
    def _go_on(self) -> None:
        if self.ended:
            self.action_play()

    def point_chosen(self, point: int) -> None:
        if not self._coming:
            self.cursor.point, self.cursor.hovered = point, None
            self.play_at(point)
