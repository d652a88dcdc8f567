"""The board as a Sixel picture."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import pytest
from textual.geometry import Region

from daoqi_tui.pictures.palettes import BOARDS
from daoqi_tui.pictures.raster import Pixels
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.board.lines import GUTTER, HEADER
from daoqi_tui.tui.graphics import Sixel
from daoqi_tui.tui.graphics.pictures import Pictures
from daoqi_tui.tui.graphics.sixel import Flat, SixelBoard
from daoqi_tui.tui.look import Options
from tests.tui.driving import Person, playing, until
from tests.tui.graphics.dimming import LEAST, contrast, point_at
from tests.tui.graphics.sixel_terminal import MOST, Picture, SixelTerminal

CELL = (8, 17)
ALL = Sixel(256)


@asynccontextmanager
async def painted(
    window: tuple[int, int] = (120, 40),
    *,
    options: Options | None = None,
    size: int = 16,
    sixel: Sixel = ALL,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[Person, SixelTerminal]]:
    """A game in a terminal that is told what is painted, and where characters are written."""
    terminal = SixelTerminal(*window, CELL, sixel.largest)
    written = SixelBoard.written

    def told(board: SixelBoard, areas: Iterable[Region]) -> None:
        known = list(areas)
        for area in known:
            terminal.characters(*area)
        written(board, known)

    monkeypatch.setattr(SixelBoard, "written", told)
    async with playing(window, options=options or Options(motion="reduced"), setup=GameSetup(size=size)) as person:
        person.app.pictures.write = terminal.write
        person.app.pictures.found(CELL, sixel)
        await rested(person, terminal)
        yield person, terminal


def board_of(terminal: SixelTerminal, person: Person) -> Picture:
    """What is painted where the board is."""
    x, y, width, height = person.board.region
    rows, columns = slice(y * CELL[1], (y + height) * CELL[1]), slice(x * CELL[0], (x + width) * CELL[0])
    return terminal.seen[rows, columns]


def is_whole(terminal: SixelTerminal, person: Person) -> bool:
    return bool(board_of(terminal, person)[:, :, 3].all())


async def rested(person: Person, terminal: SixelTerminal) -> None:
    await until(person, lambda: is_whole(terminal, person))
    await person.settle()


def drawn(person: Person, colours: int = 64) -> Picture:
    flat = Flat(Pixels(*CELL), colours)
    indices = flat.draw(person.board, person.viewport)
    return flat.colours[indices]


def is_drawn(terminal: SixelTerminal, person: Person, colours: int = 64) -> bool:
    return bool(abs(board_of(terminal, person)[:, :, :3].astype(int) - drawn(person, colours)).max() <= 2)


async def test_at_rest_the_board_is_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        await person.play("C3", "D4", "P16", "A1", "pass")
        # The board may be whole for a moment before it is painted anew.
        await until(person, lambda: is_drawn(terminal, person))


async def test_resized_it_is_painted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        # A terminal has its new size before the program hears of it.
        terminal.characters(0, 0, 120, 40)
        terminal.size = 100, 38
        await person.pilot.resize_terminal(100, 38)
        await rested(person, terminal)


@pytest.mark.parametrize("length", ["width", "height"])
async def test_a_board_without_room_beside_its_labels_is_not_painted(
    length: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        before = getattr(person.board.styles, length)
        setattr(person.board.styles, length, 1)
        await until(person, lambda: getattr(person.board.size, length) == 1)
        received = terminal.received
        person.app.pictures.sync()
        assert terminal.received == received
        setattr(person.board.styles, length, before)
        await until(person, lambda: getattr(person.board.size, length) > 1)
        await rested(person, terminal)


async def test_a_move_paints_only_its_point(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        await person.play("C3", "D4")
        # The board may be whole before the two are painted.
        await until(person, lambda: is_whole(terminal, person) and is_drawn(terminal, person))
        whole = terminal.received
        costs = []
        for name in ("E5", "F6", "G7", "A1"):
            before = terminal.received
            await person.play(name)
            await until(person, lambda: is_whole(terminal, person) and is_drawn(terminal, person))
            costs.append(terminal.received - before)
        # One of them may paint the whole board, before xterm drops the oldest picture of it.
        *others, _largest = sorted(costs)
        assert max(others) < min(whole / 4, 6_000)


async def test_a_pan_paints_the_board_where_it_is_now_and_never_its_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        await person.play("C3")
        await rested(person, terminal)
        before = terminal.pictures
        for step in range(5):
            person.board.set_viewport(person.viewport.pan_points(1, step % 2))
            assert is_whole(terminal, person)
            await until(person, lambda: is_drawn(terminal, person))
            assert is_whole(terminal, person)
            assert not any(person.board.render_line(y).text.strip() for y in range(person.board.size.height))
        assert terminal.pictures - before <= 5 * MOST


async def test_a_board_in_a_terminal_that_is_busy_is_painted_once_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        is_busy = True
        monkeypatch.setattr(person.app.pictures.painters[person.board], "_ready", lambda: not is_busy)
        before = terminal.pictures
        for _each in range(5):
            person.board.set_viewport(person.viewport.pan_points(1, 0))
        assert terminal.pictures == before
        is_busy = False
        await until(person, lambda: is_drawn(terminal, person))
        assert terminal.pictures - before <= MOST


async def test_xterm_keeps_few_pictures_and_shows_all_of_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        for place in range(2 * MOST):
            await person.play(f"{'ABCDEFGHIJKLMNOP'[place * 5 % 16]}{place // 16 * 5 + 3}")
            await until(person, lambda: is_whole(terminal, person) and is_drawn(terminal, person))


async def test_below_a_dialog_the_board_is_the_same_but_darker(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        await person.play("C3")
        await rested(person, terminal)
        before = board_of(terminal, person)[: 2 * CELL[1]].copy()
        await person.press("C")
        await until(person, lambda: bool((board_of(terminal, person)[: 2 * CELL[1]] != before).any()))
        dialog = person.app.screen.query(".dialog").first().region
        below = board_of(terminal, person)
        inside = terminal.seen[
            dialog.y * CELL[1] : dialog.bottom * CELL[1], dialog.x * CELL[0] : dialog.right * CELL[0]
        ]
        assert not inside.any()
        share = below[: 2 * CELL[1], :, :3].mean() / before[:, :, :3].mean()
        assert 0.4 < share < 0.8
        await person.press("escape")
        await rested(person, terminal)
        await until(person, lambda: is_drawn(terminal, person))


async def test_a_screen_of_its_own_shows_nothing_of_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        rewritten: list[Region] = []
        monkeypatch.setattr(person.app, "_redraw", lambda *areas: rewritten.extend(areas))
        still = person.app.pictures.painters[person.board]
        still.hide()
        assert rewritten == [person.board.region]
        still.hide()
        assert rewritten == [person.board.region]
        before = terminal.pictures
        await person.press("3")
        await person.settle()
        assert not terminal.seen.any()
        assert terminal.pictures == before


async def test_what_lies_over_the_board_is_left_free(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted((80, 24), size=9, monkeypatch=monkeypatch) as (person, terminal):
        before = terminal.pictures
        cover = Region(10, 5, 20, 4)
        still = person.app.pictures.painters[person.board]
        still.written([cover])
        terminal.characters(*cover)
        still.sync([cover])
        inside = slice(5 * CELL[1], 9 * CELL[1]), slice(10 * CELL[0], 30 * CELL[0])
        assert terminal.pictures == before
        assert not terminal.seen[inside].any()
        still.sync([])
        assert terminal.seen[inside][:, :, 3].all()


async def test_few_colours_and_small_pictures_are_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(sixel=Sixel(16, (400, 300)), monkeypatch=monkeypatch) as (person, terminal):
        await person.play("C3", "D4")
        await until(person, lambda: is_drawn(terminal, person, 16))
        assert terminal.colours <= 16


async def test_a_busy_terminal_is_sent_no_whole_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        asked, is_busy = 0, True

        def ready(_pictures: Pictures) -> bool:
            nonlocal asked
            asked += 1
            return not is_busy

        monkeypatch.setattr(Pictures, "ready", ready)
        person.app.pictures.renew()
        before = terminal.pictures
        terminal.characters(*person.board.region)
        await until(person, lambda: asked > 2)
        assert terminal.pictures == before
        is_busy = False
        await rested(person, terminal)
        assert terminal.pictures == before + 1


async def test_other_boards_and_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(size=9, monkeypatch=monkeypatch) as (person, terminal):
        before = board_of(terminal, person).copy()
        person.app.apply_options(Options(board="slate", motion="reduced"))
        await until(person, lambda: is_whole(terminal, person) and (board_of(terminal, person) != before).any())
        await person.press("minus")
        await until(person, lambda: is_drawn(terminal, person))


@pytest.mark.parametrize(
    ("wanted", "by_itself", "shown"),
    [
        ("auto", True, True),
        ("auto", False, False),
        ("sixel", False, True),
        ("kitty", True, False),
        ("off", True, False),
    ],
)
async def test_it_is_shown_where_it_is_wanted(wanted: str, by_itself: bool, shown: bool) -> None:
    async with playing(options=Options(graphics=wanted, motion="reduced")) as person:
        person.app.pictures.write = SixelTerminal(120, 40, CELL).write
        person.app.pictures.found(CELL, ALL, by_itself=by_itself)
        assert bool(person.app.pictures.painters) == shown


async def test_switched_off_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, terminal):
        pictures = terminal.pictures
        person.app.apply_options(Options(graphics="off", motion="reduced"))
        await person.play("C3", "D4")
        assert terminal.pictures == pictures
        assert not person.app.pictures.painters


async def test_the_bright_period_is_where_the_window_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with painted(monkeypatch=monkeypatch) as (person, _terminal):
        for _each in range(3):
            seen = drawn(person)[HEADER * CELL[1] :, GUTTER * CELL[0] :].astype(float).mean(axis=2)
            columns, rows = person.viewport.bright_columns, person.viewport.bright_rows
            left = columns.start
            inside = seen[rows.start : rows.stop, left : columns.stop]
            assert inside.mean() > 1.2 * seen[:, left - CELL[0] : left].mean()
            assert inside[:, : CELL[0]].mean() > 0.9 * inside.mean()
            assert inside[:, -CELL[0] :].mean() > 0.9 * inside.mean()
            assert inside[: CELL[1]].mean() > 0.9 * inside.mean()
            assert inside[-CELL[1] :].mean() > 0.9 * inside.mean()
            person.board.set_viewport(person.viewport.pan(*CELL))


@pytest.mark.parametrize("theme", BOARDS)
async def test_the_board_and_stones_of_both_colours_differ_from_their_copies(theme: str) -> None:
    async with playing((120, 40), options=Options(motion="reduced", board=theme), setup=GameSetup(size=9)) as person:
        person.app.pictures.found(CELL, ALL)
        await person.play("A9", "I1", "E5", "F5")
        shown, viewport = drawn(person)[HEADER * CELL[1] :, GUTTER * CELL[0] :], person.viewport
        point, columns, rows = viewport.cell, viewport.bright_columns, viewport.bright_rows
        left, top, right, bottom = columns.start, rows.start, columns.stop, rows.stop
        assert right + point[0] < shown.shape[1]
        across, along = point[0] / 2, point[1] / 2
        for own, copy in (
            # A9 is black, I1 white, I9 empty.
            ((left + across, top + along), (right + across, top + along)),
            ((right - across, bottom - along), (left - across, bottom - along)),
            ((right - across, top + along), (left - across, top + along)),
        ):
            assert contrast(point_at(shown, *own, point), point_at(shown, *copy, point)) >= LEAST


@pytest.mark.parametrize("theme", ["kaya", "night"])
async def test_names_stand_on_the_frame_and_the_wood_falls_off_in_steps(theme: str) -> None:
    async with playing(options=Options(board=theme)) as person:
        person.app.pictures.found(CELL, ALL)
        shown, palette = drawn(person), person.board.painted
        assert tuple(shown[0, 0]) == palette.frame
        # From the seam down through the first dim point, beside its vertical line.
        x = GUTTER * CELL[0] + person.viewport.bright_columns.start + CELL[0]
        y = HEADER * CELL[1] + person.viewport.bright_rows.stop
        fading = shown[y : y + 2 * CELL[1] - CELL[1] // 4, x]
        assert len({tuple(colour) for colour in fading.tolist()}) > 3
