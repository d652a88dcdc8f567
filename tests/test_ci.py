"""The scripts of ``.ci``: the recipes of the Makefile without make, and releases."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from daoqi_tui import __version__

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


RELEASE = ROOT / ".ci" / "release.py"
NAMED = (
    "daoqi_tui/__init__.py",
    ".github/CITATION.cff",
    ".packaging/package.nix",
    ".packaging/daoqi-tui.rb",
    "CHANGELOG.md",
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a repository of the files that a release changes."""
    for name in NAMED:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, file)
    settings = ["-c", "init.defaultBranch=main"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "Before"]):
        subprocess.run(["git", *settings, *words], cwd=tmp_path, env=GIT, check=True)
    return tmp_path


GIT = {
    **os.environ,
    **{f"GIT_{who}_{what}": "tester@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def release(repository: Path, version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RELEASE), version]
    return subprocess.run(command, cwd=repository, env=GIT, capture_output=True, text=True, check=False)


def state(repository: Path) -> dict[str, str]:
    files = {name: (repository / name).read_text("utf-8") for name in NAMED}
    tags = subprocess.run(["git", "tag"], cwd=repository, capture_output=True, text=True, check=True).stdout
    return {**files, "tags": tags}


def test_a_release_names_its_version_everywhere_and_is_tagged(repository: Path):
    done = release(repository, "1.1.0")
    assert (done.returncode, done.stderr) == (0, "")
    after = state(repository)
    assert '__version__ = "1.1.0"' in after["daoqi_tui/__init__.py"]
    assert 'version: "1.1.0"' in after[".github/CITATION.cff"]
    assert re.search(r"^## \[Unreleased\]\n\n## \[1\.1\.0\] - \d{4}-\d\d-\d\d\n", after["CHANGELOG.md"], re.MULTILINE)
    assert after["tags"].split() == ["v1.1.0"]
    assert not subprocess.run(["git", "status", "--porcelain"], cwd=repository, capture_output=True, check=True).stdout
    # Nothing has been written since: the next one would be empty.
    again = release(repository, "1.2.0")
    assert (again.returncode, state(repository)) == (1, after)
    assert "says nothing below Unreleased" in again.stderr


@pytest.mark.parametrize(
    ("version", "changed", "words"),
    [
        ("1.1", False, "is not a version"),
        ("", False, "is not a version"),
        ("0.9.0", False, "is older than 1.0.0"),
        ("1.1.0", True, "not committed"),
    ],
)
def test_a_release_that_cannot_be_changes_nothing(repository: Path, version: str, changed: bool, words: str):
    if changed:
        (repository / "CHANGELOG.md").write_text("## [Unreleased]\n\n- more\n")
    before = state(repository)
    done = release(repository, version)
    assert (done.returncode, done.stdout, state(repository)) == (1, "", before)
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_citation_names_this_version():
    assert f'version: "{__version__}"' in (ROOT / ".github" / "CITATION.cff").read_text("utf-8")


def test_the_workflows_run_the_same_checks():
    """And only commands that are there; the pythons are those that the package names."""
    text = (ROOT / ".github" / "workflows" / "check.yml").read_text("utf-8")
    assert re.findall(r"- run: (.+)", text) == [".ci/run", ".ci/run lowest"]
    named = set(re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8")))
    assert set(re.findall(r'"(3\.\d+)"', text)) == named
