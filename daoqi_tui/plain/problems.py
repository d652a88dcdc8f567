"""Problems in text mode: a problem is described in words and answered with points."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import cycle
from typing import Final

from daoqi_tui.analysis.problems import KINDS, LEVELS
from daoqi_tui.engine import BLACK, WHITE, Game, Style, opponent
from daoqi_tui.i18n import _, listed, translate
from daoqi_tui.paths import mistakes_file, typed_path
from daoqi_tui.plain.game import PlainGame, describe_repairs
from daoqi_tui.play.problem_files import Collection, known_mistakes, read_collection, shipped
from daoqi_tui.play.problems import (
    Answer,
    Group,
    Practice,
    ProgressFile,
    conditions,
    describe_answer,
    describe_hint,
    describe_kind,
    describe_origin,
    describe_task,
    describe_uncounted,
    groups,
    kind_named,
    kind_word,
    progress_file,
)
from daoqi_tui.play.review import Guess, Guessing, check_guessable
from daoqi_tui.play.wording import Unable, colour_word, describe_move, describe_refusal, move_name, sentence
from daoqi_tui.record.files import read_record
from daoqi_tui.record.text import SgfError
from daoqi_tui.text import plain_line

ACTIONS: Final = ("next", "again", "hint", "stop")
"""What ``problem`` does with the one that is being solved; then the word alone suffices."""


def problem(person: PlainGame, rest: str) -> Iterator[str]:
    """Begin to solve problems, or act on the current one."""
    word, _space, more = rest.partition(" ")
    if person.practice is not None and word in ACTIONS:
        yield from {"next": _next, "again": _again, "hint": _hint, "stop": _stop}[word](person, person.practice)
        return
    if rest == "open":
        raise Unable(_("Name a file: problem open FILE."))
    with Unable.instead_of(FileNotFoundError, SgfError):
        collection = _collection(more.strip()) if word == "open" else None
        problems = shipped() if collection is None else collection.problems
    file = ProgressFile(progress_file() if person.keeper is not None else None)
    if word != "open" and person.keeper is not None:
        try:
            problems = (*known_mistakes(mistakes_file()), *problems)
        except SgfError as error:
            yield sentence(translate(error))
    if not rest:
        yield from _list(groups(problems, file.progress, date.today()))
        return
    if word != "open":
        name, _space, level = rest.rpartition(" ")
        if not level.isdecimal():
            name, level = rest, ""
        kind = kind_named(name.strip())
        problems = tuple(
            one for one in problems if name == "all" or (one.kind == kind and (not level or one.level == int(level)))
        )
    if not problems and kind_named(rest) == "mistake":
        raise Unable(_("No mistakes of yours are known yet: {command} finds those of a game."), command="mistakes")
    if not problems:
        raise Unable(
            _("Name a kind, and a level from 1 to {most} if you like: {kinds}, or all."),
            most=LEVELS,
            kinds=listed(map(kind_word, (*KINDS, "mistake"))),
        )
    if collection is not None:
        yield from describe_repairs(collection.repairs, collection.more_repairs)
    person.practice = Practice(problems, file)
    if file.trouble is not None:
        yield sentence(translate(file.trouble))
    yield from _description(person, person.practice)


def _collection(file: str) -> Collection:
    """Read a collection, but not from standard input, where the commands come from."""
    return read_collection(read_record(typed_path(file), open_files=False))


def answered(person: PlainGame, practice: Practice, move: int) -> Iterator[str]:
    """Answer a problem with a point or a pass, and word the outcome."""
    answer = practice.play(move)
    attempt, game, style = practice.attempt, practice.attempt.game, person.style
    if answer.refusal is not None:
        raise Unable(describe_refusal(answer.refusal, game.torus, style))
    if answer.kind == "nothing":
        raise Unable(_("Type problem next for another problem, or problem again."))
    if text := describe_answer(answer, attempt, style):
        yield text
    if answer.line:
        yield _describe_line(game, answer, style)
        for follows in answer.line:
            attempt.game.make(follows)
    if practice.file.trouble is not None:
        yield _("Your progress is not saved: {reason}").format(reason=translate(practice.file.trouble))
    if attempt.solved:
        if practice.counted is False:
            yield describe_uncounted()
        yield sentence(_("{solved} of {count} solved").format(solved=practice.solved, count=len(practice.problems)))
        yield _("Type problem next for another problem, or problem stop.")
    elif attempt.is_wrong:
        yield _("Type problem again to try again, problem hint after that, or problem next.")


def _describe_line(game: Game, answer: Answer, style: Style) -> str:
    """Name the moves of the continuation."""
    colours = cycle((game.to_move, opponent(game.to_move)))
    moves = zip(colours, answer.line, strict=False)
    named = (f"{colour_word(colour)} {move_name(move, game.torus, style)}" for colour, move in moves)
    return _("Then: {moves}.").format(moves=listed(named))


def _description(person: PlainGame, practice: Practice) -> Iterator[str]:
    """Describe the current problem."""
    one, game = practice.problem, practice.attempt.game
    text = _("{kind}, level {level}, on {size} by {size}.")
    if one.kind == "mistake":
        text = _("{kind}, on {size} by {size}.")
    yield text.format(kind=describe_kind(one.kind), level=one.level, size=game.torus.size)
    if origin := plain_line(describe_origin(one, person.style)):
        yield origin
    yield describe_task(one, person.style)
    yield from conditions(one, person.style)
    if one.area:
        empty = [person.name(point) for point in game.torus.points_in(one.area & game.board.empty)]
        yield _("The marked points: {points}.").format(points=listed(empty))
    for colour in (BLACK, WHITE):
        stones = [person.name(point) for point in game.torus.points_in(game.board.stones(colour))]
        yield _("{colour}: {points}.").format(colour=colour_word(colour), points=listed(stones))


def _next(person: PlainGame, practice: Practice) -> Iterator[str]:
    practice.next()
    yield from _description(person, practice)


def _again(person: PlainGame, practice: Practice) -> Iterator[str]:
    practice.attempt.retry()
    yield describe_task(practice.problem, person.style)


def _hint(person: PlainGame, practice: Practice) -> Iterator[str]:
    points = practice.hint()
    yield describe_hint(points, practice.attempt, person.style) or _("Type problem again first.")


def _stop(person: PlainGame, _practice: Practice) -> Iterator[str]:
    person.practice = None
    yield _("Back to the game.")


def _list(listed: list[Group]) -> Iterator[str]:
    for group in listed:
        text = _("{kind}, level {level}: {count} problems, {solved} solved, {due} due. Type problem {word} {level}.")
        if group.kind == "mistake":
            text = _("{kind}: {count} problems, {solved} solved, {due} due. Type problem {word}.")
        yield text.format(
            kind=describe_kind(group.kind),
            level=group.level,
            count=len(group.problems),
            solved=group.solved,
            due=group.due,
            word=kind_word(group.kind),
        )


def guess(person: PlainGame, rest: str) -> Iterator[str]:
    """Begin to guess the moves of a side, or stop."""
    if rest == "stop" and person.guessing is not None:
        guessing, person.guessing = person.guessing, None
        yield from map(sentence, guessing.sum_up() if guessing.guesses else ())
        yield _("Back to the game.")
        return
    colour = {"black": BLACK, "white": WHITE}.get(rest)
    if colour is None or person.is_studying:
        raise Unable(_("Type guess black or guess white, and guess stop to stop."))
    session, match = person.session, person.match
    check_guessable(session, match.persons, match.variations.line)
    guessing = Guessing(session, match.variations.line, colour, match.evaluations, match.game.node)
    person.guessing = guessing
    yield guessing.describe_scoring()
    yield from _to_guess(person, guessing)


def _to_guess(person: PlainGame, guessing: Guessing) -> Iterator[str]:
    """Name the last move, and ask for the next; or sum up."""
    if guessing.is_over:
        yield from guess(person, "stop")
        return
    last = guessing.game.node
    if last.move is not None:
        name = describe_move(last, guessing.game.torus, person.style)
        yield _("Move {number}: {colour} {move}.").format(
            number=last.number, colour=colour_word(last.move.colour), move=name
        )
    yield guessing.describe_task()


def guessed(person: PlainGame, guessing: Guessing, move: int) -> Iterator[str]:
    """Answer a guess, and ask for the next move."""
    answer = guessing.play(move)
    if answer is None:
        return
    if not isinstance(answer, Guess):
        raise Unable(describe_refusal(answer, guessing.game.torus, person.style))
    yield answer.describe(guessing.game.torus, person.style)
    guessing.next()
    yield from _to_guess(person, guessing)
