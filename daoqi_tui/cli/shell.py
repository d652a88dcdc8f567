"""``completion`` and ``man``: the commands and options as a script for a shell, and as a manual page."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import shtab

from daoqi_tui import __version__, log
from daoqi_tui.cli import EXIT_STATUSES
from daoqi_tui.cli.options import Parser
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.i18n import N_, _
from daoqi_tui.streams import write_text


def run_completion(options: argparse.Namespace) -> int:
    write_text(completion(options.shell, parser_for()))
    return 0


def run_man(_options: argparse.Namespace) -> int:
    write_text(manual_page(parser_for()))
    return 0


def completion(shell: str, parser: Parser) -> str:
    """Return the script for a shell to complete the commands and options of `parser`.

    shtab writes the scripts. It does not know that the command may be omitted: then the options of the first command,
    which are permanently added to the parser here, and file names may follow, besides names of commands.
    """
    [commands] = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]  # noqa: SLF001
    for choice in commands._choices_actions:  # noqa: SLF001
        command = parser.commands[choice.dest]
        # shtab would show the description, which fills a screen.
        command.description = choice.help
        for action in command._actions:  # noqa: SLF001
            if action.dest in command.words:
                action.choices = tuple(command.words[action.dest])
            if action.type is Path:
                completed = shtab.DIRECTORY if action.metavar == _("DIR") else shtab.FILE
                action.complete = completed  # type: ignore[attr-defined]
    default = next(iter(parser.commands.values()))
    known = set(parser._option_string_actions)  # noqa: SLF001
    for action in default._actions:  # noqa: SLF001
        if action.option_strings and not known.intersection(action.option_strings):
            parser._add_action(action)  # noqa: SLF001
    return _with_files(shell, shtab.complete(parser, shell))


def _with_files(shell: str, script: str) -> str:
    """Make a script complete file names in place of a command."""
    name = "_shtab_daoqi_tui"
    match shell:
        case "bash":
            return script.replace("complete -o bashdefault ", "complete -o bashdefault -o default -o filenames ")
        case "zsh":
            return script.replace(f"': :{name}_commands'", f"': :{{{name}_commands; _files}}'")
    return script + f"complete -c daoqi-tui -n '{name}_using; and test ${name}_npos -eq 0' -F\n"


_FILES: Final = (
    ("~/.config/daoqi-tui/config.toml", N_("The settings; daoqi-tui config --path prints where they are.")),
    ("~/.local/share/daoqi-tui/games/", N_("The library: finished games as SGF files.")),
    ("~/.local/state/daoqi-tui/journal/", N_("Unfinished games, saved move by move.")),
    ("~/.local/state/daoqi-tui/reports/", N_("Reports of unexpected errors.")),
    ("~/.cache/daoqi-tui/", N_("Compiled code and the index of openings, made again where they are missing.")),
)
_ENVIRONMENT: Final = (
    (
        "DAOQI_TUI_*",
        N_(
            "A setting, which overrides the file: DAOQI_TUI_LOOK_BOARD is look.board. Options of the command line "
            "override both."
        ),
    ),
    (log.VARIABLE, N_("A file to which a log of what the program does is appended.")),
    ("LC_ALL, LC_MESSAGES, LANG", N_("The language, unless --lang or the setting language names one.")),
    ("NO_COLOR", N_("If set, no colours are used; Black and White differ by shape.")),
    ("TERM, COLORTERM", N_("How many colours the terminal has; COLORTERM=truecolor means all of them.")),
    (
        "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
        N_("Folders to use instead of ~/.config, ~/.local/share, ~/.local/state and ~/.cache."),
    ),
)


def manual_page(parser: Parser) -> str:
    """Return the manual page of a program, in the current language except for its headings."""
    return "\n".join(_lines(parser)) + "\n"


def _lines(parser: Parser) -> Iterator[str]:
    program = _text(parser.prog)
    yield f'.TH {_text(parser.prog.upper())} 1 "" "{parser.prog} {__version__}" "User Commands"'
    yield ".SH NAME"
    yield f"{program} \\- " + _text(_("the game of Go on a torus, in the terminal"))
    yield ".SH SYNOPSIS"
    yield f".B {program}"
    yield "[\\fIOPTION\\fR]... [\\fIFILE\\fR]"
    yield ".br"
    yield f".B {program}"
    yield "\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]..."
    yield ".SH DESCRIPTION"
    yield from _paragraphs(parser.description)
    yield ".SH COMMANDS"
    for name, command in parser.commands.items():
        yield f".SS {_text(name)}"
        yield f"\\fB{_text(_usage(command))}\\fR"
        yield from _paragraphs(command.description, ".PP")
        yield from _options(command)
    yield ".SH OPTIONS"
    yield _text(_("These go with every command."))
    yield from _options(parser)
    yield ".SH FILES"
    yield from _list((name, _(text)) for name, text in _FILES)
    yield ".SH ENVIRONMENT"
    yield from _list((name, _(text)) for name, text in _ENVIRONMENT)
    yield ".SH EXIT STATUS"
    yield from _list((status, _(text)) for status, text in EXIT_STATUSES)
    yield ".SH EXAMPLES"
    yield from _examples(parser, *parser.commands.values())
    yield ".SH SEE ALSO"
    yield ".BR gnugo (6),"
    yield ".BR gogui (1)"


def _usage(parser: argparse.ArgumentParser) -> str:
    words = " ".join(parser.format_usage().split())
    return words[words.index(parser.prog) :]


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    formatter = parser._get_formatter()  # noqa: SLF001 (it knows how options are written)
    for action in parser._actions:  # noqa: SLF001
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            text = formatter._expand_help(action) if action.help else ""  # noqa: SLF001
            yield from _list([(formatter._format_action_invocation(action), text)])  # noqa: SLF001


def _examples(*parsers: Parser) -> Iterator[str]:
    yield ".nf"
    yield from map(_text, dict.fromkeys(each for parser in parsers for each in parser.examples))
    yield ".fi"


def _list(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, text in entries:
        yield ".TP"
        yield f"\\fB{_text(name)}\\fR"
        yield _text(text)


def _paragraphs(text: str | None, first: str = "") -> Iterator[str]:
    """Yield the paragraphs of a text, the first of which begins with the macro `first` if there is one."""
    for number, paragraph in enumerate((text or "").split("\n\n")):
        if words := " ".join(paragraph.split()):
            yield from (macro for macro in (first if number == 0 else ".PP",) if macro)
            yield _text(words)


def _text(text: str) -> str:
    """Escape characters that mean something to roff, and those that are not ASCII."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(sign if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text
