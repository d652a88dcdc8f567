"""Changes the solver, the search, the referee and the viewport in one place after another: does a test notice?

``python -m tests.mutants`` tries some changes to each, in minutes; ``--each 1000`` all of them, in hours. It lists the
changes that no test notices: either a test is missing, or the change means nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]

SUBJECTS: Final = {
    "reading/solver.py": ["reading/test_solver.py"],
    "ai/search/puct.py": ["ai/test_puct.py", "ai/test_search.py"],
    "ai/search/node.py": ["ai/test_puct.py", "ai/test_search.py"],
    "play/online/referee.py": ["play/online/test_server.py", "play/online/test_seats.py"],
    "tui/board/viewport.py": ["tui/test_viewport.py"],
}
"""The modules that are changed, below ``daoqi_tui``, with the tests that should notice, below ``tests``."""

_HANG: Final = 200
"""Seconds after which the tests count as hung, and the change as noticed."""

_OPPOSITES: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.Break: ast.Continue,
    ast.Continue: ast.Break,
}


class Mutant(NamedTuple):
    """A module with one change."""

    line: int
    before: str
    after: str
    source: str


def mutants_of(source: str) -> Iterator[Mutant]:
    """Yield a module with each of its operators, conditions and numbers changed in turn."""
    tree = ast.parse(source)
    statement: ast.AST = tree
    for node in ast.walk(tree):
        for parent in ast.iter_child_nodes(node):
            parent.parent = node  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        for field, value in list(ast.iter_fields(node)):
            for index, old in enumerate(value if isinstance(value, list) else [value]):
                new = _changed(old, node)
                if new is None or _is_annotation(node):
                    continue
                statement = _statement_of(node)
                before = _first_line(statement)
                _put(node, field, index, new)
                yield Mutant(getattr(statement, "lineno", 0), before, _first_line(statement), ast.unparse(tree))
                _put(node, field, index, old)


def _changed(old: object, parent: ast.AST) -> ast.AST | None:
    """Return what takes the place of a part of the tree, None if that stays."""
    if type(old) in _OPPOSITES and isinstance(old, ast.AST):
        return _OPPOSITES[type(old)]()
    if isinstance(old, ast.Constant) and isinstance(old.value, bool):
        return ast.Constant(not old.value)
    if isinstance(old, ast.Constant) and isinstance(old.value, int | float):
        return ast.Constant(old.value + 1)
    if isinstance(old, ast.UnaryOp) and isinstance(old.op, ast.Not | ast.USub):
        return old.operand
    if isinstance(old, ast.Expr) and isinstance(old.value, ast.Call):
        return ast.Pass()
    if isinstance(parent, ast.If | ast.While) and old is parent.test and not isinstance(old, ast.Compare | ast.BoolOp):
        return ast.UnaryOp(ast.Not(), copy.copy(old)) if isinstance(old, ast.expr) else None
    return None


def _put(node: ast.AST, field: str, index: int, new: object) -> None:
    value = getattr(node, field)
    if isinstance(value, list):
        value[index] = new
    else:
        setattr(node, field, new)


def _ancestors(node: ast.AST) -> Iterator[ast.AST]:
    while hasattr(node, "parent"):
        yield node
        node = node.parent


def _statement_of(node: ast.AST) -> ast.AST:
    return next((each for each in _ancestors(node) if isinstance(each, ast.stmt)), node)


def _is_annotation(node: ast.AST) -> bool:
    """Return whether a node is part of a type, or of the bare statement of one."""
    for each in _ancestors(node):
        above = getattr(each, "parent", None)
        if each in (getattr(above, "annotation", None), getattr(above, "returns", None)):
            return True
    return False


def _first_line(statement: ast.AST) -> str:
    return ast.unparse(statement).splitlines()[0]


def main() -> None:
    """Try the changes, and list those that no test notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"some of: {' '.join(SUBJECTS)}")
    parser.add_argument("--each", type=int, default=12, help="changes to each module")
    parser.add_argument("--seed", type=int, default=1, help="selects the changes")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        without = shutil.ignore_patterns("__pycache__", ".*")
        for name in ("daoqi_tui", "tests", "assets"):
            shutil.copytree(ROOT / name, checkout / name, ignore=without)
        shutil.copy(ROOT / "pyproject.toml", checkout)
        for name in options.modules or SUBJECTS:
            _try(checkout, name, options.each, random.Random(options.seed))


def _try(checkout: Path, name: str, count: int, chance: random.Random) -> None:
    file = checkout / "daoqi_tui" / name
    source = file.read_text("utf-8")
    found = list(mutants_of(source))
    chosen = sorted(chance.sample(found, min(count, len(found))))
    if _is_noticed(checkout, name):
        print(f"{name}: its tests fail without any change")  # noqa: T201 (a script)
        return
    survivors = []
    for mutant in chosen:
        file.write_text(mutant.source, "utf-8")
        if not _is_noticed(checkout, name):
            survivors.append(f"    line {mutant.line}: {mutant.before}\n        now  {mutant.after}")
    file.write_text(source, "utf-8")
    print(f"{name}: {len(survivors)} of {len(chosen)} changes survive, {len(found)} are possible", *survivors, sep="\n")  # noqa: T201


def _is_noticed(checkout: Path, name: str) -> bool:
    """Return whether the tests of a module fail or hang."""
    tests = [f"tests/{test}" for test in SUBJECTS[name]]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_HANG,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


if __name__ == "__main__":
    main()
