"""The table of commands, and the parser of each, from which help, completion and the manual are made.

Only words and limits are needed for these: what runs a command is in its module, which this one does not import.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from gettext import gettext
from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui import __version__
from daoqi_tui.cli import EXIT_STATUSES
from daoqi_tui.cli.options import (
    ALL_THREADS_WORDS,
    NETWORK_WORDS,
    Parser,
    add_command,
    add_coordinates,
    add_encoding,
    add_file,
    add_game_options,
    add_move,
    add_reading_options,
    add_rules,
    add_torus_options,
    add_trust_proxy,
    board_theme,
    clock,
    count,
    database,
    elo,
    engine,
    examples_text,
    frame_seconds,
    game_prefix,
    gtp_text,
    handicap,
    head_last,
    komi,
    natural,
    network,
    path,
    periods,
    port,
    public_address,
    public_url,
    seconds,
    size,
    sizes,
    skill,
    threads,
    visits,
    whole,
)
from daoqi_tui.config import BOARDS, BY_PATH
from daoqi_tui.i18n import LANGUAGES, N_, _, listed, one_of
from daoqi_tui.pictures import EXPORTS, SUBJECTS, Export, Subject
from daoqi_tui.text import cell_width
from daoqi_tui.typed import MOST_THREADS, STRONGEST, STYLES, WEAKEST, Skill

if TYPE_CHECKING:
    from daoqi_tui.cli.options import Subparsers

CONFIG_USAGE: Final = {"get": "get NAME", "set": "set NAME VALUE", "unset": "unset NAME"}
NEW_GAME: Final[dict[str, object]] = {
    "size": 16,
    "komi": None,
    "handicap": 0,
    "rules": None,
    "clock": None,
    "black": "nigiri",
    "no_undo": False,
    "no_spectators": False,
    "spectator_delay": 0,
    "name": "",
}
"""The options of ``host`` that apply only to a new game, with their defaults."""
ADMIN_USAGE: Final = {
    "accounts": "accounts [TEXT]",
    "games": "games [NAME]",
    "reports": "reports",
    "close": "close REPORT",
    "mute": "mute NAME",
    "unmute": "unmute NAME",
    "ban": "ban NAME REASON",
    "unban": "unban NAME",
    "bans": "bans",
    "ban-address": "ban-address ADDRESS DAYS [REASON]",
    "unban-address": "unban-address ADDRESS",
    "rename": "rename NAME NEW",
    "delete": "delete NAME",
    "backup": "backup FILE",
    "copy": "copy ADDRESS",
}
PICTURES: Final = tuple(export for export in EXPORTS.values() if export.is_picture)
_KINDS: Final = ("ladders", "capture", "life", "rings", "seki", "superko", "openings")
_EVALUATED: Final = (16, 9, 13, 19, 11)
"""The sizes whose openings are evaluated."""


def add_play(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "play",
        _("open the board (default)"),
        _("Open the board, with a new game or with a game from a file."),
        "daoqi-tui --size 9 --white 3",
        "daoqi-tui game.sgf",
    )
    parser.add_argument(
        "file", nargs="?", type=path, metavar=_("FILE"), help=_("a game record to open; - reads standard input")
    )
    add_game_options(parser)
    parser.add_argument("--plain", action="store_true", help=_("text mode, for screen readers and slow connections"))
    add_reading_options(parser)


def add_serve(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "serve",
        _("show the board in a browser"),
        _(
            "Show the board in a browser. Every tab is a game of its own; one whose tab was closed is offered again. "
            "The address printed opens one browser, which a cookie then lets in until the program ends; "
            "the address for the next, another of yours or a friend's, is printed once this one has been used. "
            "Whoever opens the page plays as you, with your library and your settings, but cannot start programs other "
            "than the GTP engines named here or in your settings, nor read or write other files of yours."
        ),
        "daoqi-tui serve",
        "daoqi-tui serve --port 8080 --size 9",
    )
    parser.add_argument("file", nargs="?", type=path, metavar=_("FILE"), help=_("an SGF file to open"))
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar=_("ADDRESS"),
        help=_("the address to listen on (default: 127.0.0.1, which only this computer reaches)"),
    )
    parser.add_argument(
        "--port",
        type=port,
        default=8000,
        metavar="N",
        help=_("the port to listen on; 0 takes any that is free (default: 8000)"),
    )
    parser.add_argument(
        "--public-url",
        type=public_url,
        metavar=_("URL"),
        help=_("the public URL of the page if it is behind a proxy"),
    )
    add_trust_proxy(parser)
    parser.add_argument(
        "--no-token",
        action="store_true",
        help=_("let in whoever can reach the page, not only browsers that open an address printed here"),
    )
    parser.add_argument(
        "--lobby",
        action="store_true",
        help=_("serve a lobby page as well, where whoever reaches it can open, play and watch online games"),
    )
    parser.add_argument(
        "--game-prefix",
        type=game_prefix,
        metavar="P",
        help=_("letters that begin the ids of the lobby's games, by which a proxy finds this server among several"),
    )
    parser.add_argument(
        "--bots",
        type=whole(0, MOST_THREADS, N_("{text} is not a number of cores: {least} to {most}")),
        metavar="N",
        help=_("processor cores on which all bots of the lobby think; 0 for no bots (default: 1)"),
    )
    _add_database(parser)
    parser.add_argument(
        "--private-webhooks",
        action="store_true",
        default=None,
        help=_("let the webhooks of accounts lead to private addresses too, such as those of this network"),
    )
    parser.add_argument(
        "--ssh",
        type=port,
        metavar=_("PORT"),
        help=_("serve the lobby over ssh at a port as well, where visitors need nothing installed: ssh play@HOST"),
    )
    add_game_options(parser)
    add_torus_options(parser)
    add_encoding(parser)


def add_admin(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "admin",
        _("manage the accounts of a lobby"),
        _(
            "Manage the accounts of the lobby that serve --lobby runs on this computer, while it runs or not: list "
            "accounts, rated games and what players report, mute, ban, rename and delete accounts, and write the whole "
            "lobby into one file. A name with spaces needs quotes; an account is also found by its id."
        ),
        "daoqi-tui admin accounts",
        "daoqi-tui admin ban 'Ke Jie' 'insults others'",
        "daoqi-tui admin backup lobby.tar.gz",
    )
    parser.add_argument(
        "action",
        choices=tuple(ADMIN_USAGE),
        metavar=_("ACTION"),
        help=_(
            "one of {actions}: close removes a report, mute and ban keep an account from chat or from the lobby, "
            "ban-address keeps guests from an address out for some days, copy copies the database into an empty one"
        ).format(actions=", ".join(ADMIN_USAGE)),
    )
    parser.add_argument("words", nargs="*", metavar=_("WORD"), help=_("the name, the reason, the file, and so on"))
    _add_database(parser)


def _add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database",
        type=database,
        metavar=_("ADDRESS"),
        help=_(
            "where the lobby keeps accounts and ratings: sqlite:///FILE or postgresql://USER@HOST/NAME (default: a "
            "file beside its games)"
        ),
    )


def add_host(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "host",
        _("open a game for somebody on another machine"),
        _(
            "Open a game for somebody on another machine, and print an invitation for them. This program is the "
            "referee; every move is on the disk before it is sent on."
        ),
        "daoqi-tui host --listen 0.0.0.0 --size 13 --clock 20+3x30",
        "daoqi-tui host --resume",
    )
    parser.add_argument("--size", type=size, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    parser.add_argument("--komi", type=komi, metavar="K", help=_("points for White (default: 4)"))
    parser.add_argument("--handicap", type=handicap, metavar="H", help=_("0, or 2 to 9 stones (default: 0)"))
    add_rules(parser)
    parser.add_argument(
        "--clock",
        type=clock,
        metavar="C",
        help=_("minutes of main time, then +S for an increment or +NxS for N byo-yomi periods of S seconds: 20+3x30"),
    )
    parser.add_argument("--black", choices=("host", "guest", "nigiri"), help=_("who plays Black (default: nigiri)"))
    parser.add_argument("--no-undo", action="store_true", help=_("play without undo"))
    parser.add_argument("--no-spectators", action="store_true", help=_("let nobody watch"))
    parser.add_argument(
        "--spectator-delay",
        type=whole(0, 3600, N_("{text} is not a delay: a whole number of seconds from {least} to {most}")),
        metavar="S",
        help=_("seconds by which spectators see the game late, at most 3600 (default: 0)"),
    )
    parser.add_argument(
        "--listen",
        metavar=_("ADDRESS"),
        help=_("the address to listen on (default: 127.0.0.1, which only this computer reaches)"),
    )
    parser.add_argument("--port", type=port, metavar="N", help=_("the port to listen on; 0 takes any (default: 7777)"))
    parser.add_argument(
        "--public-url",
        type=public_address,
        metavar=_("URL"),
        help=_("the address others reach it by, such as wss://go.example.org"),
    )
    add_trust_proxy(parser)
    parser.add_argument(
        "--anywhere",
        nargs="?",
        const="",
        metavar=_("RELAY"),
        help=_(
            "have the game reached from anywhere, over iroh: by its public relay servers, by the one at a URL, or with "
            "direct by none"
        ),
    )
    parser.add_argument(
        "--resume", action="store_true", help=_("resume the game you hosted last, at the address and port it had")
    )
    _add_person_options(parser)
    parser.set_defaults(**NEW_GAME)


def add_join(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "join",
        _("play or watch a game on another machine"),
        _(
            "Sit down at a game on another machine with an invitation, which works once; come back to it with the "
            "same command, or watch it with an address without a code. The address of a server alone shows its lobby: "
            "the games to join and to watch, and the bots."
        ),
        "daoqi-tui join 192.168.1.5:7777#mzxw6ytb-abcdefghijklmnopqrst",
        "daoqi-tui join https://go.example.org",
        "daoqi-tui join -",
        "daoqi-tui join",
    )
    parser.add_argument(
        "invitation",
        nargs="?",
        metavar=_("INVITATION"),
        help=_(
            "ADDRESS#CODE as the host has it, the link of a game in a browser, the address of a lobby, or - to type "
            "it, so that other users of this computer do not see it; without one you come back to the game you joined "
            "last"
        ),
    )
    _add_person_options(parser)


def _add_person_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plain", action="store_true", help=_("text mode, for screen readers and slow connections"))
    parser.add_argument(
        "--name", default="", metavar=_("NAME"), help=_("your name (default: the setting play.name, or Player)")
    )
    parser.add_argument(
        "--engine",
        type=engine,
        metavar=_("COMMAND"),
        help=_("the command line of a GTP engine that plays for you"),
    )


def add_games(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "games",
        _("list your online games and whose turn it is"),
        _(
            "List your online games and whose turn it is. The servers are asked; where one does not answer, what was "
            "last known is shown."
        ),
        "daoqi-tui games",
        "daoqi-tui games --forget 192.168.1.5:7777#mzxw6ytb",
    )
    parser.add_argument(
        "--forget",
        metavar=_("ADDRESS"),
        help=_("give up your seat in the game at this address, as it is listed; nobody can take it again"),
    )


def add_show(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "show",
        _("print a board"),
        _("Print a board of a game to standard output, in colour only on a terminal."),
        "daoqi-tui show game.sgf --move 40",
    )
    add_file(parser)
    add_move(parser)
    parser.add_argument("--format", choices=("text", "ansi", "svg"), help=_("default: ansi on a terminal, else text"))
    _add_form(parser)


def add_score(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "score",
        _("score a game"),
        _("Count the area at the end of a game, by the rules that its record names."),
        "daoqi-tui score game.sgf",
    )
    add_file(parser)
    parser.add_argument("--json", action="store_true", help=_("print JSON"))


def add_convert(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "convert",
        _("convert a game to SGF"),
        _("Read a game (SGF of any age and encoding, GIB, NGF, UGF, a diagram as text) and write it as SGF in UTF-8."),
        "daoqi-tui convert old.sgf new.sgf --portable",
    )
    add_file(parser, _("IN"))
    parser.add_argument("out", type=path, metavar=_("OUT"), help=_("the file to write; - writes to standard output"))
    flat = parser.add_mutually_exclusive_group()
    flat.add_argument(
        "--portable",
        action="store_true",
        help=_("for programs that know only a flat board: add setup where it differs"),
    )
    flat.add_argument(
        "--unrolled",
        type=periods,
        default=0,
        metavar="K",
        help=_("the same with the board unrolled: K times across and down, stones on every copy"),
    )
    parser.add_argument(
        "--force", action="store_true", help=_("replace the file even if it is of another kind, or IN with more games")
    )


def add_export(subparsers: Subparsers) -> None:
    decides = _("Draw a board as a picture, or a game as an animation. The ending of the file decides: {endings}.")
    parser = add_command(
        subparsers,
        "export",
        _("draw a board or a game as {kinds}").format_map(named(PICTURES)),
        decides.format_map(named(PICTURES)),
        "daoqi-tui export game.sgf game.gif --animate game",
    )
    add_file(parser)
    parser.add_argument(
        "out", type=path, metavar=_("OUT"), help=_("the file to write; - writes an SVG to standard output")
    )
    add_move(parser)
    add_coordinates(parser)
    animations = [subject for subject in SUBJECTS if subject != "board" and any(drawing(subject))]
    parser.add_argument(
        "--animate",
        choices=animations,
        help=_("show an animation: {animations}").format(
            animations=listed(
                _("{name} ({kinds}: {label})").format(
                    name=subject,
                    kinds=one_of([each.kind.name for each in drawing(subject)]),
                    label=_(SUBJECTS[subject]),
                )
                for subject in animations
            )
        ),
    )
    parser.add_argument("--theme", type=board_theme, choices=BOARDS, help=_("the board theme (default: kaya)"))
    parser.add_argument(
        "--point",
        type=whole(8, 120, N_("{text} is not a number of pixels: a whole number from 8 to 120")),
        metavar="PX",
        help=_("pixels of a point (default: 36; 20 in a pan, 32 on the torus)"),
    )
    parser.add_argument("--periods", type=periods, metavar="K", help=_("show the board K times in each direction"))
    parser.add_argument(
        "--seconds", type=frame_seconds, metavar="S", help=_("how long each move is shown (default: 0.7)")
    )
    parser.add_argument("--force", action="store_true", help=_("replace the file even if it is of another kind"))


def add_ladder(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "ladder",
        _("read a ladder"),
        _("Say whether a chain with one or two liberties is captured in a ladder, and how."),
        "daoqi-tui ladder game.sgf --move 40 --point K9 --breakers",
    )
    add_file(parser)
    add_move(parser)
    parser.add_argument("--point", required=True, metavar="K9", help=_("a stone of the chain"))
    parser.add_argument("--to-play", choices=("black", "white"), help=_("who plays first (default: who is to move)"))
    parser.add_argument("--breakers", action="store_true", help=_("also where one more stone changes the answer"))
    parser.add_argument(
        "--nodes",
        type=whole(0, 10**12 - 1, N_("{text} is not a number of moves: a whole number such as 100000")),
        metavar="N",
        help=_("give up after N moves tried (default: never)"),
    )
    _add_form(parser)


def add_openings(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "openings",
        _("identify the opening of a game, or count those of a folder"),
        _(
            "Say which of the openings of two moves a game begins with, and its moves in standard form. Of a folder, "
            "index the SGF files, those below it too, and count how their games begin."
        ),
        "daoqi-tui openings game.sgf --json",
        "daoqi-tui openings ~/games",
    )
    add_file(parser, _("FILE|DIR"))
    _add_form(parser)


def add_search(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "search",
        _("find the games of a folder with a position"),
        _(
            "List the games of a folder, and of those below it, that reached the position of FILE, and count the moves "
            "played there. Shifted, turned and mirrored positions count, and those with colours exchanged, with the "
            "same side to move. With --shape only a rectangle has to be the same, empty points included, whoever is to "
            "move; the moves are those played in it next."
        ),
        "daoqi-tui search ~/games game.sgf --move 20",
        "daoqi-tui search ~/games game.sgf --shape C6:G3",
    )
    parser.add_argument("folder", type=path, metavar=_("DIR"), help=_("a folder of SGF files"))
    add_file(parser)
    add_move(parser)
    parser.add_argument(
        "--shape",
        metavar="C6:G3",
        help=_("search a rectangle: its top left and bottom right point; it may cross the seam"),
    )
    _add_form(parser)


def add_review(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "review",
        _("review the games of a folder"),
        _(
            "Review the SGF files of a folder, those below it too, as V does on the screen, with its settings. "
            "Evaluations and marks are written into the files, and your own mistakes become problems. Each game is "
            "saved when it is done: stopped and started again, the command goes on with the next one, and games that "
            "have not changed since their review are skipped."
        ),
        "daoqi-tui review ~/games",
    )
    parser.add_argument("folder", type=path, metavar=_("DIR"), help=_("a folder of SGF files"))


def _add_form(parser: argparse.ArgumentParser) -> None:
    add_coordinates(parser)
    parser.add_argument("--json", action="store_true", help=_("print JSON"))


def drawing(subject: Subject) -> list[Export]:
    """Return the kinds of pictures that can show a subject."""
    return [each for each in PICTURES if subject in each.subjects]


def named(exports: Sequence[Export]) -> dict[str, str]:
    """Return the names and the endings of some kinds of files as alternatives within a sentence."""
    return {
        "kinds": one_of([each.kind.name for each in exports]),
        "endings": one_of([each.ending for each in exports]),
    }


def add_problems(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "problems",
        _("count, make or prove problems"),
        _(
            "Count the problems of a collection (list), add new ones with proved answers (make), or prove every "
            "answer from scratch (check). Without a file, this is the collection that comes with the program. The "
            "board has a command to solve them."
        ),
        "daoqi-tui problems list",
        "daoqi-tui problems make more.sgf --count 20 --seed 7",
        "daoqi-tui problems check more.sgf",
    )
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        choices=("list", "make", "check"),
        help=_("list counts the problems by kind and level, make adds some, check proves them"),
    )
    parser.add_argument("file", nargs="?", type=path, metavar=_("FILE"), help=_("an SGF collection of problems"))
    parser.add_argument(
        "--count",
        type=whole(1, 100_000, N_("{text} is not a number of problems: a whole number from {least} to {most}")),
        metavar="N",
        help=_("with make: how many problems to add (default: 20)"),
    )
    parser.add_argument(
        "--seed",
        type=whole(0, 999_999_999, N_("{text} is not a seed: a whole number from {least} to {most}")),
        metavar="N",
        help=_("with make: the seed of the random positions; the same one goes on where it stopped (default: 1)"),
    )
    parser.add_argument("--kind", choices=_KINDS, help=_("with make: only this kind (default: all by turns)"))
    parser.add_argument(
        "--visits",
        type=whole(16, 1_000_000, N_("{text} is not a number of visits: a whole number from {least} to {most}")),
        metavar="N",
        help=_("with make --kind openings: visits of the network for each opening (default: 800)"),
    )
    parser.add_argument("--net", type=network, metavar=_("NET"), help=_("with make: the network that grades problems"))


def add_gtp(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "gtp",
        _("run as a GTP engine (stdio)"),
        _("Serve the computer player over GTP 2 on standard input and output."),
        "daoqi-tui gtp --level 5",
        "gogui -program 'daoqi-tui gtp'",
    )
    _add_board(parser)
    levels = _(
        "{weakest} to {strongest}, in steps of 0.5 (default: {strongest}); a style may follow, as in 5:fighting: "
        "{styles}"
    ).format(weakest=WEAKEST, strongest=STRONGEST, styles=", ".join(STYLES))
    parser.add_argument("--level", type=skill, default=Skill(STRONGEST), metavar="L", help=levels)
    parser.add_argument("--time", type=seconds, metavar="S", help=_("at most this many seconds per move"))
    parser.add_argument("--net", type=network, metavar=_("NET"), default="auto", help=_(NETWORK_WORDS))
    parser.add_argument("--threads", type=threads, metavar="N", default="auto", help=_(ALL_THREADS_WORDS))
    _add_limits(parser)
    saves = _("save each move before it is answered: a game that is cut off can be resumed, others go into the library")
    parser.add_argument("--save", action="store_true", help=saves)
    parser.add_argument("--never-resign", action="store_true", help=_("play every game to its end"))
    parser.add_argument(
        "--gtp-name", type=gtp_text, default="Daoqi", metavar=_("NAME"), help=_("the answer to name (default: Daoqi)")
    )
    _add_version(parser)


def add_analysis(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "analysis",
        _("analyse over KataGo's JSON protocol (stdio)"),
        _("Serve analyses in KataGo's JSON protocol on standard input and output, as for KaTrain."),
        "daoqi-tui analysis --visits 200",
    )
    parser.add_argument("--net", type=network, metavar=_("NET"), default="auto", help=_(NETWORK_WORDS))
    parser.add_argument("--threads", type=threads, metavar="N", default="auto", help=_(ALL_THREADS_WORDS))
    parser.add_argument(
        "--visits",
        type=visits,
        metavar="N",
        help=_("visits where a query names none (default: 500)"),
    )
    add_rules(parser)
    _add_version(parser)


def _add_version(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--gtp-version",
        type=gtp_text,
        default=__version__,
        metavar=_("VERSION"),
        help=_("the answer to version, for programs that take {version} for too old").format(version=__version__),
    )


def _add_board(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is played."""
    parser.add_argument("--size", type=size, default=16, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    parser.add_argument("--komi", type=komi, default=4, metavar="K", help=_("points for White (default: 4)"))
    add_rules(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the options for fair limits on our own player."""
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help=_("count the CPU time of the built-in computer for --time, which a busy machine does not change"),
    )
    parser.add_argument(
        "--visits", type=visits, metavar="N", help=_("visits per move of the built-in computer, whatever its level")
    )


def add_match(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "match",
        _("play a match between two engines on the torus"),
        _(
            "Let two players play a match on the torus, alternating colours. A player is level:N, our own at that "
            "level; net:FILE, our own at its highest level with another network (net:auto means the built-in "
            "ones); level:N net:FILE, both; level:N:STYLE plays in a style ({styles}); or the command line of a GTP "
            "engine that knows the torus. Games lost by an illegal move or a failure of an engine are counted apart."
        ).format(styles=", ".join(STYLES)),
        "daoqi-tui match level:4 level:5 --size 9",
        "daoqi-tui match level:8 'daoqi-tui gtp --time 2' --games 40 --out results",
    )
    parser.add_argument("first", metavar="A", help=_("the first player: level:N, net:FILE or a command line"))
    parser.add_argument("second", metavar="B", help=_("the second player"))
    parser.add_argument("--games", type=count, default=40, metavar="G", help=_("how many games (default: 40)"))
    _add_board(parser)
    parser.add_argument("--time", type=seconds, metavar="S", help=_("seconds per move (default: up to the players)"))
    _add_limits(parser)
    parser.add_argument(
        "--sprt",
        type=elo,
        nargs=2,
        metavar=("E0", "E1"),
        help=_("end the match once it is 95 %% sure whether A is stronger by E0 or by E1 Elo; --games is the most"),
    )
    parser.add_argument(
        "--opening",
        type=whole(0, 100, N_("{text} is not a number of plays: {least} to {most}")),
        default=2,
        metavar="M",
        help=_("start each pair of games from the same M random moves (default: 2)"),
    )
    parser.add_argument("--parallel", type=count, default=2, metavar="P", help=_("games at a time (default: 2)"))
    parser.add_argument(
        "--out",
        type=path,
        metavar=_("DIR"),
        help=_("folder for the records and results; a match found there is continued"),
    )
    _add_ray(parser)


def add_conformance(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "conformance",
        _("check whether an engine plays by the rules of the torus"),
        _(
            "Ask a GTP engine about positions with known answers: captures across the seam, suicide, every kind of "
            "superko, the score, ladders, openings that are the same, and the last eyes. The page "
            "Torus Go for authors describes the cases and the commands."
        ),
        "daoqi-tui conformance 'daoqi-tui gtp --level 1'",
        "daoqi-tui conformance --print > conformance.json",
    )
    parser.add_argument("engine", nargs="?", metavar=_("COMMAND"), help=_("the command line of the engine"))
    parser.add_argument("--print", action="store_true", help=_("print the cases as JSON and exit"))
    add_rules(parser)


def add_export_net(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "export-net",
        _("write a network as an ONNX file"),
        _(
            "Write a network as an ONNX file, which other programs can run on boards of every size. The page Torus Go "
            "for authors describes what goes in and out."
        ),
        "daoqi-tui export-net daoqi daoqi.onnx",
        "daoqi-tui export-net my-net/net.npz my-net.onnx",
    )
    parser.add_argument(
        "net",
        metavar=_("NETWORK"),
        help=_("daoqi, daoqi-9x9 or daoqi-large, the program's own networks; katrain, or a file"),
    )
    parser.add_argument("out", type=path, metavar=_("FILE"), help=_("the ONNX file"))
    parser.add_argument("--force", action="store_true", help=_("replace the file if it exists"))


def add_train(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "train",
        _("train a network from a teacher or from scratch"),
        _(
            "Train a network in a folder, from a teacher or from scratch; continue where it was interrupted. All "
            "settings are in one TOML file, which is stored in the folder."
        ),
        "daoqi-tui train my-net --settings my-net.toml",
        "daoqi-tui train my-net",
    )
    parser.add_argument("folder", type=path, metavar=_("DIR"), help=_("the training folder"))
    parser.add_argument("--settings", type=path, metavar=_("FILE"), help=_("the settings of a new training"))
    _add_ray(parser)
    parser.add_argument("--print-settings", action="store_true", help=_("print all settings as TOML and exit"))


def add_judge(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "judge",
        _("evaluate the openings with a network"),
        _(
            "Search all openings of two moves and their third moves with a network, and let it play games for the "
            "fair komi. Results are added to a file, so an interrupted run continues. What the program says of "
            "openings was made this way by two networks: where they differ is how little is known."
        ),
        "daoqi-tui judge judged.jsonl --sizes 9,16",
        "daoqi-tui judge judged.jsonl others.jsonl --compact openings.json.gz",
    )
    parser.add_argument(
        "files", type=path, nargs="+", metavar=_("FILE"), help=_("the file of results; with --compact, of each network")
    )
    parser.add_argument(
        "--sizes",
        type=sizes,
        metavar="N,N",
        default=_EVALUATED,
        help=_("board sizes, the most important first (default: {sizes})").format(sizes=",".join(map(str, _EVALUATED))),
    )
    for option, parse, usual, text in (
        ("--visits", visits, 400, _("visits of each search of an opening (default: {default})")),
        ("--third-visits", visits, 24, _("visits of each search after a third move (default: {default})")),
        ("--komi-games", natural, 1000, _("games for the fair komi of each size (default: {default}; 0 plays none)")),
    ):
        parser.add_argument(option, type=parse, metavar="N", default=usual, help=text.format(default=usual))
    parser.add_argument("--net", type=network, metavar=_("NET"), default="auto", help=_(NETWORK_WORDS))
    parser.add_argument(
        "--compact",
        type=path,
        metavar=_("OUT"),
        help=_("evaluate nothing; write the results so far in the program's format"),
    )


def _add_ray(parser: argparse.ArgumentParser) -> None:
    """Add the option that spreads games over several machines."""
    parser.add_argument(
        "--ray",
        metavar=_("ADDRESS"),
        help=_("play the games on the Ray cluster at this address; auto finds the one of this machine, or starts one"),
    )


def add_config(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "config",
        _("show or change the settings"),
        _(
            "Show the settings in use, say where the file is, write one with every setting explained, or print or "
            "change a single setting. Comments in the file are kept. The keys of a command are the setting "
            "keys.COMMAND."
        ),
        "daoqi-tui config --init",
        "daoqi-tui config get look.board",
        "daoqi-tui config set look.board slate",
        "daoqi-tui config set keys.pass 'p ctrl+n'",
        "daoqi-tui config unset look.board",
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=tuple(CONFIG_USAGE),
        help=_("get prints a setting, set writes it into the file, unset comments it out there"),
    )
    parser.add_argument("name", nargs="?", metavar=_("SETTING"), help=_("the setting, such as look.board"))
    parser.add_argument("value", nargs="?", metavar=_("VALUE"), help=_("with set: the new value"))
    parser.words = {"name": tuple(BY_PATH)}
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--init", action="store_true", help=_("write a file with every setting explained"))
    mode.add_argument("--path", action="store_true", help=_("print where the file is"))
    mode.add_argument("--show", action="store_true", help=_("print all settings (default)"))
    parser.add_argument("--force", action="store_true", help=_("with --init: replace the file, keeping what it sets"))


def add_doctor(subparsers: Subparsers) -> None:
    add_command(
        subparsers,
        "doctor",
        _("check the terminal and the settings"),
        _(
            "Check what the terminal can do, the settings, and whether games can be saved, and say what to set. The "
            "exit status is 1 where a line begins with !: the program does not work well then. Advice in a line that "
            "begins with - is a matter of taste, or something the terminal did not tell, and leaves the status 0."
        ),
    )


def add_completion(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "completion",
        _("print completion for a shell"),
        _("Print a script that lets a shell complete commands and options."),
        "daoqi-tui completion bash > ~/.local/share/bash-completion/completions/daoqi-tui",
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help=_("the shell"))


def add_man(subparsers: Subparsers) -> None:
    add_command(
        subparsers,
        "man",
        _("print the manual page"),
        _("Print the manual page as roff."),
        "daoqi-tui man | man -l -",
        "daoqi-tui man > ~/.local/share/man/man1/daoqi-tui.1",
    )


class Command(NamedTuple):
    """A command.

    Attributes:
        module: has the function that runs it, ``run_`` and the name of the command, which returns the exit status.
        add_parser: adds its parser.
    """

    module: str
    add_parser: Callable[[Subparsers], None]


COMMANDS: Final = {
    "play": Command("daoqi_tui.cli.play", add_play),
    "host": Command("daoqi_tui.cli.online", add_host),
    "join": Command("daoqi_tui.cli.online", add_join),
    "games": Command("daoqi_tui.cli.online", add_games),
    "show": Command("daoqi_tui.cli.records", add_show),
    "score": Command("daoqi_tui.cli.records", add_score),
    "convert": Command("daoqi_tui.cli.records", add_convert),
    "export": Command("daoqi_tui.cli.records", add_export),
    "ladder": Command("daoqi_tui.cli.records", add_ladder),
    "openings": Command("daoqi_tui.cli.records", add_openings),
    "search": Command("daoqi_tui.cli.records", add_search),
    "review": Command("daoqi_tui.cli.records", add_review),
    "problems": Command("daoqi_tui.cli.lab", add_problems),
    "serve": Command("daoqi_tui.cli.online", add_serve),
    "admin": Command("daoqi_tui.cli.admin", add_admin),
    "gtp": Command("daoqi_tui.cli.play", add_gtp),
    "analysis": Command("daoqi_tui.cli.play", add_analysis),
    "match": Command("daoqi_tui.cli.lab", add_match),
    "conformance": Command("daoqi_tui.cli.lab", add_conformance),
    "export-net": Command("daoqi_tui.cli.lab", add_export_net),
    "train": Command("daoqi_tui.cli.lab", add_train),
    "judge": Command("daoqi_tui.cli.lab", add_judge),
    "config": Command("daoqi_tui.cli.program", add_config),
    "doctor": Command("daoqi_tui.cli.doctor", add_doctor),
    "completion": Command("daoqi_tui.cli.program", add_completion),
    "man": Command("daoqi_tui.cli.program", add_man),
}
"""The commands in the order in which help lists them."""
_HEADINGS: Final = {
    "play": N_("Playing"),
    "show": N_("Records and study"),
    "serve": N_("Servers"),
    "match": N_("Laboratory"),
    "config": N_("The program itself"),
}
"""The groups of commands, by the first of each."""


def parser_for(command: str | None = None) -> Parser:
    """Return the parser of one command, or of all of them, which takes milliseconds longer."""
    parser = Parser(
        prog="daoqi-tui",
        usage="\n".join(
            (
                _("daoqi-tui [OPTION]... [FILE]"),
                " " * cell_width(gettext("usage: ")) + _("daoqi-tui COMMAND [OPTION]... [ARGUMENT]..."),
            )
        ),
        description=_("Play, replay and study Daoqi (道棋), the game of Go on a torus, in the terminal.")
        + "\n\n"
        + _(
            "Without a command the board opens, with a new game or with FILE. That is short for daoqi-tui play and "
            "takes its options, such as --size 9 and --white 3: daoqi-tui play --help lists them."
        ),
    )
    parser.examples = ("daoqi-tui --size 9 --white 3", "daoqi-tui game.sgf", "daoqi-tui score game.sgf")
    heading = _("exit status:")
    statuses = "\n".join((heading, *(f"  {status:<7}{_(text)}" for status, text in EXIT_STATUSES)))
    parser.epilog = f"{examples_text(parser.examples)}\n\n{statuses}"
    # These two are read before any parser is made; named here so that help and completion know them.
    parser.add_argument("--lang", choices=("auto", *LANGUAGES), help=_("the language; auto uses the system's"))
    parser.add_argument(
        "--debug", action="store_true", help=_("print the traceback of an unexpected error instead of writing a report")
    )
    parser.add_argument(
        "-V",
        "--version",
        action="version",
        version=f"daoqi-tui {__version__}",
        help=_("show the version number and exit"),
    )
    subparsers = parser.add_subparsers(title=_("commands"), metavar=_("COMMAND"), prog=parser.prog)
    for name in [command] if command in COMMANDS else COMMANDS:
        COMMANDS[name].add_parser(subparsers)
        if name in _HEADINGS:
            head_last(subparsers, _(_HEADINGS[name]))
    return parser
