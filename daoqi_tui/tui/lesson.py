"""The first lesson: a row of small positions, in each of which one thing is to be done; the engine checks it.

>>> lesson = Lesson()
>>> lesson.play(lesson.game.torus.parse("E5")).kind
'wrong'
>>> lesson.play(lesson.game.torus.parse("I5")).kind
'done'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from daoqi_tui.engine import PASS, Game, IllegalMove, Refusal, opponent
from daoqi_tui.tui.lesson_steps import SIZE, STEPS, Attempt, Step


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of what the learner did.

    Attributes:
        kind: ``done``, ``wrong`` (and taken back), ``refused`` by the rules, or ``nothing`` yet.
        refusal: why a play was refused.
        after: moves that now make themselves, ``PASS`` for a pass.
    """

    kind: Literal["done", "wrong", "refused", "nothing"]
    refusal: Refusal | None = None
    after: Sequence[int] = ()


class Lesson:
    """Where a learner stands.

    Attributes:
        steps: all steps.
        place: the number of the current step, from 0.
        game: the position of the step.
        done: whether the step is done.
    """

    def __init__(self, steps: Sequence[Step] = STEPS) -> None:
        self.steps: Final = steps
        self.go(0)

    @property
    def step(self) -> Step:
        """The current step."""
        return self.steps[self.place]

    @property
    def is_last(self) -> bool:
        """Whether no step follows."""
        return self.place == len(self.steps) - 1

    def go(self, place: int) -> None:
        """Begin a step, the nearest one there is."""
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
            self.follow(PASS if name == "pass" else parse(name))

    def follow(self, point: int) -> None:
        """Make one of the moves that make themselves."""
        if point == PASS:
            self.game.pass_turn()
        else:
            self.game.play(point)

    def play(self, point: int) -> Outcome:
        """Let the learner play; a play that was not asked for is taken back."""
        if self.done:
            return Outcome("nothing")
        try:
            self.game.play(point)
        except IllegalMove as error:
            if self.step.done(Attempt(self.game, error.refusal, self._panned)):
                self.done = True
                return Outcome("done", error.refusal)
            return Outcome("refused", error.refusal)
        return self._judged()

    def pass_turn(self) -> Outcome:
        """Let the learner pass; a pass that was not asked for is taken back."""
        if self.done:
            return Outcome("nothing")
        self.game.pass_turn()
        return self._judged()

    def pan(self, points: int) -> Outcome:
        """Note that the view was panned."""
        self._panned += points
        if not self.done and self.step.done(Attempt(self.game, None, self._panned)):
            self.done = True
            return Outcome("done")
        return Outcome("nothing")

    def _judged(self) -> Outcome:
        if not self.step.done(Attempt(self.game, None, self._panned)):
            self.game.undo()
            return Outcome("wrong")
        self.done = True
        return Outcome("done", after=tuple(self.step.after(self.game)) if self.step.after else ())
