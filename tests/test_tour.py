"""CONTRIBUTING's tour is correct: each addition is made in a copy of the package, in the files that it names."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]


class Copy:
    """A copy of the package that is edited and run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "daoqi_tui"
        shutil.copytree(ROOT / "daoqi_tui", self.package, ignore=shutil.ignore_patterns("training"))
        (folder / "assets").symlink_to(ROOT / "assets")

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace the only occurrence of ``old``."""
        path = self.package / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def append(self, file: str, text: str) -> None:
        with (self.package / file).open("a", encoding="utf-8") as module:
            module.write(text)

    def run(self, *arguments: str, entered: str = "", **variables: str) -> str:
        """Run Python on the copy; return what it prints."""
        state = {name: str(self.folder / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**os.environ, **state, "PYTHONPATH": str(self.folder), **variables},
            input=entered,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_a_gtp_command_is_a_function_with_its_form(copy: Copy) -> None:
    copy.edit(
        "gtp/engine/standard_commands.py",
        "COMMANDS: Final = CommandTable()\n",
        '''COMMANDS: Final = CommandTable()


@COMMANDS.command("daoqi-stones")
def stones(context: Context) -> str:
    """Count the stones on the board."""
    return str(sum(map(bool, context.session.game.board.colours)))
''',
    )
    entered = "play B C3\n1 known_command daoqi-stones\n2 daoqi-stones\nquit\n"
    answers = copy.run("-m", "daoqi_tui", "gtp", entered=entered)
    assert "=1 true\n" in answers
    assert "=2 1\n" in answers


def test_an_sgf_property_is_a_field_and_its_name_in_one_file(copy: Copy) -> None:
    copy.edit("record/sgf/info.py", '    copyright: str = ""\n', '    copyright: str = ""\n    weather: str = ""\n')
    copy.edit("record/sgf/info.py", '    "copyright": "CP",\n', '    "copyright": "CP",\n    "weather": "WX",\n')
    program = """
from daoqi_tui.record import dump, load
loaded = load(b"(;GM[1]SZ[9]TO[3]WX[rain];B[aa])")
print(loaded.info.weather, b"WX[rain]" in dump(loaded.game, loaded.info))
"""
    assert copy.run("-c", program).split() == ["rain", "True"]


def test_a_board_theme_is_a_name_its_colours_and_its_frame(copy: Copy) -> None:
    copy.edit("config/__init__.py", "BOARDS: Final = {\n", 'BOARDS: Final = {\n    "rose": N_("Rose"),\n')
    copy.append(
        "pictures/palettes.py",
        """
BOARDS["rose"] = SLATE._replace(name="rose", frame=(40, 10, 20))
BOARDS16["rose"] = BOARDS16["slate"]
""",
    )
    assert 'board = "rose"' in copy.run("-m", "daoqi_tui", "config", DAOQI_TUI_LOOK_BOARD="rose")
    program = """
import asyncio
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.look import Options

async def start() -> None:
    app = DaoqiApp(options=Options(board="rose"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        print(app.theme)

asyncio.run(start())
"""
    assert copy.run("-c", program, TERM="xterm-256color", COLORTERM="truecolor").split() == ["daoqi-rose"]


def test_a_format_of_pictures_is_an_entry_in_one_file(copy: Copy) -> None:
    copy.edit(
        "pictures/__init__.py",
        """        Export(".svg", _SVG,""",
        """        Export(
            ".webp",
            FileKind("WebP", rb"(?s:RIFF....WEBP)"),
            "image/webp",
            ("board",),
            _still("WEBP"),
        ),
        Export(".svg", _SVG,""",
    )
    (copy.folder / "game.sgf").write_bytes(b"(;GM[1]SZ[5]TO[3];B[aa];W[cc])")
    (copy.folder / "game.sgf").write_bytes(b"(;GM[1]SZ[5]TO[3];B[aa];W[cc])")
    daoqi = ("-m", "daoqi_tui", "--lang", "en")
    assert "PNG, GIF, WebP or SVG" in copy.run(*daoqi, "--help", COLUMNS="200")
    assert ".png, .gif, .webp or .svg" in copy.run(*daoqi, "export", "--help", COLUMNS="200")
    made = copy.folder / "board.webp"
    for size in (10, 12):
        # The second time, it replaces a file of its own kind.
        copy.run(*daoqi, "export", "game.sgf", made.name, "--point", str(size))
        assert Image.open(io.BytesIO(made.read_bytes())).size == (2 * 18 + 9 * size,) * 2
    program = """
from daoqi_tui.commands.screen import COMMANDS
from daoqi_tui.play.keeper import export_note
from tests.readme.tables import exports_text
print(export_note())
print(*(command.name for command in COMMANDS if "WebP" in command.terms))
print(exports_text())
"""
    printed = copy.run("-c", program, PYTHONPATH=f"{copy.folder}{os.pathsep}{ROOT}").splitlines()
    assert printed[0].startswith(".png, .webp or .svg: the board, .gif: ")
    assert printed[1] == "export"
    assert "| `.webp` | WebP | the board |  |" in printed


def test_a_language_is_an_entry_and_a_catalogue(copy: Copy) -> None:
    copy.edit("i18n.py", '"繁體中文"}', '"繁體中文", "fr": "Français"}')
    copy.edit(
        "i18n.py",
        'LOCALES: Final = {"zh": "zh_CN", "zh-TW": "zh_TW"}',
        'LOCALES: Final = {"zh": "zh_CN", "zh-TW": "zh_TW", "fr": "fr"}',
    )
    catalogue = Catalog(locale="fr")
    catalogue.add("show or change the settings", "afficher ou changer la configuration")
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    folder = copy.package / "locale" / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "daoqi_tui.mo").write_bytes(compiled.getvalue())
    for asked in ({"LC_ALL": "fr_FR.UTF-8"}, {"DAOQI_TUI_LANGUAGE": "fr"}):
        assert "afficher ou changer" in " ".join(copy.run("-m", "daoqi_tui", "--help", **asked).split())
    assert 'language = "fr"' in copy.run("-m", "daoqi_tui", "config", DAOQI_TUI_LANGUAGE="fr")


def test_a_subcommand_is_a_module_and_an_entry(copy: Copy) -> None:
    copy.edit(
        "cli/parsers.py",
        '    "man": Command',
        '    "stars": Command("daoqi_tui.cli.stars", add_stars),\n    "man": Command',
    )
    copy.edit(
        "cli/parsers.py",
        "def add_man(",
        """def add_stars(subparsers: Subparsers) -> None:
    add_command(subparsers, "stars", "count the star points of the torus", "Count them.", "daoqi-tui stars")


def add_man(""",
    )
    copy.append(
        "cli/stars.py",
        """
import argparse


def run_stars(options: argparse.Namespace) -> int:
    print(0)
    return 0
""",
    )
    assert copy.run("-m", "daoqi_tui", "stars") == "0\n"
    assert "count the star points" in copy.run("-m", "daoqi_tui", "--help")
    assert "example:\n  daoqi-tui stars\n" in copy.run("-m", "daoqi_tui", "stars", "--help")
    assert "stars" in copy.run("-m", "daoqi_tui", "completion", "bash")
    assert ".SS stars" in copy.run("-m", "daoqi_tui", "man")


def test_a_level_of_play_is_its_number_and_its_strength_in_two_files(copy: Copy) -> None:
    copy.edit("typed.py", "STRONGEST: Final = 10\n", "STRONGEST: Final = 11\n")
    copy.edit(
        "ai/levels.py",
        "    (5.0, Effort(None)),\n",
        "    (15.0, Effort((1400, 1000))),\n    (15.0, Effort((2800, 2000))),\n    (5.0, Effort(None)),\n",
    )
    told = copy.run("-m", "daoqi_tui", "--plain", "--white", "11", entered="black 12\nhelp\n")
    assert "Computer 11 plays White." in told
    assert "invalid player '12': use a level from 1 to 11" in told
    assert "at a level from 1 to 11" in told
    assert "from 1 to 11" in copy.run("-m", "daoqi_tui", "play", "--help")
    assert 'white = "level:11"' in copy.run("-m", "daoqi_tui", "config", DAOQI_TUI_PLAY_WHITE="level:11")
    known = "genmove b\nquit\n"
    assert copy.run("-m", "daoqi_tui", "gtp", "--level", "11", "--size", "5", "--time", "1", entered=known).startswith(
        "= "
    )
    program = """
from daoqi_tui.ai.levels import LEVELS, level_of
print(len(LEVELS), level_of(11).timed, level_of(10).timed)
"""
    assert copy.run("-c", program).split() == ["21", "True", "False"]


def test_a_rule_is_a_field_and_its_words_in_one_file(copy: Copy) -> None:
    rule, told_as = "first_pass_free", "firstPassFree"
    last, words = "    tie: Colour | None = WHITE\n", '{"white": WHITE, "black": BLACK, "none": None}),\n'
    copy.edit("engine/rules.py", last, f"{last}    {rule}: bool = False\n")
    field = f'    "{rule}": RuleField(Message("yes or no"), {{"yes": True, "no": False}}),\n'
    copy.edit("engine/rules.py", words, words + field)
    file = copy.folder / "a.sgf"
    told = copy.run("-m", "daoqi_tui", "--plain", "--size", "5", "--rules", f"{rule}=yes", entered=f"save {file}\n")
    assert f"The rules: {rule}=yes." in told
    assert f"RU[{rule}=yes]" in file.read_text()
    assert f"The rules: {rule}=yes." in copy.run("-m", "daoqi_tui", "--plain", str(file))
    ask = "kata-get-rules"
    commands = (ask, f"loadsgf {file}", ask, f"kata-set-rule {told_as} false", ask, "quit")
    entered = "".join(f"{each}\n" for each in commands)
    # Before loadsgf is answered, the engine would compile for half a minute what this copy searches with.
    answers = copy.run("-m", "daoqi_tui", "gtp", entered=entered, NUMBA_DISABLE_JIT="1")
    values = [f'"{told_as}":false' in answer for answer in answers.split("\n\n") if told_as in answer]
    assert values == [True, False, True]


def test_a_preset_of_rules_is_a_value_in_one_file(copy: Copy) -> None:
    copy.edit(
        "engine/rules.py",
        '"Tromp-Taylor": TROMP_TAYLOR}',
        '"Tromp-Taylor": TROMP_TAYLOR, "No-Suicide": Rules(suicide=False)}',
    )
    told = copy.run(
        "-m", "daoqi_tui", "--plain", "--size", "5", "--rules", "no-suicide", entered=f"save {copy.folder}/a.sgf\n"
    )
    assert "The rules: No-Suicide." in told
    assert "RU[No-Suicide]" in (copy.folder / "a.sgf").read_text()
    assert "The rules: No-Suicide." in copy.run("-m", "daoqi_tui", "--plain", f"{copy.folder}/a.sgf")
    assert 'rules = "no-suicide"' in copy.run("-m", "daoqi_tui", "config", DAOQI_TUI_PLAY_RULES="no-suicide")
    entered = "kata-set-rules no-suicide\nkata-get-rules\nquit\n"
    assert '"suicide":false' in copy.run("-m", "daoqi_tui", "gtp", entered=entered)
    offered = """
import asyncio
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.screens.setup import SetupScreen
from daoqi_tui.tui.screens.form import Choice

async def start() -> None:
    app = DaoqiApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await app.push_screen(SetupScreen(GameSetup()))
        await pilot.pause()
        print(*(label for label, _value in app.screen.query_one("#rules", Choice).choices), sep="; ")

asyncio.run(start())
"""
    assert "No-Suicide" in copy.run("-c", offered).strip().split("; ")


def test_a_key_is_an_entry_and_a_function(copy: Copy) -> None:
    copy.edit(
        "tui/features/navigation.py",
        '            "centre_last": self.centre_last,\n',
        """            "where": lambda: self.host.say(f"at move {self.view.node.number}"),
            "centre_last": self.centre_last,
""",
    )
    copy.edit(
        "commands/screen.py",
        '    N_("Navigation and replay"),\n',
        '    N_("Navigation and replay"),\n'
        '    Command("where", ("f9",), N_("Where"), N_("Say how many moves were played")),\n',
    )
    assert 'keys.where = "f9"' in copy.run("-m", "daoqi_tui", "config")
    program = """
import asyncio
from daoqi_tui.tui.app import DaoqiApp

async def start() -> None:
    app = DaoqiApp()
    async with app.run_test(size=(120, 40)) as pilot:
        said = []
        app.screen.say = lambda words, *rest, **more: said.append(words)
        await pilot.press("f9")
        await pilot.pause()
        print(*said)

asyncio.run(start())
"""
    assert copy.run("-c", program) == "at move 0\n"


def test_a_pane_is_a_widget_in_its_module_and_its_place(copy: Copy) -> None:
    copy.append(
        "tui/panes/trail.py",
        """
from textual.widgets import Static


class TrailPane(Static):
    can_focus = False
""",
    )
    copy.edit(
        "tui/features/openings/__init__.py",
        "helps=True),)\n",
        'helps=True), SidePane("trail", "Trail", _make_trail, _show_trail))\n',
    )
    copy.append(
        "tui/features/openings/__init__.py",
        """
def _make_trail():
    from daoqi_tui.tui.panes.trail import TrailPane

    return TrailPane(id="trail")


def _show_trail(pane, view):
    pane.update(f"{view.node.number} moves")
""",
    )
    program = """
import asyncio
from daoqi_tui.tui.app import DaoqiApp

async def start() -> None:
    app = DaoqiApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("shift+tab")
        await pilot.pause()
        pane = app.screen.query_one("#trail")
        print(pane.content, pane.display, pane.region.height > 0)

asyncio.run(start())
"""
    assert copy.run("-c", program) == "0 moves True True\n"
