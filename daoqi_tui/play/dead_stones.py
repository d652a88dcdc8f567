"""Dead stones after two passes: those that are certain, a computer's proposal of others, and the score, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui.engine import BLACK, WHITE, Area, Game, TwoPasses
from daoqi_tui.i18n import _, plural
from daoqi_tui.play.wording import describe_margin
from daoqi_tui.reading.status import dead_stones, status

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Estimated
    from daoqi_tui.engine import Chain
    from daoqi_tui.play.players import PlayerTable

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

    def words(self) -> str:
        """Word the source of the proposal."""
        if not self.stones:
            return _("No dead stones are proposed")
        if self.certain == len(self.stones):
            return _("Proposed: certainly dead")
        share = f"{LEAST_SHARE:.0%}"
        if not self.certain:
            return _("Proposed by the network (over {share})").format(share=share)
        words = _("Proposed: {certain} certainly dead, the others by the network (over {share})")
        return words.format(certain=self.certain, share=share)


async def propose_dead(players: PlayerTable, game: Game) -> Proposal:
    """Find the chains that are dead, without marking any.

    Those in the opponent's certain territory are (:mod:`~daoqi_tui.reading.status`); of the others, those whose points
    the adviser's network gives to the opponent with more than :data:`LEAST_SHARE`, unless they are pass-alive.

    Args:
        players: whose adviser is asked.
        game: a game ended by two passes.

    Raises:
        PlayerError: there is no answer.
    """
    from daoqi_tui.ai.protocol import Position  # noqa: PLC0415

    torus, known = game.torus, status(game.board, game.rules)
    alive, certain = known[BLACK].alive | known[WHITE].alive, dead_stones(game.board, game.rules)
    found = await players.adviser.estimate(Position.of(game))
    dead = set(torus.points_in(certain))
    for chain in _chains(game):
        if not torus.mask(chain.stones) & alive and opponents_share(chain, found) > LEAST_SHARE:
            dead.update(chain.stones)
    return Proposal(frozenset(dead), certain.bit_count())


def opponents_share(chain: Chain, found: Estimated) -> float:
    """Return the opponent's share of the points of a chain, 0 to 1."""
    black = sum(1 + found.ownership[point] for point in chain.stones) / (2 * len(chain.stones))
    return 1 - black if chain.colour == BLACK else black


def _chains(game: Game) -> list[Chain]:
    seen: set[int] = set()
    chains = []
    for point in range(game.torus.points):
        if point not in seen and (chain := game.chain_at(point)) is not None:
            seen.update(chain.stones)
            chains.append(chain)
    return chains


def describe_difference(game: Game) -> list[str]:
    """Word the effect of the agreed dead stones in one or two parts; in Tromp–Taylor scoring all stones are alive."""
    dead = game.ending.dead if isinstance(game.ending, TwoPasses) else frozenset[int]()
    alive = _("All alive (Tromp–Taylor): {margin}").format(margin=describe_margin(game.area()))
    if not dead:
        return [alive]
    return [_describe_dead(game.area(dead), len(dead)), alive]


def _describe_dead(area: Area, count: int) -> str:
    dead = plural("{count} stone dead", "{count} stones dead", count)
    return _("{dead}: {margin}").format(dead=dead, margin=describe_margin(area))
