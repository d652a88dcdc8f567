"""The tables in the README and in docs/ that are made from the program: ``python -m tests.readme.tables``.

Each stands between two comments, in every language that the page is written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from daoqi_tui.config.schema import SETTINGS, Setting, allowed_words, toml
from daoqi_tui.i18n import _, language, use_language
from daoqi_tui.plain.commands import COMMANDS as TEXT_COMMANDS
from daoqi_tui.tui.commands import COMMANDS, torus
from daoqi_tui.tui.commands.table import Command, key_sign
from daoqi_tui.tui.screens.commands import MOUSE
from tests.readme.pages import ROOT

MOST_USED: Final[tuple[tuple[tuple[str, ...], Mapping[str, str]], ...]] = (
    (("pan_left", "pan_right", "pan_up", "pan_down"), {"en": "Pan the board", "zh": "平移棋盘"}),
    (("cursor_left", "cursor_down", "cursor_up", "cursor_right"), {"en": "Move the cursor", "zh": "移动光标"}),
    (("play",), {}),
    (("pass",), {}),
    (("undo", "redo"), {"en": "Undo, redo", "zh": "悔棋、重下"}),
    (("players",), {}),
    (("hint",), {}),
    (("estimate",), {}),
    (("library",), {}),
    (("help",), {}),
)
"""The README's rows: names of commands, and what they do by language where it is not the help of a single one."""
_HEADINGS: Final = {
    "en": ("Key", "What it does", "Setting", "Default", "Values", "Command"),
    "zh": ("按键", "作用", "设置", "默认值", "可取的值", "命令"),
}


def _signs(command: Command) -> str:
    return " ".join(f"`{key_sign(key)}`" for key in command.keys)


def keys_text() -> str:
    """All groups of commands and the gestures of the mouse, as Markdown in the current language."""
    key, deed = _HEADINGS[language()][:2]
    groups = [
        (group, "".join(f"| {_signs(command)} | {_(command.help)} |\n" for command in commands))
        for group, commands in groupby(COMMANDS, key=lambda command: command.group)
    ]
    groups.append(("Mouse", _gestures(MOUSE)))
    on_torus = "".join(
        f"| {' '.join(f'`{key_sign(key)}`' for key in keys.actions)} | {_(keys.help)} |\n" for keys in torus.KEYS
    )
    groups.append((torus.HEADING, on_torus + _gestures(torus.MOUSE)))
    return "\n".join(f"## {_(group)}\n\n| {key} | {deed} |\n|---|---|\n{rows}" for group, rows in groups)


def _gestures(gestures: Iterable[tuple[str, str]]) -> str:
    return "".join(f"| {_(gesture)} | {_(does)} |\n" for gesture, does in gestures)


def most_used_text() -> str:
    """The rows of the README, as Markdown in the current language."""
    key, deed = _HEADINGS[language()][:2]
    commands = {command.name: command for command in COMMANDS}
    rows = []
    for names, words in MOST_USED:
        signs = " ".join(_signs(commands[name]) for name in names)
        does = words[language()] if words else _(commands[names[0]].help)
        rows.append(f"| {signs} | {does} |\n")
    return f"| {key} | {deed} |\n|---|---|\n{''.join(rows)}"


def settings_text() -> str:
    """Every setting but the keys, as a Markdown table in the current language."""
    _key, deed, name, default, values, _command = _HEADINGS[language()]
    return f"| {name} | {default} | {values} | {deed} |\n|---|---|---|---|\n" + "".join(map(_setting_row, SETTINGS))


def _setting_row(setting: Setting) -> str:
    allowed = ", ".join(f"`{toml(choice)}`" for choice in setting.choices) or allowed_words(setting)
    return f"| `{setting.path}` | `{toml(setting.default)}` | {allowed} | {_(setting.help)} |\n"


def text_mode_text() -> str:
    """Every command of text mode, as a Markdown table in the current language."""
    _key, deed, *_rest, heading = _HEADINGS[language()]
    rows = [
        f"| {' '.join(f'`{one}`' for one in command.usage().split(', '))} | {command.deed} |\n"
        for command in TEXT_COMMANDS
    ]
    return f"| {heading} | {deed} |\n|---|---|\n{''.join(rows)}"


class Table(NamedTuple):
    """A table in the pages.

    Attributes:
        mark: its name in the comments around it.
        make: makes it in the current language.
        pages: the pages that show it, by language.
    """

    mark: str
    make: Callable[[], str]
    pages: Mapping[str, Path]

    def put_into(self, text: str) -> str:
        """Return a page's text with the table as it is now.

        Raises:
            ValueError: the page lacks one of the two comments that the table stands between.
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
)


def main() -> None:
    """Write all tables."""
    for table in TABLES:
        for name, page in table.pages.items():
            use_language(name)
            page.write_text(table.put_into(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
