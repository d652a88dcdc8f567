"""A fast player for tests, and, run as a script, a GTP engine with that player: ``simple.py [SIZE] [RULES]``."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.ai import Answer, Candidate, Details, Estimated, Ownership, Position, Progress, Restriction, Think
from daoqi_tui.engine import BLACK, PASS, area, parse_rules


class SimplePlayer:
    """Plays a random legal point that is not its own eye, seeded by the position; passes if there is none."""

    pid = None

    def __init__(self) -> None:
        self.asked: list[tuple[Position, float | None]] = []
        self.closed = False
        self.prepared: list[int] = []
        self.forgotten = 0
        self.restrictions: Sequence[Restriction] = ()
        self._hurried = asyncio.Event()

    async def prepare(self, position: Position, on_stage: object = None) -> None:
        self.prepared.append(position.size)

    async def think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        position = request.position
        self.restrictions = request.restrictions
        self._hurried.clear()
        self.asked.append((position, request.seconds))
        board = position.board()
        mine = board.stones(board.to_move)
        around = board.torus.around
        useful = [point for point in board.torus.points_in(board.legal_mask()) if around[point] & ~mine]
        chance = random.Random(board.key * 31 + board.move_number)
        # End long games by answering a pass with a pass.
        if board.move_number > 2 * board.torus.points and position.actions[-1:] == (PASS,):
            useful = []
        move = chance.choice(useful) if useful else PASS
        owners = Ownership((await self.estimate(position)).ownership, (0.5,) * board.torus.points)
        lines = (Candidate(move, 10, 0.625, (move,), 3.5, 0.25, (10,), owners if request.owned else None),)
        more = Details(owners, (0.0,) * board.torus.points + (1.0,)) if request.details else None
        while request.analyse and not self._hurried.is_set():
            if on_progress is not None:
                on_progress(Progress(1, 10, 0.1, lines, 3.5, more))
            await asyncio.sleep(0.01)
        return Answer(1, move, 0.625, False, 10, 0.1, lines, 3.5, more)

    async def estimate(self, position: Position) -> Estimated:
        count = area(position.board(), position.komi)
        ownership = tuple(0.0 if not owner else 1.0 if owner == BLACK else -1.0 for owner in count.owners)
        return Estimated(1, ownership, count.margin, 0.0, float(count.margin > 0))

    def forget(self) -> None:
        self.forgotten += 1

    def hurry(self) -> None:
        self._hurried.set()

    async def close(self) -> None:
        self.closed = True


if __name__ == "__main__":
    from daoqi_tui.gtp.engine import ServeOptions, Server

    size, rules = (*sys.argv[1:], *("9", "daoqi")[len(sys.argv) - 1 :])
    options = ServeOptions(size=int(size), rules=parse_rules(rules))
    asyncio.run(Server(sys.stdin, sys.stdout, SimplePlayer(), options).run())
