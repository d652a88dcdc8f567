"""The first lesson on the screen: a board to play on, with the text next to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual.binding import Binding
from textual.containers import VerticalScroll

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import _
from daoqi_tui.play.lesson import Lesson, StepOutcome
from daoqi_tui.play.looks import Options
from daoqi_tui.play.wording import colour_word, describe_margin, describe_refusal, describe_sum
from daoqi_tui.tui.board.screen import STEPS
from daoqi_tui.tui.fitting import fit_soon
from daoqi_tui.tui.look import Paragraph, tone
from daoqi_tui.tui.panes import KeyHint
from daoqi_tui.tui.screens.hinted import StudyScreen

if TYPE_CHECKING:
    from daoqi_tui.engine import Game
    from daoqi_tui.tui.panes.torus import TorusView

_PACE: Final = 0.16
"""Seconds between automatic moves."""


class LessonScreen(StudyScreen):
    """The lesson of ten short steps. Enter plays, and continues once a step is done; Esc leaves."""

    CSS_PATH = "lesson.tcss"
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("n,pagedown", "skip", show=False),
        Binding("b,backspace,pageup", "before", show=False),
    ]

    kind = "lesson"
    parts = ("progress", "text", "task", "said")

    def __init__(self, options: Options) -> None:
        self.lesson = Lesson()
        # The text of the lesson names points like this.
        super().__init__(options._replace(names="daoqi"))
        self._torus: TorusView | None = None
        """The 3-D torus in place of the board, at the end of a step that is best seen there."""

    def begin(self, place: int = 0) -> None:
        self.stop_line()
        self._show_flat()
        self.lesson.go(place)
        self._said = Text()
        self._cursor, self._hovered = self._middle(), None
        self.action_reset_view()
        self.show()
        self.query_one("#lesson-words", VerticalScroll).scroll_home(animate=False)

    def fit(self) -> None:
        words, text, task = (self.query_one(f"#lesson-{name}") for name in ("words", "text", "task"))
        children = list(words.children)
        if self.narrow != (children.index(task) < children.index(text)):
            if self.narrow:
                words.move_child(task, before=text)
            else:
                words.move_child(task, after=text)
            # The answer has its place after another layout.
            fit_soon(self)
        super().fit()

    @property
    def game(self) -> Game:
        return self.lesson.game

    @property
    def ended(self) -> bool:
        return self.lesson.done

    # Display

    def show(self) -> None:
        lesson, step = self.lesson, self.lesson.step
        dots = Text("● " * lesson.place + ("●" if lesson.done else "◉"), tone(self, "accent"))
        dots.append(" ○" * (len(lesson.steps) - lesson.place - 1), tone(self, "muted"))
        title = Text(f"{lesson.place + 1}  {_(step.title)}", tone(self, "accent", bold=True))
        heading = title + "   " + dots if self.narrow else dots + "\n\n" + title
        self.write("progress", heading)
        self.write("text", Paragraph(Text(_(step.text))))
        self.write("task", Paragraph(Text(_(step.task))))
        self.write_answer(self._said, done=lesson.done)

    def _show_torus(self) -> None:
        from daoqi_tui.tui.panes.torus import TorusView  # noqa: PLC0415 (numpy costs 100 ms)

        self._torus = TorusView(id="lesson-torus")
        self.mount(self._torus, before=self.board)
        self.board.display = False
        self.call_after_refresh(self._follow_board, self._torus)

    def _follow_board(self, torus: TorusView) -> None:
        if torus.is_running:
            torus.follow(self.board)

    def _show_flat(self) -> None:
        if self._torus is not None:
            self._torus.remove()
            self._torus = None
            self.board.display = True

    def key_hints(self) -> tuple[KeyHint, ...]:
        lesson = self.lesson
        if lesson.done and not self._coming:
            first = KeyHint("Enter", _("Start playing") if lesson.is_last else _("Next step"), "screen.play")
        else:
            first = KeyHint("Enter", _("Play"), "screen.play")
        going_on = (KeyHint("p", _("Pass"), "screen.pass"), KeyHint("n", _("Skip"), "screen.skip"))
        return (
            first,
            *(going_on if self._torus is None else ()),
            KeyHint("←↑↓→", _("Pan")),
            KeyHint("hjkl", _("Cursor") if self._torus is None else _("Tilt and turn")),
            KeyHint("b", _("Previous step"), "screen.before"),
            KeyHint("0", _("Reset view"), "screen.reset_view"),
            KeyHint("Esc", _("Leave"), "screen.close"),
        )

    def show_board(self) -> None:
        game = self.game
        chain = game.chain_at(self.pointed_at)
        self.board.show_picture(
            self.picture()._replace(
                liberties=frozenset(chain.liberties) if chain else frozenset(),
                owners=game.area().owners if game.is_over else None,
            )
        )

    # Actions of the learner

    def action_play(self) -> None:
        if self._coming:
            return
        if self.lesson.done:
            self.action_skip()
        else:
            self.play_at(self._cursor)

    def play_at(self, point: int) -> None:
        self._hovered = None
        self._show_outcome(self.lesson.play(point))

    def action_pass(self) -> None:
        if not self._coming:
            self._show_outcome(self.lesson.pass_turn())

    def action_skip(self) -> None:
        """Go to the next step; leave after the last one."""
        if self.lesson.is_last:
            self.dismiss(None)
        else:
            self.begin(self.lesson.place + 1)

    def action_before(self) -> None:
        self.begin(self.lesson.place - 1)

    def action_cursor(self, way: str) -> None:
        right, down = STEPS[way]
        if self._torus is not None:
            self._torus.turn_by_hand(right, -down)
            return
        super().action_cursor(way)

    def panned(self, points: int) -> None:
        self._show_outcome(self.lesson.pan(points))

    # Answers of the lesson

    def _show_outcome(self, outcome: StepOutcome) -> None:
        match outcome.kind:
            case "done":
                self._said = Text("…")
                self.begin_line(outcome.after, _PACE)
                return
            case "wrong":
                self._said = Text(_(self.lesson.step.hint))
            case "refused":
                assert outcome.refusal is not None
                self._said = Text(describe_refusal(outcome.refusal, self.game.torus, self._options.names))
            case "nothing":
                self.show_board()
                return
        self.show_answer()

    def _praise(self) -> Text:
        game = self.lesson.game
        text = Text(_(self.lesson.step.praise))
        if game.is_over:
            area = game.area()
            for colour in (BLACK, WHITE):
                line = _("{colour}: {total}").format(colour=colour_word(colour), total=describe_sum(area, colour))
                text.append(f"\n{line}", tone(self, "muted"))
            text.append(f"\n{describe_margin(area)}", "bold")
        going_on = _("Enter: start playing") if self.lesson.is_last else _("Enter: next step")
        text.append(f"\n\n{going_on}", tone(self, "accent", bold=True))
        return text

    def follow(self, point: int) -> None:
        self.lesson.follow(point)

    def line_ended(self) -> None:
        self._said = self._praise()
        if self.lesson.step.on_torus:
            self.show_board()
            self._show_torus()
