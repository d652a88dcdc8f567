"""The commands of the game screen and the keys of the torus, as data; :data:`COMMANDS` is in the order of the help.

The keys that the user has chosen apply to the whole process.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from daoqi_tui.commands import Command, group, key_sign
from daoqi_tui.i18n import N_, _
from daoqi_tui.pictures import EXPORTS

BOARD: Final = group(
    N_("Panning and cursor"),
    Command("pan_left", ("left",), N_("Pan left"), N_("Pan one point to the left"), words=N_("scroll move west")),
    Command("pan_right", ("right",), N_("Pan right"), N_("Pan one point to the right"), words=N_("scroll move east")),
    Command("pan_up", ("up",), N_("Pan up"), N_("Pan one point up"), words=N_("scroll move north")),
    Command("pan_down", ("down",), N_("Pan down"), N_("Pan one point down"), words=N_("scroll move south")),
    Command(
        "pan_left_4",
        ("shift+left",),
        N_("Pan far left"),
        N_("Pan four points to the left"),
        words=N_("scroll fast west four"),
    ),
    Command(
        "pan_right_4",
        ("shift+right",),
        N_("Pan far right"),
        N_("Pan four points to the right"),
        words=N_("scroll fast east four"),
    ),
    Command("pan_up_4", ("shift+up",), N_("Pan far up"), N_("Pan four points up"), words=N_("scroll fast north four")),
    Command(
        "pan_down_4",
        ("shift+down",),
        N_("Pan far down"),
        N_("Pan four points down"),
        words=N_("scroll fast south four"),
    ),
    Command(
        "cursor_left",
        ("h",),
        N_("Cursor left"),
        N_("Move the cursor one point to the left"),
        words=N_("select move point west"),
    ),
    Command(
        "cursor_down",
        ("j",),
        N_("Cursor down"),
        N_("Move the cursor one point down"),
        words=N_("select move point south"),
    ),
    Command(
        "cursor_up", ("k",), N_("Cursor up"), N_("Move the cursor one point up"), words=N_("select move point north")
    ),
    Command(
        "cursor_right",
        ("l",),
        N_("Cursor right"),
        N_("Move the cursor one point to the right"),
        words=N_("select move point east"),
    ),
    Command(
        "centre_last",
        ("c",),
        N_("Centre last move"),
        N_("Centre the last move"),
        words=N_("center middle recent stone find"),
    ),
    Command("reset_view", ("0",), N_("Reset view"), N_("Reset the view"), words=N_("reset view home unshifted")),
    Command(
        "follow",
        ("f",),
        N_("Follow last move"),
        N_("Keep the last move centred, or stop"),
        words=N_("track auto center scroll lock"),
    ),
    Command(
        "zoom_in",
        ("plus", "equals_sign"),
        N_("Zoom in"),
        N_("Make the board larger"),
        words=N_("bigger larger magnify enlarge"),
    ),
    Command("zoom_out", ("minus",), N_("Zoom out"), N_("Make the board smaller"), words=N_("smaller shrink reduce")),
    Command(
        "torus",
        ("3",),
        N_("3-D torus"),
        N_("Show the board as a rotating torus, full screen"),
        words=N_("3d doughnut donut rotate ring round"),
    ),
)

GAME: Final = group(
    N_("Navigation and replay"),
    Command(
        "back", ("left_square_bracket",), N_("Back"), N_("Go back one move"), words=N_("previous move earlier rewind")
    ),
    Command(
        "forward",
        ("right_square_bracket",),
        N_("Forward"),
        N_("Go forward one move"),
        words=N_("next move later advance"),
    ),
    Command(
        "back_10",
        ("left_curly_bracket",),
        N_("Ten moves back"),
        N_("Go back ten moves"),
        words=N_("rewind previous fast"),
    ),
    Command(
        "forward_10",
        ("right_curly_bracket",),
        N_("Ten moves forward"),
        N_("Go forward ten moves"),
        words=N_("advance next skip fast"),
    ),
    Command(
        "start",
        ("home",),
        N_("To the start"),
        N_("Go to the start of the game"),
        words=N_("beginning first move rewind root"),
    ),
    Command(
        "end", ("end",), N_("To the end"), N_("Go to the end of this variation"), words=N_("last move latest final")
    ),
    Command(
        "variation",
        ("v",),
        N_("Next variation"),
        N_("Go to the next variation of this move"),
        words=N_("branch alternative sibling tree"),
    ),
    Command(
        "replay",
        ("a",),
        N_("Replay"),
        N_("Replay the game automatically, or stop"),
        words=N_("autoplay slideshow watch animate"),
    ),
    Command("faster", ("full_stop",), N_("Faster"), N_("Replay faster"), words=N_("quicker fast replay speed")),
    Command("slower", ("comma",), N_("Slower"), N_("Replay slower"), words=N_("slow replay speed")),
)
PLAYING: Final = group(
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
    Command(
        "undo",
        ("u", "ctrl+z"),
        N_("Undo"),
        N_("Undo the last move or edit"),
        words=N_("take back revert retract cancel"),
    ),
    Command(
        "redo", ("U", "ctrl+r"), N_("Redo"), N_("Redo an undone move or edit"), words=N_("play again repeat restore")
    ),
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
READING: Final = group(
    N_("Analysis"),
    Command(
        "ladder",
        ("L",),
        N_("Ladder"),
        N_("Read the ladder on the chain at the cursor"),
        words=N_("shicho capture chase read"),
        helps=True,
    ),
    Command(
        "clear",
        ("escape",),
        N_("Clear"),
        N_("Clear a ladder, hint or analysis; hurry or stop the computer"),
        words=N_("hide remove close cancel dismiss stop"),
    ),
    Command(
        "analysis",
        ("W",),
        N_("Analysis"),
        N_("Analyse the positions you look at, or stop"),
        words=N_("engine search continuous best moves candidates win rate katago"),
        helps=True,
    ),
    Command(
        "next_move",
        ("right_parenthesis",),
        N_("Next best move"),
        N_("Point at the next move of the analysis, to see its line"),
        words=N_("candidate variation line step"),
        helps=True,
    ),
    Command(
        "previous_move",
        ("left_parenthesis",),
        N_("Previous best move"),
        N_("Point at the previous move of the analysis"),
        words=N_("candidate variation line step"),
        helps=True,
    ),
    Command(
        "hint",
        ("H",),
        N_("Hint"),
        N_("Give a hint: the area, then three points, then the best move"),
        words=N_("best moves suggest help ai analyze advice candidates"),
        helps=True,
    ),
    Command(
        "estimate",
        ("e",),
        N_("Estimate"),
        N_("Estimate territory and score lead"),
        words=N_("evaluate territory ownership influence judge win rate"),
        helps=True,
    ),
    Command(
        "review",
        ("V",),
        N_("Review"),
        N_("Find the biggest mistakes of the game"),
        words=N_("analyze mistakes blunders errors whole game"),
        helps=True,
    ),
    Command(
        "next_mistake",
        ("greater_than_sign",),
        N_("Next mistake"),
        N_("Go to the next mistake"),
        words=N_("blunder error review jump"),
        helps=True,
    ),
    Command(
        "previous_mistake",
        ("less_than_sign",),
        N_("Previous mistake"),
        N_("Go to the previous mistake"),
        words=N_("blunder error review jump back"),
        helps=True,
    ),
    Command(
        "summary",
        ("Z",),
        N_("Summary"),
        N_("Sum up how both sides played"),
        words=N_("statistics mean loss mistakes accuracy report"),
        helps=True,
    ),
    Command(
        "standard",
        ("S",),
        N_("Standard form"),
        N_("Turn the view to the opening's standard form"),
        words=N_("turn rotate mirror symmetry canonical opening"),
    ),
    Command(
        "openings",
        ("O",),
        N_("Browse openings"),
        N_("Browse the openings: values, best replies, games of the library"),
        words=N_("fuseki joseki catalogue first moves"),
        helps=True,
    ),
    Command(
        "find",
        ("ctrl+f",),
        N_("Find in the library"),
        N_("Find the games of the library with this position, or with the shape around the cursor"),
        words=N_("search position shape pattern rectangle next moves games joseki"),
        helps=True,
    ),
)

NOTES: Final = group(
    N_("Notes"),
    Command(
        "comment",
        ("i",),
        N_("Comment"),
        N_("Write a comment on this move"),
        words=N_("note annotate text remark describe"),
    ),
    Command(
        "mark",
        ("x",),
        N_("Mark"),
        N_("Mark the point at the cursor: triangle, square, circle, cross"),
        words=N_("triangle square circle cross annotate"),
    ),
    Command(
        "letter",
        ("X",),
        N_("Letter"),
        N_("Put the next letter on the point at the cursor"),
        words=N_("label annotate abc character"),
    ),
    Command(
        "annotate",
        ("exclamation_mark",),
        N_("Annotate"),
        N_("Annotate the move: good, bad, doubtful, interesting, a hotspot, or the position"),
        words=N_("good bad doubtful interesting hotspot even unclear evaluation symbol tesuji"),
    ),
    Command(
        "arrow",
        ("circumflex_accent",),
        N_("Arrow"),
        N_("Draw an arrow: its start at the cursor, then its end; or remove one"),
        words=N_("draw pointer annotate direction"),
    ),
    Command(
        "line",
        ("backslash",),
        N_("Line"),
        N_("Draw a line: its start at the cursor, then its end; or remove one"),
        words=N_("draw connect annotate"),
    ),
    Command(
        "numbers",
        ("m",),
        N_("Move numbers"),
        N_("Show or hide move numbers"),
        words=N_("order sequence count show moves"),
    ),
)
EDITING: Final = group(
    N_("Editing the record"),
    Command(
        "information",
        ("f5",),
        N_("Game information"),
        N_("Edit players, ranks, event, round, place, date, result, komi and rules"),
        words=N_("metadata header names rename title properties"),
    ),
    Command(
        "delete_variation",
        ("delete",),
        N_("Delete variation"),
        N_("Delete this move with all that follows"),
        words=N_("branch node tree erase"),
    ),
    Command(
        "promote",
        ("asterisk",),
        N_("Make main line"),
        N_("Make the line through this move the main line"),
        words=N_("promote variation branch first tree"),
    ),
    Command(
        "cut_variation",
        ("ctrl+x",),
        N_("Cut variation"),
        N_("Copy this move with all that follows, and delete it"),
        words=N_("move branch tree"),
    ),
    Command(
        "copy_variation",
        ("ctrl+y",),
        N_("Copy variation"),
        N_("Copy this move with all that follows, to be pasted in this or another game"),
        words=N_("duplicate branch tree yank"),
    ),
    Command(
        "paste_variation",
        ("insert", "ctrl+v"),
        N_("Paste variation"),
        N_("Add the copied moves as a variation after this move"),
        words=N_("insert branch tree"),
    ),
    Command(
        "flatten",
        ("dollar_sign",),
        N_("Keep this line alone"),
        N_("Delete all variations but this line"),
        words=N_("flatten prune other branches clean"),
    ),
)
ONLINE: Final = group(
    N_("Online play"),
    Command(
        "network",
        ("N",),
        N_("Play online"),
        N_("Play a friend on the network: host a game, or join one"),
        words=N_("online internet lan host join invite invitation remote friend server"),
        elsewhere=True,
    ),
    Command(
        "accept",
        ("A",),
        N_("Accept"),
        N_("Accept what the opponent requests, or agree to the count"),
        words=N_("agree yes request online"),
    ),
    Command(
        "decline",
        ("D",),
        N_("Decline"),
        N_("Decline what the opponent requests, or withdraw your own request"),
        words=N_("refuse no withdraw request online"),
    ),
    Command(
        "chat", ("slash",), N_("Chat"), N_("Say something in an online game"), words=N_("talk message say write online")
    ),
    Command(
        "mute",
        ("K",),
        N_("Mute chat"),
        N_("Hide the chat, or show it again"),
        words=N_("silence quiet hide chat online"),
    ),
    Command(
        "listen",
        ("f9",),
        N_("Hear spectators"),
        N_("Hear what spectators say in an online game, or no longer"),
        words=N_("chat audience listen kibitz online"),
    ),
    Command(
        "plan",
        ("f12",),
        N_("Conditional moves"),
        N_("Enter your answers to the opponent's moves in a correspondence game: D4 E5 C3 B2; D5 E6"),
        words=N_("correspondence premove if then variation answer online"),
    ),
    Command(
        "claim",
        ("f8",),
        N_("Claim the win"),
        N_("Claim the win where the opponent stays away, after a warning"),
        words=N_("absent gone left abandon forfeit warn online"),
    ),
    Command(
        "adjourn",
        ("J",),
        N_("Adjourn"),
        N_("Request to adjourn an online game"),
        words=N_("interrupt later stop break online"),
    ),
    Command(
        "rematch",
        ("M",),
        N_("Rematch"),
        N_("Request a rematch with colours changed"),
        words=N_("again another game online"),
    ),
    Command(
        "share_cursor",
        ("G",),
        N_("Share cursor"),
        N_("Show your cursor to the opponent and see theirs, if both agree"),
        words=N_("ghost pointer mouse online"),
    ),
    Command(
        "invitation",
        ("I",),
        N_("Invitation"),
        N_("Show the invitation to an online game"),
        words=N_("invite guest spectators address code link online"),
    ),
)
PROGRAM: Final = group(
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
        N_("Export the board or the game as a picture, or the game unrolled"),
        words=N_("picture image animation share screenshot unrolled flat"),
        terms=" ".join(export.kind.name for export in EXPORTS.values()),
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
        "guess",
        ("Q",),
        N_("Guess the move"),
        N_("Guess the moves of one side of this game"),
        words=N_("quiz replay predict study train pro game"),
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

COMMANDS: Final[tuple[Command, ...]] = (*BOARD, *PLAYING, *GAME, *NOTES, *EDITING, *READING, *ONLINE, *PROGRAM)
BY_NAME: Final[Mapping[str, Command]] = {command.name: command for command in COMMANDS}

# The keys and gestures of the full-screen 3-D torus, which are fixed; used by the help and the docs

TORUS_HEADING: Final = N_("On the 3-D torus")


class TorusKeys(NamedTuple):
    """A group of similar keys: by key, the action on the screen of the torus, and what they do."""

    actions: dict[str, str]
    help: str


def _on_board(**commands: str) -> dict[str, str]:
    return {key.replace("__", "+"): f"board('{command}')" for key, command in commands.items()}


TORUS_KEYS: Final = (
    TorusKeys(
        _on_board(left="pan_left", right="pan_right", up="pan_up", down="pan_down"),
        N_("Pan the board, on the torus as below it"),
    ),
    TorusKeys(
        _on_board(shift__left="pan_left_4", shift__right="pan_right_4", shift__up="pan_up_4", shift__down="pan_down_4"),
        N_("Pan four points at a time"),
    ),
    TorusKeys({"h": "turn(-1, 0)", "l": "turn(1, 0)", "k": "turn(0, 1)", "j": "turn(0, -1)"}, N_("Turn and tilt it")),
    TorusKeys({"space": "turning"}, N_("Let it turn by itself, or stop it")),
    TorusKeys({"plus": "zoom(1)", "equals_sign": "zoom(1)", "minus": "zoom(-1)"}, N_("Make it larger or smaller")),
    TorusKeys(
        _on_board(
            left_square_bracket="back",
            right_square_bracket="forward",
            left_curly_bracket="back_10",
            right_curly_bracket="forward_10",
            home="start",
            end="end",
            a="replay",
        ),
        N_("Step through the game, or replay it"),
    ),
    TorusKeys(_on_board(c="centre_last"), N_("Centre the last move")),
    TorusKeys({"0": "board('reset_view')"}, N_("Reset the view")),
    TorusKeys({"3": "unbend"}, N_("Bend it back into the flat board")),
    TorusKeys({"escape": "close", "q": "close"}, N_("Go back at once")),
)

TORUS_MOUSE: Final = (
    (N_("Click"), N_("Play on the point")),
    (N_("Click outside"), N_("Let it turn by itself, or stop it")),
    (N_("Drag"), N_("Turn and tilt it")),
    (N_("Wheel"), N_("Make it larger or smaller")),
)


_rebound: Mapping[str, tuple[str, ...]] | None = None
"""The keys that replace those of commands; None where commands are typed, as in text mode."""


def use_keys(rebound: Mapping[str, tuple[str, ...]]) -> None:
    """Apply the keys that replace those of commands, by name, and use them in sentences."""
    global _rebound  # noqa: PLW0603 (the one keyboard of the process)
    _rebound = rebound


def keys_now(command: Command) -> tuple[str, ...]:
    """Return the keys of a command, by Textual's names; none if others have taken them all."""
    rebound = _rebound or {}
    if command.name in rebound:
        return rebound[command.name]
    given = {key for keys in rebound.values() for key in keys}
    return tuple(key for key in command.keys if key not in given)


def key_of(name: str) -> str:
    """Return how a sentence refers to a command: its first key, or without one its name in the menu.

    Where commands are typed, it is the name itself.

    Raises:
        KeyError: there is no such command.
    """
    if _rebound is None:
        return name
    command = BY_NAME[name]
    keys = keys_now(command)
    return key_sign(keys[0]) if keys else f"“{_(command.label)}”"
