"""Training with batched games, from scratch and from a teacher, up to a network that plays."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai.nets import NetworkFiles
from daoqi_tui.ai.network import NetError
from daoqi_tui.ai.network.features import LAYOUTS
from daoqi_tui.ai.network.npz import read_npz
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import Board, Torus
from daoqi_tui.lab.training.network_file import write_npz
from daoqi_tui.lab.training.positions import files, load
from daoqi_tui.lab.training.settings import (
    CORRECTED,
    Finishing,
    PlayKind,
    Searching,
    Settings,
    SettingsError,
    Teaching,
    toml_of,
)

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.lab.training.dataset import Dataset  # noqa: E402
from daoqi_tui.lab.training.evaluators import batch_evaluator_of, header_of, resolved  # noqa: E402
from daoqi_tui.lab.training.lots import Play  # noqa: E402
from daoqi_tui.lab.training.model import parameters_of  # noqa: E402
from daoqi_tui.lab.training.run import Training, settings_of  # noqa: E402
from daoqi_tui.lab.training.workers import workers_of  # noqa: E402
from tests.lab.training.test_learning import SMALL, stirred, teacher_in  # noqa: E402
from tests.lab.training.test_positions import count  # noqa: E402
from tests.waiting import HANG  # noqa: E402

BATCHED = replace(
    SMALL,
    batched="yes",
    sizes={"5": 1.0},
    searching=Searching(rounds=1, positions=8, visits=4, quick_visits=2, considered=2, samples=48),
)


def test_a_batched_training_from_nothing_plays_as_it_learnt(tmp_path: Path):
    (tmp_path / "settings.toml").write_text(toml_of(BATCHED), "utf-8")
    folder = tmp_path / "training"
    command = [sys.executable, "-m", "daoqi_tui", "train", str(folder), "--settings", str(tmp_path / "settings.toml")]
    told = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=True)
    assert "the network is in" in told.stdout
    played = folder / "round-1" / "lots"
    assert count(played) >= 8
    positions = load(next(files(played)))
    ladders = LAYOUTS[8].ladders
    assert ladders is not None
    assert not positions.planes_of()[..., ladders : ladders + 4].any()
    # A second file, held out for testing, may be written before the process is stopped.
    read = [len(Dataset([played], np.random.default_rng(1), held_out=held_out)) for held_out in (False, True)]
    assert sum(read) == count(played)
    network = folder / "network.npz"
    header, _ = read_npz(network)
    assert not header.ladders
    network = NetworkFiles().load(str(network))
    search = PuctSearch(Board(Torus(5)), 4.0, network)
    search.run(Limits(visits=20))
    assert search.root.total_visits >= 20


def test_a_teacher_may_play_in_batches(tmp_path: Path):
    teaching = Teaching(positions=2048)
    settings = replace(
        BATCHED,
        teacher=teacher_in(tmp_path),
        teaching=teaching,
        boards=256,
        searching=Searching(),
        sizes={"5": 1.0, "6": 1.0},
    )
    network = Training(tmp_path / "training", settings).run()
    assert not read_npz(network)[0].ladders
    assert count(tmp_path / "training" / "teacher" / "lots") >= 2048


def test_own_games_may_be_played_to_their_end_in_batches(tmp_path: Path):
    settings = replace(
        BATCHED,
        teacher=teacher_in(tmp_path),
        teaching=Teaching(positions=512),
        boards=256,
        searching=Searching(),
        finishing=Finishing(positions=1024, samples=64, recorded=1.0),
    )
    network = Training(tmp_path / "training", settings).run()
    assert read_npz(network)[0].name == "small"
    assert count(tmp_path / "training" / "finished" / "lots") >= 1024


def test_a_teacher_that_sees_in_another_way_is_refused(tmp_path: Path):
    teacher = tmp_path / "teacher.npz"
    write_npz(teacher, replace(header_of(SMALL), format=7), parameters_of(stirred(SMALL)))
    entries = dict(np.load(teacher))
    # Format 7 has fewer global features and fewer score outputs.
    entries["first_globals"] = entries["first_globals"][:16]
    for name in ("value.score", "value.score_bias"):
        entries[name] = entries[name][..., :2]
    np.savez(teacher, **entries)
    with pytest.raises(NetError, match=r"small has model format 7; games can be batched with format 8 alone"):
        Training(tmp_path / "training", replace(BATCHED, teacher=str(teacher))).run()


def test_whole_games_stand_together():
    """Held-out files must share no games with training files."""
    searching = Searching(visits=2, quick_visits=1, full=1.0, considered=2)
    settings = replace(BATCHED, searching=searching, boards=6)
    (positions,) = Play("round-1", None, settings, PlayKind.SEARCHED).positions(5, np.random.default_rng(1))
    stones = positions.planes_of()[..., 1:3].sum(axis=(1, 2, 3))
    begins = int((stones[1:] < stones[:-1] - 8).sum()) + 1
    assert 2 <= begins <= 6 * 2


def test_what_is_left_open_is_settled_when_a_training_begins(tmp_path: Path):
    begun = settings_of(tmp_path / "one", None)
    assert (begun.batched, begun.ladders) == (resolved(Settings()).batched, resolved(Settings()).ladders)
    given = tmp_path / "given.toml"
    given.write_text("device = 'cpu'\nbatched = 'yes'\n", "utf-8")
    begun = settings_of(tmp_path / "two", given)
    assert (begun.batched, begun.ladders) == ("yes", False)
    assert settings_of(tmp_path / "two", None) == settings_of(tmp_path / "two", given) == begun
    given.write_text("device = 'cpu'\n", "utf-8")
    assert settings_of(tmp_path / "two", given) == begun, "what is open now is as it was settled then"
    given.write_text("device = 'cpu'\nbatched = 'no'\n", "utf-8")
    with pytest.raises(SettingsError, match="begun with other settings"):
        settings_of(tmp_path / "two", given)


def test_games_are_batched_on_any_device_but_a_processor():
    for device, batched, ladders in (("cuda", "yes", False), ("cpu", "no", True)):
        found = resolved(Settings(device=device))
        assert (found.batched, found.ladders) == (batched, ladders)
    assert resolved(Settings(device="cuda", batched="no")).ladders
    assert resolved(Settings(device="cuda", teaching=Teaching(values=CORRECTED))).batched == "no"
    assert not resolved(Settings(device="cpu", ladders=False)).ladders
    assert not header_of(resolved(BATCHED)).ladders
    assert batch_evaluator_of(None, BATCHED).device.type == "cpu"
    assert [workers_of(replace(BATCHED, threads=3, batched=batched)) for batched in ("yes", "no")] == [1, 3]
