"""Only what changes is written, and a terminal shows the same as if everything were."""

from __future__ import annotations

import io
import random
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from daoqi_tui.engine import Game
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui import output
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.look import Options, written
from daoqi_tui.tui.output import FIRST_FIXED, FIXED, PixelStrip, Terminal, fixed_number
from tests.thorough import rounds
from tests.tui.driving import Person, playing, until

pytestmark = pytest.mark.usefixtures("every_frame")

pyte = pytest.importorskip("pyte", reason="pyte, which shows what a terminal would, is not installed")

_TEXTS = [*"ab ●─│▀棋道，", "é", "  "]
_SYSTEMS = ["truecolor", "256", "standard"]


def styles(system: str) -> list[Style | None]:
    """Return styles of their own: rich keeps the sequence of each for the first number of colours it is written in."""
    own = _SYSTEMS.index(system)
    colours = [f"#10203{own}", f"#ffeed{own}", "red", "default"]
    return [
        *(None, Style(), Style(bold=True), Style(underline=True, bgcolor=f"#22222{own}"), Style(strike=True, dim=True)),
        *(Style(color=ink, bgcolor=ground) for ink in colours for ground in colours),
        Style(italic=True, reverse=True, color=f"#10203{own}"),
    ]


def strip_of(pick: random.Random, width: int, inks: Sequence[Style | None], *, blocks: bool) -> Strip:
    if blocks and pick.random() < 0.2:
        upper, lower = ([pick.choice((0x102030, 0xFFEEDD, 1)) for _ in range(width)] for _ in range(2))
        return PixelStrip(upper, lower)
    segments: list[Segment] = []
    while sum(segment.cell_length for segment in segments) < width:
        text = "".join(pick.choices(_TEXTS, k=pick.randint(1, 6)))
        segments.append(Segment(text, pick.choice(inks)))
    return Strip(segments).crop(0, width)


def in_fixed_colours(strip: Strip) -> Strip:
    """Return a strip in the colours that a terminal with 256 is to show, which Rich then leaves as they are."""

    def fixed(colour: Color | None) -> Color | None:
        return Color.from_ansi(fixed_number(colour.triplet)) if colour is not None and colour.triplet else colour

    return Strip(
        Segment(text, style and style + Style(color=fixed(style.color), bgcolor=fixed(style.bgcolor)), control)
        for text, style, control in strip
    )


def cells(screen: Any) -> list[list[object]]:
    return [[visible(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]


def visible(cell: Any) -> object:
    """Return a cell without the ink of a space, which does not show."""
    shows = cell.data != " " or cell.underscore or cell.strikethrough or cell.reverse
    return cell if shows else cell._replace(fg="default")


@pytest.mark.parametrize("system", _SYSTEMS)
def test_a_terminal_shows_what_it_would_if_all_was_written(system: str) -> None:
    pick = random.Random(system)
    # The styles of half blocks are kept, and so are their sequences for the first number of colours.
    inks, blocks = styles(system), system == "truecolor"
    console = Console(file=io.StringIO(), color_system=system, force_terminal=True)  # type: ignore[arg-type]
    whole_bytes = changed_bytes = 0
    for _ in range(rounds(40, 2_000)):
        width, height = pick.randint(3, 30), pick.randint(2, 8)
        usual, ours = pyte.Screen(width, height), pyte.Screen(width, height)
        streams = pyte.Stream(usual), pyte.Stream(ours)
        terminal = Terminal()
        rows = [strip_of(pick, width, inks, blocks=blocks) for _ in range(height)]
        for number in range(10):
            region = Region(0, 0, width, height)
            if number and pick.random() < 0.6:
                region = Region(0, pick.randrange(height), width, 1)
            for y in region.line_range:
                if pick.random() < 0.7:
                    rows[y] = strip_of(pick, width, inks, blocks=blocks)
            strips = [in_fixed_colours(rows[y]) if system == "256" else rows[y] for y in region.line_range]
            update = LayoutUpdate([[rows[y]] for y in region.line_range], region)
            cursor = pick.randrange(width), pick.randrange(height)
            if pick.random() < 0.1:
                terminal.forget(None if pick.random() < 0.5 else Region(1, 1, 3, 2))
            usual_update = LayoutUpdate([[strip] for strip in strips], region)
            whole = usual_update.render_segments(console) + f"\x1b[{cursor[1] + 1};{cursor[0] + 1}H"
            changed = terminal.frame(update, console, (width, height), cursor)
            assert changed is not None
            for stream, text in zip(streams, (whole, changed), strict=True):
                stream.feed(text)
            assert cells(ours) == cells(usual), repr(changed)
            assert (ours.cursor.x, ours.cursor.y) == cursor
            assert terminal.frame(update, console, (width, height), cursor) == ""
            whole_bytes, changed_bytes = whole_bytes + len(whole), changed_bytes + len(changed)
    assert changed_bytes < 0.75 * whole_bytes


def test_where_it_wrote_is_told() -> None:
    console = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True)
    terminal = Terminal()
    for text in ("abcdefgh", "aXXdefgY", "a棋defgY"):
        update = LayoutUpdate([[Strip([Segment(text)])]], Region(0, 0, 8, 1))
        terminal.frame(update, console, (8, 1), (0, 0))
        areas = [(area.x, area.right) for area in terminal.areas()]
    assert areas == [(1, 3)]


def test_a_style_is_translated_once_and_a_character_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first frame of the board, twelve hundred characters are of seventy kinds."""
    counts: Counter[str] = Counter()
    styled, measured = output.cell_style_of, output.cell_len
    monkeypatch.setattr(output, "cell_style_of", lambda *given: (counts.update(["style"]), styled(*given))[1])
    monkeypatch.setattr(output, "cell_len", lambda text: (counts.update([text]), measured(text))[1])
    console = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True)
    lines = ["┼─" * 20, "│ " * 20]
    strips = [[Strip([Segment(line, Style(bold=True)), Segment(line[:20], Style(bold=True))])] for line in lines]
    Terminal().frame(LayoutUpdate(strips, Region(0, 0, 60, 2)), console, (60, 2), (0, 0))
    assert counts == dict.fromkeys(("style", "┼", "─", "│", " ", *lines, *(line[:20] for line in lines)), 1)


class Recorder:
    """Stands for the driver's output; the app writes its frames to it."""

    def __init__(self, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
        self.frames: list[str] = []
        app = person.app
        write = app.write
        columns, rows = app.size
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)

        def record(text: str) -> None:
            write(text)
            if app._frame is None and text:
                self.frames.append(text)
                self._stream.feed(text)

        monkeypatch.setattr(app, "write", record)
        monkeypatch.setattr(type(app), "is_headless", False)

    def text(self) -> list[str]:
        """Return the lines that the terminal shows."""
        return [line.rstrip() for line in self.screen.display]


async def test_every_screen_is_shown_as_the_compositor_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((120, 40)) as person:
        await person.wait()
        recorder = Recorder(person, monkeypatch)
        person.app.output.forget()
        for key in ("right", "enter", "down", "O", "escape", "question_mark", "escape", "C", "escape", "t", "escape"):
            await person.press(key)
            await person.settle()
        person.app.refresh()
        await until(person, lambda: recorder.frames)
        await person.settle()

        # The last key is carried out in a worker, and what it changes is written with the next frame.
        await until(person, lambda: recorder.text() == text_of(person))
        assert any(recorder.text())
        # A frame equal to the screen costs nothing.
        recorder.frames.clear()
        person.app.refresh()
        person.app.screen.refresh(layout=True)
        await person.settle()
        await person.settle()
        assert recorder.frames == []
        # Unless the terminal is said to lose characters.
        monkeypatch.setattr(person.app, "_writes_frames", True)
        for _ in range(2):
            recorder.frames.clear()
            person.app.screen.refresh(layout=True)
            await until(person, lambda: sum(map(len, recorder.frames)) > 5_000)


async def test_all_that_is_shown_in_256_has_fixed_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich rounds colours badly; a dialog shades all that is behind it, to colours of no palette."""
    monkeypatch.setenv("COLORTERM", "")
    async with playing((80, 24)) as person:
        assert person.app.console.color_system == "256"
        recorder = Recorder(person, monkeypatch)
        for key in ("enter", "n"):
            await person.press(key)
            await person.settle()

        def expected() -> list[str]:
            """Return the backgrounds of all cells."""
            whole = person.app.screen._compositor.render_full_update()
            return [
                written(FIXED[fixed_number(segment.style.bgcolor.triplet) - FIRST_FIXED])[1:]
                for line in whole.strips
                for strip in line
                for segment in strip
                for _ in range(segment.cell_length)
            ]

        def shown() -> list[str]:
            return [recorder.screen.buffer[y][x].bg for y in range(24) for x in range(80)]

        await until(person, lambda: not person.at_the_board and shown() == expected())
        assert len(set(shown())) > 6
        assert not any(re.search("[34]8;2;", frame) for frame in recorder.frames)


async def test_the_first_layout_is_drawn_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What depends on sizes needs no frame of its own: the board, the status line and the hints."""
    shown: list[LayoutUpdate] = []
    display = DaoqiApp._display

    def note(app: DaoqiApp, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, LayoutUpdate):
            shown.append(renderable)
        display(app, screen, renderable)

    def lines(update: LayoutUpdate) -> list[str]:
        return ["".join(segment.text for strip in line for segment in strip) for line in update.strips]

    monkeypatch.setattr(DaoqiApp, "_display", note)
    async with playing((120, 40)) as person:
        compositor = person.screen._compositor
        await until(person, lambda: shown and lines(compositor.render_full_update()) == lines(shown[0]))
        whole = lines(shown[0])
        assert "Black to move" in whole[38]
        assert whole[39].rstrip().endswith("Quit")
        assert "16" in whole[3][:3]


def text_of(person: Person) -> list[str]:
    """Return the lines that the top screen has."""
    whole = person.app.screen._compositor.render_full_update()
    return ["".join(segment.text for strip in line for segment in strip).rstrip() for line in whole.strips]


FULL = 240
"""The stones of a full board, which has 256 points."""
COSTS = {
    "right": (2_500, 18_000),
    "down": (2_500, 18_000),
    "left_square_bracket": (400, 1_500),
    "right_square_bracket": (400, 1_500),
    "l": (400, 400),
    "question_mark": (12_000, 12_000),
    "C": (12_000, 20_000),
    "f7": (12_000, 16_000),
    "O": (17_000, 17_000),
    "escape": (12_000, 22_000),
}
"""The most bytes that a key writes on an empty and on a full board."""
LINE = 400
"""The most bytes of the status line, which may change in a frame of its own, before or after."""


async def fill(person: Person, stones: int) -> None:
    """Open a game of random points whose board has that many stones, and have it shown."""
    pick, game = random.Random(1), Game()
    while sum(map(bool, game.board.colours)) < stones:
        game.play(pick.choice(game.legal_points()))
    person.screen.begin(Session(GameSetup(), game))
    await until(person, lambda: sum(map(bool, person.board.shown.stones)) == stones)


async def frames_of(person: Person, recorder: Recorder, key: str) -> list[int]:
    """Press a key and return the bytes of each frame that follows."""
    recorder.frames.clear()
    await person.press(key)
    quiet, count = 0, 0
    while quiet < 4:
        await person.settle()
        # A frame comes up to a sixtieth of a second after what it shows.
        screen = person.app.screen
        waits = screen._dirty_widgets or screen._layout_required or screen._compositor._dirty_regions
        quiet, count = (quiet + 1 if len(recorder.frames) == count and not waits else 0), len(recorder.frames)
    return [len(frame.encode()) for frame in recorder.frames]


@pytest.mark.parametrize("stones", [0, FULL])
async def test_what_a_key_costs(stones: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((120, 40)) as person:
        await fill(person, stones)
        recorder = Recorder(person, monkeypatch)
        person.app.output.forget()
        # Nothing has been written so far.
        assert sum(await frames_of(person, recorder, "right")) > 5_000
        keys = ("right", "down", "left_square_bracket", "right_square_bracket", "l", "right")
        spent = [(key, await frames_of(person, recorder, key)) for key in keys]
        # With stones the page of openings is scrolled to that of the game in its first frame.
        for key in ("question_mark", "C", "f7", "O"):
            spent += [(each, await frames_of(person, recorder, each)) for each in (key, "escape")]
    over = [(key, frames) for key, frames in spent if sum(frames) > COSTS[key][stones > 0]]
    assert not over, repr(spent)
    assert all(sum(size > LINE for size in frames) <= 1 for _key, frames in spent), repr(spent)
    assert any(key == "right" and frames for key, frames in spent)


TORUS = {0: 18_000, FULL: 40_000}
"""The most bytes of a frame of the torus over a slow line, by the stones on the board."""
FROM_THE_TORUS = 30_000
"""The most bytes from Esc on the torus to the board: 0.15 s at 200 kB a second."""


@pytest.mark.parametrize("stones", [0, FULL])
async def test_the_way_back_from_the_torus_over_a_slow_line(stones: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((120, 40)) as person:
        await fill(person, stones)
        recorder = Recorder(person, monkeypatch)
        # A line that has taken nothing until its frames are cleared.
        behind = property(lambda _driver: bool(recorder.frames))
        monkeypatch.setattr(type(person.app._driver), "behind", behind, raising=False)
        person.app.output.forget()
        await person.press("3")

        def take() -> int:
            assert len(recorder.frames) <= 1, "a frame waits behind another one"
            taken = sum(len(frame.encode()) for frame in recorder.frames)
            recorder.frames.clear()
            return taken

        for _ in range(3):
            await until(person, lambda: recorder.frames)
            assert take() <= TORUS[stones]
        await until(person, lambda: recorder.frames)
        # Of the frame under way the rest is left out, so that it does not matter how large it is.
        [frame] = recorder.frames
        assert isinstance(frame, output.Frame)
        under_way = frame.parts()
        taken = len(next(under_way).encode())
        await person.press("escape")
        await until(person, lambda: person.app._under_way is None)
        taken += sum(len(part.encode()) for part in under_way)
        assert taken <= 2 * output.PART
        recorder.frames.clear()
        recorder.screen.reset()
        back = lambda: person.at_the_board and recorder.text() == text_of(person)  # noqa: E731
        while not back():
            await until(person, lambda: recorder.frames or back())
            taken += take()
        assert 5_000 < taken <= FROM_THE_TORUS


def test_the_rest_of_a_frame_is_left_out_between_two_sequences() -> None:
    text = "".join(f"\x1b[38;2;{number % 256};0;0m{number}" for number in range(2_000))
    whole, cut = output.Frame(text), output.Frame(text)
    assert "".join(whole.parts()) == text
    assert not whole.give_up(), "nothing is left to be left out"
    parts = cut.parts()
    seen = next(parts)
    assert cut.give_up()
    assert output.PART <= len(seen) < output.PART + 30
    assert text.startswith(f"{seen}\x1b")
    assert list(parts) == ["\x1b]8;;\x1b\\\x1b[m"]
    begun = output.Frame("short")
    assert list(begun.parts()) == ["short"]
    assert not begun.give_up()


async def test_a_pan_draws_each_line_once_and_styles_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a bare app of Textual's Line API, that is all a pan costs (``tests/benchmarks/pan.py``)."""
    counts: Counter[str] = Counter()
    render_line, styled = BoardView.render_line, output.cell_style_of
    monkeypatch.setattr(BoardView, "render_line", lambda board, y: (counts.update(["line"]), render_line(board, y))[1])
    monkeypatch.setattr(output, "cell_style_of", lambda *given: (counts.update(["style"]), styled(*given))[1])
    async with playing((120, 40)) as person:
        await fill(person, FULL)
        recorder = Recorder(person, monkeypatch)
        person.app.output.forget()
        around = person.game.torus.columns
        for count in range(2 * around):
            if count == around:
                counts.clear()
            recorder.frames.clear()
            await person.press("right")
            await until(person, lambda: recorder.frames)
        assert 0 < counts["line"] <= around * person.board.size.height
        # The names of the point at the cursor in the status line.
        assert counts["style"] <= 2 * around


async def test_a_list_is_scrolled_in_the_frame_that_highlights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it opens as well as when the highlight leaves the window; the second frame was nearly as long again."""
    async with playing((40, 14), options=Options(board="deuteranopia", motion="reduced")) as person:
        recorder = Recorder(person, monkeypatch)
        await frames_of(person, recorder, "right")
        spent = {key: await frames_of(person, recorder, key) for key in ("T", "escape", "O", "end")}
        assert all(len(spent[key]) == 1 for key in ("T", "O", "end")), spent
