"""Dead stones after two passes: a computer's proposal, and how it changes the score, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui.engine import BLACK, Area, Game, TwoPasses
from daoqi_tui.i18n import _, plural
from daoqi_tui.play.words import margin_words

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Estimated
    from daoqi_tui.engine import Chain
    from daoqi_tui.play.players import PlayerTable

LEAST_SHARE: Final = 0.9
"""The opponent's share of a chain's points, by ownership, above which the chain is proposed as dead."""
_SECONDS: Final = 3.0


class Proposal(NamedTuple):
    """The stones that a computer considers dead.

    Attributes:
        stones: their points.
        by_network: whether a network was used besides the playouts.
        playouts: the number of playouts.
    """

    stones: frozenset[int]
    by_network: bool
    playouts: int

    def words(self) -> str:
        """Word the source of the proposal."""
        playouts = plural("{count} playout", "{count} playouts", self.playouts)
        source = _("network and {playouts}").format(playouts=playouts) if self.by_network else playouts
        if not self.stones:
            return _("No dead stones are proposed ({source})").format(source=source)
        return _("Proposed ({source} over {share})").format(source=source, share=f"{LEAST_SHARE:.0%}")


async def propose_dead(players: PlayerTable, game: Game) -> Proposal:
    """Ask the adviser which chains are dead, without marking any.

    A chain is proposed if the network gives its points to the opponent with more than :data:`LEAST_SHARE`, or if the
    playouts do and the network does not give them to its owner. The network makes a single evaluation and is seldom
    that sure of a few stones; playouts capture them.

    Args:
        players: whose adviser is asked.
        game: a game ended by two passes.

    Raises:
        PlayerError: there is no answer.
    """
    from daoqi_tui.ai.protocol import Position  # noqa: PLC0415

    position = Position.of(game)
    found = [await players.adviser.estimate(position, seconds=_SECONDS)]
    if found[0].by_network:
        found.append(await players.adviser.estimate(position, seconds=_SECONDS, by_playouts=True))
    dead: set[int] = set()
    for chain in _chains(game):
        shares = [opponents_share(chain, estimated) for estimated in found]
        if max(shares) > LEAST_SHARE and min(shares) >= 1 / 2:
            dead.update(chain.stones)
    return Proposal(frozenset(dead), found[0].by_network, found[-1].playouts)


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


def difference_words(game: Game) -> list[str]:
    """Word the effect of the agreed dead stones in one or two parts; in Tromp–Taylor scoring all stones are alive."""
    dead = game.ending.dead if isinstance(game.ending, TwoPasses) else frozenset[int]()
    alive = _("All alive (Tromp–Taylor): {margin}").format(margin=margin_words(game.area()))
    if not dead:
        return [alive]
    return [_dead_words(game.area(dead), len(dead)), alive]


def _dead_words(area: Area, count: int) -> str:
    dead = plural("{count} stone dead", "{count} stones dead", count)
    return _("{dead}: {margin}").format(dead=dead, margin=margin_words(area))
