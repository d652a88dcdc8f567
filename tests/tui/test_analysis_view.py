"""Tests the rotated view, the opening pane, the estimate and the openings page, in the app."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from textual.widgets import Static

from daoqi_tui.analysis.opening import class_count, opening_classes
from daoqi_tui.engine import BLACK, WHITE, torus_of
from daoqi_tui.pictures.palettes import KAYA, RGB
from daoqi_tui.pictures.picture import NOBODY, Ghost, Picture
from daoqi_tui.play.session import GameSetup
from daoqi_tui.reading.symmetry import Symmetry
from daoqi_tui.tui.board.viewport import CELLS, UPRIGHT, Cell, Orientation, Viewport, turned
from daoqi_tui.tui.features.openings.screen import OpeningPane, OpeningsScreen, small_board
from daoqi_tui.tui.look import Options
from tests.tui.driving import Person, playing, until

ORIENTATIONS = [Orientation(transposed, turns) for transposed in (False, True) for turns in range(4)]


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_an_orientation_turns_as_a_symmetry_does(orientation: Orientation) -> None:
    torus = torus_of(7)
    symmetry = Symmetry(7, orientation.transposed, orientation.turns)
    for point in range(49):
        shown = orientation.shown(7, *torus.position(point))
        assert shown == torus.position(symmetry.point(point))
        assert orientation.board(7, *shown) == torus.position(point)
    assert orientation.swapped == (orientation.shown(7, 1, 0)[1] != 0)
    assert orientation.step_back(*orientation.step(2, 3)) == (2, 3)


@pytest.mark.parametrize(("orientation", "cell"), itertools.product(ORIENTATIONS, CELLS))
def test_a_turned_window_finds_every_point_where_it_shows_it(orientation: Orientation, cell: Cell) -> None:
    viewport = Viewport(7, cell, 46, 24, x=5, y=3, orientation=orientation)
    for row, column in itertools.product(range(7), range(7)):
        assert viewport.point_at(*viewport.place_of(row, column)) == (row, column)
        assert viewport.centred_on(row, column).middle_point() == (row, column)
    assert viewport.at_origin().orientation == UPRIGHT
    standard = viewport.turned_to(orientation, 2, 5)
    x, y = standard.place_of(2, 5)
    middle_x, middle_y = cell.middle
    assert (x, y) == (standard.bright_columns.start + middle_x, standard.bright_rows.start + middle_y)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_everything_in_a_picture_turns_with_its_points(orientation: Orientation) -> None:
    size = 3
    picture = Picture(
        size,
        bytes((BLACK, WHITE, 0, 0, 0, 0, 0, 0, 0)),
        last=0,
        cursor=1,
        ghost=Ghost(2, BLACK),
        chain=frozenset({0}),
        liberties=frozenset({3}),
        owners=bytes((1, 2, 0, 0, 0, 0, 0, 0, 2)),
        dead=frozenset({1}),
        refused=5,
        labels={4: "7"},
        strength=bytes((NOBODY,) * 8 + (NOBODY + 3,)),
        marks={6: "white"},
        badges={0: "atari"},
    )
    seen = turned(picture, orientation)
    at = [row * size + column for row, column in (orientation.shown(size, *divmod(point, size)) for point in range(9))]
    assert seen == seen._replace(
        last=at[0],
        cursor=at[1],
        ghost=Ghost(at[2], BLACK),
        chain=frozenset({at[0]}),
        liberties=frozenset({at[3]}),
        dead=frozenset({at[1]}),
        refused=at[5],
        labels={at[4]: "7"},
        marks={at[6]: "white"},
        badges={at[0]: "atari"},
    )
    assert seen.owners is not None
    assert seen.strength is not None
    for point in range(9):
        assert seen.stones[at[point]] == picture.stones[point]
        assert seen.owners[at[point]] == picture.owners[point]  # type: ignore[index]
        assert seen.strength[at[point]] == picture.strength[point]  # type: ignore[index]


def lines(person: Person) -> list[str]:
    """Return the lines of the board as drawn."""
    return [person.board.render_line(y).text for y in range(person.board.size.height)]


async def test_the_standard_form_turns_the_view_and_not_the_game() -> None:
    async with playing((80, 30), setup=GameSetup(9)) as person:
        await person.play("G3", "E4", "C7")
        position, moves = person.position, person.moves
        await person.press("S")
        assert person.position == position
        assert person.moves == moves
        viewport = person.viewport
        assert viewport.orientation != UPRIGHT
        # Black's first stone is at the top left; White's is to its lower right, no further across than down.
        corner = viewport.place_of(*person.game.torus.position(person.game.torus.parse("G3")))
        cell = viewport.cell
        assert corner == (viewport.bright_columns.start + cell.middle[0], viewport.bright_rows.start + cell.middle[1])
        x, y = viewport.place_of(*person.game.torus.position(person.game.torus.parse("E4")))
        assert ((x - corner[0]) // cell.width, (y - corner[1]) // cell.height) == (1, 2)
        assert "knight's move, (1,2)" in person.status


async def test_names_belong_to_points_in_a_turned_view() -> None:
    async with playing((60, 30), setup=GameSetup(9)) as person:
        await person.play("G3", "E4")
        await person.press("S")
        assert person.viewport.orientation.swapped
        shown = lines(person)
        x, y = person.viewport.place_of(*person.game.torus.position(person.game.torus.parse("G3")))
        # In the transposed view rows are labelled with letters and columns with numbers.
        assert shown[1 + y][:3].strip() == "G"
        assert shown[0][3 + x] == "3"
        # A click plays on the point drawn there.
        await person.click_point("C8")
        assert person.moves[-1] == "C8"
        # The cursor keys move in screen directions, not in board directions.
        before = person.cursor_place
        await person.press("l")
        assert person.cursor_place == (before[0] + person.viewport.cell.width, before[1])
        assert person.cursor[0] == "C"


@pytest.mark.parametrize("again", ["S", "0"])
async def test_the_view_turns_back(again: str) -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("G3", "E4")
        before = lines(person)
        await person.press("S")
        assert lines(person) != before
        await person.press(again)
        assert lines(person) == before
        assert person.viewport == person.viewport.at_origin()


@pytest.mark.parametrize("moves", [("G3", "E4"), ("E5", "F3")], ids=["turned", "only panned"])
async def test_the_view_goes_back_to_where_it_was_before_the_standard_form(moves: tuple[str, str]) -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play(*moves)
        await person.press("right", "down")
        before = person.viewport
        await person.press("S")
        assert person.viewport != before
        await person.press("S")
        assert person.viewport == before
        assert "turned back" in person.status


async def test_an_empty_board_has_no_standard_form() -> None:
    async with playing() as person:
        await person.press("S")
        assert person.viewport.orientation == UPRIGHT
        assert "first stone" in person.status


def pane_text(person: Person) -> str:
    return str(person.screen.query_one(OpeningPane).content)


async def test_the_pane_names_the_opening() -> None:
    async with playing() as person:
        await person.show_pane("opening")
        assert "No opening yet" in pane_text(person)
        await person.play("I8", "J10")
        text = pane_text(person)
        assert "Opening 4 of 44" in text
        assert "knight's move, (1,2)" in text
        assert "小飞" not in text
        assert not person.board.picture.labels


async def test_the_pane_shows_what_others_played(tmp_path: Path) -> None:
    from daoqi_tui.paths import library_folder

    folder = library_folder()
    assert tmp_path in folder.parents
    folder.mkdir(parents=True)
    opening = "SZ[9]TO[3]GM[1];B[ee];W[eg]"
    for number, next_move in enumerate((";B[ci]", ";B[ci]", ";B[aa]", "")):
        (folder / f"{number}.sgf").write_text(f"(;{opening}{next_move})")
    async with playing(setup=GameSetup(9)) as person:
        # The same opening, translated and rotated: White is two points to the left of Black.
        await person.play("C3", "A3")
        await person.show_pane("opening")
        await until(person, lambda: "4 games in the library" in pane_text(person))
        shown = {person.game.torus.name(point): label for point, label in person.board.picture.labels.items()}
        # One continuation is two columns and four rows away, the other four and four; each has its mirror image.
        assert sorted(shown.values()) == ["1", "1", "2", "2"]
        rows = {name: int(name[1:]) for name, label in shown.items() if label == "2"}
        assert len({(row - 3) % 9 for row in rows.values()}) == 2
        assert sum((row - 3) % 9 for row in rows.values()) == 9
        await person.press("tab")
        assert not person.board.picture.labels


async def test_the_estimate_shows_strength_and_the_sum() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.lay_out("""
            . . . . . . . . .
            X X X X X . . . .
            X . X . X . . . .
            X X X X X . . . .
            . . . . O O O O O
            . . . . O . O . O
            . . . . O O O O O
            . . . . . . . . .
            . . . . . . . . .
        """)
        await person.press("e")
        await until(person, lambda: person.board.picture.strength is not None)
        strength = person.board.picture.strength
        assert strength is not None
        assert strength[2 * 9 + 1] == NOBODY + 3
        assert strength[5 * 9 + 7] == NOBODY - 3
        assert person.status.startswith("Estimate: ")
        assert re.search(r"(Black|White) by \d+(\.\d)? ±", person.text("#area")), person.text("#area")
        assert person.screen.query_one("#area").border_title == "Estimate"
        await person.press("t")
        assert person.board.picture.strength is None
        assert person.board.picture.owners is not None
        assert person.screen.query_one("#area").border_title == "Count"
        await person.press("e", "e")
        assert person.board.picture.strength is None
        assert person.board.picture.owners is None


async def test_the_count_is_written_out() -> None:
    async with playing(setup=GameSetup(5, 4)) as person:
        await person.lay_out("""
            X X O O .
            X X O O .
            X X O O .
            X X O O .
            X X O O .
        """)
        await person.play("pass", "E3", "pass")
        await person.press("t")
        assert person.status.startswith("Black 10 − 2 passes = 8, White 11 + 4 = 15  ·  if the game ended now"), (
            person.status
        )


async def test_all_openings_stand_on_one_page() -> None:
    async with playing() as person:
        await person.play("I8", "J10")
        await person.press("O")
        screen = person.open(OpeningsScreen)
        assert len(screen.cards) == class_count(16) == 44
        assert [card.number for card in screen.cards if card.has_class("-present")] == [4]
        assert screen.highlighted.number == 4
        await person.press("escape")
        assert person.at_the_board


@pytest.mark.parametrize("size", [9, 16])
def test_small_boards_show_the_displacement(size: int) -> None:
    for kind in opening_classes(size):
        pixels: dict[RGB, list[tuple[int, int]]] = {}
        for y, row in enumerate(small_board(kind, size)):
            for x, colour in enumerate(row):
                pixels.setdefault(colour, []).append((y, x))
        (black,), (white,) = (pixels[shade] for shade in (KAYA.bright.black, KAYA.bright.white))
        assert ((white[1] - black[1]) % size, (white[0] - black[0]) % size) == kind.displacement


@pytest.mark.parametrize(("no_color", "glyphs", "stones"), [("1", "auto", "●○"), ("", "ascii", "XO")])
async def test_where_pixels_cannot_be_shown_openings_are_written_in_signs(
    monkeypatch: pytest.MonkeyPatch, no_color: str, glyphs: str, stones: str
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    async with playing((100, 40), GameSetup(size=9), Options(glyphs=glyphs)) as person:
        await person.press("O")
        screen = person.open(OpeningsScreen)
        await until(person, lambda: screen.cards[0].region.area)
        rows = [screen.cards[0].render_line(y).text.split() for y in range(9)]
        black, white = stones
        # The first two stones touch; Black's best replies are numbered.
        assert [len(row) for row in rows] == [9] * 9
        assert rows[4] == ["·", "·", "·", "2", black, "2", "·", "·", "·"]
        assert rows[5] == ["·", "·", "·", "1", white, "1", "·", "·", "·"]
        assert "1 to 3: where Black answers best" in str(screen.query_one("#openings-made", Static).content)


async def test_without_colours_the_highlighted_opening_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing(setup=GameSetup(size=9)) as person:
        await person.press("O", "right")
        screen = person.open(OpeningsScreen)
        assert [card.rich_style.reverse for card in screen.cards[:3]] == [None, True, None]
