"""Does a part of the search pay, or another network? Paired games at fixed visits, in one process.

    python tests/benchmarks/ai_parts.py --out FILE --with exploration=0.5 [--against …] [--size 9] [--visits 64]
    python tests/benchmarks/ai_parts.py --out FILE --net new/daoqi-9x9.npz --against-net daoqi-9x9

``--with`` and ``--against`` are attributes of :class:`~daoqi_tui.ai.search.node.PuctParameters`, ``NAME=VALUE``; what
is not named has its usual value. A file with the name of a bundled network takes its share of the count. Each pair of
games begins with the same random moves, and colours change. Many games are played at once, one leaf of each in a batch
of its network. A game is ended early where the searches of both sides agree who wins. Each finished game is a line of
the file; run again, the script continues.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final

from _arena import row

from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.nets import COUNTING, compiled_runner_of, named_file, read
from daoqi_tui.ai.network.network import LoadedNetwork
from daoqi_tui.ai.player import KERNELS
from daoqi_tui.ai.search import EvaluationCache, NetworkEvaluator
from daoqi_tui.ai.search.node import PuctParameters
from daoqi_tui.ai.search.puct import Leaf, PuctSearch
from daoqi_tui.engine import BLACK, STANDARD_KOMI, WHITE, Board, Colour, area, opponent, torus_of

AT_ONCE: Final = 16
"""Games that are played at once."""
DECIDED: Final = 0.03
"""A game is decided where both sides, in two moves each, give the same one less than this."""
LONGEST: Final = 3
"""Moves a point after which a game is counted as it stands."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two players: its network, the visits of a move, and the parameters of its search."""

    network: NetworkEvaluator
    visits: int
    puct: PuctParameters
    cache: EvaluationCache


class PairedGame:
    """One game between two sides; each has a tree of its own, ``search`` is that of the side to move."""

    search: PuctSearch

    def __init__(self, number: int, size: int, opening: int) -> None:
        self.number = number
        self.with_is_black = number % 2 == 0
        pick = random.Random(number // 2)
        board = Board(torus_of(size))
        self.moves: list[int] = []
        self.won = False
        for _ in range(opening):
            self.moves.append(pick.choice([point for point in range(board.torus.points) if not board.refusal(point)]))
            board.make(self.moves[-1])
        self.size = size
        self.board = board

    def play(self, players: tuple[Side, Side]) -> Iterator[Leaf]:
        """Play the game; yield each leaf, which has been expanded when the next one is asked for."""
        sides = {BLACK: players[0 if self.with_is_black else 1], WHITE: players[1 if self.with_is_black else 0]}
        searches = {
            colour: PuctSearch(
                self._copy(), STANDARD_KOMI, side.network, side.puct, recent=self.moves, cache=side.cache
            )
            for colour, side in sides.items()
        }
        passes, hopeless = 0, {BLACK: 0, WHITE: 0}
        while passes < 2 and len(self.moves) < LONGEST * self.board.torus.points:
            mine: Colour = self.board.to_move
            search = searches[mine]
            while search.root.total_visits < sides[mine].visits:
                found = search.select_leaf()
                if isinstance(found, Leaf):
                    self.search = search
                    yield found
            best = search.root.best()[0]
            black = search.root.win_rate(best) if mine == BLACK else 1 - search.root.win_rate(best)
            for colour, rate in ((BLACK, black), (WHITE, 1 - black)):
                hopeless[colour] = hopeless[colour] + 1 if rate < DECIDED else 0
                if hopeless[colour] >= 4:
                    self._end(opponent(colour))
                    return
            move = int(search.root.moves[best])
            self.moves.append(move)
            passes = passes + 1 if move < 0 else 0
            self.board.make(move)
            for each in searches.values():
                each.advance(move)
        margin = area(self.board, STANDARD_KOMI).margin
        self._end(BLACK if self.board.rules.value(margin) > 0.5 else WHITE)

    def _copy(self) -> Board:
        board = Board(torus_of(self.size))
        for move in self.moves:
            board.make(move)
        return board

    def _end(self, winner: Colour) -> None:
        self.won = (winner == BLACK) == self.with_is_black


def parameters(given: list[str]) -> PuctParameters:
    """Return the parameters of the search that ``NAME=VALUE`` gives."""
    known = {field.name for field in fields(PuctParameters)}
    chosen = dict(one.split("=") for one in given)
    if unknown := set(chosen) - known:
        sys.exit(f"no parameters of the search: {', '.join(sorted(unknown))}")
    return PuctParameters(**{name: float(value) for name, value in chosen.items()})


def loaded(choice: str) -> NetworkEvaluator:
    """Return a bundled network, or one in a file, in bytes where the processor multiplies these."""
    file = named_file(choice)
    header, weights = read(file)
    counted = replace(header, counting=COUNTING.get(file.name, header.counting))
    return LoadedNetwork(counted, compiled_runner_of(weights))


def report(path: Path, name: str) -> str:
    """Return a row of the table: games, and pairs won and lost by both colours."""
    games = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    pairs: dict[int, list[bool]] = {}
    for game in games:
        pairs.setdefault(game["number"] // 2, []).append(game["won"])
    both = [wins[0] for wins in pairs.values() if len(wins) == 2 and wins[0] == wins[1]]
    return f"{row(name, sum(game['won'] for game in games), len(games))}  pairs {sum(both)} : {len(both) - sum(both)}"


def main() -> None:
    """Play the missing games and print the row."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--out", type=Path, required=True, help="file of finished games, one JSON object a line")
    options.add_argument("--with", dest="part", nargs="+", default=[], metavar="NAME=VALUE")
    options.add_argument("--against", nargs="+", default=[], metavar="NAME=VALUE")
    options.add_argument("--size", type=int, default=9)
    options.add_argument("--visits", type=int, default=64)
    options.add_argument("--games", type=int, default=300)
    options.add_argument("--opening", type=int, default=4)
    options.add_argument("--net", default="daoqi")
    options.add_argument("--against-net", help="that of the other side, if it is another")
    options.add_argument("--against-visits", type=int, help="those of the other side, if these are others")
    given = options.parse_args()
    compile_all(KERNELS)
    network, cache = loaded(given.net), EvaluationCache()
    first = Side(network, given.visits, parameters(given.part), cache)
    second = replace(first, visits=given.against_visits or given.visits, puct=parameters(given.against))
    if given.against_net:
        second = replace(second, network=loaded(given.against_net), cache=EvaluationCache())
    text = given.out.read_text("utf-8") if given.out.exists() else ""
    done = {json.loads(line)["number"] for line in text.splitlines()}
    waiting = [number for number in range(given.games) if number not in done]
    games: dict[PairedGame, Iterator[Leaf]] = {}
    while waiting or games:
        while waiting and len(games) < AT_ONCE:
            game = PairedGame(waiting.pop(0), given.size, given.opening)
            games[game] = game.play((first, second))
        leaves = []
        for game, moves in list(games.items()):
            leaf = next(moves, None)
            if leaf is not None:
                leaves.append((game, leaf))
                continue
            del games[game]
            with given.out.open("a", encoding="utf-8") as file:
                entry = {"number": game.number, "won": game.won, "moves": len(game.moves)}
                file.write(json.dumps(entry | {"seconds": round(time.process_time(), 1)}) + "\n")
        for each in dict.fromkeys(game.search.network for game, _leaf in leaves):
            batch = [(game, leaf) for game, leaf in leaves if game.search.network is each]
            found = each.evaluate([leaf.inputs for _game, leaf in batch], given.size)
            for (game, leaf), evaluation in zip(batch, found, strict=True):
                game.search.expand(leaf, evaluation)
    print(report(given.out, " ".join([given.net, *given.part])))


if __name__ == "__main__":
    main()
