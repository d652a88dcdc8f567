"""Makes ``assets/conformance.json``: ``python -m daoqi_tui.lab.conformance.vectors``.

Random games on small boards meet everything that the rules know. Of the games that show the same thing the shortest are
kept, so that a program that errs sees why at a glance. The games are the same each time.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Final, TypeAlias

from daoqi_tui import codec
from daoqi_tui.engine import (
    BLACK,
    PASS,
    POSITIONAL,
    SIMPLE,
    SITUATIONAL,
    TROMP_TAYLOR,
    WHITE,
    Board,
    Colour,
    Game,
    Rules,
    Torus,
    area,
    opponent,
    torus_of,
)
from daoqi_tui.engine.rules import Repeats, Suicide
from daoqi_tui.gtp import vertex_name
from daoqi_tui.lab.conformance.check import CaseRules, cases_file
from daoqi_tui.reading.ladder import read_ladder
from daoqi_tui.reading.status import final_margin
from daoqi_tui.reading.symmetry import Symmetry, canonical_moves

Case: TypeAlias = dict[str, Any]
FORMAT: Final = "torus-go-conformance-1"
_LEGALITIES: Final = tuple(
    Rules(superko, suicide) for superko, suicide in product((SITUATIONAL, POSITIONAL, SIMPLE), (True, False))
)
_TIES: Final = {WHITE: "for White", BLACK: "for Black", None: "drawn"}
_ASKED: Final = 3
"""Points of each game whose legality is asked, of those that are legal as of those that are not."""


class _Found:
    """The shortest games of each finding.

    Args:
        kept: so many of each.
    """

    def __init__(self, kept: int) -> None:
        self._kept: Final = kept
        self._cases: dict[str, list[tuple[int, int, Case]]] = defaultdict(list)
        self._count = 0

    def wants(self, finding: str, moves: int) -> bool:
        cases = self._cases[finding]
        return len(cases) < self._kept or moves < cases[-1][0]

    def add(self, finding: str, case: Case) -> None:
        self._count += 1
        cases = self._cases[finding]
        cases.append((len(case["moves"]), self._count, case))
        cases.sort(key=lambda entry: entry[:2])
        del cases[self._kept :]

    def cases(self) -> Iterator[Case]:
        """Yield each game once, named after its first finding."""
        seen = set()
        for finding in sorted(self._cases):
            for number, (_, _, case) in enumerate(self._cases[finding], 1):
                key = codec.encode({name: value for name, value in case.items() if name != "name"})
                if key not in seen:
                    seen.add(key)
                    yield {"name": f"{finding}, {number}", **case}


def _base(kind: str, torus: Torus, rules: Rules, moves: Sequence[int]) -> Case:
    names = [f"{'bw'[number % 2]} {vertex_name(torus, move)}" for number, move in enumerate(moves)]
    return {"kind": kind, "size": torus.size, "rules": CaseRules.of(rules), "moves": names}


# Legality, captures and repetition


def _position(board: Board, moves: Sequence[int], first: Iterable[int] = ()) -> Case:
    """Return the case of a position; of the points to ask, ``first`` come first."""
    torus = board.torus
    asked = dict.fromkeys((*first, *torus.points_in(board.empty)))
    legal = [point for point in asked if board.refusal(point) is None]
    # A stone stands on the last one: that is refused by any rules.
    stone = next((point for point in range(torus.points) if board.colours[point]), None)
    illegal = [point for point in asked if board.refusal(point) is not None][:_ASKED]
    rows = [str(board).split("\n")[row] for row in range(torus.rows)]
    return {
        **_base("position", torus, board.rules, moves),
        "legal": [vertex_name(torus, point) for point in legal[:_ASKED]],
        "illegal": [vertex_name(torus, point) for point in (*illegal, *(() if stone is None else (stone,)))],
        "board": rows,
        "prisoners": {
            "b": board.captured[BLACK] + board.suicided[WHITE],
            "w": board.captured[WHITE] + board.suicided[BLACK],
        },
    }


def _passes_before(moves: Sequence[int], number: int) -> bool:
    return number > 0 and moves[number - 1] == PASS


def _legality(boards: Sequence[Board], moves: Sequence[int], found: _Found) -> None:
    """Add what the boards, alike but for their rules, say about the points of a position."""
    for board in boards:
        others = [other for other in boards if other.rules.suicide == board.rules.suicide and other is not board]
        for point in board.torus.points_in(board.empty):
            refusal = board.refusal(point)
            finding = ""
            if isinstance(refusal, Repeats):
                finding = "repeats the start" if not refusal.move else "repeats"
                if _passes_before(moves, refusal.move):
                    finding = "repeats what a pass led to"
                if moves and moves[-1] == PASS:
                    finding += " after a pass"
            elif isinstance(refusal, Suicide):
                finding = "suicide is illegal"
            elif any(other.refusal(point) is not None for other in others):
                banning = [other.rules.superko for other in others if other.refusal(point) is not None]
                finding = f"legal though not by {' or '.join(banning)} superko"
            finding = finding and f"{board.rules.superko}, suicide {'yes' if board.rules.suicide else 'no'}: {finding}"
            if finding and found.wants(finding, len(moves)):
                found.add(finding, _position(board, moves, [point]))


def _captures(board: Board, moves: Sequence[int], found: _Found) -> None:
    """Add what the last play took off the board."""
    colour, torus, size = opponent(board.to_move), board.torus, board.torus.size
    after, taken, lost = board.empty, board.captured[colour], board.suicided[colour]
    board.undo()
    gone, taken, lost = after & ~board.empty, taken - board.captured[colour], lost - board.suicided[colour]
    board.make(moves[-1])
    if not taken and not lost:
        return
    # The stone of a suicide is gone as well.
    gone |= after & 1 << moves[-1]
    points = torus.points_in(gone)
    rows, columns = ({point // size for point in points}, {point % size for point in points})
    seam = " and ".join(name for name, lines in (("a row", columns), ("a column", rows)) if {0, size - 1} <= lines)
    chains = sum(1 for _ in torus.regions(gone & ~(1 << moves[-1])))
    many = next(
        text
        for least, text in ((6, "six or more stones"), (2, "two to five stones"), (1, "one stone"))
        if taken + lost >= least
    )
    finding = f"{'suicide' if lost else 'capture'} of {many}"
    if not lost and chains > 1:
        finding += " of several chains"
    if seam:
        finding += f", across the seam in {seam}"
    if size >= 9 and seam:
        # Short games are those of small boards: each large one shows its seams for itself.
        finding = f"{'suicide' if lost else 'capture'} across the seam in {seam}, {size}×{size}"
    if found.wants(finding, len(moves)):
        found.add(finding, _position(board, moves, points))


def positions() -> Iterator[Case]:
    chance = random.Random(1)
    legality, captures = _Found(2), _Found(1)
    for attempt in range(600):
        torus = torus_of((2, 3, 3, 4, 4, 5)[attempt % 6])
        boards = [Board(torus, rules) for rules in _LEGALITIES]
        moves: list[int] = []
        # Play is free: what one of the rules forbids, the others show. A case takes only moves that its rules allow.
        playing = boards[attempt % len(boards)]
        while len(moves) < 40 and moves[-2:] != [PASS, PASS]:
            legal = torus.points_in(playing.legal_mask())
            move = chance.choice(legal) if legal and chance.random() < 0.94 else PASS
            moves.append(move)
            boards = [board for board in boards if board.replay(move) is None]
            _legality([board for board in boards if moves[-2:] != [PASS, PASS]], moves, legality)
    for size, rules in product((2, 3, 5, 9, 13, 16, 19, 25), (Rules(), TROMP_TAYLOR)):
        for _fight in range(12 if size < 9 else 60):
            torus = torus_of(size)
            board, line = Board(torus, rules), list[int]()
            # The fight is around the corner of the picture, where both seams cross.
            reach = min(size, 5)
            window = {
                torus.point(row % size, column % size)
                for row in range(-2, reach - 2)
                for column in range(-2, reach - 2)
            }
            while len(line) < 45:
                near = [point for point in torus.points_in(board.legal_mask()) if point in window]
                if not near:
                    break
                line.append(chance.choice(near))
                board.make(line[-1])
                _captures(board, line, captures)
    yield from legality.cases()
    yield from captures.cases()


# The score


def scores() -> Iterator[Case]:
    chance = random.Random(2)
    found = _Found(1)
    settings = product((0, 1, 3), _TIES, (4, 7.5, -2, 0))
    for number, (cost, tie, komi) in enumerate(settings):
        rules = Rules(pass_cost=cost, tie=tie)
        for attempt in range(30):
            game = Game((2, 3, 4, 5)[(attempt + number) % 4], komi, rules=rules)
            length = chance.randrange(1, 24)
            while not game.is_over:
                legal = game.legal_points()
                if legal and len(game.moves()) < length and chance.random() < 0.85:
                    game.play(chance.choice(legal))
                else:
                    game.pass_turn()
            count = game.area()
            finding = f"a pass costs {cost}: " + (
                "a tie" if count.tie else "Black wins" if count.margin > 0 else "White wins"
            )
            if count.tie:
                finding += f" is {_TIES[tie]}"
            if count.neutral:
                finding += ", with neutral points"
            if game.passes(BLACK) != game.passes(WHITE):
                finding += ", one passed more"
            moves = [move.point for move in game.moves()]
            if found.wants(finding, len(moves)):
                case = _base("score", game.torus, rules, moves)
                found.add(finding, {**case, "komi": komi, "score": str(count.result())})
    yield from found.cases()
    for rules in (Rules(), TROMP_TAYLOR, replace(TROMP_TAYLOR, tie=BLACK)):
        yield {
            "name": f"the empty board, a tie is {_TIES[rules.tie]}",
            **_base("score", torus_of(5), rules, [PASS, PASS]),
            "komi": 0,
            "score": str(Game(5, 0, rules=rules).area().result()),
        }


# Ladders


def _on_the_board(black: Sequence[int], white: Sequence[int], to_move: Colour) -> list[int]:
    """Return moves that put stones on an empty board: plays by turns, and passes where one side has none left."""
    moves: list[int] = []
    rest = {BLACK: list(black), WHITE: list(white)}
    colour = BLACK
    while rest[BLACK] or rest[WHITE]:
        moves.append(rest[colour].pop(0) if rest[colour] else PASS)
        colour = opponent(colour)
    if colour != to_move:
        moves.append(PASS)
    return moves


def ladders() -> Iterator[Case]:
    chance = random.Random(3)
    for size in (5, 6, 7, 9, 13, 16, 19):
        torus = torus_of(size)
        middle = size // 2
        white = [torus.point(middle, middle)]
        black = [torus.point(middle, middle - 1), torus.point(middle + 1, middle), torus.point(middle + 1, middle + 1)]
        bare = "a ladder round the world into its own tail"
        extra: list[int | None] = [None]
        if size in (7, 9, 13):
            extra += chance.sample(
                [point for point in range(torus.points) if point not in (*white, *black)], 8 if size < 13 else 3
            )
        for stone in extra:
            moves = _on_the_board(black, [*white, *([] if stone is None else [stone])], BLACK)
            name = f"{bare}, {size}×{size}" + (
                "" if stone is None else f", with a stone at {vertex_name(torus, stone)}"
            )
            case = _ladder(torus, moves, white[0])
            if case is not None:
                yield {"name": name, **case}
    found = _Found(6)
    for _ in range(400):
        game = Game(chance.choice((5, 6, 7)))
        for _ in range(chance.randrange(6, 22)):
            legal = game.legal_points()
            if legal:
                game.play(chance.choice(legal))
        moves = [move.point for move in game.moves()]
        for head in (*game.board.chains_of(BLACK), *game.board.chains_of(WHITE)):
            liberties = game.board.liberties_of(head).bit_count()
            mine = game.board.colours[head] == game.to_move
            if liberties != (1 if mine else 2):
                continue
            read = read_ladder(game.board, head, nodes=3_000)
            if read.result == "undecided" or read.plies < 4:
                continue
            finding = f"a chain {'to save' if mine else 'to catch'}, {read.result}"
            case = _ladder(game.torus, moves, head)
            if case is not None and found.wants(finding, len(moves)):
                found.add(finding, case)
    yield from found.cases()


def _ladder(torus: Torus, moves: Sequence[int], chain: int) -> Case | None:
    board = Board(torus)
    for move in moves:
        if board.refusal(move) is not None if move != PASS else False:
            return None
        board.make(move)
    if not board.colours[chain]:
        return None
    read = read_ladder(board, chain)
    return {**_base("ladder", torus, board.rules, moves), "chain": vertex_name(torus, chain), "result": read.result}


# Openings up to symmetry


def openings() -> Iterator[Case]:
    chance = random.Random(4)
    for size, count in product((5, 9, 13, 16), (2, 3, 4, 5)):
        torus = torus_of(size)
        ours = chance.sample(range(torus.points), count)
        image = Symmetry.from_index(size, chance.randrange(8 * torus.points))
        theirs = list(image.points(ours))
        yield _opening(torus, ours, theirs, "moved, turned or reflected")
        # One move goes to a neighbouring point: alike at a glance, and mostly another opening.
        changed = [*theirs[:-1], torus.neighbours[theirs[-1]][chance.randrange(4)]]
        if len(set(changed)) == count:
            yield _opening(torus, ours, changed, "one move beside")
        # White's stones and Black's change places.
        yield _opening(torus, ours, [*theirs[1:2], theirs[0], *theirs[2:]], "the first two moves exchanged")


def _opening(torus: Torus, ours: Sequence[int], theirs: Sequence[int], how: str) -> Case:
    same = canonical_moves(torus.size, ours).moves == canonical_moves(torus.size, theirs).moves
    case = _base("opening", torus, Rules(), ours)
    other = _base("opening", torus, Rules(), theirs)["moves"]
    name = f"{torus.size}×{torus.size}, {len(ours)} moves, {how}"
    return {"name": name, **case, "other": other, "same": same}


# The last eyes


def last_eyes() -> Iterator[Case]:
    """Yield ends where nothing but eyes is left and the count alone names the wrong winner, and others."""
    chance = random.Random(5)
    found = _Found(3)
    for attempt in range(6_000):
        torus = torus_of((4, 5, 6)[attempt % 3])
        board = Board(torus)
        moves: list[int] = []
        while len(moves) < 150 and moves[-2:] != [PASS, PASS]:
            legal = [point for point in torus.points_in(board.legal_mask()) if not _is_own_eye(board, point)]
            moves.append(chance.choice(legal) if legal else PASS)
            board.make(moves[-1])
        # The end begins where nobody has passed for want of another move.
        while moves and moves[-1] == PASS:
            moves.pop()
            board.undo()
        margin = final_margin(board, 0, passed=False)
        if margin is None:
            continue
        count = area(board, 0).margin
        for komi in sorted({float(count), float(count) - 1, float(count) + 1}):
            best = final_margin(board, komi, passed=False)
            assert best is not None
            turned = board.rules.winner(best) != board.rules.winner(count - komi)
            side = "Black" if board.to_move == BLACK else "White"
            finding = f"the count {'names the loser' if turned else 'is right'}, {side} to move"
            if found.wants(finding, len(moves)):
                case = {**_base("last eyes", torus, board.rules, moves), "komi": komi}
                found.add(finding, {**case, "winner": "b" if board.rules.winner(best) == BLACK else "w"})
    yield from found.cases()


def _is_own_eye(board: Board, point: int) -> bool:
    return not board.torus.around[point] & ~board.stones(board.to_move)


def make() -> str:
    cases = [*positions(), *scores(), *ladders(), *openings(), *last_eyes()]
    lines = ",\n".join(codec.encode(case).decode() for case in cases)
    return f'{{"format": "{FORMAT}", "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    cases_file().write_text(make(), encoding="utf-8", newline="\n")
