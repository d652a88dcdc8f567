"""The list of problems by kind and level with the user's progress, and the screen on which problems are solved."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final, Literal

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static
from textual.widgets.option_list import Option

from daoqi_tui.analysis.problems import LEVELS, Problem
from daoqi_tui.engine import EMPTY, PASS, Game
from daoqi_tui.i18n import _, plural, translate
from daoqi_tui.paths import typed_path
from daoqi_tui.pictures.picture import SIGNS, Ghost, Picture
from daoqi_tui.play.looks import Options
from daoqi_tui.play.problem_files import letters_of, own_file, read_collection
from daoqi_tui.play.problem_progress import Group, Practice
from daoqi_tui.play.problems import Answer, conditions, describe_answer, describe_hint, describe_kind, describe_task
from daoqi_tui.play.wording import describe_refusal
from daoqi_tui.record.text import SgfError
from daoqi_tui.text import plain
from daoqi_tui.tui.access import LocalAccess
from daoqi_tui.tui.board.widget import BoardView
from daoqi_tui.tui.look.text import Paragraph, tone
from daoqi_tui.tui.panes.pane import KeyHint
from daoqi_tui.tui.screens.dialogs import FRAME_ENDS, DismissibleDialog, OptionList, PathPrompt
from daoqi_tui.tui.screens.hinted import StudyScreen, key_line, list_keys

_PACE: Final = 0.3
"""Seconds between automatic moves."""
_LONG: Final = 12
"""A line longer than this is shown at the pace of a ladder."""
_LADDER_PACE: Final = 0.12
_IN_AREA: Final = "▫"
_WIDE: Final = 78
"""The minimum width of a window for lines of the list with the frame."""


class ProblemList(DismissibleDialog[tuple[Problem, ...] | Literal["own"] | None]):
    """The list of problems by kind and level; its result is those to solve, or ``own`` to open a file."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,q", "leave", show=False),
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("o", "open", show=False),
        Binding("question_mark,f1", "list_keys", show=False),
    ]
    CSS = """
    ProblemList #problems {
        width: 68;
        OptionList { height: auto; max-height: 70vh; margin-bottom: 0; }
    }
    """

    def __init__(self, listed: list[Group], trouble: str = "", *, opens: bool, last: tuple[Problem, ...] = ()) -> None:
        """List groups of problems.

        Args:
            listed: the groups.
            trouble: the problem with the file of the user's progress, if any.
            opens: whether files may be opened in this window.
            last: the problems chosen last, whose line is highlighted.
        """
        super().__init__()
        self._groups, self._trouble, self._opens, self._last = listed, trouble, opens, last

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="problems") as dialog:
            dialog.border_title = _("Problems")
            yield OptionList(*(Option(row) for row in self._rows()))
            yield Static(Text(self._trouble), id="complaint")

    def on_mount(self) -> None:
        self.query_one("#complaint").display = bool(self._trouble)
        rows = self.query_one(OptionList)
        rows.highlighted = next((row for row, group in enumerate(self._groups, 1) if group.problems == self._last), 0)
        rows.focus()

    def fit(self) -> None:
        rows = self.query_one(OptionList)
        for place, row in enumerate(self._rows()):
            rows.replace_option_prompt_at_index(place, row)
        dialog = self.query_one("#problems")
        dialog.border_subtitle = key_line(self.key_hints(), dialog.outer_size.width - FRAME_ENDS)

    def key_hints(self) -> tuple[KeyHint, ...]:
        return (
            KeyHint("Enter", _("Solve"), "screen.choose"),
            *((KeyHint("o", _("Own collection"), "screen.open"),) if self._opens else ()),
            KeyHint("Esc", _("Close"), "screen.leave"),
        )

    def action_list_keys(self) -> None:
        list_keys(self, self.key_hints())

    def _rows(self) -> list[Content]:
        everything = (
            _("All problems"),
            sum(len(group.problems) for group in self._groups),
            sum(group.solved for group in self._groups),
            sum(group.due for group in self._groups),
        )
        rows = [self._row(*everything)]
        for group in self._groups:
            level = "●" * group.level + "○" * (LEVELS - group.level)
            rows.append(
                self._row(f"{level}  {describe_kind(group.kind)}", len(group.problems), group.solved, group.due)
            )
        return rows

    def _row(self, name: str, count: int, solved: int, due: int) -> Content:
        """Return a row of the list with name, count and progress; in a narrow window, on two lines."""
        words = [plural("{count} problem", "{count} problems", count), _("{count} solved").format(count=solved)]
        if due:
            words.append(_("{count} due").format(count=due))
        if self.app.size.width < _WIDE:
            return Content("\n  ").join((name, "  ".join(words)))
        line = Content("")
        for part, width in zip((name, *words), (27, 14, 11, 0), strict=False):
            line += Content(part) + Content(" " * max(1, width - Content(part).cell_length))
        return line

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        place = event.option_index
        groups = self._groups if place == 0 else self._groups[place - 1 : place]
        self.dismiss(tuple(problem for group in groups for problem in group.problems))

    def action_choose(self) -> None:
        self.query_one(OptionList).action_select()

    def action_cursor_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_cursor_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def action_open(self) -> None:
        if self._opens:
            self.dismiss("own")

    def action_leave(self) -> None:
        self.dismiss(None)


async def own_collection(app: App[None], access: LocalAccess) -> tuple[Problem, ...]:
    """Ask for a file of problems, and read it; return none if the prompt is cancelled.

    Enter alone opens the file of the user's own problems, if it exists.
    """
    made = own_file()
    found: dict[str, tuple[Problem, ...]] = {}

    def path_of(typed: str) -> Path:
        return typed_path(typed.strip()) if typed.strip() or not made.exists() else made

    async def read(typed: str) -> str | None:
        try:
            found[typed] = (await asyncio.to_thread(read_collection, path_of(typed))).problems
        except SgfError as error:
            return translate(error)
        return None

    prompt = PathPrompt(
        access,
        _("SGF file of problems: "),
        str(made) if made.exists() else "",
        lambda typed: asyncio.ensure_future(read(typed)),
    )
    name = await app.push_screen_wait(prompt)
    return () if name is None else found[name]


class ProblemScreen(StudyScreen):
    """One problem after another. Enter plays, tries again after a wrong move, and continues once it is solved.

    Args:
        practice: the problems, and the user's progress.
        options: the look of the board and the names of points.
    """

    CSS_PATH = "screen.tcss"
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("n,pagedown", "next", show=False),
        Binding("r,b,backspace,u", "retry", show=False),
        Binding("H", "hint", show=False),
    ]

    def __init__(self, practice: Practice, options: Options) -> None:
        self._practice = practice
        practice.save = self._save
        super().__init__()
        self._options = options
        self._said = Text()
        self._hinted: tuple[int, ...] = ()

    def compose(self) -> ComposeResult:
        yield BoardView(self.game.torus.size, centred=True, id="problem-board")
        with VerticalScroll(id="problem-words", can_focus=False):
            yield Static("", id="problem-progress")
            yield Static("", id="problem-task")
            yield Static("", id="problem-text")
            yield Static("", id="problem-said")
        yield Static("", id="problem-hints", classes="key-hints")

    def on_mount(self) -> None:
        self.set_look(self.board, self._options)
        self._begin()

    def _save(self) -> None:
        """Save the progress in the background, which may outlive this screen, and show whether that failed."""

        def save() -> None:
            self._practice.file.save()
            self.call_later(self._show_saved)

        self.app.run_worker(save, group="progress", thread=True)

    def _show_saved(self) -> None:
        if self.is_attached:
            self.show()

    @property
    def practice(self) -> Practice:
        return self._practice

    @property
    def game(self) -> Game:
        return self._practice.attempt.game

    # Display

    def _begin(self) -> None:
        self._stop()
        self._said, self._hinted, self._hovered = Text(), (), None
        target = self._practice.problem.target
        self._cursor = self._middle() if target == PASS else target
        self.show()
        self.call_after_refresh(self._centre)
        self.query_one("#problem-words", VerticalScroll).scroll_home(animate=False)

    def _centre(self) -> None:
        self._centre_on(self._cursor)

    @property
    def answer(self) -> Widget:
        return self.query_one("#problem-said")

    def show(self) -> None:
        practice, problem = self._practice, self._practice.problem
        accent = tone(self, "accent", bold=True)
        heading = Text(f"{describe_kind(problem.kind)}  ", accent)
        heading.append("●" * problem.level + "○" * (LEVELS - problem.level), tone(self, "accent"))
        total = len(practice.problems)
        heading.append("\n" + _("{solved} of {count} solved").format(solved=practice.solved, count=total))
        self.query_one("#problem-progress", Static).update(heading)
        names = self._options.names
        self.query_one("#problem-task", Static).update(Paragraph(Text(describe_task(problem, names))))
        comment = [plain(problem.comment)] if problem.kind == "own" and problem.comment else []
        text = "\n".join((*comment, *conditions(problem, names)))
        self.query_one("#problem-text", Static).update(Paragraph(Text(text)))
        answer = self.query_one("#problem-said", Static)
        answer.update(Paragraph(self._answer_text()))
        answer.set_class(practice.attempt.solved, "-done")
        answer.set_class(practice.attempt.is_wrong, "-wrong")
        answer.display = bool(self._said)
        self.show_hints()
        self.show_board()

    def _answer_text(self) -> Text:
        text = self._said.copy()
        attempt = self._practice.attempt
        if text and not self._coming and (attempt.solved or attempt.is_wrong):
            going_on = _("Enter: next problem") if attempt.solved else _("Enter: try again")
            text.append(f"\n\n{going_on}", tone(self, "accent", bold=True))
        if self._practice.file.trouble is not None:
            words = _("Your progress is not saved: {reason}")
            text.append("\n" + words.format(reason=translate(self._practice.file.trouble)), tone(self, "error"))
        return text

    def key_hints(self) -> tuple[KeyHint, ...]:
        attempt = self._practice.attempt
        enter = _("Next") if attempt.solved else _("Try again") if attempt.is_wrong else _("Play")
        return (
            KeyHint("Enter", enter, "screen.play"),
            KeyHint("H", _("Hint"), "screen.hint"),
            KeyHint("n", _("Next problem"), "screen.next"),
            KeyHint("r", _("Try again"), "screen.retry"),
            *((KeyHint("p", _("Pass"), "screen.pass"),) if attempt.problem.task == "ladder" else ()),
            KeyHint("←↑↓→", _("Pan")),
            KeyHint("hjkl", _("Cursor")),
            KeyHint("0", _("Reset view"), "screen.reset_view"),
            KeyHint("Esc", _("Leave"), "screen.close"),
        )

    def show_board(self) -> None:
        game, problem, attempt = self.game, self._practice.problem, self._practice.attempt
        colours = game.board.colours
        move = game.node.move
        labels = {point: _IN_AREA for point in game.torus.points_in(problem.area) if not colours[point]}
        labels |= {point: letter for point, letter in letters_of(problem).items() if not colours[point]}
        if problem.target != PASS:
            labels[problem.target] = SIGNS["triangle"]
        for point in self._hinted:
            if point != PASS and not colours[point]:
                labels[point] = SIGNS["circle"]
        point = self._cursor if self._hovered is None else self._hovered
        chain = game.chain_at(point) if colours[point] != EMPTY else None
        ghost = None
        if self._hovered is not None and not (attempt.solved or attempt.is_wrong or colours[self._hovered]):
            ghost = Ghost(self._hovered, game.to_move)
        self.board.show_picture(
            Picture(
                size=game.torus.size,
                stones=bytes(colours),
                last=None if move is None or move.is_pass else move.point,
                cursor=self._cursor,
                ghost=ghost,
                labels=labels,
                chain=frozenset(chain.stones) if chain else frozenset(),
            )
        )

    # Actions of the learner

    def action_play(self) -> None:
        """Play at the cursor, try again, or go to the next problem."""
        attempt = self._practice.attempt
        if self._coming:
            self._finish()
        elif attempt.solved:
            self.action_next()
        elif attempt.is_wrong:
            self.action_retry()
        else:
            self.play_at(self._cursor)

    def action_pass(self) -> None:
        if not self._coming:
            self._tell(self._practice.play(PASS))

    def play_at(self, point: int) -> None:
        """Play at a point; after a wrong move, try again, and after the problem is solved, go to the next one."""
        attempt = self._practice.attempt
        if attempt.solved or attempt.is_wrong:
            self.action_play()
        else:
            self._hovered = None
            self._tell(self._practice.play(point))

    def action_hint(self) -> None:
        """Give a hint; asked again, show the right move."""
        if not self._coming:
            self._hinted = self._practice.hint()
            self._said = Text(describe_hint(self._hinted, self._practice.attempt, self._options.names))
            self.show_answer()

    def action_retry(self) -> None:
        self._stop()
        self._practice.attempt.retry()
        self._said, self._hinted = Text(), ()
        self.show()

    def action_next(self) -> None:
        self._stop()
        self._practice.next()
        self._begin()

    @on(events.Click, "#problem-said")
    def _go_on(self) -> None:
        """Try again or continue at a click on the text that offers it."""
        attempt = self._practice.attempt
        if attempt.solved or attempt.is_wrong:
            self.action_play()

    # Responses

    def _tell(self, answer: Answer) -> None:
        game, attempt = self.game, self._practice.attempt
        if answer.kind == "nothing":
            return
        if answer.refusal is not None:
            self._said = Text(describe_refusal(answer.refusal, game.torus, self._options.names))
        else:
            self._said = Text(describe_answer(answer, attempt, self._options.names))
        self._hinted = ()
        self._coming = list(answer.line)
        if self._coming:
            if getattr(self.app, "still", False):
                self._finish()
            else:
                self._timer = self.set_interval(_PACE if len(self._coming) <= _LONG else _LADDER_PACE, self._follow)
        self.show_answer()

    def _follow(self) -> None:
        if not self._coming:
            # A tick that was pending when the timer was stopped.
            return
        self._practice.attempt.follow(self._coming.pop(0))
        if not self._coming:
            self._stop()
        self.show_answer()

    def _finish(self) -> None:
        """Make all automatic moves at once."""
        while self._coming:
            self._practice.attempt.follow(self._coming.pop(0))
        self._stop()
        self.show_answer()

    def _stop(self) -> None:
        self._coming = []
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
