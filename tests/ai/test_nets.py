"""Which network a name selects, and how weak levels sample moves from its policy."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from daoqi_tui.ai import USUAL, Estimate, Position, Think, nets
from daoqi_tui.ai.levels import Sampling
from daoqi_tui.ai.nets import LARGE_BOARD, NetworkFiles, checked, file_for, net_of, read, runner_of
from daoqi_tui.ai.network import NetError, convolution
from daoqi_tui.ai.network.convolution import ROUNDED
from daoqi_tui.ai.network.features import Features
from daoqi_tui.ai.network.network import LoadedNetwork, Network
from daoqi_tui.ai.passing import Decision
from daoqi_tui.ai.player import SearchPlayer, sample_move
from daoqi_tui.ai.search import Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.ai.search.puct import PuctSearch
from daoqi_tui.engine import EMPTY, PASS, Board, Torus
from daoqi_tui.paths import assets_folder
from daoqi_tui.typed import STRONGEST
from tests.engine.pictures import board_of


def test_a_file_is_itself_and_there_is_no_player_without_a_network(tmp_path: Path):
    assert net_of(USUAL) == USUAL
    with pytest.raises(NetError, match="always plays with a network"):
        checked("none")
    assert net_of(str(tmp_path / "a.npz")) == str(tmp_path / "a.npz")
    assert net_of("~/a.npz") == str(Path.home() / "a.npz")


@pytest.mark.parametrize("name", ["a.npz", "a.bin.gz"])
def test_what_no_file_can_be_called_is_told_in_a_sentence(name: str):
    with pytest.raises(NetError, match=name):
        NetworkFiles().load(f"\0{name}")


@pytest.mark.skipif(sys.platform == "win32", reason="no folder that is in use can be removed there")
@pytest.mark.parametrize("name", ["a.npz", "a.bin.gz"])
def test_in_a_folder_that_is_gone_there_is_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(NetError, match=f"{name} cannot be read"):
        checked(name)


def test_a_user_who_does_not_exist_has_no_network():
    assert net_of("~nosuchuser/a.npz") == str(Path("~nosuchuser/a.npz").absolute())
    for name in ("a.npz", "a.bin.gz"):
        with pytest.raises(NetError):
            checked(f"~nosuchuser/{name}")


def test_torch_runs_a_large_network_where_it_is_faster(monkeypatch: pytest.MonkeyPatch):
    """Runs with or without torch: the module that needs it is replaced."""
    parameters, module = read(Path(file_for(USUAL)))[1], "daoqi_tui.ai.network.torch_network"
    fast: list[object] = [object(), None]
    monkeypatch.setitem(sys.modules, module, SimpleNamespace(fast_network=lambda _: fast[0]))
    assert isinstance(runner_of(parameters), Network)
    monkeypatch.setattr(nets, "LARGE_FROM", 64)
    assert runner_of(parameters) is fast[0]
    fast.reverse()
    assert isinstance(runner_of(parameters), Network)
    monkeypatch.setitem(sys.modules, module, None)
    assert isinstance(runner_of(parameters), Network)


def test_a_network_runs_in_bytes_as_soon_as_that_is_compiled(monkeypatch: pytest.MonkeyPatch):
    """Only the choice is tested, so that a processor without the instructions can."""
    monkeypatch.setitem(sys.modules, "daoqi_tui.ai.network.torch_network", None)
    files = NetworkFiles()

    def loaded() -> tuple[NetworkEvaluator, bool]:
        network = files.load(USUAL)
        assert isinstance(network, LoadedNetwork)
        assert isinstance(network._runner, Network)
        return network, network._runner.rounded

    monkeypatch.setattr(ROUNDED, "functions", None)
    exact, is_rounded = loaded()
    assert (loaded(), is_rounded) == ((exact, False), False)
    monkeypatch.setattr(ROUNDED, "functions", object())
    quick, is_rounded = loaded()
    assert (loaded(), is_rounded) == ((quick, True), True)
    monkeypatch.setattr(convolution, "CHANNELS", 65)
    assert not runner_of(read(Path(file_for(USUAL)))[1]).rounded


def test_an_error_of_torch_while_it_loads_the_weights_is_not_taken_for_a_missing_torch(
    monkeypatch: pytest.MonkeyPatch,
):
    def fail(_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(nets, "LARGE_FROM", 64)
    monkeypatch.setitem(sys.modules, "daoqi_tui.ai.network.torch_network", SimpleNamespace(fast_network=fail))
    with pytest.raises(OSError, match="no space left"):
        runner_of(read(Path(file_for(USUAL)))[1])


def test_usually_it_is_the_one_that_comes_along_if_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(nets, "assets_folder", lambda: tmp_path)
    with pytest.raises(NetError, match="install daoqi-tui again"):
        file_for("auto")
    (tmp_path / nets.SHIPPED).touch()
    assert net_of("auto") == "auto"
    assert file_for("auto") == file_for("auto", 25) == str(tmp_path / nets.SHIPPED)

    def missing() -> Path:
        raise FileNotFoundError

    monkeypatch.setattr(nets, "assets_folder", missing)
    with pytest.raises(NetError, match="install daoqi-tui again"):
        file_for("auto")


SMALL, NINE, LARGE = (str(assets_folder() / name) for name in (nets.SHIPPED, nets.SHIPPED_9, nets.SHIPPED_LARGE))


@pytest.mark.parametrize(
    ("size", "level", "file"),
    [
        (0, STRONGEST, SMALL),
        (8, STRONGEST, SMALL),
        (9, STRONGEST, NINE),
        (9, STRONGEST - 1, SMALL),
        (LARGE_BOARD - 1, STRONGEST, NINE),
        (LARGE_BOARD, STRONGEST, LARGE),
        (LARGE_BOARD, STRONGEST - 1, SMALL),
        (25, STRONGEST, LARGE),
    ],
)
def test_the_strongest_level_uses_the_network_for_the_size_of_the_board(size: int, level: int, file: str) -> None:
    assert file_for(USUAL, size, level) == file
    assert file_for(SMALL, size, level) == SMALL, "a file that the user names is used on every board"


@pytest.mark.parametrize(
    ("size", "level", "file"),
    [(9, STRONGEST, NINE), (9, STRONGEST - 1, SMALL), (LARGE_BOARD, STRONGEST, LARGE)],
)
def test_a_search_uses_the_network_of_its_level_and_board(size: int, level: int, file: str) -> None:
    def win(net: str) -> float:
        think = Think(Position(size, 4.0), level, visits=2, seed=1, net=net, analyse=True)
        return SearchPlayer().think(think).lines[0].win

    assert win(USUAL) == win(file)
    assert all(win(other) != win(file) for other in {SMALL, NINE, LARGE} - {file})


@pytest.mark.parametrize(("size", "file"), [(9, NINE), (LARGE_BOARD, LARGE)])
def test_an_estimate_is_by_the_network_of_the_strongest_level(size: int, file: str) -> None:
    def margin(net: str) -> float:
        return SearchPlayer().estimate(Estimate(Position(size, 4.0), net=net)).margin

    assert margin(USUAL) == margin(file) != margin(LARGE if file == SMALL else SMALL)


@pytest.mark.parametrize("name", ["net.npz", "net.bin.gz"])
def test_a_file_that_is_none_is_told_in_a_sentence(tmp_path: Path, name: str):
    with pytest.raises(NetError, match="cannot be read"):
        checked(str(tmp_path / name))
    (tmp_path / name).write_text("nothing")
    with pytest.raises(NetError, match=name):
        checked(str(tmp_path / name))


class Fond:
    """A fake network whose policy has the given values at some points."""

    name = "fond"

    def __init__(self, likings: dict[int, float]) -> None:
        self._likings = likings
        self._features = Features(8, ladders=False)

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        return self._features.encode(board, komi, recent, passes_in_row)

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        policy = np.full(size * size + 1, 1e-6, np.float32)
        for point, liking in self._likings.items():
            policy[point] = liking
        return [Evaluation(policy, 0.5, 0.0, 1.0, np.zeros(size * size, np.float32)) for _ in batch]


def counts_of(likings: dict[int, float], temperature: float, board: Board | None = None) -> Counter[int]:
    search = PuctSearch(board or Board(Torus(5)), 0.0, Fond(likings))
    random = np.random.default_rng(1)
    return Counter(sample_move(search, Decision(3, 0.5), Sampling(temperature), random).move for _ in range(400))


def test_moves_are_drawn_as_they_are_liked():
    counts = counts_of({3: 0.6, 7: 0.3, 11: 0.05}, 1.0)
    assert counts.keys() == {3, 7, 11}
    assert counts[3] > 1.5 * counts[7] > 4 * counts[11]


def test_warmer_play_evens_out_what_comes_to_mind_and_nothing_else():
    counts = counts_of({3: 0.6, 7: 0.3, 11: 0.01, 12: 0.5 * 0.01 * 0.6}, 8.0)
    assert counts.keys() == {3, 7, 11}
    assert max(counts.values()) < 2 * min(counts.values())


def test_neither_own_eyes_are_filled_nor_passes_drawn():
    board = Board(Torus(5))
    for point in (1, 18, 5, 19, 7, 23, 11, 24):
        board.play(point)
    counts = counts_of({6: 0.9, 12: 0.2, 25: 0.9}, 1.0, board)
    assert counts.keys() == {12}


def test_no_suicide_is_drawn():
    board = board_of("""
        XXO.O
        X.O.O
        OOO..
        .....
        OO..O
    """)
    suicide = 6
    assert board.refusal(suicide) is None
    assert counts_of({suicide: 0.9, 8: 0.2}, 1.0, board).keys() == {8}
    assert board.colours[suicide] == EMPTY


def test_a_capture_from_within_is_no_suicide():
    board = board_of("""
        .XO..
        XO.O.
        .XO..
        .....
        .....
    """)
    assert counts_of({7: 0.9, 18: 0.1}, 1.0, board).keys() == {7, 18}


def test_passes_stay_as_they_were_decided_and_lost_games_lost():
    search = PuctSearch(Board(Torus(5)), 0.0, Fond({7: 1.0}))
    random = np.random.default_rng(1)
    decision = Decision(PASS, 0.9)
    assert sample_move(search, decision, Sampling(4.0), random) is decision
    assert sample_move(search, Decision(3, 0.01, hopeless=True), Sampling(4.0), random) == Decision(
        7, 0.5, hopeless=True
    )


def test_the_best_play_stands_where_the_policy_gives_none_a_chance():
    search = PuctSearch(Board(Torus(5)), 0.0, Fond({25: 1.0}))
    search.root.policy[:-1] = 0
    decision = Decision(3, 0.5)
    assert sample_move(search, decision, Sampling(4.0), np.random.default_rng(1)) is decision
