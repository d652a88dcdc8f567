"""Layers import only from lower layers, a start loads only what it needs, and assertions have no side effects."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.imports import circles, imports_of, parsed
from tests.mutants import SUBJECTS, mutants_of

ROOT = Path(__file__).resolve().parents[1]


_CHECKS = """
import io, json, sys
from contextlib import redirect_stdout
from pathlib import Path
from importlinter.cli import lint_imports

for file, line in json.loads(sys.argv[1]):
    module = Path("daoqi_tui", file)
    before = module.read_text("utf-8")
    module.write_text(f"{before}\\n{line}\\n", "utf-8")
    with redirect_stdout(io.StringIO()) as told:
        status = lint_imports(cache_dir=".imports")
    print(json.dumps([status, told.getvalue()]))
    module.write_text(before, "utf-8")
"""
"""Checks the layers with import-linter for one line at the end of a file after another."""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[int, str]]:
    """The status and what import-linter says, for each wrong line in its file and for none."""
    folder = tmp_path_factory.mktemp("copied")
    shutil.copytree(ROOT / "daoqi_tui", folder / "daoqi_tui", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    [wrong] = test_an_import_against_the_rule_is_found.pytestmark
    lines = [("__init__.py", ""), *(case[:2] for case in wrong.args[1])]
    done = subprocess.run(
        [sys.executable, "-c", _CHECKS, json.dumps(lines)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(lines, map(json.loads, done.stdout.splitlines()), strict=True))


def test_layers_import_only_from_layers_below(checked: dict[tuple[str, str], tuple[int, str]]) -> None:
    status, told = checked["__init__.py", ""]
    assert status == 0, told


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("engine/torus.py", "import numpy", "The engine needs nothing but Python"),
        ("engine/torus.py", "import daoqi_tui.i18n", "Each layer imports only from the layers below it"),
        ("engine/torus.py", "import daoqi_tui.record", "Each layer imports only from the layers below it"),
        ("record/sgf/info.py", "import daoqi_tui.analysis", "Each layer imports only from the layers below it"),
        ("reading/ladder.py", "import daoqi_tui.ai", "Each layer imports only from the layers below it"),
        ("ai/levels.py", "import textual.app", "Only the screen imports Textual and Rich"),
        ("i18n.py", "import daoqi_tui.tui.app", "Only the command line opens the screen"),
        (
            "tui/features/records/__init__.py",
            "if TYPE_CHECKING:\n    from daoqi_tui.tui.screen import GameScreen",
            "Inside the screen, imports go in one direction",
        ),
        (
            "tui/features/records/__init__.py",
            "def lazy() -> None:\n    from daoqi_tui.tui.features.program import ProgramCommands",
            "Features know the others below them",
        ),
        (
            "play/wording.py",
            "if TYPE_CHECKING:\n    from daoqi_tui.play.keeper import Keeper",
            "Inside play, imports go in one direction",
        ),
        (
            "play/session.py",
            "def lazy() -> None:\n    from daoqi_tui.play.online.client import OnlineClient",
            "Inside play, imports go in one direction",
        ),
        (
            "play/online/table.py",
            "import daoqi_tui.play.online.referee",
            "Inside online games, imports go in one direction",
        ),
        (
            "plain/game.py",
            "def lazy() -> None:\n    from daoqi_tui.plain import commands",
            "Inside text mode, imports go in one direction",
        ),
        (
            "web/lobby.py",
            "if TYPE_CHECKING:\n    from daoqi_tui.web.server import GameServer",
            "Inside the web server, imports go in one direction",
        ),
        ("tui/app.py", "import daoqi_tui.lab.training", "Each layer imports only from the layers below it"),
        (
            "tui/app.py",
            "def lazy() -> None:\n    from daoqi_tui.lab.match.sprt import Sprt",
            "The program imports nothing of the laboratory",
        ),
        (
            "cli/play.py",
            "if TYPE_CHECKING:\n    from daoqi_tui.lab.cluster import Cluster",
            "The program imports nothing of the laboratory",
        ),
    ],
)
def test_an_import_against_the_rule_is_found(
    file: str, line: str, contract: str, checked: dict[tuple[str, str], tuple[int, str]]
) -> None:
    status, told = checked[file, line]
    assert status == 1, told
    assert f"{contract} BROKEN" in told


_EXTRAS = {
    "ai": {"llvmlite", "numba", "torch"},
    "lab": {"numba", "onnx", "onnxruntime", "ray", "torch"},
    "play": {"iroh", "sqlalchemy"},
    "web": {"asyncssh", "textual_serve"},
}
"""What only parts of the program import, which say what is missing or do without it."""


def test_what_the_program_imports_is_installed_with_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    known = {re.split("[<>=!~ \\[]", each)[0].replace("-", "_").lower() for each in project["dependencies"]}
    names = {"pillow": "PIL"}
    always = {names.get(name, name) for name in known} | set(sys.stdlib_module_names) | {"_typeshed", "daoqi_tui"}
    for file in (ROOT / "daoqi_tui").rglob("*.py"):
        part = file.relative_to(ROOT / "daoqi_tui").parts[0]
        for node in ast.walk(parsed(file)):
            imported: list[str] = []
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported = [node.module or ""]
            missing = {name.partition(".")[0] for name in imported} - always - _EXTRAS.get(part, set())
            assert not missing, file


def test_assertions_do_nothing() -> None:
    """``python -O`` removes assertions, so they must not have side effects."""
    harmless = {"fields", "isinstance", "list", "set"}
    found = []
    for file in sorted((ROOT / "daoqi_tui").rglob("*.py")):
        for assertion in (node for node in ast.walk(parsed(file)) if isinstance(node, ast.Assert)):
            calls = (node for node in ast.walk(assertion) if isinstance(node, ast.Call))
            if any(ast.unparse(call.func) not in harmless for call in calls):
                found.append(f"{file.relative_to(ROOT)}:{assertion.lineno}")
    assert found == []


def _loaded_by(program: str) -> set[str]:
    """Run a program in a fresh interpreter; return the packages and layers that it has loaded by its end."""
    tail = "\nimport sys\nprint('loaded:', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program) + tail],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names = done.stdout.rpartition("loaded: ")[2].split()
    return {".".join(name.split(".")[: 2 if name.startswith("daoqi_tui") else 1]) for name in names}


def test_engine_loads_alone() -> None:
    loaded = _loaded_by("import daoqi_tui.engine")
    assert {name for name in loaded if name.startswith("daoqi_tui")} == {
        "daoqi_tui",
        "daoqi_tui.engine",
        "daoqi_tui.message",
    }
    assert not loaded & {"numpy", "rich", "textual", "platformdirs", "asyncio"}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_asking_the_command_line_loads_no_other_layer(option: str) -> None:
    loaded = _loaded_by(
        f"""
        from daoqi_tui.cli.main import main
        try:
            main(["{option}"])
        except SystemExit as end:
            assert end.code == 0
        """
    )
    assert "daoqi_tui.cli" in loaded
    assert not loaded & {"daoqi_tui.engine", "daoqi_tui.tui", "numpy", "rich", "textual", "asyncio"}


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_needs_neither_settings_nor_parsers(option: str) -> None:
    loaded = _loaded_by(
        f"""
        import sys
        from daoqi_tui.cli.main import main
        try:
            main(["{option}"])
        except SystemExit as end:
            assert end.code == 0
        assert "daoqi_tui.cli.options" not in sys.modules
        """
    )
    ours = {name for name in loaded if name.startswith("daoqi_tui.")}
    assert ours == {f"daoqi_tui.{name}" for name in ("cli", "crash", "i18n", "log", "message", "signals", "streams")}
    assert not loaded & {"difflib", "tomllib", "dataclasses", "asyncio", "logging"}


def test_a_gtp_engine_answers_without_numpy() -> None:
    loaded = _loaded_by(
        """
        import os, sys
        from daoqi_tui.cli.main import main
        reading, writing = os.pipe()
        os.write(writing, b"protocol_version\\nname\\nlist_commands\\nboardsize 9\\nplay b C3\\nshowboard\\nquit\\n")
        os.dup2(reading, sys.stdin.fileno())
        try:
            main(["gtp"])
        except SystemExit as end:
            assert end.code == 0
        """
    )
    assert "daoqi_tui.gtp" in loaded
    assert not loaded & {"numpy", "rich", "textual", "platformdirs"}


def test_a_gtp_engine_names_itself_without_reading_records() -> None:
    loaded = _loaded_by(
        """
        import os, sys
        from daoqi_tui.cli.main import main
        reading, writing = os.pipe()
        os.write(writing, b"name\\nquit\\n")
        os.dup2(reading, sys.stdin.fileno())
        try:
            main(["gtp"])
        except SystemExit as end:
            assert end.code == 0
        """
    )
    assert "daoqi_tui.gtp" in loaded
    assert not any(name.startswith("daoqi_tui.record") for name in loaded)


_FIRST_PAINT = """
import dataclasses, os, re, sys, typing
from collections import Counter
from functools import partialmethod

patterns, compile_pattern = set(), re._compiler.compile
classes, make_dataclass = set(), dataclasses._process_class

def compiled(pattern, flags):
    # Called by a function of re, which another one calls.
    if sys._getframe(3).f_globals["__name__"].startswith("daoqi_tui"):
        patterns.add(pattern)
    return compile_pattern(pattern, flags)

def made(cls, *given):
    if cls.__module__.startswith("daoqi_tui"):
        classes.add(cls.__qualname__)
    return make_dataclass(cls, *given)

fields, make_tuple = Counter(), typing._make_nmtuple

def named(name, types, module, *given, **more):
    types = list(types)
    fields[module] += sum(isinstance(kind, str) for _field, kind in types)
    return make_tuple(name, types, module, *given, **more)

re._compiler.compile = compiled
dataclasses._process_class = made
typing._make_nmtuple = named

from daoqi_tui.cli import main, play

def note(app, screen, renderable):
    assert screen.query("#board")
    print("patterns:", *sorted(patterns), file=sys.__stdout__)
    print("classes:", *sorted(classes), file=sys.__stdout__)
    many = (name for name in fields if name.startswith("daoqi_tui") and fields[name] > 9)
    print("fields:", *sorted(many), file=sys.__stdout__)
    print("loaded:", *sys.modules, file=sys.__stdout__)
    app.exit()

make = play._app
def patched(*given, **named):
    app = make(*given, **named)
    kind = type(app)
    kind.run = partialmethod(kind.run, headless=True, size=(120, 40))
    kind._display = note
    return app

os.environ["HOME"] = os.devnull
play._app, play.check_terminal = patched, lambda: None
main.main([])
"""
"""Starts the program as it is without options, up to its first frame."""


def test_first_paint_loads_only_what_it_shows() -> None:
    """The program as it starts, up to its first frame; what comes right after that may load more."""
    loaded = _loaded_by(_FIRST_PAINT)
    assert "daoqi_tui.tui" in loaded
    heavy = {"aiohttp", "argparse", "numpy", "markdown_it", "pydantic", "tree_sitter", "numba", "torch"}
    heavy |= {"hashlib", "json", "msgspec", "sqlite3", "statistics", "tomllib"}
    # daoqi_tui.analysis is allowed: it computes the score lead of the graph beside the board, in plain Python.
    layers = {"daoqi_tui.ai", "daoqi_tui.gtp", "daoqi_tui.lab", "daoqi_tui.reading", "daoqi_tui.record"}
    assert loaded & (heavy | layers) == set()


def test_first_paint_loads_neither_parsers_nor_what_searches_find() -> None:
    loaded = _started().rpartition("loaded: ")[2].split()
    assert "daoqi_tui.play.evaluation" in loaded
    later = {"daoqi_tui.cli.parsers", "daoqi_tui.play.hints", "daoqi_tui.tui.panes.study", "daoqi_tui.tui.screens"}
    assert not later & set(loaded)


@cache
def _started() -> str:
    """Return what a start reports, in English."""
    return subprocess.run(
        [sys.executable, "-c", _FIRST_PAINT],
        cwd=ROOT,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_first_paint_compiles_no_pattern_but_that_of_the_locale_and_few_classes() -> None:
    """A pattern of Chinese characters takes a fiftieth of the time to the first frame, a dataclass a five-hundredth.

    The annotations of twenty-five fields take a thousandth.
    """
    told = _started()
    assert "patterns: [^a-z]\n" in told
    # Those that cannot be named tuples: checked or changed.
    checked = "Computer Config EngineSeat Rules TimeControl Wait"
    assert f"classes: {checked}\n" in told
    # Annotations that are strings are compiled for each field. These modules name what is imported for types alone.
    compiled = "play.events play.match tui.host"
    assert f"fields: {' '.join(f'daoqi_tui.{name}' for name in compiled.split())}\n" in told


_IMPORTS = """
import builtins, sys
from collections import Counter
from typing import NamedTuple

calls = Counter()

def counted(name, function):
    def call(*given, **named):
        calls[name, sys._getframe(1).f_globals["__name__"].startswith(("textual", "daoqi_tui.tui"))] += 1
        return function(*given, **named)
    setattr(builtins, name, call)

for name in ("compile", "eval", "dir"):
    counted(name, getattr(builtins, name))

import daoqi_tui.__main__
import daoqi_tui.tui.app
from textual.dom import DOMNode
from textual.widgets import DataTable, ProgressBar

print(calls["compile", False], calls["eval", False] + calls["eval", True], calls["dir", True])

class Two(NamedTuple):
    right: int
    down: "int" = 5

class Other(NamedTuple):
    row: int
    column: int

class One(NamedTuple):
    only: int

class None_(NamedTuple):
    pass

print(Two(right=1), Two(1, down=2), Other(column=1, row=2), One(only=3), None_(), Two(1)._replace(right=4))
for made, given in ((Two, ()), (One, (1, 2)), (None_, (1,)), (Other, (1,))):
    try:
        made(*given)
    except TypeError as error:
        print(error)

def kinds(base):
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)

for kind in kinds(DOMNode):
    names = [name for name in dir(kind) if name.startswith(("_compute_", "compute_"))]
    assert kind._computes == frozenset(name.lstrip("_")[8:] for name in names), kind
"""
"""Imports all of the screen as the program does, and counts what is compiled and listed for that."""


def test_a_start_compiles_nothing_twice_and_lists_no_names_of_widgets() -> None:
    """Together that is a tenth of the instructions of all imports: `valgrind --tool=cachegrind` counts them."""
    done = subprocess.run([sys.executable, "-c", _IMPORTS], cwd=ROOT, capture_output=True, text=True, check=True)
    counts, made, *errors = done.stdout.splitlines()
    compiled, evaluated, listed = map(int, counts.split())
    assert compiled < 180
    assert evaluated < 40
    assert listed < 10
    assert made == (
        "Two(right=1, down=5) Two(right=1, down=2) Other(row=2, column=1) One(only=3) None_() Two(right=4, down=5)"
    )
    assert [error.partition("() ")[2] for error in errors] == [
        "missing 1 required positional argument: 'right'",
        "takes 2 positional arguments but 3 were given",
        "takes 1 positional argument but 2 were given",
        "missing 1 required positional argument: 'column'",
    ]


def test_a_first_frame_loads_only_what_its_screen_shows() -> None:
    """From the lightest screens to the heaviest, in one interpreter: each adds only what it may."""
    loaded = _loaded_by(
        """
        import sys

        def loaded(*names):
            return {name for name in sys.modules if name.startswith(names)}

        from daoqi_tui.tui import app, screen
        from daoqi_tui.tui.features.program import lesson, menu, options
        from daoqi_tui.tui.screens import setup

        records = loaded("daoqi_tui.record", "daoqi_tui.analysis", "msgspec", "sqlite3")
        assert not records, records

        from daoqi_tui.tui.features.online import form
        from daoqi_tui.tui.features.problems import screen
        from daoqi_tui.tui.features.program import welcome
        from daoqi_tui.tui.features.records import library

        heavy = loaded("textual.widgets._text_area", "daoqi_tui.play.review", "daoqi_tui.ai", "daoqi_tui.gtp")
        assert not heavy, heavy

        from daoqi_tui.tui.features.playing import result
        from daoqi_tui.tui.panes import minimap
        """
    )
    assert {"daoqi_tui.record", "daoqi_tui.ai"} <= loaded
    assert not loaded & {"aiohttp", "numpy", "daoqi_tui.lab"}


def test_no_imports_form_a_circle() -> None:
    """Imports for types and inside functions count: what a circle joins cannot be read, tested or moved apart."""
    assert circles(imports_of(ROOT / "daoqi_tui")) == []


def test_the_output_stage_knows_nothing_of_the_program() -> None:
    """It is offered to Textual."""
    assert not imports_of(ROOT / "daoqi_tui")["daoqi_tui.tui.output"]


def test_imports_for_types_and_inside_functions_close_circles(tmp_path: Path) -> None:
    files = {
        "a": "from pack import b",
        "b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack.c import C",
        "c/__init__": "def late():\n    import pack.a",
        "d": "from pack import a, e",
        "e": "from pack.f import something",
        "f": "import os",
        "g": "def late():\n    from pack.h import name",
        "h": "import pack.g as g",
    }
    for name, source in files.items():
        file = tmp_path / "pack" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, "utf-8")
    found = circles(imports_of(tmp_path / "pack"))
    assert found == [{"pack.a", "pack.b", "pack.c"}, {"pack.g", "pack.h"}]


def test_hooks_run_what_a_change_has_to_pass() -> None:
    hooks = re.findall(r"entry: make (\S+),.*stages: \[(\S+)\]", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    targets = dict(re.findall(r"^([a-z-]+): *([a-z ]*)##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    checked = [name for name, stage in hooks if stage == "pre-commit"]
    # The site needs a minute of work for pages that a change rarely touches: `.ci/run` alone builds it.
    assert [*checked, "site", "test"] == targets["check"].split()
    assert checked == targets["fast"].split()
    assert [name for name, stage in hooks if stage == "pre-push"] == ["fast"]


def test_what_mutants_change_is_there_with_its_tests() -> None:
    for module, tests in SUBJECTS.items():
        assert any(mutants_of((ROOT / "daoqi_tui" / module).read_text("utf-8")))
        assert tests
        assert all((ROOT / "tests" / test).exists() for test in tests), module


def test_mutants_differ_in_one_place_and_leave_types_alone() -> None:
    found = mutants_of("def double(number: int = 1) -> int:\n    return number + number if number < 5 else 0\n")
    assert sorted((mutant.line, mutant.after) for mutant in found) == [
        (1, "def double(number: int=2) -> int:"),
        (2, "return number + number if number < 5 else 1"),
        (2, "return number + number if number < 6 else 0"),
        (2, "return number + number if number <= 5 else 0"),
        (2, "return number - number if number < 5 else 0"),
    ]


DOORS = {
    "ai/compiled.py": "numba is an extra",
    "ai/nets.py": "a start loads no network",
    "ai/network/instructions.py": "numba is an extra",
    "ai/process.py": "a start starts no worker",
    "analysis/opening_index.py": "adding and searching need numpy, listing openings does not",
    "children.py": "a child imports nothing before it is watched, and resource is missing on Windows",
    "cli/admin.py": "sqlalchemy is an extra",
    "cli/doctor.py": "termios is missing on Windows",
    "cli/lab.py": "torch is an extra",
    "cli/main.py": "--version loads no parsers, and no command another's module",
    "cli/online.py": "one of two faces, and the extra web",
    "cli/options.py": "values that few options have are read by the layers that know them",
    "cli/play.py": "one of two faces",
    "cli/records.py": "most commands need no openings",
    "config/__init__.py": "most people have no settings file",
    "config/save.py": "tomlkit is for changes",
    "crash.py": "errors are rare",
    "extras.py": "installing is asked about where nothing else is installed",
    "gtp/engine/daoqi_commands.py": "a GTP engine begins without records and numpy",
    "gtp/engine/session.py": "a GTP engine begins without records and numpy",
    "gtp/engine/standard_commands.py": "a GTP engine begins without records and numpy",
    "i18n.py": "mistyped words are rare",
    "lab/cluster.py": "ray is an extra",
    "log.py": "logging is rare",
    "paths.py": "platformdirs is for other systems, pwd is missing on Windows",
    "pictures/__init__.py": "a writer of pictures is loaded when it draws",
    "pictures/picture.py": "a writer of pictures is loaded when it draws",
    "plain/__init__.py": "games online need aiohttp",
    "plain/commands.py": "most commands need no openings",
    "play/analyst.py": "the first paint loads no records, computers or numpy",
    "play/editing.py": "the first paint loads no records, computers or numpy",
    "play/evaluation.py": "the first paint loads no records, computers or numpy",
    "play/hints.py": "the first paint loads no records, computers or numpy",
    "play/keeper.py": "the first paint loads no records, computers or numpy",
    "play/online/anywhere.py": "iroh is an extra",
    "play/online/connections.py": "a start opens no connection",
    "play/online/invitation.py": "few need a QR code",
    "play/reading.py": "the first paint loads no records, computers or numpy",
    "play/reading_worker.py": "the first paint loads no records, computers or numpy",
    "play/session.py": "the first paint loads no records, computers or numpy",
    "play/turns.py": "the first paint loads no records, computers or numpy",
    "play/wording.py": "the first paint loads no records, computers or numpy",
    "signals.py": "asyncio takes 20 ms",
    "tui/app.py": "the first paint loads only what it shows",
    "tui/features/analysis.py": "the first paint loads only what it shows",
    "tui/features/counting.py": "the first paint loads only what it shows",
    "tui/features/ladder.py": "the first paint loads only what it shows",
    "tui/features/navigation.py": "the first paint loads only what it shows",
    "tui/features/notes/__init__.py": "the first paint loads only what it shows",
    "tui/features/online/__init__.py": "the first paint loads only what it shows",
    "tui/features/online/form.py": "the form opens no connection",
    "tui/features/openings/__init__.py": "the first paint loads only what it shows",
    "tui/features/playing/__init__.py": "the first paint loads only what it shows",
    "tui/features/problems/__init__.py": "the first paint loads only what it shows",
    "tui/features/program/__init__.py": "the first paint loads only what it shows",
    "tui/features/program/lesson.py": "the first paint loads only what it shows",
    "tui/features/records/__init__.py": "the first paint loads only what it shows",
    "tui/graphics/pictures.py": "the first paint loads only what it shows",
    "tui/host.py": "the first paint loads only what it shows",
    "tui/screen.py": "the first paint loads only what it shows",
    "tui/side.py": "the first paint loads only what it shows",
    "typed.py": "a start needs neither Decimal nor shlex",
}
"""The modules that import inside functions, and why: elsewhere imports stand at the top."""


def _imports_inside_functions(tree: ast.Module) -> bool:
    found = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return any(isinstance(node, (ast.Import, ast.ImportFrom)) for function in found for node in ast.walk(function))


def test_only_doors_import_inside_functions() -> None:
    """A module that is not listed fails, and so does a listed one that no longer needs to be."""
    package = ROOT / "daoqi_tui"
    files = {file.relative_to(package).as_posix(): parsed(file) for file in package.rglob("*.py")}
    assert {name for name, tree in files.items() if _imports_inside_functions(tree)} == set(DOORS)


_OF_UNIX = {
    "daoqi_tui.tui.driver": "it drives the terminals of Unix; elsewhere Textual's own driver does",
    "daoqi_tui.web.ssh": "it opens terminals of Unix",
    "daoqi_tui.tui.web_driver": "it reads what is typed as that of a terminal does, so that `serve` needs Unix",
}
"""The modules that need those of POSIX, and why."""


def test_without_the_modules_of_posix_all_but_the_drivers_can_be_imported() -> None:
    code = """
import importlib, pkgutil, sys
absent = ("fcntl", "termios", "tty", "pty", "resource", "pwd", "grp")
sys.modules.update(dict.fromkeys(absent))
import daoqi_tui
for found in pkgutil.walk_packages(daoqi_tui.__path__, "daoqi_tui."):
    if not found.name.endswith("__main__"):
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            if error.name in absent:
                print(found.name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert set(done.stdout.split()) == set(_OF_UNIX)
