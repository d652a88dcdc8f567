"""Evaluator processes: their values equal the network's, and searches go on when processes end."""

from __future__ import annotations

import itertools
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai import USUAL, Position, Restriction, Think
from daoqi_tui.ai import player as ai_player
from daoqi_tui.ai.evaluators import Evaluators, can_share, map_network, write_network
from daoqi_tui.ai.nets import NetworkFiles, file_for, read
from daoqi_tui.ai.network import NetError
from daoqi_tui.ai.network.convolution import ROUNDED
from daoqi_tui.ai.network.network import LoadedNetwork
from daoqi_tui.ai.player import MOST_STARTS, SearchPlayer
from daoqi_tui.ai.process import PlayerProcess, thread_count
from daoqi_tui.ai.search import Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import WHITE, Board, torus_of
from tests.ai.test_puct import Counting
from tests.full_disk import fail_as_full
from tests.waiting import HANG, is_running, wait_until

pytestmark = pytest.mark.skipif(not can_share(), reason="this system shares no memory without a name")
NET = file_for(USUAL)
POSITION = Position(9, 4, (40, 22, 58))


@pytest.fixture(scope="module")
def network() -> NetworkEvaluator:
    return NetworkFiles().load(NET)


@pytest.fixture
def loading(network: NetworkEvaluator) -> Iterator[Evaluators]:
    made = Evaluators(network, 2, lost=lambda _: None)
    made.start()
    # If they hang, killing them unblocks whatever waits for them.
    giving_up = threading.Timer(HANG, send, (made, signal.SIGKILL))
    giving_up.start()
    yield made
    giving_up.cancel()
    made.close()


@pytest.fixture
def evaluators(loading: Evaluators) -> Evaluators:
    def are_ready() -> bool:
        loading.poll()
        return loading.ready == 2

    wait_until(are_ready)
    return loading


def send(evaluators: Evaluators, number: signal.Signals) -> None:
    for pid in evaluators.pids:
        os.kill(pid, number)


def wait_until_known_to_be_gone(evaluators: Evaluators) -> None:
    # One that was ready before it was killed has two replies: the line, and its end.
    wait_until(lambda: not evaluators.poll() and not evaluators.running)


def inputs_of(network: NetworkEvaluator, size: int, *moves: int) -> Inputs:
    board = Board(torus_of(size))
    for move in moves:
        board.make(move)
    return network.encode(board, 4, moves, 0)


def test_they_find_what_the_network_finds(network: NetworkEvaluator, evaluators: Evaluators) -> None:
    batches = {}
    for size in (25, 5):
        batch = [inputs_of(network, size, 3), inputs_of(network, size, 3, 9)]
        batches[evaluators.submit(batch, size)] = batch, size
    assert evaluators.is_full
    # One call may return both.
    found = [*evaluators.collect(), *evaluators.collect()]
    assert len(found) == 2
    for ticket, values in found:
        batch, size = batches[ticket]
        for value, expected in zip(values, network.evaluate(batch, size), strict=True):
            assert not isinstance(value, Inputs)
            for name in ("win", "lead", "spread"):
                # Numbers are transferred as 32-bit floats.
                assert getattr(value, name) == np.float32(getattr(expected, name)), name
            assert np.array_equal(value.policy, expected.policy)
            assert np.array_equal(value.owner, expected.owner)


def test_they_have_the_weights_in_memory_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # In bytes no layer of a small network is large enough to be mapped.
    monkeypatch.setattr(ROUNDED, "functions", None)
    network = NetworkFiles().load(NET)
    inputs = inputs_of(network, 9, 3)
    expected = network.evaluate([inputs], 9)
    path = tmp_path / "network"
    with path.open("w+b") as file:
        write_network(network, file)
        mapped = map_network(file.fileno())
        again = map_network(file.fileno())
    size = path.stat().st_size
    for one in (mapped, again):
        found = one.evaluate([inputs], 9)
        assert found[0].win == expected[0].win
        assert np.array_equal(found[0].policy, expected[0].policy)
    # The transformed weights for this board are in the file, and not copied out of it.
    assert len(pickle.dumps(again)) > 0.9 * size
    copied: list[pickle.PickleBuffer] = []
    pickle.dumps(again, protocol=5, buffer_callback=copied.append)
    writable = sum(buffer.raw().nbytes for buffer in copied if not buffer.raw().readonly)
    assert writable < 0.1 * size


def test_a_network_run_by_torch_is_mapped_too(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from daoqi_tui.ai.network.torch_network import TorchNetwork

    header, parameters = read(Path(NET))
    network = LoadedNetwork(header, TorchNetwork(parameters, torch.device("cpu")))
    inputs = inputs_of(network, 9, 3)
    with (tmp_path / "network").open("w+b") as file:
        write_network(network, file)
        mapped = map_network(file.fileno())
    assert mapped.evaluate([inputs], 9)[0].win == network.evaluate([inputs], 9)[0].win


def search_of(network: NetworkEvaluator, evaluators: Evaluators, *restrictions: Restriction) -> PuctSearch:
    board, recent = POSITION.board(), (40, 22, 58)
    search = PuctSearch(board, 4, network, recent=recent, restrictions=restrictions)
    search.evaluators = evaluators
    return search


def test_a_search_counts_every_evaluation_once(network: NetworkEvaluator, evaluators: Evaluators) -> None:
    search = search_of(network, evaluators)
    search.run(Limits(visits=150))
    assert search.visits == search.root.visits.sum() == 150
    assert not search._submitted
    assert not search._waiting
    assert search.root.value_sum.min() >= 0
    assert (search.root.value_sum <= search.root.visits).all()


@pytest.mark.parametrize("killed", [1, 2])
def test_a_search_goes_on_with_fewer(network: NetworkEvaluator, evaluators: Evaluators, killed: int) -> None:
    left: list[int] = []
    evaluators.lost = left.append
    search = search_of(network, evaluators)
    search.run(Limits(visits=20))
    for pid in evaluators.pids[-killed:]:
        os.kill(pid, signal.SIGKILL)
    search.run(Limits(visits=120))
    assert search.visits == search.root.visits.sum() == 120
    assert left == [1, 0][:killed]
    assert evaluators.running == 2 - killed


def test_a_search_does_without_those_that_are_still_loading(network: NetworkEvaluator, loading: Evaluators) -> None:
    send(loading, signal.SIGSTOP)
    search = search_of(network, loading)
    search.run(Limits(visits=40))
    assert search.visits == 40
    assert (loading.ready, loading.running) == (0, 2)


def test_a_search_looks_whether_it_is_stopped_while_it_waits(network: NetworkEvaluator, evaluators: Evaluators) -> None:
    send(evaluators, signal.SIGSTOP)
    asked = itertools.count()

    def stopped() -> bool:
        # By now each evaluator has a batch.
        if next(asked) == 5:
            send(evaluators, signal.SIGCONT)
            return True
        return False

    search_of(network, evaluators).run(Limits(), stopped)
    assert evaluators.running == 2


def test_a_search_goes_on_alone_when_all_have_ended_with_its_only_leaf(
    network: NetworkEvaluator, evaluators: Evaluators
) -> None:
    send(evaluators, signal.SIGSTOP)
    search, asked = search_of(network, evaluators, Restriction(WHITE, (25,), 1, only=True)), itertools.count()

    def stopped() -> bool:
        if (number := next(asked)) == 5:
            send(evaluators, signal.SIGKILL)
            wait_until(lambda: not any(is_running(pid) for pid in evaluators.pids))
        return number > 1000

    search.run(Limits(visits=40), stopped)
    assert search.visits == search.root.visits.sum() == 40


@pytest.mark.parametrize("ready", [0, 2])
def test_they_end_with_their_parent_however_it_ends(ready: int) -> None:
    code = (
        "import sys, time\n"
        "from daoqi_tui.ai.evaluators import Evaluators\n"
        "from daoqi_tui.ai.nets import NetworkFiles\n"
        "one = Evaluators(NetworkFiles().load(sys.argv[1]), 2)\n"
        "one.start()\n"
        "while one.ready < int(sys.argv[2]):\n"
        "    one.poll(1)\n"
        "print(*one.pids, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, NET, str(ready)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert pids
        if ready:
            for pid in pids:
                # It does not see that its socket is closed.
                os.kill(pid, signal.SIGSTOP)
        parent.kill()
    wait_until(lambda: not any(is_running(pid) for pid in pids))


@pytest.mark.skipif(sys.platform != "linux", reason="evaluators are only forked on Linux")
def test_one_process_is_started_for_all_and_they_share_its_memory(evaluators: Evaluators) -> None:
    first, second = evaluators.pids

    def of(pid: int, file: str, name: str) -> int:
        lines = Path(f"/proc/{pid}/{file}").read_text("utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))

    assert of(first, "status", "PPid") == os.getpid()
    assert of(second, "status", "PPid") == first
    private = sum(of(second, "smaps_rollup", name) for name in ("Private_Clean", "Private_Dirty"))
    assert private < of(second, "smaps_rollup", "Rss") / 2


def test_a_player_uses_them_only_where_the_answer_need_not_be_reproducible() -> None:
    player = SearchPlayer(threads=2)
    try:
        player.think(Think(POSITION, 10, visits=80, seed=1, net=NET))
        assert player._evaluators is None
        answer = player.think(Think(POSITION, 10, visits=80, net=NET))
        assert player._evaluators is not None
        assert player._evaluators.running == 2
        assert answer.visits == 80
        evaluators = player._evaluators
        assert player._networks.load(NET) is evaluators.network, "its weights are those in the evaluators' memory"
        assert player.think(Think(POSITION, 10, visits=1, net=NET)).visits == 80, "its tree is kept"
        player.think(Think(POSITION, 10, visits=90, net=NET))
        assert player._evaluators is evaluators
    finally:
        player.close()


def test_a_player_starts_them_anew_when_the_file_holds_another_network(tmp_path: Path) -> None:
    file = tmp_path / "net.npz"
    shutil.copyfile(NET, file)
    player = SearchPlayer(threads=2)
    try:
        used = []
        for moment in (1, 1, 2):
            os.utime(file, (moment, moment))
            player.think(Think(POSITION, 10, visits=64, net=str(file)))
            used.append(player._evaluators)
        assert used[0] is used[1]
        assert used[1] is not used[2]
    finally:
        player.close()


def test_a_player_starts_them_again_when_all_have_ended_but_not_for_ever() -> None:
    player = SearchPlayer(threads=2)
    try:
        pids = []
        for _ in range(MOST_STARTS + 1):
            player.think(Think(POSITION, 10, visits=64, net=NET))
            assert player._evaluators is not None
            evaluators = player._evaluators
            pids.append(evaluators.pids)
            send(evaluators, signal.SIGKILL)
            wait_until_known_to_be_gone(evaluators)
        assert all(pids[:-1])
        assert not pids[-1]
    finally:
        player.close()


class Started:
    """A fake pool of evaluators that only records its starts."""

    ready = running = 0

    def __init__(self, started: list[NetworkEvaluator], network: NetworkEvaluator) -> None:
        self._started, self.network = started, network

    def start(self) -> None:
        self._started.append(self.network)

    def poll(self) -> bool:
        return False

    def close(self) -> None:
        pass


def test_a_network_that_fails_in_searches_has_them_started_no_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Counting):
        def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
            if self.batches:
                raise NetError("no numbers")
            return super().evaluate(batch, size)

    started: list[NetworkEvaluator] = []
    monkeypatch.setattr(ai_player, "Evaluators", lambda network, *_: Started(started, network))
    player, failing = SearchPlayer(threads=2), Failing()
    monkeypatch.setattr(player._networks, "load", lambda _: failing)
    for _ in range(MOST_STARTS + 2):
        failing.batches.clear()
        with pytest.raises(NetError):
            player.think(Think(POSITION, 10, visits=80, net="failing"))
    assert len(started) == MOST_STARTS


def test_a_network_that_cannot_be_loaded_ends_none_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[NetworkEvaluator] = []
    monkeypatch.setattr(ai_player, "Evaluators", lambda network, *_: Started(started, network))
    player = SearchPlayer(threads=2)
    searched = Think(POSITION, 10, visits=80, analyse=True, net=NET)
    player.think(searched)
    kept = player._evaluators
    with pytest.raises(NetError):
        player.think(Think(POSITION, 10, visits=80, net=str(tmp_path / "missing.npz")))
    assert player._evaluators is kept is not None
    assert player.think(replace(searched, visits=1)).visits == 80


@pytest.mark.parametrize("reserve", ["os.posix_fallocate", "daoqi_tui.ai.evaluators._memory_file"])
def test_a_player_does_without_them_where_there_is_no_room(reserve: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "posix_fallocate") and reserve.startswith("os."):
        pytest.skip("this system cannot set room on the disk aside")
    monkeypatch.setattr(reserve, fail_as_full)
    player = SearchPlayer(threads=2)
    try:
        assert player.think(Think(POSITION, 10, visits=80, net=NET)).visits == 80
        assert player._evaluators is not None
        assert not player._evaluators.running
    finally:
        player.close()


async def test_a_players_process_can_be_given_threads() -> None:
    async with PlayerProcess(threads=2) as process:
        answer = await process.think(Think(POSITION, 10, visits=80, net=NET))
        assert answer.visits == 80


def test_threads_by_number_or_all_cores_but_those_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    assert thread_count("auto") == 6
    assert thread_count("auto", spared=1) == 5
    assert thread_count("3", spared=1) == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert thread_count("auto", spared=1) == 1
