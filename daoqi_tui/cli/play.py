"""``daoqi-tui play``: play on the screen, or in text mode."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from daoqi_tui.cli.errors import CommandError, UnexpectedError, UsageError
from daoqi_tui.cli.options import add_command, add_player_options, add_reading_options, seats, typed
from daoqi_tui.config import BOARDS, STONES
from daoqi_tui.i18n import _, translate
from daoqi_tui.memory_limits import GAME_MEMORY, limit_memory
from daoqi_tui.numbers import read_handicap, read_komi, read_size

if TYPE_CHECKING:
    from daoqi_tui.cli.options import Subparsers
    from daoqi_tui.config import Config
    from daoqi_tui.engine import Rules, Style
    from daoqi_tui.play.online.hosting import Place
    from daoqi_tui.play.players import PlayerTable
    from daoqi_tui.play.session import Seat, Session
    from daoqi_tui.tui.app import DaoqiApp


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of ``play``."""
    parser = add_command(
        subparsers,
        "play",
        _play,
        _("open the board (default)"),
        _("Open the board, with a new game or with a game from a file."),
        "daoqi-tui --size 9 --white 3",
        "daoqi-tui game.sgf",
    )
    parser.add_argument(
        "file", nargs="?", type=Path, metavar=_("FILE"), help=_("a game record to open; - reads standard input")
    )
    add_game_options(parser)
    parser.add_argument("--plain", action="store_true", help=_("text mode, for screen readers and slow connections"))
    add_reading_options(parser)


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a new game, its players and its look."""
    parser.add_argument("--size", type=size, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    parser.add_argument("--komi", type=komi, metavar="K", help=_("points for White (default: 4)"))
    parser.add_argument("--handicap", type=handicap, default=0, metavar="H", help=_("0, or 2 to 9 stones (default: 0)"))
    add_rules(parser)
    add_player_options(parser)
    parser.add_argument(
        "--board",
        choices=BOARDS,
        metavar=_("THEME"),
        help=_("the board theme: {themes}").format(themes=", ".join(BOARDS)),
    )
    parser.add_argument("--stones", choices=STONES, help=_("the style of the stones"))


def _names_terms(options: argparse.Namespace) -> bool:
    return (options.size, options.komi, options.handicap, options.rules) != (None, None, 0, None)


def check_game_options(options: argparse.Namespace) -> None:
    """Check what ``play`` and ``serve`` have in common.

    Raises:
        UsageError: options of a new game are given with a file, or those of a file without one.
    """
    # `serve` has no --game.
    reads = options.torus is not None or options.encoding is not None or getattr(options, "game", 1) != 1
    if options.file is None and reads:
        raise UsageError(_("--game, --torus, --flat and --encoding are for a file: name it, or leave them out"))
    if options.file is not None and _names_terms(options):
        raise UsageError(_("--size, --komi, --handicap and --rules are for a new game: leave them out, or the file"))


def _play(options: argparse.Namespace) -> int:
    from daoqi_tui.cli.config import load_with_keys  # noqa: PLC0415
    from daoqi_tui.engine import parse_rules  # noqa: PLC0415
    from daoqi_tui.play.session import GameSetup, Session  # noqa: PLC0415

    check_game_options(options)
    config = load_with_keys()
    given = {"look.board": options.board, "look.stones": options.stones, "play.net": options.net}
    given["play.threads"] = options.threads
    given |= {"play.size": options.size, "play.komi": options.komi}
    config = replace(
        config, values={**config.values, **{name: value for name, value in given.items() if value is not None}}
    )
    if options.file is not None:
        # A record from standard input has no file to save it to again.
        source = None if str(options.file) == "-" else options.file
        data = _read(options.file)
        session = Session.opened(data, options.torus, source, options.encoding, index=options.game - 1)
    else:
        setup = GameSetup(
            cast("int", config["play.size"]),
            cast("float", config["play.komi"]),
            options.handicap,
            rules=options.rules or parse_rules(str(config["play.rules"])),
        )
        check_handicap(setup.size, setup.handicap)
        session = Session(setup)
    # Set by the web server, for which a process shows the board instead of a terminal.
    served = bool(os.environ.get("TEXTUAL_DRIVER"))
    board_size = session.game.torus.size
    black, white = (_at_my_level(seat, board_size) for seat in seats(options))
    named = black is not None or white is not None
    # A game requested by options starts at once; but a reloaded browser tab should be offered its game.
    begun = named or _names_terms(options)
    asked_for = begun and options.file is None and not served
    if options.file is None:
        liked = _players_in(config, options.time)
        black, white = (seat or other for seat, other in zip((black, white), liked, strict=True))
    session.sit(black, white)
    if options.plain:
        sys.stderr.write("".join(f"daoqi-tui: {problem}\n" for problem in config.problems))
        return _play_in_lines(session, config)
    check_terminal()
    app = _app(session, config, offer_resume=options.file is None, asked_for=asked_for)
    app.run()
    return _status_of(app, config)


def check_terminal() -> None:
    """Raise CommandError if there is neither a terminal nor a browser to show a board in.

    In the background of a shell the process stops until it is brought to the foreground.
    """
    served = bool(os.environ.get("TEXTUAL_DRIVER"))
    if not (served or (sys.stdin.isatty() and sys.stdout.isatty())):
        raise CommandError(_("the board needs a terminal for input and output; run it in one"))
    if served:
        limit_memory(GAME_MEMORY)
    elif os.name == "posix":
        _wait_for_foreground()


def _wait_for_foreground() -> None:
    """Stop until the shell brings a program that it started in the background to the foreground."""
    import termios  # noqa: PLC0415 (missing on Windows)

    terminal = sys.stdin.fileno()
    try:
        # Changes nothing. The system stops a background process here (SIGTTOU), and tries again when it goes on;
        # where no shell is left to bring it to the foreground, it answers with an error.
        termios.tcsetattr(terminal, termios.TCSANOW, termios.tcgetattr(terminal))
    except termios.error as error:
        raise CommandError(_("another program is using this terminal; start daoqi-tui in the foreground")) from error


def _app(session: Session | None, config: Config, **options: Any) -> DaoqiApp:  # noqa: ANN401 (the app's options)
    # Objects made during start-up live on; about thirty collections would take a tenth of the time to the first frame.
    gc.disable()
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415
    from daoqi_tui.tui.app import DaoqiApp  # noqa: PLC0415

    # Their errors are reported here, not on the screen.
    folders = Folders.standard()
    return DaoqiApp(
        session,
        config=config,
        folders=folders,
        wide_signs=_has_wide_signs(),
        when_shown=_collect_again,
        **options,
    )


async def show(place: Place) -> int:
    """Play an online game on the screen; returns the exit status."""
    from daoqi_tui.cli.config import load_with_keys  # noqa: PLC0415

    config = load_with_keys()
    app = _app(None, config, place=place)
    await app.run_async()
    return _status_of(app, config)


def _status_of(app: DaoqiApp, config: Config) -> int:
    # Printed again, since notifications on the screen disappear.
    sys.stderr.write("".join(f"daoqi-tui: {problem}\n" for problem in config.problems))
    if app.failure is not None:
        raise UnexpectedError from app.failure
    return app.return_code or 0


def _play_in_lines(session: Session, config: Config) -> int:
    from daoqi_tui.plain.dialogue import play  # noqa: PLC0415
    from daoqi_tui.plain.game import PlainGame  # noqa: PLC0415
    from daoqi_tui.plain.keeping import PlainKeeper  # noqa: PLC0415
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415

    def tell(line: str) -> None:
        print(line, flush=True)  # noqa: T201 - text mode speaks on standard output

    _mention_online(tell)
    keeper = PlainKeeper(session, Folders.standard())
    style = cast("Style", config["look.names"])

    teach = cast("int", config["play.teach"])
    players = partial(players_of, config)
    person = PlainGame(session, style, keeper, players, tell, teach=teach, ponders=lambda: bool(config["play.ponder"]))
    return play(person, sys.stdin, sys.stdout)


def players_of(config: Config) -> PlayerTable:
    """Make the table of players of text mode from the settings."""
    from daoqi_tui.ai.process import thread_count  # noqa: PLC0415
    from daoqi_tui.play.players import PlayerTable  # noqa: PLC0415

    def net() -> str:
        from daoqi_tui.ai.nets import net_of  # noqa: PLC0415 (a game of persons needs none)

        return net_of(str(config["play.net"]))

    threads = thread_count(str(config["play.threads"]))
    return PlayerTable(net=net, threads=threads, analyst=lambda: str(config["analysis.engine"]))


def _mention_online(tell: Callable[[str], object]) -> None:
    """Say how many online games are waiting for a move, for servers that answer immediately."""
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415

    folder = Folders.standard().online
    if not (folder / "seats.json").exists():
        return
    from daoqi_tui import signals  # noqa: PLC0415
    from daoqi_tui.play.online.seats import waiting_for_me  # noqa: PLC0415
    from daoqi_tui.play.wording import describe_waiting  # noqa: PLC0415

    count = signals.run(waiting_for_me(folder, patience=1.0))
    if count:
        tell(_("{games}: type {command}").format(games=describe_waiting(count), command="daoqi-tui games"))


def _collect_again() -> None:
    """Enable garbage collection again, excluding the objects made during start-up."""
    gc.freeze()
    gc.enable()


def _players_in(config: Config, seconds: float | None = None) -> tuple[Seat, Seat]:
    """Return the players in the settings.

    Args:
        config: the settings.
        seconds: the time limit of a move of computers and engines, None for that in the settings.
    """
    from daoqi_tui.play.session import Computer, EngineSeat, parse_seat  # noqa: PLC0415

    found: list[Seat] = []
    for side in ("black", "white"):
        seat = parse_seat(str(config[f"play.{side}"]))
        if seconds is not None and isinstance(seat, (Computer, EngineSeat)):
            seat = replace(seat, seconds=seconds)
        found.append(seat)
    return found[0], found[1]


def _at_my_level(seat: Seat | None, board_size: int) -> Seat | None:
    """Return a seat, with the level by the human's rating on boards of a size if requested."""
    from daoqi_tui.play.session import Computer  # noqa: PLC0415

    if not isinstance(seat, Computer) or not seat.mine:
        return seat
    from daoqi_tui.play.profile import Ratings  # noqa: PLC0415 (few ask for it)
    from daoqi_tui.record.files import library_folder  # noqa: PLC0415

    ratings = Ratings(library_folder().parent)
    return replace(seat, level=ratings.level(board_size, seat.level))


def _has_wide_signs() -> bool:
    """Return whether the terminal draws ● two cells wide; only Chinese, Japanese and Korean locales are asked."""
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    from daoqi_tui.cli.doctor import ambiguous_width, is_east_asian  # noqa: PLC0415

    if not is_east_asian(locale):
        return False
    # A terminal answers within milliseconds; one that does not must not delay the start.
    return ambiguous_width(timeout=0.15) == 2


def _read(file: Path) -> bytes:
    from daoqi_tui.cli.records import read_source  # noqa: PLC0415

    data = read_source(file)
    if str(file) == "-":
        # The record came from standard input; the keys come from the terminal itself.
        try:
            sys.stdin = open("/dev/tty", errors="replace")  # noqa: PTH123, SIM115 (open as long as the program runs)
        except OSError as error:
            raise CommandError(_("the board needs a terminal for input; run it in one")) from error
    return data


def size(text: str) -> int:
    return typed(read_size, text)


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
        raise argparse.ArgumentTypeError(
            _("{text} is not a set of rules: {presets}, or fields of {fields}").format(
                text=repr(text),
                presets=", ".join(name.lower() for name in PRESETS),
                fields=", ".join(field.name for field in fields(Rules) if field.name != "komi"),
            )
        ) from None


def komi(text: str) -> float:
    return typed(read_komi, text)


def handicap(text: str) -> int:
    """Parse a number of handicap stones."""
    return typed(read_handicap, text)


def check_handicap(size: int, stones: int) -> None:
    """Raise UsageError if a board of ``size`` is too small for this many handicap stones."""
    from daoqi_tui.engine import handicap_points, torus_of  # noqa: PLC0415

    try:
        handicap_points(torus_of(size), stones)
    except ValueError as error:
        raise UsageError(translate(error)) from error
