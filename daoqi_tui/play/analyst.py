"""Asks our own player, or a GTP engine, about positions: analyses, the move just made, estimates, dead stones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui.ai import Answer, Candidate, Estimated, Position, Progress, Restriction, Think
from daoqi_tui.engine import BLACK, EMPTY, WHITE, Area, Board, Colour, Game, Node, PlayerArea
from daoqi_tui.i18n import _, plural
from daoqi_tui.play.background import Wait
from daoqi_tui.play.evaluation import EvaluatedMove, Evaluation, engine_id_of, source_of
from daoqi_tui.play.hints import SLIGHTLY_AHEAD, describe_balance
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.wording import colour_word, describe_margin
from daoqi_tui.reading.status import dead_stones, status

if TYPE_CHECKING:
    from daoqi_tui.analysis.influence import InfluenceEstimate

MOVES_SHOWN: Final = 10
"""The number of moves that an analysis lists."""


class Budget(NamedTuple):
    """Limits of the analysis of one position; the first one reached ends it.

    Attributes:
        visits: evaluations, including those of a reused tree.
        seconds: since the request.
    """

    visits: int
    seconds: float


HINT: Final = Budget(100_000, 5.0)
"""For a hint; asking again continues the search."""
OPENING: Final = Budget(400, 5.0)
"""For a position of the opening browser."""
REVIEW: Final = Budget(60, 2.0)
"""For a position of a review; the tree is reused from move to move, so the next position starts with some visits."""


async def analyse(
    players: PlayerTable,
    game: Game,
    node: Node,
    budget: Budget,
    report: Callable[[Evaluation], None] = lambda _: None,
    *,
    restrictions: Sequence[Restriction] = (),
) -> Evaluation | None:
    """Search a position until the budget is used up; cancelling the task stops the search and keeps its tree.

    Args:
        players: whose analyst is asked.
        game: the game.
        node: the position; the game must not be over there.
        budget: the limits.
        report: called a few times a second with the current evaluation.
        restrictions: moves to avoid or allow.

    Returns:
        The evaluation, None if the search has found no move.

    Raises:
        PlayerError: there is no answer.
    """
    mover = node.to_move
    player, engine = players.analyst
    command, network = players.analyst_command, players.network

    def found_in(found: Progress | Answer) -> Evaluation | None:
        return Evaluation.of(found, mover, engine, command=command, network=network)

    def on_progress(progress: Progress) -> None:
        if (found := found_in(progress)) is not None:
            report(found)

    request = Think(
        Position.of(game, node),
        seconds=budget.seconds,
        visits=budget.visits,
        analyse=True,
        shown=MOVES_SHOWN,
        restrictions=tuple(restrictions),
    )
    answer = await player.think(request, on_progress)
    if engine:
        # Only a running engine has told its name.
        engine = players.analyst[1]
    return found_in(answer)


def is_of_analyst(players: PlayerTable, evaluation: Evaluation) -> bool:
    """Return whether an evaluation comes from the current analyst.

    Raises:
        PlayerError: the analysis engine's command cannot be parsed.
    """
    _player, engine = players.analyst
    source = source_of(engine)
    own = Evaluation(0.5, None, 0, source, engine or players.network, engine_id=engine_id_of(players.analyst_command))
    return evaluation.is_like(own)


def counted(game: Game, node: Node) -> Evaluation | None:
    """Return the value of a position at which the game is over by two passes; None if it is not."""
    if not node.ends_by_passes:
        return None
    here = game.node
    game.goto(node)
    try:
        result, area = game.result, game.area(game.dead)
    finally:
        game.goto(here)
    if result is None:
        return None
    black = 1.0 if result.winner == BLACK else 0.5 if not result.winner else 0.0
    return Evaluation(black, area.margin, 0, "count")


TEACH_FROM: Final = 3
"""The threshold in points if teach mode is turned on without a number."""
_TEACH: Final = Budget(80, 1.5)
"""For each of the two searches that judge a move."""
TEACH_SECONDS: Final = 2 * _TEACH.seconds
_ENOUGH: Final = 12
"""The minimum visits of another move in a search for its value to be used."""


def describe_teaching(points: int) -> str:
    """Say what teach mode does, and how long it takes at most."""
    warns = _("Teach mode: warns when a move against the computer loses {points} points or more")
    longest = _("at most {seconds} s a move")
    return "  ·  ".join((warns.format(points=points), longest.format(seconds=f"{TEACH_SECONDS:g}")))


def evaluation_wait() -> Wait:
    """Begin to wait for :func:`evaluate_move`."""
    return Wait(_("Looking at your move …"), most=TEACH_SECONDS)


async def evaluate_move(
    players: PlayerTable, game: Game, node: Node, stopped: Callable[[], bool] = lambda: False
) -> EvaluatedMove | None:
    """Return a move with the points it lost against the best one; None if there is too little data, or if stopped.

    Both are compared as moves in one position, since after them the opponent is to move, in whose favour a short search
    is biased. If the search hardly visited the move, it is searched alone; a GTP engine cannot do that, and searches
    the position after it.

    Args:
        players: whose analyst is asked.
        game: the game; its cursor stays where it is.
        node: a move, or a pass.
        stopped: returns whether nobody waits for it any more.

    Raises:
        PlayerError: there is no answer.
    """
    move, parent = node.move, node.parent
    assert move is not None
    assert parent is not None
    before = await analyse(players, game, parent, _TEACH)
    if before is None or before.lead is None or stopped():
        return None
    made = next((line for line in before.lines if line.move == move.point and line.visits >= _ENOUGH), None)
    if made is None and before.source == "engine":
        after = await analyse(players, game, node, _TEACH)
    else:
        if made is None:
            only = Restriction(move.colour, (move.point,), 1, only=True)
            alone = await analyse(players, game, parent, _TEACH, restrictions=(only,))
            if alone is not None and alone.is_like(before):
                made = next((line for line in alone.lines if line.move == move.point), None)
        after = _after(made, move.colour, before) if made is not None else None
    # Another analyst may have been chosen meanwhile.
    if after is None or stopped() or not after.is_like(before):
        return None
    was, came = before.lead_of(move.colour), after.lead_of(move.colour)
    if was is None or came is None:
        return None
    better = before.lines[0].line
    lost = 0.0 if better[:1] == (move.point,) else max(0.0, was - came)
    return EvaluatedMove(node, move.colour, before, after, lost, better=better)


def _after(made: Candidate, mover: Colour, before: Evaluation) -> Evaluation:
    """Return the value of the position after a move, according to the search of the position before it."""
    black = made.win if mover == BLACK else 1 - made.win
    return before._replace(black=black, lead=made.margin, visits=made.visits, lines=())


OWNED: Final = 0.15
"""The absolute ownership (0 to 1) above which a point counts for a side."""
LOST: Final = 0.6
"""The absolute ownership above which a stone of the other side is shown as dead."""


def estimate_of(board: Board, komi: float, found: Estimated) -> InfluenceEstimate:
    """Convert the ownership of a search to an estimate of territory.

    The totals are rounded to whole points, so that their difference is the expected margin to within half a point; one
    point may belong to nobody.
    """
    from daoqi_tui.analysis.influence import InfluenceEstimate  # noqa: PLC0415 (numpy costs 100 ms)

    owners = bytes(BLACK if share > OWNED else WHITE if share < -OWNED else EMPTY for share in found.ownership)
    points = len(owners)
    lead = round(found.margin + komi + board.passes[BLACK] - board.passes[WHITE])
    lead = max(-points, min(points, lead))
    black = _side(board, found, BLACK, (points + lead) // 2, 0)
    white = _side(board, found, WHITE, (points - lead) // 2, komi)
    return InfluenceEstimate(Area(black, white, (points + lead) % 2, owners, board.rules.tie), found.ownership)


def _side(board: Board, found: Estimated, colour: Colour, total: int, komi: float) -> PlayerArea:
    """Return the area of ``colour``, ``total`` points altogether; dead stones count as territory of the other side."""
    sign = 1 if colour == BLACK else -1
    shares = zip(found.ownership, board.colours, strict=True)
    stones = min(total, round(sum((1 + sign * share) / 2 for share, stone in shares if stone == colour)))
    return PlayerArea(stones, total - stones, board.passes[colour], komi)


def dead_in(stones: bytes, found: Estimated) -> frozenset[int]:
    return frozenset(
        point
        for point, (stone, share) in enumerate(zip(stones, found.ownership, strict=True))
        if (stone == BLACK and share < -LOST) or (stone == WHITE and share > LOST)
    )


def describe_expected_margin(found: Estimated) -> str:
    """Word the expected margin with its standard deviation: ``Black by 4.3 ± 25``."""
    return _("{colour} by {points} ± {spread}").format(
        colour=colour_word(BLACK if found.margin >= 0 else WHITE),
        points=f"{abs(found.margin):.1f}",
        spread=f"{found.spread:.0f}",
    )


def describe_expected(found: Estimated) -> str:
    """Say who is better and by about how much; the pane of the count has the figures."""
    balance, share = describe_balance(found.black, BLACK), max(found.black, 1 - found.black)
    # Of a wide spread of scores the mean may be the other side's.
    points = round(found.margin if found.black > 0.5 else -found.margin)
    if share >= SLIGHTLY_AHEAD and points > 0:
        balance += plural(", by about {count} point", ", by about {count} points", points)
    text = _("Estimate: {balance}  ·  win rate {share}  ·  at a glance, without reading")
    return text.format(balance=balance, share=f"{share:.0%}")


# Dead stones after two passes: those that are certain, a proposal of others, and the score

LEAST_SHARE: Final = 0.8
"""The opponent's share of a chain's points, by ownership, above which the chain is proposed as dead.

On 50 finished boards that searches played on, the shares of chains that lived were at most 0.7, but for two stones."""


class Proposal(NamedTuple):
    """The stones that a computer considers dead.

    Attributes:
        stones: their points.
        certain: how many of them are dead for certain.
    """

    stones: frozenset[int]
    certain: int

    def describe(self) -> str:
        if not self.stones:
            return _("No stone looks dead")
        if self.certain == len(self.stones):
            return _("Dead for certain")
        share = f"{LEAST_SHARE:.0%}"
        if not self.certain:
            return _("These look dead (over {share} sure)").format(share=share)
        text = _("{certain} dead for certain, the others look dead (over {share} sure)")
        return text.format(certain=self.certain, share=share)


async def propose_dead(estimate: Callable[[Position], Awaitable[Estimated]], game: Game) -> Proposal:
    """Find the chains that are dead, without marking any.

    Those in the opponent's certain territory are (:mod:`~daoqi_tui.reading.status`); of the others, those whose points
    the network gives to the opponent with more than :data:`LEAST_SHARE`, unless they are pass-alive.

    Args:
        estimate: returns the expected ownership, as :meth:`~daoqi_tui.gtp.player.Player.estimate` does.
        game: a game ended by two passes.

    Raises:
        PlayerError: there is no answer.
    """
    torus, known = game.torus, status(game.board, game.rules)
    alive, certain = known[BLACK].alive | known[WHITE].alive, dead_stones(game.board, game.rules)
    found = await estimate(Position.of(game))
    dead = set(torus.points_in(certain))
    for colour in (BLACK, WHITE):
        for chain in game.board.chains_of(colour):
            stones = game.board.stones_of(chain)
            if not torus.mask(stones) & alive and _opponents_share(colour, stones, found) > LEAST_SHARE:
                dead.update(stones)
    return Proposal(frozenset(dead), certain.bit_count())


def _opponents_share(colour: Colour, stones: list[int], found: Estimated) -> float:
    black = sum(1 + found.ownership[point] for point in stones) / (2 * len(stones))
    return 1 - black if colour == BLACK else black


def describe_difference(game: Game) -> list[str]:
    """Word the effect of the agreed dead stones in one or two parts; in Tromp–Taylor scoring all stones are alive."""
    alive = _("All alive (Tromp–Taylor): {margin}").format(margin=describe_margin(game.area()))
    return [_describe_dead(game.area(game.dead), len(game.dead)), alive] if game.dead else [alive]


def _describe_dead(area: Area, count: int) -> str:
    dead = plural("{count} stone dead", "{count} stones dead", count)
    return _("{dead}: {margin}").format(dead=dead, margin=describe_margin(area))
