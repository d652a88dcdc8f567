"""Records the system calls that flush, rename and remove files, in order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


class SystemCalls:
    """The flushes, renames and removals done, each with the inode of the file or folder.

    The calls are still executed.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[tuple[str, int]] = []
        flush, unlink = os.fsync, os.unlink

        def flushed(descriptor: int) -> None:
            flush(descriptor)
            self.done.append(("flushed", os.fstat(descriptor).st_ino))

        def renaming(rename: Any) -> Any:
            def renamed(source: Path, target: Path, **where: Any) -> None:
                rename(source, target, **where)
                self.done.append(("renamed", Path(target).stat().st_ino))

            return renamed

        def removed(path: Path, **where: Any) -> None:
            file = Path(path).lstat().st_ino
            unlink(path, **where)
            self.done.append(("removed", file))

        monkeypatch.setattr(os, "fsync", flushed)
        monkeypatch.setattr(os, "rename", renaming(os.rename))
        monkeypatch.setattr(os, "replace", renaming(os.replace))
        monkeypatch.setattr(os, "unlink", removed)
