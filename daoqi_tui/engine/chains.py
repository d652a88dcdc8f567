"""The one place that knows how stones live and die: chains as they are joined, captured and brought back.

Every chain is a flat list of its stones, merged small into large, and one mask of its exact liberties.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daoqi_tui.engine.colour import EMPTY, Colour
from daoqi_tui.engine.torus import Torus


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of stones with its liberties, both as ascending points."""

    colour: Colour
    stones: tuple[int, ...]
    liberties: tuple[int, ...]


class Chains:
    """Stones on a torus, joined in chains with their liberties.

    Attributes:
        torus: where they stand.
        colours: the colour of each point.
        empty: the mask of the empty points.
    """

    # _heads: at each stone the point that names its chain. Stones and liberties are kept at that point; what lingers
    # elsewhere means nothing. _vacated: at each colour the points it lost stones from since all was laid out.

    def __init__(self, torus: Torus) -> None:
        self.torus: Final = torus
        self._neighbours = torus.neighbours
        self._around = torus.around
        self._bits = torus.bits
        self._lay_out([EMPTY] * torus.points)

    def __str__(self) -> str:
        signs, width = ".XO", self.torus.columns
        text = "".join(signs[colour] for colour in self.colours)
        return "\n".join(text[start : start + width] for start in range(0, len(text), width))

    def head_of(self, point: int) -> int:
        """The head of the chain on ``point``, which holds a stone."""
        return self._heads[point]

    def stones_of(self, point: int) -> list[int]:
        """The stones of the chain on ``point``, which holds one, in no order. Look, but change nothing."""
        return self._stones[self._heads[point]]

    def liberties_of(self, point: int) -> int:
        """The mask of the liberties of the chain on ``point``, which holds a stone."""
        return self._liberties[self._heads[point]]

    def chain_at(self, point: int) -> Chain | None:
        """The chain on ``point`` with its liberties, or None where no stone stands."""
        if not self.colours[point]:
            return None
        head = self._heads[point]
        liberties = self.torus.points_in(self._liberties[head])
        return Chain(self.colours[point], tuple(sorted(self._stones[head])), liberties)

    # Joining and parting

    def _merge(self, friends: list[int]) -> tuple[int, tuple[tuple[int, list[int], int], ...]]:
        """Join several chains into the largest; returns its head and what is needed to part them."""
        stones, heads = self._stones, self._heads
        main = max(friends, key=lambda head: len(stones[head]))
        merged = tuple((head, stones[head], self._liberties[head]) for head in friends if head != main)
        for _, others, _ in merged:
            stones[main] += others
            for stone in others:
                heads[stone] = main
        return main, merged

    def _unmerge(self, stones: list[int], merged: tuple[tuple[int, list[int], int], ...]) -> None:
        """Part the chains that :meth:`_merge` joined."""
        for head, others, liberties in merged:
            del stones[-len(others) :]
            self._stones[head] = others
            self._liberties[head] = liberties
            for stone in others:
                self._heads[stone] = head

    def _remove(self, head: int, gainer: Colour) -> list[int]:
        """Take a chain off the board; the chains of ``gainer`` beside it gain liberties."""
        colours, heads, liberties = self.colours, self._heads, self._liberties
        stones = self._stones[head]
        gone = 0
        for stone in stones:
            colours[stone] = EMPTY
            bit = self._bits[stone]
            gone |= bit
            for nearby in self._neighbours[stone]:
                if colours[nearby] == gainer:
                    liberties[heads[nearby]] |= bit
        self.empty |= gone
        self._vacated[3 - gainer] |= gone
        return stones

    def _restore(self, head: int, stones: list[int], colour: Colour) -> int:
        """Put a removed chain back, the reverse of :meth:`_remove`; returns its number of stones."""
        colours, heads, liberties = self.colours, self._heads, self._liberties
        self._stones[head] = stones
        liberties[head] = 0
        gainer = 3 - colour
        for stone in stones:
            colours[stone] = colour
            heads[stone] = head
            bit = self._bits[stone]
            self.empty &= ~bit
            for nearby in self._neighbours[stone]:
                if colours[nearby] == gainer:
                    liberties[heads[nearby]] &= ~bit
        return len(stones)

    # Laying out

    def _lay_out(self, colours: list[Colour]) -> None:
        """Put the stones down in place of all that stood there.

        Raises:
            ValueError: a chain would have no liberty; what is here is spoilt then.
        """
        torus = self.torus
        self.colours = colours
        self.empty = torus.mask(point for point, colour in enumerate(colours) if not colour)
        self._heads = list(range(torus.points))
        self._liberties = [0] * torus.points
        self._stones: list[list[int]] = [[] for _ in colours]
        self._vacated = [0, 0, 0]
        seen = self.empty
        for point, colour in enumerate(colours):
            if seen >> point & 1:
                continue
            stones, liberties = self._flood(point, colour)
            if not liberties:
                raise ValueError(f"the chain at {torus.name(point)} would have no liberty; leave it one")
            self._stones[point], self._liberties[point] = stones, liberties
            for stone in stones:
                seen |= self._bits[stone]
                self._heads[stone] = point

    def _flood(self, point: int, colour: Colour) -> tuple[list[int], int]:
        """The stones of the chain at ``point`` and the mask of its liberties, from the colours alone."""
        stones, liberties = [point], 0
        seen = {point}
        for stone in stones:
            liberties |= self._around[stone] & self.empty
            for nearby in self._neighbours[stone]:
                if self.colours[nearby] == colour and nearby not in seen:
                    seen.add(nearby)
                    stones.append(nearby)
        return stones, liberties
