"""The network of an installed KaTrain is found without importing KaTrain."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy.random  # noqa: F401 (else imported in a test, where no module is found)
import pytest

from daoqi_tui.ai import nets
from daoqi_tui.ai.nets import NetworkFiles, checked, katrain_network, net_of
from daoqi_tui.ai.network import NetError
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
    assert net_of("katrain") == checked("katrain") == str(models / "b.bin.gz")
    assert NetworkFiles().load(str(net_of("katrain"))).name == "small-net"
    assert "katrain" not in sys.modules


def test_a_packaged_transformer_is_left_out(home: Path, models: Path) -> None:
    transformer = b"net 15 22 19 20 20 20 20 40 0.25 150 0 0 0 0 0 0 0 0 trunk 10 384 192 144 48 48 1 0 0 0 0 0 conv"
    (models / "a.bin.gz").write_bytes(transformer)
    assert katrain_network() is None
    (home / ".katrain").mkdir()
    file_with(home / ".katrain", content_of(14), "b.bin.gz")
    assert net_of("katrain") == str(home / ".katrain" / "b.bin.gz")


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
    assert net_of("katrain") == str(folder / "newer.txt.gz")


def test_what_is_packaged_goes_before_what_was_downloaded(home: Path, models: Path) -> None:
    file_with(models, content_of(8), "a.bin.gz")
    (home / ".katrain").mkdir()
    file_with(home / ".katrain", content_of(8))
    assert net_of("katrain") == str(models / "a.bin.gz")


def test_without_katrain_it_is_told_in_one_sentence() -> None:
    assert net_of("katrain") == nets.KATRAIN
    for load in (checked, NetworkFiles().load):
        with pytest.raises(
            NetError, match=r"package katrain nor in ~/.katrain .*: .* install .*katrain.* installs one$"
        ):
            load("katrain")
