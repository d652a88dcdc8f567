"""Maintains the translation catalogues: run ``python -m tests.catalogue`` after changing translatable text.

It rewrites the template, merges it into every language, and compiles the translations. The compiled files are
committed, so that a checkout is translated as well as a wheel.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from daoqi_tui.i18n import LOCALES
from daoqi_tui.web.board import sentences

PACKAGE: Final = Path(__file__).resolve().parents[1] / "daoqi_tui"
LOCALE: Final = PACKAGE / "locale"
KEYWORDS: Final = {"_": 1, "N_": 1, "plural": 2, "Message": 1, "counted_message": 2}
"""The functions that mark translatable text, and how many of their arguments hold it."""
LANGUAGES: Final = tuple(LOCALES.values())
DERIVED: Final = "zh_TW", "zh_CN"
"""A catalogue that is converted, and the one that it is converted from."""
TAIWAN: Final = {
    "(?<![特象])徵": "征",
    "區域性": "局部",
    "全域性": "全局",
    "影象": "圖像",
    "映象": "鏡像",
    "許可權": "權限",
    "型別": "類型",
    "引數": "參數",
    "查詢": "尋找",
    "指令碼": "腳本",
    "虛著": "虛手",
    "撤銷": "復原",
    "專案": "項目",
    "訪問次數": "計算量",
    "網際網路": "網路",
    "二維碼": "QR 碼",
    "居中": "置中",
    "支招": "提示",
    "終端(?!機)": "終端機",
    "高亮": "標示",
    "遮蔽": "封鎖",
    "賬號": "帳號",
    "舉報": "檢舉",
    "示例": "範例",
    "計算程序": "計算行程",
    "按回車": "按 Enter",
    "整幀": "整個畫面",
    "前臺": "前景",
    "演示": "示範",
    "標籤頁": "分頁",
    "封禁": "停權",
    "置信區間": "信賴區間",
    "(?<=[a-z}] )包": "套件",
    "“": "「",
    "”": "」",
}
"""What Taiwan's players say where OpenCC chooses another word, by pattern."""
ARGPARSE: Final = (
    "usage: ",
    "%(prog)s: error: %(message)s\n",
    "positional arguments",
    "options",
    "show this help message and exit",
    "argument %(argument_name)s: %(message)s",
    "the following arguments are required: %s",
    "one of the arguments %s is required",
    "unrecognized arguments: %s",
    "expected one argument",
    "expected at most one argument",
    "expected at least one argument",
    "not allowed with argument %s",
    "ignored explicit argument %r",
    "ambiguous option: %(option)s could match %(matches)s",
    "invalid %(type)s value: %(value)r",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "unknown parser %(parser_name)r (choices: %(choices)s)",
)
"""Texts that argparse passes to gettext by itself; a test compares them with Python's own sources."""
_BEGUN: Final = datetime(2026, 1, 1, tzinfo=UTC)


def found() -> Catalog:
    """Return a catalogue of everything that the sources mark for translation."""
    # A fixed date, so that a catalogue changes only with its text.
    catalogue = Catalog(project="daoqi-tui", charset="utf-8", fuzzy=False, creation_date=_BEGUN)
    for file in sorted(PACKAGE.rglob("*.py")):
        for words in marked(file.read_text("utf-8")):
            # No line numbers: they would change with every line of code.
            catalogue.add(words, locations=[(file.relative_to(PACKAGE.parent).as_posix(), 0)])
    for file in sorted((*PACKAGE.rglob("*.js"), *PACKAGE.rglob("*.html"))):
        for words in sentences(file):
            catalogue.add(words, locations=[(file.relative_to(PACKAGE.parent).as_posix(), 0)])
    for sentence in ARGPARSE:
        catalogue.add(sentence, locations=[("argparse", 0)])
    return catalogue


def marked(source: str) -> Iterator[str | tuple[str, ...]]:
    """Yield the texts that a source marks for translation; singular and plural are a pair.

    They are read from the syntax tree, since Babel's Python extractor finds no calls inside f-strings.
    """
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        count = KEYWORDS.get(getattr(call.func, "id", getattr(call.func, "attr", "")), 0)
        words = tuple(
            arg.value for arg in call.args[:count] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        )
        if count and len(words) == count and all(words):
            yield words if count > 1 else words[0]


def po_file(locale: str) -> Path:
    return LOCALE / locale / "LC_MESSAGES" / "daoqi_tui.po"


def read(locale: str) -> Catalog:
    if locale == DERIVED[0]:
        return converted(read(DERIVED[1]))
    with po_file(locale).open("rb") as file:
        return read_po(file, locale=locale)


@lru_cache(maxsize=1)
def _converter() -> Callable[[str], str]:
    from opencc import OpenCC

    convert: Callable[[str], str] = OpenCC("s2twp").convert
    return convert


def taiwan(text: str) -> str:
    """Return a Chinese text in traditional characters, with the words of Taiwan.

    Raises:
        ImportError: OpenCC is not installed.
    """
    text = _converter()(text)
    for pattern, word in TAIWAN.items():
        text = re.sub(pattern, word, text)
    return text


def converted(simplified: Catalog) -> Catalog:
    catalogue = Catalog(
        locale=DERIVED[0], project="daoqi-tui", charset="utf-8", creation_date=_BEGUN, revision_date=_BEGUN
    )
    for message in simplified:
        if message.id:
            texts = message.string
            catalogue.add(message.id, taiwan(texts) if isinstance(texts, str) else tuple(map(taiwan, texts)))
    return catalogue


def compiled(catalogue: Catalog) -> bytes:
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def text_of(catalogue: Catalog) -> bytes:
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=120, include_lineno=False, sort_by_file=True, omit_header=False)
    return buffer.getvalue()


def update() -> None:
    """Write the template, merge it into every language, and compile the translations."""
    template = found()
    (LOCALE / "daoqi_tui.pot").write_bytes(text_of(template))
    for locale in LANGUAGES:
        path = po_file(locale)
        if locale == DERIVED[0]:
            _convert(path.with_suffix(".mo"))
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        catalogue = read(locale) if path.exists() else Catalog(locale=locale, project="daoqi-tui", charset="utf-8")
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        path.write_bytes(text_of(catalogue))
        path.with_suffix(".mo").write_bytes(compiled(catalogue))
        missing = [message.id for message in catalogue if message.id and not filled(message.string)]
        print(f"{locale}: {len(catalogue)} entries, {len(missing)} not translated")  # noqa: T201


def _convert(path: Path) -> None:
    """Write the compiled catalogue that is converted; it needs no other file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_bytes(compiled(read(DERIVED[0])))
    except ImportError:
        print(f"{DERIVED[0]}: kept as it was, since OpenCC is missing: pip install opencc-python-reimplemented")  # noqa: T201
    else:
        print(f"{DERIVED[0]}: converted from {DERIVED[1]}")  # noqa: T201


def filled(string: str | tuple[str, ...] | list[str]) -> bool:
    """Return whether a translation is complete, in every plural form."""
    return bool(string) if isinstance(string, str) else bool(string) and all(string)


if __name__ == "__main__":
    update()
