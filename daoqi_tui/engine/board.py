"""The rules of play: a board with push and pop.

Play and undo cost microseconds, so that the same object serves a game, a ladder reader and a search:

* chains are kept as they grow and die (:mod:`~daoqi_tui.engine.chains`);
* the state, stones and side to move, is one exact integer, so a repetition is found by a dictionary look-up
  that no collision can fool;
* every move leaves a record from which it is taken back.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar, Final

from daoqi_tui.engine.chains import Chains
from daoqi_tui.engine.colour import BLACK, EMPTY, WHITE, Colour
from daoqi_tui.engine.refusal import IllegalMove, Occupied, Refusal, Repeats
from daoqi_tui.engine.torus import Torus

PASS: Final = -1
"""Stands for a pass wherever a move is an integer."""
_SETUP: Final = -2


@lru_cache(maxsize=64)
def _toggles(points: int) -> tuple[tuple[int, ...], ...]:
    """For each colour and point what a play there flips in the key: its stone and the side to move."""
    turn = 1 << (2 * points)
    black = tuple(1 << point | turn for point in range(points))
    white = tuple(1 << (point + points) | turn for point in range(points))
    return (), black, white


class Board(Chains):
    """Stones on a torus, the side to move, and every state faced since the start.

    Points given to its methods are trusted to lie on the board (:class:`~daoqi_tui.engine.game.Game` checks).

    Attributes:
        torus, colours, empty: as in :class:`~daoqi_tui.engine.chains.Chains`.
        key: the exact state: black stones | white stones << points | (White to move) << 2·points.
        to_move: the colour to move.
        captured: ``captured[colour]`` stones the colour has taken from the opponent.
        suicided: ``suicided[colour]`` stones the colour has lost by its own suicide.
        passes: ``passes[colour]`` points the colour has paid for passes, by the rules one for each.
        move_number: plays and passes made so far.
        faced: for each faced state the number of the move that first led to it.
    """

    pass_cost: ClassVar[int] = 1
    """Points a pass costs; searches ask, since they are measured against programs of other rules too."""

    def __init__(self, torus: Torus) -> None:
        super().__init__(torus)
        self.captured = [0, 0, 0]
        self.suicided = [0, 0, 0]
        self.passes = [0, 0, 0]
        self.move_number = 0
        self._toggles = _toggles(torus.points)
        self._turn = 1 << (2 * torus.points)
        self._records: list[tuple[Any, ...]] = []
        self.key: int
        self.to_move: Colour
        self.faced: dict[int, int]
        self._begin(BLACK)

    def stones(self, colour: Colour) -> int:
        """The mask of one colour's stones."""
        return self.key >> (self.torus.points * (colour == WHITE)) & self.torus.full

    def chains_of(self, colour: Colour) -> Iterator[int]:
        """A point of each chain of ``colour``: its head, which stays until a play changes the chain."""
        heads = self._heads
        return (point for point in self.torus.points_in(self.stones(colour)) if heads[point] == point)

    # Legality

    def refusal(self, point: int) -> Refusal | None:
        """Why a play at ``point`` by the side to move is illegal, or None when it is legal."""
        if self.colours[point]:
            return Occupied(point)
        key = self._examine(point)[0]
        return self._repeats(point, key) if key in self.faced else None

    def legal_mask(self) -> int:
        """The mask of all points where the side to move may play.

        A play that repeats a state puts a stone where the same colour stood then: unless it is suicide, the
        point has lost such a stone since the start. So only those points and the ones without an empty
        neighbour are doubtful, and where no chain beside them is in atari, one look-up settles the doubt.
        """
        legal = empty = self.empty
        to_move, faced, key = self.to_move, self.faced, self.key
        doubtful = self._doubtful()
        if not doubtful:
            return legal
        bits, around, toggles = self._bits, self._around, self._toggles[to_move]
        support = empty | self.stones(to_move)
        # Liberties of chains that are gone may linger here; they cost a closer look and mislead nobody.
        liberties = set(self._liberties)
        for point in self.torus.points_in(doubtful):
            bit = bits[point]
            if bit in liberties:
                result = self._examine(point)[0]
            elif around[point] & support:
                result = key ^ toggles[point]
            else:
                result = key ^ self._turn
            if result in faced:
                legal ^= bit
        return legal

    def _doubtful(self) -> int:
        """The mask of the empty points where a play might repeat a state; everywhere else it cannot."""
        last = self._records[-1][0] if self._records else PASS
        if last >= 0 and self.colours[last] and not self._vacated[3 - self.to_move] & self._bits[last]:
            # The opponent's last stone stands where none of that colour stood in any earlier state, so what
            # leaves it there is new: only its capture can repeat.
            liberties = self._liberties[self._heads[last]]
            return 0 if liberties & (liberties - 1) else liberties
        empty = self.empty
        return empty & (self._vacated[self.to_move] | ~self.torus.dilate(empty))

    def _repeats(self, point: int, key: int) -> Repeats:
        return Repeats(point, self.faced[key], WHITE if key & self._turn else BLACK)

    def _examine(self, point: int) -> tuple[int, int, list[int], list[int], list[int]]:
        """What a play at an empty ``point`` would meet, changing nothing.

        Returns:
            The key it would lead to, the mask of the new stone's own liberties, and the chains it touches:
            the player's own, the opponent's (with repeats), and those of the opponent it captures.
        """
        liberties, to_move = self._liberties, self.to_move
        around = self._around[point]
        own = around & self.empty
        key = self.key ^ self._toggles[to_move][point]
        friends: list[int] = []
        enemies: list[int] = []
        captured: list[int] = []
        if own == around:
            return key, own, friends, enemies, captured
        colours, heads, bit = self.colours, self._heads, self._bits[point]
        for nearby in self._neighbours[point]:
            colour = colours[nearby]
            if colour == to_move:
                head = heads[nearby]
                if head not in friends:
                    friends.append(head)
            elif colour:
                head = heads[nearby]
                enemies.append(head)
                if liberties[head] == bit and head not in captured:
                    captured.append(head)
        if captured:
            for head in captured:
                key ^= self._chain_key(head)
        elif not own:
            for head in friends:
                if liberties[head] != bit:
                    break
            else:
                key ^= self._toggles[to_move][point] ^ self._turn
                for head in friends:
                    key ^= self._chain_key(head)
        return key, own, friends, enemies, captured

    def _chain_key(self, head: int) -> int:
        """What taking a chain off flips in the key."""
        stones = self._stones[head]
        toggles = self._toggles[self.colours[head]]
        key = self._turn if len(stones) & 1 else 0
        for stone in stones:
            key ^= toggles[stone]
        return key

    # Moves

    def play(self, point: int) -> None:
        """Put a stone of the side to move on ``point``, capture, and remove a suicide.

        Raises:
            IllegalMove: the point is occupied, or the state that results has been faced. Nothing changes.
        """
        colours = self.colours
        if colours[point]:
            raise IllegalMove(Occupied(point))
        key, own, friends, enemies, captured = self._examine(point)
        number = self.move_number + 1
        if self.faced.setdefault(key, number) != number:
            raise IllegalMove(self._repeats(point, key))
        liberties, heads, to_move, bit = self._liberties, self._heads, self.to_move, self._bits[point]
        colours[point] = to_move
        self.empty ^= bit
        others = ~bit
        for head in enemies:
            liberties[head] &= others
        merged: tuple[tuple[int, list[int], int], ...] | None = None
        before = 0
        if not friends:
            head = point
            self._stones[point] = [point]
            liberties[point] = own
        else:
            head = friends[0]
            if len(friends) > 1:
                head, merged = self._merge(friends)
            before = liberties[head]
            if merged:
                for _, _, more in merged:
                    own |= more
            liberties[head] = (before | own) & others
            self._stones[head].append(point)
        heads[point] = head
        removed: list[tuple[int, list[int]]] | None = None
        if captured:
            removed = [(enemy, self._remove(enemy, to_move)) for enemy in captured]
            self.captured[to_move] += sum([len(stones) for _, stones in removed])
        elif not liberties[head]:
            removed = [(head, self._remove(head, 3 - to_move))]
            self.suicided[to_move] += len(removed[0][1])
        self._records.append((point, self.key, head, before, enemies, merged, removed))
        self.key = key
        self.to_move = 3 - to_move
        self.move_number = number

    def pass_turn(self) -> None:
        """Let the side to move pass; always legal."""
        key = self.key
        self.passes[self.to_move] += self.pass_cost
        self.key = new = key ^ self._turn
        self.to_move = 3 - self.to_move
        self.move_number = number = self.move_number + 1
        fresh = self.faced.setdefault(new, number) == number
        self._records.append((PASS, key, fresh))

    def make(self, move: int) -> None:
        """Play at the point ``move``, or pass where it is :data:`PASS`.

        Raises:
            IllegalMove: as :meth:`play` does. Nothing changes.
        """
        if move == PASS:
            self.pass_turn()
        else:
            self.play(move)

    def undo(self) -> None:
        """Take back the last play, pass or setup.

        Raises:
            IndexError: nothing is left to take back.
        """
        record = self._records.pop()
        point = record[0]
        if point < 0:
            self._undo_other(record)
            return
        point, key, head, before, enemies, merged, removed = record
        liberties = self._liberties
        del self.faced[self.key]
        self.key = key
        enemy = self.to_move
        self.to_move = to_move = 3 - enemy
        self.move_number -= 1
        if removed:
            if removed[0][0] == head:
                self.suicided[to_move] -= self._restore(head, removed[0][1], to_move)
            else:
                for taken, stones in removed:
                    self.captured[to_move] -= self._restore(taken, stones, enemy)
        bit = self._bits[point]
        self.colours[point] = EMPTY
        self.empty |= bit
        for enemy in enemies:
            liberties[enemy] |= bit
        if head != point:
            stones = self._stones[head]
            stones.pop()
            liberties[head] = before
            if merged:
                self._unmerge(stones, merged)

    # Setup

    def setup(self, colours: list[Colour], to_move: Colour) -> None:
        """Lay out a whole position, which becomes a starting state: what was faced before is forgotten.

        Can be undone like a move. Prisoners, passes and the move number stay.

        Raises:
            ValueError: a chain would have no liberty. Nothing changes.
        """
        before = self.__dict__.copy()
        if colours == self.colours:
            # Records made for flat boards are full of setups that change nothing, and then nothing starts anew;
            # records with two moves in a row by one player, of setups that change only whose turn it is.
            if to_move != self.to_move:
                self.key ^= self._turn
                self.to_move = to_move
                self._vacated = [0, 0, 0]
                self.faced = {self.key: self.move_number}
            self._records.append((_SETUP, before))
            return
        try:
            self._lay_out(colours.copy())
        except ValueError:
            self.__dict__.update(before)
            raise
        self._begin(to_move)
        self._records.append((_SETUP, before))

    def _begin(self, to_move: Colour) -> None:
        """Take the stones laid out for a starting state."""
        torus = self.torus
        black = torus.mask(point for point, colour in enumerate(self.colours) if colour == BLACK)
        white = torus.full ^ self.empty ^ black
        self.key = black | white << torus.points | (self._turn if to_move == WHITE else 0)
        self.to_move = to_move
        self.faced = {self.key: self.move_number}

    def _undo_other(self, record: tuple[Any, ...]) -> None:
        """Take back a pass or a setup."""
        if record[0] == _SETUP:
            self.__dict__.update(record[1])
            return
        _, key, fresh = record
        if fresh:
            del self.faced[self.key]
        self.key = key
        self.to_move = 3 - self.to_move
        self.passes[self.to_move] -= self.pass_cost
        self.move_number -= 1
