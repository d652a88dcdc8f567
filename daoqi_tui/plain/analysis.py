"""The commands of text mode that use a computer: hints, analysis, the estimate, mistakes and the summary."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Iterator
from typing import Any, Final, TypeVar

from daoqi_tui.ai import Position
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import BLACK, WHITE, Style, Torus, TwoPasses
from daoqi_tui.i18n import _, listed, translate
from daoqi_tui.paths import mistakes_file
from daoqi_tui.plain.game import PlainGame
from daoqi_tui.play.analyst import HINT, Budget, describe_difference, describe_expected
from daoqi_tui.play.analyst import analyse as search_position
from daoqi_tui.play.analyst import propose_dead as find_dead
from daoqi_tui.play.background import Wait
from daoqi_tui.play.evaluation import Clarity, EvaluatedMove, Evaluation
from daoqi_tui.play.hints import POINTS_NAMED, TOO_FEW, BestMoves, check_searchable
from daoqi_tui.play.problem_files import keep_mistakes
from daoqi_tui.play.problems import kind_word
from daoqi_tui.play.reading import ReadingFailed
from daoqi_tui.play.review import (
    describe_added,
    describe_better,
    describe_mistake,
    headline,
    mark,
    nodes_to_review,
    own_colours,
    problems_of,
    review,
    summary_lines,
)
from daoqi_tui.play.review import mistakes as find_mistakes
from daoqi_tui.play.wording import Unable, colour_word, sentence, two_sentences
from daoqi_tui.record.text import SgfError
from daoqi_tui.typed import whole_number

T = TypeVar("T")

_VISITS: Final = 400
_MAX_VISITS: Final = 1_000_000
_SECONDS: Final = 600.0
"""The maximum seconds of an analysis with a number of visits."""
_TOLD: Final = 5
"""The number of moves that an analysis lists."""


def spoken(text: str) -> str:
    """Return words of the screen in a form for reading aloud, with side-by-side parts in sequence."""
    return _("; ").join(re.split(r"\s*·\s*", text))


def hint(person: PlainGame, _rest: str) -> Iterator[str]:
    """Show where the best move is; asked again at the same position, show more."""
    game = person.game
    known, clarity = person.hinted
    if known is None or known.node is not game.node:
        known, clarity = _best_moves(person, HINT.visits, HINT.seconds), Clarity.NOTHING
    clarity = clarity.clearer
    person.hinted = known, clarity
    yield from _describe_hint(person, known, clarity)


def _describe_hint(person: PlainGame, best: BestMoves, clarity: int) -> Iterator[str]:
    torus = person.game.torus
    if clarity < Clarity.MOVE and best.lines[0].move < 0:
        yield _("The best move is a pass.")
    elif clarity == Clarity.REGION:
        region = sorted(best.region(torus), key=torus.position)
        yield _("The best move is in the rectangle from {first} to {last}. Type {command} again for more.").format(
            first=person.name(region[0]), last=person.name(region[-1]), command="hint"
        )
    elif clarity == Clarity.POINTS:
        points = sorted(line.move for line in best.lines[:POINTS_NAMED] if line.move >= 0)
        yield _("One of these is best: {points}. Type {command} again for more.").format(
            points=listed(map(person.name, points)), command="hint"
        )
    else:
        yield from _verdict(best, torus, person.style)


def _verdict(best: BestMoves, torus: Torus, style: Style) -> Iterator[str]:
    """Say which move is best, who is better, and what follows."""
    yield sentence(best.verdict(best.lines[0], torus, style))
    if follows := best.sequel(best.lines[0], torus, style):
        yield sentence(follows)


def analyse(person: PlainGame, rest: str) -> Iterator[str]:
    """Search the position and show its value and the best moves."""
    visits = whole_number(rest, 1, _MAX_VISITS) if rest else _VISITS
    if visits is None:
        raise Unable(
            _("Give a number of visits from 1 to {most}: {command} {example}."),
            most=_MAX_VISITS,
            command="analyse",
            example=_VISITS,
        )
    found = _best_moves(person, visits, _SECONDS)
    torus, style = person.game.torus, person.style
    yield from _verdict(found, torus, style)
    yield _("Win rates for {colour}:").format(colour=colour_word(found.mover))
    for line in found.lines[:_TOLD]:
        yield sentence(found.describe_move(line, torus, style))
    yield sentence(found.evaluation.describe_source())


def _best_moves(person: PlainGame, visits: int, seconds: float) -> BestMoves:
    """Return the result of a search here; raises Unable if there is none."""
    game, node = person.game, person.game.node
    person.match.note_help()
    check_searchable(game, person.style)
    text = _("Looking for the best moves, at most {seconds} s; Ctrl+C stops.").format(seconds=f"{seconds:g}")
    search = search_position(person.match.turns.players, game, node, Budget(visits, seconds))
    found = answer(person, search, Wait(text, most=seconds))
    if found is None or not found.lines:
        raise Unable(_(TOO_FEW))
    person.match.evaluations.note(node, found, record=True)
    person.match.keep_evaluation(node)
    return BestMoves(node, node.to_move, found)


def estimate(person: PlainGame, _rest: str) -> Iterator[str]:
    asked = person.match.turns.players.adviser.estimate(Position.of(person.game))
    found = answer(person, asked, Wait(_("Estimating; Ctrl+C stops.")))
    yield sentence(spoken(describe_expected(found)))


def propose_dead(person: PlainGame) -> Iterator[str]:
    """Mark the stones that a computer considers dead, and say what that changes."""
    game = person.game
    if not isinstance(game.ending, TwoPasses):
        raise Unable(_("Dead stones are marked when two passes have ended the game."))
    wait = Wait(_("Looking for dead stones; Ctrl+C stops."))
    found = answer(person, find_dead(person.match.turns.players.adviser.estimate, game), wait)
    if found.stones:
        person.match.agree_dead(found.stones)
    yield sentence(found.describe())
    for colour in (BLACK, WHITE):
        points = [person.name(point) for point in sorted(found.stones) if game.board.colours[point] == colour]
        if points:
            yield sentence(_("Dead {colour}: {points}").format(colour=colour_word(colour), points=listed(points)))
    yield from map(sentence, describe_difference(game))
    yield _("Type {command} to mark a chain dead, or alive again.").format(command=f"dead {person.example()}")


def mistakes(person: PlainGame, _rest: str) -> Iterator[str]:
    evaluated = _evaluated(person)
    torus, style = person.game.torus, person.style
    yield sentence(headline(evaluated, torus, style))
    for move in find_mistakes(evaluated):
        made, better = describe_mistake(move, torus, style), describe_better(move, torus, style)
        yield sentence(two_sentences(made, better) if better else made)
    yield from _kept(person, evaluated)


def summary(person: PlainGame, _rest: str) -> Iterator[str]:
    told: list[str] = []
    for line in summary_lines(_evaluated(person), person.game.torus, person.style):
        if line.startswith(" ") and not told[-1].endswith((":", "：")):
            # What is indented says nothing without the line above it.
            told[-1] += _("; ") + line.strip()
        else:
            told.append(line.strip())
    yield from (text if text.endswith((":", "：")) else sentence(text) for text in told)


def _kept(person: PlainGame, evaluated: list[EvaluatedMove]) -> Iterator[str]:
    """Keep the person's own mistakes as problems, and say how many are new."""
    if person.keeper is None:
        return
    session = person.session
    try:
        added = keep_mistakes(problems_of(evaluated, session, own_colours(session, session.persons)), mistakes_file())
    except (SgfError, OSError) as error:
        raise Unable(_("Your mistakes could not be saved: {reason}"), reason=translate(error)) from None
    if added:
        yield sentence(describe_added(added))
        yield _("Type {command} to solve them.").format(command=f"problem {kind_word('mistake')}")


def _evaluated(person: PlainGame) -> list[EvaluatedMove]:
    """Review the game up to here; return its moves. Raises Unable if there are none, or no review."""
    match, game = person.match, person.game
    line = nodes_to_review(person.session, game.node.path())
    wait = Wait(
        _("Reviewing {count} positions, at most {seconds} s each; Ctrl+C stops.").format(
            count=len(line), seconds=f"{person.review.seconds:g}"
        )
    )

    def report(place: int, _found: Evaluation | None) -> None:
        wait.done = _("Position {place} of {count}").format(place=place, count=len(line))

    reviewing = review(match.turns.players, game, line, match.evaluations, person.review, report=report)
    evaluated = answer(person, reviewing, wait)
    mark(evaluated, game.torus, person.style)
    for node in line:
        if node.properties:
            match.note(node)
    return evaluated


def answer(person: PlainGame, asked: Coroutine[Any, Any, T], wait: Wait) -> T:
    """Return the answer of another process; raises Unable if there is none."""
    try:
        with Unable.instead_of(PlayerError, ReadingFailed):
            return person.waiting.run(asked, wait)
    except KeyboardInterrupt:
        raise Unable(_("Stopped.")) from None
