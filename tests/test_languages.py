"""Everything shown to users is translated into each language."""

from __future__ import annotations

import argparse
import ast
import builtins
import errno
import inspect
import json
import os
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from daoqi_tui import i18n
from daoqi_tui.ai import Failure, decode, encode
from daoqi_tui.analysis.opening import opening_name
from daoqi_tui.commands.text import TEXT_COMMANDS, command_in
from daoqi_tui.engine import Game, GameOver, IllegalMove, torus_of
from daoqi_tui.gtp.client import Engine, EngineError
from daoqi_tui.i18n import _, plural, system_language, translate, use_language
from daoqi_tui.message import Message, counted_message
from daoqi_tui.record import SgfError
from daoqi_tui.record.files import read_record
from tests.every import every
from tests.forked import run_python
from tests.imports import parsed

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
    """Return the placeholders of a sentence, in either formatting style."""
    named = [name for _text, name, _spec, _how in string.Formatter().parse(sentence) if name is not None]
    return sorted(named + re.findall(r"%(?:\(\w+\))?[sr]", sentence))


_BUT_DERIVED = [
    pytest.param(
        locale,
        marks=pytest.mark.skipif(
            locale == catalogue.DERIVED[0] and find_spec("opencc") is None, reason="OpenCC is not installed"
        ),
    )
    for locale in catalogue.LANGUAGES
]


@pytest.fixture(scope="module")
def sources() -> catalogue.Catalog:
    return catalogue.found()


@pytest.mark.parametrize("locale", _BUT_DERIVED)
def test_every_word_of_the_sources_is_translated(locale: str, sources: catalogue.Catalog) -> None:
    words = catalogue.read(locale)
    for message in sources:
        if not message.id:
            continue
        entry = words.get(message.id)
        assert entry is not None, f"run python -m tests.catalogue: it has not seen {message.id!r}"
        assert not entry.fuzzy, f"still to be looked at: {message.id!r}"
        assert catalogue.filled(entry.string), f"not translated: {message.id!r}"


_OF_ONE_MEANING = {
    "Undo": ("commands/screen.py", "tui/features/playing/__init__.py", "web/board.html"),
    "Play": (
        "commands/screen.py",
        "tui/features/problems/screen.py",
        "tui/features/program/lesson.py",
        "web/board.html",
    ),
    "No": ("tui/features/problems/position.py",),
    "Players": ("commands/screen.py",),
    "Games": ("tui/features/openings/screen.py",),
}
"""Labels whose Chinese fits only what they mean in these files: 悔棋 is not for an edit, nor 落子 for a seat."""


@pytest.mark.parametrize("label", _OF_ONE_MEANING)
def test_a_label_with_a_narrow_translation_stands_only_where_it_fits(label: str, sources: catalogue.Catalog) -> None:
    entry = sources.get(label)
    assert entry is not None
    assert {file.removeprefix("daoqi_tui/") for file, _line in entry.locations} == {*_OF_ONE_MEANING[label]}


def test_words_are_found_inside_an_f_string_too() -> None:
    source = """f'<a>{escape(_("Watch"))}</a> {words.plural("{count} game", "{count} games", 2)} {_(name)}'"""
    assert list(catalogue.marked(source)) == ["Watch", ("{count} game", "{count} games")]


@pytest.mark.parametrize("locale", _BUT_DERIVED)
def test_translations_take_the_same_parts(locale: str) -> None:
    for message in catalogue.read(locale):
        if not message.id:
            continue
        single = message.id if isinstance(message.id, str) else message.id[-1]
        for form in (message.string,) if isinstance(message.string, str) else message.string:
            assert _parts(form) == _parts(single), f"{single!r} became {form!r}"


@pytest.mark.parametrize("locale", _BUT_DERIVED)
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
    "CommandError": 0,
    "ConfigError": 0,
    "UsageError": 0,
    "ArgumentTypeError": 0,
    "SystemCommand": 0,
}
"""The position of the argument that is shown to users, by the name of the call."""
_NAMED = ("help", "description", "epilog", "placeholder", "border_title", "border_subtitle", "title")
_WORDS = re.compile(r"[a-z]{2,} [a-z]|^[A-Z][a-z]+$")
_FACES = [
    *(
        file
        for layer in ("tui", "play", "plain", "web", "cli", "config")
        for file in sorted((PACKAGE / layer).rglob("*.py"))
    ),
    *sorted(PACKAGE.glob("*.py")),
]


def _describe_bare(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield untranslated text that is shown to users, with its line number."""
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


@every("file", _FACES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_nothing_is_shown_without_a_translation(file: Path) -> None:
    bare = [found for node in ast.walk(parsed(file)) for found in _describe_bare(node)]
    assert not bare, "put _( ) around these"


_LAYERS = [
    *(
        file
        for layer in ("engine", "record", "analysis", "ai", "gtp", "play")
        for file in (PACKAGE / layer).rglob("*.py")
    ),
    *(PACKAGE / name for name in ("paths.py", "message.py", "streams.py")),
]
_NOT_TRANSLATED = ("TypeError", "GtpError", "QueryError", "ProtocolError", "_Wrong")
"""Programming errors, and responses in the English of GTP and of the online protocol."""
_FOR_PROGRAMMERS = frozenset(
    (
        "the compiler knows no instructions for products of bytes on this machine",
        "products of bytes are wrong by {0}",
        "there is no stone at {0}",
        "the chain at {0} reaches out of the area",
        "{0} is not about a ladder",
        "that node is not in this game's tree; take one that walk() yields",
        "not children of this node, each named once",
        "move {0} is off the board: 0 to {1}, or {2} for a pass",
        "symmetries of sizes {0} and {1} cannot follow one another",
        "{0}: turns are 0 to 3, shifts 0 to {1}",
        "({0},{1}) is no standard displacement: 0 ≤ x ≤ y ≤ {2} and y at least 1",
        "that node belongs to another game",
        "a player is {0} (Black) or {1} (White), not {2}",
        "node {0} is there already",
        "symmetries are those of a square board, not of {0}",
        "it is the turn of {0}; {1} cannot be recorded without a setup",
        "{0} names points off the board, or no player to move",
        "action {0} is no point of the board: 0 to {1}, {2} or {3}",
        "not a message of the player's protocol: {0}",
        "this is not a message",
        "the first message did not come",
        "the first message has to be of type join",
        "{0} has the shape {1}, not {2}",
        "no such reading: {0}",
        "a person is not asked for moves",
        "no komi can be told from no games",
        # A GTP response.
        "there {0} {1} to undo",
        # Why an entry of a journal, log, network or index is ignored; never shown.
        "a point of the setup is off the board",
        "a dead stone is off the board",
        "the view's point is off the board",
        "no head",
        "no game",
        "the tables of another program",
        "compressed in another way",
        "neither numbers nor text",
        "not as long as it says",
        "the outputs have other shapes",
        "the outputs are no numbers",
        "the kernel is of another kind",
        "an array has the shape {0}, not {1}",
        "nested too deeply",
        "parts that do not belong together",
        "{0} is no count",
        "{0} is no win rate",
        # Kinds of engine faults.
        "not started",
        "illegal move",
    )
)
"""Texts that users can neither cause nor see."""


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _calls(file: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(parsed(file)) if isinstance(node, ast.Call))


def _template(value: ast.expr) -> str:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    if isinstance(value, ast.JoinedStr):
        count = iter(range(100))
        return "".join(str(v.value) if isinstance(v, ast.Constant) else f"{{{next(count)}}}" for v in value.values)
    return ""


def _exceptions() -> frozenset[str]:
    """Return the names of Python's exceptions, and of all that the package defines."""
    classes = [node for file in PACKAGE.rglob("*.py") for node in ast.walk(parsed(file))]
    bases = {
        node.name: [getattr(base, "id", "") for base in node.bases]
        for node in classes
        if isinstance(node, ast.ClassDef)
    }
    known = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)}
    known |= {"DatabaseError"}
    while fresh := {name for name, parents in bases.items() if name not in known and known & set(parents)}:
        known |= fresh
    return frozenset(known)


def test_the_layers_below_raise_messages() -> None:
    exceptions = _exceptions() - set(_NOT_TRANSLATED)
    assert {"SgfError", "EngineError", "NetError", "WrongMatch", "_Refused"} <= exceptions
    texts = [
        (str(file.relative_to(PACKAGE)), call.lineno, template)
        for file in _LAYERS
        if file != PACKAGE / "record" / "journal" / "format.py"  # explains why an entry is ignored
        for call in _calls(file)
        if _name(call) in exceptions
        for template in map(_template, call.args)
        if " " in template and template not in _FOR_PROGRAMMERS
    ]
    assert not texts, "give these a Message"


def test_every_message_of_the_layers_is_in_the_catalogues() -> None:
    words = catalogue.read(catalogue.LANGUAGES[0])
    seen = 0
    for file in sorted(PACKAGE.rglob("*.py")):
        if file == PACKAGE / "message.py" or "daoqi_tui.message import" not in file.read_text("utf-8"):
            continue
        for call in _calls(file):
            if _name(call) not in ("Message", "counted_message"):
                continue
            templates = [_template(arg) for arg in call.args[: 2 if _name(call) == "counted_message" else 1]]
            where = f"{file.relative_to(PACKAGE)}:{call.lineno}"
            assert all(isinstance(arg, ast.Constant) for arg in call.args[: len(templates)]), f"{where}: no literal"
            assert words.get(templates[0]) is not None, f"{where}: run python -m tests.catalogue"
            given = {keyword.arg for keyword in call.keywords} | ({"count"} if len(templates) == 2 else set())
            for template in templates:
                fields = {name for _text, name, _spec, _how in string.Formatter().parse(template) if name is not None}
                assert fields == given, f"{where}: the template names {fields}, the call gives {given}"
            seen += 1
    assert seen > 140


_CHINESE_VALUES = {"colour", "winner", "loser", "whose", "first", "moves", "points", "time"}
"""What is inserted under these names is Chinese in Chinese, or a number that is written close to the word after it."""


def test_a_name_beside_a_chinese_character_is_filled_in_by_what_puts_a_space_where_it_is_not_chinese() -> None:
    words = catalogue.read(catalogue.LANGUAGES[0])
    beside = re.compile(r"(?<=[\u3400-\u9fff])\{(\w+)\}|\{(\w+)\}(?=[\u3400-\u9fff])")
    wrong = [
        f"{file.relative_to(PACKAGE)}:{call.lineno}: {translated}"
        for file in PACKAGE.rglob("*.py")
        for call in _calls(file)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "format"
        for node in ast.walk(call.func.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (entry := words.get(node.value))
        if isinstance(translated := entry.string, str)
        if {name for names in beside.findall(translated) for name in names if name} - _CHINESE_VALUES
    ]
    assert not wrong, "use filled or with_keys"


def test_an_error_is_translated_with_what_it_quotes() -> None:
    error = SgfError(
        Message("{problem}; skipped", problem=IllegalMove(GameOver())),
        3,
        7,
    )
    assert translate(error) == "line 3, column 7: the game is over; resume it to play on; skipped"
    use_language("zh")
    assert translate(error) == "第 3 行第 7 列：棋局已经结束；续弈后才能再下；已跳过"
    assert translate("nobody ever wrote this") == "nobody ever wrote this"
    assert translate(counted_message("{count} stone", "{count} stones", 3)) == "3 子"
    assert translate(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))) == "磁盘已满"
    assert translate(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a.sgf")) == "a.sgf: 磁盘已满"


def test_a_file_called_as_a_word_keeps_its_name() -> None:
    use_language("zh")
    for name in ("white", "Black", "pass", "start", "No such file or directory"):
        with pytest.raises(SgfError) as caught:
            read_record(Path(name))
        assert translate(caught.value) == f"无法读取 {name}：没有这个文件或文件夹"
    told = _run("score", "white", "--lang", "zh")
    assert (told.returncode, told.stderr) == (1, "daoqi-tui: 无法读取 white：没有这个文件或文件夹\n")


async def test_what_goes_wrong_with_an_engine_is_translated() -> None:
    use_language("zh")
    with pytest.raises(EngineError) as unread:
        Engine("white 'x")
    assert translate(unread.value) == '无法解析命令 "white \'x"：引号没有闭合'
    with pytest.raises(EngineError) as missing:
        await Engine("/nowhere/white").start()
    assert translate(missing.value) == "无法启动 '/nowhere/white'：没有这个文件或文件夹"
    with pytest.raises(EngineError) as ended:
        await Engine([sys.executable, "-c", "import sys; sys.exit('white')"]).start()
    assert re.fullmatch(r"python\S* 没有回答 'name' 就结束了（状态码 1）；其输出为：white", translate(ended.value))


def test_results_are_translated() -> None:
    game = Game(9, komi=0)
    assert str(game.area()) == translate(game.area()) == "White wins by 0 (equal totals: White wins a tie)"
    use_language("zh")
    assert translate(game.area()) == "白胜 0 目（目数相同，平局算白胜）"
    game.play(40)
    assert translate(game.area()) == "黑胜 81 目"
    assert str(game.area()) == "Black wins by 81"


def test_a_message_goes_through_json_and_keeps_its_values() -> None:
    message = Message("{file} cannot be read: {reason}", file=Path("white"), reason=Message("Permission denied"))
    again = Message.from_json(json.loads(json.dumps(message.as_json())))
    use_language("zh")
    assert translate(again) == translate(message) == "无法读取 white：没有权限"
    failure = decode(encode(Failure(4, str(message), message)))
    assert isinstance(failure, Failure)
    assert failure.message is not None
    assert translate(failure.message) == translate(message)
    for wrong in (None, {}, {"template": "{a}", "many": "", "values": {}}, {"template": 1, "many": "", "values": {}}):
        with pytest.raises(ValueError, match="not a message"):
            Message.from_json(wrong)


_ARGPARSE_UNSEEN = frozenset(
    (
        # Programming errors.
        ".__call__() not defined",
        "conflicting option string: %s",
        "conflicting option strings: %s",
        "'required' is an invalid argument for positionals",
        "mutually exclusive arguments must be optional",
        "%r is not callable",
        "cannot merge actions - two groups are named %r",
        "invalid option string %(option)r: must start with a character %(prefix_chars)r",
        "dest= is required for options like %r",
        "invalid conflict_resolution value: %r",
        "cannot have multiple subparser arguments",
        "conflicting subparser: %s",
        "conflicting subparser alias: %s",
        'argument "-" with mode %r',
        "%(name)r is not a valid name",
        # Features that our parsers do not use: FileType, a fixed number of values, deprecated options, and headings.
        "can't open '%(filename)s': %(error)s",
        "expected %s argument",
        "expected %s arguments",
        "unexpected option string: %s",
        "subcommands",
        "option '%(option)s' is deprecated",
        "command '%(parser_name)s' is deprecated",
        "argument '%(argument_name)s' is deprecated",
        "%(heading)s:",
    )
)


def test_what_argparse_says_is_translated() -> None:
    """Its texts are extracted from Python's own source, so that new ones are noticed."""
    tree = ast.parse(inspect.getsource(argparse))
    said = {
        arg.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _name(node) in ("_", "ngettext")
        for arg in node.args
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
    }
    assert said - set(catalogue.ARGPARSE) <= _ARGPARSE_UNSEEN, "add these to tests/catalogue.py"
    assert set(catalogue.ARGPARSE) <= said, "argparse does not say these any more"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.UTF-8"}, "zh-TW"),
        ({"LANG": "zh_HK.UTF-8"}, "zh-TW"),
        ({"LANG": "zh_SG.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_Hant:zh"}, "zh-TW"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "zh:de"}, "zh"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "fr:zh_CN"}, "zh"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "fr:en_GB:zh_CN"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": ":zh_Hans_CN@calendar"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "fr:zha"}, "en"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "zh"}, "en"),
        ({"LC_ALL": "POSIX", "LANGUAGE": "fr:zh_CN"}, "en"),
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


@pytest.mark.parametrize("asked", [None, "de", "zh_TW:en"])
def test_programs_started_after_a_change_to_english_inherit_what_was_asked_for(
    asked: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if asked is None:
        monkeypatch.delenv("LANGUAGE", raising=False)
    else:
        monkeypatch.setenv("LANGUAGE", asked)
    use_language("en")
    assert os.environ.get("LANGUAGE") == asked
    for _each in range(2):
        use_language("zh")
        use_language("zh")
        assert os.environ["LANGUAGE"] == "zh_CN"
        use_language("en")
        assert os.environ.get("LANGUAGE") == asked


def _run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "DAOQI", "XDG"))}
    return run_python(["-m", "daoqi_tui", *arguments], ROOT, {**clean, "HOME": "/nonexistent", **variables})


def test_the_command_line_speaks_the_language_asked_for() -> None:
    assert _run("--help", "--lang", "zh").stdout.startswith("用法：")
    assert _run("--help", LANG="zh_CN.UTF-8").stdout.startswith("用法：")
    assert _run("--help", "--lang=en", LANG="zh_CN.UTF-8").stdout.startswith("usage: ")
    assert _run("--help", DAOQI_TUI_LANGUAGE="zh").stdout.startswith("用法：")
    # Errors before the settings are read are shown in the language of the system.
    assert "不是可选的语言" in _run("--lang=klingon", LANG="zh_CN.UTF-8").stderr
    wrong = _run("--size", "99", "--lang", "zh")
    assert (wrong.returncode, "棋盘路数应为 5 到 25 的整数" in wrong.stderr) == (2, True)
    assert "'tlh' is not a language: auto, en, zh" in _run("--lang", "tlh").stderr
    counted = _run("score", "assets/sample.sgf", "--lang", "zh").stdout
    assert "合计" in counted
    assert re.search(r"按当前盘面计算：[黑白]胜 [\d.]+ 目", counted)
    assert not re.search("[a-z]{3,} ", counted.partition("\n")[2])


def test_the_files_of_convert_are_named_in_chinese() -> None:
    words = _run("convert", "--help", DAOQI_TUI_LANGUAGE="zh").stdout
    assert "输入文件 输出文件" in words
    assert " IN " not in words


def test_taiwan_reads_its_own_words() -> None:
    use_language("zh-TW")
    assert i18n.language() == "zh-TW"
    assert (_("Pass"), _("Settings"), _("komi")) == ("虛手", "設定", "貼目")
    assert opening_name(16, (1, 2)).in_language("zh-TW") == "小飛(1,2)"
    redo = next(command for command in TEXT_COMMANDS if command.name == "redo")
    assert redo.examples()[-1] == "恢復"
    assert [command_in(word, {"redo": redo}, torus_of(9), "daoqi")[0] for word in ("恢復", "恢复")] == [redo, redo]
