"""The first lesson: small positions with one task each, checked by the engine, and the screen to solve them on.

>>> lesson = Lesson()
>>> lesson.play(lesson.game.torus.parse("E5")).kind
'wrong'
>>> lesson.play(lesson.game.torus.parse("I5")).kind
'done'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from rich.text import Text
from textual.binding import Binding
from textual.containers import VerticalScroll

from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Game, IllegalMove, Refusal, Repeats, opponent
from daoqi_tui.i18n import N_, _
from daoqi_tui.play.wording import colour_word, describe_margin, describe_refusal, describe_sum
from daoqi_tui.reading.ladder import read_ladder
from daoqi_tui.tui.board.screen import STEPS as WAYS
from daoqi_tui.tui.fitting import fit_soon
from daoqi_tui.tui.look import Options, Paragraph, tone
from daoqi_tui.tui.panes import KeyHint
from daoqi_tui.tui.screens.hinted import StudyScreen

if TYPE_CHECKING:
    from daoqi_tui.tui.panes.torus import TorusView

SIZE: Final = 9
_LADDER_NODES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Attempt:
    """The learner's last action, as a step checks it.

    Attributes:
        game: the game after it.
        refusal: why a play was refused, None when it was not.
        panned: how many points the view has been panned since the step began.
    """

    game: Game
    refusal: Refusal | None = None
    panned: int = 0


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One step of the lesson.

    Attributes:
        title: its heading.
        text: what is to be learned.
        task: what to do.
        praise: the text for success.
        hint: the text for a wrong attempt.
        black: the black stones, by name.
        white: the white ones.
        to_move: who plays, the learner.
        before: moves made before the learner's, by name or ``pass``, beginning with the other colour.
        done: checks whether an attempt solves the task.
        after: moves that show the continuation, played automatically; none if not given.
        on_torus: whether the end of the step is best seen on the 3-D torus.
        at: the point, by name, in the middle of a window that does not show the whole board; the centre if not given.
    """

    title: str
    text: str
    task: str
    praise: str
    hint: str
    done: Callable[[Attempt], bool]
    black: str = ""
    white: str = ""
    to_move: Colour = BLACK
    before: str = ""
    after: Callable[[Game], Iterable[int]] | None = None
    on_torus: bool = False
    at: str = ""


def _played(name: str) -> Callable[[Attempt], bool]:
    return lambda attempt: _last(attempt) == attempt.game.torus.parse(name)


def _last(attempt: Attempt) -> int | None:
    move = attempt.game.node.move
    return move.point if move is not None and attempt.refusal is None else None


def _captured(stones: int) -> Callable[[Attempt], bool]:
    return lambda attempt: attempt.refusal is None and attempt.game.node.captured == stones


def _free(name: str, liberties: int) -> Callable[[Attempt], bool]:
    def free(attempt: Attempt) -> bool:
        chain = attempt.game.chain_at(attempt.game.torus.parse(name))
        return chain is not None and len(chain.liberties) >= liberties

    return free


def _ladder(game: Game) -> Iterable[int]:
    """Return the moves after the first atari of the ladder, up to the capture; empty if there is no ladder."""
    if game.chain_at(game.torus.parse("E5")) is None:
        return ()
    ladder = read_ladder(game.board, game.torus.parse("E5"), nodes=_LADDER_NODES)
    return ladder.line[:-1] if ladder.result == "captured" else ()


STEPS: Final = (
    LessonStep(
        N_("No edges"),
        N_(
            "This board has no edges and no corners. Go off on the left and you come back on the "
            "right; go off at the top and you come back at the bottom. Every point has four "
            "neighbours. The dimmed copies around the board show the same points again."
        ),
        N_("The stone at A5 has four liberties. One of them is to its left: play there."),
        N_("I5 is the left neighbour of A5: both stones are now one chain with six liberties."),
        N_("The point to the left of A5 is in the last column, in row 5."),
        _played("I5"),
        black="A5",
    ),
    LessonStep(
        N_("Panning"),
        N_(
            "The board never ends, so you can pan as far as you like: with the arrow keys, with "
            "the wheel, or by dragging with the mouse. Only your window moves; every point keeps "
            "its coordinates."
        ),
        N_("Bring the two black stones side by side: pan four points or more."),
        N_("The board wraps around: after nine points you are back where you began. Press 0 to go there at once."),
        N_("Press an arrow key a few times, or drag the board with the mouse."),
        lambda attempt: attempt.panned >= 4,
        black="A5 I5",
        white="D3 F7",
    ),
    LessonStep(
        N_("Capturing stones"),
        N_(
            "Adjacent stones of one colour form a chain. The empty points next to it are its "
            "liberties. Fill the last one and you capture the whole chain."
        ),
        N_("The white chain has one liberty left. Capture both stones."),
        N_("Two prisoners."),
        N_("Look for the empty point next to the white stones. Put the cursor on one to highlight its liberties."),
        _captured(2),
        black="D5 E6 F6 E4 F4",
        white="E5 F5",
    ),
    LessonStep(
        N_("Capturing across the seam"),
        N_(
            "Nothing changes where the picture ends, because the board does not end there: a "
            "chain may continue on the other side, and so may its liberties."
        ),
        N_("The white stones at A1 and A9 are one chain. Capture them."),
        N_("In the corner of an ordinary board two stones would have been enough. Here no corner helps you."),
        N_("The neighbours of A1 are B1, A2, I1 and A9. Which point next to the two stones is empty?"),
        _captured(2),
        black="A2 B1 B9 A8 I9",
        white="A1 A9 D4 E7",
        at="A9",
    ),
    LessonStep(
        N_("Saving stones"),
        N_(
            "A chain with one liberty left is in atari: it can be captured on the next move. "
            "Adding a stone can give it new liberties."
        ),
        N_("Your stone at E9 is in atari. Save it."),
        N_("E9 and E1 are neighbours: your chain has three liberties and is safe for now."),
        N_("The last liberty of E9 is above it, and above row 9 comes row 1."),
        _free("E9", 3),
        black="E9 C3",
        white="D9 F9 E8 F3",
        at="E9",
    ),
    LessonStep(
        N_("Suicide"),
        N_(
            "You may also fill the last liberty of your own chain: it comes off the board, and "
            "its stones become your opponent's prisoners. With a single stone the board stays as "
            "it was and your opponent is to move: a pass that costs nothing."
        ),
        N_("Play at E5, which has no liberties."),
        N_("The stone is gone. The board is the same, and White is to move."),
        N_("Play at the empty point between the four white stones."),
        lambda attempt: attempt.refusal is None and attempt.game.node.lost == 1,
        black="C3 G7",
        white="E6 E4 D5 F5",
    ),
    LessonStep(
        N_("No repetition"),
        N_(
            "A move must not repeat an earlier position with the same player to move. That keeps "
            "the players from recapturing one stone for ever. Black has just played E5 and "
            "captured a stone; you are White."
        ),
        N_("Try to recapture at once: play at D5."),
        N_(
            "Refused: this position has occurred before. Play elsewhere first; then the position "
            "is different and you may recapture."
        ),
        N_("Try the point where your stone was captured: D5."),
        lambda attempt: isinstance(attempt.refusal, Repeats),
        black="D6 D4 C5",
        white="E6 E4 F5 D5",
        to_move=WHITE,
        before="E5",
    ),
    LessonStep(
        N_("Passing"),
        N_(
            "Instead of playing a stone you may pass. A pass costs a point, so pass only when no move gains one. "
            "At the end of a close game, who cannot spare the point may throw a stone into your area instead: "
            "capture it."
        ),
        N_("Press p to pass."),
        N_("You have one point less, and White is to move."),
        N_("Do not play a stone this time: press p."),
        lambda attempt: attempt.refusal is None and attempt.game.node.passes_in_row == 1,
        black="C1 C2 C3 C4 C5 C6 C7 C8 C9 G1 G2 G3 G4 G5 G6 G7 G8 G9",
        white="D1 D2 D3 D4 D5 D6 D7 D8 D9 F1 F2 F3 F4 F5 F6 F7 F8 F9",
    ),
    LessonStep(
        N_("Scoring"),
        N_(
            "Two passes in a row end the game. You score a point for each of your stones on the "
            "board and for each empty point that only your stones surround, minus one for each "
            "pass. White also gets komi, and wins a tie. Here your two walls surround everything "
            "behind the seam."
        ),
        N_("White has passed. Pass too, and see the score."),
        N_("Your area reaches from column G across the seam to column C: that is how Black wins here."),
        N_("Press p to pass."),
        lambda attempt: attempt.game.is_over,
        black="C1 C2 C3 C4 C5 C6 C7 C8 C9 G1 G2 G3 G4 G5 G6 G7 G8 G9",
        white="D1 D2 D3 D4 D5 D6 D7 D8 D9 F1 F2 F3 F4 F5 F6 F7 F8 F9",
        before="pass",
    ),
    LessonStep(
        N_("The ladder that bites its tail"),
        N_(
            "In a ladder each move gives atari, and each escape leaves a single liberty. On an "
            "ordinary board it runs until it reaches the edge. Here it runs around the torus and "
            "meets itself."
        ),
        N_("Put E5 in atari, from above or from the right: only one of them works. White will run."),
        N_(
            "The ladder has gone all round the torus and met its own start. White's sixteen stones have one liberty "
            "left: Black captures them with the next move. Now you know what is special here. Have a good game!"
        ),
        N_("That way White gets three liberties and escapes. Drive it along your other stones."),
        lambda attempt: bool(_last(attempt) is not None and attempt.refusal is None and tuple(_ladder(attempt.game))),
        black="D5 E4 F4",
        white="E5",
        after=_ladder,
        on_torus=True,
    ),
)


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The result of an attempt.

    Attributes:
        kind: ``done``, ``wrong`` (and undone), ``refused`` by the rules, or ``nothing`` yet.
        refusal: why a play was refused.
        after: moves that are then played automatically, ``PASS`` for a pass.
    """

    kind: Literal["done", "wrong", "refused", "nothing"]
    refusal: Refusal | None = None
    after: Sequence[int] = ()


class Lesson:
    """The progress of a learner.

    Attributes:
        steps: all steps.
        place: the index of the current step.
        game: the position of the step.
        done: whether the step is done.
    """

    def __init__(self, steps: Sequence[LessonStep] = STEPS) -> None:
        self.steps: Final = steps
        self.go(0)

    @property
    def step(self) -> LessonStep:
        return self.steps[self.place]

    @property
    def is_last(self) -> bool:
        return self.place == len(self.steps) - 1

    def go(self, place: int) -> None:
        """Begin a step; the number is clamped to the valid range."""
        self.place = max(0, min(len(self.steps) - 1, place))
        self.done = False
        self._panned = 0
        step = self.step
        game = self.game = Game(SIZE)
        parse = game.torus.parse
        moves = step.before.split()
        first = opponent(step.to_move) if len(moves) % 2 else step.to_move
        game.setup(
            black=[parse(name) for name in step.black.split()],
            white=[parse(name) for name in step.white.split()],
            to_move=first,
        )
        for name in moves:
            game.make(PASS if name == "pass" else parse(name))

    def play(self, move: int) -> StepOutcome:
        """Play at a point, or pass, for the learner; a wrong move is undone."""
        if self.done:
            return StepOutcome("nothing")
        try:
            self.game.make(move)
        except IllegalMove as error:
            return StepOutcome("done" if self._solves(error.refusal) else "refused", error.refusal)
        return self._outcome()

    def pan(self, points: int) -> StepOutcome:
        self._panned += points
        return StepOutcome("done" if not self.done and self._solves() else "nothing")

    def _solves(self, refusal: Refusal | None = None) -> bool:
        """Return whether the step is done by what the learner did last, and note it."""
        self.done = self.step.done(Attempt(self.game, refusal, self._panned))
        return self.done

    def _outcome(self) -> StepOutcome:
        if not self._solves():
            self.game.undo()
            return StepOutcome("wrong")
        return StepOutcome("done", after=tuple(self.step.after(self.game)) if self.step.after else ())


_BESIDE_WORDS: Final = 4
"""The columns beside the words of a narrow window: margins and a scroll bar."""
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
        self.cursor.begin(SIZE)
        self.cursor.reset_view()
        if self.lesson.step.at and self.board.viewport.height < self.board.viewport.period[1]:
            self.cursor.centre_view(self.game.torus.parse(self.lesson.step.at))
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
        beside = title + "   " + dots
        # Below each other the dots would take a line of the task.
        whole = beside if beside.cell_len <= self.size.width - _BESIDE_WORDS else title
        self.write("progress", whole if self.narrow else dots + "\n\n" + title)
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
            *(going_on if self._torus is None and not lesson.done else ()),
            KeyHint("←↑↓→", _("Pan")),
            KeyHint("hjkl", _("Cursor") if self._torus is None else _("Tilt and turn")),
            *((KeyHint("b", _("Previous step"), "screen.before"),) if lesson.place else ()),
            KeyHint("0", _("Reset view"), "screen.reset_view"),
            KeyHint("Esc", _("Leave"), "screen.close"),
        )

    def show_board(self) -> None:
        game = self.game
        chain = game.chain_at(self.cursor.pointed_at)
        self.board.show_picture(
            self.picture()._replace(
                liberties=frozenset(chain.liberties) if chain else frozenset(),
                owners=game.area().owners if game.is_over else None,
            )
        )

    # Actions of the learner

    def make(self, move: int) -> None:
        self._show_outcome(self.lesson.play(move))

    def go_on(self) -> None:
        self.action_skip()

    def play_at(self, point: int) -> None:
        """Play for the learner; only Enter goes on."""
        self.cursor.hovered = None
        self.make(point)

    def action_play(self) -> None:
        if not self._coming:
            super().action_play()

    def action_skip(self) -> None:
        """Go to the next step; leave after the last one."""
        if self.lesson.is_last:
            self.dismiss(None)
        else:
            self.begin(self.lesson.place + 1)

    def action_before(self) -> None:
        self.begin(self.lesson.place - 1)

    def action_cursor(self, way: str) -> None:
        right, down = WAYS[way]
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

    def line_ended(self) -> None:
        self._said = self._praise()
        if self.lesson.step.on_torus:
            self.show_board()
            self._show_torus()
