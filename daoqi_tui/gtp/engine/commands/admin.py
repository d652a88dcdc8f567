"""Name, version, list_commands, quit, and the state of the process."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from daoqi_tui import __version__
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context, take


def protocol_version(_: Context, arguments: Arguments) -> str:
    """Answer the version of GTP."""
    take(arguments, 0, 0, "protocol_version")
    return "2"


def name(_: Context, arguments: Arguments) -> str:
    """Answer the name of the engine."""
    take(arguments, 0, 0, "name")
    return "Daoqi"


def version(_: Context, arguments: Arguments) -> str:
    """Answer the version of the engine."""
    take(arguments, 0, 0, "version")
    return __version__


def known_command(context: Context, arguments: Arguments) -> str:
    """Answer whether a command exists."""
    (word,) = take(arguments, 1, 1, "known_command COMMAND")
    return "true" if word in context.names else "false"


def list_commands(context: Context, arguments: Arguments) -> str:
    """List all commands, a line each."""
    take(arguments, 0, 0, "list_commands")
    return "\n".join(context.names)


def quit_(context: Context, arguments: Arguments) -> str:
    """End the session."""
    take(arguments, 0, 0, "quit")
    context.quitting = True
    return ""


def clear_cache(context: Context, arguments: Arguments) -> str:
    """Clear the search tree and caches: the next search starts from scratch."""
    take(arguments, 0, 0, "clear_cache")
    context.player.forget()
    return ""


def stop(_: Context, arguments: Arguments) -> str:
    """End an analysis, as every line does; there is no pondering to stop."""
    take(arguments, 0, 0, "stop")
    return ""


def cputime(context: Context, arguments: Arguments) -> str:
    """Answer the CPU seconds used so far, including the player's process if the system reports it."""
    take(arguments, 0, 0, "cputime")
    return f"{time.process_time() + _cpu_seconds(context.player.pid):.3f}"


def _cpu_seconds(pid: int | None) -> float:
    """Return the CPU seconds of another process, fields 14 and 15 of proc(5)'s stat; 0 if there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


COMMANDS: Final[CommandTable] = {
    "protocol_version": protocol_version,
    "name": name,
    "version": version,
    "known_command": known_command,
    "list_commands": list_commands,
    "quit": quit_,
    "cputime": cputime,
    "clear_cache": clear_cache,
    "stop": stop,
}
