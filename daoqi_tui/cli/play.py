"""``play``: on the screen, or in text mode; ``gtp`` and ``analysis``: serve the computer player."""

from __future__ import annotations

import gc
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from daoqi_tui.children import GAME_MEMORY, end_when_exhausted, limit_memory
from daoqi_tui.cli import CommandError, UnexpectedError, UsageError
from daoqi_tui.commands.screen import COMMANDS
from daoqi_tui.config import Config, load_config
from daoqi_tui.engine import DAOQI, handicap_points, parse_rules, torus_of
from daoqi_tui.i18n import _, translate
from daoqi_tui.paths import library_folder
from daoqi_tui.play.session import PERSON, Computer, EngineSeat, GameSetup, Seat, Session, parse_seat
from daoqi_tui.streams import is_east_asian, locale_in
from daoqi_tui.typed import MINE, read_level

if TYPE_CHECKING:
    import argparse

    from daoqi_tui.play.online.hosting import Place, Visit
    from daoqi_tui.tui.app import DaoqiApp


DEFAULTS: Final[dict[str, object]] = {
    **dict.fromkeys(("file", "size", "komi", "rules", "black", "black_engine", "white", "white_engine", "time", "net")),
    **dict.fromkeys(("threads", "board", "stones", "torus", "encoding", "game")),
    "handicap": 0,
    "plain": False,
}
"""The options of ``play`` if none are given; a start without arguments needs no parser then."""


def _names_terms(options: argparse.Namespace) -> bool:
    return (options.size, options.komi, options.handicap, options.rules) != (None, None, 0, None)


def check_game_options(options: argparse.Namespace) -> None:
    """Check what ``play`` and ``serve`` have in common.

    Raises:
        UsageError: options of a new game are given with a file, or those of a file without one.
    """
    # `serve` has no --game.
    reads = options.torus is not None or options.encoding is not None or getattr(options, "game", None) is not None
    if options.file is None and reads:
        raise UsageError(_("--game, --torus, --flat and --encoding are for a file: name it, or leave them out"))
    if options.file is not None and _names_terms(options):
        raise UsageError(_("--size, --komi, --handicap and --rules are for a new game: leave them out, or the file"))


def run_play(options: argparse.Namespace) -> int:
    check_game_options(options)
    config = _load_config()
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
        session = Session.opened(data, options.torus, source, options.encoding, index=(options.game or 1) - 1)
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
        from daoqi_tui.plain import start  # noqa: PLC0415 (one of two faces)

        return start(session, config)
    check_terminal()
    app = _app(session, config, offer_resume=options.file is None, asked_for=asked_for)
    app.run()
    return _status_of(app, config)


def _load_config() -> Config:
    return load_config(command.name for command in COMMANDS)


def check_terminal() -> None:
    """Raise CommandError if there is neither a terminal nor a browser to show a board in.

    In the background of a shell the process stops until it is brought to the foreground.
    """
    served = bool(os.environ.get("TEXTUAL_DRIVER"))
    if not (served or (sys.stdin.isatty() and sys.stdout.isatty())):
        raise CommandError(_("the board needs a terminal for input and output; run it in one"))
    if served:
        limit_memory(GAME_MEMORY)
        end_when_exhausted()
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
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415 (what is made from here on is not collected)
    from daoqi_tui.tui.app import DaoqiApp  # noqa: PLC0415

    # Their errors are reported here, not on the screen.
    folders = Folders.standard()
    return DaoqiApp(
        session,
        config=config,
        folders=folders,
        wide_signs=_has_wide_signs(),
        when_shown=_collect_again,
        when_ready=_collect_and_keep,
        **options,
    )


async def show(place: Place | None, visit: Visit | None) -> int:
    """Play an online game on the screen, or visit a lobby; returns the exit status."""
    config = _load_config()
    app = _app(None, config, place=place, visit=visit)
    await app.run_async()
    return _status_of(app, config)


def _status_of(app: DaoqiApp, config: Config) -> int:
    # Printed again, since notifications on the screen disappear.
    sys.stderr.write("".join(f"daoqi-tui: {problem}\n" for problem in config.problems))
    if app.failure is not None:
        raise UnexpectedError from app.failure
    return app.return_code or 0


def _collect_again() -> None:
    """Enable garbage collection again, excluding the objects made during start-up."""
    gc.freeze()
    gc.enable()


def _collect_and_keep() -> None:
    """Exclude what was made ahead from garbage collection: going through it took a third of the time of a dialog."""
    gc.collect()
    gc.freeze()


def _players_in(config: Config, seconds: float | None = None) -> tuple[Seat, Seat]:
    """Return the players in the settings.

    Args:
        config: the settings.
        seconds: the time limit of a move of computers and engines, None for that in the settings.
    """
    found: list[Seat] = []
    for side in ("black", "white"):
        seat = parse_seat(str(config[f"play.{side}"]))
        if seconds is not None and isinstance(seat, (Computer, EngineSeat)):
            seat = replace(seat, seconds=seconds)
        found.append(seat)
    return found[0], found[1]


def _at_my_level(seat: Seat | None, board_size: int) -> Seat | None:
    """Return a seat, with the level by the human's rating on boards of a size if requested."""
    if not isinstance(seat, Computer) or not seat.mine:
        return seat
    from daoqi_tui.play.profile import Ratings  # noqa: PLC0415 (few ask for it)

    ratings = Ratings(library_folder().parent)
    return replace(seat, level=ratings.level(board_size, seat.level))


def _has_wide_signs() -> bool:
    """Return whether the terminal draws ● two cells wide; only Chinese, Japanese and Korean locales are asked."""
    if not is_east_asian(locale_in(os.environ)):
        return False
    from daoqi_tui.cli.doctor import ambiguous_width  # noqa: PLC0415 (most are not asked)

    # A terminal answers within milliseconds; one that does not must not delay the start.
    return ambiguous_width(timeout=0.15) == 2


def _read(file: Path) -> bytes:
    from daoqi_tui.cli.records import read_source  # noqa: PLC0415 (most games are new)

    data = read_source(file)
    if str(file) == "-":
        # The record came from standard input; the keys come from the terminal itself.
        try:
            sys.stdin = open("/dev/tty", errors="replace")  # noqa: PTH123, SIM115 (open as long as the program runs)
        except OSError as error:
            raise CommandError(_("the board needs a terminal for input; run it in one")) from error
    return data


def check_handicap(size: int, stones: int) -> None:
    """Raise UsageError if a board of ``size`` is too small for this many handicap stones."""
    with UsageError.instead_of(ValueError):
        handicap_points(torus_of(size), stones)


def seats(options: argparse.Namespace) -> tuple[Seat | None, Seat | None]:
    """Return the players of Black and White, None for a side without an option.

    Raises:
        UsageError: the command line of an engine cannot be read.
    """
    return _seat(options, "black"), _seat(options, "white")


def _seat(options: argparse.Namespace, side: str) -> Seat | None:
    named, command = getattr(options, side), getattr(options, f"{side}_engine")
    try:
        if command is not None:
            return EngineSeat(command, options.time)
        if named is None:
            return None
        word, _colon, style = named.partition(":")
        if word == MINE:
            return Computer(seconds=options.time, style=style, mine=True)
        return PERSON if named == "person" else Computer(read_level(word), options.time, style)
    except ValueError as error:
        raise UsageError(f"--{side}-engine: {translate(error)}") from error


def run_gtp(options: argparse.Namespace) -> int:
    from functools import partial  # noqa: PLC0415 (the screen serves nobody)

    from daoqi_tui.ai.process import thread_count  # noqa: PLC0415
    from daoqi_tui.gtp.engine import ServeOptions, serve  # noqa: PLC0415
    from daoqi_tui.gtp.engine.session import GameSaver  # noqa: PLC0415
    from daoqi_tui.play.keeper import Folders, open_library  # noqa: PLC0415

    saver = None
    if options.save:
        folders = Folders.standard()
        saver = GameSaver(folders.journal, partial(open_library, folders.library))
    return serve(
        ServeOptions(
            options.size,
            options.komi,
            options.level.level,
            options.time,
            style=options.level.style,
            resign=not options.never_resign,
            net=options.net,
            rules=options.rules or DAOQI,
            visits=options.visits,
            cpu=options.cpu_time,
            threads=thread_count(options.threads),
            name=options.gtp_name,
            version=options.gtp_version,
        ),
        saver,
    )


def run_analysis(options: argparse.Namespace) -> int:
    from daoqi_tui.ai.process import thread_count  # noqa: PLC0415 (the screen serves nobody)
    from daoqi_tui.gtp.engine import ServeOptions, serve_analysis  # noqa: PLC0415

    return serve_analysis(
        ServeOptions(
            net=options.net,
            rules=options.rules or DAOQI,
            visits=options.visits,
            threads=thread_count(options.threads),
            version=options.gtp_version,
        )
    )
