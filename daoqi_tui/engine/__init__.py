"""Go on a torus, in pure Python: rules, board, game tree, scoring and clocks.

Start reading at :class:`Game` (game.py), which checks its arguments; :class:`Board` (board.py) below it is the fast
core that searches use; :class:`Rules` (rules.py) says what is legal; :func:`area` (result.py) scores a board.

A *point* is a ``(row, col)`` pair, row 0 at the top, or, everywhere in this package, the index ``row * N + col`` of it
on an N × N board: :meth:`Torus.point` and :meth:`Torus.position` convert. A set of points is a *mask*, an integer
whose bit ``p`` stands for point ``p``. A name such as ``E5`` counts rows from the bottom: :meth:`Torus.parse` reads it.

>>> from daoqi_tui.engine import Game
>>> game = Game(size=9)
>>> node = game.play(game.torus.parse("E5"))
>>> game.chain_at(node.move.point).liberties
(31, 39, 41, 49)
>>> node = game.pass_turn(); node = game.pass_turn()
>>> game
<Game 9×9, komi 4: move 3, result B+77>
>>> game.board
<Board 9×9: black 1, white 0, White to move>
"""

from daoqi_tui.engine.board import PASS, Board, Chain
from daoqi_tui.engine.clock import Clock, TimeControl, TimeLeft
from daoqi_tui.engine.game import STANDARD_KOMI, STANDARD_SIZE, Game, handicap_points
from daoqi_tui.engine.result import (
    Area,
    Ending,
    OutOfTime,
    PlayerArea,
    Resignation,
    Result,
    TwoPasses,
    area,
    points_text,
)
from daoqi_tui.engine.rules import (
    BLACK,
    DAOQI,
    EMPTY,
    POSITIONAL,
    PRESETS,
    RULE_FIELDS,
    SIMPLE,
    SITUATIONAL,
    TROMP_TAYLOR,
    WHITE,
    Colour,
    GameOver,
    IllegalMove,
    NoLiberties,
    Occupied,
    Refusal,
    Repeats,
    RuleField,
    Rules,
    Suicide,
    Superko,
    opponent,
    parse_rules,
)
from daoqi_tui.engine.torus import LARGEST, SMALLEST, STYLES, Style, Torus, torus_of
from daoqi_tui.engine.tree import Action, Move, Node, Setup

__all__ = [
    "BLACK",
    "DAOQI",
    "EMPTY",
    "LARGEST",
    "PASS",
    "POSITIONAL",
    "PRESETS",
    "RULE_FIELDS",
    "SIMPLE",
    "SITUATIONAL",
    "SMALLEST",
    "STANDARD_KOMI",
    "STANDARD_SIZE",
    "STYLES",
    "TROMP_TAYLOR",
    "WHITE",
    "Action",
    "Area",
    "Board",
    "Chain",
    "Clock",
    "Colour",
    "Ending",
    "Game",
    "GameOver",
    "IllegalMove",
    "Move",
    "NoLiberties",
    "Node",
    "Occupied",
    "OutOfTime",
    "PlayerArea",
    "Refusal",
    "Repeats",
    "Resignation",
    "Result",
    "RuleField",
    "Rules",
    "Setup",
    "Style",
    "Suicide",
    "Superko",
    "TimeControl",
    "TimeLeft",
    "Torus",
    "TwoPasses",
    "area",
    "handicap_points",
    "opponent",
    "parse_rules",
    "points_text",
    "torus_of",
]
