"""Games and examples with outcomes that independent programs agree on, replayed move by move."""

from typing import Any

import pytest

from daoqi_tui.engine import BLACK, WHITE, Game, IllegalMove, Repeats
from tests.shared_data import data_json

SUPERKO_EXAMPLES = 6


def replayed(record: dict[str, Any]) -> tuple[Game, list[int]]:
    """Replay a record, resuming after two passes; return the game, and 1 or 0 for each move accepted or refused."""
    size = record["size"]
    game = Game(size)
    if setup := record.get("setup"):
        black, white = ([row * size + column for column, row in setup[side]] for side in ("black", "white"))
        game.setup(black=black, white=white)
    accepted = []
    for move in record["moves"]:
        if game.is_over:
            game.resume()
        if move == "pass":
            game.pass_turn()
            accepted.append(1)
            continue
        column, row = move
        point = row * size + column
        refusal = game.refusal(point)
        assert (point in game.legal_points()) == (refusal is None)
        if refusal is None:
            game.play(point)
        else:
            with pytest.raises(IllegalMove) as error:
                game.play(point)
            assert error.value.refusal == refusal
        accepted.append(int(refusal is None))
    return game, accepted


def test_random_games_end_as_two_independent_engines_say():
    games = data_json("torus_games.json")["games"]
    assert games
    for number, record in enumerate(games):
        game, accepted = replayed(record)
        board, count = game.board, game.area()
        told = {
            "accepted": "".join(map(str, accepted)),
            "board": str(board).split("\n"),
            "captured_by": {"B": board.captured[BLACK], "W": board.captured[WHITE]},
            "suicided": {"B": board.suicided[BLACK], "W": board.suicided[WHITE]},
            "area": {
                "black": count.black.stones + count.black.territory,
                "white": count.white.stones + count.white.territory,
            },
            "passes": {"B": count.black.passes, "W": count.white.passes},
            "to_move": " BW"[board.to_move],
        }
        assert told == {key: record[key] for key in told}, f"game {number}"
        nodes = game.node.path()[1:]
        assert sum(node.captured for node in nodes) == sum(board.captured)
        assert sum(node.lost for node in nodes) == sum(board.suicided)


@pytest.mark.parametrize("number", range(SUPERKO_EXAMPLES))
def test_superko_examples(number: int):
    examples = data_json("superko.json")["examples"]
    assert len(examples) == SUPERKO_EXAMPLES
    game, accepted = replayed(examples[number])
    assert [bool(one) for one in accepted] == examples[number]["accepted"], examples[number]["name"]
    if not accepted[-1]:
        column, row = examples[number]["moves"][-1]
        assert isinstance(game.refusal(row * examples[number]["size"] + column), Repeats)
