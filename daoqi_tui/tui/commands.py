"""Every action of the game screen, once: keys, labels and help are all read off this table.

The handler of a command is the screen's method ``action_<id>``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from daoqi_tui.i18n import N_


class Command(NamedTuple):
    """An action a person can take.

    Attributes:
        id: the action, with its arguments.
        keys: Textual's names of its keys.
        label: what the palette and the hint line call it.
        help: what it does, in a sentence.
        group: the heading it stands under in the help.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: str

    @property
    def name(self) -> str:
        """Its name in the settings file, and of its key binding: ``pan_left_4``."""
        return re.sub(r"\W+", "_", self.id.replace("-", "minus_")).strip("_")


MOVING: Final = N_("Moving over the board")
PLAYING: Final = N_("Playing")
REPLAY: Final = N_("Looking back")
NOTES: Final = N_("Notes on the game")
READING: Final = N_("Reading the board")
GAME: Final = N_("The game and the program")

COMMANDS: Final[tuple[Command, ...]] = (
    Command("pan('left')", ("left",), N_("Pan left"), N_("Pan one point to the left"), MOVING),
    Command("pan('right')", ("right",), N_("Pan right"), N_("Pan one point to the right"), MOVING),
    Command("pan('up')", ("up",), N_("Pan up"), N_("Pan one point up"), MOVING),
    Command("pan('down')", ("down",), N_("Pan down"), N_("Pan one point down"), MOVING),
    Command("pan('left', 4)", ("shift+left",), N_("Pan far left"), N_("Pan four points to the left"), MOVING),
    Command("pan('right', 4)", ("shift+right",), N_("Pan far right"), N_("Pan four points to the right"), MOVING),
    Command("pan('up', 4)", ("shift+up",), N_("Pan far up"), N_("Pan four points up"), MOVING),
    Command("pan('down', 4)", ("shift+down",), N_("Pan far down"), N_("Pan four points down"), MOVING),
    Command("cursor('left')", ("h",), N_("Cursor left"), N_("Move the cursor one point to the left"), MOVING),
    Command("cursor('down')", ("j",), N_("Cursor down"), N_("Move the cursor one point down"), MOVING),
    Command("cursor('up')", ("k",), N_("Cursor up"), N_("Move the cursor one point up"), MOVING),
    Command("cursor('right')", ("l",), N_("Cursor right"), N_("Move the cursor one point to the right"), MOVING),
    Command("centre_last", ("c",), N_("Centre last move"), N_("Bring the last move into the middle"), MOVING),
    Command("origin", ("0",), N_("Back to the origin"), N_("Show the board as it was before any panning"), MOVING),
    Command("follow", ("f",), N_("Follow last move"), N_("Keep the last move in the middle, or stop doing so"), MOVING),
    Command("zoom(1)", ("plus", "equals_sign"), N_("Larger board"), N_("Draw the board larger"), MOVING),
    Command("zoom(-1)", ("minus",), N_("Smaller board"), N_("Draw the board smaller"), MOVING),
    Command("round", ("3",), N_("In the round"), N_("Show the board as a turning torus, on the whole screen"), MOVING),
    Command("play", ("enter", "space"), N_("Play"), N_("Play at the cursor"), PLAYING),
    Command("pass", ("p",), N_("Pass"), N_("Pass, which costs a point; two passes end the game"), PLAYING),
    Command("type_move", ("g",), N_("Type a move"), N_("Type a move, such as K10 or pass"), PLAYING),
    Command("take_back", ("u",), N_("Take back"), N_("Take back the last move"), PLAYING),
    Command("play_again", ("U", "ctrl+r"), N_("Play again"), N_("Play a move taken back again"), PLAYING),
    Command("count", ("t",), N_("Count"), N_("Show whose area is whose, and the score as it stands"), PLAYING),
    Command("resign", ("R",), N_("Resign"), N_("Give the game up"), PLAYING),
    Command("dead", ("d",), N_("Dead stones"), N_("After two passes: agree which stones are dead"), PLAYING),
    Command("resume", ("r",), N_("Play on"), N_("After the end: play on all the same"), PLAYING),
    Command("players", ("C",), N_("Who plays"), N_("Let a computer play a side from here on, or a person"), PLAYING),
    Command("pause", ("z",), N_("Computers wait"), N_("Let the computers wait, or play on"), PLAYING),
    Command("step", ("s",), N_("Computer's move"), N_("Let a computer make one move here"), PLAYING),
    Command("engine_log", ("E",), N_("Engine's words"), N_("Read what GTP engines wrote beside the game"), PLAYING),
    Command("back", ("left_square_bracket",), N_("Back"), N_("Go back one move"), REPLAY),
    Command("forward", ("right_square_bracket",), N_("On"), N_("Go on one move"), REPLAY),
    Command("back(10)", ("left_curly_bracket",), N_("Ten moves back"), N_("Go back ten moves"), REPLAY),
    Command("forward(10)", ("right_curly_bracket",), N_("Ten moves on"), N_("Go on ten moves"), REPLAY),
    Command("start", ("home",), N_("To the start"), N_("Go to the start of the game"), REPLAY),
    Command("end", ("end",), N_("To the end"), N_("Go to the end of this line of play"), REPLAY),
    Command("variation", ("v",), N_("Next variation"), N_("Go to the next move played in place of this one"), REPLAY),
    Command("replay", ("a",), N_("Replay"), N_("Let the game replay itself, or stop"), REPLAY),
    Command("speed(1)", ("full_stop",), N_("Faster"), N_("Replay faster"), REPLAY),
    Command("speed(-1)", ("comma",), N_("Slower"), N_("Replay more slowly"), REPLAY),
    Command("comment", ("i",), N_("Comment"), N_("Write a comment on this move"), NOTES),
    Command("mark", ("x",), N_("Mark"), N_("Mark the point under the cursor: triangle, square, circle, cross"), NOTES),
    Command("letter", ("X",), N_("Letter"), N_("Put the next letter on the point under the cursor"), NOTES),
    Command("numbers", ("m",), N_("Move numbers"), N_("Show or hide the numbers of the moves"), NOTES),
    Command("library", ("b",), N_("Library"), N_("Open a game from the library, or a sample game"), GAME),
    Command("unfinished", ("ctrl+o",), N_("Unfinished games"), N_("Go on with a game that was left unfinished"), GAME),
    Command("ladder", ("L",), N_("Ladder"), N_("Read the ladder on the chain under the cursor"), READING),
    Command("clear", ("escape",), N_("Clear"), N_("Clear a ladder or hint; have a computer move at once"), READING),
    Command("hint", ("H",), N_("Hint"), N_("Show the best moves, their win rates and what may follow"), READING),
    Command("estimate", ("e",), N_("Estimate"), N_("Show who will own what, and by how much"), READING),
    Command("review", ("V",), N_("Review"), N_("Search all moves of the game and mark those that lost most"), READING),
    Command("standard", ("S",), N_("Standard form"), N_("Turn the view to the opening's standard form"), READING),
    Command("openings", ("O",), N_("Openings"), N_("Show all openings of two moves as small boards"), READING),
    Command("save", ("w",), N_("Save"), N_("Save the game as an SGF file"), GAME),
    Command("copy_position", ("y",), N_("Copy board"), N_("Copy the board to the clipboard, as text"), GAME),
    Command("copy_game", ("Y",), N_("Copy game"), N_("Copy the game to the clipboard, as SGF"), GAME),
    Command("new_game", ("n",), N_("New game"), N_("Begin a new game"), GAME),
    Command("side(1)", ("tab",), N_("Next pane"), N_("Show the next of the panes at the side"), GAME),
    Command("side(-1)", ("shift+tab",), N_("Previous pane"), N_("Show the previous of the panes at the side"), GAME),
    Command("boards", ("T",), N_("Board"), N_("Choose another board, seen at once"), GAME),
    Command("options", ("o",), N_("Options"), N_("Choose how the board is shown and played on"), GAME),
    Command("lesson", ("f2",), N_("First lesson"), N_("Learn the game on a torus in ten short steps"), GAME),
    Command("help", ("question_mark", "f1"), N_("Keys"), N_("List every key"), GAME),
    Command("palette", ("ctrl+p",), N_("Menu"), N_("Find any command by name"), GAME),
    Command("quit", ("q",), N_("Quit"), N_("Leave the program"), GAME),
)

_SIGNS: Final = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "enter": "Enter",
    "space": "Space",
    "escape": "Esc",
    "tab": "Tab",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "home": "Home",
    "end": "End",
    "full_stop": ".",
    "comma": ",",
    "question_mark": "?",
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
}


def key_sign(key: str) -> str:
    """Write Textual's name of a key as it stands on a keyboard."""
    *modifiers, last = key.split("+")
    return "+".join([*(name.capitalize() for name in modifiers), _SIGNS.get(last) or _named_sign(last)])


def _named_sign(name: str) -> str:
    """The sign that Unicode calls so: Textual takes its names from there, but for a few."""
    few = {"at": "@", "slash": "/", "backslash": "\\", "underscore": "_"}
    try:
        sign = few.get(name) or unicodedata.lookup(name.replace("_", " ")) if len(name) > 1 else name
    except KeyError:
        return name
    return sign if sign.isprintable() else name


def keys_of(command: Command, rebound: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The keys of a command: its own, or those that ``rebound`` gives it by its name.

    A key that another command was given is no longer its own.
    """
    if command.name in rebound:
        return rebound[command.name]
    given = {key for keys in rebound.values() for key in keys}
    return tuple(key for key in command.keys if key not in given)


def key_signs(keys: Iterable[str]) -> str:
    """Write keys."""
    return " ".join(key_sign(key) for key in keys)
