"""Pictures to share: PNG, GIF and SVG, as other programs read them."""

from __future__ import annotations

import gc
import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image
from textual.widgets import Input

from daoqi_tui.engine import Game
from daoqi_tui.i18n import use_language
from daoqi_tui.pictures import EXPORTS, Export, pixels
from daoqi_tui.pictures.palettes import BOARDS
from daoqi_tui.pictures.picture import RADIUS, CancelledExport, Drawing, Mistake, column_names, row_names
from daoqi_tui.pictures.pixels import PictureTooLarge, gif_of, still_of
from daoqi_tui.pictures.text import animated_svg, svg_picture
from daoqi_tui.play.session import GameSetup
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.markup import RecordedEvaluation, set_evaluation
from daoqi_tui.record.sgf.write import dump
from daoqi_tui.tui.screens import Prompt
from tests.every import every
from tests.tui.driving import playing, until
from tests.tui.graphics.dimming import LEAST, contrast, point_at
from tests.waiting import HANG

SMALL = Drawing(point=20)
SVG = "{http://www.w3.org/2000/svg}"
NAMES = 18
"""Pixels of the names around a small board."""


def game_of(*names: str, size: int = 5) -> Game:
    game = Game(size)
    for name in names:
        game.pass_turn() if name == "pass" else game.play(game.torus.parse(name))
    return game


def colour_at(image: Image.Image, row: int, column: int) -> tuple[int, ...]:
    """The colour a little beside the middle of a point, counted from the top left of what is shown, copies and all."""
    return image.convert("RGB").getpixel((NAMES + column * 20 + 5, NAMES + row * 20 + 10))  # type: ignore[return-value]


def frames(file: bytes) -> list[Image.Image]:
    image = Image.open(io.BytesIO(file))
    found = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        found.append(image.convert("RGB"))
    return found


def test_a_board_as_png_has_its_stones_and_their_copies() -> None:
    image = Image.open(io.BytesIO(still_of(game_of("A5", "C3"), SMALL)))
    assert image.size == (9 * 20 + 2 * NAMES,) * 2
    # Two points of copies lie around the board: A5 is in its corner, and seen again beyond the opposite ones.
    for row, column in [(2, 2), (7, 2), (2, 7), (7, 7)]:
        assert max(colour_at(image, row, column)) < (60 if (row, column) == (2, 2) else 100)
    assert min(colour_at(image, 4, 4)) > 180
    assert min(colour_at(image, 4, 4)) > 1.5 * min(colour_at(image, 4, 5))


def test_the_unrolled_board_shows_it_many_times() -> None:
    image = Image.open(io.BytesIO(still_of(game_of("A5"), SMALL._replace(periods=3, margin=0))))
    assert image.size == (15 * 20 + 2 * NAMES,) * 2
    for row in (0, 5, 10):
        for column in (0, 5, 10):
            assert max(colour_at(image, row, column)) < 60


@pytest.mark.parametrize("theme", BOARDS)
def test_every_theme_draws(theme: str) -> None:
    image = Image.open(io.BytesIO(still_of(game_of("A5", "C3"), SMALL._replace(theme=theme)))).convert("RGB")
    assert sum(colour_at(image, 2, 2)) + 200 < sum(colour_at(image, 4, 4))


@every("kind", ["png", "game", "pan"])
@every("theme", BOARDS)
def test_the_board_and_stones_of_both_colours_differ_from_their_copies(theme: str, kind: str) -> None:
    game, drawing = game_of("A5", "E1", "C3", "C4"), SMALL._replace(theme=theme)
    [*_moves, image] = frames(still_of(game, drawing) if kind == "png" else gif_of(game, "game", drawing))
    if kind == "pan":
        image = frames(gif_of(game, "pan", drawing))[0]
    pixels = np.asarray(image)

    def stone(row: int, column: int) -> np.ndarray[Any, Any]:
        return point_at(pixels, NAMES + column * 20 + 10, NAMES + row * 20 + 10, (20, 20))

    # The board is at the points 2 to 6 of 9: A5, black, is the first and E1, white, the last; A1 is empty.
    for own, copies in (
        ((2, 2), [(2, 7), (7, 2), (7, 7)]),
        ((6, 6), [(6, 1), (1, 6), (1, 1)]),
        ((6, 2), [(6, 7), (1, 2), (1, 7)]),
    ):
        assert min(contrast(stone(*own), stone(*copy)) for copy in copies) >= LEAST, own


@pytest.mark.parametrize("draw", [svg_picture, animated_svg])
@pytest.mark.parametrize("theme", BOARDS)
def test_the_board_and_stones_of_both_colours_differ_from_their_copies_in_svg(
    draw: Callable[[Game, Drawing], str], theme: str
) -> None:
    root = ET.fromstring(draw(game_of("A5", "E1"), Drawing(theme)))
    dimming = root[-1]
    shade, share = rgb(dimming.get("fill")), float(dimming.get("fill-opacity", 1))
    ground = rgb(root.findall(f"{SVG}rect")[1].get("fill"))
    stones = [rgb(gradient[-1].get("stop-color")) for gradient in root.iter(f"{SVG}radialGradient")]
    for bright in (ground, *stones):
        assert contrast(bright, bright + (shade - bright) * share) >= LEAST


@pytest.mark.parametrize(
    "drawing", [Drawing(), Drawing("night", 18, periods=2), Drawing("paper", margin=0, names="sgf")]
)
def test_an_svg_has_the_size_the_colours_the_names_and_the_copies_of_other_pictures(drawing: Drawing) -> None:
    game = game_of("A5", "C3", "D2")
    image = Image.open(io.BytesIO(still_of(game, drawing))).convert("RGB")
    root = ET.fromstring(svg_picture(game, drawing))
    assert abs(float(root.get("width", "0")) - image.width) <= 8, "names have a least size in pixels"
    frame, board = (element.get("fill") for element in root.findall(f"{SVG}rect")[:2])
    palette = BOARDS[drawing.theme]
    assert [tuple(rgb(colour)[0]) for colour in (frame, board)] == [palette.frame, palette.bright.board]
    assert image.getpixel((0, 0)) == palette.frame
    places = 5 * drawing.periods + 2 * drawing.margin
    names = [text.text for text in root.findall(f"{SVG}g/{SVG}text")]
    assert len(names) == 4 * places
    assert set(names) == {*column_names(game, drawing.names), *row_names(game, drawing.names)}
    stones = [use.get("href") for use in root.findall(f"{SVG}use")]
    rows = range(-drawing.margin, places - drawing.margin)
    for kind, points in (("#black", [(0, 0), (3, 3)]), ("#white", [(2, 2)])):
        shown = sum((y % 5, x % 5) in points for y in rows for x in rows)
        assert stones.count(kind) == shown
    point = 36
    edge = float(root.get("viewBox", "").split()[2]) / 2 - places * point / 2
    last = [mark for mark in root.findall(f"{SVG}circle") if tuple(rgb(mark.get("fill"))[0]) == palette.bright.last]
    assert (float(last[0].get("cx", "0")) - edge) / point % 1 == pytest.approx(0.5)
    radius = max(float(circle.get("r", "0")) for circle in root.findall(f"{SVG}defs/{SVG}g/{SVG}circle"))
    assert radius == pytest.approx(RADIUS * point)


def rgb(colour: str | None) -> np.ndarray[Any, Any]:
    assert colour is not None
    digits = colour.removeprefix("#")
    parts = [digit * 2 for digit in digits] if len(digits) == 3 else [digits[at : at + 2] for at in (0, 2, 4)]
    return np.array([[int(part, 16) for part in parts]], float)


def test_a_game_as_gif_shows_it_move_by_move() -> None:
    game = game_of("C3", "D3", "pass", "E3")
    here = game.node
    found = frames(gif_of(game, "game", SMALL))
    assert len(found) == 5
    assert game.node is here
    black = [max(colour_at(image, 4, 4)) < 110 for image in found]
    white = [min(colour_at(image, 4, 6)) > 180 for image in found]
    assert black == [False, True, True, True, True]
    assert white == [False, False, False, False, True]


def test_a_move_adds_only_what_it_changes_to_a_gif() -> None:
    names = [f"{column}{row}" for row in (1, 3, 5) for column in "ABCDE"]
    first = len(gif_of(Game(5), "game", SMALL))
    assert len(gif_of(game_of(*names), "game", SMALL)) < first + len(names) * first / 4


@pytest.mark.parametrize("theme", BOARDS)
def test_the_mark_of_the_last_move_has_its_colour_though_the_last_position_has_none(theme: str) -> None:
    [_empty, marked, *_passes] = frames(gif_of(game_of("C3", "pass", "pass"), "game", SMALL._replace(theme=theme)))
    shown = marked.getpixel((NAMES + 4 * 20 + 10, NAMES + 4 * 20 + 10))
    assert shown == pytest.approx(BOARDS[theme].bright.last, abs=12)


def test_the_turning_torus_shows_the_mark_of_the_last_move_wherever_it_lies() -> None:
    found = np.stack(frames(gif_of(game_of("E5", size=9), "torus"))).astype(int)
    red, green = BOARDS["kaya"].bright.last[:2]
    assert (found[..., 0] - found[..., 1]).max() >= red - green


def test_the_frames_of_a_gif_are_not_kept() -> None:
    images = []

    def progress(_share: float) -> bool:
        # By type: asked for their class, some objects of torch warn.
        images.append(sum(issubclass(type(each), Image.Image) for each in gc.get_objects()))
        return True

    gif_of(game_of(*(f"{column}{row}" for row in (1, 3) for column in "ABCDE")), "game", SMALL, progress)
    assert len(images) == 11
    assert images[-1] <= images[1]


def test_what_is_too_large_is_not_drawn() -> None:
    large = Drawing(point=120, periods=4)
    for draw in (lambda: still_of(Game(25), large), lambda: gif_of(Game(25), "game", large)):
        with pytest.raises(PictureTooLarge, match="12672 × 12672 pixels"):
            draw()


def test_an_animation_has_fewer_pixels_than_a_picture_unless_they_are_asked_for() -> None:
    game = game_of("C3")
    still, moving = (Image.open(io.BytesIO(file)).width for file in (still_of(game), gif_of(game, "pan")))
    assert moving < 2 / 3 * still
    assert Image.open(io.BytesIO(gif_of(game, "pan", Drawing(point=36)))).width == still


def test_a_variation_is_shown_where_the_cursor_is_in_it() -> None:
    game = game_of("C3", "D3")
    game.undo()
    game.play(game.torus.parse("A1"))
    found = frames(gif_of(game, "game", SMALL))
    assert min(colour_at(found[-1], 6, 2)) > 180


def test_a_pan_goes_once_around_and_repeats() -> None:
    found = frames(gif_of(game_of("C3", "B2", size=5), "pan", SMALL))
    assert len(found) == 15
    arrays = [np.asarray(image).astype(int) for image in found]
    steps = [abs(one - other).mean() for one, other in zip(arrays, arrays[1:] + arrays[:1], strict=True)]
    # The step from the last frame to the first is like the others.
    assert steps[-1] < 2 * max(steps[:-1])
    assert min(steps) > 0


def test_the_torus_turns() -> None:
    found = frames(gif_of(game_of("C3"), "torus", SMALL._replace(point=12)))
    assert len(found) == 80
    assert not np.array_equal(np.asarray(found[0]), np.asarray(found[30]))


def test_what_is_cancelled_makes_nothing() -> None:
    shares: list[float] = []

    def progress(share: float) -> bool:
        shares.append(share)
        return len(shares) < 3

    game = game_of("C3", "D3", "E3", "A1")
    here = game.node
    # Whoever looks at the exception keeps all variables of the drawing.
    with pytest.raises(CancelledExport) as cancelled:
        gif_of(game, "game", SMALL, progress)
    assert cancelled.traceback
    assert shares == pytest.approx([0.2, 0.4, 0.6])
    assert game.node is here


def test_an_animated_svg_hides_and_shows_stones_and_stands_still_where_that_is_wanted() -> None:
    game = game_of("B3", "C3", "C2", "A1", "C4", "A2", "D3")
    assert not game.board.colours[game.torus.parse("C3")], "captured"
    picture = animated_svg(game, title='<script>&"')
    root = ET.fromstring(picture)
    assert root.find("{*}title").text == '<script>&"'  # type: ignore[union-attr]
    assert "prefers-reduced-motion" in picture
    groups = [group for group in root.findall(f"{SVG}g") if group.get("id")]
    assert len(groups) == 7
    assert [group.get("class") for group in groups].count("s gone") == 1
    assert len(re.findall(r"@keyframes", picture)) == 7


def test_the_command_line_draws_by_the_ending(tmp_path: Path) -> None:
    record = tmp_path / "game.sgf"
    game = game_of("C3", "D3")
    for node, lead in zip(game.node.path(), (0.0, -9.0, -9.0), strict=True):
        set_evaluation(node, RecordedEvaluation(0.5, lead, 60, "network"))
    record.write_bytes(dump(game))

    def export(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "daoqi_tui", "--lang", "en", "export", str(record), *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    assert export("a.png", "--move", "1", "--theme", "slate", "--point", "12").returncode == 0
    assert Image.open(io.BytesIO((tmp_path / "a.png").read_bytes())).format == "PNG"
    game.undo()
    # A review in the record is drawn: the first move lost points, which the second kept.
    marks = {game.torus.parse("C3"): Mistake(3, punished=True)}
    assert (tmp_path / "a.png").read_bytes() == still_of(game, Drawing("slate", 12, mistakes=marks))
    assert export("a.gif", "--point", "12").stderr == ""
    assert len(frames((tmp_path / "a.gif").read_bytes())) == 3
    assert export("a.svg", "--animate", "game").returncode == 0
    assert "@keyframes" in (tmp_path / "a.svg").read_text()
    assert "end the name in .png, .gif or .svg" in export("a.bmp").stderr
    assert "end the name in .gif" in export("b.png", "--animate", "torus").stderr
    (tmp_path / "text.png").write_text("mine")
    # What would be in vain is not even begun: the game has no such move.
    for words in ((), ("--move", "99")):
        refused = export("text.png", *words)
        assert refused.returncode == 1
        assert "--force" in refused.stderr
    assert (tmp_path / "text.png").read_text() == "mine"


async def test_a_key_writes_the_game_on_the_unrolled_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "picture.sgf").write_bytes(b"\x89PNG\r\n\x1a\n")
    async with playing(setup=GameSetup(size=5)) as person:
        await person.play("C3", "D4")
        await person.press("P")
        for name in ("picture.sgf", "game.sgf"):
            await person.enter_text("Input", name)
            await person.press("enter")
            if name == "picture.sgf":
                await until(person, lambda: "is another kind of file and is not replaced" in person.question())
        await until(person, lambda: person.at_the_board and "Saved as" in person.status)
        assert person.moves == ["C3", "D4"]
    assert (tmp_path / "picture.sgf").read_bytes() == b"\x89PNG\r\n\x1a\n"
    written = (tmp_path / "game.sgf").read_bytes()
    assert b"SZ[10]" in written
    assert written.count(b"AB[") == written.count(b"AW[") == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 14)])
async def test_the_field_for_the_name_has_room_below_the_formats(size: tuple[int, int], lang: str) -> None:
    use_language(lang)
    async with playing(size) as person:
        await person.press("P")
        prompt = person.open(Prompt)
        await person.wait()
        assert ".gif" in person.question()
        field = prompt.query_one(Input).region
        assert field in prompt.region
        assert field.width >= size[0] // 2


async def test_a_key_writes_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with playing() as person:
        await person.play("C3", "D4")
        await person.press("P")
        await person.enter_text("Input", "game.gif")
        await person.press("enter")
        while not (tmp_path / "game.gif").exists():
            await person.wait()
        assert len(frames((tmp_path / "game.gif").read_bytes())) == 3
        await person.press("P")
        await person.enter_text("Input", "board.bmp")
        await person.press("enter")
        assert not person.at_the_board
        assert not (tmp_path / "board.bmp").exists()


async def test_a_film_is_drawn_whatever_is_asked_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    begun, may_end = Event(), Event()

    def draw(*_what: object) -> bytes:
        begun.set()
        assert may_end.wait(HANG)
        return b"GIF89a"

    monkeypatch.setattr(pixels, "gif_of", draw)
    async with playing() as person:
        await person.press("P")
        await person.enter_text("Input", "game.gif")
        await person.press("enter")
        await until(person, begun.is_set)
        await person.press("p")
        await until(person, lambda: person.moves == ["pass"])
        await person.press("g")
        await until(person, lambda: not person.at_the_board)
        may_end.set()
        await until(person, (tmp_path / "game.gif").exists)
        await person.press("escape")
        await until(person, lambda: "Saved as" in person.status)


@pytest.mark.parametrize("export", EXPORTS.values(), ids=lambda export: export.kind.name)
def test_each_export_makes_files_of_its_kind_and_restores_the_cursor(export: Export) -> None:
    game = game_of("C3", "D3", "E3")
    assert game.node.parent is not None
    here = game.node.parent
    game.goto(here)
    for subject in export.subjects:
        data = export.write(game, Info(), subject, SMALL, lambda _share: True)
        assert [kind.name for kind in (each.kind for each in EXPORTS.values()) if re.match(kind.beginning, data)] == [
            export.kind.name
        ]
        assert game.node is here
