"""The settings file: what it may say, what is said about mistakes, and how it is changed."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from daoqi_tui.cli import main
from daoqi_tui.config import Config, config_path, load_config, value_of
from daoqi_tui.config_keys import BY_PATH, SETTINGS
from daoqi_tui.config_save import save
from daoqi_tui.config_text import KeyLine, documented, edited, key_names, line_of
from daoqi_tui.tui.commands import COMMANDS

NAMES = tuple(command.name for command in COMMANDS)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "config.toml"


def loaded(file: Path, text: str, **variables: str) -> Config:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return load_config(NAMES, file, variables)


def test_without_a_file_everything_is_as_by_default(file: Path) -> None:
    config = load_config(NAMES, file, {})
    assert (config.values, config.keys, config.problems) == ({}, {}, ())
    assert all(config[setting.path] == setting.default for setting in SETTINGS)
    assert all(setting.fits(setting.default) for setting in SETTINGS)


def test_the_file_is_read_and_variables_beat_it(file: Path) -> None:
    text = 'language = "zh"\n[look]\nboard = "slate"\ncopies = 3\n[play]\nkomi = 3.75\nfollow = true\n'
    config = loaded(file, text, DAOQI_TUI_LOOK_BOARD="night", DAOQI_TUI_PLAY_SIZE="9", DAOQI_TUI_PLAY_FOLLOW="no")
    assert config["language"] == "zh"
    assert (config["look.board"], config["look.copies"]) == ("night", 3)
    assert (config["play.komi"], config["play.size"], config["play.follow"]) == (3.75, 9, False)
    assert config.sources["look.board"] == "DAOQI_TUI_LOOK_BOARD"
    assert config.sources["play.komi"] == str(file)
    assert not config.problems


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[look]\n\nboard = "oak"\n', 3, 'look.board cannot be \'oak\': "kaya", "slate"'),
        ("[look]\ncopies = 26\n", 2, 'look.copies cannot be 26: "fill", or a whole number from 0 to 25'),
        ("[play]\nsize = true\n", 2, "play.size cannot be True: a whole number from 5 to 25"),
        ("[play]\nfollow = 1\n", 2, "play.follow cannot be 1: false, true"),
        ("[play]\nspeed = 1\n", 2, "there is no setting play.speed: size, komi"),
        ("[sound]\nvolume = 1\n", 1, "there is no section [sound]: [look], [play], [bell], [keys]"),
        ("volume = 1\n", 1, "there is no setting volume: language"),
        ("play.size = 4\n", 1, "play.size cannot be 4: a whole number from 5 to 25"),
        ('[keys]\nfly = "x"\n', 2, "there is no command fly: daoqi-tui config --show lists them"),
        ('[keys]\n\npass = "hyper+x"\n', 3, "'hyper+x' is not a key: such as x, ctrl+x"),
        ('[keys]\npass = "x"\nresign = "f5 x"\n', 3, "the key x is that of pass already"),
    ],
)
def test_a_mistake_costs_one_line_and_nothing_else(file: Path, text: str, line: int, words: str) -> None:
    config = loaded(file, text + "\n[bell]\nmove = true\n")
    [problem] = config.problems
    assert problem.startswith(f"{file}, line {line}: {words}"), problem
    assert "\n" not in problem
    assert config["bell.move"] is True
    assert all(config[path] == setting.default for path, setting in BY_PATH.items() if path != "bell.move")


def test_names_that_a_terminal_would_obey_are_made_visible(file: Path) -> None:
    text = '"\\u001b[31m" = 1\n["\\u001b]0;"]\na = 1\n[look]\n"\\u0007" = 1\n[keys]\n"\\u001b" = "x"\n'
    problems = loaded(file, text).problems
    assert len(problems) == 4
    assert not any("\x1b" in problem or "\x07" in problem for problem in problems)
    assert "␛[31m" in problems[0]


def test_force_alone_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["config", "--force"])
    assert end.value.code == 2
    assert capsys.readouterr().err == "daoqi-tui: --force goes with --init\n"


def test_a_file_that_is_no_toml_says_where(file: Path) -> None:
    [problem] = loaded(file, "[look]\nboard = kaya\n").problems
    assert str(file) in problem
    assert "line 2" in problem


def test_a_file_that_is_no_text_is_refused(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"\xff\xfe\x00")
    assert load_config(NAMES, file, {}).problems == (f"{file} cannot be read: it is not UTF-8",)


def test_a_wrong_variable_is_named() -> None:
    config = load_config(NAMES, Path("/nonexistent/config.toml"), {"DAOQI_TUI_PLAY_SIZE": "huge"})
    assert config.problems == ("DAOQI_TUI_PLAY_SIZE cannot be 'huge': a whole number from 5 to 25",)


def test_keys_are_read_as_textual_names_them(file: Path) -> None:
    config = loaded(file, '[keys]\npass = "x"\nresign = "ctrl+q ? + ctrl++"\npan_left_4 = "f5 space ["\n')
    assert config.keys == {
        "pass": ("x",),
        "resign": ("ctrl+q", "question_mark", "plus", "ctrl+plus"),
        "pan_left_4": ("f5", "space", "left_square_bracket"),
    }
    assert not config.problems


@pytest.mark.parametrize("value", ["", "  ", "nokey", "ctrl+", "f99", "x nokey", 3, None, ["x"]])
def test_what_is_no_key(value: object) -> None:
    assert key_names(value) == ()


def test_every_command_has_a_name_of_its_own_and_its_keys_are_keys() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for command in COMMANDS:
        assert key_names(" ".join(command.keys)) == command.keys


def test_the_documented_file_explains_and_changes_nothing(file: Path) -> None:
    keys = [KeyLine(command.name, command.keys, command.help) for command in COMMANDS]
    text = documented({}, keys, {})
    assert loaded(file, text) == Config(file)
    uncommented = "\n".join(line.removeprefix("# ") if " = " in line else line for line in text.split("\n")[2:])
    config = loaded(file, "\n".join(line for line in uncommented.split("\n") if 'pass = "p ctrl+n"' not in line))
    assert not config.problems
    assert {path: config[path] for path in BY_PATH} == {path: setting.default for path, setting in BY_PATH.items()}
    assert dict(config.keys) == {command.name: command.keys for command in COMMANDS}


def test_the_documented_file_keeps_what_was_set(file: Path) -> None:
    keys = [KeyLine(command.name, command.keys, command.help) for command in COMMANDS]
    config = loaded(file, documented({"look.board": "jade", "play.komi": 3.75}, keys, {"pass": ("f5",)}))
    assert dict(config.values) == {"look.board": "jade", "play.komi": 3.75}
    assert dict(config.keys) == {"pass": ("f5",)}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[look]\nboard = "jade"\n'),
        ('[look]\nboard = "kaya"  # of old\n', '[look]\nboard = "jade"  # of old\n'),
        ('[look]\n# "kaya" is best\n# board = "kaya"\n', '[look]\n# "kaya" is best\nboard = "jade"\n'),
        ("[look]\ncopies = 2\n\n[play]\nsize = 9\n", '[look]\ncopies = 2\nboard = "jade"\n\n[play]\nsize = 9\n'),
        ("[play]\nsize = 9\n", '[play]\nsize = 9\n\n[look]\nboard = "jade"\n'),
    ],
)
def test_one_line_is_changed_and_remarks_stay(before: str, after: str) -> None:
    assert edited(before, "look", "board", "jade") == after


def test_saving_makes_the_file_and_changes_it_again(file: Path) -> None:
    save(file, {"look.board": "night", "language": "zh"})
    save(file, {"look.board": "paper", "play.follow": True})
    assert tomllib.loads(file.read_text("utf-8")) == {
        "language": "zh",
        "look": {"board": "paper"},
        "play": {"follow": True},
    }


@pytest.mark.parametrize("text", ["[look\n", 'look = {board = "kaya"}\n'])
def test_a_file_that_cannot_be_changed_stays_as_it_was(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(RuntimeError, match=str(file)):
        save(file, {"look.board": "night"})
    assert file.read_text() == text


def test_lines_are_found_in_their_own_section() -> None:
    text = 'size = 1\n[look]\nnames = "gtp"\n# size = 5\n[play]\n"size" = 9\n'
    assert line_of(text, "", "size") == 1
    assert line_of(text, "play", "size") == 6
    assert line_of(text, "look", "size") is None


def test_values_of_variables() -> None:
    assert value_of(BY_PATH["look.copies"], "3") == 3
    assert value_of(BY_PATH["look.copies"], "fill") == "fill"
    assert value_of(BY_PATH["play.follow"], "ON") is True
    assert value_of(BY_PATH["play.komi"], "nan") is None


def test_the_place_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/somewhere")
    assert config_path() == Path("/somewhere/daoqi-tui/config.toml")
    monkeypatch.setenv("XDG_CONFIG_HOME", "not/absolute")
    monkeypatch.setenv("HOME", os.sep + "home")
    assert config_path() == Path("/home/.config/daoqi-tui/config.toml")
