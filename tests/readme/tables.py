"""The generated tables in the README and in docs/: ``python -m tests.readme.tables`` updates them.

Each is between two marker comments, in every language that the page is written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from daoqi_tui.analysis.opening import FairKomi, shipped_values
from daoqi_tui.analysis.opening_index import share_of_wins
from daoqi_tui.commands import COMMANDS
from daoqi_tui.commands.command import Command, key_sign
from daoqi_tui.commands.screen import TORUS_HEADING, TORUS_KEYS, TORUS_MOUSE
from daoqi_tui.commands.text import TEXT_COMMANDS
from daoqi_tui.config import SETTINGS, Setting, allowed_words, toml
from daoqi_tui.i18n import _, language, listed, use_language
from daoqi_tui.pictures import EXPORTS
from daoqi_tui.play.evaluation import describe_lead
from daoqi_tui.play.openings import OpeningBrowser
from daoqi_tui.play.wording import signed
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
    "en": ("Ending", "Format", "Shows", "`--animate`", "Other options"),
    "zh": ("扩展名", "格式", "内容", "`--animate`", "其他选项"),
}


def exports_text() -> str:
    """Return the kinds of files that a game is exported to, as a Markdown table in the current language."""
    rows = []
    for export in EXPORTS.values():
        animations = [f"`{subject}`" for subject in export.subjects if export.is_picture and subject != "board"]
        options = [f"`--{option}`" for option in export.options]
        words = (f"`{export.ending}`", export.kind.name, _(export.label), listed(animations), listed(options))
        rows.append(_row(words))
    return _head(_EXPORT_HEADINGS[language()]) + "".join(rows)


_OPENING_HEADINGS: Final = {
    "en": {
        "size": "Board",
        "classes": "Classes, visits of each",
        "thirds": "Third moves, visits of each",
        "games": "Games from the classes",
        "searched": "Fair komi, {visits} visits a move",
        "policy": "Fair komi, by the policy alone",
        "number": "Class",
        "win": "Win rate",
        "lead": "Lead",
        "reply": "Best reply",
        "share": "Black won, by the policy alone",
        "none": "none",
        "played": "{count} games",
    },
    "zh": {
        "size": "棋盘",
        "classes": "类数，每类计算量",
        "thirds": "第三手数，每手计算量",
        "games": "从各类开始的局数",
        "searched": "公平贴目，每手计算量 {visits}",
        "policy": "公平贴目，只用策略",
        "number": "类",
        "win": "胜率",
        "lead": "目差",
        "reply": "最佳应手",
        "share": "黑胜，只用策略",
        "none": "无",
        "played": "{count} 局",
    },
}
_JUDGED_SIZES: Final = (9, 11, 13, 16, 19)


def fair_komi_text() -> str:
    """Return what was evaluated on each board size, and its fair komi, as a Markdown table in the current language."""
    words = _OPENING_HEADINGS[language()]
    found = [values for size in _JUDGED_SIZES if (values := shipped_values(size))]
    visits = max(fair.visits for values in found for fair in values.fair_komi)
    columns = ("size", "classes", "thirds", "games", "searched", "policy")
    rows = []
    for values in found:
        fair = {bool(each.visits): each for each in values.fair_komi}
        row = (
            f"{values.size}×{values.size}",
            f"{len(values.classes)}, {values.classes[1].value.visits}",
            f"{len(values.thirds)}, {values.third_visits}" if values.thirds else words["none"],
            str(sum(entry.games for entry in values.classes.values())),
            _fair_text(fair.get(True)),
            _fair_text(fair.get(False)),
        )
        rows.append(_row(row))
    return _head(words[column].format(visits=visits) for column in columns) + "".join(rows)


def _fair_text(fair: FairKomi | None) -> str:
    words = _OPENING_HEADINGS[language()]
    if fair is None:
        return words["none"]
    bounds = f"{signed(round(fair.low, 1))} … {signed(round(fair.high, 1))}"
    return f"{signed(round(fair.komi, 1))} ({bounds}), {words['played'].format(count=fair.games)}"


def classes_text() -> str:
    """Return the opening classes on 16×16 and their evaluations, as a Markdown table in the current language."""
    words = _OPENING_HEADINGS[language()]
    browser = OpeningBrowser(16)
    browser.order = "value"
    rows = []
    for entry in browser.classes():
        kind, played = entry.kind, entry.played
        assert kind is not None
        assert played is not None
        x, y = (played.replies[0].point % 16, played.replies[0].point // 16)
        share = share_of_wins(played.black_wins, played.games)
        interval = f"{played.black_wins}/{played.games} ({share.low:.0%}–{share.high:.0%})" if played.games else "—"
        name = f"{kind.number} {kind.name.in_language(language())}"
        rows.append(_row((name, f"{played.value.win:.1%}", describe_lead(played.value.lead), f"({x},{y})", interval)))
    return _head(words[column] for column in ("number", "win", "lead", "reply", "share")) + "".join(rows)


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
