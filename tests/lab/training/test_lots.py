"""Lots have the same contents whoever plays them, and stages the same lots with any number of workers."""

from __future__ import annotations

import hashlib
import os
import signal
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from daoqi_tui.ai.network import NetError
from daoqi_tui.lab.cluster import Cluster
from daoqi_tui.lab.training.network_file import write_npz
from daoqi_tui.lab.training.positions import files, load
from daoqi_tui.lab.training.settings import Finishing, PlayKind, Searching, Teaching

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.lab.training.dataset import Dataset, is_held_out  # noqa: E402
from daoqi_tui.lab.training.evaluators import header_of  # noqa: E402
from daoqi_tui.lab.training.lots import LotFile, Play, lots_in, write_lot  # noqa: E402
from daoqi_tui.lab.training.model import parameters_of  # noqa: E402
from daoqi_tui.lab.training.workers import PlayFailed, needed, play_until  # noqa: E402
from tests.lab.training.test_learning import SMALL, stirred, teacher_in  # noqa: E402
from tests.lab.training.test_positions import count, made, save  # noqa: E402

FAST = replace(
    SMALL,
    sizes={"4": 1.0, "5": 1.0},
    teaching=Teaching(labelled=0.5),
    finishing=Finishing(exploratory=0.0, recorded=1.0, longest=4.0),
    searching=Searching(visits=2, full=1.0, considered=2),
)


def digests(folder: Path) -> dict[str, str]:
    """Return the names of the files of positions in a folder, with digests of their contents."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.npz")}


def play_in(folder: Path, kind: PlayKind = PlayKind.POLICY) -> Play:
    """Return the parameters of a stage played by a network of random weights."""
    path = folder / "net.npz"
    write_npz(path, header_of(SMALL), parameters_of(stirred(SMALL)))
    teacher = teacher_in(folder)
    settings = replace(FAST, teacher=teacher, teaching=replace(FAST.teaching, player=str(path)))
    return Play("stage", path, settings, kind)


@pytest.mark.parametrize("kind", list(PlayKind))
def test_a_lot_depends_on_its_number_alone(tmp_path: Path, kind: PlayKind):
    play = play_in(tmp_path, kind)
    third = play.lot(3)
    assert play.lot(2) != third
    assert play.lot(3) == third
    assert replace(play, stage="other").lot(3) != third
    assert replace(play, settings=replace(play.settings, seed=2)).lot(3) != third


def test_a_lot_of_games_by_the_policy_has_all_their_moves(tmp_path: Path):
    play = play_in(tmp_path, PlayKind.POLICY)
    (name, content) = play.lot(1)[0]
    (tmp_path / name).write_bytes(content)
    positions = load(tmp_path / name)
    points = int(positions.size) ** 2
    turns = play.settings.play.max_moves(points)
    assert len(positions) == pytest.approx(0.5 * turns * play.settings.boards, rel=0.5)
    stones = positions.planes_of()[..., 1:3].sum(axis=(1, 2, 3))
    assert stones.min() < 5
    assert stones.max() > 0.5 * points


def test_the_teacher_plays_its_share_of_the_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    play = play_in(tmp_path, PlayKind.POLICY)
    half = replace(play.settings, teaching=replace(play.settings.teaching, teacher_plays=0.5))
    begun: list[tuple[Path | None, Path | None]] = []

    def games(_play: Play, _size: int, net: Path | None, teacher: Path | None) -> None:
        begun.append((net, teacher))
        raise InterruptedError

    monkeypatch.setattr(Play, "_games", games)
    for settings in (play.settings, half):
        for number in range(40):
            with pytest.raises(InterruptedError):
                replace(play, settings=settings).lot(number)
    alone, shared = begun[:40], begun[40:]
    assert set(alone) == {(play.net, play.teacher)}
    assert set(shared) == {(play.net, play.teacher), (play.teacher, None)}
    assert 10 < shared.count((play.teacher, None)) < 30


def test_a_stage_is_the_same_with_one_worker_and_with_two(tmp_path: Path):
    play = play_in(tmp_path)
    told: list[int] = []
    play_until(150, tmp_path / "one", play, told.append)
    two = replace(play, settings=replace(play.settings, threads=2))
    play_until(150, tmp_path / "two", two, told.append)
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert told[-1] == count(tmp_path / "two" / "lots") >= 150
    play_until(150, tmp_path / "one", replace(play, net=None), lambda _: None)
    assert digests(tmp_path / "one") == digests(tmp_path / "two"), "nothing was left to play"
    play_until(250, tmp_path / "one", play, lambda _: None)
    assert digests(tmp_path / "two").items() < digests(tmp_path / "one").items(), "more is added behind"


def test_what_a_stage_needs_counts_from_the_first_lot_on():
    assert needed({0: 5, 1: 5}, 10) == 2
    assert needed({0: 5, 2: 50}, 10) is None
    assert needed({}, 0) == 0
    assert needed({0: 5, 1: 0, 2: 5, 3: 9}, 10) == 3


def test_a_lot_that_is_there_in_part_is_played_again(tmp_path: Path):
    parts = [LotFile(f"000004-5-{size}-{part}of2.npz", b"x") for part, size in ((1, 30), (2, 7))]
    assert write_lot(tmp_path, 4, parts) == 37
    assert lots_in(tmp_path) == {4: 37}
    (tmp_path / parts[0].name).unlink()
    assert lots_in(tmp_path) == {}
    assert write_lot(tmp_path, 4, [LotFile("000004-5-9.npz", b"x")]) == 9
    assert [path.name for path in files(tmp_path)] == ["000004-5-9.npz"]


def test_of_lots_of_many_files_a_part_is_held_out():
    names = [f"{lot:06}-16-2048-{part}of50.npz" for lot in range(2) for part in range(1, 51)]
    assert [is_held_out(Path(name)) for name in names].count(True) == 4
    assert is_held_out(Path("000001-16-2048.npz"))
    assert not is_held_out(Path("000002-16-2048.npz"))


def test_what_goes_wrong_in_a_worker_is_told(tmp_path: Path):
    play = replace(play_in(tmp_path), net=tmp_path / "none.npz")
    with pytest.raises(NetError, match=r"none\.npz"):
        play_until(10, tmp_path / "stage", play, lambda _: None)


class Empty(Play):
    """A stage with positions only in every tenth lot, and only up to lot 30."""

    def lot(self, number: int) -> list[LotFile]:
        return [LotFile(f"{number:06}-5-1.npz", b"x")] if number % 10 == 0 and number < 31 else []


def test_playing_ends_where_nothing_comes_of_it(tmp_path: Path):
    play = Empty("stage", None, FAST, PlayKind.SEARCHED)
    play_until(3, tmp_path / "stage", play, lambda _: None)
    with pytest.raises(PlayFailed, match="20 lots in a row have no positions"):
        play_until(10, tmp_path / "stage", play, lambda _: None)
    lots = lots_in(tmp_path / "stage" / "lots")
    assert [number for number in sorted(lots) if lots[number]] == [0, 10, 20, 30]


class Here:
    """A fake cluster that plays in this process and records the lots it has played."""

    processors = 1

    def __init__(self) -> None:
        self.played: list[int] = []

    def submit(self, _function: object, play: Play, _net: None, _teacher: None, number: int) -> Future[list[LotFile]]:
        self.played.append(number)
        lot: Future[list[LotFile]] = Future()
        lot.set_result(play.lot(number))
        return lot


def test_a_lot_without_a_position_is_played_once(tmp_path: Path):
    play, folder = Empty("stage", None, FAST, PlayKind.SEARCHED), tmp_path / "stage"
    for wanted, played in ((2, list(range(11))), (2, []), (3, list(range(11, 21)))):
        cluster = Here()
        play_until(wanted, folder, play, lambda _: None, cast("Cluster", cluster))
        assert cluster.played == played
    # After a change of the settings lots may have positions, so as many are tried as the first time.
    for last in (50, 70):
        with pytest.raises(PlayFailed, match="20 lots in a row have no positions"):
            play_until(10, folder, play, lambda _: None, cast("Cluster", Here()))
        assert max(lots_in(folder / "lots")) == last


def test_a_lot_without_a_position_is_left_out_of_what_is_learnt(tmp_path: Path):
    save(made(3, 5), tmp_path)
    assert write_lot(tmp_path, 1, []) == 0
    assert write_lot(tmp_path, 2, []) == 0
    assert lots_in(tmp_path) == {0: 3, 1: 0, 2: 0}
    rng = np.random.default_rng(1)
    assert [len(Dataset([tmp_path], rng, held_out=held_out)) for held_out in (False, True)] == [3, 0]
    assert write_lot(tmp_path, 2, [LotFile("000002-5-9.npz", b"x")]) == 9
    assert lots_in(tmp_path) == {0: 3, 1: 0, 2: 9}


def test_a_network_that_a_cluster_cannot_be_sent_is_told(tmp_path: Path):
    cluster = cast("Cluster", SimpleNamespace(share=lambda value: value))
    play = replace(play_in(tmp_path), net=tmp_path / "none.npz")
    with pytest.raises(NetError, match=r"none\.npz cannot be read: No such file"):
        play_until(10, tmp_path / "stage", play, lambda _: None, cluster)


class Patient:
    """A fake cluster that plays the first lots at once and never finishes the others."""

    processors = 4

    def __init__(self, played: int) -> None:
        self.left = played
        self.waiting: list[Future[list[LotFile]]] = []

    def submit(self, _function: object, _play: Play, _net: None, _teacher: None, number: int) -> Future[list[LotFile]]:
        lot: Future[list[LotFile]] = Future()
        if self.left:
            self.left -= 1
            lot.set_result([LotFile(f"{number:06}-5-9.npz", b"x")])
        else:
            self.waiting.append(lot)
        return lot


class Quick(Play):
    """A stage whose lots have nine positions each."""

    def lot(self, number: int) -> list[LotFile]:
        return [LotFile(f"{number:06}-5-9.npz", b"x")]


class Hurried:
    """A fake cluster with all of whose lots, four at a time, are there at once."""

    processors = 4

    def submit(self, _function: object, play: Play, _net: None, _teacher: None, number: int) -> Future[list[LotFile]]:
        lot: Future[list[LotFile]] = Future()
        lot.set_result(play.lot(number))
        return lot


def test_lots_that_somebody_added_are_left_where_they_are(tmp_path: Path):
    """Those that were played beyond the wanted positions are removed: how many depends on the number of workers."""
    folder, play = tmp_path / "stage", Quick("stage", None, FAST, PlayKind.SEARCHED)
    added = "000005-5-7.npz", "000900-5-30-1of2.npz", "000900-5-8-2of2.npz", "000901-5-3-1of2.npz"
    (folder / "lots").mkdir(parents=True)
    for name in added:
        (folder / "lots" / name).write_bytes(b"added")
    cluster = cast("Cluster", Hurried())
    assert play_until(18, folder, play, lambda _: None, cluster) == 2
    assert sorted(digests(folder)) == ["000000-5-9.npz", "000001-5-9.npz", *added]
    assert play_until(9, folder, play, lambda _: None, cluster) == 3
    assert play_until(46, folder, play, lambda _: None, cluster) == 1
    assert play_until(100, folder, play, lambda _: None, cluster) == 1
    assert len(lots_in(folder / "lots")) == 13
    assert all((folder / "lots" / name).read_bytes() == b"added" for name in added)


def test_lots_that_are_not_needed_any_more_are_called_off(tmp_path: Path):
    play, cluster = Play("stage", None, FAST, PlayKind.SEARCHED), Patient(2)
    play_until(18, tmp_path / "stage", play, lambda _: None, cast("Cluster", cluster))
    assert lots_in(tmp_path / "stage" / "lots") == {0: 9, 1: 9}
    assert [lot.cancelled() for lot in cluster.waiting] == [True, True]


class Deadly(Play):
    """A stage that kills the process that plays it."""

    def lot(self, number: int) -> list[LotFile]:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def test_a_worker_that_is_killed_ends_the_playing(tmp_path: Path):
    play = Deadly("stage", None, FAST, PlayKind.SEARCHED)
    with pytest.raises(PlayFailed, match="a process that plays games has ended"):
        play_until(10, tmp_path / "stage", play, lambda _: None)


class DeadlyOnce(Play):
    """A stage that kills the first process to play lot 1; a file records it. Used by the tests of clusters."""

    def lot(self, number: int) -> list[LotFile]:
        died = Path(self.settings.name)
        if number == 1 and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Play(self.stage, self.net, replace(self.settings, name="small"), self.kind).lot(number)
