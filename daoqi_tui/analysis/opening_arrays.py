"""The games of an index as arrays: how they are stored, and how a position or a shape is found in them.

The key of a position, as :func:`symmetric_keys` makes it, is the same for all its images under symmetry.

A shape can only begin to stand where a point in it changes. So the changes are compared with each place of the shape at
once, by the stones around both; a table has the answer for all that can be around a point. What is left, mostly what
is found, is compared point by point.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.analysis.opening_records import Cell, GameRecord, Hit, Shape, Variant, colour_seen
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Colour, opponent
from daoqi_tui.message import Message
from daoqi_tui.reading.symmetry import MATRICES, BoardPosition, Symmetry

_END: Final = 65535
"""Stands for the end of a game, so a game has fewer positions."""
_PASSED: Final = 65535
_NOTHING: Final = 65534
_PLAYS: Final = np.dtype([("move_key", "<u4"), ("move", "<u2")])
"""The move after a position: its key (0 for none), and its point, ``_PASSED`` or ``_NOTHING``."""
_PASS_KEY: Final = 1
_RINGS: Final = ("near", "far", "knight")
_CHANGES: Final = np.dtype([("point", "<u2"), ("place", "<u2"), *((ring, "<u2") for ring in _RINGS)])
"""A change: point · 3 + the colour that it has then, the first position with it, and the colours of the points around
it there, as digits of base 3."""
_NEAR: Final = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0))
_FAR: Final = tuple((2 * down, 2 * right) for down, right in _NEAR)
_KNIGHT: Final = tuple((down, right) for down in (-2, -1, 1, 2) for right in (-2, -1, 1, 2) if abs(down * right) == 2)
_OFFSETS: Final = np.array((_NEAR, _FAR, _KNIGHT))
_POWERS: Final = 3 ** np.arange(len(_NEAR))


@lru_cache(maxsize=8)
def _moved(size: int) -> NDArray[np.int32]:
    """Return each point after each shift, as down · size + to the right: (size², size²)."""
    rows, columns = np.divmod(np.arange(size * size), size)
    down, right = rows[:, None], columns[:, None]
    return np.asarray((rows + down) % size * size + (columns + right) % size, np.int32)


def encoded(game: GameRecord) -> tuple[bytes, bytes, bytes]:
    """Return the keys of a game's positions, the moves from them, and the changes of its points, as they are stored.

    Raises:
        ValueError: it cannot be replayed, or is too long.
    """
    if len(game.moves) >= _NOTHING:
        raise ValueError(Message("a game of {moves} moves is too long for the index", moves=len(game.moves)))
    played = list(game.positions())
    points = game.size * game.size
    boards = np.frombuffer(b"".join(colours for colours, _mover, _move in played), np.uint8).reshape(-1, points)
    movers = np.array([mover for _colours, mover, _move in played], np.uint8)
    moves = np.array([_NOTHING if move is None else _PASSED if move == PASS else move for *_, move in played], "<u2")
    keys, move_keys = symmetric_keys(
        game.size, boards, movers, np.where(moves < points, moves.astype(int), -1).tolist()
    )
    move_keys[moves == _PASSED] = _PASS_KEY
    plays = np.empty(len(played), _PLAYS)
    plays["move_key"], plays["move"] = move_keys, moves
    point, place = np.nonzero(np.diff(boards, axis=0, prepend=np.zeros((1, points), np.uint8)).T)
    changes = np.empty(len(point), _CHANGES)
    changes["point"], changes["place"] = 3 * point + boards[place, point], place
    shifts = _OFFSETS % game.size @ (game.size, 1)
    around = boards[place, _moved(game.size)[shifts[..., None], point]]
    for ring, colours in zip(_RINGS, around, strict=True):
        changes[ring] = _POWERS @ colours
    return keys.astype("<u8").tobytes(), plays.tobytes(), changes.tobytes()


def symmetric_keys(
    size: int, boards: NDArray[np.uint8], movers: NDArray[np.uint8], moves: Sequence[int]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return keys of positions and of moves in them that are the same for all images, also with colours exchanged.

    A Zobrist sum is kept for each of the 8·N² symmetries, and a change of a point changes each by one addition. The key
    is the sum of all of them after mixing, so it depends on their set only. Seen from the side to move, a stone adds
    its number if it is the mover's and subtracts it otherwise. Keys of 64 bits are taken for exact: that any of five
    million positions has the key of another has a chance of 3 in 10¹³.

    Args:
        size: the side of the board.
        boards: the colours of all points, (positions, size²); fast if each differs little from the one before.
        movers: the side to move.
        moves: the point of the move in each position, negative for another key of 0.

    Returns:
        The keys of the positions, even if Black is to move and odd otherwise, and those of the moves, 2 or greater.
    """
    numbers, pointers = _numbers(size, "stones"), _numbers(size, "points")

    def images(table: NDArray[np.uint64], point: int) -> NDArray[np.uint64]:
        row, column = divmod(point, size)
        return table[:, row : row + size, column : column + size]

    signs = _SIGNS[boards]
    steps = np.diff(signs, axis=0, prepend=np.zeros((1, size * size), np.int8))
    places, points = np.nonzero(steps)
    changes = iter(zip(places.tolist(), points.tolist(), steps[places, points].tolist(), strict=True))
    change = next(changes, None)
    sums = np.zeros((8, size, size), np.uint64)
    products = np.empty_like(sums)
    keys, move_keys = np.empty(len(boards), np.uint64), np.zeros(len(boards), np.uint32)
    for first in range(0, len(boards), _BLOCK):
        chosen = slice(first, first + _BLOCK)
        is_white = movers[chosen] == WHITE
        block = np.empty((len(is_white), 8, size, size), np.uint64)
        for place in range(len(block)):
            while change is not None and change[0] == first + place:
                for _ in range(abs(change[2])):
                    (np.add if change[2] > 0 else np.subtract)(sums, images(numbers, change[1]), out=sums)
                change = next(changes, None)
            (np.negative if is_white[place] else np.positive)(sums, out=block[place])
        block ^= block >> np.uint64(32)
        block *= _MULTIPLIER
        block ^= block >> np.uint64(29)
        keys[chosen] = block.reshape(len(block), -1).sum(axis=1) & ~np.uint64(1) | is_white
        for place, mixed in enumerate(block, first):
            if moves[place] >= 0:
                np.multiply(mixed, images(pointers, moves[place]), out=products)
                move_keys[place] = max(2, int(np.add.reduce(products, axis=None)) >> 32)
    return keys, move_keys


_SIGNS: Final = np.array([0, 1, -1], np.int8)
"""What a point of each colour adds, for Black."""
_BLOCK: Final = 8
"""Positions that are mixed at a time, so that they stay in the cache of a core."""
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without structure: 2⁶⁴ divided by the golden ratio."""


@lru_cache(maxsize=8)
def _numbers(size: int, purpose: str) -> NDArray[np.uint64]:
    """Return a random number for each point after each rotation or reflection, twice over: (8, 2·size, 2·size)."""
    data = hashlib.shake_128(f"{purpose} {size}".encode()).digest(8 * size * size)
    numbers = np.frombuffer(data, "<u8").astype(np.uint64)
    table = [Symmetry(size, way >= 4, way % 4).points(range(size * size)) for way in range(len(MATRICES))]
    return np.tile(numbers[table].reshape(8, size, size), (1, 2, 2))


@dataclass(frozen=True)
class Contents:
    """The games of a size, one after the other.

    Attributes:
        size: the side of their boards.
        sources, winners, firsts: of each game, as in its record.
        starts: of each game's positions in the next arrays, with one more entry for the end.
        keys, move_keys, moves: of each position, and of the move after it.
        change_counts: of each game.
        changes: of all games.
    """

    size: int
    sources: list[str]
    winners: list[Colour]
    firsts: list[int]
    starts: NDArray[np.intp]
    keys: NDArray[np.uint64]
    move_keys: NDArray[np.uint32]
    moves: NDArray[np.uint16]
    change_counts: list[int]
    changes: NDArray[np.void]

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]], size: int) -> Self:
        keys = np.frombuffer(b"".join(row[6] for row in rows), "<u8")
        plays = np.frombuffer(b"".join(row[7] for row in rows), _PLAYS)
        changes = np.frombuffer(b"".join(row[8] for row in rows), _CHANGES)
        starts = np.cumsum([0, *(len(row[6]) // keys.itemsize for row in rows)])
        sources, winners, firsts = ([row[field] for row in rows] for field in (0, 4, 5))
        counts = [len(row[8]) // changes.itemsize for row in rows]
        move_keys, moves = (np.ascontiguousarray(plays[name]) for name in ("move_key", "move"))
        return cls(size, sources, winners, firsts, starts, keys, move_keys, moves, counts, changes)

    @cached_property
    def stones(self) -> _Stones:
        return _Stones.of(self)

    @cached_property
    def made(self) -> NDArray[np.int32]:
        """The number of moves before each position, counted through all games."""
        is_move = self.moves != _NOTHING
        return np.asarray(np.cumsum(is_move, dtype=np.int32) - is_move, np.int32)

    def hit(self, game: int, place: int, points: tuple[int, ...], colour: Colour, *, is_exchanged: bool) -> Hit:
        """Return the hit at a place among all positions."""
        winner = self.winners[game]
        start = int(self.starts[game])
        depth = self.firsts[game] + place - start
        number = int(self.made[place] - self.made[start])
        return Hit(self.sources[game], depth, number, points, colour, colour_seen(winner, is_exchanged=is_exchanged))


class _Stones(NamedTuple):
    """The stones of all games of a size; a cell is a point of a game, as game · size² + point.

    Attributes:
        cells, places, colours: of each change, in order of cell and place.
        rings: what was around each.
        starts: of the changes of each cell, with one more entry for the end.
        first: the place of the first change of each cell, ``_END`` if there is none.
        since: that of the first with Black, and with White: (2, cells).
    """

    cells: NDArray[np.int32]
    places: NDArray[np.uint16]
    colours: NDArray[np.uint8]
    rings: tuple[NDArray[np.uint16], ...]
    starts: NDArray[np.int32]
    first: NDArray[np.uint16]
    since: NDArray[np.uint16]

    @classmethod
    def of(cls, games: Contents) -> Self:
        count = games.size**2
        points, colours = np.divmod(games.changes["point"], np.uint16(3))
        cells = np.repeat(np.arange(0, len(games.sources) * count, count, dtype=np.int32), games.change_counts)
        cells += points
        places, *rings = (np.ascontiguousarray(games.changes[name]) for name in ("place", *_RINGS))
        starts = np.zeros(len(games.sources) * count + 1, np.int32)
        np.cumsum(np.bincount(cells, minlength=len(starts) - 1), out=starts[1:])
        first = np.full(len(starts) - 1, _END, np.uint16)
        first[cells[::-1]] = places[::-1]  # The last assignment stands.
        since = np.full((2, len(first)), _END, np.uint16)
        for colour in (BLACK, WHITE):
            those = np.flatnonzero(colours == colour)[::-1]
            since[colour - 1, cells[those]] = places[those]
        return cls(cells, places, colours.astype(np.uint8), tuple(rings), starts, first, since)

    def at(self, cells: NDArray[np.int32], places: NDArray[np.uint16]) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
        """Return the colours of some cells, each in a position of its game, and when it changes next."""
        colours, ends = np.zeros(len(cells), np.uint8), self.first.take(cells)
        changed = np.flatnonzero(ends <= places)
        cells, places = cells[changed], places[changed]
        # The change after that in question.
        after, stop = self.starts[cells] + 1, self.starts[cells + 1]
        left = np.flatnonzero(after < stop)
        while len(left):
            left = left[self.places[after[left]] <= places[left]]
            after[left] += 1
            left = left[after[left] < stop[left]]
        colours[changed] = self.colours[after - 1]
        ends[changed] = np.where(after < stop, self.places[np.minimum(after, len(self.places) - 1)], _END)
        return colours, ends


def find(games: Contents, position: BoardPosition) -> list[Hit]:
    """Return the games that reached a position, side to move included."""
    count = position.size**2
    colours = [1 * (position.black >> point & 1) or 2 * (position.white >> point & 1) for point in range(count)]
    keys, move_keys = symmetric_keys(
        position.size,
        np.tile(np.array(colours, np.uint8), (count, 1)),
        np.full(count, position.to_move, np.uint8),
        range(count),
    )
    places = np.flatnonzero(games.keys | np.uint64(1) == keys[0] | np.uint64(1))
    owners, earliest = np.unique(np.searchsorted(games.starts, places, "right") - 1, return_index=True)
    points: dict[int, list[int]] = {_PASS_KEY: [PASS]}
    for point, key in enumerate(move_keys.tolist()):
        # A record may play on a stone.
        points.setdefault(key, []).append(point)
    hits = []
    for owner, place in zip(owners.tolist(), places[earliest].tolist(), strict=True):
        is_exchanged = int(games.keys[place]) & 1 != (position.to_move == WHITE)
        next_points = tuple(points.get(int(games.move_keys[place]), ()))
        hits.append(games.hit(owner, place, next_points, position.to_move, is_exchanged=is_exchanged))
    return sorted(hits)


# Shapes


class _Anchor(NamedTuple):
    """A point of an image of a shape.

    Attributes:
        number: of the image.
        row, column: in it.
        allowed: which colours each of the points around it may have: (rings, 8, 3).
        others: up to ``_OTHERS`` other stones: how far down and to the right, and the colour.
    """

    number: int
    row: int
    column: int
    allowed: NDArray[np.bool_]
    others: tuple[Cell, ...]


_OTHERS: Final = 3
_ALLOWED: Final = np.array([*np.eye(3, dtype=np.bool_), (True, True, True)])
"""Which colours are allowed where one is wanted, and last where none is."""


def _anchors(variants: Sequence[Variant], size: int) -> dict[Colour, list[_Anchor]]:
    """Return the points of all images, by colour."""
    found: dict[Colour, list[_Anchor]] = {}
    seen = {(0, 0), *map(tuple, (_OFFSETS % size).reshape(-1, 2).tolist())}
    for number, variant in enumerate(variants):
        rows, columns, colours = np.array(variant.cells).T
        board = np.full((size, size), -1)
        board[rows, columns] = colours
        around = (np.stack((rows, columns), axis=1)[:, None, None] + _OFFSETS) % size
        for cell, allowed in zip(variant.cells, _ALLOWED[board[around[..., 0], around[..., 1]]], strict=True):
            stones = (
                Cell((stone.row - cell.row) % size, (stone.column - cell.column) % size, stone.colour)
                for stone in variant.stones
            )
            others = tuple(islice((stone for stone in stones if stone[:2] not in seen), _OTHERS))
            found.setdefault(cell.colour, []).append(_Anchor(number, cell.row, cell.column, allowed, others))
    return found


_BITS: Final = 64
"""Anchors that are compared at a time: each is a bit."""


class _Block(NamedTuple):
    """Some anchors, and for each ring which of them allow what is there around a change, as bits."""

    anchors: Sequence[_Anchor]
    rings: tuple[NDArray[np.uint64], ...]

    @classmethod
    def of(cls, anchors: Sequence[_Anchor]) -> Self:
        bits = np.uint64(1) << np.arange(len(anchors), dtype=np.uint64)
        allowed = np.array([anchor.allowed for anchor in anchors]) * bits[:, None, None, None]
        tables = []
        for digits in allowed.sum(axis=0, dtype=np.uint64):
            table = digits[-1]
            # The last digit counts most.
            for fits in digits[-2::-1]:
                table = (table[:, None] & fits).ravel()
            tables.append(table)
        return cls(anchors, tuple(tables))

    @classmethod
    def all_of(cls, anchors: Sequence[_Anchor]) -> list[Self]:
        """Return the blocks of many anchors: if there are several, first one in which a bit stands for several."""
        blocks = [cls.of(anchors[first : first + _BITS]) for first in range(0, len(anchors), _BITS)]
        if len(blocks) > 1:
            tables = zip(*(block.rings for block in blocks), strict=True)
            blocks.insert(0, cls((), tuple(np.bitwise_or.reduce(some) for some in tables)))
        return blocks

    def matching(self, stones: _Stones, changes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
        """Return the changes that match any anchor, and which, as bits."""
        bits = np.full(len(changes), 2**64 - 1, np.uint64)
        for table, around in zip(self.rings, stones.rings, strict=True):
            bits &= table.take(around.take(changes))
            kept = np.flatnonzero(bits != 0)  # Several times as fast as of the numbers themselves.
            changes, bits = changes[kept], bits[kept]
        return changes, bits


class _Standing(NamedTuple):
    """Where images of a shape stand: game, image, its corner, the first position, and the first after it."""

    games: NDArray[np.int32]
    numbers: NDArray[np.int32]
    corners: NDArray[np.int32]
    places: NDArray[np.uint16]
    ends: NDArray[np.uint16]

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> _Standing:
        arrays: tuple[NDArray[Any], ...] = self
        return _Standing(*(array[which] for array in arrays))


class _ShapeSearch:
    """A search for the images of a shape."""

    def __init__(self, games: Contents, shape: Shape) -> None:
        self.variants: Final = shape.variants()
        self._size: Final = games.size
        self._stones: Final = games.stones
        anchors = _anchors(self.variants, games.size)
        self._blocks: Final = {colour: _Block.all_of(some) for colour, some in anchors.items()}
        # All images have as many points, stones first.
        self._cells: Final = np.array([variant.cells for variant in self.variants])

    def standing_after(self, changes: NDArray[np.intp]) -> _Standing:
        """Return where an image stands after one of some changes."""
        colours = self._stones.colours[changes]
        parts = [
            part
            for colour, blocks in self._blocks.items()
            for part in self._candidates(changes[colours == colour], blocks)
        ]
        none = np.empty(0, np.int32)
        games, numbers, corners, places = (
            np.concatenate(arrays) for arrays in zip((none, none, none, none.astype(np.uint16)), *parts, strict=True)
        )
        return self._compared(_Standing(games, numbers, corners, places, np.full(len(places), _END, np.uint16)))

    def _candidates(self, changes: NDArray[np.intp], blocks: Sequence[_Block]) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield where an image may stand, as game, number, corner and first position."""
        size, stones, moved = self._size, self._stones, _moved(self._size)
        for block in blocks:
            chosen, bits = block.matching(stones, changes)
            if not block.anchors:
                changes = chosen
            for place, anchor in enumerate(block.anchors):
                matching = chosen[np.flatnonzero(bits & np.uint64(1 << place) != 0)]
                cells = stones.cells.take(matching)
                games = cells // (size * size)
                for down, right, colour in anchor.others:
                    if not len(cells):
                        break
                    begins = games * (size * size)
                    others = begins + moved[down * size + right][cells - begins]
                    kept = np.flatnonzero(stones.since[colour - 1].take(others) <= stones.places.take(matching))
                    matching, cells, games = matching[kept], cells[kept], games[kept]
                if len(cells):
                    corners = moved[-anchor.row % size * size + -anchor.column % size][cells - games * (size * size)]
                    yield games, np.full(len(games), anchor.number, np.int32), corners, stones.places[matching]

    def _compared(self, found: _Standing) -> _Standing:
        """Return those places where all the points of an image have their colours."""
        size, moved = self._size, _moved(self._size)
        for rows, columns, colours in self._cells.transpose(1, 2, 0):
            shifts = (rows * size + columns).astype(np.int32)[found.numbers]
            cells = found.games * np.int32(size * size) + moved[shifts, found.corners]
            there, ends = self._stones.at(cells, found.places)
            np.minimum(found.ends, ends, out=found.ends)
            kept = there == colours[found.numbers]
            if not kept.all():
                found = found.chosen(kept)
        return found


def find_shape(games: Contents, shape: Shape) -> Iterator[Hit]:
    """Yield where the shape stands first in each game."""
    search, places = _ShapeSearch(games, shape), games.stones.places
    begin, is_open = 0, np.ones(len(games.sources), np.bool_)
    most = places.max(initial=0)
    while begin <= most and is_open.any():
        # Positions not far apart at first, since a shape of few stones stands early in most games.
        end = max(2, 2 * begin)
        chosen = (places >= begin) & (places < end) & np.repeat(is_open, games.change_counts)
        found = search.standing_after(np.flatnonzero(chosen))
        begin = end
        found = found.chosen(np.lexsort((found.ends, found.places, found.games)))
        owners, firsts, sizes = np.unique(found.games, return_index=True, return_counts=True)
        is_open[owners] = False
        first = np.repeat(firsts, sizes)
        is_best = (found.places == found.places[first]) & (found.ends == found.ends[first])
        yield from _described(games, search.variants, found.chosen(is_best))


def _described(games: Contents, variants: Sequence[Variant], found: _Standing) -> Iterator[Hit]:
    """Yield the hit of each game where images stand, with the move in the shape that ended it."""
    size = games.size
    begins = games.starts[found.games]
    is_ended = found.ends != _END
    last = np.where(is_ended, begins + found.ends - 1, 0)
    moves = games.moves[last].astype(np.intp)
    rows, columns = (moves // size - found.corners // size) % size, (moves - found.corners) % size
    cells = np.where(is_ended & (moves < size * size), rows * size + columns, -1)
    movers = np.where(games.keys[last] & np.uint64(1) != 0, WHITE, BLACK)
    winners = np.array(games.winners)[found.games]
    kinds = np.stack((found.numbers, cells, movers, winners))
    codes = np.ravel_multi_index((found.numbers, cells + 1, movers, winners), (len(variants), size * size + 1, 3, 3))
    _codes, examples, which = np.unique(codes, return_index=True, return_inverse=True)
    described = []
    for number, cell, mover, winner in kinds[:, examples].T.tolist():
        points, colour, is_exchanged = _next_move(variants, size, number, cell, mover)
        described.append((points, colour, colour_seen(winner, is_exchanged=is_exchanged), is_exchanged))
    ranked = sorted(set(described))
    ranks = np.array([ranked.index(entry) for entry in described], np.intp)
    owners, firsts = np.unique(found.games, return_index=True)
    best = np.minimum.reduceat(ranks[which], firsts) if len(firsts) else ranks
    places = (begins + found.places)[firsts]
    for game, place, rank in zip(owners.tolist(), places.tolist(), best.tolist(), strict=True):
        points, colour, _winner, is_exchanged = ranked[rank]
        yield games.hit(game, place, points, colour, is_exchanged=is_exchanged)


def _next_move(
    variants: Sequence[Variant], size: int, number: int, cell: int, mover: Colour
) -> tuple[tuple[int, ...], Colour, bool]:
    """Return a move in an image as points of the shape, its colour there, and whether colours are exchanged.

    A ``cell`` that is not in the image, counted row by row on a board, is no such move.
    """
    place = divmod(cell, size)
    ways = variants[number].ways
    played = sorted(
        (opponent(mover) if is_exchanged else mover, back[place], is_exchanged)
        for back, is_exchanged in ways
        if place in back
    )
    if not played:
        return (), EMPTY, min(is_exchanged for _back, is_exchanged in ways)
    colour, _point, is_exchanged = played[0]
    return tuple(sorted({point for other, point, _exchanged in played if other == colour})), colour, is_exchanged
