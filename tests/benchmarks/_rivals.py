"""Games of our searches against other programs through GTP, shared by the scripts that compare with them.

Passes are free for both sides, since no other program knows of their cost, and our search plays by these rules. All
stones on the board count as alive.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from _arena import compile_kernels, row

from daoqi_tui.ai.nets import named_file, read
from daoqi_tui.ai.network.layout import Padding
from daoqi_tui.ai.network.network import LoadedNetwork, Network
from daoqi_tui.ai.passing import decide, instant_move
from daoqi_tui.ai.search import NetworkEvaluator
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, PASS, Board, Colour, Rules, Torus, area, opponent
from daoqi_tui.gtp import parse_vertex, vertex_name
from daoqi_tui.gtp.client import Engine, EngineError
from daoqi_tui.gtp.player import HOPELESS_MOVES

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


MOVE_PATIENCE = 300.0
"""Timeout in seconds, long enough for any rival: all play with fixed playouts or at a fixed level."""


@dataclass(frozen=True)
class Series:
    """A series of games against one rival.

    Attributes:
        name: the rival's, in the file of games and in the table.
        command: returns the command that starts the rival for a game, given the game's number.
        torus: the board, with or without edges.
        komi: points for White.
        playouts: evaluations per move of ours, each from a new tree.
        network: the network.
        opening: the number of random plays that start each pair of games, the same in both; a network is deterministic.
    """

    name: str
    command: Callable[[int], list[str]]
    torus: Torus
    komi: float
    playouts: int
    network: NetworkEvaluator
    opening: int = 0

    @property
    def title(self) -> str:
        """A description in one line."""
        unit = f"evaluations by {self.network.name}"
        begun = f", {self.opening} plays by chance" if self.opening else ""
        return f"{self.playouts} {unit} – {self.name}, {self.torus.size}×{self.torus.size}{begun}"


@dataclass(frozen=True)
class Finished:
    """A finished game of a series, stored as a line of the file."""

    series: str
    number: int
    ours: str
    won: bool
    end: str
    moves: int
    margin: float
    rival_says: str
    avoided: int
    seconds: float


class Ours:
    """Our side of a game, with a new search tree for every move."""

    def __init__(self, series: Series) -> None:
        self.series = series

    def moves(self, board: Board, recent: Sequence[int], passes: int) -> tuple[list[int], bool]:
        """Return the moves in order of preference, and whether the game is hopeless."""
        search = self._search(board, recent, passes)
        if (quick := instant_move(search)) is not None:
            return [quick], False
        search.run(Limits(self.series.playouts))
        decision = decide(search)
        others = [int(search.root.moves[place]) for place in search.root.best()]
        return [decision.move, *(move for move in others if move not in (decision.move, PASS)), PASS], decision.hopeless

    def _search(self, board: Board, recent: Sequence[int], passes: int) -> PuctSearch:
        return PuctSearch(board, self.series.komi, self.series.network, recent=recent, passes_in_row=passes)


async def play(series: Series, number: int) -> Finished:
    """Play one game; we are Black in even-numbered ones."""
    torus, board = series.torus, Board(series.torus, Rules(pass_cost=0))
    ours: Colour = BLACK if number % 2 == 0 else opponent(BLACK)
    player = Ours(series)
    passes, hopeless, avoided = 0, 0, 0
    recent: list[int] = []
    end, winner = "passes", 0
    start = time.perf_counter()
    async with Engine(series.command(number), MOVE_PATIENCE) as rival:
        for command in (f"boardsize {torus.size}", "clear_board", f"komi {series.komi:g}"):
            await rival.send(command)
        chance = random.Random(number // 2)
        for turn in range(series.opening):
            move = chance.choice(torus.points_in(board.legal_mask()))
            await rival.send(f"play {'BW'[turn % 2]} {vertex_name(torus, move)}")
            board.play(move)
            recent.append(move)
        while passes < 2 and not winner:
            if board.move_number >= 4 * torus.points:
                end = "cut off"
                break
            word = "B" if board.to_move == BLACK else "W"
            move = PASS
            if board.to_move == ours:
                wanted, lost = player.moves(board, recent, passes)
                hopeless = hopeless + 1 if lost else 0
                if hopeless >= HOPELESS_MOVES:
                    end, winner = "we resigned", opponent(ours)
                    break
                for move in wanted:
                    try:
                        await rival.send(f"play {word} {vertex_name(torus, move)}")
                        break
                    except EngineError as error:
                        if error.fault != "refused":
                            raise
                        avoided += 1
            else:
                text = (await rival.send(f"genmove {word}")).strip().lower()
                if text == "resign":
                    end, winner = "it resigned", ours
                    break
                move = parse_vertex(torus, text)
                if move != PASS and board.refusal(move) is not None:
                    end, winner = "it broke our rules", ours
                    break
            if move == PASS:
                board.pass_turn()
                passes += 1
            else:
                board.play(move)
                passes = 0
            recent.append(move)
        says = ""
        if end == "passes" and "final_score" in rival.known:
            says = await rival.send("final_score", MOVE_PATIENCE)
    count = area(board, series.komi)
    won = (winner or count.winner) == ours
    spent = round(time.perf_counter() - start, 1)
    side = "black" if ours == BLACK else "white"
    return Finished(series.title, number, side, won, end, board.move_number, count.margin, says, avoided, spent)


def finished(path: Path) -> list[Finished]:
    """Return the games in a file."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [Finished(**json.loads(line)) for line in lines]


def run(series: list[Series], games: int, out: Path) -> None:
    """Play the games missing in ``out``, then print the table."""
    compile_kernels()
    done = {(game.series, game.number) for game in finished(out)}
    try:
        for number in range(games):
            for each in series:
                if (each.title, number) in done:
                    continue
                game = asyncio.run(play(each, number))
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(game), ensure_ascii=False) + "\n")
    except EngineError as error:
        print(error, file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted; started again it goes on")
    for each in series:
        found = [game for game in finished(out) if game.series == each.title]
        print(row(each.title, sum(game.won for game in found), len(found)))
        black = [game for game in found if game.ours == "black"]
        print(f"    of them as Black {sum(game.won for game in black)}/{len(black)}")


def options(text: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options common to all scripts that play against rivals."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0] if text else None)
    parser.add_argument("--out", type=Path, required=True, help="file of finished games, one JSON object a line")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--playouts", type=int, nargs="+", default=[1000], help="evaluations a move")
    parser.add_argument("--opening", type=int, default=0, help="plays by chance that begin every two games")
    parser.add_argument("--net", default="auto", help="auto for the network that comes along, or a file")
    return parser


def network_named(net: str, padding: Padding) -> NetworkEvaluator:
    """Return the network for the option ``--net``; with zero padding the same weights see a board with edges."""
    header, parameters = read(named_file(net))
    return LoadedNetwork(header, Network(parameters, padding))
