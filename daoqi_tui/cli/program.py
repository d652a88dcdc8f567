"""``config``, ``completion`` and ``man``: settings, and all commands and options for a shell and as a page."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import shtab

from daoqi_tui import __version__, log
from daoqi_tui.cli import EXIT_STATUSES, CommandError, UsageError
from daoqi_tui.cli.options import Parser, path
from daoqi_tui.cli.parsers import CONFIG_USAGE, parser_for
from daoqi_tui.commands import key_names
from daoqi_tui.commands.screen import COMMANDS
from daoqi_tui.config import (
    BY_PATH,
    SETTINGS,
    Config,
    Value,
    config_path,
    key_taken,
    load_config,
    no_key,
    parse,
    read_text,
    shown,
    toml,
    value_of,
    wrong_value,
)
from daoqi_tui.config.save import documented, save, unset
from daoqi_tui.i18n import N_, _, with_suggestion
from daoqi_tui.record.files import changing, set_aside, write_atomically
from daoqi_tui.streams import write_text
from daoqi_tui.text import plain_line


def load_with_keys() -> Config:
    return load_config(command.name for command in COMMANDS)


def run_config(options: argparse.Namespace) -> int:
    if options.force and not options.init:
        raise UsageError(_("--force goes with --init"))
    if options.action is not None:
        if options.init or options.path or options.show:
            raise UsageError(_("--init, --path and --show go without get, set and unset"))
        if (options.value is None) is (options.action == "set") or options.name is None:
            usage = f"daoqi-tui config {CONFIG_USAGE[options.action]}"
            raise UsageError(_("config {action} is used as: {usage}"), action=options.action, usage=usage)
    if options.path:
        write_text(f"{config_path()}\n")
        return 0
    config = load_with_keys()
    if options.action in ("set", "unset"):
        _change(config, options.name, options.value)
        return 0
    sys.stderr.write("".join(f"daoqi-tui: {problem}\n" for problem in config.problems))
    if options.init:
        _init(config, force=options.force)
        return 0
    if options.action == "get":
        write_text(plain_line(_effective(config, options.name)) + "\n")
    else:
        _show(config)
    return 1 if config.problems else 0


def _effective(config: Config, name: str) -> str:
    """Return the effective value of a setting, in the form for ``config set``.

    Raises:
        UsageError: there is no such setting.
    """
    if name in BY_PATH:
        value = config[name]
        return value if isinstance(value, str) else toml(value)
    keys = {f"keys.{command.name}": config.keys.get(command.name, command.keys) for command in COMMANDS}
    if name not in keys:
        problem = _("there is no setting {name}").format(name=name)
        suggested = with_suggestion(problem, name, (*BY_PATH, *keys))
        if suggested == problem:
            suggested = _("{problem}; see {command}").format(problem=problem, command="daoqi-tui config --show")
        raise UsageError(suggested)
    return " ".join(keys[name])


def _change(config: Config, name: str, text: str | None) -> None:
    """Set a setting in the file, or unset it for None.

    Raises:
        UsageError: there is no such setting, or it cannot have this value.
        ConfigError: the file cannot be changed.
    """
    _effective(config, name)  # refuses a name that is none
    if text is None:
        unset(config.path, name)
    else:
        value = _parsed(name, text)
        save(config.path, {name: value}, lambda: _expect_free(name, text))
    variable = BY_PATH[name].variable if name in BY_PATH else ""
    if variable in os.environ:
        wording = _("{variable} is set and overrides the file").format(variable=variable)
        sys.stderr.write(f"daoqi-tui: {wording}\n")


def _parsed(name: str, text: str) -> Value:
    """Parse a value for a setting or for the keys of a command.

    Raises:
        UsageError: it cannot have this value.
    """
    if name in BY_PATH:
        value = value_of(BY_PATH[name], text)
        if value is None:
            raise UsageError(wrong_value(BY_PATH[name], name, text))
        try:
            text.encode()
        except UnicodeEncodeError:
            # The command line may contain any bytes, like a file name.
            raise UsageError(_("{value} is not UTF-8, as a settings file has to be"), value=shown(text)) from None
        return value
    if not key_names(text):
        raise UsageError(no_key(text))
    return text


def _expect_free(name: str, text: str) -> None:
    """Check that no other command has the keys, as the file is now: with it locked, no other window changes it.

    Raises:
        UsageError: another has one of them.
    """
    if name in BY_PATH:
        return
    for other, taken in load_with_keys().keys.items():
        for key in key_names(text) if f"keys.{other}" != name else ():
            if key in taken:
                raise UsageError(key_taken(key, other))


def _init(config: Config, *, force: bool) -> None:
    # A link is followed, as where the file is written.
    place = Path(os.path.realpath(config.path))
    with CommandError.writing(config.path):
        config.path.parent.mkdir(parents=True, exist_ok=True)
        with changing(place):
            # With the file locked against other windows, since it may have changed since it was read.
            config = load_with_keys()
            if config.path.exists():
                if not force:
                    raise CommandError(_("{file} exists: --force replaces it, keeping what it sets"), file=config.path)
                try:
                    parse(read_text(config.path))
                except ValueError:
                    # What it sets is not known, and so cannot be kept in the new one.
                    text = _("{file} cannot be understood and was kept as {name}")
                    text = text.format(file=config.path, name=set_aside(place).name)
                    sys.stderr.write(f"daoqi-tui: {text}\n")
            own = {path: value for path, value in config.values.items() if config.sources[path] == str(config.path)}
            write_atomically(config.path, documented(own, COMMANDS, config.keys).encode())
    write_text(_("Written: {file}").format(file=config.path) + "\n")


def _show(config: Config) -> None:
    lines = []
    for setting in SETTINGS:
        source = config.sources.get(setting.path)
        lines.append(f"{setting.path} = {toml(config[setting.path])}" + (f"  # {source}" if source else ""))
    for command in COMMANDS:
        source = f"  # {config.path}" if command.name in config.keys else ""
        lines.append(f"keys.{command.name} = {toml(' '.join(config.keys.get(command.name, command.keys)))}{source}")
    write_text("\n".join(lines) + "\n")


# Completion and the manual page


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
            if action.type is path:
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
