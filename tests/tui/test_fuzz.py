"""Tests that random keys, clicks, drags, wheel events and resizes neither crash the app nor corrupt the game.

``DAOQI_FUZZ=50000 DAOQI_FUZZ_SEED=7 python -m pytest tests/tui/test_fuzz.py`` runs longer, with other events.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from textual import events

from daoqi_tui.commands.screen import COMMANDS
from daoqi_tui.engine import Game, Node
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.engine.tree import Setup
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.look import Options
from tests import waiting
from tests.thorough import rounds
from tests.tui.driving import Person, playing
from tests.tui.terminal_monkey import TerminalMonkey

pytestmark = pytest.mark.usefixtures("every_frame")

EVENTS = int(os.environ.get("DAOQI_FUZZ", str(rounds(100, 10_000))))
SEED = os.environ.get("DAOQI_FUZZ_SEED", "1")

KEYS = [key for command in COMMANDS for key in command.keys]
OFTEN = ["enter", "space", "left", "right", "up", "down", "h", "j", "k", "l", "p", "u", "left_square_bracket", "y"]
TYPED = [*"abcdefgijop0123456789", "backspace", "delete", "tab", "shift+tab", "escape", "enter", "f5", "ctrl+s"]
WINDOWS = [(120, 40), (80, 24), (100, 20), (60, 20), (40, 14), (39, 13), (10, 4), (200, 60), (99, 50)]
STARTS = {
    "standard": (GameSetup(), Options()),
    "small board, guarded clicks": (GameSetup(size=5), Options(confirm_click=True, margin=1)),
    "handicap, following": (GameSetup(size=9, handicap=5, komi=0.5), Options(follow=True, names="gtp")),
    "clock": (GameSetup(size=7, time=TimeControl(2, periods=1, period=1)), Options(margin=0)),
    "large board": (GameSetup(size=25), Options(names="sgf")),
}

IN_TERMINAL_EVENTS = int(os.environ.get("DAOQI_FUZZ", str(rounds(150, 20_000))))
IN_TERMINAL = {
    "small board": ["--size", "5"],
    "standard": [],
    "handicap": ["--size", "9", "--handicap", "5"],
    "computer": ["--size", "9", "--white", "1"],
    "large board": ["--size", "25"],
}
"""The arguments of the program in a real terminal."""


class Monkey(Person):
    """A user who does random things, possibly faster than the app can follow."""

    pick: random.Random
    did: list[str]

    async def act(self) -> None:
        """Do one random action."""
        pick = self.pick
        action = pick.choices(
            (self.key, self.some_click, self.some_drag, self.wheel, self.other_size, self.wait_a_little),
            (60, 16, 8, 8, 2, 6),
        )[0]
        await action()

    def send(self, event: events.Event) -> None:
        driver = self.app._driver
        assert driver is not None
        self.did.append(repr(event))
        driver.process_message(event)

    def spot(self) -> tuple[int, int]:
        width, height = self.app.size
        return self.pick.randrange(max(1, width)), self.pick.randrange(max(1, height))

    def report(self, kind: type[events.MouseEvent], place: tuple[int, int], button: int) -> None:
        shift = self.pick.random() < 0.2
        self.send(kind(None, *place, 0, 0, button, shift, False, False))

    async def key(self) -> None:
        pool = self.pick.choices((OFTEN, KEYS, TYPED), (5, 3, 2))[0]
        key = self.pick.choice(pool)
        self.send(events.Key(key, key if len(key) == 1 else None))

    async def some_click(self) -> None:
        place, button = self.spot(), self.pick.choice((1, 1, 1, 1, 2, 3))
        for _ in range(self.pick.choice((1, 1, 2))):
            self.report(events.MouseDown, place, button)
            self.report(events.MouseUp, place, button)

    async def some_drag(self) -> None:
        self.report(events.MouseDown, self.spot(), 1)
        for _ in range(self.pick.randrange(6)):
            self.report(events.MouseMove, self.spot(), self.pick.choice((1, 1, 1, 0)))
        # Sometimes the release is never reported, as when the mouse leaves the terminal.
        if self.pick.random() < 0.8:
            self.report(events.MouseUp, self.spot(), 1)
        self.report(events.MouseMove, self.spot(), 0)

    async def wheel(self) -> None:
        kinds = (events.MouseScrollUp, events.MouseScrollDown, events.MouseScrollLeft, events.MouseScrollRight)
        self.report(self.pick.choice(kinds), self.spot(), 0)

    async def other_size(self) -> None:
        width, height = self.pick.choice(WINDOWS)
        self.did.append(f"resize {width}×{height}")
        await self.pilot.resize_terminal(width, height)

    async def wait_a_little(self) -> None:
        await asyncio.sleep(self.pick.choice((0, 0, 0.001, 0.02)))


def replayed(game: Game, node: Node, setup: GameSetup) -> Game:
    """Return a new game with the moves and setups of a line replayed by the rules."""
    fresh = Game(setup.size, setup.komi, setup.handicap)
    set_up = [step for step in node.path() if isinstance(step.action, Setup)]
    done = set_up[:1] if setup.handicap else []
    for step in node.path():
        if step.action is None or step in done:
            continue
        if fresh.is_over:
            fresh.resume()
        if isinstance(step.action, Setup):
            points = fresh.torus.points_in
            black, white, empty = (points(mask) for mask in (step.action.black, step.action.white, step.action.empty))
            fresh.setup(black=black, white=white, empty=empty, to_move=step.action.to_move)
            continue
        assert step.move is not None
        assert fresh.to_move == step.move.colour
        made = fresh.pass_turn() if step.move.is_pass else fresh.play(step.move.point)
        assert (made.number, made.captured, made.lost) == (step.number, step.captured, step.lost)
    return fresh


def check_game(person: Person) -> None:
    """Assert that replaying the current line gives the same board, and that up to three lines of the tree replay."""
    leaves = [node for node in person.game.root.walk() if not node.children]
    for node in random.Random(len(leaves)).sample(leaves, min(3, len(leaves))):
        replayed(person.game, node, person.session.setup)
    session, game, board = person.session, person.game, person.game.board
    fresh = replayed(game, game.node, session.setup).board
    assert board.key == fresh.key
    assert board.colours == fresh.colours
    assert board.to_move == fresh.to_move
    assert dict(board.faced) == dict(fresh.faced)
    assert (board.passes, board.captured, board.suicided) == (fresh.passes, fresh.captured, fresh.suicided)


def shows_the_game(person: Person) -> bool:
    """Return whether the board shows the position, the last move and the cursor, with the cursor in view."""
    screen, game, picture, viewport = person.screen, person.game, person.board.picture, person.viewport
    x, y = person.cursor_place
    # A ladder or a hint draws its own stones over those of the game.
    expected = screen.decorated(
        Picture(game.torus.size, bytes(game.board.colours), last=screen.view.last_point, cursor=screen.cursor.point)
    )
    return (
        (picture.stones, picture.last, picture.cursor) == (expected.stones, expected.last, expected.cursor)
        and viewport.size == game.torus.size
        and (not person.at_the_board or (0 <= x < viewport.width and 0 <= y < viewport.height))
    )


async def check(person: Person) -> None:
    """Assert that the game is consistent, and wait until the screen shows it."""

    def is_right() -> bool:
        if person.app._exception is not None:
            raise person.app._exception
        if not person.app.is_running or not person.app.screen_stack:
            return True
        check_game(person)
        return shows_the_game(person)

    def told() -> str:
        picture, screen = person.board.picture, person.screen
        return (
            f"shown {picture.last=} {picture.cursor=} {picture.stones!r}, but {screen.view.last_point=} "
            f"{screen.cursor.point=} {bytes(person.game.board.colours)!r}; {person.cursor_place=} in "
            f"{person.viewport}; on top {person.app.screen}"
        )

    await waiting.until(is_right, told)


@pytest.mark.parametrize("start", STARTS)
async def test_random_use_never_fails(start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    setup, options = STARTS[start]
    pick = random.Random(f"{SEED} {start}")
    did: list[str] = []
    done = 0
    try:
        while done < EVENTS:
            async with playing(pick.choice(WINDOWS[:5]), setup, options) as person:
                monkey = Monkey(person.app, person.pilot)
                monkey.pick, monkey.did = pick, did
                did.append("start")
                while done < EVENTS and monkey.app.is_running:
                    for _ in range(25):
                        await monkey.act()
                        done += 1
                    if monkey.app.is_running:
                        await asyncio.sleep(0.01)
                        await check(monkey)
                if monkey.app._exception is not None:
                    raise monkey.app._exception
                # Exit with unprocessed keys in the queue, as when a person quits while typing.
                monkey.app.exit()
    except BaseException:
        print(f"seed {SEED}, {start}; what was done last:", *did[-60:], sep="\n")  # noqa: T201
        raise


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("start", [*IN_TERMINAL][: rounds(1, len(IN_TERMINAL))])
def test_a_real_terminal_resized_faster_than_frames_are_drawn_never_freezes(start: str, tmp_path: Path) -> None:
    pick = random.Random(f"{SEED} {start}")
    counts: Counter[str] = Counter()
    slowest, done, starts = 0.0, 0, 0
    while done < IN_TERMINAL_EVENTS:
        starts += 1
        (folder := tmp_path / str(starts)).mkdir()
        monkey = TerminalMonkey(folder, IN_TERMINAL[start], pick)
        try:
            while done < IN_TERMINAL_EVENTS and monkey.ended is None:
                for _ in range(25):
                    monkey.act()
                done += 25
                monkey.check()
            # Random keys may quit, and Ctrl+C interrupts while the terminal is released (at the start, at the end, and
            # by Ctrl+Z); nothing else may end the program.
            reports = "\n".join(file.read_text("utf-8") for file in folder.rglob("reports/*.txt"))
            interrupted = {128 + signal.SIGINT} if "\\x03" in "".join(monkey.did) else set()
            assert monkey.ended in {None, 0} | interrupted, "\n".join(
                (f"ended with {monkey.ended}", reports, *monkey.did)
            )
        finally:
            monkey.close()
        counts += monkey.counts
        slowest = max(slowest, monkey.slowest)
    print(f"seed {SEED}, {start}: {done} events, {starts} starts, slowest answer {slowest:.1f} s; {dict(counts)}")  # noqa: T201
