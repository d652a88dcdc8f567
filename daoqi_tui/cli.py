"""The command line. Every room is imported only when a command needs it.

``daoqi-tui [FILE]`` is short for ``daoqi-tui play [FILE]``; every other command is one word. A command's parser
comes from the module named in :data:`COMMANDS` and carries its handler as the default of ``run``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn

from daoqi_tui import __version__

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 (argparse has no public name)

COMMANDS: Final = {
    "play": "daoqi_tui.cli_play",
    "show": "daoqi_tui.cli_records",
    "score": "daoqi_tui.cli_records",
    "convert": "daoqi_tui.cli_records",
    "export": "daoqi_tui.cli_records",
    "ladder": "daoqi_tui.cli_analysis",
    "opening": "daoqi_tui.cli_analysis",
    "openings": "daoqi_tui.cli_analysis",
    "doctor": "daoqi_tui.cli_extras",
    "completion": "daoqi_tui.cli_extras",
    "man": "daoqi_tui.cli_extras",
}
"""The module that knows each command, in the order in which help lists them."""

_ALONE: Final = ("-h", "--help", "--version")


class UsageError(Exception):
    """A command was called in a way it cannot work with; the exit status is 2."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit: 0 when all went well, 2 on wrong usage, 1 on any other error."""
    try:
        status = run(sys.argv[1:] if arguments is None else list(arguments))
    except UsageError as error:
        print(f"daoqi-tui: {_sentence(error)}", file=sys.stderr)  # noqa: T201
        status = 2
    except BrokenPipeError:
        # What reads our output has gone; there is nobody left to tell.
        sys.stderr.close()
        status = 1
    except KeyboardInterrupt:
        status = 130
    except Exception as error:  # the last resort: a person gets a sentence, never a traceback
        print(f"daoqi-tui: {_sentence(error)}", file=sys.stderr)  # noqa: T201
        status = 1
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run a command; returns the exit status."""
    first = arguments[0] if arguments else ""
    if first not in COMMANDS and first not in _ALONE:
        arguments = ["play", *arguments]
    options = parser_for(arguments[0]).parse_args(arguments)
    if "run" not in options:
        raise UsageError(f"a command is missing: one of {', '.join(COMMANDS)}")
    status: int = options.run(options)
    return status


def parser_for(command: str | None = None) -> argparse.ArgumentParser:
    """Make the parser of one command, or of all: making all costs a start milliseconds it does not have."""
    parser = argparse.ArgumentParser(
        prog="daoqi-tui",
        description="Play, replay and study Daoqi (道棋), the game of Go on a torus, in the terminal.",
        epilog="With no command, or with a file, the board opens. "
        "Examples: daoqi-tui --size 9, daoqi-tui game.sgf, daoqi-tui score game.sgf",
    )
    parser.add_argument("--version", action="version", version=f"daoqi-tui {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    names = [command] if command in COMMANDS else list(COMMANDS)
    for module in dict.fromkeys(COMMANDS[name] for name in names):
        import_module(module).add_parsers(subparsers)
    return parser


def _sentence(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words or type(error).__name__
