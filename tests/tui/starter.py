"""Starts the program in one terminal after another, forking from a process that has already imported it.

A start then takes a third of the time. Each input line holds the program's data folder, a tab and the name of a
terminal; the output is the process id, then ``gone`` when the process has ended.
"""

from __future__ import annotations

import gc
import os
import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import daoqi_tui.cli.main
import daoqi_tui.cli.play
import daoqi_tui.tui.app  # noqa: F401


def start(folder: str, terminal: str) -> None:
    """Become the program, as session leader in the terminal."""
    os.setsid()
    descriptor = os.open(terminal, os.O_RDWR)
    for standard in range(3):
        os.dup2(descriptor, standard)
    os.close(descriptor)
    for kind in ("STATE", "DATA", "CONFIG"):
        os.environ[f"XDG_{kind}_HOME"] = str(Path(folder) / kind.lower())
    sys.argv = ["daoqi-tui"]
    runpy.run_module("daoqi_tui", run_name="__main__", alter_sys=True)


def main() -> None:
    gc.freeze()
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        process = os.fork()
        if not process:
            start(*line.rstrip("\n").split("\t"))
            sys.exit()
        print(process, flush=True)  # noqa: T201
        os.waitpid(process, 0)
        print("gone", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
