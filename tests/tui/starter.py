"""Starts the program in one terminal after another, forking from a process that has already imported it.

A start then takes a third of the time. Each input line is a JSON list: the program's data folder, the name of a
terminal, and the arguments; the output is the process id, then ``gone`` when the process has ended.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import daoqi_tui.cli.gtp
import daoqi_tui.cli.main
import daoqi_tui.cli.online
import daoqi_tui.cli.play
import daoqi_tui.gtp.engine.server
import daoqi_tui.plain.dialogue
import daoqi_tui.plain.online
import daoqi_tui.play.online.hosting
import daoqi_tui.tui.app  # noqa: F401


def start(folder: str, terminal: str, arguments: list[str]) -> None:
    """Become the program, as session leader in the terminal."""
    os.setsid()
    descriptor = os.open(terminal, os.O_RDWR)
    for standard in range(3):
        os.dup2(descriptor, standard)
    os.close(descriptor)
    for kind in ("STATE", "DATA", "CONFIG"):
        os.environ[f"XDG_{kind}_HOME"] = str(Path(folder) / kind.lower())
    sys.argv = ["daoqi-tui", *arguments]
    runpy.run_module("daoqi_tui", run_name="__main__", alter_sys=True)


def main() -> None:
    gc.freeze()
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        process = os.fork()
        if not process:
            start(*json.loads(line))
            sys.exit()
        print(process, flush=True)  # noqa: T201
        os.waitpid(process, 0)
        print("gone", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
