"""The manual page, made from the parsers of the command line, as roff for ``man``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from daoqi_tui import __version__


def manual_page(parser: argparse.ArgumentParser) -> str:
    """The page in the macros of man(7)."""
    return "\n".join(_lines(parser)) + "\n"


def _lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    program = parser.prog
    yield f'.TH {_text(program.upper())} 1 "" "{program} {__version__}" "User Commands"'
    yield ".SH NAME"
    yield f"{_text(program)} \\- the game of Go on a torus, in the terminal"
    yield ".SH SYNOPSIS"
    yield ".nh"
    yield f".B {_text(program)}"
    yield "[\\fIFILE\\fR]"
    yield ".br"
    yield f".B {_text(program)}"
    yield "\\fICOMMAND\\fR [\\fIOPTION\\fR]..."
    yield ".SH DESCRIPTION"
    yield from _paragraph(parser.description)
    yield from _paragraph(parser.epilog)
    yield ".SH OPTIONS"
    yield from _actions(parser)
    yield ".SH COMMANDS"
    for action in parser._actions:  # noqa: SLF001 (argparse has no public way to look into a parser)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, command in action.choices.items():
                yield f".SS {_text(name)}"
                yield from _usage(command)
                yield from _paragraph(command.description)
                yield from _actions(command)
                yield from _paragraph(command.epilog)
    yield ".SH EXIT STATUS"
    yield "0 when all went well, 2 on wrong usage, 1 on any other error."


def _usage(parser: argparse.ArgumentParser) -> Iterator[str]:
    words = " ".join(parser.format_usage().split()).removeprefix("usage: ").removeprefix("Usage: ")
    yield ".PP"
    yield f"\\fB{_text(words)}\\fR"


def _actions(parser: argparse.ArgumentParser) -> Iterator[str]:
    formatter = parser._get_formatter()  # noqa: SLF001 (what knows how an option is written)
    for action in parser._actions:  # noqa: SLF001
        if action.help == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            continue
        yield ".TP"
        yield f"\\fB{_text(formatter._format_action_invocation(action))}\\fR"  # noqa: SLF001
        yield _text(formatter._expand_help(action) if action.help else "")  # noqa: SLF001


def _paragraph(text: str | None) -> Iterator[str]:
    if text:
        yield ".PP"
        yield _text(" ".join(text.split()))


def _text(text: str) -> str:
    """Escape what roff would obey."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(sign if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text
