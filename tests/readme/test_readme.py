"""What the README says is so."""

from __future__ import annotations

import doctest
import re

import pytest

from daoqi_tui.tui.commands import COMMANDS
from tests.readme.keys import README, keys_text, with_keys

ROOT = README.parent


@pytest.fixture(scope="module")
def readme() -> str:
    return README.read_text(encoding="utf-8")


def test_examples_are_so(readme: str) -> None:
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE))
    assert ">>>" in examples
    test = doctest.DocTestParser().get_doctest(examples, {}, "README.md", str(README), 0)
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.failed == 0, "".join(said)


def test_keys_are_those_of_the_commands(readme: str) -> None:
    assert readme == with_keys(readme), "run: python -m tests.readme.keys"


def test_keys_have_a_row_for_every_command() -> None:
    assert len(re.findall(r"^\| `", keys_text(), re.MULTILINE)) == len(COMMANDS)


def test_readme_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the lines"):
        with_keys("# Daoqi\n")


def test_tests_are_run_as_ci_runs_them(readme: str) -> None:
    [command] = re.findall(r"\.venv/bin/(python -m pytest\b.*)", readme)
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert f'check "Tests" {command}' in lines


def test_links_lead_to_files_that_are_there(readme: str) -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", readme) if "://" not in target]
    assert any(target.startswith("assets/") for target in targets), "the README shows no picture"
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_layout_names_folders_that_are_there(readme: str) -> None:
    [layout] = re.findall(r"```text\n(daoqi_tui/\n.*?)```", readme, re.DOTALL)
    entries = re.findall(r"^  (\w+/|\w+\.py)", layout, re.MULTILINE)
    assert {"cli.py", "engine/", "record/", "tui/"} <= set(entries)
    assert [entry for entry in entries if not (ROOT / "daoqi_tui" / entry).exists()] == []
