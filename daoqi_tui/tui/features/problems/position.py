"""The screen for setting up a position: the board, the tools, the side to move, and the uses of the position."""

from __future__ import annotations

import asyncio
from itertools import zip_longest
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from daoqi_tui.ai import Position as Request
from daoqi_tui.analysis.problems import Problem, Unproved
from daoqi_tui.engine import BLACK, STANDARD_KOMI, Setup, opponent, points_text
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.message import reason_of
from daoqi_tui.pictures.picture import Ghost, Picture, marks_shown
from daoqi_tui.play.background import Wait, shown
from daoqi_tui.play.position import PositionEditor, Tool
from daoqi_tui.play.problem_files import keep, own_file
from daoqi_tui.play.problems import Practice, ProgressFile, describe_unproved, progress_file
from daoqi_tui.play.reading import Reader, ReadingFailed
from daoqi_tui.play.wording import colour_word
from daoqi_tui.reading.symmetry import BoardPosition
from daoqi_tui.record.files import InUse
from daoqi_tui.record.text import SgfError
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.features.problems.screen import ProblemScreen
from daoqi_tui.tui.look import Options, Paragraph, tone
from daoqi_tui.tui.panes import KeyHint
from daoqi_tui.tui.screens import Dialog, Prompt, Question, ask_to_leave
from daoqi_tui.tui.screens.hinted import HintedScreen, KeyLine
from daoqi_tui.typed import read_komi

_WIDE: Final = 76
"""The minimum number of columns for the tools beside the board."""
_HIGH: Final = 27
"""The minimum number of rows for space between the groups of tools."""
_TOOLS: Final[tuple[tuple[str, Tool, str], ...]] = (
    ("b", "black", N_("Black stone")),
    ("w", "white", N_("White stone")),
    ("e", "empty", N_("Empty point")),
    ("1", "triangle", N_("Triangle")),
    ("2", "square", N_("Square")),
    ("3", "circle", N_("Circle")),
    ("4", "cross", N_("Cross")),
    ("5", "letter", N_("Letter")),
)


Purpose: TypeAlias = Literal["game", "analysis", "here"]


class PositionSetUp(NamedTuple):
    """The position and its use: a new game, an analysis, or a part of the current game."""

    editor: PositionEditor
    purpose: Purpose


class PositionScreen(HintedScreen[PositionSetUp | None]):
    """The screen on which a position is set up. Enter or a click uses the tool; Esc leaves and discards everything."""

    CSS_PATH = "position.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_WIDE, "-wide")]  # noqa: RUF012 (Textual's form)
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,q", "close", show=False),
        Binding("enter,space", "apply", show=False),
        *(Binding(key, f"tool('{tool}')", show=False) for key, tool, _name in _TOOLS),
        Binding("t", "turn", show=False),
        Binding("c", "komi", show=False),
        Binding("x", "clear", show=False),
        Binding("u,ctrl+z", "undo", show=False),
        Binding("U,ctrl+r", "redo", show=False),
        Binding("n", "finish('game')", show=False),
        Binding("W", "finish('analysis')", show=False),
        Binding("i", "finish('here')", show=False),
        Binding("p", "problem", show=False),
    ]

    def __init__(self, editor: PositionEditor, options: Options, *, insertable: bool, keeps: bool) -> None:
        """Begin with a position.

        Args:
            editor: the position.
            options: the look of the board and the names of points.
            insertable: whether the position may be inserted into the current game.
            keeps: whether problems and the user's progress may be saved in files.
        """
        self.editor = editor
        super().__init__(BoardView(editor.torus.size, id="position-board"))
        self._options = options
        self._insertable = insertable
        self._keeps = keeps
        self._tool: Tool = "black"
        self._wrong: int | None = None
        self._said = ""

    def compose(self) -> ComposeResult:
        yield self.board
        yield Static("", id="position-tools")
        yield Static("", id="position-said")
        yield KeyLine(id="position-hints")

    def on_mount(self) -> None:
        self.board.use_options(self._options)
        self._show()

    def fit(self) -> None:
        self._show(self._said)

    # Display

    def _show(self, said: str = "") -> None:
        self._said = said
        self.query_one("#position-tools", Static).update(self._tools())
        self.query_one("#position-said", Static).update(Paragraph(Text(said, tone(self, "error"))))
        # In a narrow window a message has one line, and a longer one takes the line of the hints as well.
        self.set_class(cell_len(said) > self.size.width, "-saying")
        self.show_hints()
        self.show_board()

    def key_hints(self) -> tuple[KeyHint, ...]:
        return (
            KeyHint("Enter", _("Put"), "screen.apply"),
            KeyHint("u", _("Undo edit"), "screen.undo"),
            KeyHint("x", _("Clear all"), "screen.clear"),
            KeyHint("←↑↓→", _("Pan")),
            KeyHint("hjkl", _("Cursor")),
            KeyHint("U", _("Redo"), "screen.redo"),
            KeyHint("0", _("Reset view"), "screen.reset_view"),
            KeyHint("Esc", _("Leave"), "screen.close"),
        )

    def _tools(self) -> Content:
        editor = self.editor
        tools = [_line(key, _(name), f"tool('{tool}')", chosen=tool == self._tool) for key, tool, name in _TOOLS]
        turn = _line("t", _("{colour} to move").format(colour=colour_word(editor.to_move)), "turn")
        komi = _line("c", _("Komi {komi}").format(komi=points_text(editor.komi)), "komi")
        ends = [
            _line("n", _("Play from here"), "finish('game')"),
            _line("W", _("Analyse it"), "finish('analysis')"),
            _line("p", _("As a problem"), "problem"),
        ]
        if self._insertable:
            ends.append(_line("i", _("Into the game"), "finish('here')"))
        if self.size.width < _WIDE:
            # Two columns, since there are few lines below the board.
            column = self.size.width // 2
            lines = [*tools, turn, komi, *ends]
            half = (len(lines) + 1) // 2
            pairs = zip_longest(lines[:half], lines[half:], fillvalue=Content(""))
            return Content("\n").join(one.pad_right(max(1, column - one.cell_length)) + two for one, two in pairs)
        parts = ([Content.styled(_("Set up a position"), "bold")], tools[:3], tools[3:], [turn, komi], ends)
        between = "\n\n" if self.size.height >= _HIGH else "\n"
        return Content(between).join(Content("\n").join(part) for part in parts)

    def show_board(self) -> None:
        editor, hovered = self.editor, self.cursor.hovered
        ghost = None
        if hovered is not None and self._tool in ("black", "white") and not editor.stones[hovered]:
            ghost = Ghost(hovered, BLACK if self._tool == "black" else opponent(BLACK))
        self.board.show_picture(
            Picture(
                size=editor.torus.size,
                stones=bytes(editor.stones),
                cursor=self.cursor.point,
                ghost=ghost,
                refused=self._wrong,
                labels=marks_shown(editor.notes, editor.torus.size),
            )
        )

    # Actions

    def action_tool(self, tool: Tool) -> None:
        self._tool = tool
        self._show()

    def action_apply(self) -> None:
        self._apply(self.cursor.point)

    def _apply(self, point: int) -> None:
        self._wrong = self.cursor.hovered = None
        self.editor.apply(point, self._tool)
        self._show()

    def action_turn(self) -> None:
        self.editor.to_move = opponent(self.editor.to_move)
        self._show()

    def action_komi(self) -> None:
        def use(komi: float | None) -> None:
            if komi is not None:
                self.editor.komi = komi
                self._show()

        def read(typed: str) -> float:
            # An empty field keeps the current komi, which is its placeholder.
            return read_komi(typed.strip()) if typed.strip() else self.editor.komi

        self.app.push_screen(Prompt(_("Komi: "), points_text(self.editor.komi), read), use)

    def action_clear(self) -> None:
        self._wrong = None
        self.editor.clear()
        self._show()

    def action_undo(self) -> None:
        self._wrong = None
        self._show("" if self.editor.undo() else _("There is nothing to undo"))

    def action_redo(self) -> None:
        self._show("" if self.editor.redo() else _("There is nothing to redo"))

    def action_finish(self, purpose: Purpose) -> None:
        if purpose == "here" and not self._insertable:
            return
        if self._can_stand():
            self.dismiss(PositionSetUp(self.editor, purpose))

    def _can_stand(self) -> bool:
        """Return whether every chain has a liberty; if not, point out one that has none."""
        stone = self.editor.stifled()
        if stone is not None:
            self._wrong = self.cursor.point = stone
            torus = self.editor.torus
            self.board.set_viewport(self.board.viewport.showing(*torus.position(stone)))
            name = torus.name(stone, self._options.names)
            self._show(
                _("The chain at {point} has no liberty: remove it, or free a point beside it").format(point=name)
            )
        return stone is None

    @work(exclusive=True)
    async def action_problem(self) -> None:
        editor = self.editor
        target = editor.marked_chain()
        if target is None:
            target = self.cursor.point
        if not editor.stones[target]:
            self._show(_("Which chain? Put the cursor on it, or a mark on one of its stones"))
            return
        if not self._can_stand():
            return
        position = editor.position()
        found = await self.app.push_screen_wait(Proving(position, target))
        if found is None:
            self._show()
        elif isinstance(found, ReadingFailed):
            self._show(translate(found))
        elif isinstance(found, str):
            self._show(describe_unproved(found, position, target, self._options.names))
        else:
            self._show(await solve_and_keep(self.app, found, self._options, keeps=self._keeps))

    def action_close(self) -> None:
        if self.editor.changed:
            ask_to_leave(self, _("The position has not been saved. Leave it?"))
        else:
            self.dismiss(None)

    @property
    def board_size(self) -> int:
        return self.editor.torus.size

    def point_chosen(self, point: int) -> None:
        self.cursor.point = point
        self._apply(point)


def _line(key: str, text: str, action: str, *, chosen: bool = False) -> Content:
    line = Content.styled(f"{'▸' if chosen else ' '} {key} ", "bold") + text
    return (line.stylize("reverse") if chosen else line).stylize(f"@click=screen.{action}")


Found: TypeAlias = Problem | Unproved | ReadingFailed
"""A problem with its answer, the reason why there is none, or the reason why the search failed."""


class Proving(Dialog[Found | None]):
    """A dialog during the search for a proof in a child process; Esc stops it."""

    BINDINGS = [Binding("escape,q", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, position: BoardPosition, target: int) -> None:
        super().__init__()
        self._position, self._target = position, target

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_subtitle = Content(_("Esc: stop")).stylize("@click=screen.close")
            yield Static(classes="question")

    def on_mount(self) -> None:
        self._prove()

    def _show(self, text: str) -> None:
        self.query_one(Static).update(Paragraph(Text(text)))

    @work
    async def _prove(self) -> None:
        position, reader = self._position, Reader()
        stones = Setup(position.black, position.white, 0, position.to_move)
        found: Found
        wait = Wait(_("Looking for the answer to every move …"))
        self._show(wait.describe())
        try:
            with shown(wait, self.set_interval, self._show):
                found = await reader.problem(Request(position.size, STANDARD_KOMI, (stones,)), self._target)
        except ReadingFailed as error:
            found = error
        finally:
            await reader.close()
        self.dismiss(found)


async def solve_and_keep(app: App[Any], problem: Problem, options: Options, *, keeps: bool) -> str:
    """Have the user solve a problem, and ask whether to save it; return the message to show.

    Args:
        app: the app.
        problem: the proved problem.
        options: the look of the board and the names of points.
        keeps: whether the problem and the user's progress may be saved in files.
    """
    practice = Practice([problem], ProgressFile(progress_file() if keeps else None))
    await app.push_screen_wait(ProblemScreen(practice, options))
    question = _("The answer is proved. Keep the problem in your own collection?")
    if not keeps or not await app.push_screen_wait(Question(question, _("Keep it"), _("No"))):
        return ""
    path = own_file()
    try:
        is_new = await asyncio.to_thread(keep, problem, path)
    except (SgfError, InUse) as error:
        return translate(error)
    except OSError as error:
        reason = translate(reason_of(error))
        return _("{file} cannot be written: {reason}").format(file=path, reason=reason)
    text = _("The problem is in {file}") if is_new else _("The problem was in {file} already")
    return text.format(file=path)
