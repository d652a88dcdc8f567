"""The paths on the page about the architecture are those that the program takes, in their order."""

from __future__ import annotations

import re

from tests.readme.pages import ARCHITECTURE, ROOT

_PACKAGE = str(ROOT / "daoqi_tui") + "/"
Path_ = list[tuple[str, str]]


def on_page(title: str) -> Path_:
    """Return the files and functions of a section's table."""
    text = ARCHITECTURE.read_text("utf-8")
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert section
    found = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", section[1], re.MULTILINE)
    assert len(found) > 5
    return found
