"""The animated picture in the README: ``python -m tests.readme.recording`` regenerates it.

The program is played with its own keys in a real kitty (:mod:`tests.readme.kitty`): a few moves, a pan around the
torus, a capture across the seam, the 3-D torus, and a ladder that runs into its own tail.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Final

from daoqi_tui.engine import BLACK, Game
from daoqi_tui.record import dump
from tests.readme.kitty import Kitty, missing
from tests.readme.moving import Frame, moving_picture
from tests.readme.pages import DOCS

PICTURE: Final = DOCS / "images" / "moving.svg"
WINDOW: Final = 800, 496
_FONT: Final = 9.6
SIZE: Final = 13
_OPENING: Final = "D4 J10 D10 J4"
_AT_THE_SEAM: Final = "A8 A7 M8 M7 A6 B4 M6 G7 B7 G9"
"""A fight over the white stones A7 and M7, which touch across the seam; L7 is their last liberty."""
_LADDER_STEPS: Final = 5
"""Frames of the ladder, each nine moves after the one before."""
_TURNS: Final = 6


class Tape:
    """Presses keys and records what the window then shows."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.still = 0
        """The index of the most informative frame."""

    def take(self, kitty: Kitty, seconds: float, *keys: str) -> None:
        """Press keys, which change what is shown, and record the result as a frame of some seconds."""
        self.frames.append(Frame(kitty.after(*keys) if keys else kitty.at_rest(), seconds))

    def play(self, kitty: Kitty, name: str, seconds: float) -> None:
        """Play a move by its name."""
        self.take(kitty, seconds, "g", *name.lower(), "Enter")


def ladder() -> bytes:
    """Return a record with a white stone that can only run in a ladder, once around the torus."""
    game = Game(SIZE)
    torus = game.torus
    stones = [torus.parse(name) for name in ("F7", "G6", "H6")]
    game.setup(black=stones, white=[torus.parse("G7")], to_move=BLACK)
    return dump(game)


def record() -> Tape:
    """Return all frames."""
    tape = Tape()
    with Kitty(["--size", str(SIZE)], WINDOW, _FONT) as kitty:
        kitty.until(lambda text: "▶" in text)
        tape.take(kitty, 1.0)
        for name in _OPENING.split():
            tape.play(kitty, name, 0.5)
        for name in _AT_THE_SEAM.split():
            tape.play(kitty, name, 0.45)
        tape.take(kitty, 0.6)
        for _ in range(6):
            tape.take(kitty, 0.16, "Left")
        tape.take(kitty, 0.8)
        tape.play(kitty, "L7", 2.2)
        tape.still = len(tape.frames) - 1
        for key in ("Left", "Up") * 2:
            tape.take(kitty, 0.16, key)
        tape.take(kitty, 0.6, "3")
        for _ in range(_TURNS):
            tape.take(kitty, 0.2, "l", "l", "l", "l")
        tape.take(kitty, 1.0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ladder.sgf"
        file.write_bytes(ladder())
        with Kitty([str(file)], WINDOW, _FONT) as kitty:
            kitty.until(lambda text: "▶" in text)
            # The stones are those of the second node; the cursor is in the middle of the board, on the white one.
            tape.take(kitty, 1.2, "End")
            kitty.press("L")
            kitty.until(lambda text: re.search(r"\d/\d", text) is not None)
            tape.take(kitty, 1.2, "Home")
            for _ in range(_LADDER_STEPS):
                tape.take(kitty, 0.2, *["]"] * 9)
            tape.take(kitty, 2.5, "End")
    return tape


def main() -> None:
    """Write the picture."""
    if reason := missing():
        print(reason)  # noqa: T201
        return
    tape = record()
    picture = moving_picture(tape.frames, "A game of Daoqi in the terminal", tape.still)
    PICTURE.write_text(picture, encoding="utf-8")
    print(f"{PICTURE.name}: {len(tape.frames)} frames, {len(picture.encode()) / 1024:.0f} KB")  # noqa: T201


if __name__ == "__main__":
    main()
