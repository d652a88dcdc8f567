"""Who plays: the options of ``play`` that name a person, a level or an engine for each side."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from daoqi_tui.i18n import N_, _
from daoqi_tui.lower_words import said
from daoqi_tui.numbers_typed import whole_number

if TYPE_CHECKING:
    from daoqi_tui.tui.opponents import Seat

_PERSON = "person"
NETWORK_WORDS = N_("the network to think with: auto (the one that comes along), none, or a file")


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Let a person say who plays each side."""
    for side, words in (
        ("black", _("who plays Black: person, or a level from 1 to 10")),
        ("white", _("who plays White: person, or a level from 1 to 10")),
    ):
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(f"--{side}", type=player, metavar=_("PLAYER"), help=words)
        choice.add_argument(f"--{side}-engine", metavar=_("COMMAND"), help=_("… a GTP engine, as a command line"))
    parser.add_argument("--time", type=seconds, metavar="S", help=_("seconds a move for computers and engines"))
    parser.add_argument("--net", type=network, metavar=_("NET"), help=_(NETWORK_WORDS))


def seats(options: argparse.Namespace) -> tuple[Seat | None, Seat | None]:
    """Who plays Black and White, None where nothing was said.

    Raises:
        UsageError: the command line of an engine cannot be read.
    """
    return _seat(options, "black"), _seat(options, "white")


def _seat(options: argparse.Namespace, side: str) -> Seat | None:
    from daoqi_tui.cli import UsageError  # noqa: PLC0415 (it imports this module)
    from daoqi_tui.tui.opponents import PERSON, Computer, EngineSeat  # noqa: PLC0415

    named, command = getattr(options, side), getattr(options, f"{side}_engine")
    try:
        if command is not None:
            return EngineSeat(command, options.time)
        if named is None:
            return None
        return PERSON if named == _PERSON else Computer(int(named), options.time)
    except ValueError as error:
        raise UsageError(f"--{side}-engine: {error}") from error


def player(text: str) -> str:
    """Read ``person`` or a level."""
    if text != _PERSON and whole_number(text, 1, 10) is None:
        raise argparse.ArgumentTypeError(
            _("{text} is no player: person, or a level from 1 to 10").format(text=repr(text))
        )
    return text


def level(text: str) -> int:
    """Read a level."""
    number = whole_number(text, 1, 10)
    if number is None:
        raise argparse.ArgumentTypeError(
            _("{text} is not a level: a whole number from 1 to 10").format(text=repr(text))
        )
    return number


def network(text: str) -> str:
    """Read which network is meant, and look whether its file is one."""
    from daoqi_tui.ai.katago_format import NetError  # noqa: PLC0415
    from daoqi_tui.ai.nets import checked  # noqa: PLC0415

    try:
        checked(text)
    except NetError as error:
        raise argparse.ArgumentTypeError(said(error)) from None
    return text


def seconds(text: str) -> float:
    """Read seconds a move."""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number <= 3600:
        raise argparse.ArgumentTypeError(
            _("{text} is not a time: seconds, more than 0 and at most 3600").format(text=repr(text))
        )
    return number
