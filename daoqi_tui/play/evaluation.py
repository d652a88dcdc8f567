"""Evaluations of the positions of a game: win rate and score lead, and the points each move lost."""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.engine import BLACK, PASS, Colour, Node
from daoqi_tui.i18n import N_, _
from daoqi_tui.pictures.picture import Mistake
from daoqi_tui.text import plain_line

if TYPE_CHECKING:
    from daoqi_tui.ai import Answer, Candidate, Progress

Source: TypeAlias = Literal["network", "playouts", "engine", "record", "count"]
"""``playouts`` are those of records that version 1.0.0 wrote without a network."""
ENGINE_ID_BYTES: Final = 4


def engine_id_of(command: str) -> str:
    """Return what tells the engine of a command line from others of its name, as records keep it; empty for none."""
    if not command:
        return ""
    from hashlib import blake2b  # noqa: PLC0415 (most people play without engines)

    return blake2b(command.encode("utf-8", "surrogateescape"), digest_size=ENGINE_ID_BYTES).hexdigest()


def source_of(engine: str) -> Source:
    """Return the source of a search's evaluations; ``engine`` names the GTP engine, empty for our own player."""
    return "engine" if engine else "network"


class Evaluation(NamedTuple):
    """The value of a position.

    Attributes:
        black: Black's win rate, 0 to 1.
        lead: the score lead, Black's points minus White's; None if it is not known.
        visits: the number of evaluations behind it; 0 if it is not known.
        source: what evaluated it.
        engine: the name of the engine, if any, or of a network other than the built-in ones.
        lines: the best moves, best first.
        engine_id: tells engines of one name, which may have different networks, apart: see :func:`engine_id_of`. Empty
            if it is not known, as in a record of an earlier version.
    """

    black: float
    lead: float | None
    visits: int
    source: Source
    engine: str = ""
    lines: "tuple[Candidate, ...]" = ()
    engine_id: str = ""

    @classmethod
    def of(
        cls, found: "Progress | Answer", mover: Colour, engine: str = "", *, command: str = "", network: str = ""
    ) -> "Evaluation | None":
        """Return the evaluation by a search for ``mover``; None if it has found no move yet.

        Both its lead and its win rate are those of the best move.

        Args:
            found: the result of the search.
            mover: the side to move.
            engine: the name of the GTP engine that searched, empty for our own player.
            command: the engine's command.
            network: the name of our own player's network, empty for the built-in ones.
        """
        source = source_of(engine)
        if not found.lines:
            return None
        best = found.lines[0]
        black = best.win if mover == BLACK else 1 - best.win
        name = network if source == "network" else engine
        return cls(black, best.margin, found.visits, source, name, found.lines, engine_id_of(command))

    @property
    def evaluator(self) -> str:
        return self.engine or self.source

    def is_like(self, other: "Evaluation") -> bool:
        """Return whether both come from the same evaluator and can thus be compared."""
        if self.engine_id and other.engine_id:
            return self.engine_id == other.engine_id
        return self.evaluator == other.evaluator

    def lead_of(self, colour: Colour) -> float | None:
        return self.lead if self.lead is None or colour == BLACK else -self.lead

    def describe_lead(self) -> str:
        return "" if self.lead is None else describe_lead(self.lead)

    def describe_source(self) -> str:
        return describe_source(self.source, self.visits, self.engine)


def describe_lead(lead: float, *, short: bool = False) -> str:
    """Word a score lead, Black's points minus White's: ``B+3.2``, ``W+0.5``; ``B+12`` if ``short``, from 10 on."""
    rounded = round(lead, 1)
    if not rounded:
        return _("even")
    return (_("B+{points}") if rounded > 0 else _("W+{points}")).format(points=_points(abs(rounded), short=short))


def _points(rounded: float, *, short: bool) -> str:
    return f"{rounded:.0f}" if short and rounded >= 10 else f"{rounded:.1f}"


def describe_source(source: Source, visits: int, engine: str = "") -> str:
    """Word the source of numbers: a network or an engine, and how many visits."""
    if source == "network" and not visits:
        return _("{engine}, at a glance").format(engine=engine) if engine else _("network, at a glance")
    words = {
        "network": _("{engine}, {count} visits") if engine else _("network, {count} visits"),
        "playouts": _("{count} playouts"),
        "engine": _("{engine}, {count} visits"),
        "record": _("from the record"),
        "count": _("counted"),
    }[source]
    return words.format(count=f"{visits:,}", engine=engine)


class Evaluations:
    """The evaluations of the nodes of a game: those made here, and those in its record.

    Attributes:
        version: counts the changes.
    """

    def __init__(self) -> None:
        self._found: dict[Node, Evaluation] = {}
        self._known: dict[Node, Evaluation] = {}
        """All evaluations, with those of the record where they have more visits."""
        self.version = 0

    def clear(self) -> None:
        self._found.clear()
        self._known.clear()
        self.version += 1

    def of(self, node: Node) -> Evaluation | None:
        """Return the evaluation of a node: the record's if it is from the same evaluator with more visits.

        Lines come only from evaluations made here; a record has none.
        """
        return self._known.get(node) or (_recorded(node) if node.properties else None)

    def found_here(self, node: Node) -> Evaluation | None:
        return self._found.get(node)

    def note(self, node: Node, evaluation: Evaluation, *, record: bool) -> bool:
        """Keep an evaluation unless there is one with more visits; return whether it was kept.

        Args:
            node: the position.
            evaluation: of the position.
            record: whether it is also written into the record, unless that has one with more visits. It replaces
                another evaluator's evaluation, whose number of visits is not comparable.
        """
        before = self._found.get(node)
        if (
            before is not None
            and before.visits > evaluation.visits
            and evaluation.source != "count"
            and (not record or before.is_like(evaluation))
        ):
            return False
        self._found[node] = self._known[node] = evaluation
        self.version += 1
        recorded = _recorded(node)
        if recorded is not None and recorded.is_like(evaluation) and recorded.visits > evaluation.visits:
            self._known[node] = recorded._replace(lines=evaluation.lines)
        elif record:
            from daoqi_tui.record.sgf.markup import RecordedEvaluation, set_evaluation  # noqa: PLC0415

            values = evaluation.black, evaluation.lead, evaluation.visits, evaluation.evaluator, evaluation.engine_id
            set_evaluation(node, RecordedEvaluation(*values))
        return True


def _recorded(node: Node) -> Evaluation | None:
    if not node.properties:
        return None
    from daoqi_tui.record.sgf.markup import evaluation  # noqa: PLC0415 (few nodes have one)

    found = evaluation(node)
    if found is None:
        return None
    if found.source in ("network", "playouts"):
        return Evaluation(found.black, found.lead, found.visits, found.source)  # type: ignore[arg-type]
    if source := plain_line(found.source):
        return Evaluation(found.black, found.lead, found.visits, "engine", source, engine_id=found.engine_id)
    return Evaluation(found.black, found.lead, 0, "record")


def _recorded_line(node: Node, size: int) -> tuple[int, ...]:
    if not node.properties:
        return ()
    from daoqi_tui.record.sgf.markup import better_line  # noqa: PLC0415

    return better_line(node, size)


class Clarity(IntEnum):
    """The amount of a search's result that is shown."""

    NOTHING = 0
    REGION = 1
    POINTS = 2
    MOVE = 3
    ALL = 4

    @property
    def clearer(self) -> "Clarity":
        """The next step of a hint; the move itself is the clearest."""
        return Clarity(min(self + 1, Clarity.MOVE))


# Points lost by moves


class Grade(IntEnum):
    """The class of a move by the points it lost."""

    GOOD = 0
    INACCURACY = 1
    MISTAKE = 2
    BLUNDER = 3


_least_lost: dict[Grade, float] = {Grade.INACCURACY: 1.5, Grade.MISTAKE: 3.0, Grade.BLUNDER: 8.0}
GRADE_NAMES: Final = {
    Grade.GOOD: N_("good move"),
    Grade.INACCURACY: N_("inaccuracy"),
    Grade.MISTAKE: N_("mistake"),
    Grade.BLUNDER: N_("blunder"),
}
_BETWEEN: Final = 2
"""The maximum number of nodes from one evaluation to the next for the last move between them to be evaluated."""
_SEVERAL: Final = 8
"""The minimum number of moves for which the median loss is taken as the bias of all moves."""
_SWINGS: Final = 3


def set_grades(thresholds: str) -> None:
    """Set the minimum points lost for an inaccuracy, a mistake and a blunder, as in the settings: ``1.5 3 8``.

    They apply to the whole program, like its language: one move has one grade on every page.
    """
    _least_lost.update(zip(_least_lost, map(float, thresholds.split()), strict=True))


def least_lost(grade: Grade) -> float:
    """Return the minimum points lost by a move of a grade."""
    return _least_lost.get(grade, 0.0)


def grade_of(lost: float) -> Grade:
    return max((grade for grade, least in _least_lost.items() if lost >= least), default=Grade.GOOD)


def describe_lost(lost: float, *, short: bool = False) -> str:
    """Word the points a move lost: ``−3.2``, or ``0``; ``−12`` if ``short``, from 10 on."""
    rounded = round(lost, 1)
    return f"−{_points(rounded, short=short)}" if rounded else "0"


class EvaluatedMove(NamedTuple):
    """A move with the evaluations before and after it.

    Attributes:
        node: the move.
        mover: the colour that made it.
        before, after: the evaluations.
        lost: the points it lost, 0 or more.
        bias: the points that every move of its line seems to lose; they are not part of ``lost``.
        punished: whether the opponent's answer kept more than half of the points lost.
        better: the principal variation of the search before it, or of the review in the record; empty if unknown.
    """

    node: Node
    mover: Colour
    before: Evaluation
    after: Evaluation
    lost: float
    bias: float = 0.0
    punished: bool = False
    better: tuple[int, ...] = ()

    @property
    def grade(self) -> Grade:
        return grade_of(self.lost)


def evaluated_moves(line: Sequence[Node], evaluations: Evaluations, size: int) -> list[EvaluatedMove]:
    """Return the moves of a line with known losses, in the order they were played.

    A short search is biased in favour of the side to move, before a move and after it, so that every move seems to lose
    something. The median loss of the moves estimates this bias and is subtracted. The search's own best move may look
    worse one move later; that does not count as a loss. A computer that plays evaluates only the positions before its
    own moves; a drop from one to the next is attributed to its opponent's move. A difference between two evaluators is
    not a loss: another evaluator's evaluation of the position before is ignored.

    Args:
        line: nodes one after the other.
        evaluations: moves without a known score lead before or after are skipped.
        size: of the board.
    """
    found: list[tuple[Node, Colour, Evaluation, Evaluation, float]] = []
    known = [evaluations.of(node) for node in line]
    for place, node in enumerate(line):
        after, move = known[place], node.move
        if after is None or move is None:
            continue
        before = _before(known[max(0, place - _BETWEEN) : place], after)
        if before is None:
            continue
        was, came = before.lead_of(move.colour), after.lead_of(move.colour)
        if was is not None and came is not None:
            found.append((node, move.colour, before, after, was - came))
    bias = 0.0
    if len(found) >= _SEVERAL:
        from statistics import median  # noqa: PLC0415 (a start evaluates nothing)

        bias = max(0.0, median(entry[-1] for entry in found))
    evaluated: list[EvaluatedMove] = []
    for node, mover, before, after, fall in found:
        assert node.move is not None
        better = before.lines[0].line if before.lines else _recorded_line(node, size)
        agreed = bool(better) and better[0] == node.move.point
        lost = 0.0 if agreed else max(0.0, fall - bias)
        if evaluated and evaluated[-1].node is node.parent and lost < evaluated[-1].lost / 2:
            evaluated[-1] = evaluated[-1]._replace(punished=True)
        evaluated.append(EvaluatedMove(node, mover, before, after, lost, bias, better=better))
    return evaluated


def mistakes_of(evaluated: Sequence[EvaluatedMove]) -> dict[Node, Mistake]:
    """Return the marks of the moves that lost points."""
    return {move.node: Mistake(move.grade, punished=move.punished) for move in evaluated if move.grade > Grade.GOOD}


def better_than(node: Node, evaluated: Iterable[EvaluatedMove], stones: Sequence[int]) -> dict[int, Colour]:
    """Return the stone that would have been better than the move of a node; empty if none is known.

    In a record that somebody wrote, it may be where one of the ``stones`` stands.
    """
    known = ((move.better[0], move.mover) for move in evaluated if move.node is node and move.better)
    return {point: mover for point, mover in known if point != PASS and not stones[point]}


def mistakes_on(stones: Sequence[int], line: Sequence[Node], mistakes: Mapping[Node, Mistake]) -> dict[int, Mistake]:
    """Return the marks of moves whose stones are on the board.

    Args:
        stones: the colour of each point.
        line: the nodes from the root to the position.
        mistakes: the marks of moves.
    """
    found: dict[int, Mistake] = {}
    if not mistakes:
        return found
    # Each stone was played by the last move on its point: with all found, earlier moves need no look.
    rest = {point for point, colour in enumerate(stones) if colour}
    for node in reversed(line):
        move = node.move
        if move is not None and move.point in rest:
            rest.remove(move.point)
            if node in mistakes and stones[move.point] == move.colour:
                found[move.point] = mistakes[node]
            if not rest:
                break
    return found


def _before(known: Sequence[Evaluation | None], after: Evaluation) -> Evaluation | None:
    """Return the last evaluation that ``after`` can be compared with; one further back has no better move to show."""
    for back, before in enumerate(reversed(known)):
        if before is not None and before.is_like(after):
            return before._replace(lines=()) if back else before
    return None


class PlayerSummary(NamedTuple):
    """Statistics of a side's play.

    Attributes:
        colour: the side.
        moves: the number of its moves that were evaluated.
        mean: the points they lost on average.
        counts: the number of moves of each grade, :attr:`Grade.GOOD` first.
        best_run: the numbers of the first and the last move of its longest run without an inaccuracy, and the length of
            the run; None if there is none.
    """

    colour: Colour
    moves: int
    mean: float
    counts: tuple[int, ...]
    best_run: tuple[int, int, int] | None


def player_summary(evaluated: Sequence[EvaluatedMove], colour: Colour) -> PlayerSummary:
    mine = [move for move in evaluated if move.mover == colour]
    counts = tuple(sum(move.grade == grade for move in mine) for grade in Grade)
    best: tuple[int, int, int] | None = None
    run: list[EvaluatedMove] = []
    for move in mine:
        run = [*run, move] if move.grade == Grade.GOOD else []
        if run and (best is None or len(run) > best[2]):
            best = run[0].node.number, run[-1].node.number, len(run)
    mean = sum(move.lost for move in mine) / len(mine) if mine else 0.0
    return PlayerSummary(colour, len(mine), mean, counts, best)


def swings(evaluated: Sequence[EvaluatedMove]) -> list[EvaluatedMove]:
    """Return the moves of either side that changed the score lead most, the greatest first."""
    found = [move for move in evaluated if move.grade > Grade.GOOD]
    return sorted(found, key=lambda move: -move.lost)[:_SWINGS]
