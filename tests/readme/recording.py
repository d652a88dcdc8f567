"""The animated picture in the README: ``python -m tests.readme.recording`` regenerates it.

The program is played with its own keys in a headless window: a few moves, a pan around the torus, a capture across the
seam, a ladder that runs into its own tail, and the 3-D torus.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from textual.pilot import Pilot
from textual.widgets import Static

from daoqi_tui.engine import BLACK, PASS, Game
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.panes.torus import TorusView
from daoqi_tui.tui.screen import GameScreen
from tests.readme.cells import many_colours
from tests.readme.moving import Frame, frame, moving_picture, with_few_colours
from tests.readme.pages import DOCS

PICTURE: Final = DOCS / "images" / "moving.svg"
WINDOW: Final = (100, 31)
SIZE: Final = 13
_TURNS: Final = 14
_FEW: Final = 28
"""Number of colours of the torus, whose shades take up most of the file."""
_OPENING: Final = "D4 J10 D10 J4"
_AT_THE_SEAM: Final = "A8 A7 M8 M7 A6 B4 M6 G7 B7 G9"
"""A fight over the white stones A7 and M7, which touch across the seam; L7 is their last liberty."""


class Recording:
    """Presses keys and records what the window then shows."""

    def __init__(self, app: DaoqiApp, pilot: Pilot[None]) -> None:
        self.app, self._pilot = app, pilot
        self.frames: list[Frame] = []
        self.still = 0
        """The index of the most informative frame."""

    async def press(self, *keys: str) -> None:
        """Press keys without recording a frame."""
        await self._pilot.press(*keys)
        await self._pilot.pause()

    async def take(self, seconds: float, *keys: str) -> None:
        """Press keys, and record the result as a frame of some seconds."""
        await self.press(*keys)
        rows = self.app.screen._compositor.render_strips(self.app.size)
        self.frames.append(frame(rows, seconds))

    async def play(self, name: str, seconds: float) -> None:
        """Play a move by its name."""
        await self.press("g", *name.lower())
        await self.take(seconds, "enter")

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        for _ in range(600):
            if condition():
                return
            await self._pilot.pause(0.05)
        raise AssertionError("what was waited for did not come")

    def says(self, words: str) -> bool:
        """Return whether the status line contains some words."""
        return words in str(self.app.screen_stack[0].query_one("#status", Static).render())


def with_a_ladder() -> Session:
    """Return a game with a white stone that can only run in a ladder, once around the torus."""
    game = Game(SIZE)
    torus = game.torus
    stones = [torus.parse(name) for name in ("F7", "G6", "H6")]
    game.setup(black=stones, white=[torus.parse("G7")], to_move=BLACK)
    return Session(GameSetup(SIZE), game)


async def record() -> tuple[list[Frame], int]:
    """Return all frames, and the index of the most informative one."""
    app = DaoqiApp(Session(GameSetup(SIZE)))
    async with app.run_test(size=WINDOW) as pilot:
        tape = Recording(app, pilot)
        await tape.take(1.0)
        for name in _OPENING.split():
            await tape.play(name, 0.5)
        for name in _AT_THE_SEAM.split():
            await tape.play(name, 0.45)
        await tape.take(0.6)
        for _ in range(6):
            await tape.take(0.16, "left")
        await tape.take(0.8)
        await tape.play("L7", 2.2)
        tape.still = len(tape.frames) - 1
        for key in ("left", "up", "left", "up", "left", "up"):
            await tape.take(0.16, key)
        await tape.take(0.9)

        screen = app.screen
        assert isinstance(screen, GameScreen)
        screen.begin(with_a_ladder())
        screen.cursor.point = screen.session.game.torus.parse("G7")
        await tape.take(1.2, "0")
        await tape.press("L")
        await tape.until(lambda: tape.says("/"))
        await pilot.pause(0.5)
        ladder = screen.ladder.view
        assert ladder is not None
        await tape.take(1.2, "home")
        plies = ladder.ladder.plies
        for _ in range(plies // 3):
            await tape.take(0.14, *["right_square_bracket"] * 3)
        await tape.take(2.0, "end")

        for move in ladder.ladder.line[:-1]:
            if move == PASS:
                screen.match.pass_turn()
            else:
                screen.match.play(move)
        await tape.press("escape", "3")
        torus = app.screen.query_one(TorusView)
        await tape.until(lambda: not torus.bending)
        await tape.press("space")
        for _ in range(_TURNS):
            await tape.press("l")
            await tape.until(lambda: not torus.moving)
            await tape.take(0.16)
        await tape.take(1.0)
    return [*tape.frames[: -_TURNS - 1], *with_few_colours(tape.frames[-_TURNS - 1 :], _FEW)], tape.still


def main() -> None:
    """Write the picture."""
    many_colours()
    frames, still = asyncio.run(record())
    picture = moving_picture(frames, "A game of Daoqi in the terminal", still)
    PICTURE.write_text(picture, encoding="utf-8")
    print(f"{PICTURE.name}: {len(frames)} frames, {len(picture.encode()) / 1024:.0f} KB")  # noqa: T201


if __name__ == "__main__":
    main()
