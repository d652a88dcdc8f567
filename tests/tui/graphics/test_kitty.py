"""The kitty graphics protocol, written and read."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from daoqi_tui.pictures.raster import png, png_rgba
from daoqi_tui.tui.graphics import (
    Answer,
    Answers,
    Placement,
    Sixel,
    Stage,
    delete,
    in_place,
    place,
    transmit,
)
from tests.tui.graphics.kitty_terminal import KittyTerminal

GOOD = "\x1b_Gi=30;OK\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?1016;2$y\x1b[?62;4c"


def taken(pieces: list[str]) -> tuple[str, list[Answer]]:
    """What a program makes of text that comes in pieces while answers are awaited."""
    answers = Answers()
    answers.awaited = True
    keys, found = "", []
    for piece in pieces:
        left, more = answers.take(piece)
        keys += left
        found += more
    return keys + "".join(answers.give_up() for _each in range(20)) + answers.take("")[0], found


def test_the_answers_of_a_terminal_that_shows_pictures() -> None:
    keys, found = taken(["a" + GOOD + "b"])
    assert keys == "ab"
    assert found == [
        Answer(edits=True),
        Answer(graphics=True),
        Answer(cell=(10, 20)),
        Answer(pixels=True),
        Answer(sixel=Sixel(), ended=True),
    ]


def test_answers_cut_anywhere_are_the_same() -> None:
    whole = taken(["x" + GOOD + "y"])
    for cut in range(1, len(GOOD) + 1):
        assert taken(["x" + GOOD[:cut], GOOD[cut:] + "y"]) == whole
    assert taken(list("x" + GOOD + "y")) == whole


@pytest.mark.parametrize(
    "reply",
    [
        "\x1b_Gi=31;EINVAL:bad\x1b\\\x1b[?1c",
        "\x1b_Gi=31;ENOENT\x07\x1b[?1c",
        "\x1b[?64;1;2c",
        "\x1b[?1016;0$y\x1b[?1c",
    ],
)
def test_a_terminal_that_shows_none_leaves_nothing_in_the_input(reply: str) -> None:
    keys, found = taken([reply])
    assert keys == ""
    assert not any(answer.graphics for answer in found)
    assert found[-1].ended


def test_answers_to_somebody_else_are_not_for_us() -> None:
    assert taken(["\x1b_Gi=7;OK\x1b\\"]) == ("", [Answer()])


@pytest.mark.parametrize("keys", ["\x1b", "\x1b[A", "\x1b[1;2C", "\x1b[<0;10;10M", "\x1b[200~a\x1b[201~", "棋\x1bx"])
def test_keys_pass(keys: str) -> None:
    assert taken([keys]) == (keys, [])
    assert taken(list(keys)) == (keys, [])


def test_an_esc_is_not_held_back_once_all_is_answered() -> None:
    answers = Answers()
    answers.awaited = True
    answers.take(GOOD)
    assert answers.take("\x1b") == ("\x1b", [])


def test_half_of_an_answer_is_waited_for_and_then_dropped() -> None:
    assert taken(["\x1b_Gi=31;O"])[0] == ""
    answers = Answers()
    answers.take("\x1b_Gi=31;O")
    assert answers.give_up() == ""
    assert answers.take("K\x1b\\a") == ("a", [Answer(graphics=True)])
    answers.take("\x1b_Gi=31;O")
    for _each in range(20):
        answers.give_up()
    assert answers.take("a") == ("a", [])


def test_an_answer_of_any_length_is_no_key() -> None:
    assert taken(["a\x1b_Gi=31;" + "x" * 5000 + "\x1b\\b"])[0] == "ab"
    pieces = ["a\x1b_Gi=31;", *["x" * 4096] * 40, "\x1b\\b"]
    assert taken(pieces)[0] == "ab"


def test_a_picture_with_a_palette_is_read_by_others() -> None:
    chance = np.random.default_rng(1)
    indices = chance.integers(0, 200, (37, 53), np.uint8)
    colours = chance.integers(0, 256, (256, 3), np.uint8)
    image = Image.open(io.BytesIO(png(indices, colours.tobytes())))
    assert np.array_equal(np.asarray(image.convert("RGB")), colours[indices])
    clear = Image.open(io.BytesIO(png(indices % 3, colours[:3].tobytes(), bytes([0, 128, 255])))).convert("RGBA")
    assert np.array_equal(np.asarray(clear)[:, :, 3], np.array([0, 128, 255])[indices % 3])


def test_a_picture_with_opacity_is_read_by_others() -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (9, 14, 4), np.uint8)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png_rgba(pixels)))), pixels)


def test_pictures_are_sent_shown_and_deleted() -> None:
    terminal = KittyTerminal(20, 10, (10, 20))
    pixels = np.random.default_rng(3).integers(0, 256, (100, 90, 4), np.uint8)
    pixels[:, :, 3] = 255
    terminal.write(transmit(5, png_rgba(pixels)))
    terminal.write(in_place([place(1, Placement(5, 12, 7, 60, 50, 33, 41), (10, 20))]))
    assert np.array_equal(terminal.screen()[41:91, 33:93], pixels[7:57, 12:72])
    terminal.write(delete(5))
    assert not terminal.screen().any()


class TestStage:
    """The least that must be written."""

    def stage(self) -> tuple[Stage, KittyTerminal]:
        terminal = KittyTerminal(20, 10, (10, 20))
        numbers = iter(range(1, 10_000))
        return Stage(terminal.write, lambda: next(numbers)), terminal

    @staticmethod
    def picture(shade: int, side: int = 20) -> bytes:
        return png(np.full((side, side), 0, np.uint8), bytes([shade] * 3))

    def test_a_picture_is_sent_once(self) -> None:
        stage, terminal = self.stage()
        image = stage.image("a", lambda: self.picture(9))
        stage.show([Placement(image, 0, 0, 20, 20, 0, 0)], (10, 20))
        sent = terminal.transmitted
        assert sent
        assert stage.image("a", lambda: self.picture(9)) == image
        stage.show([Placement(image, 0, 0, 20, 20, 5, 5)], (10, 20))
        assert terminal.transmitted == sent
        assert len(terminal.placements) == 1
        assert terminal.screen()[5:25, 5:25, :3].min() == 9

    def test_what_is_shown_already_is_not_written_again(self) -> None:
        stage, terminal = self.stage()
        placement = Placement(stage.image("a", lambda: self.picture(9)), 0, 0, 20, 20, 0, 0)
        stage.show([placement], (10, 20))
        received = terminal.received
        stage.show([placement], (10, 20))
        assert terminal.received == received

    def test_what_is_no_longer_wanted_goes(self) -> None:
        stage, terminal = self.stage()
        stage.show([Placement(stage.image("a", lambda: self.picture(9)), 0, 0, 20, 20, 0, 0)], (10, 20))
        stage.show([], (10, 20))
        assert not terminal.placements

    def test_pictures_not_shown_are_freed_in_the_end(self) -> None:
        stage, terminal = self.stage()
        for shade in range(40):
            image = stage.image(shade, lambda shade=shade: self.picture(shade, 1000))  # type: ignore[misc]
            stage.show([Placement(image, 0, 0, 20, 20, 0, 0)], (10, 20))
            assert len(terminal.placements) == 1
        # kitty has room for 80 million pixels.
        assert sum(image.shape[0] * image.shape[1] for image in terminal.images.values()) / 1e6 < 20
        stage.clear()
        assert not terminal.images
        assert not terminal.placements

    def test_many_placements_of_one_picture(self) -> None:
        stage, terminal = self.stage()
        chance = np.random.default_rng(4)
        for _round in range(50):
            image = stage.image("a", lambda: self.picture(9))
            wanted = {
                Placement(image, 0, 0, 20, 20, int(left), int(top))
                for left, top in chance.integers(0, 180, (int(chance.integers(0, 9)), 2))
            }
            stage.show(wanted, (10, 20))
            assert len(terminal.placements) == len(wanted)
            assert {place for _, place, *_ in terminal.placements.values()} == {
                (each.left, each.top) for each in wanted
            }
