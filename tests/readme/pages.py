"""The documentation pages: the README, docs/, and related files, in English and Chinese."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tests.tracing import Function

ROOT: Final = Path(__file__).resolve().parents[2]
README: Final = ROOT / "README.md"
CHINESE_README: Final = ROOT / "README.zh-CN.md"
DOCS: Final = ROOT / "docs"
CHINESE_DOCS: Final = DOCS / "zh-CN"
LABORATORY: Final = DOCS / "lab.md"
"""What was tried on networks and search; not translated."""
ARCHITECTURE: Final = DOCS / "architecture.md"
"""For who works on the program; not translated."""
PAIRS: Final = (
    (README, CHINESE_README),
    *((page, CHINESE_DOCS / page.name) for page in sorted(DOCS.glob("*.md")) if page not in (LABORATORY, ARCHITECTURE)),
)
"""Each English page with its Chinese translation."""
ENGLISH: Final = tuple(english for english, _chinese in PAIRS)
CHINESE: Final = tuple(chinese for _english, chinese in PAIRS)
OTHERS: Final = (
    LABORATORY,
    ARCHITECTURE,
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "assets" / "daoqi.md",
)
PAGES: Final = (*ENGLISH, *CHINESE, *OTHERS)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str, kind: str) -> list[str]:
    """Return the fenced blocks of a kind, such as ``sh``."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def links(text: str) -> list[str]:
    """Return the targets of the links and images on a page."""
    return re.findall(r"\]\(([^)\s]+)\)", text)


def without_code(text: str) -> str:
    """Return the text with a letter in place of each code span, and without code blocks, comments and link targets."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]+`", "x", text)
    return re.sub(r"\]\([^)\s]+\)", "]", text)


def without_tables(text: str) -> str:
    """Return the text without the generated tables, whose words are in the catalogue."""
    return re.sub(r"<!-- ([\w ]+): made by .*?<!-- \1: end -->", "", text, flags=re.DOTALL)


def path_on_page(title: str) -> list[Function]:
    """Return the functions of a path through the program, a section of the page about its architecture."""
    section = ARCHITECTURE.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", section, re.MULTILINE)
    assert len(found) > 5, title
    return [Function(file, name) for file, name in found]
