"""Reviews a game: evaluates its positions, marks the moves that lost points, and sums up a finished game."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui import codec
from daoqi_tui.analysis.problems import Origin, Problem, Step
from daoqi_tui.config import load_config
from daoqi_tui.engine import (
    BLACK,
    PASS,
    WHITE,
    Area,
    Colour,
    Game,
    Node,
    Refusal,
    Result,
    Style,
    Torus,
    TwoPasses,
    points_text,
)
from daoqi_tui.i18n import _, listed, plural
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import cached_for, mistakes_file
from daoqi_tui.pictures.picture import last_point
from daoqi_tui.pictures.text import text_picture
from daoqi_tui.play.analyst import Budget, analyse, counted, describe_difference, is_of_analyst
from daoqi_tui.play.evaluation import (
    GRADE_NAMES,
    EvaluatedMove,
    Evaluation,
    Evaluations,
    Grade,
    PlayerSummary,
    Source,
    describe_source,
    evaluated_moves,
    grade_of,
    least_lost,
    player_summary,
    swings,
)
from daoqi_tui.play.hints import BestMoves, all_equal
from daoqi_tui.play.keeper import own_file, save_as
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.problem_files import keep_mistakes
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import (
    Unable,
    colour_word,
    describe_line,
    describe_loss,
    describe_move,
    describe_points,
    describe_result,
    move_name,
    signed,
)
from daoqi_tui.reading.symmetry import BoardPosition
from daoqi_tui.record.files import read_json, record_bytes, write_atomically
from daoqi_tui.record.formats import records_below
from daoqi_tui.record.sgf.markup import BETTER, comment, set_better_line, set_comment
from daoqi_tui.record.sgf.read import load
from daoqi_tui.record.text import SgfError, decode, encode

if TYPE_CHECKING:
    from daoqi_tui.play.profile import Rating

_PLIES: Final = 6
_OURS: Final = "DQRV"
"""Our own property: the line that a review wrote into the comment, and the value of BM if it also set that."""


async def review(
    players: PlayerTable,
    game: Game,
    line: Sequence[Node],
    evaluations: Evaluations,
    budget: Budget,
    *,
    report: Callable[[int, Evaluation | None], object] = lambda _place, _found: None,
) -> list[EvaluatedMove]:
    """Evaluate every position of a line; return its moves with the points they lost.

    A position to which the analyst has already given as many visits is not searched again. Other evaluators' results
    are not used: a difference between two evaluators would show as a loss.

    Args:
        players: whose analyst is asked.
        game: the game; its cursor stays where it is.
        line: nodes one after the other.
        evaluations: to store the results in.
        budget: for each position.
        report: called before each position, with its number from 1 and the evaluation of the one before.

    Raises:
        PlayerError: a position got no answer; earlier results are kept.
    """
    found: Evaluation | None = None
    for place, node in enumerate(line, 1):
        report(place, found)
        known = evaluations.found_here(node)
        if known is not None and known.lines and known.visits >= budget.visits and is_of_analyst(players, known):
            found = known
            continue
        found = counted(game, node) or await analyse(players, game, node, budget)
        if found is not None:
            evaluations.note(node, found, record=True)
    return evaluated_moves(line, evaluations, game.torus.size)


def nodes_to_review(session: Session, line: Sequence[Node]) -> Sequence[Node]:
    """Return the nodes of a line to review, those from the start of the game on.

    Raises:
        Unable: no move was made on it.
    """
    if not any(node.move is not None for node in line):
        raise Unable(_("There is no move to review yet"))
    return line[line.index(session.start) if session.start in line else 0 :]


# In the record


def mark(evaluated: Sequence[EvaluatedMove], torus: Torus, style: Style) -> list[Node]:
    """Write the mistakes on their nodes, in place of the marks of an earlier review; return the nodes that changed."""
    changed = []
    for move in evaluated:
        erased = erase(move.node)
        is_mistake = move.grade >= Grade.MISTAKE
        if is_mistake:
            _write(move, torus, style)
        assert move.node.move is not None
        # Of a good move, that the search would have played it too: it has lost nothing, whatever came after it.
        agreed = move.better[:1] == (move.node.move.point,)
        if is_mistake or agreed:
            set_better_line(move.node, move.better[: 1 if agreed else _PLIES], torus.size)
        if erased or is_mistake or agreed:
            changed.append(move.node)
    return changed


def _write(move: EvaluatedMove, torus: Torus, style: Style) -> None:
    """Write a mistake on its node: a comment, and BM (bad move, 2 for a blunder) unless the record has its own."""
    node, said = move.node, comment(move.node)
    text = _("Review: ") + describe_why(move, torus, style)
    set_comment(node, f"{said}\n{text}" if said else text)
    properties = dict(node.properties or {})
    ours = [encode(text)]
    if "BM" not in properties:
        severity = "2" if move.grade == Grade.BLUNDER else "1"
        properties["BM"] = [severity]
        ours.append(severity)
    node.properties = {**properties, _OURS: ours}


def describe_why(move: EvaluatedMove, torus: Torus, style: Style) -> str:
    """Say how bad a move is and what was better, then the figures behind that."""
    text = _("{grade}: it loses {lost}.")
    if len(move.better) > 1:
        text = _("{grade}: {better} was {lost} better, then {line}.")
    elif move.better:
        text = _("{grade}: {better} was {lost} better.")
    verdict = text.format(
        grade=_(GRADE_NAMES[move.grade]).capitalize(),
        lost=describe_points(move.lost),
        better=move_name(move.better[0], torus, style) if move.better else "",
        line=describe_line(move.better[1:_PLIES], torus, style),
    )
    bias = f"{move.bias:.1f}"
    text = _(" Before this move {before}, after it {after} ({source}).")
    if float(bias):
        text = _(" Before this move {before}, after it {after}, less {bias}, the median of all moves ({source}).")
    return verdict + text.format(
        before=_who_led(move.before.lead or 0.0),
        after=_who_led(move.after.lead or 0.0),
        bias=bias,
        source=move.after.describe_source(),
    )


def _who_led(lead: float) -> str:
    """Word a score lead, Black's points minus White's, within a sentence."""
    if not round(lead, 1):
        return _("the game was even")
    text = _("{colour} led by {points}")
    return text.format(colour=colour_word(BLACK if lead > 0 else WHITE), points=describe_points(abs(lead)))


def erase(node: Node) -> bool:
    """Remove only the marks of an earlier review from a node; return whether there were any."""
    known = node.properties or {}
    if not known.keys() & {_OURS, BETTER}:
        return False
    written, *severity = known.get(_OURS) or [""]
    if written:
        kept = [line for line in comment(node).split("\n") if line != decode(written)]
        set_comment(node, "\n".join(kept))
    properties = {name: values for name, values in (node.properties or {}).items() if name not in {_OURS, BETTER}}
    if severity and properties.get("BM") == severity:
        del properties["BM"]
    node.properties = properties or None
    return True


# As problems


def own_colours(session: Session, persons: Sequence[Colour]) -> tuple[Colour, ...]:
    """Return the sides of a game that the user played, of those that persons play.

    In a game between two persons, as in a record that was opened, it is the side with the name in the settings, or
    without a name.
    """
    if len(persons) == 1:
        return tuple(persons)
    name = str(load_config()["play.name"])
    return tuple(colour for colour in persons if session.player(colour) in ("", name))


def problems_of(evaluated: Sequence[EvaluatedMove], session: Session, colours: Sequence[Colour]) -> list[Problem]:
    """Return a problem for each mistake of some sides: the position before it, in which every good move is right.

    A good move loses less than an inaccuracy, compared with the best move in the same search.
    """
    game = session.game
    here, found = game.node, []
    try:
        for move in mistakes(evaluated):
            if move.mover not in colours or not move.before.lines or move.node.parent is None:
                continue
            game.goto(move.node.parent)
            # On an empty board all moves are equal.
            if any(game.board.colours):
                found.append(_problem_of(move, session))
    finally:
        game.goto(here)
    return found


def describe_added(count: int) -> str:
    """Say how many mistakes have become problems."""
    return plural("{count} new problem from your mistakes", "{count} new problems from your mistakes", count)


def _problem_of(move: EvaluatedMove, session: Session) -> Problem:
    """Return the problem of a mistake, with the position before it on the board."""
    assert move.node.move is not None
    game, made, best = session.game, move.node.move.point, BestMoves(move.node, move.mover, move.before)
    steps = [
        Step(line.move, grade_of(lost) == Grade.GOOD, _follows(line.line[1:_PLIES]), round(lost, 2))
        for line in best.lines
        if line.move != made
        for lost in (best.lost(line),)
    ]
    answer = move.after.lines[0].line[:_PLIES] if move.after.lines else ()
    last = last_point(game)
    info = session.record_info()
    names = ((info.black, info.black_rank), (info.white, info.white_rank))
    black, white = (" ".join(filter(None, name)) for name in names)
    return Problem(
        f"mistake-{move.node.number}",
        "mistake",
        "mistake",
        BoardPosition.of(game.board),
        (*steps, Step(made, False, _follows(answer), round(move.lost, 2))),
        target=PASS if last is None else last,
        visits=move.before.visits,
        origin=Origin(black, white, info.date, game.node.number),
    )


def _follows(line: Sequence[int]) -> tuple[Step, ...]:
    follows: tuple[Step, ...] = ()
    for move in reversed(line):
        follows = (Step(move, False, follows),)
    return follows


# In words


def mistakes(evaluated: Sequence[EvaluatedMove]) -> list[EvaluatedMove]:
    return [move for move in evaluated if move.grade >= Grade.MISTAKE]


def next_mistake(evaluated: Sequence[EvaluatedMove], number: int, step: int) -> EvaluatedMove | None:
    """Return the first mistake after move ``number``, or with a ``step`` of −1 the last before it; None without one."""
    found = mistakes(evaluated)
    if step > 0:
        return next((move for move in found if move.node.number > number), None)
    return next((move for move in reversed(found) if move.node.number < number), None)


def describe_mistake(move: EvaluatedMove, torus: Torus, style: Style) -> str:
    """Name a move with its grade and the points it lost: ``Move 23, Black K9: mistake, 4.2 points lost``."""
    return _("Move {number}, {colour} {move}: {grade}, {lost} points lost").format(
        number=move.node.number,
        colour=colour_word(move.mover),
        move=describe_move(move.node, torus, style),
        grade=_(GRADE_NAMES[move.grade]),
        lost=f"{move.lost:.1f}",
    )


def describe_better(move: EvaluatedMove, torus: Torus, style: Style) -> str:
    """Say what was better than a mistake: ``B8 was better, then D5 A2``; empty if that is unknown."""
    if not move.better:
        return ""
    text = _("{better} was better, then {line}") if len(move.better) > 1 else _("{better} was better")
    return text.format(
        better=move_name(move.better[0], torus, style), line=describe_line(move.better[1:_PLIES], torus, style)
    )


def describe_outcome(evaluated: Sequence[EvaluatedMove], torus: Torus, style: Style) -> str:
    """Word the outcome of a review in one line: how the game went, and the number of mistakes."""
    found = mistakes(evaluated)
    if not found:
        return headline(evaluated, torus, style)
    return f"{headline(evaluated, torus, style)}  ·  {plural('{count} mistake', '{count} mistakes', len(found))}"


def headline(evaluated: Sequence[EvaluatedMove], torus: Torus, style: Style) -> str:
    """Say in a sentence how the game went: which move lost the lead for good, else which was the biggest mistake."""
    found = mistakes(evaluated)
    if not found:
        return _("Well played: no move lost {points} points or more").format(points=f"{least_lost(Grade.MISTAKE):g}")
    turning = [move for move in found if _leads(move.before, move.mover) and not _leads(move.after, move.mover)]
    text = _("The biggest mistake was move {number}, {colour} {move}, which cost {points}")
    worst = max(found, key=lambda move: move.lost)
    if turning and not _leads(evaluated[-1].after, turning[-1].mover):
        text = _("{colour} lost the lead with move {number}, {move}, which cost {points}")
        worst = turning[-1]
    return text.format(
        number=worst.node.number,
        colour=colour_word(worst.mover),
        move=describe_move(worst.node, torus, style),
        points=describe_points(worst.lost),
    )


def _leads(evaluation: Evaluation, colour: Colour) -> bool:
    lead = evaluation.lead_of(colour)
    return lead is not None and lead > 0


def summary_lines(
    evaluated: Sequence[EvaluatedMove], torus: Torus, style: Style, line: Sequence[Node] = ()
) -> list[str]:
    """Say in lines how both sides played, and how much of ``line`` that is about, if not all of it."""
    if not evaluated:
        return []
    lines, moves = [headline(evaluated, torus, style)], sum(node.move is not None for node in line)
    if len(evaluated) < moves:
        lines.insert(0, _("Reviewed: {count} of {moves} moves").format(count=len(evaluated), moves=moves))
    for colour in (BLACK, WHITE):
        lines += _player_lines(player_summary(evaluated, colour))
    if found := swings(evaluated):
        lines.append(_("Biggest swings:"))
        lines += [f"  {describe_mistake(move, torus, style)}" for move in found]
    lines.append(_("By: {source}").format(source=_sources(evaluated)))
    return lines


def _player_lines(player: PlayerSummary) -> list[str]:
    colour = colour_word(player.colour)
    if not player.moves:
        return [_("{colour}: no move was evaluated").format(colour=colour)]
    moves = plural("{count} move", "{count} moves", player.moves)
    blunders, bad, weak = (player.counts[grade] for grade in (Grade.BLUNDER, Grade.MISTAKE, Grade.INACCURACY))
    named = (
        plural("{count} blunder", "{count} blunders", blunders) if blunders else "",
        plural("{count} mistake", "{count} mistakes", bad) if bad else "",
        plural("{count} inaccuracy", "{count} inaccuracies", weak) if weak else "",
    )
    found = listed(filter(None, named)) or _("no mistakes")
    counts = _("{colour}: {mistakes} in {moves}").format(colour=colour, mistakes=found, moves=moves)
    mean = _("  {mean} points lost a move on average").format(mean=f"{player.mean:.2f}")
    if player.best_run is None:
        return [counts, mean]
    first, last, length = player.best_run
    run = plural("  best run: {count} good move", "  best run: {count} good moves in a row", length)
    where = _(", move {number}").format(number=first)
    if last != first:
        where = _(", moves {first} to {last}").format(first=first, last=last)
    return [counts, mean, run + where]


def _sources(evaluated: Sequence[EvaluatedMove]) -> str:
    """Word the sources of the evaluations, with the minimum and maximum visits of each."""
    visits: dict[tuple[Source, str], list[int]] = {}
    for move in evaluated:
        visits.setdefault((move.after.source, move.after.engine), []).append(move.after.visits)
    names = {
        "network": _("network, {count} visits a position"),
        "playouts": _("{count} playouts a position"),
        "record": _("the record"),
        "count": _("the count"),
    }
    words = []
    for (source, engine), counts in visits.items():
        least, most = min(counts), max(counts)
        if source == "network" and not most:
            words.append(describe_source(source, most, engine))
            continue
        count = f"{least:,}" if least == most else f"{least:,}–{most:,}"
        template = names.get(engine or source) or _("{engine}, {count} visits a position")
        words.append(template.format(engine=engine or source, count=count))
    return _(", ").join(words)


# The biggest mistake of a game that is over


def marked_worst(line: Sequence[Node]) -> tuple[Node, Colour] | None:
    """Return the worst move according to the marks of a record, with its colour; None without such marks."""
    marked = [(_severity(node), node.move.colour, node) for node in line if node.move is not None and _severity(node)]
    if not marked:
        return None
    _worst, mover, node = max(marked, key=lambda entry: entry[0])
    return node, mover


def _severity(node: Node) -> int:
    """Return how a record marks a move: 3 for very bad, 2 for bad, 1 for doubtful, 0 for none of these."""
    properties = node.properties or {}
    if "BM" in properties:
        return 3 if properties["BM"] == ["2"] else 2
    return int("DO" in properties)


# The summary of a finished game: result, score, and the biggest mistake


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a finished game.

    Attributes:
        result: the winner and how the game ended.
        area: the score, without the stones agreed dead; None if the game was not scored.
        stones: the colour of each point at the end.
        last: the point of the last move, None after a pass.
        moves: their number.
        players: the names of Black and White, empty if unknown.
        rating: the human's rating after the game, empty if it was not rated.
        dead: the effect of the stones agreed dead, empty if there are none.
        evaluated: the moves with known losses.
        mistake: a sentence on the move that lost most, empty if unknown.
        play: lines on how both sides played; empty if no move was evaluated.
        picture: the board at the end as text.
    """

    result: Result
    area: Area | None
    stones: bytes
    last: int | None
    moves: int
    players: tuple[str, str]
    rating: str
    dead: str
    evaluated: Sequence[EvaluatedMove]
    mistake: str
    play: tuple[str, ...]
    picture: str

    def lines(self) -> list[str]:
        lines = [describe_result(self.result)]
        names = [
            f"{sign} {colour_word(colour)}" + (f" · {name}" if name else "")
            for sign, colour, name in zip("●○", (BLACK, WHITE), self.players, strict=True)
        ]
        if self.area is None:
            lines += names
        else:
            for name, colour in zip(names, (BLACK, WHITE), strict=True):
                lines += [name, "  " + describe_count(self.area, colour)]
        lines.append(plural("{count} move", "{count} moves", self.moves))
        lines += [text for text in (self.dead, self.rating) if text]
        if self.play:
            return [*lines, "", *self.play]
        return [*lines, self.mistake] if self.mistake else lines

    def text(self) -> str:
        return "\n".join((*self.lines(), "", self.picture)) + "\n"


def describe_count(area: Area, colour: Colour) -> str:
    """Word the parts of a side's score; only White has komi."""
    side = area.player(colour)
    text = _("stones {stones} + territory {territory} − passes {passes}").format(
        stones=side.stones, territory=side.territory, passes=points_text(side.passes)
    )
    if side.komi:
        text += _(" + komi {komi}").format(komi=signed(side.komi))
    return f"{text} = {signed(side.total)}"


def summary(
    session: Session, end: Node, evaluations: Evaluations, style: Style, rating: Rating | None = None
) -> Summary | None:
    """Sum up the game that ended at ``end``; None if it is not over there.

    Args:
        session: the game; its cursor stays where it is.
        end: the node where it ended.
        evaluations: of the positions.
        style: of coordinates.
        rating: the human's rating after the game.
    """
    game, line = session.game, end.path()
    here = game.node
    game.goto(end)
    try:
        result = game.result
        if result is None:
            return None
        dead = "  ·  ".join(describe_difference(game)) if game.dead else ""
        evaluated = evaluated_moves(line, evaluations, game.torus.size)
        return Summary(
            result,
            game.area(game.dead) if isinstance(result.ending, TwoPasses) else None,
            bytes(game.board.colours),
            last_point(game),
            end.number,
            (session.player(BLACK), session.player(WHITE)),
            "" if rating is None else rating.describe(),
            dead,
            evaluated,
            _biggest_mistake(line, evaluated, game.torus, style),
            # How the moves were evaluated is on the page of the summary alone.
            tuple(summary_lines(evaluated, game.torus, style, line)[:-1]),
            text_picture(game, style),
        )
    finally:
        game.goto(here)


def _biggest_mistake(line: Sequence[Node], evaluated: Sequence[EvaluatedMove], torus: Torus, style: Style) -> str:
    found = mistakes(evaluated)
    if found:
        worst = max(found, key=lambda move: move.lost)
        return _("Biggest mistake: {move}").format(move=describe_mistake(worst, torus, style))
    marked = marked_worst(line)
    if marked is None:
        return ""
    node, mover = marked
    return _("Biggest mistake: move {number}, {colour} {move}").format(
        number=node.number, colour=colour_word(mover), move=describe_move(node, torus, style)
    )


# Guessing the moves of a game


class Guess(NamedTuple):
    """A guess of a move.

    Attributes:
        move: what was guessed: a point, or a pass.
        made: the move of the game.
        lost: the points that the guess loses according to a review; None if that did not look at it.
        made_lost: those that the move of the game lost; None without a review.
    """

    move: int
    made: int
    lost: float | None
    made_lost: float | None

    @property
    def is_same(self) -> bool:
        return self.move == self.made

    def describe(self, torus: Torus, style: Style) -> str:
        made, move = (move_name(each, torus, style) for each in (self.made, self.move))
        if self.is_same:
            if self.lost is None or grade_of(self.lost) == Grade.GOOD:
                return _("Yes: {made}, as in the game.").format(made=made)
            return _("Yes: {made}, as in the game, though it loses {lost}.").format(
                made=made, lost=describe_points(self.lost)
            )
        said = _("In the game: {made}.").format(made=made)
        if self.made_lost is None:
            return said
        yours = _("the review did not look at {move}").format(move=move)
        if self.lost is not None:
            yours = describe_loss(move, self.lost)
        return said + _(" {game}; {yours}.").format(game=describe_loss(made, self.made_lost), yours=yours)


def check_guessable(session: Session, persons: Sequence[Colour], line: Sequence[Node]) -> None:
    """Check that there are moves on a line to guess, and that they are not those of a game against somebody.

    Raises:
        Unable: there are none, or they are.
    """
    if not session.is_over and len(persons) < 2:
        raise Unable(_("Finish this game first, or open another one to guess its moves"))
    if not any(node.move is not None for node in line):
        raise Unable(_("There is no move to guess: open a game first"))


class Guessing:
    """Guessing the moves of one side of a game, one after another, on a copy of it.

    Args:
        session: the game; it stays as it is.
        line: the nodes of its line from the root to the end.
        colour: whose moves are guessed.
        evaluations: of the positions; with the moves that a review found, a guess is judged by them.
        here: the node after which the first move is guessed, if any follows; else the root.

    Raises:
        Unable: there is no move of that side to guess.

    Attributes:
        game: the position in which a move is guessed, or after a guess that after the move of the game.
        guesses: those made.
        answered: whether the last move was guessed and :meth:`next` goes on.
    """

    def __init__(
        self, session: Session, line: Sequence[Node], colour: Colour, evaluations: Evaluations, here: Node
    ) -> None:
        start = here if here.children else line[0]
        self.game: Final = session.copied(line[-1])
        self.colour: Final = colour
        self.guesses: list[Guess] = []
        self.answered = False
        self._found = [evaluations.found_here(node) for node in line]
        self._lost = {
            move.node.depth: move.lost for move in evaluated_moves(line, evaluations, session.game.torus.size)
        }
        self._nodes: Final = [
            node
            for node in self.game.node.path()
            if node.depth > start.depth and node.move is not None and node.move.colour == colour
        ]
        if self._nodes and all_equal(before := self._nodes[0].path()[-2], self.game.board_at(before).colours):
            del self._nodes[0]
        self._place = 0
        if not self._nodes:
            raise Unable(_("There is no move of {colour} to guess from here on").format(colour=colour_word(colour)))
        self._show()

    @property
    def count(self) -> int:
        """The number of moves to guess."""
        return len(self._nodes)

    @property
    def is_over(self) -> bool:
        return self._place == self.count

    @property
    def is_evaluated(self) -> bool:
        """True if guesses are judged by the points that they lose, by a review made before."""
        return any(found is not None and found.lines for found in self._found)

    def _show(self) -> None:
        parent = self._nodes[self._place].parent
        assert parent is not None
        self.game.goto(parent)

    def play(self, move: int) -> Guess | Refusal | None:
        """Guess a move: a point, or a pass; return the guess, or why it is illegal. None after the last one."""
        if self.is_over or self.answered:
            return None
        if move != PASS and (refusal := self.game.board.refusal(move)) is not None:
            return refusal
        node = self._nodes[self._place]
        assert node.move is not None
        made, before = node.move.point, self._found[node.depth - 1]
        lost = made_lost = self._lost.get(node.depth)
        if move != made:
            best = None if before is None else BestMoves(node, self.colour, before)
            line = None if best is None else best.at(move)
            lost = None if best is None or line is None else best.lost(line)
        guess = Guess(move, made, lost, made_lost)
        self.guesses.append(guess)
        self.answered = True
        self.game.goto(node)
        return guess

    def next(self) -> None:
        """Go on to the next move, if there is one."""
        if self.answered:
            self.answered = False
            self._place += 1
            if not self.is_over:
                self._show()

    def describe_task(self) -> str:
        return _("{colour} to play: which move was played in the game?").format(colour=colour_word(self.colour))

    def describe_scoring(self) -> str:
        if self.is_evaluated:
            return _("Your moves are judged by the points that they lose, as those of the game.")
        return _(
            "What counts is whether your move is that of the game. After a review, the points that it loses count as "
            "well."
        )

    def sum_up(self) -> list[str]:
        """Return in lines how many guesses were moves of the game, and what they lose compared with those."""
        guesses = self.guesses
        same = sum(guess.is_same for guess in guesses)
        lines = [
            _("{same} of {moves} as in the game").format(
                same=same, moves=plural("{count} move", "{count} moves", len(guesses))
            )
        ]
        evaluated = [guess for guess in guesses if guess.lost is not None and guess.made_lost is not None]
        if evaluated:
            lost, made_lost = (
                sum(losses) / len(evaluated)
                for losses in zip(*((guess.lost or 0.0, guess.made_lost or 0.0) for guess in evaluated), strict=True)
            )
            text = _("Lost on average: {lost} by your moves, {made_lost} by those of the game")
            lines.append(text.format(lost=describe_points(lost), made_lost=describe_points(made_lost)))
        others = len(guesses) - len(evaluated)
        if others and self.is_evaluated:
            lines.append(
                plural(
                    "{count} of your moves is not judged: no review looked at it",
                    "{count} of your moves are not judged: no review looked at them",
                    others,
                )
            )
        return lines


# A folder of records

_MOST_KNOWN: Final = 1 << 26
"""The maximum bytes of the list of reviewed files."""


class ReviewedFile(NamedTuple):
    """A file of a folder after its review.

    Attributes:
        file: the file.
        torus: of its game, None without a review.
        evaluated: the moves; None if the file was reviewed before and is unchanged.
        refused: why it was not reviewed, None if it was.
    """

    file: Path
    torus: Torus | None = None
    evaluated: list[EvaluatedMove] | None = None
    refused: Message | str | None = None


class _Known(NamedTuple):
    """A file as its last review left it: its time and size, and the analyst and the visits of that review."""

    time: int
    size: int
    analyst: str
    visits: int


async def review_folder(
    players: PlayerTable,
    folder: Path,
    budget: Budget,
    style: Style,
    report: Callable[[float, str], object] = lambda _share, _place: None,
) -> AsyncIterator[ReviewedFile]:
    """Review the records of a folder and yield each when it is written.

    Evaluations and marks are written into the files, and the user's mistakes become problems. What is done is noted
    after each game, so that no more than one is lost however the review ends, and a file that was reviewed by the same
    analyst with as many visits is skipped until it changes. Where it cannot be noted, that is yielded once, as refused.

    Args:
        players: whose analyst is asked.
        folder: the folder; those below it count.
        budget: for each position.
        style: how points are named in comments.
        report: called before each position, with the share of all files that is done, and the number of this one and
            of all.

    Raises:
        PlayerError: a position got no answer.
        SgfError: the file of mistakes is not a collection of problems.
    """
    below, noted = records_below(folder), cached_for(folder, "reviews", ".json")
    analyst = players.analyst_command or players.network
    try:
        known = read_json(noted, _MOST_KNOWN, dict[str, _Known])
    except (OSError, ValueError):
        # It is only a cache: what is not in it is reviewed again.
        known = {}
    is_noted = True
    for error in below.unreadable:
        yield ReviewedFile(Path(error.filename), refused=reason_of(error))
    for number, file in enumerate(below.files):
        name = os.fsdecode(file)

        def told(place: int, count: int, number: int = number) -> None:
            report((number + (place - 1) / count) / len(below.files), f"{number + 1}/{len(below.files)}")

        try:
            before = _state(file)
            last = known.get(name)
            if last is not None and last[:3] == (*before, analyst) and last.visits >= budget.visits:
                yield ReviewedFile(file)
                continue
            done = await _review_file(players, file, budget, style, told)
        except (OSError, SgfError) as error:
            yield ReviewedFile(file, refused=reason_of(error))
            continue
        if done.refused is None:
            known[name] = _Known(*_state(file), analyst, budget.visits)
            try:
                noted.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(noted, codec.encode(known))
            except OSError as error:
                if is_noted:
                    refused = Message(
                        "what is reviewed is not noted, and is reviewed again next time: {reason}",
                        reason=reason_of(error),
                    )
                    yield ReviewedFile(noted, refused=refused)
                is_noted = False
        yield done


def _state(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_mtime_ns, status.st_size


async def _review_file(
    players: PlayerTable, file: Path, budget: Budget, style: Style, report: Callable[[int, int], object]
) -> ReviewedFile:
    """Review the game of a file, write it, and keep the user's mistakes.

    Raises:
        PlayerError: a position got no answer.
        SgfError: the record cannot be read, or the file of mistakes is not a collection of problems.
        OSError: a file cannot be read or written.
    """
    data = record_bytes(file)
    session = Session.opened(data, source=file)
    if own_file(session) is None:
        return ReviewedFile(file, refused=Message("only SGF files with one game are reviewed: convert it first"))
    if not load(data).declared:
        text = Message("the record does not say that it was played on a torus: open it, and save it so")
        return ReviewedFile(file, refused=text)
    if session.problems:
        # What could not be read would be lost.
        return ReviewedFile(file, refused=session.problems[0])
    game = session.game
    line = [session.start, *session.start.line()]
    evaluated = []
    if any(node.move is not None for node in line):
        evaluated = await review(
            players, game, line, Evaluations(), budget, report=lambda place, _found: report(place, len(line))
        )
        mark(evaluated, game.torus, style)
        if record_bytes(file) != data:
            return ReviewedFile(file, refused=Message("it has changed during its review"))
        # These first: if the program ends in between, the review of this game is done again, and finds the same.
        keep_mistakes(problems_of(evaluated, session, own_colours(session, session.persons)), mistakes_file())
        save_as(session, file)
    return ReviewedFile(file, game.torus, evaluated)
