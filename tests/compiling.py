"""Part of the pytest plugin: the workers of a run share the work of compiling the sources.

All of them import the same modules at the same time. In a fresh checkout each would compile all of these, which takes
three times as long as the rest of the collection; so each begins with another part of the files.
"""

from __future__ import annotations

import compileall
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

import pytest
from _pytest.assertion import rewrite

PACKAGE: Final = Path(__file__).parents[1] / "daoqi_tui"


def compile_in_turn(config: pytest.Config) -> None:
    """Compile what the tests of this run may import, in a worker; a file that another has done is left alone."""
    given: dict[str, object] | None = getattr(config, "workerinput", None)
    if given is None or sys.dont_write_bytecode:
        return
    number, count = int(str(given["workerid"])[2:]), int(str(given["workercount"]))
    files = sources([Path(argument.partition("::")[0]) for argument in config.args])
    begin = len(files) * number // count
    for file in files[begin:] + files[:begin]:
        compile_file(file, config)


def sources(named: list[Path]) -> list[Path]:
    """Return the files of the program and those that a run of tests is given, of folders all below them."""
    roots = dict.fromkeys(path.absolute() for path in (PACKAGE, *named))
    return sorted({file for root in roots for file in (root.rglob("*.py") if root.is_dir() else [root])})


def compile_file(file: Path, config: pytest.Config) -> bool:
    """Compile a module that is new or has changed; a test as pytest does, with its assertions. Return whether it was.

    What cannot be compiled is reported when it is imported.
    """
    rewritten = file.name.startswith("test_") or file.name == "conftest.py"
    if rewritten:
        compiled = rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"
    else:
        compiled = Path(cache_from_source(str(file)))
    # Whether it is exactly of this source is looked at when it is imported.
    if compiled.exists() and compiled.stat().st_mtime > file.stat().st_mtime:
        return False
    if not rewritten:
        return bool(compileall.compile_file(file, quiet=2))
    if not rewrite.try_makedirs(compiled.parent):
        return False
    with suppress(OSError, SyntaxError, ValueError):
        source, code = rewrite._rewrite_test(file, config)
        return rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, compiled)
    return False
