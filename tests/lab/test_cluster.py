"""Training and matches on a local Ray cluster of two workers: the same results as without it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from daoqi_tui.cli.main import main
from daoqi_tui.lab.cluster import AUTO, Cluster, ClusterError
from daoqi_tui.lab.match.match import EngineMatch, MatchOptions
from daoqi_tui.lab.match.results import MatchError
from tests.lab.match.test_match import SIMPLE


@pytest.fixture(scope="module")
def _ray() -> Iterator[None]:
    ray = pytest.importorskip("ray", reason="Ray is not installed, so nothing can be spread")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()


def test_without_ray_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r"--ray needs Ray: .* install .*\bray\b.* installs it"):
        Cluster(AUTO)
    with pytest.raises(SystemExit) as end:
        main(["match", SIMPLE, SIMPLE, "--size", "5", "--ray", "auto"])
    assert end.value.code == 1
    assert capsys.readouterr().err.startswith("daoqi-tui: --ray needs Ray")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("127.0.0.1:1", "there is no Ray cluster at 127.0.0.1:1: "),
        ("ray://127.0.0.1:1", "there is no Ray cluster at ray://127.0.0.1:1: "),
        (
            "somewhere",
            "there is no Ray cluster at somewhere: an address is like 192.0.2.7:6379 or ray://192.0.2.7:10001",
        ),
        ("here:there", "there is no Ray cluster at here:there: "),
    ],
)
def test_where_there_is_no_cluster_it_is_told_at_once(monkeypatch: pytest.MonkeyPatch, address: str, told: str):
    """Ray is replaced by a stub, so that it need not be installed."""
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False))
    with pytest.raises(ClusterError) as error:
        Cluster(address)
    assert str(error.value).startswith(told)


class FakeRay:
    """A fake Ray whose tasks end when the test says so, and which records cancellations."""

    def __init__(self) -> None:
        self.tasks: list[Future[int]] = []
        self.cancelled: list[object] = []

    def is_initialized(self) -> bool:
        return True

    def remote(self, **_options: object) -> object:
        return lambda _function: SimpleNamespace(remote=self._begin)

    def _begin(self) -> object:
        self.tasks.append(Future())
        return SimpleNamespace(future=lambda task=self.tasks[-1]: task)

    def cancel(self, task: SimpleNamespace) -> None:
        self.cancelled.append(task.future())


def test_a_task_that_is_cancelled_ends_on_the_cluster(monkeypatch: pytest.MonkeyPatch):
    ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    cluster = Cluster(AUTO)
    done, failed, cancelled = (cluster.submit(int) for _ in range(3))
    ray.tasks[0].set_result(7)
    ray.tasks[1].set_exception(ValueError("no"))
    assert cancelled.cancel()
    assert ray.cancelled == [ray.tasks[2]]
    # As Ray reports a cancellation.
    ray.tasks[2].set_exception(RuntimeError("the task was cancelled"))
    assert done.result() == 7
    assert isinstance(failed.exception(), ValueError)
    assert cancelled.cancelled()
    assert not done.cancel()
    assert len(ray.cancelled) == 1


# Matches


class Threads(ThreadPoolExecutor):
    """A fake cluster that plays games in threads of this process."""

    processors = 2


def results(match: EngineMatch) -> list[tuple[object, ...]]:
    return [(game.game, game.black, game.winner, game.result, game.end, game.moves) for game in match.played]


def played(options: MatchOptions, cluster: object = None) -> EngineMatch:
    match = EngineMatch(options)
    asyncio.run(match.run(cluster=cluster))  # type: ignore[arg-type]
    return match


def test_games_of_a_match_may_be_played_elsewhere(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=4, size=5, opening=3)
    with Threads() as cluster:
        there = played(replace(options, out=tmp_path / "there"), cluster)
    here = played(replace(options, out=tmp_path / "here"))
    assert results(there) == results(here)
    for game in there.played:
        name = f"game-{game.game:04}.sgf"
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_an_engine_that_does_not_start_elsewhere_ends_the_match():
    with Threads() as cluster, pytest.raises(MatchError, match="'no-such-engine' cannot be started"):
        played(MatchOptions(SIMPLE, "no-such-engine", games=4, size=5), cluster)


@pytest.mark.usefixtures("_ray")
def test_a_cluster_plays_a_match():
    options = MatchOptions(SIMPLE, "level:1", games=4, size=5, limit=6, opening=3)
    with Cluster(AUTO) as cluster:
        match = played(options, cluster)
        with pytest.raises(MatchError, match="'no-such-engine' cannot be started"):
            played(replace(options, engine_a="no-such-engine"), cluster)
    assert [game.game for game in match.played] == [1, 2, 3, 4]
    assert {game.end for game in match.played} <= {"length", "passes", "resignation"}


# Training


@pytest.mark.usefixtures("_ray")
def test_a_cluster_plays_for_a_training_what_one_machine_plays(tmp_path: Path):
    """Even if a worker is killed in the middle."""
    pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
    from daoqi_tui.lab.training.workers import play_until
    from tests.lab.training.test_lots import DeadlyOnce, digests, play_in

    play = play_in(tmp_path)
    play_until(150, tmp_path / "here", play, lambda _: None)
    settings = replace(play.settings, name=str(tmp_path / "died"))
    deadly = DeadlyOnce(play.stage, play.net, settings, play.kind)
    with Cluster(AUTO) as cluster:
        assert cluster.processors == 2
        play_until(150, tmp_path / "there", deadly, lambda _: None, cluster)
    assert (tmp_path / "died").exists()
    assert digests(tmp_path / "there") == digests(tmp_path / "here")


def test_batched_games_are_not_for_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
    from daoqi_tui.lab.training.run import settings_of
    from daoqi_tui.lab.training.settings import SettingsError

    def given(batched: str) -> Path:
        path = tmp_path / f"{batched}.toml"
        path.write_text(f'device = "cpu"\nbatched = "{batched}"\n', "utf-8")
        return path

    folder = tmp_path / "training"
    with pytest.raises(SystemExit) as end:
        main(["train", str(folder), "--settings", str(given("yes")), "--ray", "auto"])
    assert end.value.code == 1
    assert 'set batched = "no" to play them on a cluster' in capsys.readouterr().err
    # Nothing was started, so the advice in the message can be followed.
    settings = settings_of(folder, given("no"), on_cluster=True)
    assert (settings.batched, settings.ladders) == ("no", True)
    settings_of(tmp_path / "begun", given("yes"))
    with pytest.raises(SettingsError, match="on a cluster"):
        settings_of(tmp_path / "begun", None, on_cluster=True)
