"""Decides when to pass. Tromp–Taylor scoring counts dead stones as alive, and a pass costs a point in Daoqi.

Rules that hold whatever the search's win rates are:

* after the opponent's pass, pass when that wins by the exact count, and at once;
* before the opponent has passed, pass only when the board as it stands is won and a search for the opponent finds
  no refutation; or when the game is lost beyond doubt;
* in a won game, dead stones on the board, which count as alive, are captured before passing;
* where nothing but eyes is left, the moves of :func:`~daoqi_tui.reading.status.best_move` are exact;
* instead of paying for a pass, free moves (:func:`free_plays`) are played if the opponent has answered a pass with a
  play, if a pass that is refused could cost the game, or if the opponent will have to pass first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from daoqi_tui.ai.search import captures, lone_suicides, value_after_cost
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, PASS, WHITE, Area, Board, Colour, area, opponent
from daoqi_tui.reading.status import area_points, best_move, safe_points, status

SAFE: Final = 0.9
"""The win rate above which a game counts as won; below 1 − SAFE it may be lost."""

LOST: Final = 0.05
SETTLED: Final = 0.7
"""The absolute ownership above which a point counts as decided."""
DOUBTS: Final = 16
"""The board is settled when fewer than one point in this many is undecided."""
BEGUN: Final = 3
"""No board is settled, however sure the network is, before one point in this many has a stone: who gives many handicap
stones is lost at once, and plays."""
NEARLY_AS_GOOD: Final = 0.05
"""The win rate that may be given up for a sensible play instead of a senseless one."""
CAPTURE_COST: Final = 0.03
"""The win rate that may be given up to capture dead stones. Less than :data:`NEARLY_AS_GOOD`: the comparison is with
sensible plays, and the captures of a game add up."""
CAPTURE_SHARE: Final = 4
"""A capture is searched with this fraction (1 in n) of the evaluations that another play needs: the game is won
already, and there may be many dead stones."""
TRIED_PLAYS: Final = 8
"""The number of best plays from which a sensible one is chosen; a senseless play is best only if few others are
left."""
LOSING_PLAYS: Final = 5


@dataclass(frozen=True, slots=True)
class Decision:
    """The move to play.

    Attributes:
        move: a point or PASS.
        win: the mover's win rate, 0 to 1.
        hopeless: whether the game counts as lost, so that the player may resign.
    """

    move: int
    win: float
    hopeless: bool = False


def instant_move(search: PuctSearch) -> int | None:
    """Return a move that needs no search (a winning second pass, or the first stone of a game), or None.

    All points of an empty torus are equivalent, so that the first stone goes to the middle.
    """
    board = search.board
    if search.passes_in_row == 1 and _pass_wins(search, area(board, search.komi)):
        return PASS
    if board.empty == board.torus.full and search.passes_in_row == 0 and board.move_number == 0:
        return board.torus.point(board.torus.rows // 2, board.torus.columns // 2)
    return None


def exact_decision(search: PuctSearch) -> Decision | None:
    board = search.board
    last = best_move(board, search.komi, passed=search.passes_in_row == 1)
    if last is None:
        return None
    black = board.rules.value(last.margin)
    return Decision(last.move, black if board.to_move == BLACK else 1.0 - black, hopeless=last.given_up)


def may_search_on(search: PuctSearch) -> bool:
    """Return whether :func:`decide` may search on before it decides: whether a pass may be worth verifying."""
    root = search.root
    best = root.best()[0]
    return root.moves[best] == PASS or _is_clear(root.win_rate(best)) or not _is_sound(search, best)


def decide(search: PuctSearch, stopped: Callable[[], bool] = lambda: False) -> Decision:
    """Return the move to play after ``search`` has run; searches on to verify a pass, unless ``stopped``."""
    board, root = search.board, search.root
    plays = [index for index in root.best() if root.moves[index] != PASS]
    passing = len(root.moves) - 1
    if not plays:
        return Decision(PASS, root.win_rate(passing))
    if (exact := exact_decision(search)) is not None:
        return exact
    count = area(board, search.komi)
    if _pass_wins(search, count) and _is_certain(board):
        return _pass_unless_free(search, count, passing, stopped)
    play = _sound(search, plays, stopped)
    win = root.win_rate(play)
    if _is_clear(win) and not stopped():
        # Visits of a reused tree carry no ownership.
        search.run(Limits(visits=search.visits + search.min_visits - search.owner_visits), stopped)
        if _is_settled(search):
            won = _pass_wins(search, count)
            if won and _nothing_happens(search, passing, stopped):
                return _pass_unless_free(search, count, passing, stopped)
            if not won and _is_lost(search, stopped):
                if (free := _gaining_play(search, count)) is not None:
                    return Decision(int(root.moves[free]), win)
                # A pass may still draw where every play loses.
                return Decision(PASS, root.win_rate(passing), hopeless=_pass_value(search, count) == 0)
            if win >= SAFE and (capture := _capture(search, win, stopped)) is not None:
                return Decision(int(root.moves[capture]), root.win_rate(capture))
    if not _is_sound(search, play):
        # The best play is senseless, so nothing is left to play for; a few evaluations may miss that.
        if _pass_wins(search, count) and _nothing_happens(search, passing, stopped):
            return _pass_unless_free(search, count, passing, stopped)
        if board.rules.pass_cost and (free := _free_play_instead(search, win, stopped)) is not None:
            return Decision(int(root.moves[free]), root.win_rate(free))
    if _pass_is_best(search, count, play, passing):
        return _pass_unless_free(search, count, passing, stopped)
    lost = LOST if search.visits >= search.proof_visits else search.lost_win_rate
    return Decision(int(root.moves[play]), win, hopeless=win < lost)


def _is_certain(board: Board) -> bool:
    """Return whether every point has its owner for good and no dead stones are left: no play can gain anything."""
    owned = 0
    for colour, found in status(board, board.rules).items():
        if found.territory & board.stones(opponent(colour)):
            return False
        owned |= found.certain
    return owned == board.torus.full


def _is_clear(win: float) -> bool:
    return win >= SAFE or win <= 1 - SAFE


def _pass_wins(search: PuctSearch, count: Area) -> bool:
    return _pass_value(search, count) == 1


def _pass_value(search: PuctSearch, count: Area) -> float:
    """Return what the game is worth to the side to move by ``count`` if both sides pass now: 1, 0.5 drawn, or 0."""
    cost = search.board.rules.pass_cost if search.passes_in_row == 1 else 0
    return value_after_cost(search.board, cost, count.margin)


def _pass_unless_free(search: PuctSearch, count: Area, passing: int, stopped: Callable[[], bool]) -> Decision:
    """Return the pass, or a free move if paying for the pass would be in vain.

    The first pass offers to end the game. If that was refused, or a refusal could cost the game, free moves come first.
    """
    board, root = search.board, search.root
    cost = board.rules.pass_cost
    free = None
    if cost and search.passes_in_row == 0:
        # After a refusal, the last eyes may take one more; and stones thrown in are captured.
        margins = (count.margin, _real_margin(search))
        if any(value_after_cost(board, 2 * cost, margin) < 1 for margin in margins):
            # What a refused pass costs is certain; the network may not see it.
            free = _free_play(search, throw_in=True)
        elif board.passes[board.to_move] and (free := _lone_suicide(search)) is None:
            free = _free_play_instead(search, root.win_rate(passing), stopped)
    if free is not None:
        return Decision(int(root.moves[free]), root.win_rate(free))
    return Decision(PASS, root.win_rate(passing))


def _lone_suicide(search: PuctSearch) -> int | None:
    """Return the index of a single-stone suicide: a pass that costs nothing."""
    board = search.board
    return _first(search, board.torus.points_in(lone_suicides(board, board.legal_mask())))


def _real_margin(search: PuctSearch) -> float:
    """Return Black's points less White's, where stones that cannot live in safe territory count as dead."""
    board = search.board
    owned = {colour: points.bit_count() for colour, points in area_points(board, board.rules).items()}
    return owned[BLACK] - board.passes[BLACK] - owned[WHITE] + board.passes[WHITE] - search.komi


def _free_play(search: PuctSearch, *, throw_in: bool = False) -> int | None:
    return _first(search, free_plays(search.board, throw_in=throw_in))


def _first(search: PuctSearch, plays: Iterable[int]) -> int | None:
    """Return the index of the first of some plays that the search considers."""
    found = (search.root.index_of(point) for point in plays)
    return next((index for index in found if index is not None), None)


def _free_play_instead(search: PuctSearch, win: float, stopped: Callable[[], bool]) -> int | None:
    """Return the index of a free move that the search rates about as high as ``win``, None if there is none."""
    free = _free_play(search)
    if free is None or not _search_to(search, free, search.min_visits, stopped):
        return None
    return free if search.root.win_rate(free) >= win - NEARLY_AS_GOOD else None


def _gaining_play(search: PuctSearch, count: Area) -> int | None:
    """Return the index of a free move if the leading opponent runs out of them first and has to pay enough."""
    board = search.board
    mine, cost = board.to_move, board.rules.pass_cost
    spare = free_moves(board, mine) - free_moves(board, opponent(mine))
    # To end the game, the opponent passes this many times and the side to move once.
    if not cost or value_after_cost(board, cost * (1 - spare), count.margin) < 1:
        return None
    return _free_play(search)


def _is_settled(search: PuctSearch) -> bool:
    if (search.board.torus.full ^ search.board.empty).bit_count() * BEGUN < search.board.torus.points:
        return False
    owned = search.ownership()
    return int((abs(owned) < SETTLED).sum()) * DOUBTS < len(owned)


def _nothing_happens(search: PuctSearch, passing: int, stopped: Callable[[], bool]) -> bool:
    """Return whether the game stays won after a pass, by searching the opponent's replies.

    Returns False if the search is stopped early.
    """
    root = search.root
    enough = int(root.visits[passing]) + search.proof_visits
    while (left := enough - int(root.visits[passing])) > 0:
        if stopped():
            return False
        search.grow_below(passing, left)
    node = root.children.get(passing)
    if node is None or root.win_rate(passing) < SAFE:
        return False
    if node.terminal is not None:
        return True
    return node.win_rate(node.best()[0]) <= 1 - SAFE


def _is_lost(search: PuctSearch, stopped: Callable[[], bool]) -> bool:
    search.run(Limits(visits=search.proof_visits), stopped)
    if search.visits < search.proof_visits:
        return False
    root = search.root
    plays = [index for index in root.best() if root.moves[index] != PASS]
    return all(_search_to(search, index, 1, stopped) and root.win_rate(index) < LOST for index in plays[:LOSING_PLAYS])


def _search_to(search: PuctSearch, index: int, visits: int, stopped: Callable[[], bool]) -> bool:
    while search.root.visits[index] < visits:
        if stopped():
            return False
        search.step(index)
    return True


def _sound(search: PuctSearch, plays: list[int], stopped: Callable[[], bool]) -> int:
    """Return the first of ``plays``; if it is senseless, a sensible one that the search rates about as high.

    Without a search, the first sensible play replaces it. With one, the replacement needs visits of its own: the win
    rate of an unvisited move is only a guess and must not overrule a searched move.
    """
    root, best = search.root, plays[0]
    if _is_sound(search, best):
        return best
    searched = bool(root.visits[best])
    for index in plays[1:TRIED_PLAYS]:
        if not _is_sound(search, index):
            continue
        if not searched or (
            _search_to(search, index, search.min_visits, stopped)
            and root.win_rate(index) >= root.win_rate(best) - NEARLY_AS_GOOD
        ):
            return index
    return best


def _is_sound(search: PuctSearch, index: int) -> bool:
    """Return whether the play captures, or neither fills an own eye nor is a single-stone suicide."""
    board = search.board
    move, mine = int(search.root.moves[index]), board.to_move
    around = board.torus.around[move]
    if not around & ~board.stones(mine):
        return False
    if around & (board.empty | board.stones(mine)):
        return True
    # Every ko capture and every capture by a throw-in is surrounded by the opponent's stones.
    return captures(board, move)


def _capture(search: PuctSearch, win: float, stopped: Callable[[], bool]) -> int | None:
    """Return the index of a safe play that fills a liberty of a dead chain; None without one, or if ``stopped``."""
    board, root = search.board, search.root
    mine = board.to_move
    sign = 1 if mine == BLACK else -1
    owned = search.ownership() * sign
    best: tuple[int, int] | None = None
    seen: set[int] = set()
    for point in board.torus.points_in(board.stones(opponent(mine))):
        if point in seen or owned[point] < SETTLED:
            continue
        chain = board.chain_at(point)
        assert chain is not None
        seen.update(chain.stones)
        for liberty in chain.liberties:
            index = root.index_of(liberty)
            if index is None or (best is not None and best[0] <= len(chain.liberties)):
                continue
            if not _has_room(search, liberty, mine) and len(chain.liberties) > 1:
                continue
            if not _search_to(search, index, search.min_visits // CAPTURE_SHARE, stopped):
                return None
            if root.win_rate(index) >= win - CAPTURE_COST:
                best = len(chain.liberties), index
    return best[1] if best else None


def _has_room(search: PuctSearch, point: int, mine: Colour) -> bool:
    """Return whether a stone of ``mine`` on ``point`` would have two liberties, counting those of chains it joins."""
    board = search.board
    liberties = set(board.torus.points_in(board.torus.around[point] & board.empty))
    for nearby in board.torus.neighbours[point]:
        chain = board.chain_at(nearby)
        if chain is not None and chain.colour == mine:
            liberties.update(chain.liberties)
    return len(liberties - {point}) >= 2


def _pass_is_best(search: PuctSearch, count: Area, play: int, passing: int) -> bool:
    """Return whether the search prefers the pass and the score is not lost if the opponent also passes."""
    root = search.root
    if root.visits[passing] <= root.visits[play] or root.win_rate(passing) <= root.win_rate(play):
        return False
    return _pass_value(search, count) > 0


# Free moves


ROOMY: Final = 8
"""The size of a territory from which a stone inside cannot endanger the chains around it."""


def territories(board: Board, colour: Colour) -> list[int]:
    """Return the masks of the empty regions that touch stones of ``colour`` alone, the largest first."""
    torus, theirs = board.torus, board.stones(opponent(colour))
    found = []
    for region in torus.regions(board.empty):
        beside = torus.dilate(region)
        if beside & board.stones(colour) and not beside & theirs:
            found.append(region)
    return sorted(found, key=int.bit_count, reverse=True)


def free_moves(board: Board, colour: Colour) -> int:
    """Return the number of free moves of a side, which leave one eye in each of its territories."""
    return sum(region.bit_count() - 1 for region in territories(board, colour))


def free_plays(board: Board, *, throw_in: bool = False) -> Iterator[int]:
    """Yield free moves of the side to move, the best first.

    Suicides come first, which change nothing, and eyes last: whoever fills one gives the opponent the next suicide
    (:func:`daoqi_tui.reading.status.gain_of`). Of other fills, those first that keep alive what certainly lives.

    Args:
        board: the position.
        throw_in: whether stones are thrown into territory of the opponent, who has to capture them.
    """
    mine, legal = board.to_move, board.legal_mask()
    yield from board.torus.points_in(lone_suicides(board, legal))
    if throw_in:
        theirs = opponent(mine)
        certain = status(board, board.rules)[theirs].territory
        for region in reversed(territories(board, theirs)):
            if region.bit_count() > 1 and not region & ~certain:
                yield from board.torus.points_in(region & legal)
    regions = territories(board, mine)
    safe = safe_points(board, board.rules)[mine]
    for region in regions:
        if region.bit_count() > 1 and not region & ~safe:
            yield from (point for point in _inside(board, region & legal) if _keeps(board, point, safe))
    for region in regions:
        if region & ~safe and region.bit_count() >= ROOMY:
            yield from _inside(board, region & legal)
    for region in regions:
        if region.bit_count() == 1 and not region & ~(safe & legal) and _keeps(board, region.bit_length() - 1, safe):
            yield region.bit_length() - 1


def _inside(board: Board, region: int) -> list[int]:
    torus, mine = board.torus, board.stones(board.to_move)
    return sorted(torus.points_in(region), key=lambda point: -(torus.around[point] & mine).bit_count())


def _keeps(board: Board, point: int, safe: int) -> bool:
    """Return whether all of ``safe`` certainly still belongs to the side to move after its play at ``point``."""
    mine = board.to_move
    board.play(point)
    keeps = not safe & ~safe_points(board, board.rules)[mine]
    board.undo()
    return keeps
