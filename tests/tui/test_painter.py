"""Painted board lines as text: single characters in small cells, shapes in large ones."""

from __future__ import annotations

import itertools
from functools import cache

import pytest

from daoqi_tui.engine import BLACK, EMPTY, WHITE
from daoqi_tui.pictures.palettes import BOARDS, GRADES, KAYA, Shades, contrast
from daoqi_tui.pictures.picture import NOBODY, SIGNS, Chip, Ghost, Mistake, Picture
from daoqi_tui.pictures.raster import Pixels, Raster
from daoqi_tui.tui.board.lines import Ink, paint
from daoqi_tui.tui.board.viewport import CELLS, Cell
from daoqi_tui.tui.look import ASCII, DISCS, HATCHED, ROUND, TILES, Glyphs, plain_style
from tests.engine.pictures import points_of, rows_of
from tests.every import every

SMALL, MIDDLE, LARGE = CELLS


def picture(drawing: str, **marks: object) -> Picture:
    """Return a picture of stones drawn with X, O and ``.``; other characters are empty points."""
    stones = [{"X": BLACK, "O": WHITE}.get(sign, EMPTY) for sign in "".join(rows_of(drawing))]
    return Picture(len(rows_of(drawing)), bytes(stones), **marks)  # type: ignore[arg-type]


def _glyphs_id(glyphs: Glyphs) -> str:
    return glyphs.name if glyphs.black == glyphs.white or len(glyphs.black) == 1 else f"{glyphs.name}-hatched"


def shown(seen: Picture, cell: Cell = SMALL, glyphs: Glyphs = ROUND) -> list[str]:
    """Return all lines of one period as text."""
    return [
        "".join(paint(seen, cell, glyphs, row, line).characters)
        for row in range(seen.size)
        for line in range(cell.height)
    ]


def inks(seen: Picture, cell: Cell, row: int, column: int) -> list[list[Ink]]:
    """Return the inks of one point's cell, one list per line."""
    start = column * cell.width
    return [paint(seen, cell, DISCS, row, line).inks[start : start + cell.width] for line in range(cell.height)]


def colours_in(seen: Picture, cell: Cell, row: int, column: int) -> set[str]:
    """Return the shades visible in a point's cell."""
    start = column * cell.width
    found = set()
    for line in range(cell.height):
        characters, line_inks = paint(seen, cell, DISCS, row, line)
        for place in range(start, start + cell.width):
            foreground, background, _, _ = line_inks[place]
            found.add(background)
            if characters[place] != " ":
                found.add(foreground)
    return found


EMPTY_BOARD = """
    . . .
    . . .
    . . .
"""


def test_an_empty_board_is_a_grid_with_a_seam_at_its_right() -> None:
    assert shown(picture(EMPTY_BOARD)) == ["┼─┼─┼╫"] * 3


def test_the_seam_below_the_last_row_is_underlined_and_only_there() -> None:
    board = picture(EMPTY_BOARD)
    for cell in CELLS:
        places = list(itertools.product(range(3), range(cell.height)))
        lines = [paint(board, cell, DISCS, *place).inks for place in places]
        # In cells of 4 × 2 the grid is drawn with underlines, too, in another ink.
        expected = [cell == MIDDLE and line == 0 for _, line in places[:-1]]
        assert [{ink[3] for ink in inks} for inks in lines] == [{each} for each in (*expected, True)], cell
        if cell != SMALL:
            assert [inks[0][0] for inks in lines] == [*["line"] * len(expected), "seam"], cell


def raster(seen: Picture, cell: Cell, glyphs: Glyphs) -> list[list[bool]]:
    """Return which pixels show stones, with 8 × 16 square pixels per character."""
    rows: list[list[bool]] = []
    for row, line in itertools.product(range(seen.size), range(cell.height)):
        characters, line_inks = paint(seen, cell, glyphs, row, line)
        for y, eighth in ((y, y // 2) for y in range(16)):
            pixels: list[bool] = []
            for character, (foreground, background, _, _) in zip(characters, line_inks, strict=True):
                for x in range(8):
                    inside = _covers(character, x, eighth)
                    pixels.append((foreground if inside else background).startswith(("black", "white")))
            assert len(pixels) == 8 * cell.width * seen.size, y
            rows.append(pixels)
    return rows


def _covers(character: str, x: int, y: int) -> bool:
    """Return True if a block character covers column ``x`` and row ``y`` of 8 × 8 parts, from the top left."""
    if "▁" <= character <= "█":
        return y >= 8 - (ord(character) - ord("▁") + 1)
    quadrants = {"▘": (0, 0), "▝": (4, 0), "▖": (0, 4), "▗": (4, 4)}
    if character in quadrants:
        left, top = quadrants[character]
        return left <= x < left + 4 and top <= y < top + 4
    return character == "▀" and y < 4


@pytest.mark.parametrize("cell", [MIDDLE, LARGE], ids=["4x2", "6x3"])
@pytest.mark.parametrize("stones", ["X X X\n X X X\n X X X", "O O O\n O O O\n O O O"], ids=["black", "white"])
def test_discs_are_round_and_stand_apart(cell: Cell, stones: str) -> None:
    pixels = raster(picture(stones), cell, DISCS)
    period = 8 * cell.width
    across = [any(row[x] for row in pixels) for x in range(period)]
    along = [any(row) for row in pixels[: 16 * cell.height]]
    # Neighbours never touch, in either direction.
    assert across.count(False) >= period / 8
    assert along.count(False) >= period / 8
    width, height = across.count(True), along.count(True)
    assert 0.85 <= width / height <= 1.15
    left, top = across.index(True), along.index(True)
    disc = [row[left : left + width] for row in pixels[top : top + height]]
    radius = width / 2
    wrong = sum(
        pixel != ((x + 0.5 - radius) ** 2 + ((y + 0.5) * width / height - radius) ** 2 <= radius**2)
        for y, row in enumerate(disc)
        for x, pixel in enumerate(row)
    )
    assert wrong < 0.12 * width * height  # a square would have 0.21
    assert not any((disc[0][0], disc[0][-1], disc[-1][0], disc[-1][-1]))


ON_A_STONE: list[dict[str, object]] = [
    {"last": 4},
    {"dead": frozenset({4})},
    {"badges": {4: "atari"}},
    {"badges": {4: "ladder"}, "labels": {4: "12"}},
    *({"labels": {4: label}} for label in ("7", "23", "123", "A", "WWW", "▲")),
    {"labels": {4: "123"}, "last": 4},
    *({"mistakes": {4: Mistake(grade, punished=grade == 2)}} for grade in (1, 2)),
    {"mistakes": {4: Mistake(3, punished=True)}, "last": 4, "badges": {4: "atari"}},
    {"labels": {4: "7"}, "badges": {4: "atari"}},
]
"""What marks the stone in the middle of a board."""


def _marks_id(marks: object) -> str:
    return "+".join(f"{name}-{value}" for name, value in marks.items()) if isinstance(marks, dict) else str(marks)


def occupied(seen: Picture, cell: Cell, glyphs: Glyphs, bare: list[list[bool]] | None = None) -> list[list[bool]]:
    """Return which pixels show anything but the grid, with 8 × 16 pixels per character; text fills its character.

    A badge beside a stone does not count: one in a character that is empty in ``bare``, an unmarked board.
    """
    rows: list[list[bool]] = []
    for row, line in itertools.product(range(seen.size), range(cell.height)):
        characters, line_inks = paint(seen, cell, glyphs, row, line)
        drawn = [_drawn(character, *ink[:2]) for character, ink in zip(characters, line_inks, strict=True)]
        for y in range(16):
            pixels: list[bool] = []
            for place, lines in enumerate(drawn):
                refused = line_inks[place][1] == "refused" or line_inks[place][0] in GRADES
                beside = refused and bare is not None and not bare[len(rows)][8 * place + 4]
                pixels += [False] * 8 if beside else lines[y // 2]
            rows.append(pixels)
    return rows


@cache
def _drawn(character: str, foreground: str, background: str) -> list[list[bool]]:
    """Return which of 8 × 8 parts of a character show anything but the grid."""
    block = "▀" <= character <= "█" or "▖" <= character <= "▟"
    bare = background if block or background != "board" else foreground
    shades = [[foreground if block and _covers(character, x, y) else bare for x in range(8)] for y in range(8)]
    return [[shade not in ("board", "line", "seam") for shade in row] for row in shades]


@every("marks", ON_A_STONE, ids=_marks_id)
@every("stone", "XO")
@every("glyphs", [DISCS, TILES], ids=_glyphs_id)
@every("cell", [MIDDLE, LARGE], ids=["4x2", "6x3"])
def test_a_marked_stone_has_its_neighbours_outline(
    cell: Cell, glyphs: Glyphs, stone: str, marks: dict[str, object]
) -> None:
    """The edges have the same characters and colours, and what is written is inside."""
    drawing = f"{stone} . {stone}\n . {stone} .\n . . ."
    plain, marked = picture(drawing), picture(drawing, **marks)
    assert shown(plain, cell, glyphs) != shown(marked, cell, glyphs)
    bare = occupied(plain, cell, glyphs)
    assert occupied(marked, cell, glyphs, bare) == bare
    for line in range(cell.height):
        before, after = (paint(each, cell, glyphs, 1, line) for each in (plain, marked))
        for place, (character, ink) in enumerate(zip(*before, strict=True)):
            if ink[1] == "board" and character not in " █":
                assert (after.characters[place], after.inks[place]) == (character, ink), (line, place)


@every("marks", ON_A_STONE, ids=_marks_id)
@every("stone", "XO")
@every("cell", CELLS, ids=["2x1", "4x2", "6x3"])
@every("glyphs", [ROUND, DISCS, TILES, HATCHED, ASCII], ids=_glyphs_id)
def test_a_mark_stays_in_the_place_of_its_stone(
    cell: Cell, glyphs: Glyphs, stone: str, marks: dict[str, object]
) -> None:
    """Where a stone is a sign, a mark of one character takes its place, and a longer one stays on its point."""
    drawing = f". . .\n . {stone} .\n . . ."
    bare = occupied(picture(drawing), cell, glyphs)
    found = occupied(picture(drawing, **marks), cell, glyphs, bare)
    label = str(dict(marks.get("labels", {})).get(4, ""))  # type: ignore[call-overload]
    inside = range(8 * cell.width, 16 * cell.width)
    wide = len(label) > 1 and (glyphs is ROUND or (cell == SMALL and len(glyphs.black) == 1))
    for before, after in zip(bare, found, strict=True):
        if wide:
            assert not any(pixel for x, pixel in enumerate(after) if x not in inside)
        else:
            assert after == before


@pytest.mark.parametrize("cell", [MIDDLE, LARGE], ids=["4x2", "6x3"])
def test_where_shapes_tell_a_stone_of_a_large_cell_is_one_sign_on_its_crossing(cell: Cell) -> None:
    lines = shown(picture("X O .\n . . .\n . . ."), cell)
    middle_x, middle_y = cell.middle
    assert "".join(lines).count("●") == "".join(lines).count("○") == 1
    assert (lines[middle_y][middle_x], lines[middle_y][cell.width + middle_x]) == ("●", "○")
    assert not set("".join(lines)) & set("▀▄█▌▐")


def test_stones_differ_by_shape() -> None:
    assert shown(picture(". X O\n O X .\n . . .")) == ["┼─●─○╫", "○─●─┼╫", "┼─┼─┼╫"]


def test_the_last_stone_differs_from_the_others() -> None:
    assert shown(picture("X X O\n O . .\n . . .", last=0))[0] == "◉─●─○╫"
    assert shown(picture("X X O\n O . .\n . . .", last=2))[0] == "●─●─◎╫"


def test_the_cursor_brackets_its_point_and_reaches_over_the_seam() -> None:
    assert shown(picture(EMPTY_BOARD, cursor=4)) == ["┼─┼─┼╫", "┼[┼]┼╫", "┼─┼─┼╫"]
    assert shown(picture(EMPTY_BOARD, cursor=3))[1] == "┼]┼─┼["
    assert shown(picture("X . .\n . . .\n . . .", cursor=0))[0] == "●]┼─┼["


@pytest.mark.parametrize(("cell", "row"), [(SMALL, "+[X]+:"), (MIDDLE, "-+-[XXX]-+-:"), (LARGE, "--+--[XXXXX]--+--:")])
def test_the_cursor_brackets_stones_of_letters(cell: Cell, row: str) -> None:
    board = picture(". . .\n . X .\n . . .", cursor=4)
    assert shown(board, cell, ASCII)[cell.height + cell.middle[1]] == row


@every("glyphs", [ROUND, DISCS, TILES, HATCHED, ASCII], ids=_glyphs_id)
@every("cell", CELLS)
def test_the_cursor_leaves_what_is_written(cell: Cell, glyphs: Glyphs) -> None:
    texts: list[dict[str, object]] = [
        {"chips": {3: Chip(0, ("52%", "-0.3", "123"), 1), 4: Chip(1, ("48%", "-1.5", "99"), 2)}},
        {"badges": {4: "atari"}},
        {"labels": {4: "123"}},
        {"labels": {3: "12", 4: "abc"}},
    ]
    for marks in texts:
        drawing = ". . .\n . X .\n . . ." if "badges" in marks else EMPTY_BOARD
        alone, pointed = (
            [paint(picture(drawing, cursor=cursor, **marks), cell, glyphs, 1, line) for line in range(cell.height)]
            for cursor in (None, 4)
        )
        assert [line.inks for line in alone] != [line.inks for line in pointed], marks
        for before, after in zip(alone, pointed, strict=True):
            seen = zip(before.characters, after.characters, before.inks, strict=True)
            for character, now, (_ink, ground, _bold, _underline) in seen:
                written = character.isalnum() or ground in (*GRADES, "refused")
                assert not written or now == character, marks


def test_the_ranks_of_neighbouring_moves_stand_apart_where_a_point_has_one_line() -> None:
    chips = {
        3: Chip(0, ("52%", "0", "123"), 1),
        4: Chip(0, ("51%", "-0.1", "99"), 10),
        5: Chip(1, ("5%", "-2", "9"), 11),
    }
    assert shown(picture(EMPTY_BOARD, chips=chips))[1] == "1─0─+╫"
    assert shown(picture(EMPTY_BOARD, chips=chips), MIDDLE)[2] == "52% 51%  5%║"


@every(("cell", "labels"), [(SMALL, ["23", "ab"]), (MIDDLE, ["123", "abc"]), (LARGE, ["123", "abc"])], ids=str)
@every("glyphs", [ROUND, DISCS, TILES, HATCHED, ASCII], ids=_glyphs_id)
def test_as_much_of_a_label_is_written_as_there_is_room_for(cell: Cell, labels: list[str], glyphs: Glyphs) -> None:
    if (cell, glyphs) == (MIDDLE, DISCS):
        # Between the round edges of a stone there are two characters.
        labels = ["23", "abc"]
    board = picture(". . .\n . O .\n . . .", labels={4: "123", 8: "abc"})
    text = "".join(character if character.isalnum() else " " for character in "".join(shown(board, cell, glyphs)))
    assert text.replace("O", " ").split() == labels


def test_the_ghost_is_a_stone_in_other_shades() -> None:
    board = picture(EMPTY_BOARD, ghost=Ghost(4, BLACK))
    assert shown(board)[1] == "┼─●─┼╫"
    assert "black_ghost" in colours_in(board, SMALL, 1, 1)
    assert "black" not in colours_in(board, SMALL, 1, 1)
    assert "white_ghost" in colours_in(picture(EMPTY_BOARD, ghost=Ghost(4, WHITE)), LARGE, 1, 1)


def test_a_ghost_never_hides_a_stone() -> None:
    assert shown(picture("X . .\n . . .\n . . .", ghost=Ghost(0, WHITE)))[0] == "●─┼─┼╫"


@every("glyphs", [ROUND, DISCS, TILES, HATCHED, ASCII], ids=_glyphs_id)
@every("cell", CELLS)
def test_a_stone_that_is_not_played_hides_what_its_point_is_worth(cell: Cell, glyphs: Glyphs) -> None:
    def looks(marks: dict[str, object]) -> list[object]:
        lines = [paint(picture(EMPTY_BOARD, **marks), cell, glyphs, 1, line) for line in range(cell.height)]
        return [part[cell.width : 2 * cell.width] for line in lines for part in line]

    stones: tuple[dict[str, object], ...] = {"ghost": Ghost(4, WHITE)}, {"proposed": {4: WHITE}}
    worth: tuple[dict[str, object], ...] = (
        {"strength": bytes([NOBODY + 3] * 9)},
        {"owners": bytes([BLACK] * 9)},
        {"marks": {4: "both"}},
        {"liberties": frozenset({4})},
    )
    for stone, under in itertools.product(stones, worth):
        assert looks(stone | under) == looks(stone), (stone, under)


def test_a_chain_lies_on_another_shade_and_its_liberties_are_marked() -> None:
    drawing = """
        X X a
        b c .
        d e .
    """
    chain, liberties = points_of(drawing, "X"), [point for sign in "abcde" for point in points_of(drawing, sign)]
    board = picture(drawing, chain=frozenset(chain), liberties=frozenset(liberties))
    assert shown(board) == ["●─●─•╫", "•─•─┼╫", "•─•─┼╫"]
    for cell in CELLS:
        assert "chain" in colours_in(board, cell, 0, 0)
        assert "chain" not in colours_in(board, cell, 1, 1)
        assert "liberty" in colours_in(board, cell, 1, 1)
        assert "liberty" not in colours_in(board, cell, 2, 2)


@pytest.mark.parametrize("cell", CELLS)
def test_territory_shows_on_empty_points_and_dead_stones_only(cell: Cell) -> None:
    # A dead white stone in Black's area, and a neutral point.
    drawing = """
        X X X
        X O a
        X X b
    """
    owners = bytearray([BLACK] * 9)
    owners[8] = EMPTY
    board = picture(drawing, owners=bytes(owners), dead=frozenset({4}))
    assert "black_area" not in colours_in(board, cell, 0, 0)
    assert "black_area" in colours_in(board, cell, 1, 2)
    assert {"black_area", "white_area"}.isdisjoint(colours_in(board, cell, 2, 2))
    if cell == SMALL:
        assert shown(board) == ["●─●─●╫", "●─⊗─▪╫", "●─●─┼╫"]
    else:
        assert "black_area" in colours_in(board, cell, 1, 1)


@every("glyphs", [ROUND, HATCHED, ASCII], ids=_glyphs_id)
@every("cell", CELLS)
def test_what_is_a_players_is_told_from_the_grid_by_its_sign(cell: Cell, glyphs: Glyphs) -> None:
    # In sixteen colours Black's area has the same colour as the grid.
    for name, values in (("owners", (BLACK, WHITE)), ("strength", (NOBODY + 3, NOBODY - 3))):
        marks: list[dict[str, object]] = [{}, *({name: bytes([value] * 9)} for value in values)]
        assert len({"".join(shown(picture(EMPTY_BOARD, **each), cell, glyphs)) for each in marks}) == 3, name


@pytest.mark.parametrize("cell", CELLS)
def test_a_refused_point_is_coloured_whole(cell: Cell) -> None:
    board = picture(EMPTY_BOARD, refused=4)
    assert all(ink[1] == "refused" for line in inks(board, cell, 1, 1) for ink in line)
    assert "refused" not in colours_in(board, cell, 1, 2)


@pytest.mark.parametrize("cell", CELLS)
def test_a_label_is_written_on_its_point(cell: Cell) -> None:
    lines = shown(picture("X . .\n . . .\n . . .", labels={0: "A", 4: "7"}), cell)
    assert sum("A" in line for line in lines) == 1
    assert lines[cell.height + cell.middle[1]].index("7") == cell.width + cell.middle[0]


@pytest.mark.parametrize("cell", CELLS)
def test_marks_of_a_record_are_ascii_where_nothing_else_is_shown(cell: Cell) -> None:
    marks = dict(enumerate((*SIGNS.values(), "▫")))
    board = picture("X O .\n . X O\n . . .", labels=marks)
    assert all(line.isascii() for line in shown(board, cell, ASCII))
    # None of them can be mistaken for a stone.
    assert not {"X", "O", "#", "@"}.intersection("".join(shown(picture(EMPTY_BOARD, labels=marks), cell, ASCII)))


@every("glyphs", [ROUND, DISCS, TILES, HATCHED, ASCII], ids=_glyphs_id)
@every("cell", CELLS)
def test_every_line_is_one_period_wide_in_known_colours(cell: Cell, glyphs: Glyphs) -> None:
    board = picture(
        "X O .\n . X O\n . . .", cursor=8, last=0, chain=frozenset({0, 4}), ghost=Ghost(8, WHITE), labels={1: "b"}
    )
    for row, line in itertools.product(range(3), range(cell.height)):
        characters, line_inks = paint(board, cell, glyphs, row, line)
        assert len(characters) == len(line_inks) == 3 * cell.width
        assert all(len(character) == 1 for character in characters)
        for foreground, background, _, _ in line_inks:
            assert all(hasattr(Shades, name) for name in (foreground, background))


MISTAKES: list[dict[str, object]] = [
    {},
    *({"mistakes": {4: Mistake(grade, punished=False)}} for grade in (1, 2, 3)),
    {"mistakes": {4: Mistake(3, punished=True)}},
]
"""No mark, one of each grade, and one of a mistake that was punished."""


@every("glyphs", [ROUND, DISCS, TILES, HATCHED, ASCII], ids=_glyphs_id)
@every("cell", CELLS)
@every(
    ("one", "other"),
    [
        ({}, {"last": 4}),
        ({}, {"cursor": 4}),
        ({"cursor": 4}, {"cursor": 4, "last": 4}),
        ({}, {"dead": frozenset({4}), "owners": bytes([BLACK] * 9)}),
        ({}, {"chain": frozenset({4})}),
        ({}, {"refused": 4}),
        ({}, {"liberties": frozenset({8})}),
        ({}, {"cursor": 8}),
        ({}, {"ghost": Ghost(8, BLACK)}),
        ({"ghost": Ghost(8, BLACK)}, {"ghost": Ghost(8, WHITE)}),
        ({"owners": bytes([BLACK] * 9)}, {"owners": bytes([WHITE] * 9)}),
        ({}, {"labels": {8: "3"}}),
        *itertools.pairwise(MISTAKES),
    ],
    ids=lambda marks: "+".join(marks) or "plain",
)
def test_each_mark_can_be_seen(cell: Cell, glyphs: Glyphs, one: dict[str, object], other: dict[str, object]) -> None:
    drawing = """
        . X .
        . O X
        . . .
    """

    def look(marks: dict[str, object]) -> list[object]:
        board = picture(drawing, **marks)
        looks: list[object] = []
        for row, line in itertools.product(range(3), range(cell.height)):
            for character, (foreground, background, bold, underline) in zip(
                *paint(board, cell, glyphs, row, line), strict=True
            ):
                ink = None if character == " " else getattr(KAYA.bright, foreground)
                looks.append((character, ink, getattr(KAYA.bright, background), bold, underline))
        return looks

    assert look(one) != look(other)


ONE_STONE = """
    . . .
    . X .
    . . .
"""


@pytest.mark.parametrize("way", ["pixels", "characters"])
def test_pixels_and_characters_tell_the_same(way: str) -> None:
    raster = Raster(KAYA, Pixels(24, 24))

    def looks(drawing: str, **marks: object) -> object:
        board = picture(drawing, **marks)
        if way == "pixels":
            return raster.draw(board).tobytes()
        return [paint(board, LARGE, DISCS, *place) for place in itertools.product(range(3), range(LARGE.height))]

    proposed, dead = {4: BLACK}, frozenset({4})
    whites, surely = bytes([0] * 4 + [WHITE] + [0] * 4), bytes([NOBODY] * 4 + [NOBODY - 3] + [NOBODY] * 4)
    for under in ({"owners": whites}, {"strength": surely}):
        assert looks(EMPTY_BOARD, **under) != looks(EMPTY_BOARD)
        assert looks(EMPTY_BOARD, proposed=proposed, **under) == looks(EMPTY_BOARD, proposed=proposed)
    assert looks(ONE_STONE, dead=dead) == looks(ONE_STONE, dead=dead, owners=whites)
    assert looks(ONE_STONE, dead=dead) != looks(EMPTY_BOARD, proposed=proposed)
    marked = [looks(ONE_STONE, **marks) for marks in MISTAKES]
    assert all(one != other for one, other in itertools.combinations(marked, 2))


def test_a_stone_where_a_play_was_refused_is_not_crossed_out() -> None:
    middle = slice(24 + 6, 48 - 6)
    raster = Raster(KAYA, Pixels(24, 24))
    before, after = (raster.draw(picture(ONE_STONE, refused=point)) for point in (None, 4))
    assert (before[middle, middle] == after[middle, middle]).all()
    assert (before != after).any()
    board = picture(ONE_STONE, refused=4)
    assert [shown(board, cell) for cell in CELLS] == [shown(picture(ONE_STONE), cell) for cell in CELLS]


def test_rows_that_look_different_have_different_signatures() -> None:
    plain = picture(". X .\n . O X\n . . .")
    for marks in (
        {"last": 4},
        {"cursor": 4},
        {"refused": 4},
        {"ghost": Ghost(3, BLACK)},
        {"chain": frozenset({4})},
        {"liberties": frozenset({3})},
        {"dead": frozenset({4})},
        {"labels": {4: "1"}},
        {"mistakes": {4: Mistake(1, punished=True)}},
        {"owners": bytes([0, 0, 0, 1, 0, 0, 0, 0, 0])},
    ):
        marked = picture(". X .\n . O X\n . . .", **marks)
        before, after = plain.row_signatures(), marked.row_signatures()
        assert before[1] != after[1], marks
        if "owners" not in marks:
            assert (before[0], before[2]) == (after[0], after[2]), marks


def test_equal_rows_at_different_places_have_different_signatures() -> None:
    assert len(set(picture(EMPTY_BOARD).row_signatures())) == 3


def test_proposed_stones_are_translucent_with_readable_numbers() -> None:
    board = picture(EMPTY_BOARD, proposed={4: BLACK, 5: WHITE}, labels={4: "1", 5: "2"})
    for cell in (SMALL, LARGE):
        rows = [paint(board, cell, DISCS, 1, line) for line in range(cell.height)]
        inks = {name for row in rows for ink in row.inks for name in ink[:2]}
        assert {"black_ghost", "white_ghost" if cell == LARGE else "white_ghost_fill"} <= inks
        written = {
            character: ink[:2]
            for row in rows
            for character, ink in zip(row.characters, row.inks, strict=True)
            if character in "12"
        }
        assert written == {"1": ("white_fill", "black_ghost"), "2": ("black", "white_ghost_fill")}


@pytest.mark.parametrize("name", BOARDS)
def test_numbers_on_proposed_stones_can_be_read_on_every_board(name: str) -> None:
    shades = BOARDS[name].bright
    assert contrast(shades.white_fill, shades.black_ghost) >= 4.5
    assert contrast(shades.black, shades.white_ghost) >= 4.5


def test_without_colours_proposed_stones_are_dim_and_apart() -> None:
    black, white = (plain_style(*inks, True, False, True) for inks in _PROPOSED)
    assert black.dim
    assert white.dim
    assert black.reverse != white.reverse


def test_without_colours_a_number_on_an_empty_point_differs_from_one_on_a_stone() -> None:
    board = picture("X O .\n . . .\n . . .", labels={0: "12", 1: "34", 2: "56"})
    for cell, glyphs in itertools.product(CELLS, (ROUND, ASCII)):
        line = paint(board, cell, glyphs, 0, cell.middle[1])
        seen = [line.inks[line.characters.index(digit)] for digit in "135"]
        looks = {(style.reverse, style.underline) for ink in seen for style in [plain_style(*ink, bright=True)]}
        assert len(looks) == 3


_PROPOSED = (("white_fill", "black_ghost"), ("black", "white_ghost"))
