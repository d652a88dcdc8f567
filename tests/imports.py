"""The modules of a package and all imports among them, those for types and those inside functions included."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

Graph = Mapping[str, frozenset[str]]
"""What each module imports, by name."""


@cache
def parsed(file: Path) -> ast.Module:
    """Return the syntax tree of a file, made once for all that look at it."""
    return ast.parse(file.read_text("utf-8"))


def modules_of(package: Path) -> dict[str, Path]:
    """Return the files of a package's modules by their full names."""
    return {_name(package, file): file for file in sorted(package.rglob("*.py"))}


def _name(package: Path, file: Path) -> str:
    name = ".".join((package.name, *file.relative_to(package).with_suffix("").parts))
    return name.removesuffix(".__init__")


def imports_of(package: Path) -> Graph:
    """Return which modules of a package each of them imports."""
    files = modules_of(package)
    return {name: frozenset(_imported(file, files)) & files.keys() - {name} for name, file in files.items()}


def _imported(file: Path, modules: Collection[str]) -> Iterator[str]:
    """Yield the names of what a file imports. A module imported from its package does not stand for the package."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"{file}:{node.lineno}: a relative import"
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in modules else node.module


def circles(graph: Graph) -> list[frozenset[str]]:
    """Return the sets of modules that import one another, directly or through others; the largest is first."""
    reached = {module: _reached(graph, module) for module in graph}
    together = {frozenset(other for other in reached[module] if module in reached[other]) for module in graph}
    return sorted((circle for circle in together if circle), key=len, reverse=True)


def _reached(graph: Graph, start: str) -> frozenset[str]:
    """Return the modules that an import of `start` leads to; itself only if a circle leads back to it."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = graph[ahead.pop()] - found
        found |= new
        ahead += new
    return frozenset(found)
