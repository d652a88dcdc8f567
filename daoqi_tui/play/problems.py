"""Solving problems: an attempt, move by move, its wording, and the progress with all of them.

Problems come back by spaced repetition, scheduled by FSRS (Ye, Su and Cao 2022; package ``fsrs``): one solved at the
first try comes back when it would be remembered with a probability of 90 %, one not solved the next day.

>>> from daoqi_tui.play.problem_files import shipped
>>> attempt = Attempt(next(problem for problem in shipped() if problem.task == "capture"))
>>> answer = attempt.play(attempt.problem.right[0])
>>> answer.kind, len(answer.line), attempt.failed
('right', 1, False)

>>> progress = Progress()
>>> for day in (1, 3, 14):
...     progress.record("a problem", date(2026, 11, day), solved_at_once=True)
...     print(progress.records["a problem"].due)
2026-11-03
2026-11-14
2026-12-30
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from fsrs import Card, Rating, Scheduler, State
from msgspec import Meta

from daoqi_tui.analysis.problems import (
    KINDS,
    MOST_EMPTY,
    Kind,
    Problem,
    Step,
    Task,
    Unproved,
    ladder_after,
    rim_is_alive,
)
from daoqi_tui.codec import encode
from daoqi_tui.engine import EMPTY, PASS, Game, Move, Refusal, Style, Torus, opponent, torus_of
from daoqi_tui.i18n import N_, _, listed, name_in_language, plural, translate
from daoqi_tui.message import Message, filled, reason_of
from daoqi_tui.paths import library_folder, mistakes_file
from daoqi_tui.pictures.text import describe_place
from daoqi_tui.play.problem_files import key_of, known_mistakes, numbers_of
from daoqi_tui.play.wording import colour_word, describe_loss, describe_points, move_name, sentence
from daoqi_tui.reading.ladder import BudgetSpent
from daoqi_tui.reading.symmetry import BoardPosition
from daoqi_tui.record.files import SharedFile, read_json, write_atomically
from daoqi_tui.record.text import SgfError

_KINDS: Final[Mapping[Kind, str]] = {
    "ladder": N_("Ladders"),
    "capture": N_("Capture and escape"),
    "life": N_("Life and death"),
    "ring": N_("Rings"),
    "seki": N_("Seki"),
    "superko": N_("Superko"),
    "opening": N_("Openings"),
    "own": N_("Own problems"),
    "mistake": N_("Mistakes in your games"),
}
_TASKS: Final[Mapping[Task, str]] = {
    "capture": N_("{colour} to play: capture the chain at {point}."),
    "save": N_("{colour} to play: save the chain at {point}."),
    "ladder": N_("{colour} to play: start the ladder that captures {point}, or pass if no ladder works."),
    "break": N_("{colour} to play: {other} threatens to capture {point} in a ladder. Which point breaks it?"),
    "make": N_("{colour} to play: the ladder on {point} does not work yet. Which point makes it work?"),
    "reply": N_("{colour} to play: find the best reply to this opening."),
    "own": N_("{colour} to play."),
    "mistake": N_("{colour} to play: find a better move than in your game."),
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

        The answer is not played yet: :meth:`.Game.make` does that, move by move.
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
        self.game.make(move)
        step = next((step for step in self._steps if step.move == move), None)
        if step is None or not step.right:
            self.failed = self.is_wrong = True
            return Answer("wrong", line or (_line(step) if step is not None else ()))
        if problem.kind == "mistake":
            line = _line(step)
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


def kind_word(kind: Kind) -> str:
    """Return the word by which a kind is typed: the first of its name; of one's own mistakes, that alone."""
    return _("mistakes") if kind == "mistake" else describe_kind(kind).split()[0].lower()


def kind_named(text: str) -> Kind | None:
    """Return the kind with a name or the first word of one, in English or as shown; None if there is none."""
    wanted = text.casefold()
    for kind, name in _KINDS.items():
        names = (name.casefold(), _(name).casefold())
        if wanted in (kind, kind_word(kind), *names, *(each.split()[0] for each in names)):
            return kind
    return None


def describe_task(problem: Problem, style: Style = "daoqi") -> str:
    """Say in a sentence whose turn it is and what to do."""
    torus = torus_of(problem.position.size)
    colour, other = colour_word(problem.position.to_move), colour_word(opponent(problem.position.to_move))
    point = torus.name(problem.target, style) if problem.target != PASS else ""
    return _(_TASKS[problem.task]).format(colour=colour, other=other, point=point)


def describe_origin(problem: Problem, style: Style = "daoqi") -> str:
    """Say from which game a mistake is; for other problems, return their comment."""
    origin, position = problem.origin, problem.position
    if origin is None:
        return problem.comment if problem.kind in ("own", "mistake") else ""
    # Without a last move it was a pass, or the position was set up.
    move = Move(opponent(position.to_move), problem.target) if problem.target != PASS else None
    players = (name_in_language(origin.black), name_in_language(origin.white))
    place = describe_place(players, torus_of(position.size), origin.number, move, translate=translate, style=style)
    return translate(Message("{title}, {result}", title=place, result=origin.date)) if origin.date else place


def conditions(problem: Problem, style: Style = "daoqi") -> list[str]:
    """Say, in a sentence each, where play takes place and how certain the answer is."""
    torus = torus_of(problem.position.size)
    found = []
    if problem.choices:
        named = listed(f"{number}={torus.name(point, style)}" for point, number in numbers_of(problem).items())
        found.append(_("Choose one of these points: {points}.").format(points=named))
    elif problem.area:
        found.append(
            _("Only the marked points are played on; the chains around them are alive.")
            if rim_is_alive(problem)
            else _("Only the marked points are played on; chains with three liberties elsewhere count as alive.")
        )
    if problem.kind == "superko":
        found.append(_("No play may repeat a position: that decides here."))
    if problem.kind == "mistake":
        found.append(_("Every move about as good as the best one is right, as a review found."))
    if problem.kind == "opening":
        found.append(_("The answer is the network's judgement; it is not proved."))
    return found


def describe_answer(answer: Answer, attempt: Attempt, style: Style = "daoqi") -> str:
    problem = attempt.problem
    match answer.kind:
        case "solved" | "wrong" if problem.kind == "mistake":
            return _describe_move(attempt, style)
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
            return _("Choose one of the points with a number.")
        case "elsewhere":
            return _("Play on one of the marked points.")
        case _:
            return ""


def _describe_move(attempt: Attempt, style: Style) -> str:
    """Say what the move just played in the position of a mistake is worth; once it is solved, also that of the game."""
    move, problem = attempt.game.node.move, attempt.problem
    assert move is not None
    *others, made = problem.steps
    best = min((step for step in others if step.right), key=lambda step: step.lost or 0.0)
    step = next((step for step in problem.steps if step.move == move.point), None)
    names = {"move": move_name(move.point, attempt.torus, style), "best": move_name(best.move, attempt.torus, style)}
    if step is None:
        return filled(_("The review did not look at {move}: it prefers other moves."), **names)
    lost = describe_points(step.lost or 0.0)
    if step is made:
        return filled(_("{move} was your move in the game: it loses {lost}."), **names, lost=lost)
    if not step.right:
        return sentence(describe_loss(names["move"], step.lost or 0.0))
    said = _("Right: {move} is best.") if step is best else _("Right: {move} loses only {lost} against {best}.")
    in_game = filled(
        _(" In the game you played {made}, which lost {lost}."),
        made=move_name(made.move, attempt.torus, style),
        lost=describe_points(made.lost or 0.0),
    )
    return filled(said, **names, lost=lost) + in_game


def describe_uncounted() -> str:
    """Say why a problem that was solved does not count as solved."""
    return _("After a wrong move or a hint it does not count as solved yet: it comes back tomorrow.")


def describe_unproved(reason: Unproved, position: BoardPosition, target: int, style: Style = "daoqi") -> str:
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
        return _("Solution: {points}.").format(points=listed(names))
    return _("One of these is right: {points}.").format(points=listed(names))


# Progress

LEITNER: Final = (1, 1, 3, 7, 16, 35, 90)
"""The days until a problem came back in earlier versions, by its Leitner box."""
_MOST_DAYS: Final = 36_500
_AGAIN: Final = timedelta(days=1)
"""Until a problem that was not solved comes back, as the only learning step of the scheduler."""
_MOST_BYTES: Final = 16 * 2**20
_Count: TypeAlias = Annotated[int, Meta(ge=0, lt=10**9)]


class Record(NamedTuple):
    """The progress with a problem.

    Attributes:
        box: 0 after a failure, then one more for each time it was solved at the first try; in a record of an
            earlier version its Leitner box.
        due: the day when it is due again.
        tries: the number of attempts.
        solved: the number of times it was solved at the first try.
        stability: the days after which FSRS expects it to be remembered with 90 %; 0 in a record of an earlier version.
        difficulty: in FSRS, 1 to 10.
        last: the day of the last attempt, None in a record of an earlier version.
    """

    box: _Count
    due: date
    tries: _Count = 0
    solved: _Count = 0
    stability: Annotated[float, Meta(ge=0, le=_MOST_DAYS)] = 0.0
    difficulty: Annotated[float, Meta(ge=0, le=10)] = 0.0
    last: date | None = None

    def after(self, today: date, *, solved_at_once: bool) -> Record:
        """Return the record after another attempt; after a right answer it is not due earlier than before."""
        # Without learning steps of minutes, which are for sessions of many cards; and without chance.
        scheduler = Scheduler(learning_steps=(_AGAIN,), relearning_steps=(_AGAIN,), enable_fuzzing=False)
        card = Card(card_id=0)
        if self.tries:
            interval = LEITNER[min(self.box, len(LEITNER) - 1)]
            last = self.last or self.due - timedelta(days=interval)
            # The clock may have been set back.
            card.last_review = _noon(min(last, today))
            card.stability = self.stability or float(interval)
            card.difficulty = self.difficulty or _usual_difficulty()
            if self.box:
                card.state, card.step = State.Review, None
            elif self.solved:
                card.state = State.Relearning
        card, _log = scheduler.review_card(card, Rating.Good if solved_at_once else Rating.Again, _noon(today))
        due = card.due.date()
        if solved_at_once:
            due = max(due, self.due)
        assert card.stability is not None
        assert card.difficulty is not None
        return Record(
            self.box + 1 if solved_at_once else 0,
            due,
            self.tries + 1,
            self.solved + solved_at_once,
            min(card.stability, float(_MOST_DAYS)),
            card.difficulty,
            today,
        )

    def merged(self, other: Record) -> Record:
        """Return the later of two records of the same problem: that after more tries, else that due later.

        The records of a problem are totally ordered, and this is the greater of the two. So merging is commutative,
        associative and idempotent: copies of the same progress may be merged in any order, and any number of times.

        >>> Record(2, date(2026, 11, 5), 3, 2).merged(Record(0, date(2026, 11, 9), 4, 2)).tries
        4
        """

        def order(record: Record) -> tuple[object, ...]:
            return record.tries, record.due, record.solved, record.box, record[4:6], record.last or date.min

        return max(self, other, key=order)


def _noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


@cache
def _usual_difficulty() -> float:
    """Return the difficulty of a problem that was solved at the first try when it was new."""
    new = Record(0, date(2026, 1, 1))
    return new.after(new.due, solved_at_once=True).difficulty


@dataclass(frozen=True, slots=True)
class _Contents:
    problems: dict[str, Record]


class ProgressError(ValueError):
    """The progress cannot be read; the text is one sentence."""


@dataclass(slots=True)
class Progress:
    """The progress with all problems.

    Attributes:
        records: by the problem's key.
    """

    records: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Progress:
        """Read a file; where there is none, nothing is remembered yet.

        Raises:
            ProgressError: it cannot be read.
        """
        try:
            contents: _Contents = read_json(path, _MOST_BYTES, _Contents)
        except FileNotFoundError:
            return cls()
        except OSError as error:
            raise ProgressError(
                Message("{file} cannot be read: {reason}", file=path, reason=reason_of(error))
            ) from error
        except ValueError as error:
            raise ProgressError(
                Message("{file} is not a progress file; move it away to start a new one", file=path)
            ) from error
        return cls(contents.problems)

    def write(self, path: Path) -> None:
        """Write the file, atomically.

        Raises:
            OSError: as the system gives it.
        """
        write_atomically(path, encode(_Contents(self.records), indent=0))

    def copy(self) -> Progress:
        return Progress(dict(self.records))

    def merged(self, other: Progress) -> Progress:
        """Return the progress of both, the later record of each problem (:meth:`Record.merged`)."""
        merged = self.copy()
        for key, record in other.records.items():
            merged.records[key] = record.merged(merged.records.get(key, record))
        return merged

    def record(self, key: str, today: date, *, solved_at_once: bool) -> None:
        known = self.records.get(key, Record(0, today))
        self.records[key] = known.after(today, solved_at_once=solved_at_once)

    def is_due(self, problem: Problem, today: date) -> bool:
        """Return whether a problem that was tried before, or a new mistake, is due."""
        record = self._record_of(problem)
        return problem.kind == "mistake" if record is None else record.due <= today

    def is_solved(self, problem: Problem) -> bool:
        """Return whether a problem was solved at the first try the last time."""
        record = self._record_of(problem)
        return record is not None and record.box > 0

    def _record_of(self, problem: Problem) -> Record | None:
        # The key is that of the position, which is read for it.
        return self.records.get(key_of(problem)) if self.records else None

    def next(self, problems: Iterable[Problem], today: date, after: Problem | None = None) -> Problem | None:
        """Return the problem to solve next, another than ``after`` where there is one.

        Due problems come first, the longest overdue before the others; then new ones in their order, then those due
        soonest.
        """

        def order(place: int, problem: Problem) -> tuple[bool, int, date, int]:
            record = self.records.get(key_of(problem))
            if record is None:
                return problem is after, 1, today, place
            return problem is after, 0 if record.due <= today else 2, record.due, place

        listed = [(order(place, problem), problem) for place, problem in enumerate(problems)]
        return min(listed, key=lambda entry: entry[0])[1] if listed else None


class Group(NamedTuple):
    """The problems of one kind and level, and the progress with them.

    Attributes:
        kind, level: what they have in common.
        problems: all of them.
        solved: the number solved at the first try the last time.
        due: the number that are due.
    """

    kind: Kind
    level: int
    problems: tuple[Problem, ...]
    solved: int
    due: int


def groups(problems: Sequence[Problem], progress: Progress, today: date) -> list[Group]:
    found: dict[tuple[Kind, int], list[Problem]] = {}
    kinds: list[Kind] = ["mistake", *KINDS, "own"]
    for problem in problems:
        found.setdefault((problem.kind, problem.level), []).append(problem)
    return [
        Group(
            kind,
            level,
            tuple(listed),
            sum(progress.is_solved(problem) for problem in listed),
            sum(progress.is_due(problem, today) for problem in listed),
        )
        for (kind, level), listed in sorted(found.items(), key=lambda entry: (kinds.index(entry[0][0]), entry[0][1]))
    ]


def due_mistakes(today: date) -> int:
    """Return how many of the user's mistakes are due; new ones are. 0 if the files cannot be read."""
    try:
        progress = Progress.read(progress_file())
        return sum(progress.is_due(problem, today) for problem in known_mistakes(mistakes_file()))
    except (ProgressError, SgfError, OSError):
        return 0


def describe_due(count: int) -> str:
    return plural("{count} of your mistakes is due", "{count} of your mistakes are due", count)


def progress_file() -> Path:
    return library_folder().with_name("problems.json")


class ProgressFile(SharedFile[Progress]):
    """The user's progress, in a file that several windows share; what a window has read or saved before is merged in.

    Args:
        path: the file; None keeps nothing.

    Attributes:
        trouble: why the file cannot be read or written, None while it can. A file that cannot be read is not replaced.
    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, Progress, Progress)
        self._known = Progress()
        """What was read or saved last."""
        self.trouble: ProgressError | OSError | None = None
        if path is not None:
            try:
                self._known = Progress.read(path)
            except ProgressError as error:
                self._path, self.trouble = None, error
        self.contents = self._known.copy()

    @property
    def progress(self) -> Progress:
        """The progress with all problems."""
        return self.contents

    def record(self, problem: Problem, today: date, *, solved_at_once: bool) -> None:
        self.change(partial(Progress.record, key=key_of(problem), today=today, solved_at_once=solved_at_once))

    def save(self) -> None:
        """Save the attempts, merged with those of other windows. Waits for the disk, and for those windows.

        What cannot be saved is saved with the next attempt.
        """
        try:
            super().save()
        except (ProgressError, OSError) as error:
            self.trouble = error

    def _to_change(self, path: Path) -> Progress:
        return Progress.read(path).merged(self._known)

    def _write(self, path: Path, contents: Progress) -> None:
        contents.write(path)
        self._known, self.trouble = contents.copy(), None


class Practice:
    """Solving problems one after another.

    Args:
        problems: one or more.
        file: the user's progress.
        today: returns the day.

    Attributes:
        problems: all that may come.
        file: as given.
        attempt: the attempt at the current problem.
        counted: whether the current problem counts as solved, None before it is decided: at the first try or a hint.
        save: called when an outcome was recorded; saves the progress, unless a face replaces it to do so in a thread.
    """

    def __init__(self, problems: Sequence[Problem], file: ProgressFile, today: Callable[[], date] = date.today) -> None:
        self.problems: Final = tuple(problems)
        self.file: Final = file
        self._today: Final = today
        self.counted: bool | None = None
        self.save: Callable[[], object] = file.save
        first = file.progress.next(self.problems, today())
        assert first is not None
        self.attempt = Attempt(first)

    @property
    def problem(self) -> Problem:
        return self.attempt.problem

    def play(self, move: int) -> Answer:
        answer = self.attempt.play(move)
        self._record()
        return answer

    def hint(self) -> tuple[int, ...]:
        points = self.attempt.hint()
        self._record()
        return points

    def next(self) -> None:
        chosen = self.file.progress.next(self.problems, self._today(), self.problem)
        assert chosen is not None
        self.attempt, self.counted = Attempt(chosen), None

    @property
    def solved(self) -> int:
        return sum(self.file.progress.is_solved(problem) for problem in self.problems)

    def _record(self) -> None:
        """Record the first outcome of an attempt: failed or solved."""
        attempt = self.attempt
        if self.counted is None and (attempt.failed or attempt.solved):
            self.counted = not attempt.failed
            self.file.record(attempt.problem, self._today(), solved_at_once=self.counted)
            self.save()
