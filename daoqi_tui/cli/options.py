"""The parser of the command line, the options that several subcommands share, and the types of their values."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from gettext import gettext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, cast

from daoqi_tui.cli.errors import UsageError
from daoqi_tui.i18n import N_, _, translate, with_suggestion
from daoqi_tui.numbers import MOST_THREADS, STRONGEST, WEAKEST, decimal_number, level_number, read_level, whole_number
from daoqi_tui.player_text import LONGEST
from daoqi_tui.streams import write_text
from daoqi_tui.text import cell_width

if TYPE_CHECKING:
    from daoqi_tui.play.session import Seat

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    Subparsers = argparse._SubParsersAction["Parser"]  # noqa: SLF001 (argparse has no public name)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence and a reference to the help; failures to print are errors.

    Attributes:
        examples: command lines, shown at the end of the help and in the manual.
        words: for each positional argument, by its destination, values for shell completion.
    """

    def __init__(self, **arguments: Any) -> None:  # noqa: ANN401 (argparse's own)
        super().__init__(**arguments, formatter_class=_HelpFormatter, allow_abbrev=False)
        self.examples: tuple[str, ...] = ()
        self.words: dict[str, Iterable[str]] = {}

    def command(self, name: str) -> Parser:
        """Return the parser of a command, or this one if it has no such command."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction) and name in action.choices:  # noqa: SLF001
                return cast("Parser", action.choices[name])
        return self

    def refuse_unknown(self, arguments: Iterable[str]) -> None:
        """Refuse the first option that this parser does not know; words after ``--`` are not options.

        argparse would first complain about missing arguments.

        Raises:
            UsageError: there is one.
        """
        known = self._option_string_actions
        for word in arguments:
            if word == "--":
                return
            option = word.partition("=")[0]
            if option.startswith("--") and option not in known:
                self._refuse(option, _("unknown option {option}").format(option=option), known)

    def refuse(self, word: str) -> NoReturn:
        """Refuse a surplus argument, or a short option.

        Raises:
            UsageError: always.
        """
        if word.startswith("-") and word != "-":
            self._refuse(word, _("unknown option {option}").format(option=word), self._option_string_actions)
        self._refuse(word, _("unexpected argument {word}").format(word=word), ())

    def _refuse(self, word: str, problem: str, known: Iterable[str]) -> NoReturn:
        suggested = with_suggestion(problem, word, known)
        if suggested != problem:
            raise UsageError(suggested)
        self.error(problem)

    def error(self, message: str) -> NoReturn:
        """Raise the message; the entry point prints it.

        Raises:
            UsageError: always.
        """
        words = _("{problem}; see {command}")
        raise UsageError(words.format(problem=message, command=f"{self.prog} --help"))

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401 (argparse's own)
        if action.choices is None or value in action.choices:
            return
        # Raised past argparse, which would add its own text.
        name = "/".join(action.option_strings) or action.metavar or action.dest
        choices = [str(choice) for choice in action.choices]
        problem = _("{name}: {value} is not one of {choices}")
        words = problem.format(name=name, value=repr(value), choices=", ".join(choices))
        raise UsageError(with_suggestion(words, str(value), choices))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help; argparse would ignore write errors."""
        if file is sys.stdout:
            write_text(message)
        else:
            super()._print_message(message, file)


class _HelpFormatter(argparse.HelpFormatter):
    """Keeps the paragraphs of a text, and its indented lines as they are; wraps and aligns Chinese by its width.

    argparse assumes one column per character. Text in its columns is therefore padded until its length equals its
    width, and the padding is removed at the end.
    """

    def format_help(self) -> str:
        """Return the help, with Chinese punctuation after Chinese headings."""
        return re.sub(r"(?m)(?<=[\u2e80-\uffff]):$", "：", super().format_help().replace(_FILLING, ""))

    def add_usage(
        self, usage: str | None, actions: Iterable[Any], groups: Iterable[Any], prefix: str | None = None
    ) -> None:
        """As in the base class, with a padded prefix."""
        super().add_usage(usage, actions, groups, _filled(gettext("usage: ") if prefix is None else prefix))

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str) -> Callable[[int], tuple[str, ...]]:
        names = super()._metavar_formatter(action, default_metavar)
        return lambda count: tuple(map(_filled, names(count)))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for line in text.splitlines():
            lines += [line] if line.startswith(" ") else wrapped(line, width - len(indent)) or [""]
        return "\n".join(indent + line if line else "" for line in lines)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(" ".join(text.split()), width)


_FILLING: Final = "\ue000"
"""A character for private use, which no help contains."""


def _filled(text: str) -> str:
    """Return a text padded until its length equals its width."""
    return "".join(sign + _FILLING * (cell_width(sign) - 1) for sign in text)


_PIECE: Final = re.compile(r"[（《]*(?:[^\s\u2e80-\uffff]+|[\u2e80-\uffff])[，。；：！？、）》]*|\s+")
"""A word, or one Chinese character, with the punctuation that must not be separated from it; or a space."""


def examples_text(examples: tuple[str, ...]) -> str:
    """Return command lines for the end of a help, one per line; empty for none."""
    if not examples:
        return ""
    return "\n".join((_("example:") if len(examples) == 1 else _("examples:"), *(f"  {each}" for each in examples)))


def wrapped(text: str, columns: int) -> list[str]:
    """Wrap a text after so many columns, Chinese between any two characters.

    >>> wrapped("a sentence of words", 10)
    ['a sentence', 'of words']
    >>> wrapped("围棋下在环面上，没有边。", 10)
    ['围棋下在环', '面上，没有', '边。']
    """
    if text.isascii():
        return textwrap.wrap(text, columns, break_on_hyphens=False)
    lines = [""]
    for piece in _PIECE.findall(text):
        if cell_width(lines[-1] + piece.rstrip()) > columns and lines[-1]:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        if lines[-1] or not piece.isspace():
            lines[-1] += piece
    return lines if lines[-1] else lines[:-1]


def add_command(
    subparsers: Subparsers,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    description: str,
    *examples: str,
) -> Parser:
    """Add a subcommand and return its parser.

    Args:
        subparsers: where to add it.
        name: the word that invokes it.
        run: runs it and returns the exit status.
        summary: what it does, for the list of commands.
        description: what it does, in a sentence, for its own help.
        examples: command lines.
    """
    parser = subparsers.add_parser(name, help=summary, description=description)
    parser.examples = examples
    parser.epilog = examples_text(examples)
    parser.set_defaults(run=run)
    return parser


def add_file(parser: argparse.ArgumentParser, name: str = "") -> None:
    """Add the argument for an SGF file, and the options that say how to read it."""
    parser.add_argument("file", type=Path, metavar=name or _("FILE"), help=_("a game record; - reads standard input"))
    add_reading_options(parser)


def add_move(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--move", type=move, metavar="N", help=_("show the position after move N of the main line (default: its end)")
    )


def whole(text: str, least: int, most: int, words: str) -> int:
    """Parse a whole number; ``words`` is the error message, with {text}, {least} and {most}."""
    number = whole_number(text, least, most)
    if number is None:
        raise argparse.ArgumentTypeError(words.format(text=repr(text), least=least, most=most))
    return number


_Read = TypeVar("_Read")


def typed(read: Callable[[str], _Read], text: str) -> _Read:
    """Parse an argument with ``read``, converting its errors to those of arguments."""
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(translate(error)) from None


def move(text: str) -> int:
    return whole(text, 0, 999_999_999, _("{text} is not the number of a move: a whole number, 0 is the start"))


def add_coordinates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--coordinates", choices=("daoqi", "gtp", "sgf"), default="daoqi", help=_("coordinates"))


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to read a file: --game, --torus and --flat, --encoding."""
    parser.add_argument("--game", type=game_number, default=1, metavar="N", help=_("game N of the file (default: 1)"))
    add_torus_options(parser)
    add_encoding(parser)


def game_number(text: str) -> int:
    return whole(text, 1, 999_999_999, _("{text} is not the number of a game: a whole number, 1 is the first"))


def add_torus_options(parser: argparse.ArgumentParser) -> None:
    """Add --torus and --flat; ``torus`` is then True, False, or None if neither is given."""
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--torus", action="store_true", default=None, dest="torus", help=_("read the file as played on a torus")
    )
    choice.add_argument(
        "--flat", action="store_false", default=None, dest="torus", help=_("read the file as played on a flat board")
    )


def add_encoding(parser: argparse.ArgumentParser) -> None:
    """Add --encoding; ``encoding`` is then the name of an encoding, or None."""
    parser.add_argument(
        "--encoding",
        type=encoding,
        metavar=_("ENCODING"),
        help=_("the file's encoding, such as GB18030 or Shift_JIS; overrides what the file declares"),
    )


def encoding(text: str) -> str:
    """Check the name of an encoding."""
    from daoqi_tui.record.text import ENCODINGS, python_name  # noqa: PLC0415 (most starts need no records)

    if python_name(text) is None:
        words = _("{text} is not an encoding of game records: {names}")
        raise argparse.ArgumentTypeError(words.format(text=repr(text), names=ENCODINGS))
    return text


_PERSON, _MINE = "person", "mine"
_LEVELS: Final = {"weakest": WEAKEST, "strongest": STRONGEST}
NETWORK_WORDS = N_("the neural network: auto (the built-in ones), katrain (KaTrain's, if installed), or a file")


THREADS_WORDS = N_("processor cores for the computer's search: a number, or auto for all but one")


def threads(text: str) -> str:
    """Parse a number of threads or ``auto``, as :func:`~daoqi_tui.ai.process.thread_count` takes it.

    Raises:
        argparse.ArgumentTypeError: it is neither.
    """
    if text == "auto":
        return text
    return str(whole(text, 1, MOST_THREADS, _("{text} is not a number of threads: auto, or {least} to {most}")))


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the players, their time and their network."""
    for side, words, engine in (
        (
            "black",
            _(
                "who plays Black: person, a level from {weakest} to {strongest} in steps of 0.5, or mine, the level by "
                "your rating"
            ),
            _("the command line of a GTP engine for Black"),
        ),
        (
            "white",
            _(
                "who plays White: person, a level from {weakest} to {strongest} in steps of 0.5, or mine, the level by "
                "your rating"
            ),
            _("the command line of a GTP engine for White"),
        ),
    ):
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(f"--{side}", type=player, metavar=_("PLAYER"), help=words.format(**_LEVELS))
        choice.add_argument(f"--{side}-engine", metavar=_("COMMAND"), help=engine)
    parser.add_argument("--time", type=seconds, metavar="S", help=_("seconds per move for computers and engines"))
    parser.add_argument("--net", type=network, metavar=_("NET"), help=_(NETWORK_WORDS))
    parser.add_argument("--threads", type=threads, metavar="N", help=_(THREADS_WORDS))


def seats(options: argparse.Namespace) -> tuple[Seat | None, Seat | None]:
    """Return the players of Black and White, None for a side without an option.

    Raises:
        UsageError: the command line of an engine cannot be read.
    """
    return _seat(options, "black"), _seat(options, "white")


def _seat(options: argparse.Namespace, side: str) -> Seat | None:
    from daoqi_tui.play.session import PERSON, Computer, EngineSeat  # noqa: PLC0415

    named, command = getattr(options, side), getattr(options, f"{side}_engine")
    try:
        if command is not None:
            return EngineSeat(command, options.time)
        if named is None:
            return None
        if named == _MINE:
            return Computer(seconds=options.time, mine=True)
        return PERSON if named == _PERSON else Computer(level(named), options.time)
    except ValueError as error:
        raise UsageError(f"--{side}-engine: {translate(error)}") from error


def player(text: str) -> str:
    if text not in (_PERSON, _MINE) and level_number(text) is None:
        raise argparse.ArgumentTypeError(
            _("invalid player {text}: use person, mine, or a level from {weakest} to {strongest}, such as 4.5").format(
                text=repr(text), **_LEVELS
            )
        )
    return text


def level(text: str) -> float:
    return typed(read_level, text)


def network(text: str) -> str:
    """Check the choice of a network and its file."""
    from daoqi_tui.ai.nets import checked  # noqa: PLC0415

    typed(checked, text)
    return text


def seconds(text: str) -> float:
    """Parse seconds per move."""
    number = decimal_number(text)
    if number is None or not 0 < number <= LONGEST:
        words = _("{text} is not a time: seconds, more than 0 and at most {most}")
        raise argparse.ArgumentTypeError(words.format(text=repr(text), most=f"{LONGEST:g}"))
    return float(number)
