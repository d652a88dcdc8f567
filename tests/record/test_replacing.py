"""Records and pictures replace files of the same kind only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daoqi_tui.cli.main import main
from daoqi_tui.paths import SGF, may_replace
from daoqi_tui.pictures import EXPORTS

SVG = EXPORTS[".svg"].kind
RECORD = b"(;GM[1]FF[4]SZ[5]TO[3];B[aa];W[cc])"
OTHERS = [
    b"# notes\n(;GM[1])",
    b"for(;;) { }",
    b"(; a comment in Lisp",
    b"\x89PNG\r\n\x1a\n",
    b"<html><svg/>",
    b" ",
]
PICTURES = [
    b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- mine -->\n<!DOCTYPE svg PUBLIC 'a'>\n<svg\n/>",
]
RECORDS = [RECORD, b"\xef\xbb\xbf\n ( ;\r\nFF [4])", b"(;;B[aa])", b"(;)", b"(;GaMe[1])"]


@pytest.mark.parametrize("data", RECORDS)
def test_a_record_is_known_by_what_it_holds(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    assert may_replace(tmp_path / "file", SGF)
    assert not may_replace(tmp_path / "file", SVG)


@pytest.mark.parametrize("data", PICTURES)
def test_a_picture_is_known_by_what_it_holds(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    assert may_replace(tmp_path / "file", SVG)
    assert not may_replace(tmp_path / "file", SGF)


@pytest.mark.parametrize("data", OTHERS)
def test_what_is_neither_is_not_replaced(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "file.sgf").write_bytes(data)
    assert not may_replace(tmp_path / "file.sgf", SGF)
    assert not may_replace(tmp_path / "file.sgf", SVG)


def test_where_nothing_is_lost_one_may_write(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to("nothing yet")
    for path in (tmp_path / "none", tmp_path / "empty", tmp_path / "link", Path(os.devnull)):
        assert may_replace(path, SGF)


def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "notes").write_bytes(b"notes")
    (tmp_path / "link").symlink_to("notes")
    assert not may_replace(tmp_path / "link", SGF)


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.mark.parametrize("command", ["convert", "export"])
def test_commands_replace_their_own_kind_and_others_by_force_alone(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.sgf").write_bytes(RECORD)
    out = tmp_path / ("out.sgf" if command == "convert" else "out.svg")
    assert run(command, tmp_path / "game.sgf", out) == 0
    written = out.read_bytes()
    assert run(command, tmp_path / "game.sgf", out) == 0
    out.write_bytes(b"my notes")
    assert run(command, tmp_path / "game.sgf", out) == 1
    assert out.read_bytes() == b"my notes"
    kind = "SGF" if command == "convert" else "SVG"
    words = f"daoqi-tui: {out} exists and is not a valid {kind} file: choose another name, or --force to replace it\n"
    assert capsys.readouterr().err == words
    assert run(command, tmp_path / "game.sgf", out, "--force") == 0
    assert out.read_bytes() == written


def test_a_file_of_several_games_becomes_one_of_them_by_force_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, link, new = tmp_path / "games.sgf", tmp_path / "link.sgf", tmp_path / "new.sgf"
    games.write_bytes(RECORD + RECORD.replace(b"[cc]", b"[bb]"))
    link.symlink_to(games)
    before = games.read_bytes()
    for out in (games, link):
        assert run("convert", games, out) == 1
        words = f"{out} has 2 games and would have one: choose another name, or --force to replace it"
        assert capsys.readouterr().err == f"daoqi-tui: {words}\n"
        assert games.read_bytes() == before
    words = f"daoqi-tui: {games} has 2 games: game {{}} is converted"
    assert run("convert", games, new) == 0
    assert capsys.readouterr().err == words.format(1) + "; --game names another\n"
    assert run("convert", games, "-", "--game", "1") == 0
    assert capsys.readouterr().err == words.format(1) + "\n"
    assert run("convert", games, "-", "--game", "2") == 0
    told = capsys.readouterr()
    assert told.err == words.format(2) + "\n"
    assert "W[bb]" in told.out
    assert run("convert", games, games, "--game", "2", "--force") == 0
    assert capsys.readouterr().err == words.format(2) + "\n"
    assert b"W[bb]" in games.read_bytes()
    # The file now has one game, so it is converted in place without a message.
    assert run("convert", games, games) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("name", ["out.bmp", "board.2024.JPG", "out.sgf"])
def test_a_picture_is_not_written_under_another_ending(
    name: str, force: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.sgf").write_bytes(RECORD)
    assert run("export", tmp_path / "game.sgf", tmp_path / name, *force) == 2
    assert not (tmp_path / name).exists()
    words = f"{tmp_path / name}: pictures are drawn as PNG, GIF or SVG; end the name in .png, .gif or .svg"
    assert capsys.readouterr().err == f"daoqi-tui: {words}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("out.svg", "--animate", "pan"), "--animate pan is for GIF"),
        (("out.svg", "--seconds", "2"), "--seconds is for the animation of a game"),
        (("out.png", "--seconds", "2"), "--seconds is for the animation of a game"),
        (("out.gif", "--animate", "pan", "--seconds", "2"), "--seconds is for the animation of a game"),
        (("out.gif", "--animate", "torus", "--periods", "1"), "--periods is not for the turning torus"),
    ],
)
def test_an_option_that_a_picture_has_no_use_for_is_refused(
    arguments: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.sgf").write_bytes(RECORD)
    name, *options = arguments
    out = name if name == "-" else tmp_path / name
    assert run("export", tmp_path / "game.sgf", out, *options) == 2
    assert capsys.readouterr().err.startswith(f"daoqi-tui: {words}: leave")
    assert not (tmp_path / name).exists()


def test_what_is_advised_about_the_seconds_of_a_move_helps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "game.sgf").write_bytes(RECORD)
    advice = "daoqi-tui: --seconds is for the animation of a game: leave it out, or use --animate game"
    for name, others, more in (
        ("out.png", (), " and end the name in .gif or .svg"),
        ("out.svg", (), ""),
        ("out.gif", ("--animate", "pan"), ""),
    ):
        assert run("export", tmp_path / "game.sgf", tmp_path / name, "--seconds", "2", *others) == 2
        assert capsys.readouterr().err == f"{advice}{more}\n"
        out = tmp_path / name.replace(".png", ".svg")
        assert run("export", tmp_path / "game.sgf", out, "--seconds", "2", "--animate", "game", "--point", "8") == 0


def test_endings_of_a_picture(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_bytes(RECORD)
    for name, beginning in (("OUT.PNG", b"\x89PNG"), ("out.gif", b"GIF89a")):
        assert run("export", tmp_path / "game.sgf", tmp_path / name, "--point", "8") == 0
        assert (tmp_path / name).read_bytes().startswith(beginning)
    for name in ("out.svg", "OUT.SVG", "board"):
        assert run("export", tmp_path / "game.sgf", tmp_path / name) == 0
        assert (tmp_path / name).read_bytes().startswith(b"<svg")
