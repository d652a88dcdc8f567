"""``daoqi-tui play``: the board on the screen."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from daoqi_tui.cli_options import add_torus_options
from daoqi_tui.cli_players import add_player_options, seats
from daoqi_tui.config_keys import BOARDS, STONES
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.numbers_typed import whole_number

if TYPE_CHECKING:
    from daoqi_tui.cli import Subparsers
    from daoqi_tui.config import Config
    from daoqi_tui.engine import Style
    from daoqi_tui.plain.computers import Computers
    from daoqi_tui.tui.opponents import Seat
    from daoqi_tui.tui.session import Session


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of ``play``."""
    parser = subparsers.add_parser(
        "play",
        help=_("open the board; this is what happens without a command"),
        description=_("Open the board, with a new game or with a game from an SGF file."),
        epilog=_("Examples: {examples}").format(examples="daoqi-tui --size 9 --white 3 · daoqi-tui game.sgf"),
    )
    parser.add_argument(
        "file", nargs="?", type=Path, metavar=_("FILE"), help=_("an SGF file to open; - reads standard input")
    )
    add_game_options(parser)
    parser.add_argument(
        "--plain", action="store_true", help=_("play in lines of text, for screen readers and slow lines")
    )
    add_torus_options(parser)
    parser.set_defaults(run=_play)


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """Let a person choose the board, who plays, and how it looks."""
    parser.add_argument("--size", type=size, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    parser.add_argument("--komi", type=komi, metavar="K", help=_("points for White (default: 4)"))
    parser.add_argument("--handicap", type=handicap, default=0, metavar="H", help=_("0, or 2 to 9 stones (default: 0)"))
    add_player_options(parser)
    parser.add_argument("--board", choices=BOARDS, help=_("the colours of the board"))
    parser.add_argument("--stones", choices=STONES, help=_("what stones are drawn with"))


def _play(options: argparse.Namespace) -> int:
    from daoqi_tui.cli import UsageError  # noqa: PLC0415 (it imports this module)
    from daoqi_tui.cli_config import load_with_keys  # noqa: PLC0415
    from daoqi_tui.tui.session import GameSetup, Session  # noqa: PLC0415

    config = load_with_keys()
    given = {"look.board": options.board, "look.stones": options.stones, "play.net": options.net}
    given |= {"play.size": options.size, "play.komi": options.komi}
    config = replace(
        config, values={**config.values, **{name: value for name, value in given.items() if value is not None}}
    )
    if options.file is not None and (options.size, options.komi, options.handicap) != (None, None, 0):
        raise UsageError(_("--size, --komi and --handicap are for a new game: leave them out, or the file"))
    if options.file is not None:
        session = Session.opened(_read(options.file), options.torus, options.file)
    else:
        setup = GameSetup(cast("int", config["play.size"]), cast("float", config["play.komi"]), options.handicap)
        try:
            session = Session(setup)
        except ValueError as error:
            # Fewer stones go on a small board.
            raise UsageError(said(error)) from error
    black, white = seats(options)
    named = black is not None or white is not None
    if options.file is None:
        black, white = (given or liked for given, liked in zip((black, white), _liked(config), strict=True))
    session.sit(black, white)
    if options.plain:
        sys.stderr.write("".join(f"daoqi-tui: {problem}\n" for problem in config.problems))
        return _play_in_lines(session, config)
    # Set by what serves programs to browsers, in the place of a terminal.
    served = bool(os.environ.get("TEXTUAL_DRIVER"))
    if not (served or (sys.stdin.isatty() and sys.stdout.isatty())):
        raise RuntimeError(_("the board needs a terminal for input and output; run it in one"))
    # What a start makes is there to stay. Looking it through for garbage, some thirty times, would take a tenth of the
    # time to the first frame.
    gc.disable()
    from daoqi_tui.tui.app import DaoqiApp  # noqa: PLC0415
    from daoqi_tui.tui.keeper import Folders  # noqa: PLC0415

    app = DaoqiApp(
        session,
        config=config,
        folders=Folders.standard,
        offer_resume=options.file is None and (served or not named),
        wide_signs=_has_wide_signs(),
        when_shown=_collect_again,
    )
    app.run()
    # Said again where it can be read at leisure.
    sys.stderr.write("".join(f"daoqi-tui: {problem}\n" for problem in config.problems))
    return app.return_code or 0


def _play_in_lines(session: Session, config: Config) -> int:
    from daoqi_tui.plain.game import PlainGame, play  # noqa: PLC0415
    from daoqi_tui.plain.keeping import PlainKeeper  # noqa: PLC0415
    from daoqi_tui.tui.keeper import Folders  # noqa: PLC0415

    def computers() -> Computers:
        from daoqi_tui.ai.nets import net_of  # noqa: PLC0415 (a game of persons needs none)
        from daoqi_tui.plain.computers import Computers  # noqa: PLC0415

        return Computers(lambda: net_of(str(config["play.net"])), lambda line: print(line, flush=True))  # noqa: T201

    keeper = PlainKeeper(session, Folders.standard())
    return play(PlainGame(session, cast("Style", config["look.names"]), keeper, computers), sys.stdin, sys.stdout)


def _collect_again() -> None:
    """Look for garbage from now on, but not among what the start has made."""
    gc.freeze()
    gc.enable()


def _liked(config: Config) -> tuple[Seat, Seat]:
    """Who plays where the command line does not say; a person where a setting cannot be used after all."""
    from daoqi_tui.tui.opponents import PERSON, parse_seat  # noqa: PLC0415

    found: list[Seat] = []
    for side in ("black", "white"):
        try:
            found.append(parse_seat(str(config[f"play.{side}"])))
        except ValueError:
            found.append(PERSON)
    return found[0], found[1]


def _has_wide_signs() -> bool:
    """Whether the terminal draws ● two cells wide; only those set to Chinese, Japanese or Korean ever do."""
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    if not locale.startswith(("zh", "ja", "ko")):
        return False
    from daoqi_tui.doctor import ambiguous_width  # noqa: PLC0415

    # A terminal answers within a few thousandths of a second; one that does not must not hold up the start.
    return ambiguous_width(timeout=0.15) == 2


def _read(file: Path) -> bytes:
    from daoqi_tui.cli_records import read_source  # noqa: PLC0415

    data = read_source(file)
    if str(file) == "-":
        # The record came through standard input; the keys come from the terminal itself.
        try:
            sys.stdin = open("/dev/tty")  # noqa: PTH123, SIM115 (it stays open for as long as the program runs)
        except OSError as error:
            raise RuntimeError(_("the board needs a terminal for input; run it in one")) from error
    return data


def size(text: str) -> int:
    """Read a board size."""
    number = whole_number(text, 5, 25)
    if number is None:
        raise argparse.ArgumentTypeError(
            _("{text} is not a board size: a whole number from 5 to 25").format(text=repr(text))
        )
    return number


def komi(text: str) -> float:
    """Read a komi."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not -200 <= number <= 200:
        raise argparse.ArgumentTypeError(_("{text} is not a komi: a number such as 4 or 3.75").format(text=repr(text)))
    return number


def handicap(text: str) -> int:
    """Read a number of handicap stones."""
    if text not in ("0", *map(str, range(2, 10))):
        raise argparse.ArgumentTypeError(_("{text} is not a handicap: 0, or 2 to 9").format(text=repr(text)))
    return int(text)
