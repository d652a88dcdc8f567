"""The command line. Every room is imported only when a command needs it.

``daoqi-tui [FILE]`` is short for ``daoqi-tui play [FILE]``; every other command is one word. A command's parser
comes from the module named in :data:`COMMANDS` and carries its handler as the default of ``run``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn

from daoqi_tui import __version__
from daoqi_tui.cli_streams import drop_output, flush_output, look_for_trouble, prepare, write_text
from daoqi_tui.i18n import LANGUAGES, _, system_language, use_language
from daoqi_tui.lower_words import said
from daoqi_tui.standard_streams import StreamError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 (argparse has no public name)

COMMANDS: Final = {
    "play": "daoqi_tui.cli_play",
    "serve": "daoqi_tui.cli_serve",
    "show": "daoqi_tui.cli_records",
    "score": "daoqi_tui.cli_records",
    "convert": "daoqi_tui.cli_records",
    "export": "daoqi_tui.cli_records",
    "ladder": "daoqi_tui.cli_analysis",
    "opening": "daoqi_tui.cli_analysis",
    "openings": "daoqi_tui.cli_analysis",
    "gtp": "daoqi_tui.cli_engine",
    "match": "daoqi_tui.cli_engine",
    "train": "daoqi_tui.cli_training",
    "config": "daoqi_tui.cli_config",
    "doctor": "daoqi_tui.cli_extras",
    "completion": "daoqi_tui.cli_extras",
    "man": "daoqi_tui.cli_extras",
}
"""The module that knows each command, in the order in which help lists them."""

_ALONE: Final = ("-h", "--help", "--version")


class UsageError(Exception):
    """A command was called in a way it cannot work with; the exit status is 2."""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints hold nothing that a terminal would obey, whatever was typed, and that always tells."""

    def error(self, message: str) -> NoReturn:
        """Complain and exit."""
        from daoqi_tui.record.text import plain_line  # noqa: PLC0415 (most command lines are right)

        super().error(plain_line(message))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help; argparse would pass over it where it cannot be written."""
        if file is sys.stdout:
            write_text(message)
        else:
            super()._print_message(message, file)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit: 0 when all went well, 2 on wrong usage, 1 on any other error."""
    prepare()
    try:
        status = _status(sys.argv[1:] if arguments is None else list(arguments))
        flush_output()
    except StreamError as error:
        _complain(error)
        status = 1
    except BrokenPipeError:
        # What reads our output has gone; there is nobody left to tell.
        drop_output()
        sys.stderr.close()
        status = 1
    sys.exit(status)


def _status(arguments: list[str]) -> int:
    """Run a command and say what went wrong; returns the exit status.

    Raises:
        BrokenPipeError: nobody reads the output.
        StreamError: a standard stream cannot be used.
    """
    try:
        return run(_with_language(arguments))
    except UsageError as error:
        _complain(error)
        return 2
    except (BrokenPipeError, StreamError):
        raise
    except SystemExit as end:
        # Of argparse, which has said what it had to say, or of a signal.
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # the last resort: a person gets a sentence, never a traceback
        if isinstance(error, OSError):
            look_for_trouble(error)
        _complain(error)
        return 1


def _complain(error: Exception) -> None:
    print(f"daoqi-tui: {_sentence(error)}", file=sys.stderr)  # noqa: T201


def run(arguments: list[str]) -> int:
    """Run a command; returns the exit status."""
    first = arguments[0] if arguments else ""
    if first not in COMMANDS and first not in _ALONE:
        arguments = ["play", *arguments]
    options = parser_for(arguments[0]).parse_args(arguments)
    if "run" not in options:
        raise UsageError(_("a command is missing: one of {commands}").format(commands=", ".join(COMMANDS)))
    status: int = options.run(options)
    return status


def parser_for(command: str | None = None) -> argparse.ArgumentParser:
    """Make the parser of one command, or of all: making all costs a start milliseconds it does not have."""
    parser = _Parser(
        prog="daoqi-tui",
        description=_("Play, replay and study Daoqi (道棋), the game of Go on a torus, in the terminal."),
        epilog=_(
            "With no command, or with a file, the board opens. "
            "Examples: daoqi-tui --size 9, daoqi-tui game.sgf, daoqi-tui score game.sgf"
        ),
    )
    # Read before any parser is made; named here so that help and completion know it.
    parser.add_argument(
        "--lang", choices=("auto", *LANGUAGES), help=_("the language; auto takes the one of the system")
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"daoqi-tui {__version__}",
        help=_("show program's version number and exit"),
    )
    subparsers = parser.add_subparsers(title=_("commands"), metavar=_("COMMAND"))
    names = [command] if command in COMMANDS else list(COMMANDS)
    for module in dict.fromkeys(COMMANDS[name] for name in names):
        import_module(module).add_parsers(subparsers)
    return parser


def _sentence(error: Exception) -> str:
    from daoqi_tui.record.text import plain_line  # noqa: PLC0415 (most commands succeed)

    if isinstance(error, OSError) and error.strerror and not error.filename:
        # Without the system's number for it.
        error = OSError(error.strerror)
    # A sentence may name a file, whose name may hold what a terminal would obey.
    return plain_line(said(error)) or type(error).__name__


def _with_language(arguments: list[str]) -> list[str]:
    """Choose the language before any parser is made, whose words depend on it; returns the other arguments."""
    asked, rest = "", list(arguments)
    before = rest.index("--") if "--" in rest else len(rest)
    for place, word in enumerate(rest[:before]):
        if word == "--lang" and place + 1 < before:
            asked = rest[place + 1]
            del rest[place : place + 2]
            break
        if word.startswith("--lang="):
            asked = word.partition("=")[2]
            del rest[place]
            break
    if asked not in ("", "auto", *LANGUAGES):
        words = _("{text} is not a language: {languages}")
        raise UsageError(words.format(text=repr(asked), languages=", ".join(("auto", *LANGUAGES))))
    if not asked:
        from daoqi_tui.config import load_config  # noqa: PLC0415 (costs 3 ms)

        asked = str(load_config()["language"])
    use_language(system_language(os.environ) if asked == "auto" else asked)
    return rest
