"""The network of an installed KaTrain is found without importing KaTrain."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import numpy as np
import numpy.random
import pytest

from daoqi_tui.ai import USUAL, nets
from daoqi_tui.ai.evaluators import Evaluators
from daoqi_tui.ai.nets import NetworkFiles, checked, file_for, katrain_network, named_file, net_of
from daoqi_tui.ai.network import NetError
from daoqi_tui.ai.search import Evaluation, NetworkEvaluator
from daoqi_tui.engine import Board, torus_of
from tests.ai.test_katago_file import content_of, file_with


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, with no packages on the module path."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    return home


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The model folder of an installed KaTrain, which must not be imported."""
    models = tmp_path / "site" / "katrain" / "models"
    models.mkdir(parents=True)
    (models.parent / "__init__.py").write_text("raise AssertionError('imported')")
    told = tmp_path / "site" / "katrain-1.16.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: KaTrain\nVersion: 1.16.0\n")
    (told / "RECORD").write_text("katrain/__init__.py,,\nkatrain/models/a.bin.gz,,\nkatrain/models/b.bin.gz,,\n")
    return models


def test_it_is_among_the_data_of_the_package(models: Path) -> None:
    (models / "a.bin.gz").write_bytes(b"damaged")
    file_with(models, content_of(14), "b.bin.gz")
    assert katrain_network() == models / "b.bin.gz"
    assert net_of("katrain") == checked("katrain") == "katrain"
    assert named_file("katrain") == models / "b.bin.gz"
    assert NetworkFiles().load("katrain").name.startswith("small-net + daoqi")
    assert "katrain" not in sys.modules


def test_a_packaged_transformer_is_left_out(home: Path, models: Path) -> None:
    transformer = b"net 15 22 19 20 20 20 20 40 0.25 150 0 0 0 0 0 0 0 0 trunk 10 384 192 144 48 48 1 0 0 0 0 0 conv"
    (models / "a.bin.gz").write_bytes(transformer)
    assert katrain_network() is None
    (home / ".katrain").mkdir()
    file_with(home / ".katrain", content_of(14), "b.bin.gz")
    assert named_file("katrain") == home / ".katrain" / "b.bin.gz"


def test_else_the_newest_that_was_downloaded_is_taken(home: Path) -> None:
    folder = home / ".katrain"
    folder.mkdir()
    for age, name in enumerate(("newest.bin.gz", "newer.txt.gz", "older.bin.gz")):
        path = file_with(folder, content_of(8, binary=".bin" in name), name)
        os.utime(path, (1e9 - age, 1e9 - age))
    # A network that imitates human ranks, and other files of KaTrain.
    (folder / "newest.bin.gz").write_bytes(b"net 15 22 19 20 20 20 20 40 0.25 30 1 0 0 0 0 0 0 0 trunk")
    (folder / "config.json").write_text("{}")
    (folder / "katago.bin.gz").mkdir()
    (folder / "moved.bin.gz").symlink_to("away")
    assert named_file("katrain") == folder / "newer.txt.gz"


def test_what_is_packaged_goes_before_what_was_downloaded(home: Path, models: Path) -> None:
    file_with(models, content_of(8), "a.bin.gz")
    (home / ".katrain").mkdir()
    file_with(home / ".katrain", content_of(8))
    assert named_file("katrain") == models / "a.bin.gz"


def test_without_katrain_it_is_told_in_one_sentence() -> None:
    for load in (checked, NetworkFiles().load, named_file):
        with pytest.raises(
            NetError, match=r"package katrain nor in ~/.katrain .*: .* install .*katrain.* installs one$"
        ):
            load("katrain")


def odds(win: float) -> float:
    return math.log(win / (1.0 - win))


def evaluated(network: NetworkEvaluator, board: Board) -> Evaluation:
    return network.evaluate([network.encode(board, 4.0, (), 0)], board.torus.size)[0]


def test_on_a_small_board_its_values_are_corrected_by_the_built_in_network_the_more_the_emptier_it_is(
    models: Path,
) -> None:
    file = file_with(models, content_of(8), "b.bin.gz")
    both, flat, own = (NetworkFiles().load(name) for name in ("katrain", str(file), file_for(USUAL)))
    empty, full = Board(torus_of(7)), Board(torus_of(7))
    for point in range(0, 49, 2):
        full.play(point)
    for board, share in ((empty, 0.0), (full, 1.0)):
        found, plain, ours = (evaluated(network, board) for network in (both, flat, own))
        assert np.array_equal(found.policy, plain.policy)
        assert odds(found.win) == pytest.approx(0.6 * odds(ours.win) + 0.25 * share * odds(plain.win), abs=1e-3)
        for name in ("lead", "spread", "owner"):
            mean = (1 - share / 2) * getattr(ours, name) + share / 2 * getattr(plain, name)
            assert getattr(found, name) == pytest.approx(mean, abs=1e-4)


@pytest.mark.parametrize(("size", "alone"), [(12, False), (13, True)])
def test_on_a_large_board_it_plays_as_it_is(models: Path, size: int, alone: bool) -> None:
    file = file_with(models, content_of(8), "b.bin.gz")
    both, flat = (evaluated(NetworkFiles().load(name), Board(torus_of(size))) for name in ("katrain", str(file)))
    assert (both.win == flat.win) == alone


def test_another_process_corrects_them_in_the_same_way(models: Path) -> None:
    file_with(models, content_of(8), "b.bin.gz")
    network, board = NetworkFiles().load("katrain"), Board(torus_of(7))
    for point in (0, 1, 8, 15, 22, 30):
        board.play(point)
    pool = Evaluators(network, 1)
    pool.start()
    try:
        while not pool.ready:
            pool.poll(None)
        pool.submit([pool.network.encode(board, 4.0, (), 0)], 7)
        ((_ticket, (found,)),) = pool.collect()
    finally:
        pool.close()
    here = evaluated(network, board)
    assert isinstance(found, Evaluation)
    assert (found.win, found.lead) == pytest.approx((here.win, here.lead), abs=1e-4)
    assert found.owner == pytest.approx(here.owner, abs=1e-4)


def test_a_network_with_other_inputs_than_the_built_in_one_plays_alone(models: Path) -> None:
    file_with(models, content_of(5), "b.bin.gz")
    assert NetworkFiles().load("katrain").name == "small-net"


def test_the_file_is_looked_for_once(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file_with(models, content_of(8), "b.bin.gz")
    asked = []
    monkeypatch.setattr(nets, "katrain_network", lambda: asked.append(1) or katrain_network())
    files = NetworkFiles()
    assert files.load("katrain") is files.load("katrain")
    assert asked == [1]
