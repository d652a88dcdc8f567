"""Completion for shells, made from the parsers of the command line, so that it always knows what they know."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

SHELLS: Final = ("bash", "zsh", "fish")
_NONE: Final = '""'
"""How all three write the name of no command."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command.

    Attributes:
        names: all its spellings.
        help: what it is for.
        takes: whether a value follows.
        choices: the values it may have, empty when any.
        file: whether the value is the name of a file.
    """

    names: tuple[str, ...]
    help: str
    takes: bool
    choices: tuple[str, ...]
    file: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or the program itself.

    Attributes:
        name: its word; empty for the program itself.
        help: what it does.
        options: its options.
        choices: the words that its first argument may be, empty when any.
        files: whether its arguments are names of files.
    """

    name: str
    help: str
    options: tuple[Option, ...]
    choices: tuple[str, ...]
    files: bool


def commands_of(parser: argparse.ArgumentParser) -> tuple[Command, ...]:
    """Each command as its parser knows it, and before them what can be typed without a command.

    That is the program's own options and all of the first command, which is the one meant where none is named.
    """
    found: list[Command] = []
    for action in parser._actions:  # noqa: SLF001 (argparse has no public way to look into a parser)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            found.extend(_command(name, helps.get(name, ""), sub) for name, sub in action.choices.items())
    own = _command("", "", parser)
    if found:
        options = {option.names: option for option in (*own.options, *found[0].options)}
        own = replace(own, options=tuple(options.values()), choices=found[0].choices, files=found[0].files)
    return (own, *found)


def _command(name: str, words: str, parser: argparse.ArgumentParser) -> Command:
    actions = [each for each in parser._actions if each.help != argparse.SUPPRESS]  # noqa: SLF001
    places = [each for each in actions if not each.option_strings and not isinstance(each, argparse._SubParsersAction)]  # noqa: SLF001
    choices = tuple(str(choice) for choice in (places[0].choices or ())) if places else ()
    return Command(
        name,
        words,
        tuple(
            Option(
                tuple(each.option_strings),
                _plain(each),
                each.nargs != 0,
                tuple(map(str, each.choices or ())),
                _file(each),
            )
            for each in actions
            if each.option_strings
        ),
        choices,
        any(_file(each) for each in places),
    )


def _plain(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")


def _file(action: argparse.Action) -> bool:
    return action.type is Path


def completion(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script that a shell reads, for ``bash``, ``zsh`` or ``fish``."""
    makers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return "\n".join(makers[shell](parser.prog, commands_of(parser))) + "\n"


def _bash(program: str, commands: tuple[Command, ...]) -> Iterator[str]:
    function = f"_{program.replace('-', '_')}"
    names = [command.name for command in commands if command.name]
    yield f"# Completion of {program} for bash: source this file, or put it into the folder of completions."
    yield f"{function}() {{"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '    local command="" words="" files="" each'
    yield '    for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield f'        case "$each" in {"|".join(names)}) command="$each"; break ;; esac'
    yield "    done"
    yield '    case "$command:$before" in'
    for command in commands:
        for option in command.options:
            if option.takes:
                patterns = "|".join(f"{command.name}:{name}" for name in option.names)
                deed = f'COMPREPLY=($(compgen -W "{" ".join(option.choices)}" -- "$word"))' if option.choices else ""
                if option.file:
                    deed = 'COMPREPLY=($(compgen -f -- "$word"))'
                yield f"        {patterns}) {deed or ':'}; return ;;"
    yield "    esac"
    yield '    case "$command" in'
    for command in commands:
        words = " ".join([name for option in command.options for name in option.names] + list(command.choices))
        yield f'        {command.name or _NONE}) words="{words}"; files="{"yes" if command.files else ""}" ;;'
    yield "    esac"
    yield f'    [ -z "$command" ] && words="$words {" ".join(names)}"'
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield '    [ -n "$files" ] && [[ "$word" != -* ]] && COMPREPLY+=($(compgen -f -- "$word"))'
    yield "}"
    yield f"complete -o filenames -F {function} {program}"


def _zsh(program: str, commands: tuple[Command, ...]) -> Iterator[str]:
    function = f"_{program.replace('-', '_')}"
    yield f"#compdef {program}"
    yield f"# Completion of {program} for zsh: put this into a folder of $fpath, as _{program}."
    yield f"{function}() {{"
    yield "    local -a commands"
    yield "    commands=("
    for command in commands:
        if command.name:
            yield f"        {_zsh_word(f'{command.name}:{command.help}')}"
    yield "    )"
    names = "|".join(command.name for command in commands if command.name)
    yield "    local command= place"
    yield "    for (( place = 2; place < CURRENT; place++ )); do"
    yield '        case "$words[place]" in'
    yield f"            {names})"
    yield "                command=$words[place]; shift $((place - 1)) words; (( CURRENT -= place - 1 )); break ;;"
    yield "        esac"
    yield "    done"
    yield '    if [[ -z "$command" && "$PREFIX" != -* ]]; then'
    yield "        _describe -t commands command commands"
    yield "    fi"
    yield '    case "$command" in'
    for command in commands:
        specs = [spec for option in command.options for spec in _zsh_options(option)]
        if command.choices:
            specs.append(_zsh_word(f"1:word:({' '.join(command.choices)})"))
        elif command.files:
            specs.append("'*:file:_files'")
        yield f"        {command.name or _NONE}) _arguments -S {' '.join(specs)} ;;"
    yield "    esac"
    yield "}"
    yield f'if [[ "$funcstack[1]" == _{program} ]]; then {function} "$@"; else compdef {function} {program}; fi'


def _zsh_options(option: Option) -> Iterator[str]:
    value = ""
    if option.takes:
        value = (
            f":value:({' '.join(option.choices)})" if option.choices else ":file:_files" if option.file else ":value: "
        )
    words = option.help.replace("[", "(").replace("]", ")").replace(":", " -")
    for name in option.names:
        yield _zsh_word(f"{name}[{words}]{value}")


def _zsh_word(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish(program: str, commands: tuple[Command, ...]) -> Iterator[str]:
    yield f"# Completion of {program} for fish: put this into ~/.config/fish/completions/{program}.fish."
    names = " ".join(command.name for command in commands if command.name)
    function = f"__{program.replace('-', '_')}_command"
    yield f"function {function}"
    yield "    for word in (commandline -opc)[2..-1]"
    yield f"        if contains -- $word {names}; test $word = $argv[1]; return; end"
    yield "    end"
    yield "    test -z $argv[1]"
    yield "end"
    for command in commands:
        if command.name:
            yield f"complete -c {program} -n '{function} {_NONE}' -a {command.name} -d {_fish_word(command.help)}"
        here = f"complete -c {program} -n '{function} {command.name or _NONE}'"
        if command.choices:
            yield f"{here} -f -a {_fish_word(' '.join(command.choices))}"
        elif not command.files:
            yield f"{here} -f"
        for option in command.options:
            yield f"{here} {_fish_option(option)}"


def _fish_option(option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = ""
    if option.takes:
        value = (
            f" -x -a {_fish_word(' '.join(option.choices))}" if option.choices else " -r -F" if option.file else " -x"
        )
    return f"{names}{value} -d {_fish_word(option.help)}"


def _fish_word(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
