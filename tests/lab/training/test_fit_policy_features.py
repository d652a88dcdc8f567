"""The fit of policy features recovers the weights that made a policy."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai.katago.features import Features
from daoqi_tui.ai.playout import features, policy_features
from daoqi_tui.ai.search.evaluator import Evaluation
from daoqi_tui.engine import BLACK, Board, torus_of
from daoqi_tui.lab.training.positions import Positions
from tests.lab.training.one_game import positions_of
from tests.lab.training.test_positions import made, save

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be fitted")
from daoqi_tui.lab.training.fit_policy_features import (  # noqa: E402
    MoveFeatures,
    fit,
    main,
    move_features_of,
    tactical_table,
)

SIZE = 9


def positions(count: int) -> Positions:
    """Return positions of random games with uniform policies."""
    rng, seer = random.Random(4), Features(8, ladders=False)
    looks, targets = [], []
    for _ in range(count):
        board, played = Board(torus_of(SIZE)), []
        for _ in range(rng.randint(2, 35)):
            played.append(rng.choice(board.torus.points_in(board.legal_mask())))
            board.play(played[-1])
        looks.append(seer.encode(board, 4.0, played[-5:], 0))
        even = np.full(SIZE * SIZE + 1, 1 / (SIZE * SIZE + 1), np.float32)
        targets.append(Evaluation(even, 0.5, 0.0, 1.0, np.zeros(SIZE * SIZE, np.float32)))
    return positions_of(looks, targets, SIZE)


def by_features(seen: MoveFeatures) -> np.ndarray:
    """Return the probabilities of the moves by the player's weights."""
    shapes = np.zeros(len(set(policy_features.pattern_classes(BLACK))))
    shapes[policy_features.pattern_classes(BLACK)] = policy_features.pattern_weights()[BLACK]
    near, before = (values[0] for values in policy_features.distance_weights(torus_of(SIZE)))
    apart = policy_features.distances(torus_of(SIZE))[0].clip(0)
    by_distance = [dict(zip(apart.tolist(), values.tolist(), strict=True)) for values in (near, before)]
    value = shapes[seen.shape] + policy_features.tactical_weights().ravel()[seen.doing]
    value += [by_distance[0][distance] for distance in seen.near]
    value += [by_distance[1][distance] for distance in seen.before]
    chance = np.exp(value)
    return (chance / np.bincount(seen.position, chance)[seen.position]).astype(np.float32)


def test_values_that_made_a_policy_are_found_again() -> None:
    seen = move_features_of(iter([positions(300)]), 300)
    chance = by_features(seen)
    made = MoveFeatures(seen.position, seen.shape, seen.doing, seen.near, seen.before, chance)
    blind = fit(made, rounds=0)
    found = fit(made)
    assert blind.lost > 0.5
    assert found.lost < 0.01
    assert found.first > 0.95
    worth = dict(zip(policy_features.Tactics.__slots__, found.doings.tolist(), strict=True))
    assert worth["rescue"] == pytest.approx(policy_features.Tactics().rescue, abs=0.1)
    # The shape of a cramped move also explains part of its value.
    assert worth["cramped"] < -1.5


def test_no_more_positions_are_seen_than_wanted_and_only_legal_plays() -> None:
    lot = positions(5)
    seen = move_features_of(iter([lot, lot]), 7)
    assert seen.position.max() == 6
    free = (lot.planes_of()[0][..., 1:3].sum(-1) == 0).sum()
    assert (seen.position == 0).sum() <= free
    assert np.bincount(seen.position, seen.chance) == pytest.approx(1, abs=1e-5)


def test_a_folder_without_positions_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(made(3, 5), tmp_path / "lots")
    for folder in (tmp_path, tmp_path / "lots"):
        monkeypatch.setattr("sys.argv", ["fit", str(folder)])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2
        assert capsys.readouterr().err.endswith(f"{folder} holds no positions of boards from 9×9 on\n")


def test_the_table_of_doings_is_that_of_the_player() -> None:
    worth = np.array([getattr(policy_features.Tactics(), name) for name in policy_features.Tactics.__slots__])
    assert np.allclose(worth @ tactical_table(), policy_features.tactical_weights().ravel(), atol=1e-5)
    assert tactical_table().shape[1] == policy_features.STAKES * (features.F_ALL + 1)


def test_values_are_written_as_they_are_read() -> None:
    values = np.array([-4.0, -0.3, 0.0, 2.4], np.float32)
    text = policy_features.encode_weights(values)
    assert len(text) == 4
    again = [policy_features.encode_weights(np.array([value], np.float32)) for value in values]
    assert text == "".join(again)
    assert text[0] < text[1] < text[2] < text[3]
