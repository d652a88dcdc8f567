"""Solving a problem: one attempt, move by move, and its wording.

>>> from daoqi_tui.play.problem_files import shipped
>>> attempt = Attempt(next(problem for problem in shipped() if problem.task == "capture"))
>>> answer = attempt.play(attempt.problem.right[0])
>>> answer.kind, len(answer.line), attempt.failed
('right', 1, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.analysis.problems import MOST_EMPTY, Kind, Position, Problem, Step, Unproved, ladder_after
from daoqi_tui.engine import EMPTY, PASS, Game, Refusal, Style, Torus, opponent, torus_of
from daoqi_tui.i18n import N_, _, listed, plural
from daoqi_tui.play.problem_files import letters_of
from daoqi_tui.play.wording import colour_word, move_name
from daoqi_tui.reading.ladder import BudgetSpent

_KINDS: Final[Mapping[Kind, str]] = {
    "ladder": N_("Ladders"),
    "capture": N_("Capture and escape"),
    "life": N_("Life and death"),
    "seki": N_("Seki"),
    "superko": N_("Superko"),
    "opening": N_("Openings"),
    "own": N_("Own problems"),
}

Reaction: TypeAlias = Literal["right", "solved", "wrong", "refused", "elsewhere", "nothing"]
"""The outcome of a move: right, with more to find; the last right one; wrong; illegal; outside the area or the choices,
and undone; nothing, because the attempt is over or waits for a retry."""


class Answer(NamedTuple):
    """The outcome of a move.

    Attributes:
        kind: of the outcome.
        line: moves that follow automatically: the opponent's answer, or the refutation of a wrong move.
        refusal: why the rules refused it.
    """

    kind: Reaction
    line: tuple[int, ...] = ()
    refusal: Refusal | None = None


class Attempt:
    """An attempt at a problem.

    Attributes:
        problem: what is asked.
        game: the position, with the moves played in it.
        solved: whether it is solved.
        failed: whether there was a wrong move or a hint, so that it does not count as solved at the first try.
        is_wrong: whether the last move was wrong, to be undone with :meth:`retry`.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem: Final = problem
        position = problem.position
        self.game: Final = Game(position.size)
        self.game.setup(
            black=self.torus.points_in(position.black),
            white=self.torus.points_in(position.white),
            to_move=position.to_move,
        )
        self._steps = problem.steps
        self._here = self.game.node
        self.solved = self.failed = self.is_wrong = False
        self._hints = 0

    @property
    def torus(self) -> Torus:
        return self.game.torus

    @property
    def right(self) -> tuple[int, ...]:
        return tuple(step.move for step in self._steps if step.right)

    def play(self, move: int) -> Answer:
        """Play at a point, or pass where it is :data:`~daoqi_tui.engine.PASS`.

        The answer is not played yet: :meth:`follow` does that, move by move.
        """
        problem = self.problem
        if self.solved or self.is_wrong:
            return Answer("nothing")
        if self._is_elsewhere(move):
            return Answer("elsewhere")
        board = self.game.board
        line: tuple[int, ...] = ()
        if move != PASS and (refusal := board.refusal(move)) is not None:
            return Answer("refused", refusal=refusal)
        if problem.kind == "ladder" and move != PASS:
            line = self._ladder_line(move)
        self._here = self.game.node
        self.follow(move)
        step = next((step for step in self._steps if step.move == move), None)
        if step is None or not step.right:
            self.failed = self.is_wrong = True
            return Answer("wrong", line or (_line(step) if step is not None else ()))
        reply = next((reply for reply in step.replies if any(after.right for after in reply.replies)), None)
        if reply is None:
            self.solved = True
            return Answer("solved", line)
        self._steps = reply.replies
        return Answer("right", (reply.move,))

    def _is_elsewhere(self, move: int) -> bool:
        """Return whether a move on an empty point is outside the problem's area or choices."""
        problem = self.problem
        if problem.choices:
            return move == PASS or (not self.game.board.colours[move] and move not in problem.choices)
        return bool(
            problem.area and move != PASS and not problem.area >> move & 1 and not self.game.board.colours[move]
        )

    def _ladder_line(self, move: int) -> tuple[int, ...]:
        """Return the continuation of the ladder after a move in it."""
        problem, board = self.problem, self.game.board
        if board.colours[problem.target] == EMPTY:
            return ()
        if problem.task == "ladder" and not board.liberties_of(problem.target) >> move & 1:
            return ()
        try:
            return ladder_after(board, problem.target, move)[1]
        except (BudgetSpent, ValueError):
            # The user's own collection may call anything a ladder, even if the move captured the target.
            return ()

    def follow(self, move: int) -> None:
        if move == PASS:
            self.game.pass_turn()
        else:
            self.game.play(move)

    def retry(self) -> None:
        """Undo a wrong move and its continuation; without one, restart."""
        if self.is_wrong:
            self.is_wrong = False
            self.game.goto(self._here)
            return
        start = next(node for node in self.game.node.path() if node.action is not None)
        self.game.goto(start)
        self._steps = self.problem.steps
        self._here = start
        self.solved = False
        self._hints = 0

    def hint(self) -> tuple[int, ...]:
        """Return points, one of them right: two at first, then the right ones alone. The attempt counts as failed."""
        if self.solved or self.is_wrong:
            return ()
        self.failed = True
        self._hints += 1
        wrong = sorted((step for step in self._steps if not step.right), key=lambda step: -len(_line(step)))
        if self._hints == 1 and wrong:
            return tuple(sorted((self.right[0], wrong[0].move)))
        return self.right


def _line(step: Step) -> tuple[int, ...]:
    """Return the moves that follow a step along first replies."""
    moves = []
    while step.replies:
        step = step.replies[0]
        moves.append(step.move)
    return tuple(moves)


# Words


def describe_kind(kind: Kind) -> str:
    return _(_KINDS[kind])


def describe_task(problem: Problem, style: Style = "daoqi") -> str:
    """Say in a sentence whose turn it is and what to do."""
    torus = torus_of(problem.position.size)
    colour, other = colour_word(problem.position.to_move), colour_word(opponent(problem.position.to_move))
    point = torus.name(problem.target, style) if problem.target != PASS else ""
    match problem.task:
        case "capture":
            words = _("{colour} to play: capture the chain at {point}.")
        case "save":
            words = _("{colour} to play: save the chain at {point}.")
        case "ladder":
            words = _("{colour} to play: start the ladder that captures {point}, or pass if no ladder works.")
        case "break":
            words = _("{colour} to play: {other} threatens to capture {point} in a ladder. Which point breaks it?")
        case "make":
            words = _("{colour} to play: the ladder on {point} does not work yet. Which point makes it work?")
        case "reply":
            words = _("{colour} to play: find the best reply to this opening.")
        case "own":
            words = _("{colour} to play.")
    return words.format(colour=colour, other=other, point=point)


def conditions(problem: Problem, style: Style = "daoqi") -> list[str]:
    """Say, in a sentence each, where play takes place and how certain the answer is."""
    torus = torus_of(problem.position.size)
    found = []
    if problem.choices:
        named = listed(f"{letter} {torus.name(point, style)}" for point, letter in letters_of(problem).items())
        found.append(_("Choose one of these points: {points}.").format(points=named))
    elif problem.area:
        found.append(_("Only the marked points are played on. Chains with a liberty elsewhere are safe."))
    if problem.kind == "superko":
        found.append(_("No play may repeat a position: that decides here."))
    if problem.kind == "opening":
        words = plural(
            "According to the network, with {count} visit; this is not proved.",
            "According to the network, with {count} visits; this is not proved.",
            problem.visits,
        )
        found.append(words)
    return found


def describe_answer(answer: Answer, attempt: Attempt, style: Style = "daoqi") -> str:
    problem = attempt.problem
    match answer.kind:
        case "right":
            return _("Right. Go on.")
        case "solved" if problem.kind == "opening":
            return _("Yes: that is what the network plays.")
        case "solved":
            return _("Solved.")
        case "wrong" if problem.kind == "opening":
            names = listed(move_name(point, attempt.torus, style) for point in problem.right)
            return _("The network prefers {points}.").format(points=names)
        case "wrong" if answer.line:
            return _("Wrong: this is how it is refuted.")
        case "wrong":
            return _("Wrong.")
        case "elsewhere" if problem.choices:
            return _("Choose one of the points with a letter.")
        case "elsewhere":
            return _("Play on one of the marked points.")
        case _:
            return ""


def describe_unproved(reason: Unproved, position: Position, target: int, style: Style = "daoqi") -> str:
    """Say why a position is not a valid problem of the chain on ``target``."""
    words = {
        "open": _("Nothing can be proved: the chain at {point} is not closed in, with at most {most} empty points"),
        "unsettled": _("Nothing is proved: what becomes of the chain at {point} was not decided"),
        "passing": _("Nothing to find: even if {colour} passes, the chain at {point} survives"),
        "lost": _("Nothing to find: no move of {colour} captures or saves the chain at {point}"),
        "plain": _("Nothing to find: every move of {colour} decides the fight for the chain at {point}"),
    }[reason]
    name = torus_of(position.size).name(target, style)
    return words.format(point=name, colour=colour_word(position.to_move), most=MOST_EMPTY)


def describe_hint(points: tuple[int, ...], attempt: Attempt, style: Style = "daoqi") -> str:
    """Word a hint."""
    if not points:
        return ""
    names = [move_name(point, attempt.torus, style) for point in points]
    if set(points) == set(attempt.right):
        return _("The right move: {points}.").format(points=listed(names))
    return _("One of these is right: {points}.").format(points=listed(names))
