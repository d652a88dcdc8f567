"""A small GTP engine of torus Go on the rules of ``docs/torus_check.py``, in which faults can be planted."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_FILE = Path(__file__).resolve().parents[2] / "docs" / "torus_check.py"
_SPEC = importlib.util.spec_from_file_location("torus_check", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
rules_of_torus = importlib.util.module_from_spec(_SPEC)
sys.modules["torus_check"] = rules_of_torus
_SPEC.loader.exec_module(rules_of_torus)
Game = rules_of_torus.Game
DAOQI = {"ko": "SITUATIONAL", "suicide": True, "passCost": 1, "tie": "WHITE"}


class Refused(Exception):
    pass


class TorusEngine:
    """The engine; a fault replaces one of its methods, or one of its game's."""

    game_class = Game
    letters = rules_of_torus.LETTERS
    captured = staticmethod(rules_of_torus.captured)
    images = staticmethod(rules_of_torus.images)

    def __init__(self) -> None:
        self.size, self.rules, self.points = 9, DAOQI, 4.0
        self.clear()

    @property
    def known(self) -> frozenset[str]:
        return frozenset(_COMMANDS)

    async def send(self, command: str) -> str:
        """Answer a command as :meth:`daoqi_tui.gtp.client.Engine.send` does."""
        from daoqi_tui.gtp.client import EngineError
        from daoqi_tui.message import Message

        try:
            return self.answer(command)
        except Refused as error:
            raise EngineError("refused", Message("{reason}", reason=str(error))) from error

    def answer(self, line: str) -> str:
        name, _, rest = line.partition(" ")
        if name not in _COMMANDS:
            raise Refused("unknown command")
        return _COMMANDS[name](self, rest) or ""

    def clear(self, _: str = "") -> None:
        self.game, self.moves, self.past = self.game_class(self.size, dict(self.rules)), [], []

    def set_size(self, rest: str) -> None:
        self.size = int(rest)
        self.clear()

    def set_komi(self, rest: str) -> None:
        self.points = float(rest)

    def set_rules(self, rest: str) -> None:
        self.rules = json.loads(rest)
        self.clear()

    def play(self, rest: str) -> None:
        colour, name = rest.split()
        at = None if name == "pass" else rules_of_torus.point(name)
        before = self.game
        game = self.game.after(at)
        if game is None or colour != before.turn:
            raise Refused("illegal move")
        self.past.append(before)
        self.game = game
        self.moves.append(at)

    def undo(self, _: str) -> None:
        self.game = self.past.pop()
        self.moves.pop()

    def name_of(self, at: tuple[int, int]) -> str:
        return f"{self.letters[at[0]]}{at[1] + 1}"

    def list_stones(self, rest: str) -> str:
        return " ".join(self.name_of(at) for at, stone in self.game.stones.items() if stone == rest[0])

    def prisoners(self, _: str) -> str:
        return f"{self.game.prisoners['b']} {self.game.prisoners['w']}"

    def score(self, _: str) -> str:
        return self.game.score(self.points)

    def ladder(self, rest: str) -> str:
        name, _ = rest.split()
        return "captured" if self.captured(self.game, rules_of_torus.point(name)) else "escapes"

    def opening(self, _: str) -> str:
        return f"standard: {min(self.images(self.size, self.moves))}"


_COMMANDS: dict[str, Callable[[Any, str], str | None]] = {
    "boardsize": lambda engine, rest: engine.set_size(rest),
    "clear_board": lambda engine, rest: engine.clear(rest),
    "komi": lambda engine, rest: engine.set_komi(rest),
    "kata-set-rules": lambda engine, rest: engine.set_rules(rest),
    "play": lambda engine, rest: engine.play(rest),
    "undo": lambda engine, rest: engine.undo(rest),
    "list_stones": lambda engine, rest: engine.list_stones(rest),
    "gogui-rules_captured_count": lambda engine, rest: engine.prisoners(rest),
    "final_score": lambda engine, rest: engine.score(rest),
    "daoqi-ladder": lambda engine, rest: engine.ladder(rest),
    "daoqi-opening": lambda engine, rest: engine.opening(rest),
}


# Faults


def _with_game(**changed: Any) -> type[TorusEngine]:
    return type("Faulty", (TorusEngine,), {"game_class": type("FaultyGame", (Game,), changed)})


def _with_rules(change: Callable[[dict[str, Any]], dict[str, Any]]) -> type[TorusEngine]:
    def init(self: Any, size: int, rules: dict[str, Any]) -> None:
        Game.__init__(self, size, {**rules, **change(rules)})

    return _with_game(__init__=init)


def _bounded(down: bool) -> Callable[[Any, Any], Any]:
    def beside(self: Any, at: Any) -> Any:
        return {near for near in Game.beside(self, at) if abs(near[down] - at[down]) <= 1}

    return beside


def _no_start(self: Any, size: int, rules: dict[str, Any]) -> None:
    Game.__init__(self, size, rules)
    self.faced = [({(-1, -1): "b"}, "b")]


def _forgets_passes(self: Any, at: Any) -> bool:
    legal = Game.play(self, at)
    if at is None and len(self.faced) > 2:
        self.faced.pop()
    return legal


def _swapped_prisoners(self: Any, at: Any) -> bool:
    before = dict(self.prisoners)
    colour = self.turn
    legal = Game.play(self, at)
    lost = self.prisoners["w" if colour == "b" else "b"] - before["w" if colour == "b" else "b"]
    if lost:
        self.prisoners = {**before, colour: before[colour] + lost}
    return legal


def _on_stones(self: Any, at: Any) -> bool:
    return at in self.stones or Game.play(self, at)


def _one_chain(self: Any, at: Any) -> bool:
    """Take at most one chain: put back the others that a play captured."""
    before = dict(self.stones)
    legal = Game.play(self, at)
    gone = {point for point in before if point not in self.stones and before[point] == self.turn}
    if legal and gone:
        chain = self.region(min(gone), before)[0]
        self.stones.update({point: before[point] for point in gone - chain})
    return legal


def _stone_score(self: Any, komi: float) -> str:
    margin = sum(1 if stone == "b" else -1 for stone in self.stones.values()) - komi
    return f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"


def _short_ladder(game: Any, chain: Any, depth: int = 0) -> bool:
    return rules_of_torus.captured(game, chain) if len(game.stones) and game.size < 9 else False


def _upright(size: int, moves: Any) -> Any:
    for n in range(size * size):
        yield [((x + n) % size, (y + n // size) % size) for x, y in moves]


FAULTS: dict[str, type[TorusEngine]] = {
    "rows have edges": _with_game(beside=_bounded(False)),
    "columns have edges": _with_game(beside=_bounded(True)),
    "takes one chain only": _with_game(play=_one_chain),
    "plays on stones": _with_game(play=_on_stones),
    "refuses suicide": _with_rules(lambda _: {"suicide": False}),
    "allows suicide": _with_rules(lambda _: {"suicide": True}),
    "positional for situational": _with_rules(
        lambda rules: {"ko": rules["ko"].replace("SITU", "POS", 1).replace("POSATIONAL", "POSITIONAL")}
    ),
    "situational for positional": _with_rules(lambda rules: {"ko": rules["ko"].replace("POSITIONAL", "SITUATIONAL")}),
    "superko for simple ko": _with_rules(lambda rules: {"ko": rules["ko"].replace("SIMPLE", "SITUATIONAL")}),
    "forgets the start": _with_game(__init__=_no_start),
    "forgets what a pass led to": _with_game(play=_forgets_passes),
    "stones lost by suicide are one's own prisoners": _with_game(play=_swapped_prisoners),
    "a pass costs nothing": _with_rules(lambda _: {"passCost": 0}),
    "a tie is White's": _with_rules(lambda _: {"tie": "WHITE"}),
    "komi for Black": _with_game(score=lambda self, komi: Game.score(self, -komi)),
    "counts stones": _with_game(score=_stone_score),
    "names skip no letter": type("Faulty", (TorusEngine,), {"letters": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}),
    "ladders stop at nine lines": type("Faulty", (TorusEngine,), {"captured": staticmethod(_short_ladder)}),
    "openings are only shifted": type("Faulty", (TorusEngine,), {"images": staticmethod(_upright)}),
}


def main() -> None:
    engine = FAULTS[sys.argv[1]]() if len(sys.argv) > 1 else TorusEngine()
    for line in sys.stdin:
        number, _, command = line.strip().partition(" ")
        if not number.isdecimal():
            number, command = "", line.strip()
        if command == "quit":
            break
        try:
            text = {"name": "Torus", "version": "1", "list_commands": "\n".join(_COMMANDS)}.get(
                command
            ) or engine.answer(command)
            sys.stdout.write(f"={number} {text}\n\n")
        except Refused as error:
            sys.stdout.write(f"?{number} {error}\n\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
