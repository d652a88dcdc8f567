"""The entry point of the command line; the module of a command is imported only when the command runs.

``daoqi-tui [FILE]`` is short for ``daoqi-tui play [FILE]``; every other command is one word.
:data:`daoqi_tui.cli.parsers.COMMANDS` is their table.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, NoReturn, cast

from daoqi_tui import __version__, crash, log, signals, streams
from daoqi_tui.cli import CommandError, MissingExtra, UnexpectedError, UsageError, is_expected
from daoqi_tui.i18n import LANGUAGES, _, system_language, translate, use_language, with_suggestion
from daoqi_tui.streams import (
    StreamError,
    discard_output,
    flush_output,
    raise_stream_error,
    read_line,
    write_error,
    write_text,
)

if TYPE_CHECKING:
    from argparse import Namespace

_VERSION_OPTIONS: Final = ("-V", "--version")
_ALONE: Final = ("-h", "--help", *_VERSION_OPTIONS)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit.

    The exit status is one of :data:`~daoqi_tui.cli.EXIT_STATUSES`.
    """
    streams.prepare()
    signals.prepare()
    try:
        status = _status(sys.argv[1:] if arguments is None else list(arguments))
        flush_output()
    except StreamError as error:
        _print_error(error)
        status = 1
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody left to tell.
        discard_output()
        sys.stderr.close()
        status = 1
    if received := signals.received():
        log.info("ended by signal %d", received)
    log.info("exit status %d", status)
    if (trouble := log.trouble()) is not None:
        write_error("daoqi-tui: " + _("the log has ended early: {reason}").format(reason=translate(trouble)) + "\n")
    sys.exit(status)


def _status(arguments: list[str]) -> int:
    """Run a command, print its error, if any, and return the exit status.

    Raises:
        BrokenPipeError: nobody reads the output.
        StreamError: a standard stream cannot be used.
    """
    debug, arguments = _without_flag("--debug", arguments)
    if debug:
        crash.show_tracebacks()
    try:
        log.start(os.environ)
        log.info("daoqi-tui %s: %s", __version__, arguments)
        if len(arguments) == 1 and arguments[0] in _VERSION_OPTIONS:
            # Used by scripts, and the same in every language: no settings and no parsers are needed.
            write_text(f"daoqi-tui {__version__}\n")
            return 0
        return run(_with_language(arguments))
    except (BrokenPipeError, StreamError):
        raise
    except SystemExit as end:
        # From argparse, which has printed its message, or from a signal.
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return 130
    except UnexpectedError as error:
        crash.report(error.__cause__ or error)
        return crash.EXIT_STATUS
    except Exception as error:
        if signals.caused(error):
            return 128 + signals.received()
        if isinstance(error, OSError):
            raise_stream_error(error)
        if not is_expected(error):
            crash.report(error)
            return crash.EXIT_STATUS
        _print_error(error)
        if isinstance(error, MissingExtra):
            _offer(error.command)
        return error.status if isinstance(error, CommandError) else 1


def _print_error(error: Exception) -> None:
    write_error(f"daoqi-tui: {_sentence(error)}\n")


def _offer(command: str) -> None:
    """Offer to run the command that installs what is missing, if somebody can answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    from subprocess import call  # noqa: PLC0415 (extras are rarely missing)

    with suppress(KeyboardInterrupt):
        write_error(_("Run it now? y for yes, Enter for no:") + " ")
        if read_line().strip().lower() == "y" and call(command, shell=True) == 0:
            write_error(_("Installed. Type the command again.") + "\n")


def run(arguments: list[str]) -> int:
    """Run a command; returns the exit status.

    Raises:
        UsageError: a command is unknown, or called incorrectly.
        Exception: whatever the command raises.
    """
    # What modules make lives on: collections meanwhile look for garbage in vain.
    gc.disable()
    try:
        run_command, options = _parsed(arguments)
    finally:
        # Else the first collection would go through all of it.
        gc.freeze()
        gc.enable()
    return run_command(options)


def _parsed(arguments: list[str]) -> tuple[Callable[[Namespace], int], Namespace]:
    """Return what runs a command, and its options."""
    if not arguments:
        # Parsers would take a fiftieth of the time to the first frame.
        from daoqi_tui.cli.play import DEFAULTS, run_play  # noqa: PLC0415

        return run_play, cast("Namespace", SimpleNamespace(**DEFAULTS))
    from daoqi_tui.cli.parsers import COMMANDS, parser_for  # noqa: PLC0415 (--version needs no parsers)

    name = arguments[0]
    if name not in COMMANDS and name not in _ALONE:
        _check_word(name, COMMANDS)
        name = "play"
        arguments = [name, *arguments]
    parser = parser_for(name)
    command = parser.commands.get(name, parser)
    command.refuse_unknown(arguments[1:])
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command.refuse(unknown[0])
    return runner_of(name), options


def runner_of(name: str) -> Callable[[Namespace], int]:
    """Import the module of a command, and return the function that runs it."""
    from daoqi_tui.cli.parsers import COMMANDS  # noqa: PLC0415

    run: Callable[[Namespace], int] = getattr(import_module(COMMANDS[name].module), f"run_{name.replace('-', '_')}")
    return run


def _check_word(word: str, known: Iterable[str]) -> None:
    """Refuse a first argument that can only be a mistyped command: a plain word that is not a file.

    Raises:
        UsageError: it is one; the text names the most similar command.
    """
    if not word.replace("-", "").isalpha() or word.startswith("-") or os.path.lexists(word):
        return
    problem = _("unknown command {word}").format(word=repr(word))
    suggested = with_suggestion(problem, word, known)
    if suggested == problem:
        suggested = _("{problem}; see {command}").format(problem=problem, command="daoqi-tui --help")
    raise UsageError(suggested)


def _sentence(error: Exception) -> str:
    from daoqi_tui.text import plain_line  # noqa: PLC0415 (most commands succeed)

    # A sentence may contain a file name, which may contain terminal escapes.
    return plain_line(translate(error)) or type(error).__name__


def _without_flag(flag: str, arguments: list[str]) -> tuple[bool, list[str]]:
    """Return whether a flag is among the options, and the arguments without it."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = [word for word in arguments[:end] if word != flag]
    return len(options) < end, options + arguments[end:]


def _with_language(arguments: list[str]) -> list[str]:
    """Set the language before any parser is made, whose messages depend on it; return the other arguments."""
    # For errors before the language is known.
    use_language(system_language(os.environ))
    asked, rest = "", list(arguments)
    before = rest.index("--") if "--" in rest else len(rest)
    languages = ", ".join(("auto", *LANGUAGES))
    for place, word in enumerate(rest[:before]):
        if word == "--lang":
            if place + 1 == before:
                raise UsageError(_("--lang needs a language: {languages}"), languages=languages)
            asked = rest[place + 1]
            del rest[place : place + 2]
            break
        if word.startswith("--lang="):
            asked = word.partition("=")[2]
            del rest[place]
            break
    if asked not in ("", "auto", *LANGUAGES):
        raise UsageError(_("{text} is not a language: {languages}"), text=repr(asked), languages=languages)
    if not asked:
        from daoqi_tui.config import load_config  # noqa: PLC0415 (costs 3 ms)

        asked = str(load_config()["language"])
    use_language(system_language(os.environ) if asked == "auto" else asked)
    return rest
