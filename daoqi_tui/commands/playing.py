"""Commands of play: stones, passes, resignation, the end of the game, the computer players."""

from __future__ import annotations

from typing import Final

from daoqi_tui.commands.command import Command, group
from daoqi_tui.i18n import N_

COMMANDS: Final = group(
    N_("Playing"),
    Command("play", ("enter", "space"), N_("Play"), N_("Play at the cursor"), words=N_("place put stone move here")),
    Command(
        "pass",
        ("p",),
        N_("Pass"),
        N_("Pass: costs a point in Daoqi; two passes end the game"),
        words=N_("skip turn tenuki no move"),
    ),
    Command(
        "type_move",
        ("g",),
        N_("Type a move"),
        N_("Type a move, such as K10 or pass"),
        words=N_("enter coordinates point name keyboard"),
    ),
    Command("undo", ("u", "ctrl+z"), N_("Undo"), N_("Undo the last move"), words=N_("take back revert retract cancel")),
    Command("redo", ("U", "ctrl+r"), N_("Redo"), N_("Redo an undone move"), words=N_("play again repeat restore")),
    Command(
        "count",
        ("t",),
        N_("Count"),
        N_("Count the area and score the board as it stands"),
        words=N_("score area territory points result"),
    ),
    Command("resign", ("R",), N_("Resign"), N_("Resign the game"), words=N_("surrender concede give up lose")),
    Command(
        "result",
        ("f4",),
        N_("Result"),
        N_("Show how the game ended: count, graph and biggest mistake"),
        words=N_("result card score winner summary end"),
    ),
    Command(
        "dead",
        ("d",),
        N_("Dead stones"),
        N_("After two passes: mark the dead stones"),
        words=N_("remove captured alive groups life mark"),
    ),
    Command("resume", ("r",), N_("Resume"), N_("Resume a finished game"), words=N_("continue reopen disagree play on")),
    Command(
        "players",
        ("C",),
        N_("Players"),
        N_("Choose who plays each side from here on"),
        words=N_("seats opponent computer human who plays bot engine level ai gtp"),
        elsewhere=True,
    ),
    Command(
        "teach",
        ("B",),
        N_("Teach mode"),
        N_("Warn when a move against the computer loses points, or stop"),
        words=N_("blunder check mistakes learn tutor warn take back"),
    ),
    Command(
        "pause",
        ("z",),
        N_("Pause computers"),
        N_("Pause or resume the computers, or in an online game the clock"),
        words=N_("stop halt wait engine bot ai"),
    ),
    Command(
        "step",
        ("s",),
        N_("Computer move"),
        N_("Have the computer play one move here"),
        words=N_("engine bot ai genmove single move"),
        elsewhere=True,
    ),
    Command(
        "engine_log",
        ("E",),
        N_("Engine log"),
        N_("Show the GTP engine log"),
        words=N_("gtp log debug stderr output console"),
    ),
)
