"""The claims of the README and the pages under docs/, checked in both languages."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from daoqi_tui.cli import UsageError
from daoqi_tui.cli.main import runner_of
from daoqi_tui.cli.parsers import COMMANDS as SUBCOMMANDS
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.commands.screen import COMMANDS, TORUS_KEYS
from daoqi_tui.commands.text import TEXT_COMMANDS
from daoqi_tui.config import BY_PATH, SETTINGS
from daoqi_tui.i18n import use_language
from tests.every import every
from tests.readme.pages import (
    ARCHITECTURE,
    CHINESE,
    CHINESE_DOCS,
    CHINESE_README,
    DOCS,
    ENGLISH,
    PAGES,
    PAIRS,
    README,
    ROOT,
    blocks,
    links,
    name_of,
    without_tables,
)
from tests.readme.tables import MOST_USED, TABLES, Table

MOST_LINES = 110
WITH_EXAMPLES = [page for page in (*ENGLISH, *CHINESE) if ">>>" in page.read_text("utf-8")]


def commands_of(text: str) -> list[list[str]]:
    """Return the arguments of ``daoqi-tui`` in shell blocks, and in code spans that have options or arguments."""
    lines = [part for block in blocks(text, "sh") for line in block.splitlines() for part in line.split("&&")]
    spans = re.findall(
        r"`((?:\.venv/bin/)?daoqi-tui [^`…]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    )
    split = [shlex.split(command, comments=True) for command in lines + spans]
    return [words[1:] for words in split if words and words[0].removeprefix(".venv/bin/") == "daoqi-tui"]


def packaging() -> dict[str, dict[str, object]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert isinstance(project, dict)
    return project


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    before = os.environ.get("LANGUAGE")
    use_language("en")
    yield
    use_language("en")
    os.environ.pop("LANGUAGE", None)
    if before is not None:
        os.environ["LANGUAGE"] = before


@pytest.mark.parametrize("page", [README, CHINESE_README], ids=name_of)
def test_readme_is_short(page: Path) -> None:
    assert len(page.read_text("utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_examples_are_so(page: Path) -> None:
    examples = "\n".join(blocks(page.read_text("utf-8"), "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, name_of(page), str(page), 0)
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(said)


def test_readme_and_library_guide_have_examples() -> None:
    assert {README, CHINESE_README, DOCS / "library.md", CHINESE_DOCS / "library.md"} <= set(WITH_EXAMPLES)


@pytest.mark.parametrize(
    ("table", "language", "page"),
    [
        pytest.param(table, language, page, id=f"{table.mark} {language}")
        for table in TABLES
        for language, page in table.pages.items()
    ],
)
def test_tables_are_those_of_the_program(table: Table, language: str, page: Path) -> None:
    use_language(language)
    text = page.read_text("utf-8")
    assert text == table.put_into(text), "run: python -m tests.readme.tables"


def rows(table: str) -> int:
    """Return the number of a table's rows that begin with code."""
    return len(re.findall(r"^\| `", table, re.MULTILINE))


def test_tables_have_a_row_for_everything() -> None:
    text = {table.mark: table.make() for table in TABLES}
    assert rows(text["keys"]) == len(COMMANDS) + len(TORUS_KEYS)
    assert rows(text["settings"]) == len(SETTINGS)
    assert rows(text["text mode"]) == len(TEXT_COMMANDS)
    assert rows(text["most used keys"]) == len(MOST_USED) == 10


def test_a_page_without_marks_is_refused() -> None:
    for table in TABLES:
        with pytest.raises(ValueError, match="needs the lines"):
            table.put_into("# Daoqi\n")


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
@pytest.mark.parametrize("page", [README, CHINESE_README], ids=name_of)
def test_tests_are_run_as_ci_runs_them(page: Path) -> None:
    [command] = re.findall(r"^.* -m pytest\b.*", page.read_text("utf-8"), re.MULTILINE)
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "target=check extras=dev ;;\n" in run
    assert "\nmake install\n" in run
    assert 'make "$target"' in run
    # The tests may themselves be run by make, which hands on its options.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    planned = subprocess.run(
        ["make", "--dry-run", "VENV=.new", "PYTHON=python3", "EXTRAS=dev", "TESTS=", "install", "check"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.strip().replace(".new", ".venv") for line in planned.stdout.splitlines()]
    assert command == " && ".join([*lines[:2], lines[-1]])
    assert [line.split("/")[-1] for line in lines[2:-1]] == [
        "ruff check",
        "ruff format --check",
        "mypy --strict",
        "lint-imports --no-logo",
        "site",
    ]


@pytest.mark.parametrize("page", [README, CHINESE_README], ids=name_of)
def test_one_command_sets_up_and_plays(page: Path) -> None:
    first = blocks(page.read_text("utf-8"), "sh")[0].strip().removesuffix(" --lang zh")
    assert first == "python3 -m venv .venv && .venv/bin/pip install '.[fast]' && .venv/bin/daoqi-tui"
    assert "daoqi-tui" in packaging()["scripts"]


@every("page", PAGES, ids=name_of)
def test_extras_are_those_of_the_package(page: Path) -> None:
    named = {
        extra for extras in re.findall(r"'\.\[([\w,]+)\]'", page.read_text("utf-8")) for extra in extras.split(",")
    }
    assert named <= set(packaging()["optional-dependencies"])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_are_understood(page: Path) -> None:
    for words in commands_of(page.read_text("utf-8")):
        while words[:1] == ["--lang"]:
            words = words[2:]
        if len(words) == 1 and words[0] in SUBCOMMANDS:
            # A bare command name; the command itself may require arguments.
            continue
        name = words[0] if words and words[0] in SUBCOMMANDS else "play"
        if "--help" in words:
            assert words == [name, "--help"]
            continue
        # Raises an error for what it does not know.
        parser_for(name).parse_args(words if words[:1] == [name] else [name, *words])


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_each_command_can_be_run(name: str) -> None:
    assert callable(runner_of(name))


def test_commands_are_found_and_wrong_ones_refused() -> None:
    assert commands_of("```sh\n.venv/bin/pip install . && .venv/bin/daoqi-tui --size 9  # small\n```\n") == [
        ["--size", "9"]
    ]
    assert commands_of("use `daoqi-tui gtp --level 5`, or `gogui`\n") == [["gtp", "--level", "5"]]
    with pytest.raises(UsageError, match="unrecognized arguments: --levels"):
        parser_for("gtp").parse_args(["gtp", "--levels"])


@every("page", PAGES, ids=name_of)
def test_settings_and_variables_are_known(page: Path) -> None:
    text = page.read_text("utf-8")
    named = set(re.findall(r"`((?:look|play|bell)\.\w+)[` ]", text))
    assert sorted(named - set(BY_PATH)) == []
    variables = set(re.findall(r"DAOQI_TUI_\w+", text)) - {"DAOQI_TUI_"}
    assert sorted(variables - {setting.variable for setting in SETTINGS}) == []


@pytest.mark.parametrize("page", [DOCS / "training.md", CHINESE_DOCS / "training.md"], ids=name_of)
def test_settings_of_trainings_are_read(page: Path, tmp_path: Path) -> None:
    from daoqi_tui.lab.training.settings import read_settings

    file = tmp_path / "settings.toml"
    for block in blocks(page.read_text("utf-8"), "toml"):
        file.write_text(block, encoding="utf-8")
        read_settings(file)


@every("page", PAGES, ids=name_of)
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    targets = [target.partition("#")[0] for target in links(page.read_text("utf-8")) if "://" not in target]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_readme_leads_to_every_page_and_shows_every_picture() -> None:
    for readme, language in ((README, ENGLISH), (CHINESE_README, CHINESE)):
        seen = set()
        waiting = [readme]
        while waiting:
            page = waiting.pop()
            seen.add(page)
            targets = {(page.parent / target).resolve() for target in links(page.read_text("utf-8"))}
            waiting += [target for target in targets if target in language and target not in seen]
        assert [name_of(page) for page in language if page not in seen] == []
    shown = {
        (page.parent / target).resolve()
        for page in (README, CHINESE_README)
        for target in links(page.read_text("utf-8"))
    }
    assert [path.name for path in (DOCS / "images").iterdir() if path not in shown] == []


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=map(name_of, ENGLISH))
def test_the_chinese_page_keeps_up_with_the_english_one(english: Path, chinese: Path) -> None:
    texts = [page.read_text("utf-8") for page in (english, chinese)]
    for kind in ("python", "toml", "text", "nginx"):
        assert blocks(texts[1], kind) == blocks(texts[0], kind)
    assert blocks(texts[1].replace(" --lang zh", ""), "sh") == blocks(texts[0], "sh")
    for pattern in (r"^#+ ", r"images/(\w+)\."):
        found = [re.findall(pattern, text, re.MULTILINE) for text in texts]
        assert found[0] == found[1]
    for ours, theirs in zip(*map(table_rows, texts), strict=True):
        assert re.findall(r"\d+(?:\.\d+)?|†", ours) == re.findall(r"\d+(?:\.\d+)?|†", theirs)


def table_rows(text: str) -> list[str]:
    """Return the rows of all tables that are not generated."""
    return [line for line in without_tables(text).splitlines() if line.startswith("|")]


@pytest.mark.parametrize(
    "page", [DOCS / "strength.md", CHINESE_DOCS / "strength.md", ROOT / "assets" / "daoqi.md"], ids=name_of
)
def test_a_page_of_results_is_no_diary(page: Path) -> None:
    assert len(page.read_text("utf-8").splitlines()) <= 150, "what was tried belongs into docs/lab.md"


def test_an_entry_of_the_changelog_is_a_short_sentence() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("\n## ")[2].splitlines()
    assert [line for line in lines if line.startswith("  ") or len(line) > 140] == []
    assert [line for line in lines if line.startswith("- ") and not line.endswith((".", '".'))] == []


def test_every_chinese_page_has_an_english_one() -> None:
    assert sorted(CHINESE_DOCS.glob("*.md")) == sorted(set(CHINESE) - {CHINESE_README})


def test_layers_named_on_the_page_are_there() -> None:
    text = ARCHITECTURE.read_text("utf-8")
    entries = re.findall(r"`(\w+(?:/|\.py))`", "\n".join(re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)))
    assert {"cli/", "engine/", "record/", "tui/"} <= set(entries)
    assert [entry for entry in entries if not (ROOT / "daoqi_tui" / entry).exists()] == []
