"""The tables of keys in the READMEs, written from the table of commands: ``python -m tests.readme.keys`` does it."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Final

from daoqi_tui.i18n import _, use_language
from daoqi_tui.tui.commands import COMMANDS, Command, key_sign
from daoqi_tui.tui.screens.help import _MOUSE

README: Final = Path(__file__).resolve().parents[2] / "README.md"
LANGUAGES: Final = {README: "en", README.with_name("README.zh-CN.md"): "zh"}
_BEGIN: Final = "<!-- keys: written by tests/readme/keys.py -->\n"
_END: Final = "<!-- end of keys -->\n"


def _row(command: Command) -> str:
    keys = " ".join(f"`{key_sign(key)}`" for key in command.keys)
    return f"| {keys} | {_(command.help)} |\n"


def keys_text() -> str:
    """All groups of commands, and the gestures of the mouse, as Markdown tables in the language of now."""
    tables = [
        (group, "".join(map(_row, commands)))
        for group, commands in groupby(COMMANDS, key=lambda command: command.group)
    ]
    tables.append(("The mouse", "".join(f"| {_(gesture)} | {_(deed)} |\n" for gesture, deed in _MOUSE)))
    return "\n".join(f"| | {_(heading)} |\n|---|---|\n{rows}" for heading, rows in tables)


def with_keys(readme: str) -> str:
    """The text of the README with the tables as they are now.

    Raises:
        ValueError: the README lacks one of the two marks that the tables stand between.
    """
    before, _, rest = readme.partition(_BEGIN)
    _, mark, after = rest.partition(_END)
    if not mark:
        raise ValueError(f"the README needs the lines {_BEGIN.strip()} and {_END.strip()}")
    return f"{before}{_BEGIN}\n{keys_text()}\n{_END}{after}"


if __name__ == "__main__":
    for file, language in LANGUAGES.items():
        use_language(language)
        file.write_text(with_keys(file.read_text(encoding="utf-8")), encoding="utf-8")
