"""The settings file: valid contents, messages about mistakes, and changes."""

from __future__ import annotations

import os
import threading
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from daoqi_tui.cli import program as commands
from daoqi_tui.cli.main import main, run
from daoqi_tui.commands import key_names
from daoqi_tui.commands.screen import COMMANDS
from daoqi_tui.config import BY_PATH, SETTINGS, Config, Value, config_path, line_of, load_config, value_of
from daoqi_tui.config import save as module
from daoqi_tui.config.save import ConfigError, documented, edited, save, unset, without

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
        ('[play]\nrules = "chess"\n', 2, "play.rules cannot be 'chess': \"daoqi\", another preset such as"),
        ('[play]\nwhite = "level:4.25"\n', 2, 'play.white cannot be \'level:4.25\': "person", "level:4.5"'),
        ('[play]\nnet = "none"\n', 2, 'play.net cannot be \'none\': "auto", "katrain", or the path'),
        ("[play]\nrules = 1\n", 2, 'play.rules cannot be 1: "daoqi"'),
        ("[play]\nfollow = 1\n", 2, "play.follow cannot be 1: false, true"),
        ("[play]\nspeed = 1\n", 2, "there is no setting play.speed: size, komi"),
        ("[sound]\nvolume = 1\n", 1, "there is no section [sound]: [look], [play], [analysis], [display]"),
        ("volume = 1\n", 1, "there is no setting volume: language"),
        ("play.size = 4\n", 1, "play.size cannot be 4: a whole number from 5 to 25"),
        ('[keys]\nfly = "x"\n', 2, "there is no command fly: daoqi-tui config --show lists them"),
        ('[keys]\n\npass = "hyper+x"\n', 3, "'hyper+x' is not a key; keys are written x, ctrl+x"),
        ('[keys]\npass = "x"\nresign = "f5 x"\n', 3, "the key x is already used by pass"),
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


def test_a_setting_saved_while_the_file_is_written_anew_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = config_path()
    save(file, {"play.size": 9})
    load = commands.load_with_keys

    def loaded_before_a_window_saves() -> Config:
        config = load()
        monkeypatch.setattr(commands, "load_with_keys", load)
        save(file, {"look.board": "slate"})
        return config

    monkeypatch.setattr(commands, "load_with_keys", loaded_before_a_window_saves)
    assert run(["config", "--init", "--force"]) == 0
    config = load()
    assert (config["play.size"], config["look.board"]) == (9, "slate")


@pytest.mark.parametrize(
    "content",
    [b"[play]\nsize = 9\n[look\n", b"\xff\xfe", b"# explained\n" * 4000],
    ids=["no TOML", "no text", "large"],
)
def test_a_file_that_cannot_be_understood_is_kept_beside_the_new_one(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = config_path()
    file.parent.mkdir()
    (target := tmp_path / "dotfiles.toml").write_bytes(content)
    file.symlink_to(target)
    assert run(["config", "--init", "--force"]) == 0
    assert (tmp_path / "dotfiles.toml.damaged").read_bytes() == content
    assert f"{file} cannot be understood and was kept as dotfiles.toml.damaged" in capsys.readouterr().err
    assert file.is_symlink()
    assert load_config().problems == ()


def test_a_file_that_is_no_toml_says_where(file: Path) -> None:
    [problem] = loaded(file, "[look]\nboard = kaya\n").problems
    assert str(file) in problem
    assert "line 2" in problem


def test_a_file_that_is_no_text_is_refused(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"\xff\xfe\x00")
    assert load_config(NAMES, file, {}).problems == (f"{file} cannot be read: it is not UTF-8",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 20000, "it is nested too deeply; defaults are used"),
        ("a = " + "{b=" * 8000, "it is nested too deeply; defaults are used"),
        ("# explained\n" * 4000, "cannot be read: it is larger than the limit of 32 kB"),
        ("[play]\nsize = " + "9" * 5000, "defaults are used"),
    ],
    ids=["lists", "tables", "large", "digits"],
)
def test_a_file_nested_without_end_or_far_too_large_costs_one_sentence(file: Path, text: str, words: str) -> None:
    [problem] = loaded(file, text).problems
    assert problem.startswith(str(file))
    assert words in problem
    assert "\n" not in problem
    with pytest.raises(ConfigError, match=str(file)) as refused:
        save(file, {"look.board": "night"})
    assert "\n" not in str(refused.value)
    assert file.read_text() == text


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no file without end on this system")
def test_a_device_is_not_read() -> None:
    [problem] = load_config(NAMES, Path("/dev/zero"), {}).problems
    assert problem == "/dev/zero cannot be read: it is a pipe or a device, not a file"


@pytest.mark.parametrize(
    "text",
    [
        "[play]\nsize" + ".a" * 4000 + " = 1\n",
        "[play]\nsize = [" + "1," * 5000 + "]\n",
        f'[keys]\npass = "{"x" * 20000}"\n',
    ],
    ids=["deep", "long", "keys"],
)
def test_a_wrong_value_is_shown_cut_short(file: Path, text: str) -> None:
    [problem] = loaded(file, text).problems
    assert problem.startswith(str(file))
    assert len(problem) < 400 + len(str(file))


def test_of_many_mistakes_some_are_told(file: Path) -> None:
    problems = loaded(file, "".join(f"a{number} = 1\n" for number in range(2000))).problems
    assert len(problems) == 21
    assert problems[-1] == f"{file}: there are more problems than are listed"


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


@pytest.mark.parametrize("value", ["", "  ", "nokey", "ctrl+", "f99", "f1٢", "x nokey", 3, None, ["x"]])
def test_what_is_no_key(value: object) -> None:
    assert key_names(value) == ()


def test_every_command_has_a_name_of_its_own_and_its_keys_are_keys() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for command in COMMANDS:
        assert key_names(" ".join(command.keys)) == command.keys


def test_the_documented_file_explains_and_changes_nothing(file: Path) -> None:
    text = documented({}, COMMANDS, {})
    assert vars(loaded(file, text)) == vars(Config(file))
    uncommented = "\n".join(line.removeprefix("# ") if " = " in line else line for line in text.split("\n")[2:])
    config = loaded(file, "\n".join(line for line in uncommented.split("\n") if 'pass = "p ctrl+n"' not in line))
    assert not config.problems
    assert {path: config[path] for path in BY_PATH} == {path: setting.default for path, setting in BY_PATH.items()}
    assert dict(config.keys) == {command.name: command.keys for command in COMMANDS}


def test_the_documented_file_keeps_what_was_set(file: Path) -> None:
    config = loaded(file, documented({"look.board": "jade", "play.komi": 3.75}, COMMANDS, {"pass": ("f5",)}))
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
        ("[play]\nsize = 9", '[play]\nsize = 9\n\n[look]\nboard = "jade"\n'),
        ('look.board = "kaya"  # of old\nplay.size = 9\n', 'look.board = "jade"  # of old\nplay.size = 9\n'),
        ('look = {board = "kaya", cell = "4x2"}\n', 'look = {board = "jade", cell = "4x2"}\n'),
        ('[look]\n# board = "kaya"  # best\ncopies = 2\n', '[look]\nboard = "jade"  # best\ncopies = 2\n'),
        ("[look]\n# board = as you like\n", '[look]\nboard = "jade"\n'),
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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("analysis.visits", 1_000_000),
        ("play.komi", 3.5),
        ("play.komi", 3.1234567),
        ("play.komi", 4.0),
        ("play.net", '/nets/"道"\\\x7f\u2028\U000e0001.npz'),
    ],
)
def test_what_is_saved_is_read_back(file: Path, name: str, value: Value) -> None:
    save(file, {name: value})
    config = load_config(NAMES, file, {})
    assert config.problems == ()
    assert config[name] == value


def test_other_line_breaks_in_remarks_are_no_lines(file: Path) -> None:
    file.parent.mkdir()
    remark = "# one\u2028two\u0085three\n"
    file.write_text(f'{remark}[look]\n# board = "kaya"\n', "utf-8")
    save(file, {"look.board": "night"})
    assert file.read_text("utf-8") == f'{remark}[look]\nboard = "night"\n'
    assert line_of(file.read_text("utf-8"), "look", "board") == 3
    unset(file, "look.board")
    assert file.read_text("utf-8") == f'{remark}[look]\n# board = "night"\n'


def test_windows_that_save_at_the_same_time_lose_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, both = module.read_text, threading.Barrier(2)

    def slowly(path: Path) -> str:
        text = read(path)
        # Without a lock, both threads have read the file by then.
        with suppress(threading.BrokenBarrierError):
            both.wait(0.3)
        return text

    file.parent.mkdir()
    file.touch()
    monkeypatch.setattr(module, "read_text", slowly)
    changes: list[dict[str, Value]] = [{"look.board": "night"}, {"play.size": 9}]
    windows = [threading.Thread(target=save, args=(file, change)) for change in changes]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert tomllib.loads(file.read_text("utf-8")) == {"look": {"board": "night"}, "play": {"size": 9}}


@pytest.mark.parametrize("text", ["[look\n", 'look = "kaya"\n', '[[look]]\nboard = "kaya"\n'])
def test_a_file_that_cannot_be_changed_stays_as_it_was(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(ConfigError, match=str(file)):
        save(file, {"look.board": "night"})
    assert file.read_text() == text


def test_a_link_to_itself_cannot_be_changed(file: Path) -> None:
    file.parent.mkdir()
    file.symlink_to(file)
    with pytest.raises(ConfigError, match="cannot be written: "):
        save(file, {"look.board": "night"})


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
    assert [value_of(BY_PATH["play.komi"], text) for text in ("-3", "3.75", "7.")] == [-3, 3.75, 7.0]
    assert [value_of(BY_PATH["play.size"], text) for text in ("9", "09", "1_6", " 9 ", "٩", "9.0")] == [
        *(9, 9, None, None, None, None)
    ]


def test_the_place_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/somewhere")
    assert config_path() == Path("/somewhere/daoqi-tui/config.toml")
    monkeypatch.setenv("XDG_CONFIG_HOME", "not/absolute")
    monkeypatch.setenv("HOME", os.sep + "home")
    assert config_path() == Path("/home/.config/daoqi-tui/config.toml")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("[look]\ncopies = 2\n", "[look]\ncopies = 2\n"),
        ('# mine\n[look]\nboard = "jade"  # of old\n', '# mine\n[look]\n# board = "jade"  # of old\n'),
        ('[look]\nboard = "jade"\n[play]\nsize = 9', '[look]\n# board = "jade"\n[play]\nsize = 9\n'),
        ('look.board = "jade"\nplay.size = 9\n', '# look.board = "jade"\nplay.size = 9\n'),
        ('# why\nlook = {board = "jade", cell = "4x2"}\n', '# why\nlook = { cell = "4x2"}\n'),
        ('[look]\nboard = """\njade"""  # of old\n', "[look]\n"),
    ],
)
def test_one_setting_is_taken_out_and_remarks_stay(before: str, after: str) -> None:
    assert without(before, "look", "board") == after


def test_what_was_taken_out_is_set_again_in_its_place(file: Path) -> None:
    loaded(file, '[look]\n# mine\nboard = "jade"  # of old\ncopies = 2\n')
    unset(file, "look.board")
    unset(file, "look.board")
    assert load_config(NAMES, file, {})["look.board"] == "kaya"
    save(file, {"look.board": "night"})
    assert file.read_text("utf-8") == '[look]\n# mine\nboard = "night"  # of old\ncopies = 2\n'


def test_what_cannot_be_taken_out_stays(file: Path) -> None:
    loaded(file, "[look\n")
    with pytest.raises(ConfigError, match="is not valid TOML"):
        unset(file, "look.board")
    assert file.read_text("utf-8") == "[look\n"
    unset(file.with_name("none.toml"), "look.board")
    assert not file.with_name("none.toml").exists()


class Called(NamedTuple):
    """The exit status and output of a command."""

    status: object
    output: str
    errors: str


@pytest.fixture
def config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Called]:
    """Return a function that runs ``daoqi-tui config`` with its own settings file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for variable in [name for name in os.environ if name.startswith("DAOQI_TUI_")]:
        monkeypatch.delenv(variable)

    def call(*arguments: str) -> Called:
        with pytest.raises(SystemExit) as end:
            main(["--lang", "en", "config", *arguments])
        return Called(end.value.code, *capsys.readouterr())

    return call


def test_a_setting_is_got_set_and_unset(config: Callable[..., Called], tmp_path: Path) -> None:
    file = tmp_path / "daoqi-tui" / "config.toml"
    assert config("get", "look.board") == (0, "kaya\n", "")
    assert config("set", "look.board", "slate") == (0, "", "")
    assert config("set", "play.komi", "-3.75") == (0, "", "")
    assert config("set", "play.follow", "on") == (0, "", "")
    assert config("set", "keys.pass", "p ctrl+n") == (0, "", "")
    assert [config("get", name).output for name in ("look.board", "play.komi", "play.follow", "keys.pass")] == [
        "slate\n",
        "-3.75\n",
        "true\n",
        "p ctrl+n\n",
    ]
    assert tomllib.loads(file.read_text("utf-8")) == {
        "look": {"board": "slate"},
        "play": {"komi": -3.75, "follow": True},
        "keys": {"pass": "p ctrl+n"},
    }
    assert config("unset", "look.board") == config("unset", "keys.pass") == (0, "", "")
    assert (config("get", "look.board").output, config("get", "keys.pass").output) == ("kaya\n", "p\n")


def test_each_setting_takes_what_get_prints(config: Callable[..., Called]) -> None:
    for setting in SETTINGS:
        printed = config("get", setting.path).output.removesuffix("\n")
        assert config("set", setting.path, printed) == (0, "", "")
    assert config().status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["get", "look.bord"], "there is no setting look.bord; did you mean look.board?"),
        (["set", "board", "jade"], "there is no setting board; did you mean look.board?"),
        (["unset", "keys.pas"], "there is no setting keys.pas; did you mean keys.pass?"),
        (["get", "volume"], "there is no setting volume; see daoqi-tui config --show"),
        (["set", "look.stones", "disks"], "; did you mean discs?"),
        (["set", "look.board", "oak"], 'look.board cannot be \'oak\': "kaya", "slate"'),
        (["set", "play.size", "4"], "play.size cannot be '4': a whole number from 5 to 25"),
        (["set", "keys.pass", "hyper+q"], "'hyper+q' is not a key"),
        (["set", "keys.pass", "ab\udcff"], "'ab\\udcff' is not a key"),
        (["set", "play.net", "/nets/\udcff.npz"], "'/nets/\\udcff.npz' is not UTF-8, as a settings file has to be"),
        (["set", "look.board"], "config set is used as: daoqi-tui config set NAME VALUE"),
        (["get"], "config get is used as: daoqi-tui config get NAME"),
        (["unset", "look.board", "jade"], "config unset is used as: daoqi-tui config unset NAME"),
        (["get", "look.board", "--show"], "--init, --path and --show go without get, set and unset"),
        (["gte", "look.board"], "action: 'gte' is not one of get, set, unset; did you mean get?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_of_config_changes_nothing(
    config: Callable[..., Called], arguments: list[str], words: str, tmp_path: Path
) -> None:
    status, output, errors = config(*arguments)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert words in errors
    assert list(tmp_path.iterdir()) == []


def test_a_key_has_one_command(config: Callable[..., Called]) -> None:
    config("set", "keys.pass", "f5")
    assert config("set", "keys.hint", "f6 f5").errors == (
        "daoqi-tui: the key f5 is already used by pass; choose another\n"
    )
    assert config("set", "keys.pass", "f5 f6").status == 0


def test_a_variable_that_overrides_what_is_set_is_told(
    config: Callable[..., Called], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAOQI_TUI_LOOK_BOARD", "jade")
    told = "daoqi-tui: DAOQI_TUI_LOOK_BOARD is set and overrides the file\n"
    assert config("set", "look.board", "night") == (0, "", told)
    assert config("get", "look.board").output == "jade\n"


def test_a_mistake_in_the_file_brings_what_was_meant(file: Path) -> None:
    config = loaded(file, "[look]\nbord = 'jade'\nstones = 'disks'\n[keys]\npas = 'x'\n[paly]\nsize = 9\n")
    assert [problem.rpartition("; ")[2] for problem in config.problems] == [
        "did you mean look.board?",
        "did you mean discs?",
        "did you mean pass?",
        "did you mean play?",
    ]


def test_a_byte_order_mark_before_the_settings_is_left_out(file: Path) -> None:
    config = loaded(file, "\ufeff[play]\nsize = 9\n")
    assert config["play.size"] == 9
    assert config.problems == ()
