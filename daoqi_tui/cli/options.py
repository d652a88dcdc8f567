"""The parser of the command line, the options that several subcommands share, and the types of their values."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from gettext import gettext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from daoqi_tui.cli import UsageError
from daoqi_tui.config import BOARDS, STONES, load_themes
from daoqi_tui.i18n import N_, _, translate, with_suggestion
from daoqi_tui.streams import write_text
from daoqi_tui.text import cell_width
from daoqi_tui.typed import (
    MINE,
    MOST_SECONDS,
    MOST_THREADS,
    STRONGEST,
    STYLES,
    WEAKEST,
    Skill,
    checked_style,
    decimal_number,
    level_number,
    read_handicap,
    read_komi,
    read_size,
    whole_number,
)

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

    from _typeshed import SupportsWrite

    from daoqi_tui.engine import Rules
    from daoqi_tui.engine.clock import TimeControl
    from daoqi_tui.play.session import EngineSeat

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

    @property
    def commands(self) -> dict[str, Parser]:
        """The parsers of its commands, by name."""
        # argparse has no public way to look into a parser.
        groups = (action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
        return dict(next(groups, {}))

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
        raise UsageError(_("{problem}; see {command}"), problem=message, command=f"{self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401 (argparse's own)
        if action.choices is None or value in action.choices:
            return
        # Raised past argparse, which would add its own text.
        name = "/".join(action.option_strings) or action.metavar or action.dest
        choices = [str(choice) for choice in action.choices]
        problem = _("{name}: {value} is not one of {choices}")
        text = problem.format(name=name, value=repr(value), choices=", ".join(choices))
        raise UsageError(with_suggestion(text, str(value), choices))

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

    def _format_action(self, action: argparse.Action) -> str:
        """As in the base class, below the heading of a group of commands if the action is the first of one."""
        heading = getattr(action, "heading", "")
        lines = f"\n{' ' * (self._current_indent - 2)}{heading}\n" if heading else ""
        return lines + super()._format_action(action)

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


_PIECE: Final = r"[（《]*(?:[^\s\u2e80-\uffff]+|[\u2e80-\uffff])[，。；：！？、）》]*|\s+"
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
    for piece in re.findall(_PIECE, text):
        if cell_width(lines[-1] + piece.rstrip()) > columns and lines[-1]:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        if lines[-1] or not piece.isspace():
            lines[-1] += piece
    return lines if lines[-1] else lines[:-1]


def head_last(subparsers: Subparsers, text: str) -> None:
    """Give the command that was added last a heading in help, as the first of a group."""
    # argparse knows groups of options alone.
    subparsers._choices_actions[-1].heading = text  # type: ignore[attr-defined]  # noqa: SLF001


def add_command(
    subparsers: Subparsers,
    name: str,
    summary: str,
    description: str,
    *examples: str,
) -> Parser:
    """Add a subcommand and return its parser.

    Args:
        subparsers: where to add it.
        name: the word that invokes it.
        summary: what it does, for the list of commands.
        description: what it does, in a sentence, for its own help.
        examples: command lines.
    """
    parser = subparsers.add_parser(name, help=summary, description=description)
    parser.examples = examples
    parser.epilog = examples_text(examples)
    return parser


def add_file(parser: argparse.ArgumentParser, name: str = "") -> None:
    """Add the argument for an SGF file, and the options that say how to read it."""
    parser.add_argument("file", type=path, metavar=name or _("FILE"), help=_("a game record; - reads standard input"))
    add_reading_options(parser)


def add_move(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--move",
        type=whole(0, 999_999_999, N_("{text} is not the number of a move: a whole number, 0 is the start")),
        metavar="N",
        help=_("show the position after move N of the main line (default: its end)"),
    )


def wrong(text: str, wording: str, **parts: object) -> argparse.ArgumentTypeError:
    """Return the error of an argument; ``wording`` has {text} for it, and the names of ``parts``."""
    return argparse.ArgumentTypeError(wording.format(text=repr(text), **parts))


def whole(least: int, most: int, wording: str) -> Callable[[str], int]:
    """Return the type of a whole number; ``wording`` is the error message, with {text}, {least} and {most}."""

    def read(text: str) -> int:
        number = whole_number(text, least, most)
        if number is None:
            raise wrong(text, _(wording), least=least, most=most)
        return number

    return read


def decimal(least: float, most: float, wording: str) -> Callable[[str], float]:
    """Return the type of a number with decimals; ``wording`` is the error message, with {text}."""

    def read(text: str) -> float:
        number = decimal_number(text)
        if number is None or not least <= number <= most:
            raise wrong(text, _(wording))
        return float(number)

    return read


port: Final = whole(0, 65535, N_("{text} is not a port: a whole number from {least} to {most}"))
visits: Final = whole(1, 1_000_000, N_("{text} is not a number of visits: {least} to {most}"))
natural: Final = whole(0, 1_000_000, N_("{text} is not a number from {least} to {most}"))
"""A number of visits or games, which may be 0."""
count: Final = whole(1, 100_000, N_("{text} is not a number of games: {least} to {most}"))
periods: Final = whole(1, 4, N_("{text} is not a number of periods: a whole number from 1 to 4"))
elo: Final = decimal(-1000, 1000, N_("{text} is not an Elo difference: -1000 to 1000"))
frame_seconds: Final = decimal(0.05, 60, N_("{text} is not a number of seconds from 0.05 to 60"))


_Read = TypeVar("_Read")


def typed(read: Callable[[str], _Read], text: str) -> _Read:
    """Parse an argument with ``read``, converting its errors to those of arguments."""
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(translate(error)) from None


def path(text: str) -> Path:
    """Return the path of a file or a folder; an empty name, as of a variable without a value, is no folder."""
    if not text:
        raise argparse.ArgumentTypeError(_("the name is empty; the current folder is ."))
    return Path(text)


def database(text: str) -> str:
    """Check that there is an address; an empty one, as of a variable without a value, is not the usual database."""
    if not text:
        raise argparse.ArgumentTypeError(_("the address is empty; leave the option out for the usual database"))
    return text


size: Final = partial(typed, read_size)
komi: Final = partial(typed, read_komi)
handicap: Final = partial(typed, read_handicap)
skill: Final = partial(typed, Skill.parse)


def add_coordinates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--coordinates", choices=("daoqi", "gtp", "sgf"), default="daoqi", help=_("coordinates"))


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to read a file: --game, --torus and --flat, --encoding.

    ``game`` is then the number of a game, or None.
    """
    parser.add_argument(
        "--game",
        type=whole(1, 999_999_999, N_("{text} is not the number of a game: a whole number, 1 is the first")),
        metavar="N",
        help=_("game N of the file (default: 1)"),
    )
    add_torus_options(parser)
    add_encoding(parser)


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
        raise wrong(text, _("{text} is not an encoding of game records: {names}"), names=ENCODINGS)
    return text


PERSON: Final = "person"
_LEVELS: Final = {"weakest": WEAKEST, "strongest": STRONGEST}
NETWORK_WORDS = N_("the neural network: auto (the built-in ones), katrain (KaTrain's, if installed), or a file")


_THREADS_WORDS = N_("processor cores for the computer's search: a number, or auto for all but one")
ALL_THREADS_WORDS = N_("processor cores for the computer's search: a number, or auto for all")


def threads(text: str) -> str:
    """Parse a number of threads or ``auto``, as :func:`~daoqi_tui.ai.process.thread_count` takes it.

    Raises:
        argparse.ArgumentTypeError: it is neither.
    """
    if text == "auto":
        return text
    return str(whole(1, MOST_THREADS, N_("{text} is not a number of threads: auto, or {least} to {most}"))(text))


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the players, their time and their network."""
    styles = ", ".join(STYLES)
    for side, text, engine in (
        (
            "black",
            _(
                "who plays Black: person, a level from {weakest} to {strongest} in steps of 0.5, or mine, the level by "
                "your rating; a style may follow, as in 5:fighting: {styles}"
            ),
            _("the command line of a GTP engine for Black"),
        ),
        (
            "white",
            _(
                "who plays White: person, a level from {weakest} to {strongest} in steps of 0.5, or mine, the level by "
                "your rating; a style may follow, as in 5:fighting: {styles}"
            ),
            _("the command line of a GTP engine for White"),
        ),
    ):
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(f"--{side}", type=player, metavar=_("PLAYER"), help=text.format(**_LEVELS, styles=styles))
        choice.add_argument(f"--{side}-engine", metavar=_("COMMAND"), help=engine)
    parser.add_argument("--time", type=seconds, metavar="S", help=_("seconds per move for computers and engines"))
    parser.add_argument("--net", type=network, metavar=_("NET"), help=_(NETWORK_WORDS))
    parser.add_argument("--threads", type=threads, metavar="N", help=_(_THREADS_WORDS))


def player(text: str) -> str:
    """Check a player: ``person``, ``mine`` or a level, the last two with a style where one follows a colon."""
    word, colon, style = text.partition(":")
    if text != PERSON and word != MINE and level_number(word) is None:
        wording = _("invalid player {text}: use person, mine, or a level from {weakest} to {strongest}, such as 4.5")
        raise wrong(text, wording, **_LEVELS)
    if colon:
        typed(checked_style, style)
    return text


def network(text: str) -> str:
    """Check the choice of a network and its file."""
    from daoqi_tui.ai.nets import checked  # noqa: PLC0415

    typed(checked, text)
    return text


def seconds(text: str) -> float:
    """Parse seconds per move."""
    number = decimal_number(text)
    if number is None or not 0 < number <= MOST_SECONDS:
        raise wrong(text, _("{text} is not a time: seconds, more than 0 and at most {most}"), most=f"{MOST_SECONDS:g}")
    return float(number)


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a new game, its players and its look."""
    parser.add_argument("--size", type=size, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    parser.add_argument("--komi", type=komi, metavar="K", help=_("points for White (default: 4)"))
    parser.add_argument("--handicap", type=handicap, default=0, metavar="H", help=_("0, or 2 to 9 stones (default: 0)"))
    add_rules(parser)
    add_player_options(parser)
    parser.add_argument(
        "--board",
        type=board_theme,
        choices=BOARDS,
        metavar=_("THEME"),
        help=_("the board theme: {themes}").format(themes=", ".join(BOARDS)),
    )
    parser.add_argument("--stones", choices=STONES, help=_("the style of the stones"))


def board_theme(text: str) -> str:
    """Return the name of a board theme; before one that is not built in is refused, the user's own are loaded."""
    if text not in BOARDS:
        load_themes()
    return text


def add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules",
        type=rules,
        metavar="R",
        help=_("daoqi, another preset such as tromp-taylor, or fields such as superko=simple,suicide=no"),
    )


def rules(text: str) -> Rules:
    """Read rules: the name of a preset, or fields."""
    from daoqi_tui.engine import PRESETS, Rules, parse_rules  # noqa: PLC0415

    try:
        return parse_rules(text)
    except ValueError:
        raise wrong(
            text,
            _("{text} is not a set of rules: {presets}, or fields of {fields}"),
            presets=", ".join(name.lower() for name in PRESETS),
            fields=", ".join(field.name for field in fields(Rules) if field.name != "komi"),
        ) from None


def add_trust_proxy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust-proxy",
        type=address_range,
        action="append",
        default=[],
        metavar=_("ADDRESS"),
        help=_(
            "a proxy, or a network of proxies such as 10.0.0.0/8, whose X-Forwarded-For is believed (default: none); "
            "may be repeated"
        ),
    )


def address_range(text: str) -> IPv4Network | IPv6Network:
    import ipaddress  # noqa: PLC0415

    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise wrong(text, _("{text} is not an IP address, nor a network such as 10.0.0.0/8")) from None


def game_prefix(text: str) -> str:
    if not re.fullmatch("[a-z2-7]{1,8}", text):
        wording = _("{text} cannot begin the id of a game: one to eight of the letters a to z and digits 2 to 7")
        raise wrong(text, wording)
    return text


def public_url(text: str) -> str:
    """Parse the URL of a page, which invitations of the lobby begin with."""
    from daoqi_tui.play.online.invitation import InvitationError, server_of  # noqa: PLC0415

    try:
        server_of(text)
        right = text.lower().startswith(("http://", "https://"))
    except InvitationError:
        right = False
    if not right:
        raise wrong(text, _("{text} is not the address of a page, such as https://go.example.org"))
    return text.rstrip("/")


def engine(text: str) -> EngineSeat:
    """Parse the command line of an engine."""
    from daoqi_tui.play.session import EngineSeat  # noqa: PLC0415 (loads the engine)

    return typed(EngineSeat, text)


def clock(text: str) -> TimeControl:
    """Parse a time control: ``20``, ``20+5`` or ``20+3x30``."""
    from daoqi_tui.engine.clock import parse_time_control  # noqa: PLC0415

    return typed(parse_time_control, text)


def public_address(text: str) -> str:
    """Check an address under which others reach a game."""
    from daoqi_tui.play.online.invitation import server_of  # noqa: PLC0415

    typed(server_of, text)
    return text


def sizes(text: str) -> tuple[int, ...]:
    """Parse board sizes with commas between them."""
    return tuple(size(part) for part in text.split(","))


def gtp_text(text: str) -> str:
    """Check an answer that the engine is to give over GTP: one line."""
    if not text.strip() or not text.isprintable():
        raise wrong(text, _("{text} cannot be an answer: write a line of text"))
    return text
