"""The rules of Daoqi, in pure Python, usable without a terminal.

>>> from daoqi_tui.engine import Game
>>> game = Game(size=9)
>>> node = game.play(game.torus.parse("E5"))
>>> game.chain_at(node.move.point).liberties
(31, 39, 41, 49)
>>> node = game.pass_turn(); node = game.pass_turn()
>>> str(game.result)
'B+77'
"""

from daoqi_tui.engine.board import PASS, Board
from daoqi_tui.engine.chains import Chain
from daoqi_tui.engine.colour import BLACK, EMPTY, WHITE, Colour, opponent
from daoqi_tui.engine.ending import Ending, OutOfTime, Resignation, Result, TwoPasses
from daoqi_tui.engine.game import STANDARD_KOMI, STANDARD_SIZE, Game
from daoqi_tui.engine.handicap import handicap_points
from daoqi_tui.engine.node import Action, Move, Node, Setup
from daoqi_tui.engine.refusal import GameOver, IllegalMove, Occupied, Refusal, Repeats
from daoqi_tui.engine.score import Area, PlayerArea, area, points_text
from daoqi_tui.engine.torus import LARGEST, SMALLEST, STYLES, Style, Torus, torus_of

__all__ = [
    "BLACK",
    "EMPTY",
    "LARGEST",
    "PASS",
    "SMALLEST",
    "STANDARD_KOMI",
    "STANDARD_SIZE",
    "STYLES",
    "WHITE",
    "Action",
    "Area",
    "Board",
    "Chain",
    "Colour",
    "Ending",
    "Game",
    "GameOver",
    "IllegalMove",
    "Move",
    "Node",
    "Occupied",
    "OutOfTime",
    "PlayerArea",
    "Refusal",
    "Repeats",
    "Resignation",
    "Result",
    "Setup",
    "Style",
    "Torus",
    "TwoPasses",
    "area",
    "handicap_points",
    "opponent",
    "points_text",
    "torus_of",
]
