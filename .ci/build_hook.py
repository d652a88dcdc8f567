"""Hatch's hook for wheels: the manual page and the completions of shells, made by the package that is built.

They go where systems look for those of installed programs, below ``share`` of the environment.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_COMPLETIONS = {
    "bash": "bash-completion/completions/daoqi-tui",
    "zsh": "zsh/site-functions/_daoqi-tui",
    "fish": "fish/vendor_completions.d/daoqi-tui.fish",
}


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the files to ``shared_data``; they are there until the wheel is written."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        sys.path.insert(0, self.root)
        try:
            from daoqi_tui.cli.parsers import parser_for  # noqa: PLC0415
            from daoqi_tui.cli.program import completion, manual_page  # noqa: PLC0415
        finally:
            sys.path.remove(self.root)
        self._made = TemporaryDirectory()
        # A parser is made anew for each: a completion adds options to it.
        texts = {"man/man1/daoqi-tui.1": manual_page(parser_for())}
        texts |= {path: completion(shell, parser_for()) for shell, path in _COMPLETIONS.items()}
        for number, (path, text) in enumerate(texts.items()):
            file = Path(self._made.name) / str(number)
            file.write_text(text, encoding="utf-8", newline="\n")
            build_data["shared_data"][str(file)] = f"share/{path}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        self._made.cleanup()
