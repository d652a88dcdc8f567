"""The cost of drawing the board in pixels: CPU time and bytes per move and per pan step.

    python -m tests.benchmarks.graphics

The window has 120×40 characters of 10×20 pixels, the board 16×16 points of 40 pixels and up to 130 stones.
"""

from __future__ import annotations

import asyncio
import random
from statistics import median
from time import process_time

from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.look import Options

CELL = (10, 20)


async def measured() -> None:
    """Play and pan, with the output counted instead of written, and print the figures."""
    session = Session(GameSetup(size=16))
    app = DaoqiApp(session, Options(motion="reduced"))
    written: list[int] = []
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        view = app.screen.query_one(BoardView)
        app.pictures.write = lambda text: written.append(len(text))
        begin = process_time()
        app.pictures.found(CELL)
        print(f"first picture    {1000 * (process_time() - begin):6.1f} ms   {sum(written):7} bytes")
        chance = random.Random(3)
        costs, sizes = [], []
        game = session.game
        while game.node.number < 130:
            point = chance.randrange(256)
            if game.board.colours[point]:
                continue
            picture = view.picture
            game.play(point)
            written.clear()
            begin = process_time()
            view.show_picture(picture._replace(stones=bytes(game.board.colours), last=point))
            costs.append(1000 * (process_time() - begin))
            sizes.append(sum(written))
        words = f"move             {median(costs):6.2f} ms   {median(sizes):7.0f} bytes"
        print(f"{words}   at most {max(costs):.1f} ms, {max(sizes)} bytes (goals: 30 ms, 30000 bytes)")
        costs, sizes = [], []
        for step in range(200):
            written.clear()
            begin = process_time()
            view.set_viewport(view.viewport.pan(1, step % 2))
            costs.append(1000 * (process_time() - begin))
            sizes.append(sum(written))
        print(f"pan              {median(costs):6.2f} ms   {median(sizes):7.0f} bytes   at most {max(sizes)} bytes")


if __name__ == "__main__":
    asyncio.run(measured())
