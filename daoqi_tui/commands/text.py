"""The commands that can be typed in text mode, as data; the help is generated from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from daoqi_tui.commands.screen import BY_NAME as SCREEN
from daoqi_tui.engine import Style, Torus
from daoqi_tui.i18n import LOCALES, N_, _, language
from daoqi_tui.text import chinese, half_width
from daoqi_tui.typed import STRONGEST, WEAKEST


class TextCommand(NamedTuple):
    """A command that can be typed.

    Attributes:
        name: the word that invokes it, the same in every language; Chinese words invoke it, too.
        help: what it does.
        typed: examples of its arguments, in which words in braces are placeholders; empty if it takes none.
        group: its heading in the help.
        also: other words that invoke it.
    """

    name: str
    help: str
    typed: str = ""
    group: str = ""
    also: tuple[str, ...] = ()

    def wrong_with(self, rest: str) -> str:
        """Say what is wrong with text behind the name; empty if nothing is."""
        text = _("{command} takes no arguments: type it alone.")
        return text.format(command=self.name) if rest and not self.typed else ""

    def examples(self, point: str = "K9") -> list[str]:
        """Return examples of how it is typed, with `point` as the point; in Chinese also its first Chinese name."""
        words = {"point": point, "file": _("FILE"), "text": _("TEXT"), "command": _("COMMAND")}
        names = _CHINESE.get(self.name, ())[:1] if language().startswith("zh") else ()
        typed = (self.typed or self.name).format(**words).split(", ")
        return [*typed, *(chinese(name, language()) for name in names)]

    @property
    def deed(self) -> str:
        return _(self.help).format(weakest=WEAKEST, strongest=STRONGEST)


_CHINESE: Final[Mapping[str, tuple[str, ...]]] = {
    "guess": ("猜着", "猜棋"),
    "pass": ("停一手", "虚着", "虚手", "停着"),
    "undo": ("悔棋",),
    "redo": ("恢复", "重下"),
    "resign": ("认输", "投子"),
    "dead": ("死子",),
    "resume": ("续弈",),
    "put": ("摆子",),
    "black": ("黑方", "执黑"),
    "white": ("白方", "执白"),
    "rating": ("等级分",),
    "teach": ("教学",),
    "go": ("请下",),
    "back": ("后退",),
    "forward": ("前进",),
    "variation": ("变化",),
    "comment": ("注解",),
    "annotate": ("评注",),
    "delete": ("删除",),
    "cut": ("剪切",),
    "copy": ("复制",),
    "paste": ("粘贴",),
    "promote": ("主线",),
    "flatten": ("只留",),
    "info": ("信息",),
    "turn": ("轮次",),
    "moves": ("着法",),
    "stones": ("棋子",),
    "around": ("周围",),
    "board": ("棋盘",),
    "shift": ("平移",),
    "chain": ("棋块",),
    "score": ("数子",),
    "ladder": ("征子",),
    "opening": ("开局",),
    "find": ("查找",),
    "hint": ("支招", "提示"),
    "analyse": ("分析",),
    "estimate": ("形势判断", "形势"),
    "mistakes": ("失误",),
    "summary": ("总结",),
    "new": ("新对局", "新局"),
    "problem": ("题目", "死活题"),
    "open": ("打开",),
    "save": ("保存", "存盘"),
    "games": ("未完棋局",),
    "continue": ("继续",),
    "help": ("帮助",),
    "quit": ("退出", "离开"),
    "accept": ("同意",),
    "decline": ("拒绝",),
    "agree": ("同意数子结果",),
    "pause": ("暂停",),
    "adjourn": ("封棋",),
    "rematch": ("再来一局",),
    "claim": ("判胜",),
    "plan": ("预设",),
    "say": ("说",),
    "listen": ("旁听",),
    "mute": ("静音",),
    "clock": ("时钟",),
    "invitation": ("邀请",),
    "qr": ("二维码",),
    "network": ("网络",),
    "anywhere": ("互联网",),
}
"""The Chinese words for the commands, here and in online games; the first is the one that the help names."""
_CHINESE_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "black": ("黑", "黑方"),
    "white": ("白", "白方"),
    "empty": ("空",),
    "turn": ("轮到",),
    "person": ("玩家",),
    "engine": ("引擎",),
    "mine": ("相当",),
    "territory": ("实地",),
    "influence": ("外势",),
    "fighting": ("力战",),
    "simple": ("简明",),
    "off": ("关闭",),
    "l": ("左",),
    "r": ("右",),
    "u": ("上",),
    "d": ("下",),
    "size": ("路数",),
    "komi": ("贴目",),
    "handicap": ("让子",),
    "rules": ("规则",),
    "open": ("打开",),
    "next": ("下一题",),
    "again": ("重做",),
    "hint": ("提示",),
    "stop": ("停止", "结束"),
    "all": ("全部",),
}
"""The Chinese words for the arguments of the commands."""


def _group(heading: str, *commands: TextCommand) -> tuple[TextCommand, ...]:
    return tuple(command._replace(group=heading) for command in commands)


TEXT_COMMANDS: Final[tuple[TextCommand, ...]] = (
    *_group(
        N_("Playing"),
        TextCommand("pass", N_("make no move; in Daoqi this costs a point, and two passes end the game")),
        TextCommand("undo", N_("undo the last move or edit")),
        TextCommand("redo", N_("redo an undone move or edit")),
        TextCommand("resign", N_("concede the game")),
        TextCommand(
            "dead",
            N_("after two passes: mark the stones that a computer takes for dead, or the chain at a point"),
            "dead, dead {point}",
        ),
        TextCommand("resume", N_("resume a finished game")),
        TextCommand("put", N_("set up stones or whose turn it is, without a move"), "put black {point}"),
    ),
    *_group(
        N_("Computers"),
        TextCommand(
            "black",
            N_(
                "choose who plays Black: the computer at a level from {weakest} to {strongest} in steps of 0.5 or at "
                "yours (mine), you (person), or a GTP engine; a style may follow a level: territory, influence, "
                "fighting or simple"
            ),
            "black 5, black 5:fighting, black mine, black person, black engine {command}",
        ),
        TextCommand(
            "white",
            N_("choose who plays White, in the same way"),
            "white 5, white mine, white person, white engine {command}",
        ),
        TextCommand("rating", N_("show your rating on this size, from your last games against the computer")),
        TextCommand(
            "teach",
            N_("warn when a move against the computer loses this many points, or stop with off"),
            "teach 3, teach off",
        ),
        TextCommand(
            "go",
            N_("have the computer play one move here, or resume it after Ctrl+C; computer is another word for it"),
            also=("computer",),
        ),
    ),
    *_group(
        N_("Navigation"),
        TextCommand("back", N_("view the position some moves ago; nothing is undone"), "back 5"),
        TextCommand("forward", N_("view the position some moves on"), "forward 5"),
        TextCommand("variation", N_("go to the next variation of this move")),
        TextCommand("comment", N_("show the comment on this move, or write one; - removes it"), "comment {text}"),
    ),
    *_group(
        N_("Editing the record"),
        TextCommand(
            "annotate",
            N_("annotate this move or position, or remove that: good move, bad move, doubtful move, hotspot, even"),
            "annotate good move",
        ),
        TextCommand("delete", N_("delete this move with all that follows; undo brings it back")),
        TextCommand("cut", N_("copy this move with all that follows, and delete it")),
        TextCommand("copy", N_("copy this move with all that follows, to be pasted in this or another game")),
        TextCommand("paste", N_("add the copied moves as a variation after this move")),
        TextCommand("promote", N_("make the line through this move the main line")),
        TextCommand("flatten", N_("delete all variations but this line")),
        TextCommand(
            "info",
            N_("show the game information, or change a part of it; - removes that, and a wrong name lists all parts"),
            "info, info event {text}",
        ),
    ),
    *_group(
        N_("Analysis"),
        TextCommand("turn", N_("show the last move, who is to move, and the comment")),
        TextCommand("moves", N_("list all moves so far")),
        TextCommand("stones", N_("list the stones on the board, row by row from the top")),
        TextCommand("around", N_("describe a point and its four neighbours"), "around {point}"),
        TextCommand("board", N_("print the board: X is Black, O is White, the last move is in parentheses")),
        TextCommand("shift", N_("pan the board: l, r, u or d and a number of points"), "shift r3"),
        TextCommand("chain", N_("list the stones and liberties of the chain at a point"), "chain {point}"),
        TextCommand("score", N_("score the board as it stands")),
        TextCommand("ladder", N_("read the ladder on the chain at a point"), "ladder {point}"),
        TextCommand("opening", N_("name the opening")),
        TextCommand(
            "find",
            N_(
                "list the games of the library with this position, or with a rectangle of it, and the moves played next"
            ),
            "find, find C6:G3",
        ),
        TextCommand("hint", N_("show where the best move is; typed again, show more, at last the move")),
        TextCommand(
            "analyse",
            N_("list the best moves with win rate, score lead, points lost and visits"),
            "analyse, analyse 1000",
        ),
        TextCommand("estimate", N_("estimate score lead and win rate")),
        TextCommand("mistakes", N_("review the game so far and list its mistakes")),
        TextCommand("summary", N_("review the game so far and sum up how both sides played")),
    ),
    *_group(
        N_("Game and program"),
        TextCommand(
            "new",
            N_("begin another game, with the size, the komi, the handicap, the rules and the players that you name"),
            "new 9 komi 4 handicap 2 white 5",
        ),
        TextCommand(
            "problem",
            N_("list problems, solve those of a kind and level, open a collection; next, again, hint, stop"),
            "problem, problem life 2, problem open {file}, problem hint",
        ),
        TextCommand(
            "guess",
            N_("guess the moves of one side of this game, from here on or from the start; stop"),
            "guess black, guess white, guess stop",
        ),
        TextCommand("open", N_("open a game record"), "open {file}, open --flat {file}, open --game 2 {file}"),
        TextCommand("save", N_("save the game as an SGF file"), "save {file}"),
        TextCommand("games", N_("list unfinished games")),
        TextCommand("continue", N_("resume an unfinished game"), "continue 1"),
        TextCommand("help", N_("list all commands")),
        TextCommand("quit", N_("quit; an unfinished game is kept")),
    ),
)
WHILE_SOLVING: Final = frozenset(
    ("problem", "guess", "pass", "board", "shift", "stones", "around", "chain", "help", "quit")
)
"""The commands that can be typed while a problem is being solved, or moves are guessed."""
BY_NAME: Final[Mapping[str, TextCommand]] = {
    name: command for command in TEXT_COMMANDS for name in (command.name, *command.also)
}


def _as_on_screen(name: str) -> TextCommand:
    return TextCommand(name, SCREEN[name].help)


ONLINE_COMMANDS: Final[tuple[TextCommand, ...]] = (
    TextCommand("pass", N_("Pass")),
    TextCommand("undo", N_("Request to undo your last move")),
    TextCommand("resign", N_("Resign")),
    _as_on_screen("accept"),
    _as_on_screen("decline"),
    TextCommand(
        "dead",
        N_("Mark a chain as dead, or as alive again; without a point, have a computer propose the dead stones"),
        "dead {point}",
    ),
    TextCommand("agree", N_("Agree to the score with the marked dead stones")),
    TextCommand(
        "resume",
        N_("Continue play instead of scoring, or request to play on after a pause"),
        also=("play-on", "continue"),
    ),
    TextCommand("pause", N_("Request to pause the clock")),
    _as_on_screen("adjourn"),
    _as_on_screen("rematch"),
    _as_on_screen("claim"),
    TextCommand(
        "plan",
        N_("Enter your answers to the opponent's moves in a correspondence game; alone, forget them"),
        "plan {point} {point}",
    ),
    TextCommand("say", N_("Say something to the players, or as a spectator to the spectators"), "say {text}"),
    _as_on_screen("listen"),
    _as_on_screen("mute"),
    *(BY_NAME[name] for name in ("turn", "moves", "stones", "around", "chain", "board")),
    TextCommand("clock", N_("Show the time left")),
    _as_on_screen("invitation"),
    TextCommand(
        "qr",
        N_("Show the invitation as a QR code, for the camera of a phone; code is another word for it"),
        also=("code",),
    ),
    TextCommand("network", N_("Let this network reach the game you host; L is short for it"), also=("l",)),
    TextCommand("anywhere", N_("Have the game you host reached from anywhere, which needs the extra anywhere")),
    TextCommand("help", N_("List the commands")),
    TextCommand("quit", N_("Leave; your seat stays yours")),
)
"""The commands of an online game, in which what is typed goes to the server."""
ONLINE_BY_NAME: Final[Mapping[str, TextCommand]] = {
    name: command for command in ONLINE_COMMANDS for name in (command.name, *command.also)
}


def _by_word(chosen: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {chinese(word, code): name for name, words in chosen.items() for word in words for code in LOCALES}


_NAMES: Final = _by_word(_CHINESE)
_ARGUMENTS: Final = _by_word(_CHINESE_ARGUMENTS)
_HAN: Final = re.compile("[\u4e00-\u9fff]+")
_FREE: Final = re.compile(r"\{(file|text|command)\}")
_ALL_FREE: Final = re.compile(rf"\w+ {_FREE.pattern}")


def command_in(
    line: str, commands: Mapping[str, TextCommand], torus: Torus, style: Style
) -> tuple[TextCommand | None, str]:
    """Return the command that a typed line begins with, None if it begins with none, and the rest of the line.

    Full-width characters are folded and Chinese arguments are translated, but not in free text, such as the name of a
    file. A line that names a point of the board is no command: with the coordinates of SGF, go is a point, too.
    """
    first, *more = line.split(maxsplit=1)
    word, rest = half_width(first).lower().rstrip("."), "".join(more).strip()
    with suppress(ValueError):
        if not rest and torus.parse(word, style) >= 0:
            return None, rest
    command = commands.get(word) or commands.get(_NAMES.get(word, ""))
    typed = "" if command is None else command.typed
    if _ALL_FREE.match(typed):
        return command, rest
    # Where some of it is free text, that begins behind the first word, as in: black engine COMMAND.
    before, *free = rest.split(maxsplit=1) if rest and _FREE.search(typed) else [rest]
    before = _HAN.sub(lambda found: _ARGUMENTS.get(found[0], found[0]), half_width(before).rstrip("."))
    return command, " ".join((before, *free))
