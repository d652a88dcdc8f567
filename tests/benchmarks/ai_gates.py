"""Does a network count? What every shipped network must pass: gates at several komis, on finished boards and in races.

    python -m tests.benchmarks.ai_gates NET …

Each NET is a file, or ``auto`` for the built-in networks. The positions are those of ``settled_games.sgf``: games on
9×9, 13×13 and 16×16, which the built-in networks played by their policy alone until the owner of every point was
certain, so that the result at any komi is known. The tables say for each size

- span: how far the lead moves when komi moves by 24 points, after 4 moves and at shares of the game; it should be 24;
- counting: how often the win rate names the winner where the finished board is won or lost by 10 points at most;
- calibration: the mean squared error of the win rate from half the game on, at three komis (a guess of 50 %: 0.25);
- sides: by how many points the leads of Black and White to move on a finished board fail to cancel;
- passes: the same for a point of komi and a pass that Black has paid for;
- handicap: Black's win rate with 2, 4 and 9 stones to White's move, komi 0.5, and whether lead and win rate rise
  throughout;
- rings: how many races are won by the move chosen at level 9, and at level 10 with 100 visits, of chains that close
  around the torus (``rings.json`` of the shared data) and of the same with two stones swapped, which do not close.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final

from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.levels import level_of
from daoqi_tui.ai.nets import NetworkFiles, file_for, net_of
from daoqi_tui.ai.player import KERNELS, certain_ownership
from daoqi_tui.ai.search import HISTORY, Evaluation, NetworkEvaluator
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, Game, torus_of
from daoqi_tui.typed import STRONGEST
from tests.shared_data import data_json

GAMES: Final = Path(__file__).with_name("settled_games.sgf")
SPAN: Final = 24
SHARES: Final = (0.5, 0.7, 0.8, 0.93)
KOMIS: Final = (-8, 4, 16)
MARGINS: Final = (-10, -7, -5, -3, -2, -1, 1, 2, 3, 5, 7, 10)


@dataclass(frozen=True, slots=True)
class SettledGame:
    """The moves of a game that was played until nothing was left to settle, without the last passes."""

    size: int
    moves: tuple[int, ...]

    def board(self, share: float = 1.0) -> Board:
        """Return the board after a share of the moves."""
        return self.after(round(share * len(self.moves)))

    def after(self, count: int) -> Board:
        """Return the board after so many moves."""
        board = Board(torus_of(self.size))
        for move in self.moves[:count]:
            board.make(move)
        return board

    @property
    def margin(self) -> float:
        """Black's points less White's at the end, with passes, without komi; the owner of every point is certain."""
        board = self.board()
        return float(certain_ownership(board).sum()) + board.passes[WHITE] - board.passes[BLACK]


def settled_games(size: int | None = None) -> Iterator[SettledGame]:
    """Yield the games of the file, or those on boards of one size."""
    for record in GAMES.read_text("ascii").splitlines():
        torus = torus_of(int(record.partition("SZ[")[2].partition("]")[0]))
        moves = [torus.parse(name, "sgf") if name else PASS for name in re.findall(r";[BW]\[(\w*)\]", record)]
        while moves[-1] == PASS:
            moves.pop()
        if size in (None, torus.size):
            yield SettledGame(torus.size, tuple(moves))


def evaluated(network: NetworkEvaluator, game: SettledGame, count: int, komis: Sequence[float]) -> list[Evaluation]:
    """Return the evaluations after so many moves of a game at several komis, for the side to move."""
    board = game.after(count)
    recent = game.moves[max(0, count - HISTORY) : count]
    passed = int(bool(recent) and recent[-1] == PASS)
    return network.evaluate([network.encode(board, komi, recent, passed) for komi in komis], game.size)


def span(network: NetworkEvaluator, game: SettledGame, count: int) -> float:
    """Return by how many points Black's lead falls when komi rises by :data:`SPAN`; NaN where it once rises with it."""
    sign = 1 if game.after(count).to_move == BLACK else -1
    leads = [sign * each.lead for each in evaluated(network, game, count, range(-12, 13, 4))]
    falls = all(later < earlier for earlier, later in pairwise(leads))
    return leads[0] - leads[-1] if falls else float("nan")


def winners(network: NetworkEvaluator, game: SettledGame, most: int = 10) -> list[bool]:
    """Return for each margin up to ``most`` whether the win rate on the finished board names the winner."""
    margins = [margin for margin in MARGINS if abs(margin) <= most]
    found = evaluated(network, game, len(game.moves), [game.margin - margin for margin in margins])
    black = game.board().to_move == BLACK
    return [(each.win > 0.5) == ((margin > 0) == black) for margin, each in zip(margins, found, strict=True)]


def error(network: NetworkEvaluator, game: SettledGame, komi: float) -> float:
    """Return the mean squared error of the win rates at a komi, from half the game on."""
    errors = []
    for share in SHARES:
        count = round(share * len(game.moves))
        (found,) = evaluated(network, game, count, [komi])
        black = found.win if game.after(count).to_move == BLACK else 1 - found.win
        errors.append((black - (game.margin > komi)) ** 2)
    return fmean(errors)


def bias(network: NetworkEvaluator, game: SettledGame) -> float:
    """Return the sum of the leads of the two sides on the finished board, each with the move: 0 if none gains by it."""
    leads = []
    for to_move in (BLACK, WHITE):
        board = game.board()
        board.setup(list(board.colours), to_move)
        leads.append(network.evaluate([network.encode(board, 4.0, (), 0)], game.size)[0].lead)
    return leads[0] + leads[1]


def pass_error(network: NetworkEvaluator, game: SettledGame) -> float:
    """Return by how many points komi and the passes that Black has paid for fail to move the lead alike, halfway."""
    board = game.after(len(game.moves) // 2)
    board.passes[BLACK] += SPAN
    paid = network.evaluate([network.encode(board, 4.0, (), 0)], game.size)[0]
    board.passes[BLACK] -= SPAN
    given = network.evaluate([network.encode(board, 4.0 + SPAN, (), 0)], game.size)[0]
    return abs(paid.lead - given.lead)


def handicaps(network: NetworkEvaluator, size: int) -> list[Evaluation]:
    """Return the evaluations of two to nine handicap stones, for White, who has to move; komi is half a point."""
    boards = [Game(size, 0.5, handicap=stones).board for stones in range(2, 10)]
    return network.evaluate([network.encode(board, 0.5, (), 0) for board in boards], size)


def handicaps_count(found: Sequence[Evaluation]) -> bool:
    """Return whether each stone more raises Black's lead, and his win rate until he is sure to win."""
    return all(
        later.lead < earlier.lead and (later.win < earlier.win or later.win < 0.01)
        for earlier, later in pairwise(found)
    )


def race_won(network: NetworkEvaluator, position: dict[str, Any], visits: int) -> bool:
    """Return whether a search plays a move that wins the race of a position of ``rings.json``."""
    board = board_of(position)
    search = PuctSearch(board, 4.0, network)
    search.run(Limits(visits))
    return board.torus.name(search.candidates(1)[0].move, "gtp") in position["race_moves"]


def board_of(position: dict[str, Any]) -> Board:
    """Return the board of a position of ``rings.json``."""
    torus = torus_of(position["size"])
    board = Board(torus)
    colours: dict[str, Colour] = {".": 0, "X": BLACK, "O": WHITE}
    board.setup(
        [colours[sign] for row in position["rows_from_top"] for sign in row],
        BLACK if position["to_move"] == "black" else WHITE,
    )
    return board


def main() -> None:
    """Print the table for each network."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("nets", nargs="+", metavar="NET")
    compile_all(KERNELS)
    files = NetworkFiles()
    for net in options.parse_args().nets:
        write(f"{net}  rings " + "  ".join(races_of(files, net, level) for level in (9.0, STRONGEST)))
        for size in (9, 13, 16):
            network = files.load(file_for(net_of(net), size))
            games = list(settled_games(size))
            spans = [median(span(network, game, 4) for game in games)]
            spans += [median(span(network, game, round(share * len(game.moves))) for game in games) for share in SHARES]
            counts = [[right for game in games for right in winners(network, game, most)] for most in (10, 3)]
            errors = [fmean(error(network, game, komi) for game in games) for komi in KOMIS]
            words = [
                f"{network.name} {size}×{size}",
                "span " + " ".join(f"{one:.1f}" for one in spans),
                "counting " + " ".join(f"{sum(each)}/{len(each)}" for each in counts),
                "calibration " + " ".join(f"{one:.2f}" for one in errors),
                f"sides {max(abs(bias(network, game)) for game in games):.1f}",
                f"passes {max(pass_error(network, game) for game in games):.1f}",
            ]
            stones = handicaps(network, size)
            words.append("handicap " + " ".join(f"{1 - stones[count - 2].win:.2f}" for count in (2, 4, 9)))
            words.append("rising" if handicaps_count(stones) else "not rising")
            write("  ".join(words))


def races_of(files: NetworkFiles, net: str, level: float) -> str:
    """Return how many races the searches of a level win: of closed chains, and of those that are not."""
    won: dict[bool, list[bool]] = {True: [], False: []}
    for position in data_json("rings.json")["positions"]:
        network = files.load(file_for(net_of(net), position["size"], level))
        visits = level_of(level).effort.evaluations_on(position["size"]) or 100
        won[position["closed_chain"]].append(race_won(network, position, visits))
    return f"level {level:g} " + " ".join(f"{sum(each)}/{len(each)}" for each in won.values())


def write(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
