"""Board themes and app colours: legible in every terminal, changed during a game, and saved."""

from __future__ import annotations

import inspect
import itertools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.style import Style
from textual.color import Color
from textual.command import CommandList
from textual.geometry import Region
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES
from textual.widgets import OptionList, Static

from daoqi_tui import config as config_keys
from daoqi_tui.config import load_config, load_themes
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.pictures import palettes
from daoqi_tui.pictures.palettes import BOARDS, BOARDS16, RGB, Palette, Shades, read_board
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.board.lines import GUTTER, HEADER, paint
from daoqi_tui.tui.board.viewport import CELLS, Cell
from daoqi_tui.tui.features.openings.screen import OpeningScreen, OpeningsScreen
from daoqi_tui.tui.features.playing.result import ResultScreen
from daoqi_tui.tui.features.problems.position import PositionScreen
from daoqi_tui.tui.features.problems.screen import GuessScreen, ProblemScreen
from daoqi_tui.tui.features.program.lesson import LessonScreen
from daoqi_tui.tui.features.program.menu import Menu
from daoqi_tui.tui.features.program.options import BoardsScreen, OptionsScreen
from daoqi_tui.tui.features.program.welcome import WelcomeScreen
from daoqi_tui.tui.features.records.library import LibraryScreen
from daoqi_tui.tui.look import (
    ASCII,
    DISCS,
    HATCHED,
    ROUND,
    TILES,
    Glyphs,
    Options,
    StoneSigns,
    ascii_text,
    board_style_for,
    frame_for,
    glyphs_for,
    nearest_fixed,
    palette256,
    theme_of,
    tone,
    wants_plain_text,
)
from daoqi_tui.tui.panes import GamePane
from daoqi_tui.tui.screens import Question
from daoqi_tui.tui.screens.form import Choice
from tests.every import every
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import keeping
from tests.tui.test_resizing import OPENED_BY

WITH_BOARDS: list[type[Screen[Any]]] = [
    *(OpeningsScreen, OpeningScreen, LibraryScreen, ResultScreen),
    *(PositionScreen, ProblemScreen, GuessScreen, LessonScreen, WelcomeScreen),
]

_PALETTES = [*BOARDS.values(), *BOARDS16.values(), *map(palette256, BOARDS.values())]


def _luminance(colour: RGB) -> float:
    """Return the relative luminance as defined by WCAG 2."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_sixteen_colours_are_the_terminals_own() -> None:
    assert set(BOARDS16) == set(BOARDS)
    for shades in itertools.chain(*((board.bright, board.dim) for board in BOARDS16.values())):
        for name in Shades._fields:
            colour = getattr(shades, name)
            assert set(colour) <= {0, 170} or set(colour) <= {85, 255} or colour == (170, 85, 0), name


@pytest.mark.parametrize(
    "boards", [BOARDS16, {name: palette256(board) for name, board in BOARDS.items()}], ids=["sixteen", "256"]
)
def test_boards_are_told_apart_in_every_terminal(boards: dict[str, Palette]) -> None:
    grounds = [(board.bright.board, board.dim.board, board.frame) for board in boards.values()]
    assert len(set(grounds)) == len({(ground, copies) for ground, copies, _frame in grounds}) == len(BOARDS)
    for name, board in boards.items():
        assert (_luminance(board.frame) > 0.5) == (name == "paper")
        for shades in (board.bright, board.dim):
            assert shades.board not in (shades.black, shades.white), name
            assert shades.black != shades.white or boards is BOARDS16, name
            assert shades.line != shades.board, name
    assert _luminance(boards["paper"].bright.board) == max(_luminance(board.bright.board) for board in boards.values())
    if boards is not BOARDS16:
        # In sixteen colours the darkest background on which black stones are visible is brown, not that of night.
        darkest = min(_luminance(board.bright.board) for board in boards.values())
        assert _luminance(boards["night"].bright.board) == darkest


@pytest.mark.parametrize(
    ("colour", "fixed"), [((0, 0, 0), (0, 0, 0)), ((95, 135, 175), (95, 135, 175)), ((250, 248, 242), (255, 255, 255))]
)
def test_the_nearest_of_256(colour: RGB, fixed: RGB) -> None:
    assert nearest_fixed(colour) == fixed


@every("cell", CELLS)
@every("glyphs", [ROUND, HATCHED, ASCII], ids=["round", "hatched", "ascii"])
def test_black_and_white_differ_by_shape(glyphs: Glyphs, cell: Cell) -> None:
    looks = []
    for colour in (1, 2):
        board = Picture(3, bytes([0, 0, 0, 0, colour, 0, 0, 0, 0]))
        looks.append(["".join(paint(board, cell, glyphs, 1, line).characters) for line in range(cell.height)])
    assert looks[0] != looks[1]
    if glyphs is ASCII:
        assert all(line.isascii() for line in itertools.chain(*looks))


def test_discs_only_where_colours_tell() -> None:
    chosen = {
        (name, many): glyphs_for(name, many_colours=many, plain_text=False)
        for name in config_keys.STONES
        for many in (True, False)
    }
    assert (chosen["auto", True], chosen["auto", False]) == (DISCS, ROUND)
    assert (chosen["discs", True], chosen["discs", False]) == (DISCS, ROUND)
    assert (chosen["blocks", True], chosen["blocks", False]) == (TILES, HATCHED)
    assert glyphs_for("auto", many_colours=True, plain_text=True) is ASCII
    assert glyphs_for("round", many_colours=True, plain_text=True) is ROUND


@pytest.mark.parametrize(
    ("environment", "plain"),
    [
        ({"LANG": "zh_CN.UTF-8", "TERM": "xterm"}, False),
        ({"LANG": "zh_CN.GBK", "TERM": "xterm"}, True),
        ({"LANG": "zh_CN.GBK", "LC_ALL": "C.utf8", "TERM": "xterm"}, False),
        ({"TERM": "linux", "LANG": "C.UTF-8"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "vte-256color"}, False),
        ({"TERM": "vt220"}, True),
        ({"LANG": "C", "TERM": "xterm"}, False),
    ],
)
def test_when_a_terminal_is_sent_ascii(environment: dict[str, str], plain: bool) -> None:
    assert wants_plain_text(environment) is plain


def test_signs_are_replaced_one_by_one_and_words_stay() -> None:
    text = "▶ ● 黑  ○ 白 ─┼│ ╭▀╯ … ×3 −2 café"
    assert ascii_text(text) == "> X 黑  O 白 -+| +#+ ~ x3 -2 café"
    assert len(ascii_text(text)) == len(text)


def test_the_names_in_the_settings_are_those_there_are() -> None:
    assert set(config_keys.BOARDS) == set(BOARDS) == set(BOARDS16)
    assert set(config_keys.TEXTUAL_THEMES) == set(BUILTIN_THEMES)
    assert {board.name for board in BOARDS16.values()} == {"sixteen", "sixteen-light"}
    for name in config_keys.FRAMES:
        assert frame_for("kaya", name, "many") in {*BUILTIN_THEMES, *(f"daoqi-{board}" for board in BOARDS)}


def _board(person: Person) -> tuple[str, str]:
    return person.board.palette.name, person.app.theme


async def test_a_board_is_seen_at_once_and_kept_or_not() -> None:
    async with playing() as person:
        assert _board(person) == ("kaya", "daoqi-kaya")
        await person.press("T")
        person.open(BoardsScreen)
        await person.press("down")
        assert _board(person) == ("slate", "daoqi-slate")
        await person.press("T")
        assert _board(person) == ("paper", "daoqi-paper")
        await person.press("escape")
        assert _board(person) == ("kaya", "daoqi-kaya")
        assert person.at_the_board
        await person.press("T")
        person.open(BoardsScreen).query_one(OptionList).highlighted = 3
        await person.press("enter")
        assert _board(person) == ("night", "daoqi-night")
        assert person.screen.options.board == "night"


async def test_settings_are_seen_at_once_and_kept_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    file = tmp_path / "config.toml"
    file.write_text('# mine\n[look]\nboard = "jade" # green\n[keys]\npass = "f5"\n')
    app = DaoqiApp(config=load_config((), file, {}))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        assert _board(person) == ("jade", "daoqi-jade")
        await person.press("o")
        form = person.open(OptionsScreen)
        form.query_one("#board", Choice).value = "contrast"
        form.query_one("#frame", Choice).value = "nord"
        form.query_one("#glyphs", Choice).value = "ascii"
        form.query_one("#cell", Choice).value = 2
        await person.settle()
        assert _board(person) == ("contrast", "nord")
        assert (person.board.glyphs, person.viewport.cell.width) == (ASCII, 2)
        assert person.board.palette.frame == (46, 52, 64)
        await person.press("escape")
        # Written in a thread.
        await until(person, lambda: "contrast" in file.read_text())
    text = file.read_text()
    assert text.startswith('# mine\n[look]\nboard = "contrast" # green\n')
    assert tomllib.loads(text) == {
        "look": {"board": "contrast", "frame": "nord", "stones": "ascii", "cell": "2x1"},
        "keys": {"pass": "f5"},
    }


async def test_the_language_changes_while_the_game_is_on(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    app = DaoqiApp(config=load_config((), file, {}))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        await person.press("o")
        form = person.open(OptionsScreen)
        form.query_one("#language", Choice).focus().value = "zh"
        await until(person, lambda: form.query_one("#options").border_title == "设置")
        await until(person, lambda: form.focused is form.query_one("#language"))
        await person.press("escape")
        await person.settle()
        assert person.status.startswith("轮到黑")
        assert "虚着" in person.text("#hints")
        assert person.screen.query_one("#game").border_title == "对局"
        assert "提子 0" in person.text("#game")
    assert tomllib.loads(file.read_text()) == {"language": "zh"}


async def test_keys_can_be_changed(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[keys]\npass = "f5"\nresign = "u"\n')
    app = DaoqiApp(config=load_config((), file, {}))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        await person.settle()
        assert "F5 Pass" in person.text("#hints")
        await person.press("p")
        assert person.moves == []
        await person.press("f5")
        assert person.moves == ["pass"]
        await person.press("u")
        assert "Resign as White?" in person.question()


_TABLES = (config_keys.BOARDS, config_keys.FRAMES, BOARDS, BOARDS16)
_EXAMPLE = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text("utf-8")


@pytest.fixture
def themes(tmp_path: Path) -> Iterator[Path]:
    """A folder for themes, which are forgotten afterwards."""
    before = [dict(table) for table in _TABLES]
    folder = tmp_path / "themes"
    folder.mkdir()
    yield folder
    for table, contents in zip(_TABLES, before, strict=True):
        table.clear()
        table.update(contents)


async def test_a_theme_of_ones_own_is_listed_shown_and_exported(themes: Path) -> None:
    """The example of the docs sets every colour there is."""
    example = _EXAMPLE.partition("```toml\n")[2].partition("```")[0]
    assert {name: set(table) for name, table in tomllib.loads(example).items() if isinstance(table, dict)} == {
        name: set(fields) for name, fields in palettes._TABLES.items()
    }
    (themes / "rosewood.toml").write_text(example)
    (themes / "dusk.toml").write_text('base = "night"\n[wood]\nboard = "#707894"\n')
    file = themes.parent / "config.toml"
    file.write_text('[look]\nboard = "rosewood"\n')
    app = DaoqiApp(config=load_config((), file, {}))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        assert _board(person) == ("rosewood", "daoqi-rosewood")
        assert app.current_theme.accent == "#e6a17a"
        await person.press("T", "down")
        names = person.open(BoardsScreen).query_one(OptionList)
        assert "Rosewood" in str(names.get_option("rosewood").prompt)
        await person.press("escape", "o")
        assert ("Rosewood", "rosewood") in person.open(OptionsScreen).query_one("#board", Choice).choices
    board = BOARDS["dusk"]
    assert (board.bright.board, board.bright.white, board.interface) == (
        (112, 120, 148),
        BOARDS["night"].bright.white,
        BOARDS["night"].interface,
    )
    assert (BOARDS16["dusk"], BOARDS16["rosewood"]) == (BOARDS16["night"], BOARDS16["deuteranopia"])
    for own in (board, BOARDS["rosewood"]):
        palette256(own)


async def test_a_theme_that_is_looked_at_colours_all_panes_at_once() -> None:
    async with playing(options=Options(frame="auto")) as person:
        await person.play("A1")
        await person.press("T")
        names = person.open(BoardsScreen).query_one(OptionList)
        for name in ("paper", "night"):
            names.highlighted = list(BOARDS).index(name)
            await person.settle()
            pane = person.screen.query_one(GamePane)
            written = [span.style for span in pane.render().spans]
            assert tone(pane, "muted") in written
            assert person.screen.stone_signs.style(BLACK, Style.null()) in written
            assert person.app.theme_variables["foreground"] == person.app.get_css_variables()["foreground"]


async def test_stones_in_a_dialog_have_the_colours_of_a_theme_chosen_while_it_is_open() -> None:
    async with playing() as person:
        game = person.screen
        person.app.push_screen(Question("● or ○?", "Black", "White"))
        await person.settle()
        asked = person.open(Question).query_one(".question", Static)
        for name in ("paper", "night"):
            person.app.apply_options(Options(board=name))
            await person.settle()
            signs = game.stone_signs
            lines = map(asked.render_line, range(asked.size.height))
            shown = [each.style for line in lines for each in line if each.text in map(signs.sign, (BLACK, WHITE))]
            wanted = [signs.style(colour, Style.null()) for colour in (BLACK, WHITE)]
            assert [(style and style.color, style and style.bgcolor) for style in shown] == [
                (style.color, style.bgcolor) for style in wanted
            ]


async def test_the_menu_has_the_colours_of_a_theme_chosen_while_it_is_open() -> None:
    def has_colours() -> bool:
        menu, variables = person.open(Menu), person.app.theme_variables
        used = menu.styles.background.rgb, menu.query_one(CommandList).styles.color.rgb
        return used == tuple(Color.parse(variables[name]).rgb for name in ("background", "foreground"))

    async with playing() as person:
        await person.press("ctrl+p")
        await until(person, has_colours)
        person.app.apply_options(Options(board="paper"))
        assert not has_colours()
        await until(person, has_colours)


@pytest.mark.parametrize("kind", WITH_BOARDS, ids=lambda kind: kind.__name__)
async def test_small_boards_and_headings_have_the_colours_of_a_theme_chosen_while_they_show(
    kind: type[Screen[Any]], tmp_path: Path
) -> None:
    """As when the terminal says only then how many colours it has."""

    def colours_of_board() -> set[RGB]:
        palette = board_style_for(app, person.screen.options).palette
        shades = (palette.bright, palette.dim)
        accent = Color.parse(app.theme_variables["accent"]).rgb
        return {palette.frame, accent, *(getattr(each, name) for each in shades for name in ("board", "line", "label"))}

    def shown() -> set[RGB]:
        whole = app.screen._compositor.render_full_update()
        styles = [each.style for line in whole.strips for strip in line for each in strip if each.style]
        return {
            tuple(colour.triplet)
            for style in styles
            for colour in (style.color, style.bgcolor)
            if colour is not None and colour.triplet is not None
        }

    async with keeping(tmp_path, setup=GameSetup(7)) as person:
        app = person.app
        app.apply_options(Options(motion="reduced"))
        await person.play("C3", "D4")
        opening = OPENED_BY[kind](person)
        if inspect.isawaitable(opening):
            await opening
        await until(person, lambda: type(app.screen) is kind)
        before = colours_of_board()
        await until(person, lambda: len(before & shown()) > 1)
        app.apply_options(Options(board="paper", motion="reduced"))
        await person.settle()
        now = colours_of_board()
        await until(person, lambda: not (before - now) & shown() and len(now & shown()) > 1)


@pytest.mark.parametrize("name", BOARDS)
def test_a_built_in_theme_could_be_ones_own(name: str) -> None:
    """It passes the check of the user's own, and its definition says the same."""
    assert read_board(name, {"base": name})._replace(bright=BOARDS[name].bright) == BOARDS[name]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[wood", "Expected ']' at the end of a table declaration (at end of document)"),
        ('base = "oak"', "base is none of these themes: kaya, slate, paper, night, jade, contrast, deuteranopia"),
        (
            '[wod]\nboard = "#b88c50"',
            "a theme has no wod: base, label, [wood], [lines], [stones], [marks], [interface]",
        ),
        ('[wood]\nline = "#b88c50"', "a theme has no wood.line: board, copies, dim, grain"),
        ('[wood]\nboard = "brown"', 'wood.board is not a colour such as "#b88c50"'),
        ("[wood]\nboard = 7", 'wood.board is not a colour such as "#b88c50"'),
        ("[wood]\ngrain = 2", "wood.grain is not a number from 0 to 1"),
        ('[stones]\nwhite = "#000000"', "stones.black has to be darker than wood.board, and stones.white lighter"),
        (
            "[wood]\ndim = 0.2",
            "the contrast of wood.board and wood.board on the copies is 1.16:1 and has to be at least 1.5:1",
        ),
        (
            '[lines]\nline = "#a08060"',
            "the contrast of lines.line and wood.board is 1.2:1 and has to be at least 2.5:1",
        ),
        (
            '[interface]\nforeground = "#404040"',
            "the contrast of lines.label and interface.background is 1.59:1 and has to be at least 4.5:1",
        ),
    ],
)
def test_a_theme_that_cannot_be_used_is_one_sentence(themes: Path, text: str, problem: str) -> None:
    (themes / "mine.toml").write_text(text)
    assert load_themes(themes) == [f"the theme {themes / 'mine.toml'} is not used: {problem}"]
    assert "mine" not in BOARDS


@pytest.mark.parametrize("name", ["kaya", "auto", "nord", "My theme", "münze"])
def test_a_theme_has_a_name_that_a_setting_can_have(themes: Path, name: str) -> None:
    (themes / f"{name}.toml").write_text("")
    [problem] = load_themes(themes)
    assert problem.endswith("it is named like a built-in theme, or not in small letters, digits and hyphens")
    assert (set(BOARDS), load_themes(themes.parent / "none")) == (set(config_keys.BOARDS), [])


async def test_problems_of_the_settings_are_said(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[look]\nboard = "oak"\n')
    app = DaoqiApp(config=load_config((), file, {}))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        [notice] = app._notifications
        assert "line 2: look.board cannot be 'oak'" in notice.message


@pytest.mark.parametrize(("columns", "rows"), [(40, 14), (80, 24), (120, 40), (300, 90)])
async def test_without_colours_nothing_is_coloured(columns: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing((columns, rows)) as person:
        await person.press("enter", "l", "enter", "T")
        await person.wait()
        for screen in person.app.screen_stack:
            strips = screen._compositor.render_strips()
            assert len(strips) == rows
            for strip in strips:
                written = strip.render(person.app.console)
                codes = {code for codes in _codes(written) for code in codes}
                assert codes <= {"", "0", "1", "2", "3", "4", "7", "9", "22", "23", "24", "27", "39", "49"}, written


@pytest.mark.parametrize("key", ["question_mark", "b"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_without_colours_nothing_stands_beside_what_nearly_fills_the_window(
    size: tuple[int, int], key: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with keeping(tmp_path) as person:
        await person.resize(*size)
        await person.press(key)
        await until(person, lambda: not person.at_the_board)
        await person.wait()
        assert person.app.screen.query_one(".dialog").region == Region(0, 0, *size)


async def test_an_empty_wish_for_no_colours_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    # https://no-color.org: "when present and not an empty string".
    monkeypatch.setenv("NO_COLOR", "")
    async with playing((80, 24)) as person:
        assert not person.app.no_color
        assert person.app.ansi_color is not True


def _codes(written: str) -> list[list[str]]:
    return [piece.partition("m")[0].split(";") for piece in written.split("\x1b[")[1:]]


async def test_without_colours_the_grid_goes_on_in_the_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing((120, 40)) as person:
        viewport = person.viewport
        rows = [person.board.render_line(y + HEADER).text[GUTTER:] for y in range(viewport.height)]
        copies = [row[viewport.bright_columns.stop : viewport.shown_columns.stop] for row in rows]
        crossing = viewport.cell.middle[1]
        for y, text in enumerate(copies):
            row, line = viewport.row_at(y)
            assert ("┼" in text) == (line == crossing), row
            assert set(text) <= {" ", "┼"}
        assert any("─" in row for row in rows)


async def test_options_without_a_file_change_only_this_game() -> None:
    async with playing(options=Options(board="slate", cell=2)) as person:
        assert _board(person) == ("slate", "daoqi-slate")
        assert person.viewport.cell.width == 2


@pytest.mark.parametrize("name", ["kaya", "paper"])
def test_in_sixteen_colours_what_has_the_focus_is_told_apart(name: str) -> None:
    frame = theme_of(BOARDS16[name])
    assert frame.panel not in (frame.primary, frame.surface), "the ground of the other buttons"
    field, words = (Color.parse(colour or "") for colour in (frame.variables["focused"], frame.foreground))
    assert field.hex not in {Color.parse(colour or "").hex for colour in (frame.surface, frame.background)}
    lights = sorted(_luminance(colour.rgb) + 0.05 for colour in (field, words))
    assert lights[1] / lights[0] >= 4.5


@pytest.mark.parametrize("name", BOARDS16)
def test_in_sixteen_colours_faint_marks_differ_from_their_ground(name: str) -> None:
    palette = BOARDS16[name]
    for shades in (palette.bright, palette.dim):
        assert shades.board not in (shades.black_faint, shades.white_faint, shades.black_fair, shades.white_fair)


@every("glyphs", [DISCS, ROUND, TILES, HATCHED, ASCII], ids=lambda glyphs: f"{glyphs.name}")
@every("palette", _PALETTES, ids=lambda palette: palette.name)
def test_signs_of_both_players_are_seen_beside_the_board(palette: Palette, glyphs: Glyphs) -> None:
    signs = StoneSigns(palette, glyphs)
    for colour in (BLACK, WHITE):
        sign, style = signs.sign(colour), signs.style(colour, Style.null())
        # A full block shows nothing but its colour, which may be that of the pane.
        assert sign not in ("█", " ", "")
        assert cell_len(sign) == 1
        assert style.color != style.bgcolor
