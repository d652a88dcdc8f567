"""What a key costs in a terminal that shows pictures: bytes, placements, and pictures sent again."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from daoqi_tui.engine import Game
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.graphics import Sixel
from daoqi_tui.tui.look import Options
from tests.thorough import rounds
from tests.tui.driving import Person, playing, until
from tests.tui.graphics.kitty_terminal import KittyTerminal
from tests.tui.graphics.sixel_terminal import SixelTerminal

CELL = (10, 20)
SMALL_CELL = (5, 10)
"""Of the Sixel terminal, whose pictures are decoded pixel by pixel."""
WINDOW = (120, 40)
MOVING = Options(motion="full")
PLACEMENTS = 6
"""The most pictures that show a board."""
PAN = 2_000
"""The most bytes of a pan, all frames of it together."""
PAN_SIXEL = 200_000
"""A whole picture of a full board."""
STEP = 5_000
"""The most bytes of a move, or of a step through the game, where a picture of the whole board has 100 kB."""
STEP_SIXEL = 12_000
"""The same of a Sixel picture of 60 to 200 kB."""
PANS = ("right", "down", "shift+right", "shift+up", "left", "shift+left")


class Cost(NamedTuple):
    """What a key wrote: its bytes, how many pictures or parts of pictures it sent, and how many placements it left."""

    bytes: int
    pictures: int
    placements: int


def played(game: Game, moves: int, stones: int | None = None) -> None:
    """Play moves at random, with a pass where a board is full; no further than to some stones."""
    pick = random.Random(1)
    for _ in range(moves):
        legal = game.legal_points()
        if legal:
            game.play(pick.choice(legal))
        else:
            game.pass_turn()
        if stones is not None and sum(map(bool, game.board.colours)) >= stones:
            return


def noted(terminal: KittyTerminal | SixelTerminal, written: list[str]) -> Callable[[str], None]:
    """Return a function that writes to a terminal, and notes what was written."""

    def write(text: str) -> None:
        written.append(text)
        terminal.write(text)

    return write


async def costs_of(person: Person, key: str, count: int, written: list[str], shown: Callable[[], int]) -> list[Cost]:
    """Press a key some times, and wait each time until the board rests."""
    found = []
    for _ in range(count):
        written.clear()
        await person.press(key)
        board = next(iter(person.app.screen.query(BoardView)), person.board)
        moving = getattr(board.pixels, "moving", False)
        while moving:
            await person.wait()
            moving = getattr(board.pixels, "moving", False)
        # A frame that is still due would be counted for the next key.
        await person.wait()
        await until(person, lambda: all(still._waiting is None for still in person.app.pictures.painters.values()))
        text = "".join(written)
        found.append(Cost(len(text), len(re.findall("\x1b_Ga=[tf],i|\x1bP", text)), shown()))
    return found


@pytest.fixture
def _sixty_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have boards glide in as many frames on any machine."""
    frames = itertools.count()
    monkeypatch.setattr("daoqi_tui.tui.board.monotonic", lambda: next(frames) / 60)


@pytest.mark.usefixtures("_sixty_frames")
@pytest.mark.parametrize(("moves", "size", "marked"), [(0, 16, 0), (300, 25, 12), (300, 16, 16), (3_000, 16, 16)])
async def test_a_pan_in_kitty(moves: int, size: int, marked: int) -> None:
    """At least so many of the pans mark a chain anew; some chains have a hundred stones."""
    terminal, written = KittyTerminal(*WINDOW, CELL), list[str]()

    async with playing(WINDOW, options=MOVING, setup=GameSetup(size=size)) as person:
        played(person.game, moves, 240 if moves > 300 else None)
        person.app.pictures.write = noted(terminal, written)
        person.app.pictures.found(CELL, edits=True)
        await costs_of(person, "right", 2, written, lambda: 0)
        for key in PANS:
            for cost in await costs_of(person, key, 4, written, lambda: len(terminal.placements)):
                assert cost.bytes <= PAN, (key, cost)
                # At most the marks of another chain.
                assert cost.pictures <= 1, (key, cost)
                assert cost.placements <= PLACEMENTS, (key, cost)
                marked -= cost.pictures
        assert marked <= 0
        # Panned back, nothing is sent again.
        for key in ("right", "left"):
            await costs_of(person, key, 1, written, lambda: 0)
        for key in ("right", "left"):
            for cost in await costs_of(person, key, 1, written, lambda: 0):
                assert cost.pictures == 0, (key, cost)


async def test_a_board_is_drawn_once_it_has_fitted_its_window() -> None:
    """The answer to what the terminal can show may come before the layout, which fits the window."""
    terminal = KittyTerminal(*WINDOW, CELL)
    async with playing(WINDOW) as person:
        board, written = person.board, list[str]()
        person.app.pictures.write = noted(terminal, written)
        person.app.pictures.found(CELL, edits=True)
        board.lines.move_to(board.viewport._replace(width=1, height=1))
        written.clear()
        person.app.pictures.sync()
        assert not written
        person.screen.refresh(layout=True)
        await until(person, lambda: board.is_fitted)
        assert len(terminal.placements) >= 4


@pytest.mark.parametrize(("moves", "size"), [(0, 16), (300, 25), (3_000, 16)])
async def test_a_pan_in_sixel_is_at_most_one_picture(moves: int, size: int) -> None:
    terminal, written = SixelTerminal(*WINDOW, SMALL_CELL), list[str]()

    async with playing(WINDOW, options=MOVING, setup=GameSetup(size=size)) as person:
        played(person.game, moves, 240 if moves > 300 else None)
        person.app.pictures.write = noted(terminal, written)
        person.app.pictures.found(SMALL_CELL, Sixel(256))
        await until(person, lambda: terminal.pictures)
        await costs_of(person, "right", 1, written, lambda: 0)
        for key in PANS[:: rounds(3, 1)]:
            for cost in await costs_of(person, key, 1, written, lambda: 0):
                assert cost.bytes <= PAN_SIXEL, (key, cost)
                assert cost.pictures <= 16, (key, cost)


@pytest.mark.parametrize(("moves", "size"), [(0, 16), (300, 25)])
@pytest.mark.parametrize("sixel", [False, True], ids=["kitty", "sixel"])
async def test_a_move_and_a_step_send_their_points_alone(moves: int, size: int, *, sixel: bool) -> None:
    cell, written = SMALL_CELL if sixel else CELL, list[str]()
    terminal = SixelTerminal(*WINDOW, cell) if sixel else KittyTerminal(*WINDOW, cell)

    def placements() -> int:
        return 0 if isinstance(terminal, SixelTerminal) else len(terminal.placements)

    async with playing(WINDOW, options=MOVING, setup=GameSetup(size=size)) as person:
        played(person.game, moves)
        person.app.pictures.write = noted(terminal, written)
        person.app.pictures.found(cell, Sixel(256) if sixel else None, edits=not sixel)
        await until(person, lambda: written)
        await costs_of(person, "right", 2, written, lambda: 0)
        costs = [
            (key, cost)
            for key in ("enter", "left_square_bracket", "right_square_bracket", "l")
            for cost in await costs_of(person, key, 1, written, placements)
        ]
    assert sum(cost.bytes for _key, cost in costs) > 500
    for key, cost in costs:
        assert cost.bytes <= (STEP_SIXEL if sixel else STEP), (key, cost)
        # In kitty the stones that changed and the marks; in Sixel the rows of points that did.
        assert cost.pictures <= (16 if sixel else 2), (key, cost)
        assert cost.placements <= PLACEMENTS, (key, cost)


@pytest.mark.parametrize("key", ["f2", "f6"])
async def test_other_screens_with_a_board_pan_as_cheaply(key: str) -> None:
    terminal, written = KittyTerminal(*WINDOW, CELL), list[str]()

    async with playing(WINDOW, options=MOVING) as person:
        played(person.game, 40)
        person.app.pictures.write = noted(terminal, written)
        person.app.pictures.found(CELL, edits=True)
        await person.press(key)
        await until(person, lambda: not person.at_the_board and person.app.screen.query(BoardView))
        await until(person, lambda: terminal.placements)
        await costs_of(person, "right", 1, written, lambda: 0)
        for each in PANS:
            for cost in await costs_of(person, each, 2, written, lambda: len(terminal.placements)):
                assert cost.bytes <= PAN, (each, cost)
                assert cost.pictures <= 1, (each, cost)
                assert cost.placements <= PLACEMENTS, (each, cost)


@pytest.mark.parametrize("key", ["n", "o", "ctrl+p"])
async def test_a_dialog_cuts_each_picture_once(key: str) -> None:
    """Each of its fields has a region of its own, which must not cut what the dialog covers anyway."""
    terminal = KittyTerminal(*WINDOW, CELL)
    async with playing(WINDOW, options=MOVING) as person:
        person.app.pictures.write = terminal.write
        person.app.pictures.found(CELL, edits=True)
        await until(person, lambda: terminal.placements)
        pictures = len(terminal.placements)
        await person.press(key)
        await until(person, lambda: not person.at_the_board)
        await person.settle()
        # The shade of the dialog is a picture as well.
        assert 1 < len(terminal.placements) <= 4 * (pictures + 1)
