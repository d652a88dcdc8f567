"""The size of the program, without the laboratory: ``python -m tests.statements``.

A statement is what Python's grammar calls one, docstrings included, so that neither long lines nor blank ones count.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from typing import Final

from tests.imports import circles, imports_of, modules_of

PACKAGE: Final = Path(__file__).resolve().parents[1] / "daoqi_tui"
LABORATORY: Final = "lab"


def statements(source: str) -> int:
    """Return the number of statements of a module, those inside others included."""
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(source)))


def main() -> None:
    """Print the modules and statements of each layer, and the circles of imports."""
    modules, counted = Counter[str](), Counter[str]()
    for file in modules_of(PACKAGE).values():
        layer = file.relative_to(PACKAGE).parts[0]
        modules[layer] += 1
        counted[layer] += statements(file.read_text("utf-8"))
    rows = [(layer, modules[layer], counted[layer]) for layer in sorted(counted, key=counted.__getitem__, reverse=True)]
    program = [row for row in rows if row[0] != LABORATORY]
    total = (f"without {LABORATORY}/", sum(row[1] for row in program), sum(row[2] for row in program))
    found = circles(imports_of(PACKAGE))
    lines = [f"{'':24}{'modules':>10}{'statements':>12}"]
    lines += [f"{layer:24}{number:10,}{count:12,}" for layer, number, count in (*rows, total)]
    lines.append(f"{sum(map(len, found))} modules in {len(found)} circles of imports")
    lines += [f"    {len(circle)}: {' '.join(sorted(circle))}" for circle in found]
    print(*lines, sep="\n")  # noqa: T201 (a script)


if __name__ == "__main__":
    main()
