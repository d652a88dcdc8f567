"""Checks an implementation of torus Go: ``python docs/torus_check.py assets/conformance.json``.

An example for authors, which shares no code with the program: replace :class:`Game` by your own and keep the rest. A
point is (column, row) from the bottom left, counted from 0. ``docs/torus-kit.md`` specifies the file. The last eyes
need a program that plays.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

Point = tuple[int, int]
Stones = dict[Point, str]

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
OTHER = {"b": "w", "w": "b"}


def point(name: str) -> Point:
    return (LETTERS.index(name[0]), int(name[1:]) - 1)


class Game:
    """A game from the empty board: stones, and every board faced with the side to move."""

    def __init__(self, size: int, rules: dict[str, Any]) -> None:
        self.size, self.rules, self.turn = size, rules, "b"
        self.stones: Stones = {}
        self.passes, self.prisoners = {"b": 0, "w": 0}, {"b": 0, "w": 0}
        self.faced: list[tuple[Stones, str]] = [({}, "b")]
        self.last: Point | None = None

    def beside(self, at: Point) -> set[Point]:
        steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
        return {((at[0] + x) % self.size, (at[1] + y) % self.size) for x, y in steps} - {at}

    def region(self, at: Point, stones: Stones) -> tuple[set[Point], set[Point]]:
        """Return the points connected to one that hold the same, and all others beside them."""
        inside, border, waiting = {at}, set(), [at]
        while waiting:
            for near in self.beside(waiting.pop()):
                if stones.get(near) != stones.get(at):
                    border.add(near)
                elif near not in inside:
                    inside.add(near)
                    waiting.append(near)
        return inside, border

    def play(self, at: Point | None) -> bool:
        """Play at a point, or pass for None; return whether that is legal. What is illegal changes nothing."""
        stones, taken, turn, rules = dict(self.stones), {"b": 0, "w": 0}, self.turn, self.rules
        if at is not None:
            if at in stones:
                return False
            stones[at] = turn
            for near in (*sorted(self.beside(at)), at):
                if near in stones and (near == at or stones[near] != turn):
                    chain, border = self.region(near, stones)
                    if border <= stones.keys():
                        if near == at and not rules["suicide"]:
                            return False
                        taken[OTHER[stones[near]]] += len(chain)
                        stones = {where: stone for where, stone in stones.items() if where not in chain}
            banned = {
                "SITUATIONAL": (stones, OTHER[turn]) in self.faced,
                "POSITIONAL": stones in [board for board, _ in self.faced],
                # The board before the opponent's last move, unless that was a pass.
                "SIMPLE": self.last is not None and stones == self.faced[-2][0],
            }
            if banned[rules["ko"]]:
                return False
        self.passes[turn] += at is None
        self.stones, self.turn, self.last = stones, OTHER[turn], at
        self.prisoners = {side: self.prisoners[side] + taken[side] for side in "bw"}
        self.faced.append((stones, self.turn))
        return True

    def score(self, komi: float) -> str:
        points = {"b": 0, "w": komi}
        for at in ((column, row) for column in range(self.size) for row in range(self.size)):
            owners = (
                {self.stones[at]} if at in self.stones else {self.stones[x] for x in self.region(at, self.stones)[1]}
            )
            if len(owners) == 1:
                points[owners.pop()] += 1
        margin = points["b"] - points["w"] - self.rules["passCost"] * (self.passes["b"] - self.passes["w"])
        if margin:
            return f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"
        return {"BLACK": "B+0", "WHITE": "W+0", "NONE": "0"}[self.rules["tie"]]

    def after(self, at: Point) -> Game | None:
        game = deepcopy(self)
        return game if game.play(at) else None


def captured(game: Game, chain: Point) -> bool:
    """Return whether the ladder of a chain works: the attacker gives atari every time, and three liberties escape."""
    colour = game.stones.get(chain)
    if colour is None:
        return True
    _, border = game.region(chain, game.stones)
    liberties = border - game.stones.keys()
    if game.turn != colour:
        if len(liberties) > 2:
            return False
        for after in filter(None, map(game.after, sorted(liberties))):
            atari = chain not in after.stones or len(after.region(chain, after.stones)[1] - after.stones.keys()) == 1
            if atari and captured(after, chain):
                return True
        return False
    tries = set(liberties)
    for near in border & game.stones.keys():
        eyes = game.region(near, game.stones)[1] - game.stones.keys()
        tries |= eyes if len(eyes) == 1 else set()
    return len(liberties) < 2 and all(captured(after, chain) for after in filter(None, map(game.after, sorted(tries))))


def images(size: int, moves: list[Point]) -> Iterator[list[Point]]:
    """Yield a sequence of moves under all shifts, rotations and reflections of the torus."""
    for flip in (moves, [(y, x) for x, y in moves]):
        for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            for n in range(size * size):
                yield [((a * x + n) % size, (b * y + n // size) % size) for x, y in flip]


def start(case: dict[str, Any], moves: Sequence[str]) -> Game:
    game = Game(case["size"], case["rules"])
    for move in moves:
        name = move.split()[1]
        assert game.play(None if name == "pass" else point(name)), f"{move} is refused"
    return game


def found(case: dict[str, Any]) -> dict[str, Any] | None:
    """Return what is true of a case, in the form in which the file has it; None for what cannot be told here."""
    game, size = start(case, case["moves"]), case["size"]
    if case["kind"] == "position":
        signs = {at: "X" if stone == "b" else "O" for at, stone in game.stones.items()}
        rows = ["".join(signs.get((x, y), ".") for x in range(size)) for y in reversed(range(size))]
        tried = {name: game.after(point(name)) is not None for name in case["legal"] + case["illegal"]}
        legal, illegal = ([name for name in tried if tried[name] is wanted] for wanted in (True, False))
        return {"legal": legal, "illegal": illegal, "board": rows, "prisoners": game.prisoners}
    if case["kind"] == "score":
        return {"score": game.score(case["komi"])}
    if case["kind"] == "ladder":
        return {"result": "captured" if captured(game, point(case["chain"])) else "escapes"}
    if case["kind"] == "opening":
        ours, theirs = ([point(move.split()[1]) for move in moves] for moves in (case["moves"], case["other"]))
        return {"same": theirs in images(size, ours)}
    return None


def main(path: str) -> int:
    cases = json.loads(Path(path).read_text(encoding="utf-8"))["cases"]
    answers = [(case, found(case)) for case in cases]
    wrong = [case["name"] for case, answer in answers if answer and any(case[key] != answer[key] for key in answer)]
    skipped = sum(answer is None for _, answer in answers)
    sys.stdout.write("\n".join((f"{len(wrong)} wrong, {skipped} not checked, of {len(cases)}", *wrong, "")))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    sys.exit(main(sys.argv[1]))
