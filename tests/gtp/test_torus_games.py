"""Random games on the torus, replayed through GTP: refusals, final stones, prisoners, passes and area."""

from __future__ import annotations

from typing import Any

from tests.gtp.talking import Talk
from tests.shared_data import data_json

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def test_replay():
    games = data_json("torus_games.json")["games"]
    refused = 0
    for game in games:
        refused += game["accepted"].count("0")
        replay(game)
    assert refused > 100


def replay(game: dict[str, Any]) -> None:
    size = game["size"]
    commands = []
    side = "black"
    for move, accepted in zip(game["moves"], game["accepted"], strict=True):
        vertex = "pass" if move == "pass" else f"{LETTERS[move[0]]}{size - move[1]}"
        commands.append(f"play {side} {vertex}")
        if accepted == "1":
            side = "white" if side == "black" else "black"
    questions = (
        "list_stones black",
        "list_stones white",
        "gogui-rules_captured_count",
        "daoqi-passes",
        "gogui-rules_side_to_move",
        "final_score",
    )
    told = Talk(size, 0).all(*commands, *questions)
    expected = [("=", "") if accepted == "1" else ("?", "illegal move") for accepted in game["accepted"]]
    assert [(answer.sign, answer.text) for answer in told[: len(commands)]] == expected
    black, white, captured, passes, to_move, score = (answer.text for answer in told[len(commands) :])
    for sign, listed in (("X", black), ("O", white)):
        assert listed.split() == [
            f"{LETTERS[column]}{size - row}"
            for row, line in enumerate(game["board"])
            for column, stone in enumerate(line)
            if stone == sign
        ]
    taken, lost, made = game["captured_by"], game["suicided"], game["passes"]
    assert captured == f"{taken['B'] + lost['W']} {taken['W'] + lost['B']}"
    assert passes == f"black {made['B']} white {made['W']}"
    assert to_move == side
    margin = game["area"]["black"] - made["B"] - game["area"]["white"] + made["W"]
    assert score == (f"B+{margin}" if margin > 0 else f"W+{-margin}")
