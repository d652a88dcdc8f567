"""Everything a person reads can be read in each language."""

from __future__ import annotations

import ast
import os
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daoqi_tui import i18n
from daoqi_tui.i18n import _, plural, system_language, use_language
from daoqi_tui.lower_words import SENTENCES, said, translated

catalogue = pytest.importorskip("tests.catalogue", reason="Babel, which reads the sources for words, is not installed")

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "daoqi_tui"


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    before = os.environ.get("LANGUAGE")
    yield
    use_language("en")
    os.environ.pop("LANGUAGE", None)
    if before is not None:
        os.environ["LANGUAGE"] = before


def _parts(sentence: str) -> list[str]:
    """What is put into a sentence, in either way of formatting."""
    named = [name for _text, name, _spec, _how in string.Formatter().parse(sentence) if name is not None]
    return sorted(named + re.findall(r"%(?:\(\w+\))?[sr]", sentence))


@pytest.mark.parametrize("locale", catalogue.LANGUAGES)
def test_every_word_of_the_sources_is_translated(locale: str) -> None:
    words = catalogue.read(locale)
    for message in catalogue.found():
        if not message.id:
            continue
        entry = words.get(message.id)
        assert entry is not None, f"run python -m tests.catalogue: it has not seen {message.id!r}"
        assert not entry.fuzzy, f"still to be looked at: {message.id!r}"
        assert catalogue.filled(entry.string), f"not translated: {message.id!r}"


@pytest.mark.parametrize("locale", catalogue.LANGUAGES)
def test_translations_take_the_same_parts(locale: str) -> None:
    for message in catalogue.read(locale):
        if not message.id:
            continue
        single = message.id if isinstance(message.id, str) else message.id[-1]
        for form in (message.string,) if isinstance(message.string, str) else message.string:
            assert _parts(form) == _parts(single), f"{single!r} became {form!r}"


@pytest.mark.parametrize("locale", catalogue.LANGUAGES)
def test_the_compiled_catalogue_is_that_of_the_sources(locale: str) -> None:
    path = catalogue.po_file(locale)
    assert path.with_suffix(".mo").read_bytes() == catalogue.compiled(catalogue.read(locale)), (
        "run python -m tests.catalogue"
    )


_SHOWS = {
    "say": 0,
    "refuse": 1,
    "notify": 0,
    "Label": 0,
    "Button": 0,
    "Checkbox": 0,
    "Switch": 0,
    "append": 0,
    "update": 0,
    "Static": 0,
    "Text": 0,
    "RuntimeError": 0,
    "UsageError": 0,
    "ArgumentTypeError": 0,
    "SystemCommand": 0,
}
"""Which argument of a call is shown to a person."""
_NAMED = ("help", "description", "epilog", "placeholder", "border_title", "border_subtitle", "title")
_WORDS = re.compile(r"[a-z]{2,} [a-z]|^[A-Z][a-z]+$")
_ROOMS = [*sorted((PACKAGE / "tui").rglob("*.py")), *sorted(PACKAGE.glob("*.py"))]
_ROOMS.remove(PACKAGE / "completion.py")  # writes scripts, no words


def _bare_words(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Words shown as they stand in the sources, without a translation."""
    shown: list[ast.expr] = []
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in _SHOWS and len(node.args) > _SHOWS[name]:
            shown.append(node.args[_SHOWS[name]])
        shown += [keyword.value for keyword in node.keywords if keyword.arg in _NAMED]
    if isinstance(node, ast.Assign):
        shown += [node.value for target in node.targets if getattr(target, "attr", "") in _NAMED]
    for value in shown:
        texts = [value] if isinstance(value, ast.Constant) else value.values if isinstance(value, ast.JoinedStr) else []
        for text in texts:
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and _WORDS.search(text.value):
                yield node.lineno, text.value  # type: ignore[attr-defined]


@pytest.mark.parametrize("file", _ROOMS, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_nothing_is_shown_without_a_translation(file: Path) -> None:
    bare = [found for node in ast.walk(ast.parse(file.read_text("utf-8"))) for found in _bare_words(node)]
    assert not bare, "put _( ) around these"


_ERRORS = ("ValueError", "SgfError", "RecordError", "PlayerError", "EngineError", "MatchError", "IndexError_")
_LOWER = [
    *sorted((PACKAGE / "engine").rglob("*.py")),
    *sorted((PACKAGE / "record").rglob("*.py")),
    *sorted((PACKAGE / "analysis").rglob("*.py")),
]
_FOR_PROGRAMMERS = frozenset(
    (
        "that node is not in this game's tree; take one that walk() yields",
        "move {0} is off the board: 0 to {1}, or {2} for a pass",
        "symmetries of sizes {0} and {1} cannot follow one another",
        "{0}: turns are 0 to 3, shifts 0 to {1}",
        "({0},{1}) is no standard displacement: 0 ≤ x ≤ y ≤ {2} and y at least 1",
        "that node belongs to another game",
        "a player is {0} (Black) or {1} (White), not {2}",
        "node {0} is there already",
        "symmetries are those of a square board, not of {0}",
        # What is wrong with an entry of a journal only decides that it is left out.
        "a point of the setup is off the board",
        "that move cannot follow here",
        "a dead stone is off the board",
        "the view's point is off the board",
    )
)
"""What no person can bring about by using the program."""


def _template(value: ast.expr) -> str:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    if isinstance(value, ast.JoinedStr):
        count = iter(range(100))
        return "".join(str(v.value) if isinstance(v, ast.Constant) else f"{{{next(count)}}}" for v in value.values)
    return ""


def test_errors_of_the_lower_rooms_are_known() -> None:
    unknown = []
    for file in _LOWER:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                name = getattr(node.exc.func, "id", "")
                sentence = _template(node.exc.args[0])
                if name in _ERRORS and " " in sentence and not file.name.startswith("journal_json"):
                    unknown.append(sentence)
    unknown = [sentence for sentence in unknown if sentence not in SENTENCES and sentence not in _FOR_PROGRAMMERS]
    assert not unknown, "name them in daoqi_tui/lower_words.py"


def test_an_error_is_translated_with_what_it_quotes() -> None:
    use_language("zh")
    assert said(ValueError("games/a.sgf cannot be read: No such file or directory")) == (
        "读不了 games/a.sgf:没有这个文件或文件夹"
    )
    assert translated("line 3, column 7: W[tt] is illegal: the game is over; resume it to play on") == (
        "第 3 行第 7 列:W[tt] 不合规则:棋局已经结束;续弈后才能再下"
    )
    assert said("nobody ever wrote this") == "nobody ever wrote this"
    use_language("en")
    assert said(ValueError("games/a.sgf\ncannot be read: why")) == "games/a.sgf cannot be read: why"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "zh:de"}, "zh"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "zh"}, "en"),
    ],
)
def test_the_language_of_the_system(variables: dict[str, str], expected: str) -> None:
    assert system_language(variables) == expected


def test_plurals() -> None:
    assert plural("{count} stone", "{count} stones", 1) == "1 stone"
    assert plural("{count} stone", "{count} stones", 3) == "3 stones"
    use_language("zh")
    assert plural("{count} stone", "{count} stones", 1) == "1 子"
    assert (_("Pass"), i18n.language()) == ("虚着", "zh")
    use_language("tlh")
    assert (_("Pass"), i18n.language()) == ("Pass", "en")


def _run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "DAOQI", "XDG"))}
    return subprocess.run(
        [sys.executable, "-m", "daoqi_tui", *arguments],
        cwd=ROOT,
        env={**clean, "HOME": "/nonexistent", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_line_speaks_the_language_asked_for() -> None:
    assert _run("--help", "--lang", "zh").stdout.startswith("用法:")
    assert _run("--help", LANG="zh_CN.UTF-8").stdout.startswith("用法:")
    assert _run("--help", "--lang=en", LANG="zh_CN.UTF-8").stdout.startswith("usage: ")
    assert _run("--help", DAOQI_TUI_LANGUAGE="zh").stdout.startswith("用法:")
    wrong = _run("--size", "99", "--lang", "zh")
    assert (wrong.returncode, "'99' 不是棋盘路数" in wrong.stderr) == (2, True)
    assert "'tlh' is not a language: auto, en, zh" in _run("--lang", "tlh").stderr
    counted = _run("score", "assets/sample.sgf", "--lang", "zh").stdout
    assert "合计" in counted
    assert not re.search("[a-z]{3,} ", counted.partition("\n")[2])


def test_the_chinese_readme_keeps_up_with_the_english_one() -> None:
    from tests.readme.keys import LANGUAGES, with_keys

    english, chinese = (file.read_text("utf-8") for file in LANGUAGES)
    use_language("zh")
    assert chinese == with_keys(chinese), "run: python -m tests.readme.keys"
    for pattern in (r"```python\n.*?```", r"(?m)^## ", r"\]\((?!README)[^)]*\)"):
        assert len(re.findall(pattern, chinese, re.DOTALL)) >= len(re.findall(pattern, english, re.DOTALL)), pattern
    examples = re.findall(r"```python\n.*?```", english, re.DOTALL)
    assert re.findall(r"```python\n.*?```", chinese, re.DOTALL) == examples
