"""A client that plays back what ``printsgf`` says has the engine's board, whatever the session did before."""

from __future__ import annotations

import random

import pytest
from sgfmill.sgf_grammar import parse_sgf_game

from tests.gtp.talking import Talk

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def vertex(value: bytes, size: int) -> str:
    """Return a point of SGF as GTP names it."""
    text = value.decode()
    return f"{LETTERS[ord(text[0]) - 97]}{size - ord(text[1]) + 97}" if text else "pass"


def play_back(record: str) -> list[str]:
    """Return commands that play the main line of a record, with no knowledge of the program.

    A node with setup stones is a new position: the client clears the board and lays it out.
    """
    tree = parse_sgf_game(record.encode())
    nodes = list(tree.sequence)
    while tree.children:
        tree = tree.children[0]
        nodes += tree.sequence
    root = nodes[0]
    size = int(root["SZ"][0])
    commands = [f"boardsize {size}", "clear_board", f"kata-set-rules {root['RU'][0].decode()}"]
    stones: dict[str, str] = {}
    for node in nodes:
        laid = {
            vertex(point, size): colour
            for name, colour in (("AB", "b"), ("AW", "w"), ("AE", ""))
            for point in node.get(name, [])
        }
        if laid:
            assert not any(command.startswith("play") for command in commands), "laid out after a move"
            stones.update(laid)
            commands.append(" ".join(["gogui-setup", *(f"{side} {name}" for name, side in stones.items() if side)]))
        commands += [
            f"play {colour} {vertex(node[name][0], size)}" for name, colour in (("B", "b"), ("W", "w")) if name in node
        ]
    return commands


BOARD = ("gogui-rules_board", "list_stones b", "list_stones w", "gogui-rules_captured_count")


def session(chance: random.Random) -> list[str]:
    """Return the commands of a session: plays in any order, passes, undo, handicap, setup."""
    size = chance.choice((3, 5, 9))
    names = [f"{LETTERS[column]}{row + 1}" for column in range(size) for row in range(size)]
    commands = [f"boardsize {size}"]
    if chance.random() < 0.3:
        commands.append(f"kata-set-rules {chance.choice(('tromp-taylor', 'superko=simple', 'suicide=no'))}")
    match chance.randrange(4):
        case 0 if size == 9:
            commands.append("fixed_handicap 3")
        case 1:
            points = chance.sample(names, 3)
            commands.append(f"gogui-setup b {points[0]} w {points[1]} b {points[2]}")
            commands += ["gogui-setup_player w"] * (chance.random() < 0.5)
    for turn in range(chance.randrange(60)):
        kind = chance.random()
        # Mostly by turns, so that captures, suicide and repetition come about.
        colour = "bw"[turn % 2] if chance.random() < 0.9 else chance.choice("bw")
        if kind < 0.85:
            commands.append(f"play {colour} {chance.choice(names)}")
        elif kind < 0.9:
            commands.append(f"play {colour} pass")
        elif kind < 0.97:
            commands.append(chance.choice(("undo", "gg-undo 3")))
        else:
            commands.append("komi 5")
    return commands


@pytest.mark.parametrize("seed", range(60))
def test_what_is_played_back_is_the_engines_board(seed: int):
    commands = session(random.Random(seed))
    *_, record, board, black, white, _captured = (answer.text for answer in Talk().all(*commands, "printsgf", *BOARD))
    again = [answer.text for answer in Talk().all(*play_back(record), *BOARD)]
    assert again[-4:-1] == [board, black, white]
