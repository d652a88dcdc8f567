"""The generated tables in the README and in docs/: ``python -m tests.readme.tables`` updates them.

Each is between two marker comments, in every language that the page is written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from daoqi_tui.analysis.opening import OpeningValues, shipped_values
from daoqi_tui.commands import Command, key_sign
from daoqi_tui.commands.screen import COMMANDS, TORUS_HEADING, TORUS_KEYS, TORUS_MOUSE
from daoqi_tui.commands.text import TEXT_COMMANDS
from daoqi_tui.config import SETTINGS, Setting, allowed_words, toml
from daoqi_tui.i18n import _, language, listed, use_language
from daoqi_tui.pictures import EXPORTS
from daoqi_tui.play.openings import OpeningBrowser, describe_standing
from daoqi_tui.tui.features.program.menu import MOUSE
from tests.readme.pages import ROOT

MOST_USED: Final[tuple[tuple[tuple[str, ...], Mapping[str, str]], ...]] = (
    (("pan_left", "pan_right", "pan_up", "pan_down"), {"en": "Pan the board", "zh": "平移棋盘"}),
    (("cursor_left", "cursor_down", "cursor_up", "cursor_right"), {"en": "Move the cursor", "zh": "移动光标"}),
    (("play",), {}),
    (("pass",), {}),
    (("undo", "redo"), {"en": "Undo, redo", "zh": "悔棋、恢复"}),
    (("players",), {}),
    (("hint",), {}),
    (("estimate",), {}),
    (("library",), {}),
    (("help",), {}),
)
"""The rows of the README's table: command names, and a description by language unless the command's help is used."""
_HEADINGS: Final = {
    "en": ("Key", "What it does", "Setting", "Default", "Values", "Command"),
    "zh": ("按键", "作用", "设置", "默认值", "可取的值", "命令"),
}


def _signs(command: Command) -> str:
    return " ".join(f"`{key_sign(key)}`" for key in command.keys)


def keys_text() -> str:
    """Return all groups of commands and the mouse gestures, as Markdown in the current language."""
    key, deed = _HEADINGS[language()][:2]
    groups = [
        (group, "".join(f"| {_signs(command)} | {_(command.help)} |\n" for command in commands))
        for group, commands in groupby(COMMANDS, key=lambda command: command.group)
    ]
    groups.append(("Mouse", _gestures(MOUSE)))
    on_torus = "".join(
        f"| {' '.join(f'`{key_sign(key)}`' for key in keys.actions)} | {_(keys.help)} |\n" for keys in TORUS_KEYS
    )
    groups.append((TORUS_HEADING, on_torus + _gestures(TORUS_MOUSE)))
    return "\n".join(f"## {_(group)}\n\n| {key} | {deed} |\n|---|---|\n{rows}" for group, rows in groups)


def _gestures(gestures: Iterable[tuple[str, str]]) -> str:
    return "".join(f"| {_(gesture)} | {_(does)} |\n" for gesture, does in gestures)


def most_used_text() -> str:
    """Return the README's table of keys, as Markdown in the current language."""
    key, deed = _HEADINGS[language()][:2]
    commands = {command.name: command for command in COMMANDS}
    rows = []
    for names, words in MOST_USED:
        signs = " ".join(_signs(commands[name]) for name in names)
        does = words[language()] if words else _(commands[names[0]].help)
        rows.append(f"| {signs} | {does} |\n")
    return f"| {key} | {deed} |\n|---|---|\n{''.join(rows)}"


def settings_text() -> str:
    """Return every setting except the keys, as a Markdown table in the current language."""
    _key, deed, name, default, values, _command = _HEADINGS[language()]
    return f"| {name} | {default} | {values} | {deed} |\n|---|---|---|---|\n" + "".join(map(_setting_row, SETTINGS))


def _setting_row(setting: Setting) -> str:
    allowed = ", ".join(f"`{toml(choice)}`" for choice in setting.choices) or allowed_words(setting)
    return f"| `{setting.path}` | `{toml(setting.default)}` | {allowed} | {_(setting.help)} |\n"


def text_mode_text() -> str:
    """Return every command of text mode, as a Markdown table in the current language."""
    _key, deed, *_rest, heading = _HEADINGS[language()]
    rows = [f"| {' '.join(f'`{one}`' for one in command.examples())} | {command.deed} |\n" for command in TEXT_COMMANDS]
    return f"| {heading} | {deed} |\n|---|---|\n{''.join(rows)}"


_EXPORT_HEADINGS: Final = {
    "en": ("Ending", "Format", "Shows", "`--animate`"),
    "zh": ("扩展名", "格式", "内容", "`--animate`"),
}


def exports_text() -> str:
    """Return the kinds of files that a game is exported to, as a Markdown table in the current language."""
    rows = []
    for export in EXPORTS.values():
        animations = [f"`{subject}`" for subject in export.subjects if export.is_picture and subject != "board"]
        rows.append(_row((f"`{export.ending}`", export.kind.name, _(export.label), listed(animations))))
    return _head(_EXPORT_HEADINGS[language()]) + "".join(rows)


_OPENING_HEADINGS: Final = {
    "en": {
        "size": "Board",
        "classes": "Openings",
        "thirds": "Third moves",
        "fair": "Fair komi (95 %)",
        "games": "Games",
        "number": "Opening",
        "standing": "At the fair komi",
        "reply": "Black's best reply",
        "none": "none",
    },
    "zh": {
        "size": "棋盘",
        "classes": "开局数",
        "thirds": "第三手数",
        "fair": "公平贴目（95 %）",
        "games": "局数",
        "number": "开局",
        "standing": "按公平贴目",
        "reply": "黑棋最佳应手",
        "none": "无",
    },
}
_JUDGED_SIZES: Final = (9, 11, 13, 16, 19)


def fair_komi_text() -> str:
    """Return what was judged on each board size, and its fair komi, as a Markdown table in the current language."""
    words = _OPENING_HEADINGS[language()]
    rows = []
    for size in _JUDGED_SIZES:
        values = shipped_values(size)
        assert isinstance(values, OpeningValues)
        fair = values.fair_komi
        bounds = f"{fair.komi:g} ({fair.low:g} … {fair.high:g})" if fair else words["none"]
        counts = (str(len(values.classes)), str(len(values.thirds)), bounds, str(fair.games if fair else 0))
        rows.append(_row((f"{size}×{size}", *counts)))
    return _head(words[column] for column in ("size", "classes", "thirds", "fair", "games")) + "".join(rows)


def classes_text() -> str:
    """Return the openings on 16×16 and how they stand, as a Markdown table in the current language."""
    words = _OPENING_HEADINGS[language()]
    browser = OpeningBrowser(16)
    browser.order = "value"
    rows = []
    for entry in browser.classes():
        assert entry.kind is not None
        assert entry.standing is not None
        row, column = divmod(entry.replies[0], 16)
        name = f"{entry.kind.number} {entry.kind.name.in_language(language())}"
        rows.append(_row((name, describe_standing(entry.standing), f"({column},{row})")))
    return _head(words[column] for column in ("number", "standing", "reply")) + "".join(rows)


def _head(columns: Iterable[str]) -> str:
    names = tuple(columns)
    return _row(names) + "|" + "---|" * len(names) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


class Table(NamedTuple):
    """A generated table.

    Attributes:
        mark: its name in the marker comments.
        make: generates it in the current language.
        pages: the pages that contain it, by language.
    """

    mark: str
    make: Callable[[], str]
    pages: Mapping[str, Path]

    def put_into(self, text: str) -> str:
        """Return a page's text with the table updated.

        Raises:
            ValueError: the page lacks one of the two marker comments.
        """
        begin, end = (f"<!-- {self.mark}: {word} -->\n" for word in ("made by tests/readme/tables.py", "end"))
        before, _begin, rest = text.partition(begin)
        _old, mark, after = rest.partition(end)
        if not mark:
            raise ValueError(f"the page needs the lines {begin.strip()} and {end.strip()}")
        return f"{before}{begin}\n{self.make()}\n{end}{after}"


def _in_docs(name: str) -> Mapping[str, Path]:
    return {"en": ROOT / "docs" / name, "zh": ROOT / "docs" / "zh-CN" / name}


TABLES: Final = (
    Table("most used keys", most_used_text, {"en": ROOT / "README.md", "zh": ROOT / "README.zh-CN.md"}),
    Table("keys", keys_text, _in_docs("keys.md")),
    Table("settings", settings_text, _in_docs("configuration.md")),
    Table("text mode", text_mode_text, _in_docs("text-mode.md")),
    Table("exports", exports_text, _in_docs("records.md")),
    Table("fair komi", fair_komi_text, _in_docs("openings.md")),
    Table("classes", classes_text, _in_docs("openings.md")),
)


def main() -> None:
    """Update all tables."""
    for table in TABLES:
        for name, page in table.pages.items():
            use_language(name)
            page.write_text(table.put_into(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
