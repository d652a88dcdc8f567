"""Build the pages as a site: ``make site``, which writes it to ``build/site``.

Sphinx reads a copy of the pages in which they lie as in the repository, so that links between them are those that
readers of the repository follow, and fails on any that leads nowhere. The reference is made from the docstrings of the
library.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import build_main

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "CHANGELOG.md", "assets/daoqi.md")
PACKAGES = ("daoqi_tui.engine", "daoqi_tui.record")
"""Those of the library that collect names of their modules."""
MODULES = (
    "daoqi_tui.reading.ladder",
    "daoqi_tui.reading.status",
    "daoqi_tui.reading.symmetry",
    "daoqi_tui.gtp.client",
)
"""The rest of it; docs/library.md shows how it is used."""
SETTINGS = """
import logging

import jieba

jieba.setLogLevel(logging.WARNING)
project = "Daoqi"
html_title = "Daoqi 道棋"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
myst_heading_anchors = 3
html_theme = "furo"
# It finds Chinese words as well as English ones, without a server.
html_search_language = "zh"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
"""
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def copy_pages(target: Path) -> list[str]:
    """Copy the pages and what they show; return the names of the pages without ending.

    A link to a file of the repository that is no page becomes its text.
    """
    shutil.copytree(ROOT / "docs", target / "docs")
    for name in PAGES:
        (target / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    pages = sorted(target.rglob("*.md"))
    for page in pages:

        def linked(found: re.Match[str], folder: Path = page.parent) -> str:
            place = (folder / found[3]).resolve()
            outside = not place.exists() and (ROOT / place.relative_to(target.resolve())).exists()
            return found[2] if outside else found[0]

        page.write_text(LINK.sub(linked, page.read_text("utf-8")), encoding="utf-8")
    return [page.relative_to(target).with_suffix("").as_posix() for page in pages]


def contents(pages: list[str]) -> str:
    """Return the first page, whose contents are all others, by language."""

    def listed(caption: str, names: list[str]) -> str:
        entries = "\n".join(f"   {name}" for name in names)
        return f".. toctree::\n   :caption: {caption}\n   :maxdepth: 1\n\n{entries}\n"

    chinese = [page for page in pages if "zh-CN" in page]
    english = [page for page in pages if page not in chinese]
    chinese.sort(key=lambda page: page != "README.zh-CN")
    english.sort(key=lambda page: (page != "README", not page.startswith("docs/"), page))
    parts = [listed("English", english), listed("中文", chinese), listed("Library", ["reference"])]
    return "Daoqi 道棋\n==========\n\n" + "\n".join(parts)


def reference() -> str:
    """Return the page of the library's modules."""
    title = "Reference\n=========\n"
    parts = [
        f"{name}\n{'-' * len(name)}\n\n.. automodule:: {name}\n   :members:\n{imported}"
        for names, imported in ((PACKAGES, "   :imported-members:\n"), (MODULES, ""))
        for name in names
    ]
    return "\n".join([title, *parts])


def main(target: str) -> int:
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.mkdir()
        pages = copy_pages(source)
        (source / "conf.py").write_text(SETTINGS, encoding="utf-8")
        (source / "index.rst").write_text(contents(pages), encoding="utf-8")
        (source / "reference.rst").write_text(reference(), encoding="utf-8")
        return build_main(
            ["--fail-on-warning", "--keep-going", "-q", "-j", "2", "-d", f"{folder}/trees", str(source), target]
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
