"""The rooms know only the rooms below them, and a start loads only what it shows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def _check_rooms(folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold the package in ``folder`` against the contract."""
    command = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    return subprocess.run(
        [sys.executable, "-c", command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_rooms_know_only_rooms_below() -> None:
    checked = _check_rooms(ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("engine/torus.py", "import numpy", "The engine needs nothing but Python"),
        ("engine/torus.py", "import daoqi_tui.i18n", "Each room knows only the rooms below it"),
        ("engine/torus.py", "import daoqi_tui.record", "Each room knows only the rooms below it"),
        ("record/info.py", "import daoqi_tui.analysis", "Each room knows only the rooms below it"),
        ("analysis/ladder.py", "import daoqi_tui.ai", "Each room knows only the rooms below it"),
        ("ai/levels.py", "import textual.app", "Only the screen imports Textual and Rich"),
        ("i18n.py", "import daoqi_tui.tui.app", "Only the command line opens the screen"),
        ("tui/app.py", "import daoqi_tui.training", "Each room knows only the rooms below it"),
    ],
)
def test_an_import_against_the_rule_is_found(file: str, line: str, contract: str, tmp_path: Path) -> None:
    package = tmp_path / "daoqi_tui"
    shutil.copytree(ROOT / "daoqi_tui", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (package / "training").mkdir(exist_ok=True)
    (package / "training" / "__init__.py").touch()
    with (package / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")
    checked = _check_rooms(tmp_path)
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert f"{contract} BROKEN" in checked.stdout


def _loaded_by(program: str) -> set[str]:
    """Run a program in a fresh interpreter; tell which packages, and which of our rooms, it has loaded at its end."""
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
    assert {name for name in loaded if name.startswith("daoqi_tui")} == {"daoqi_tui", "daoqi_tui.engine"}
    assert not loaded & {"numpy", "rich", "textual", "platformdirs", "asyncio"}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_asking_the_command_line_loads_no_room(option: str) -> None:
    loaded = _loaded_by(
        f"""
        from daoqi_tui.cli import main
        try:
            main(["{option}"])
        except SystemExit as end:
            assert end.code == 0
        """
    )
    assert "daoqi_tui.cli" in loaded
    assert not loaded & {"daoqi_tui.engine", "daoqi_tui.tui", "numpy", "rich", "textual", "asyncio"}


def test_first_paint_loads_only_what_it_shows() -> None:
    loaded = _loaded_by(
        """
        import asyncio
        from daoqi_tui.tui.app import DaoqiApp

        async def start() -> None:
            app = DaoqiApp()
            async with app.run_test(size=(120, 40)) as pilot:
                await pilot.pause()
                assert app.screen.query("#board")

        asyncio.run(start())
        """
    )
    assert "daoqi_tui.tui" in loaded
    heavy = {"numpy", "markdown_it", "pydantic", "tree_sitter", "numba", "torch"}
    rooms = {"daoqi_tui.ai", "daoqi_tui.analysis", "daoqi_tui.gtp", "daoqi_tui.training"}
    assert not loaded & (heavy | rooms)
