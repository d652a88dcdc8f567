"""What runs the recipes of the Makefile on a machine without make runs those that make would."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make to compare with")
@pytest.mark.parametrize("target", ["check", "train", "install", "docs"])
def test_recipes_are_those_of_make(target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    for name, value in {"VENV": str(tmp_path / "venv"), "PYTHON": sys.executable, "EXTRAS": "dev"}.items():
        monkeypatch.setenv(name, value)
    # The tests are themselves run by make, which hands its own flags and level to a make below it.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        monkeypatch.delenv(name, raising=False)
    spec = importlib.util.spec_from_file_location("recipes", ROOT / ".ci" / "recipes.py")
    assert spec is not None
    assert spec.loader is not None
    recipes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipes)
    by_make = subprocess.run(["make", "--dry-run", target], capture_output=True, text=True, check=True).stdout
    assert [" ".join(command.split()) for _target, command in recipes.steps([target])] == [
        " ".join(line.split()) for line in by_make.splitlines()
    ]
