"""The list of problems by kind and level with the user's progress, and the screens to solve them and to guess moves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Literal

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from daoqi_tui.analysis.problems import LEVELS, Problem
from daoqi_tui.engine import PASS, Game, Refusal
from daoqi_tui.i18n import _, plural, translate
from daoqi_tui.paths import typed_path
from daoqi_tui.pictures.picture import SIGNS
from daoqi_tui.play.problem_files import numbers_of, own_file, read_collection
from daoqi_tui.play.problems import (
    Answer,
    Group,
    Practice,
    conditions,
    describe_answer,
    describe_hint,
    describe_kind,
    describe_origin,
    describe_task,
    describe_uncounted,
)
from daoqi_tui.play.wording import describe_refusal
from daoqi_tui.text import plain
from daoqi_tui.tui.access import LocalAccess
from daoqi_tui.tui.look import Options, Paragraph, tone
from daoqi_tui.tui.panes import KeyHint
from daoqi_tui.tui.screens import OptionList, PathPrompt, list_repairs
from daoqi_tui.tui.screens.hinted import HintedDialog, StudyScreen

if TYPE_CHECKING:
    from daoqi_tui.play.review import Guessing

_PACE: Final = 0.3
"""Seconds between automatic moves."""
_LONG: Final = 12
"""A line longer than this is shown at the pace of a ladder."""
_LADDER_PACE: Final = 0.12
_IN_AREA: Final = "▫"
_WIDE: Final = 78
"""The minimum width of a window for lines of the list with the frame."""


class ProblemList(HintedDialog[tuple[Problem, ...] | Literal["own"] | None]):
    """The list of problems by kind and level; its result is those to solve, or ``own`` to open a file."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,q", "close", show=False),
        Binding("question_mark", "list_keys", show=False),
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("o", "open", show=False),
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
            yield Static(Paragraph(Text(self._trouble)), id="complaint")

    def on_mount(self) -> None:
        self.query_one("#complaint").display = bool(self._trouble)
        rows = self.query_one(OptionList)
        wanted = (
            row
            for row, group in enumerate(self._groups, 1)
            if (group.problems == self._last if self._last else group.kind == "mistake" and group.due)
        )
        rows.highlighted = next(wanted, 0)
        rows.focus()

    def fit(self) -> None:
        rows = self.query_one(OptionList)
        for place, row in enumerate(self._rows()):
            # Another prompt is another layout.
            if rows.get_option_at_index(place).prompt != row:
                rows.replace_option_prompt_at_index(place, row)
        super().fit()

    def key_hints(self) -> tuple[KeyHint, ...]:
        return (
            KeyHint("Enter", _("Solve"), "screen.choose"),
            *((KeyHint("o", _("Own collection"), "screen.open"),) if self._opens else ()),
            KeyHint("Esc", _("Close"), "screen.close"),
        )

    def _rows(self) -> list[Content]:
        everything = (
            _("All problems"),
            sum(len(group.problems) for group in self._groups),
            sum(group.solved for group in self._groups),
            sum(group.due for group in self._groups),
        )
        rows = [self._row(*everything)]
        for group in self._groups:
            level = "" if group.kind == "mistake" else "●" * group.level + "○" * (LEVELS - group.level) + "  "
            rows.append(self._row(level + describe_kind(group.kind), len(group.problems), group.solved, group.due))
        return rows

    def _row(self, name: str, count: int, solved: int, due: int) -> Content:
        words = [plural("{count} problem", "{count} problems", count), _("{count} solved").format(count=solved)]
        if due:
            words.append(_("{count} due").format(count=due))
        if self.app.size.width < _WIDE:
            return Content("\n  ").join((name, "  ".join(words)))
        line = Content("")
        # Numbers are written below those of all problems, which are the largest.
        digits = len(str(sum(len(group.problems) for group in self._groups)))
        numbers = (str(number) for number in (count, solved, due))
        words = [word.replace(number, number.rjust(digits), 1) for word, number in zip(words, numbers, strict=False)]
        for part, width in zip((name, *words), (26, 14, 12, 0), strict=False):
            line += Content(part) + Content(" " * max(1, width - Content(part).cell_length))
        return line

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        place = event.option_index
        groups = self._groups if place == 0 else self._groups[place - 1 : place]
        self.dismiss(tuple(problem for group in groups for problem in group.problems))

    def action_cursor_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_cursor_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def action_open(self) -> None:
        if self._opens:
            self.dismiss("own")


async def own_collection(app: App[None], access: LocalAccess) -> tuple[Problem, ...]:
    """Ask for a file of problems, and read it; return none if the prompt is cancelled.

    Enter alone opens the file of the user's own problems, if it exists.
    """
    made = own_file()

    async def read(typed: str) -> tuple[Problem, ...]:
        path = typed_path(typed.strip()) if typed.strip() or not made.exists() else made
        found = await asyncio.to_thread(read_collection, path)
        if found.repairs:
            list_repairs(app, found.repairs, found.more_repairs)
        return found.problems

    usual = str(made) if made.exists() else ""
    prompt: PathPrompt[tuple[Problem, ...]] = PathPrompt(access, _("SGF file of problems: "), usual, read)
    return await app.push_screen_wait(prompt) or ()


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

    kind = "problem"
    parts = ("progress", "task", "text", "said")

    def __init__(self, practice: Practice, options: Options) -> None:
        self.practice = practice
        practice.save = self._save
        super().__init__(options)
        self._hinted: tuple[int, ...] = ()

    def _save(self) -> None:
        """Save the progress in the background, which may outlive this screen, and show whether that failed."""

        def save() -> None:
            self.practice.file.save()
            self.call_later(self._show_saved)

        self.app.run_worker(save, group="progress", thread=True)

    def _show_saved(self) -> None:
        if self.is_attached:
            self.show()

    @property
    def game(self) -> Game:
        return self.practice.attempt.game

    @property
    def ended(self) -> bool:
        return self.practice.attempt.solved or self.practice.attempt.is_wrong

    # Display

    def begin(self) -> None:
        """Show a problem from its beginning, with its target in the middle."""
        self.stop_line()
        self._said, self._hinted = Text(), ()
        self.cursor.begin(self.board_size)
        if self.practice.problem.target != PASS:
            self.cursor.point = self.practice.problem.target
        self.show()
        self.call_after_refresh(lambda: self.cursor.centre_view(self.cursor.point))
        self.query_one("#problem-words", VerticalScroll).scroll_home(animate=False)

    def show(self) -> None:
        practice, problem = self.practice, self.practice.problem
        accent = tone(self, "accent", bold=True)
        heading = Text(describe_kind(problem.kind), accent)
        if problem.kind != "mistake":
            heading.append("  " + "●" * problem.level + "○" * (LEVELS - problem.level), tone(self, "accent"))
        total = len(practice.problems)
        heading.append("\n" + _("{solved} of {count} solved").format(solved=practice.solved, count=total))
        self.write("progress", heading)
        names = self._options.names
        self.write("task", Paragraph(Text(describe_task(problem, names))))
        text = "\n".join(filter(None, (plain(describe_origin(problem, names)), *conditions(problem, names))))
        self.write("text", Paragraph(Text(text)))
        # Empty, it would still be a row.
        self.query_one("#problem-text").display = bool(text)
        self.answer.set_class(practice.attempt.is_wrong, "-wrong")
        self.write_answer(self._answer_text(), done=practice.attempt.solved)

    def _answer_text(self) -> Text:
        text = self._said.copy()
        attempt = self.practice.attempt
        if text and not self._coming and attempt.solved and self.practice.counted is False:
            text.append(f"\n{describe_uncounted()}")
        if text and not self._coming and self.ended:
            going_on = _("Enter: next problem") if attempt.solved else _("Enter: try again")
            text.append(f"\n\n{going_on}", tone(self, "accent", bold=True))
        if self.practice.file.trouble is not None:
            wording = _("Your progress is not saved: {reason}")
            text.append("\n" + wording.format(reason=translate(self.practice.file.trouble)), tone(self, "error"))
        return text

    def key_hints(self) -> tuple[KeyHint, ...]:
        attempt = self.practice.attempt
        enter = _("Next problem") if attempt.solved else _("Try again") if attempt.is_wrong else _("Play")
        may_pass = not self.ended and attempt.problem.task in ("ladder", "mistake")
        return (
            KeyHint("Enter", enter, "screen.play"),
            *(() if self.ended else (KeyHint("H", _("Hint"), "screen.hint"),)),
            *(() if attempt.solved else (KeyHint("n", _("Next problem"), "screen.next"),)),
            *(() if attempt.is_wrong else (KeyHint("r", _("Try again"), "screen.retry"),)),
            *((KeyHint("p", _("Pass"), "screen.pass"),) if may_pass else ()),
            KeyHint("←↑↓→", _("Pan")),
            KeyHint("hjkl", _("Cursor")),
            KeyHint("0", _("Reset view"), "screen.reset_view"),
            KeyHint("Esc", _("Leave"), "screen.close"),
        )

    def show_board(self) -> None:
        game, problem = self.game, self.practice.problem
        colours = game.board.colours
        labels = {point: _IN_AREA for point in game.torus.points_in(problem.area) if not colours[point]}
        numbers = numbers_of(problem)
        # After a hint only those remain that it leaves.
        labels |= {at: number for at, number in numbers.items() if not colours[at] and at in (self._hinted or numbers)}
        picture = self.picture()
        if problem.kind == "mistake" and picture.last is None:
            picture = picture._replace(last=problem.target if problem.target != PASS else None)
        elif problem.kind != "mistake" and problem.target != PASS:
            labels[problem.target] = SIGNS["triangle"]
        for point in self._hinted:
            if point != PASS and not colours[point]:
                labels[point] = numbers.get(point, SIGNS["circle"])
        self.board.show_picture(picture._replace(labels=labels))

    # Actions of the learner

    def make(self, move: int) -> None:
        self._show_answer(self.practice.play(move))

    def go_on(self) -> None:
        """Try again after a wrong move; after the problem is solved, go to the next one."""
        if self.practice.attempt.solved:
            self.action_next()
        else:
            self.action_retry()

    def action_hint(self) -> None:
        if not self._coming and not self.ended:
            self._hinted = self.practice.hint()
            self._said = Text(describe_hint(self._hinted, self.practice.attempt, self._options.names))
            self.show_answer()

    def action_retry(self) -> None:
        self.stop_line()
        self.practice.attempt.retry()
        self._said, self._hinted = Text(), ()
        self.show()

    def action_next(self) -> None:
        self.stop_line()
        self.practice.next()
        self.begin()

    # Responses

    def _show_answer(self, answer: Answer) -> None:
        game, attempt = self.game, self.practice.attempt
        if answer.kind == "nothing":
            return
        if answer.refusal is not None:
            self._said = Text(describe_refusal(answer.refusal, game.torus, self._options.names))
        else:
            self._said = Text(describe_answer(answer, attempt, self._options.names))
        self._hinted = ()
        self.begin_line(answer.line, _PACE if len(answer.line) <= _LONG else _LADDER_PACE)


class GuessScreen(StudyScreen):
    """One move of a game after another to be guessed. Enter plays, and goes on after a guess; Esc leaves.

    Args:
        guessing: the moves.
        title: of the game.
        options: the look of the board and the names of points.
    """

    CSS_PATH = "screen.tcss"
    kind = "problem"
    parts = ("progress", "task", "text", "said")

    def __init__(self, guessing: Guessing, title: str, options: Options) -> None:
        self.guessing, self._title = guessing, title
        super().__init__(options)

    @property
    def game(self) -> Game:
        return self.guessing.game

    @property
    def ended(self) -> bool:
        return self.guessing.answered or self.guessing.is_over

    def begin(self) -> None:
        self._said = Text("\n".join(self.guessing.sum_up()) if self.guessing.is_over else "")
        self.cursor.begin(self.board_size)
        if (last := self.picture().last) is not None:
            self.cursor.point = last
        self.show()

    def show(self) -> None:
        guessing, names = self.guessing, self._options.names
        place = min(guessing.count, len(guessing.guesses) + (not guessing.answered))
        heading = Text(_("Guess the move"), tone(self, "accent", bold=True))
        same = sum(guess.is_same for guess in guessing.guesses)
        progress = _("{place} of {count}  ·  {same} as in the game").format(
            place=place, count=guessing.count, same=same
        )
        self.write("progress", heading + Text(f"\n{progress}", tone(self, "accent")))
        task = _("The game is over.") if guessing.is_over else guessing.describe_task()
        self.write("task", Paragraph(Text(task)))
        self.write("text", Paragraph(Text(f"{self._title}\n{guessing.describe_scoring()}"), self))
        said = self._said.copy()
        if guessing.answered:
            guess = guessing.guesses[-1]
            said = Text(guess.describe(self.game.torus, names))
            said.append(f"\n\n{_('Enter: next move')}", tone(self, "accent", bold=True))
        self._said = said
        self.answer.set_class(guessing.answered and not guessing.guesses[-1].is_same, "-wrong")
        self.write_answer(said, done=guessing.is_over or (guessing.answered and guessing.guesses[-1].is_same))

    def key_hints(self) -> tuple[KeyHint, ...]:
        guessing = self.guessing
        enter = _("Leave") if guessing.is_over else _("Next move") if guessing.answered else _("Play")
        return (
            KeyHint("Enter", enter, "screen.play"),
            *(() if self.ended else (KeyHint("p", _("Pass"), "screen.pass"),)),
            KeyHint("←↑↓→", _("Pan")),
            KeyHint("hjkl", _("Cursor")),
            KeyHint("0", _("Reset view"), "screen.reset_view"),
            KeyHint("Esc", _("Leave"), "screen.close"),
        )

    def show_board(self) -> None:
        picture, guessing = self.picture(), self.guessing
        if guessing.answered and not guessing.guesses[-1].is_same and guessing.guesses[-1].move != PASS:
            picture = picture._replace(labels={guessing.guesses[-1].move: SIGNS["cross"]})
        self.board.show_picture(picture)

    def go_on(self) -> None:
        if self.guessing.is_over:
            self.dismiss(None)
        else:
            self.guessing.next()
            self.begin()

    def make(self, move: int) -> None:
        answer = self.guessing.play(move)
        if isinstance(answer, Refusal):
            self._said = Text(describe_refusal(answer, self.game.torus, self._options.names))
        self.show_answer()
