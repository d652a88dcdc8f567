"""The pictures of the running program in the README: ``python -m tests.readme.picture`` draws them anew.

The program plays the sample game by its own keys, in a window that is not there, and is drawn as it stands.
Needs the fonts that :mod:`tests.readme.cells` names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PIL import Image
from textual.pilot import Pilot

from daoqi_tui.record import load
from daoqi_tui.tui.app import DaoqiApp
from tests.readme.cells import many_colours, picture

ASSETS: Final = Path(__file__).resolve().parents[2] / "assets"
GAME: Final = ASSETS / "sample.sgf"


async def _type_move(pilot: Pilot[None], name: str) -> None:
    await pilot.press("g")
    await pilot.press(*name.lower(), "enter")
    await pilot.pause()


async def play(path: Path, window: tuple[int, int], moves: int, keys: Sequence[str]) -> None:
    """Play the first ``moves`` moves of the sample game, press ``keys``, and draw the window into ``path``."""
    game = load(GAME.read_bytes()).game
    torus = game.torus
    app = DaoqiApp()
    async with app.run_test(size=window) as pilot:
        for node in game.root.line()[:moves]:
            move = node.move
            assert move is not None
            await _type_move(pilot, "pass" if move.is_pass else torus.name(move.point))
        await pilot.press(*keys)
        await pilot.pause(0.3)
        # What the terminal would be sent; Textual offers it only as an SVG, whose blocks do not meet.
        rows = app.screen._compositor.render_strips(app.size)
        image = picture(rows, app.size.width)
    image.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {image.width} × {image.height}, {path.stat().st_size / 1024:.0f} KB")  # noqa: T201


if __name__ == "__main__":
    many_colours()
    asyncio.run(play(ASSETS / "board.png", (120, 40), 115, ("c",)))
