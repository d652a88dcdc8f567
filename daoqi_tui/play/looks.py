"""Options for the appearance of the board and for playing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, cast

from daoqi_tui.config import Config, Value
from daoqi_tui.engine import STYLES, Style


class Options(NamedTuple):
    """Options that apply to every game.

    Attributes:
        margin: lines of wrapped copies around the bright period; None fills the window.
        confirm_click: whether a click must be repeated on the same point to play there.
        follow: whether the last move is kept in the middle of the window.
        names: style of coordinates.
        mark_atari: whether chains in atari are marked.
        mark_ladders: whether chains caught in a ladder are marked.
        board: the colours of the board, one of :data:`~daoqi_tui.pictures.palettes.BOARDS`.
        frame: the colours around it: ``auto`` for those made for the board, or the name of a theme.
        glyphs: what stones are drawn with, one of :data:`~daoqi_tui.tui.look.GLYPH_NAMES`.
        cell: the width of a point in characters, 2, 4 or 6; None takes the largest that shows the whole board.
        bells: the events at which the terminal's bell rings: any of :data:`BELLS`.
        graphics: whether the board is a picture where the terminal shows pictures: ``auto``, ``kitty``,
            ``sixel`` or ``off``.
        motion: ``full``, or ``reduced`` for no animations.
        sound: whether stones are heard.
        net: the computer's network: ``auto``, ``none`` or a file.
        threads: the processor cores it uses: ``auto``, or a number.
        ponder: whether it ponders while a human thinks.
        teach: the points lost from which teach mode warns about a move; 0 for never.
        analysis_visits, analysis_seconds: the limits of the analysis of a position.
        review_visits, review_seconds: the same of a position in a review.
        grades: the points lost from which a move is an inaccuracy, a mistake and a blunder.
        analysis_engine: the command of a GTP engine that analyses; empty for our own player.
    """

    margin: int | None = None
    confirm_click: bool = False
    follow: bool = False
    names: Style = STYLES[0]
    mark_atari: bool = False
    mark_ladders: bool = False
    board: str = "kaya"
    frame: str = "auto"
    glyphs: str = "auto"
    cell: int | None = None
    bells: frozenset[str] = frozenset()
    net: str = "auto"
    graphics: str = "auto"
    motion: str = "full"
    sound: bool = False
    threads: str = "auto"
    ponder: bool = True
    teach: int = 0
    analysis_visits: int = 2000
    analysis_seconds: int = 60
    review_visits: int = 60
    review_seconds: int = 2
    grades: str = "1.5 3 8"
    analysis_engine: str = ""


BELLS: Final = ("move", "capture", "refusal", "end", "time", "turn", "desktop")
_CELLS: Final[Mapping[int | None, str]] = {None: "auto", 2: "2x1", 4: "4x2", 6: "6x3"}


def options_of(config: Config) -> Options:
    copies = config["look.copies"]
    return Options(
        margin=None if copies == "fill" else cast("int", copies),
        confirm_click=bool(config["play.confirm_click"]),
        follow=bool(config["play.follow"]),
        names=cast("Style", config["look.names"]),
        mark_atari=bool(config["play.mark_atari"]),
        mark_ladders=bool(config["play.mark_ladders"]),
        board=str(config["look.board"]),
        frame=str(config["look.frame"]),
        glyphs=str(config["look.stones"]),
        cell=next(width for width, name in _CELLS.items() if name == config["look.cell"]),
        bells=frozenset(event for event in BELLS if config[f"bell.{event}"]),
        net=str(config["play.net"]),
        graphics=str(config["display.graphics"]),
        motion=str(config["display.motion"]),
        sound=bool(config["display.sound"]),
        threads=str(config["play.threads"]),
        ponder=bool(config["play.ponder"]),
        teach=cast("int", config["play.teach"]),
        analysis_visits=cast("int", config["analysis.visits"]),
        analysis_seconds=cast("int", config["analysis.seconds"]),
        review_visits=cast("int", config["analysis.review_visits"]),
        review_seconds=cast("int", config["analysis.review_seconds"]),
        grades=str(config["analysis.grades"]),
        analysis_engine=str(config["analysis.engine"]),
    )


def settings_of(options: Options) -> dict[str, Value]:
    return {
        "look.board": options.board,
        "look.frame": options.frame,
        "look.stones": options.glyphs,
        "look.cell": _CELLS[options.cell],
        "look.copies": "fill" if options.margin is None else options.margin,
        "look.names": options.names,
        "play.confirm_click": options.confirm_click,
        "play.follow": options.follow,
        "play.mark_atari": options.mark_atari,
        "play.mark_ladders": options.mark_ladders,
        "play.net": options.net,
        "play.threads": options.threads if options.threads == "auto" else int(options.threads),
        "play.ponder": options.ponder,
        "play.teach": options.teach,
        "display.graphics": options.graphics,
        "display.motion": options.motion,
        "display.sound": options.sound,
        "analysis.visits": options.analysis_visits,
        "analysis.seconds": options.analysis_seconds,
        "analysis.review_visits": options.review_visits,
        "analysis.review_seconds": options.review_seconds,
        "analysis.grades": options.grades,
        "analysis.engine": options.analysis_engine,
        **{f"bell.{event}": event in options.bells for event in BELLS},
    }
