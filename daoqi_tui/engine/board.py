"""The board: stones, chains and liberties, legality under the rules, play and undo.

Play and undo cost microseconds, so that the same object serves a game, a ladder reader and a search:

* every chain is a flat list of its stones, merged small into large, and one mask of all points beside its stones,
  of which the empty ones are its liberties: what others play or capture leaves it as it is;
* the state, stones and side to move, is one exact integer, so a repetition is found by a dictionary look-up
  in which nothing can collide;
* every move leaves a record from which :meth:`Board.undo` takes it back.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from daoqi_tui.engine.rules import (
    BLACK,
    DAOQI,
    EMPTY,
    POSITIONAL,
    SIMPLE,
    WHITE,
    Colour,
    IllegalMove,
    NoLiberties,
    Occupied,
    Refusal,
    Repeats,
    Rules,
    Suicide,
    name_of,
)
from daoqi_tui.engine.torus import Torus
from daoqi_tui.message import Message

PASS: Final = -1
"""Stands for a pass wherever a move is an integer."""
_SETUP: Final = -2
_REPETITION: Final = -3
_ON_A_STONE: Final = -4


@lru_cache(maxsize=64)
def _toggles(points: int, turn: int) -> tuple[tuple[int, ...], ...]:
    """Return for each colour and point the bits of the key that a play there flips: its stone, and ``turn``."""
    black = tuple([1 << point | turn for point in range(points)])
    white = tuple([1 << (point + points) | turn for point in range(points)])
    return (), black, white


_Site: TypeAlias = tuple[int, int, tuple[int, ...]]
"""What a play at a point needs, found in one look-up: the bit of the point, its toggle and its neighbours."""


@lru_cache(maxsize=64)
def _sites(torus: Torus, turn: int) -> tuple[tuple[_Site, ...], ...]:
    """Return the site of each point, for each colour that can play there."""
    _, black, white = _toggles(torus.points, turn)
    sites = (tuple(zip(torus.bits, toggles, torus.neighbours, strict=True)) for toggles in (black, white))
    return (), *sites


class Chain(NamedTuple):
    """A chain: its colour, its stones and its liberties, both as ascending points."""

    colour: Colour
    stones: tuple[int, ...]
    liberties: tuple[int, ...]


_Part: TypeAlias = tuple[int, list[int], int]
"""The head, the stones and the border of a chain that was captured, joined to another or replaced by a setup."""


_History: TypeAlias = tuple[dict[int, int], list[int]]
"""``faced`` and the vacated points of a board."""


class _Relaid(NamedTuple):
    """The colours and chains before a setup, from which it is undone."""

    changed: int
    """The mask of the points that changed."""
    colours: bytes
    """What they were, in ascending order."""
    empty: int
    stifled: int
    chains: list[_Part]
    """Each chain that was on or beside them."""
    cost: int
    """How many points were visited."""


class Board:
    """Stones on a torus, the side to move, and the history of states for superko.

    Points given to its methods are trusted to lie on the board (:class:`~daoqi_tui.engine.game.Game` checks).

    Args:
        torus: the points and their neighbours.
        rules: what is legal and what a pass costs.

    Attributes:
        torus, rules: as given.
        colours: the colour of each point.
        empty: the mask of the empty points.
        key: the exact state that superko compares: black stones | white stones << points, and, unless superko is
            positional, (White to move) << 2·points.
        to_move: the colour to move.
        captured: ``captured[colour]`` stones the colour has taken from the opponent.
        suicided: ``suicided[colour]`` stones the colour has lost by its own suicide.
        passes: ``passes[colour]`` points the colour has paid for passes, ``rules.pass_cost`` for each.
        move_number: plays and passes made so far.
        stifled: the mask of stones, one of each chain, that recorded setups left without liberties; plays may since
            have given them some, as :meth:`no_liberties` knows.
        faced: for each key since the start, or the last setup, the number of the move that first led to it.
    """

    # _heads: for each stone the head of its chain, one of its points. _stones and _borders hold at the head the stones
    # of the chain and the mask of the points beside them; their entries at other points are left over and unused.
    # _vacated: for each colour the points that lost its stones since the last setup.
    # _turn: what a change of the side to move flips in the key.

    def __init__(self, torus: Torus, rules: Rules = DAOQI) -> None:
        points = torus.points
        self.torus: Final = torus
        self.rules = rules
        self._neighbours = torus.neighbours
        self._around = torus.around
        self._bits = torus.bits
        self._turn = 0 if rules.superko == POSITIONAL else 1 << (2 * points)
        self._toggles = _toggles(points, self._turn)
        self._sites = _sites(torus, self._turn)
        self.colours: list[Colour] = [EMPTY] * points
        self.empty = torus.full
        self._heads = list(range(points))
        self._borders = [0] * points
        self._stones: list[list[int]] = [[]] * points
        self._vacated = [0, 0, 0]
        self.stifled = 0
        self.captured = [0, 0, 0]
        self.suicided = [0, 0, 0]
        self.passes = [0, 0, 0]
        self.move_number = 0
        self._records: list[tuple[Any, ...]] = []
        self.key = 0
        self.to_move: Colour = BLACK
        self.faced = {0: 0}

    def __repr__(self) -> str:
        rules = "" if self.rules == DAOQI else f", rules {self.rules}"
        stones = [f"{name} {self.stones(colour).bit_count()}" for name, colour in (("black", BLACK), ("white", WHITE))]
        to_move = name_of(self.to_move)
        return f"<Board {self.torus.rows}×{self.torus.columns}{rules}: {', '.join(stones)}, {to_move} to move>"

    def __str__(self) -> str:
        """Draw the board: one line a row, ``X`` black, ``O`` white, ``.`` empty."""
        signs, width = ".XO", self.torus.columns
        text = "".join(signs[colour] for colour in self.colours)
        return "\n".join(text[start : start + width] for start in range(0, len(text), width))

    def stones(self, colour: Colour) -> int:
        """Return the mask of the stones of ``colour``."""
        return self.key >> (self.torus.points * (colour == WHITE)) & self.torus.full

    def chains_of(self, colour: Colour) -> Iterator[int]:
        """Yield the head of each chain of ``colour``: one of its points, which stays until a play changes the chain."""
        heads = self._heads
        return (point for point in self.torus.points_in(self.stones(colour)) if heads[point] == point)

    def head_of(self, point: int) -> int:
        """Return the head of the chain on ``point``, which holds a stone."""
        return self._heads[point]

    def stones_of(self, point: int) -> list[int]:
        """Return the stones of the chain on ``point``, which holds a stone; the caller must not change it."""
        return self._stones[self._heads[point]]

    def liberties_of(self, point: int) -> int:
        """Return the mask of the liberties of the chain on ``point``, which holds a stone."""
        return self._borders[self._heads[point]] & self.empty

    def chain_at(self, point: int) -> Chain | None:
        """Return the chain on ``point`` with its liberties, None where no stone stands."""
        if not self.colours[point]:
            return None
        head = self._heads[point]
        liberties = self.torus.points_in(self._borders[head] & self.empty)
        return Chain(self.colours[point], tuple(sorted(self._stones[head])), liberties)

    def no_liberties(self) -> NoLiberties | None:
        """Return a chain without liberties, which only a recorded setup leaves; None if every chain has one."""
        for point in self.torus.points_in(self.stifled & ~self.empty):
            if not self.liberties_of(point):
                return NoLiberties(point)
        return None

    def vacated(self, colour: Colour) -> int:
        """Return the mask of the points that have lost a stone of ``colour``; other empty points never had one."""
        return self._vacated[colour]

    def newest(self) -> int:
        """Return the point of the last stone, if it is certain that no earlier state has it; else :data:`PASS`.

        It is certain where a play came last and its colour never lost a stone there.
        """
        last = self._records[-1][0] if self._records else PASS
        if last >= 0 and (colour := self.colours[last]) and not self._vacated[colour] & self._bits[last]:
            return int(last)
        return PASS

    def key_before(self, moves: int) -> int:
        """Return the :attr:`key` before the last ``moves`` plays and passes, after which nothing was set up."""
        record = self._records[-moves]
        return record[2][1] if record[0] == _REPETITION else record[1]  # type: ignore[no-any-return]

    # Legality

    def refusal(self, point: int) -> Refusal | None:
        """Return why a play at ``point`` by the side to move is illegal, None when it is legal."""
        if self.colours[point]:
            return Occupied(point)
        key, _, _, suicide = self._examine(point)
        if suicide and not self.rules.suicide:
            return Suicide(point)
        return self._repeats(point, key) if key in self.faced and self._is_banned(key) else None

    def legal_mask(self) -> int:
        """Return the mask of all points where the side to move may play.

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
        colours, borders, heads, neighbours = self.colours, self._borders, self._heads, self._neighbours
        for point in self.torus.points_in(doubtful):
            bit = bits[point]
            for nearby in neighbours[point]:
                if colours[nearby] and borders[heads[nearby]] & empty == bit:
                    # A chain beside the point is in atari.
                    if self.refusal(point) is not None:
                        legal ^= bit
                    break
            else:
                if around[point] & support:
                    result = key ^ toggles[point]
                elif not self.rules.suicide:
                    legal ^= bit
                    continue
                else:
                    result = key ^ self._turn
                if result in faced and self._is_banned(result):
                    legal ^= bit
        return legal

    def _doubtful(self) -> int:
        """Return the mask of the empty points where a play might be illegal; it is legal on all others."""
        last = self._records[-1][0] if self._records else PASS
        # The board as it stands can be repeated by suicide when superko is positional, and suicide may be illegal.
        plain = self._turn and self.rules.suicide
        if plain and last >= 0 and self.colours[last] and not self._vacated[3 - self.to_move] & self._bits[last]:
            # The opponent's last stone stands where none of that colour stood in any earlier state, so what
            # leaves it there is new: only its capture can repeat.
            liberties = self.liberties_of(last)
            return 0 if liberties & (liberties - 1) else liberties
        empty = self.empty
        return empty & (self._vacated[self.to_move] | ~self.torus.dilate(empty))

    def _repeats(self, point: int, key: int) -> Repeats:
        number = self.faced[key]
        # The sides have taken turns since the last setup, where the faced states begin.
        side = self.to_move if (self.move_number - number) % 2 == 0 else 3 - self.to_move
        return Repeats(point, number, side)

    def _is_banned(self, key: int) -> bool:
        """Return whether the rules forbid a play that leads to the faced ``key``."""
        return self.rules.superko != SIMPLE or key == self._before_last_play()

    def _before_last_play(self) -> int | None:
        """Return the key before the last move, None where that was no play."""
        record = self._records[-1] if self._records else (PASS,)
        if record[0] == _REPETITION:
            record = record[2]
        return record[1] if record[0] >= 0 else None

    def _examine(self, point: int) -> tuple[int, list[int], list[int], bool]:
        """Find what a play at an empty ``point`` does; change nothing.

        Returns:
            The key it leads to, the heads of the player's own chains that it joins, the heads of those it captures,
            and whether it is suicide.
        """
        to_move, colours, heads, borders = self.to_move, self.colours, self._heads, self._borders
        bit, toggle, neighbours = self._sites[to_move][point]
        key = self.key ^ toggle
        empty = self.empty ^ bit
        friends: list[int] = []
        captured: list[int] = []
        has_liberty = False
        for nearby in neighbours:
            colour = colours[nearby]
            if not colour:
                has_liberty = True
            elif colour == to_move:
                head = heads[nearby]
                if head not in friends:
                    friends.append(head)
            else:
                head = heads[nearby]
                if not borders[head] & empty and head not in captured:
                    captured.append(head)
        if captured:
            for head in captured:
                key ^= self._chain_key(head)
        elif not has_liberty:
            for head in friends:
                if borders[head] & empty:
                    break
            else:
                key = self.key ^ self._turn
                for head in friends:
                    key ^= self._chain_key(head)
                return key, friends, captured, True
        return key, friends, captured, False

    def _chain_key(self, head: int) -> int:
        """Return the bits of the key that removing a chain flips."""
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
            IllegalMove: the point is occupied, the play repeats what may not be repeated, or it is suicide where the
                rules forbid that. Nothing changes.
        """
        if self.colours[point]:
            raise IllegalMove(Occupied(point))
        key, friends, captured, suicide = self._examine(point)
        if suicide and not self.rules.suicide:
            raise IllegalMove(Suicide(point))
        number = self.move_number + 1
        if self.faced.setdefault(key, number) != number:
            if self._is_banned(key):
                raise IllegalMove(self._repeats(point, key))
            self._play_again(point, key)
            return
        self.colours[point] = to_move = self.to_move
        self.empty ^= self._bits[point]
        border = self._around[point]
        before = 0
        merged: list[_Part] | None = None
        removed: list[_Part] | None = None
        vacated = 0
        if not friends:
            head = point
            self._stones[point] = [point]
        else:
            head = friends[0]
            if len(friends) > 1:
                head, merged = self._merge(friends)
                for _, _, more in merged:
                    border |= more
            before = self._borders[head]
            border |= before
            self._stones[head].append(point)
        self._borders[head] = border
        self._heads[point] = head
        if captured:
            vacated = self._vacated[3 - to_move]
            removed = [self._remove(enemy) for enemy in captured]
            self.captured[to_move] += sum([len(stones) for _, stones, _ in removed])
        elif suicide:
            vacated = self._vacated[to_move]
            removed = [self._remove(head)]
            self.suicided[to_move] += len(removed[0][1])
        self._records.append((point, self.key, head, before, merged, removed, vacated))
        self.key = key
        self.to_move = 3 - to_move
        self.move_number = number

    def pass_turn(self) -> None:
        """Pass for the side to move; always legal."""
        key = self.key
        self.passes[self.to_move] += self.rules.pass_cost
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

    def replay(self, move: int) -> Refusal | None:
        """Make a recorded move, whatever the rules have against it: they bind play, not the replay of a record.

        As in SGF, a stone on an occupied point replaces what stands there.

        Returns:
            Why play could not make the move, None when the rules allow it.
        """
        try:
            self.make(move)
        except IllegalMove as error:
            refusal = error.refusal
        else:
            return None
        rules = self.rules
        if isinstance(refusal, Occupied):
            bit, key, colour = self._bits[move], self.key, self.colours[move]
            vacated = self._vacated[colour]
            relaid = self._relay((bit, 0, 0))
            self.key = key ^ self._toggles[colour][move] ^ self._turn
            self._vacated[colour] |= bit
            self.replay(move)
            self._records[-1] = (_ON_A_STONE, key, colour, vacated, relaid, self._records[-1])
        elif isinstance(refusal, Suicide):
            self.rules = replace(rules, suicide=True)
            self.replay(move)
            self.rules = rules
        else:
            self._play_again(move, self._examine(move)[0])
        return refusal

    def _play_again(self, point: int, key: int) -> None:
        """Play at ``point``, which leads to the faced ``key``."""
        first = self.faced.pop(key)
        self.play(point)
        self.faced[key] = first
        self._records[-1] = (_REPETITION, first, self._records[-1])

    def undo(self) -> None:
        """Undo the last play, pass or setup.

        Raises:
            IndexError: nothing is left to undo.
        """
        record = self._records.pop()
        point = record[0]
        if point < 0:
            self._undo_other(record)
            return
        point, key, head, before, merged, removed, vacated = record
        del self.faced[self.key]
        self.key = key
        enemy = self.to_move
        self.to_move = to_move = 3 - enemy
        self.move_number -= 1
        if removed:
            if removed[0][0] == head:
                self.suicided[to_move] -= self._restore(removed[0], to_move)
                self._vacated[to_move] = vacated
            else:
                self._vacated[enemy] = vacated
                for part in removed:
                    self.captured[to_move] -= self._restore(part, enemy)
        self.colours[point] = EMPTY
        self.empty ^= self._bits[point]
        if head != point:
            stones = self._stones[head]
            stones.pop()
            self._borders[head] = before
            if merged:
                self._unmerge(stones, merged)

    # Joining and parting

    def _merge(self, friends: list[int]) -> tuple[int, list[_Part]]:
        heads, borders, stones = self._heads, self._borders, self._stones
        main = friends[0]
        for head in friends:
            if len(stones[head]) > len(stones[main]):
                main = head
        joined = stones[main]
        merged: list[_Part] = []
        for head in friends:
            if head != main:
                others = stones[head]
                merged.append((head, others, borders[head]))
                joined += others
                for stone in others:
                    heads[stone] = main
        return main, merged

    def _unmerge(self, stones: list[int], merged: list[_Part]) -> None:
        for head, others, border in merged:
            del stones[-len(others) :]
            self._stones[head] = others
            self._borders[head] = border
            for stone in others:
                self._heads[stone] = head

    def _remove(self, head: int) -> _Part:
        """Take a chain off the board and return it."""
        colours, bits, stones = self.colours, self._bits, self._stones[head]
        gone, colour = 0, colours[head]
        for stone in stones:
            colours[stone] = EMPTY
            gone |= bits[stone]
        self.empty |= gone
        self._vacated[colour] |= gone
        return head, stones, self._borders[head]

    def _restore(self, part: _Part, colour: Colour) -> int:
        """Undo :meth:`_remove`; return the number of stones."""
        colours, heads, bits = self.colours, self._heads, self._bits
        head, stones, border = part
        self._borders[head] = border
        self._stones[head] = stones
        for stone in stones:
            colours[stone] = colour
            heads[stone] = head
            self.empty ^= bits[stone]
        return len(stones)

    # Setup

    def setup(self, colours: list[Colour], to_move: Colour) -> int:
        """Set up a whole position, as :meth:`lay_out` does, from the colour of every point."""
        masks = [0, 0, 0]
        for point, (was, colour) in enumerate(zip(self.colours, colours, strict=True)):
            if was != colour:
                masks[colour] |= self._bits[point]
        return self.lay_out(masks[BLACK], masks[WHITE], masks[EMPTY], to_move)

    def lay_out(self, black: int, white: int, empty: int, to_move: Colour, *, recorded: bool = False) -> int:
        """Set up stones by hand. The history for superko starts anew from this position.

        It is undone like a move. Prisoners, passes and the move number stay.

        Args:
            black: the mask of the points that get a black stone, whatever stood there.
            white: likewise for white stones.
            empty: the mask of the points that lose theirs. Where masks overlap, the later one counts.
            to_move: the colour then to move.
            recorded: whether a record shows the stones, which then stand even without liberties.

        Returns:
            How many points were visited, a measure of the time taken: those that change, and the stones of the chains
            on and beside them.

        Raises:
            ValueError: a chain would have no liberty, and the setup is not recorded. Nothing changes.
        """
        points, key = self.torus.points, self.key
        white &= ~empty
        black &= ~white & ~empty
        was_black, was_white = self.stones(BLACK), self.stones(WHITE)
        masks = empty & ~self.empty, black & ~was_black, white & ~was_white
        before: _Relaid | None = None
        if masks != (0, 0, 0):
            before = self._relay(masks, recorded=recorded)
            self.key = was_black & ~white & ~empty | black | (was_white & ~black & ~empty | white) << points
        elif to_move == self.to_move:
            # Records made for flat boards are full of setups that change nothing, and then nothing starts anew.
            self._records.append((_SETUP, key, to_move, self._history(key), None))
            return 0
        else:
            self.key &= self._turn - 1
        self._records.append((_SETUP, key, self.to_move, self._history(key), before))
        if to_move == WHITE:
            self.key |= self._turn
        self.to_move = to_move
        self.faced = {self.key: self.move_number}
        self._vacated = [0, 0, 0]
        return 0 if before is None else before.cost

    def _history(self, key: int) -> _History | None:
        """Return what superko compares with, before a setup replaces it: None where nothing was played since another.

        Records may consist of setups alone, and a dictionary for each would be a third of their memory.
        """
        faced, vacated = self.faced, self._vacated
        if len(faced) == 1 and faced.get(key) == self.move_number and not any(vacated):
            return None
        return faced, vacated

    def _undo_other(self, record: tuple[Any, ...]) -> None:
        kind, *what = record
        if kind == _SETUP:
            self.key, self.to_move, history, relaid = what
            self.faced, self._vacated = history or ({self.key: self.move_number}, [0, 0, 0])
            if relaid is not None:
                self._relay_back(relaid)
        elif kind == _REPETITION:
            key, (first, play) = self.key, what
            self._records.append(play)
            self.undo()
            self.faced[key] = first  # It was faced before that play.
        elif kind == _ON_A_STONE:
            key, colour, vacated, relaid, play = what
            self._records.append(play)
            self.undo()
            self.key, self._vacated[colour] = key, vacated
            self._relay_back(relaid)
        else:
            key, fresh = what
            if fresh:
                del self.faced[self.key]
            self.key = key
            self.to_move = 3 - self.to_move
            self.passes[self.to_move] -= self.rules.pass_cost
            self.move_number -= 1

    def _relay(self, masks: tuple[int, int, int], *, recorded: bool = False) -> _Relaid:
        """Change the colours of points, and rebuild the chains on and beside them; all others stay.

        Args:
            masks: for each colour the points that take it. They have another one, and the masks do not overlap.
            recorded: whether chains may be left without liberties.

        Returns:
            What :meth:`_relay_back` needs.

        Raises:
            ValueError: a chain would have no liberty, and that is not recorded. Nothing changes.
        """
        torus, colours, heads = self.torus, self.colours, self._heads
        changed = masks[0] | masks[1] | masks[2]
        points = torus.points_in(changed)
        beside = (changed | torus.dilate(changed)) & ~self.empty
        touched = dict.fromkeys(heads[point] for point in torus.points_in(beside)) if beside else ()
        chains = [(head, self._stones[head], self._borders[head]) for head in touched]
        loose = list(points)
        for _, stones, _ in chains:
            loose += stones
        before = bytes([colours[point] for point in points])
        relaid = _Relaid(changed, before, self.empty, self.stifled, chains, len(loose))
        self.empty = self.empty & ~changed | masks[EMPTY]
        for colour, mask in enumerate(masks):
            if mask:
                for point in torus.points_in(mask):
                    colours[point] = colour
        for point in loose:
            heads[point] = -1
        dead = [min(self._stones[head]) for head in self._join(loose) if not self._borders[head] & self.empty]
        if dead and not recorded:
            self._relay_back(relaid)
            raise ValueError(
                Message(
                    "the chain at {point} would have no liberties; leave it at least one", point=torus.name(min(dead))
                )
            )
        self.stifled |= torus.mask(dead)
        return relaid

    def _join(self, loose: list[int]) -> list[int]:
        """Join stones that are in no chain yet, marked by the head -1, into chains; return their heads."""
        colours, heads, around, neighbours = self.colours, self._heads, self._around, self._neighbours
        found = []
        for point in loose:
            colour = colours[point]
            if not colour or heads[point] >= 0:
                continue
            heads[point] = point
            stones, nearby = [point], 0
            for stone in stones:
                nearby |= around[stone]
                for other in neighbours[stone]:
                    if colours[other] == colour and heads[other] < 0:
                        heads[other] = point
                        stones.append(other)
            self._stones[point], self._borders[point] = stones, nearby
            found.append(point)
        return found

    def _relay_back(self, relaid: _Relaid) -> None:
        self.empty, self.stifled = relaid.empty, relaid.stifled
        colours, heads = self.colours, self._heads
        for point, colour in zip(self.torus.points_in(relaid.changed), relaid.colours, strict=True):
            colours[point] = colour
        for head, stones, border in relaid.chains:
            self._stones[head], self._borders[head] = stones, border
            for stone in stones:
                heads[stone] = head
