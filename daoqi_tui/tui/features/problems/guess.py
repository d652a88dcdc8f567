"""The screen to guess the moves of a game; apart from that of problems, which needs nothing of a review."""

from __future__ import annotations

from rich.text import Text

from daoqi_tui.engine import PASS, Game
from daoqi_tui.i18n import _
from daoqi_tui.pictures.picture import SIGNS
from daoqi_tui.play.review import Guess, Guessing, describe_guess, describe_guessing, describe_scoring, guessed_lines
from daoqi_tui.play.wording import describe_refusal
from daoqi_tui.tui.look import Options, Paragraph, tone
from daoqi_tui.tui.panes import KeyHint
from daoqi_tui.tui.screens.hinted import StudyScreen


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
        self._said, self._hovered = Text(), None
        if self.guessing.is_over:
            self._said = Text("\n".join(guessed_lines(self.guessing.guesses)))
        self._cursor = self._middle() if self.picture().last is None else self.picture().last or 0
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
        task = _("The game is over.") if guessing.is_over else describe_guessing(guessing)
        self.write("task", Paragraph(Text(task)))
        self.write("text", Paragraph(Text(f"{self._title}\n{describe_scoring(guessing)}")))
        said = self._said.copy()
        if guessing.answered:
            guess = guessing.guesses[-1]
            said = Text(describe_guess(guess, self.game.torus, names))
            said.append(f"\n\n{_('Enter: next move')}", tone(self, "accent", bold=True))
        self._said = said
        self.answer.set_class(guessing.answered and not guessing.guesses[-1].is_same, "-wrong")
        self.write_answer(said, done=guessing.is_over or (guessing.answered and guessing.guesses[-1].is_same))

    def key_hints(self) -> tuple[KeyHint, ...]:
        guessing = self.guessing
        enter = _("Leave") if guessing.is_over else _("Next") if guessing.answered else _("Play")
        return (
            KeyHint("Enter", enter, "screen.play"),
            KeyHint("p", _("Pass"), "screen.pass"),
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

    def action_play(self) -> None:
        if self.guessing.is_over:
            self.dismiss(None)
        elif self.guessing.answered:
            self.guessing.next()
            self.begin()
        else:
            self._guess(self._cursor)

    def action_pass(self) -> None:
        if not self.ended:
            self._guess(PASS)

    def play_at(self, point: int) -> None:
        if self.ended:
            self.action_play()
        else:
            self._guess(point)

    def _guess(self, move: int) -> None:
        self._hovered = None
        answer = self.guessing.play(move)
        if answer is not None and not isinstance(answer, Guess):
            self._said = Text(describe_refusal(answer, self.game.torus, self._options.names))
        self.show_answer()

    def follow(self, point: int) -> None:
        """Make no automatic move: there are none."""
