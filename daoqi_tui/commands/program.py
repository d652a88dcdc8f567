"""Commands of the program: records, panes, settings, screens."""

from __future__ import annotations

from typing import Final

from daoqi_tui.commands.command import Command, group
from daoqi_tui.i18n import N_

COMMANDS: Final = group(
    N_("Game and program"),
    Command(
        "library",
        ("b",),
        N_("Library"),
        N_("Open a game from the library, or a sample game"),
        words=N_("open load file sgf records browse samples"),
        elsewhere=True,
    ),
    Command(
        "unfinished",
        ("ctrl+o",),
        N_("Unfinished games"),
        N_("Resume an unfinished game"),
        words=N_("resume continue restore autosave interrupted"),
        elsewhere=True,
    ),
    Command("save", ("w",), N_("Save"), N_("Save the game as an SGF file"), words=N_("write store export sgf file")),
    Command(
        "export",
        ("P",),
        N_("Export"),
        N_("Export the board (PNG, SVG) or the game (GIF, unrolled SGF)"),
        words=N_("picture image png svg gif animation share screenshot unrolled flat"),
    ),
    Command(
        "copy_position",
        ("y",),
        N_("Copy board"),
        N_("Copy the board to the clipboard as text"),
        words=N_("clipboard text diagram export yank"),
    ),
    Command(
        "copy_game",
        ("Y",),
        N_("Copy game"),
        N_("Copy the game to the clipboard as SGF"),
        words=N_("clipboard sgf export yank record"),
    ),
    Command(
        "new_game",
        ("n",),
        N_("New game"),
        N_("Start a new game"),
        words=N_("start begin restart fresh size komi handicap rules"),
        elsewhere=True,
    ),
    Command(
        "next_pane",
        ("tab",),
        N_("Next pane"),
        N_("Show the next side pane"),
        words=N_("panel minimap map history tree graph torus tab"),
    ),
    Command(
        "previous_pane",
        ("shift+tab",),
        N_("Previous pane"),
        N_("Show the previous side pane"),
        words=N_("panel minimap map history tree graph torus tab"),
    ),
    Command(
        "focus",
        ("F",),
        N_("Focus"),
        N_("Show the board alone, or everything again"),
        words=N_("focus zen fullscreen distraction hide panes board only maximise maximize"),
    ),
    Command(
        "boards", ("T",), N_("Board theme"), N_("Choose a board theme"), words=N_("colours colors skin wood appearance")
    ),
    Command(
        "settings",
        ("o",),
        N_("Settings"),
        N_("Change display, language and play settings"),
        words=N_("options preferences configure config language theme"),
    ),
    Command(
        "set_up",
        ("f6",),
        N_("Set up a position"),
        N_("Set up stones, marks and letters, whose turn it is, and the komi"),
        words=N_("edit position board stones problem diagram place handicap komi"),
        elsewhere=True,
    ),
    Command(
        "lesson",
        ("f2",),
        N_("First lesson"),
        N_("Learn the game on a torus in ten short steps"),
        words=N_("tutorial tour learn teach introduction guide rules"),
    ),
    Command(
        "problems",
        ("f7",),
        N_("Problems"),
        N_("Solve problems on the torus"),
        words=N_("tsumego puzzle exercise practice training life death ladder collection"),
    ),
    Command(
        "welcome",
        ("f3",),
        N_("Welcome"),
        N_("Play the computer or a friend, take the tour, or open a game"),
        words=N_("start begin first hello home beginner"),
        elsewhere=True,
    ),
    Command(
        "help",
        ("question_mark", "f1"),
        N_("Keys"),
        N_("List all keys"),
        words=N_("help shortcuts keyboard manual bindings hotkeys"),
    ),
    Command(
        "palette",
        ("ctrl+p",),
        N_("Menu"),
        N_("Find any command by name"),
        words=N_("command palette find search actions"),
    ),
    Command("quit", ("q", "ctrl+q"), N_("Quit"), N_("Leave the program"), words=N_("exit close leave end bye")),
)
