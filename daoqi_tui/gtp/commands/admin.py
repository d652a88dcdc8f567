"""Who we are, what we know, and the end."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from daoqi_tui import __version__
from daoqi_tui.gtp.context import Arguments, Context, Table, take


def protocol_version(_: Context, arguments: Arguments) -> str:
    """The version of GTP."""
    take(arguments, 0, 0, "protocol_version")
    return "2"


def name(_: Context, arguments: Arguments) -> str:
    """The name of the engine."""
    take(arguments, 0, 0, "name")
    return "Daoqi"


def version(_: Context, arguments: Arguments) -> str:
    """Its version."""
    take(arguments, 0, 0, "version")
    return __version__


def known_command(context: Context, arguments: Arguments) -> str:
    """Whether a command exists."""
    (word,) = take(arguments, 1, 1, "known_command COMMAND")
    return "true" if word in context.names else "false"


def list_commands(context: Context, arguments: Arguments) -> str:
    """All commands, a line each."""
    take(arguments, 0, 0, "list_commands")
    return "\n".join(context.names)


def quit_(context: Context, arguments: Arguments) -> str:
    """The end of the session."""
    take(arguments, 0, 0, "quit")
    context.quitting = True
    return ""


def cputime(context: Context, arguments: Arguments) -> str:
    """Seconds of processor time used so far, the player's process included where the system tells of it."""
    take(arguments, 0, 0, "cputime")
    return f"{time.process_time() + _cpu_seconds(context.thinker.pid):.3f}"


def _cpu_seconds(pid: int | None) -> float:
    """Processor time of another process: fields 14 and 15 of proc(5)'s stat, 0 where there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


COMMANDS: Final[Table] = {
    "protocol_version": protocol_version,
    "name": name,
    "version": version,
    "known_command": known_command,
    "list_commands": list_commands,
    "quit": quit_,
    "cputime": cputime,
}
