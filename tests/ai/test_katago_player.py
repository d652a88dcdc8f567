"""The computer player with a network, in its process and behind GTP."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from daoqi_tui.ai import RESUME, USUAL, Estimate, Position, Think, decode, encode
from daoqi_tui.ai.nets import NetworkFiles
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.process import PlayerError, PlayerProcess
from daoqi_tui.ai.search.node import PuctNode
from daoqi_tui.engine import PASS, Setup
from daoqi_tui.gtp.player import LevelPlayer
from daoqi_tui.lab.match.match import make_player
from tests.ai.test_katago_file import content_of, file_with


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """A small network of random weights."""
    return file_with(tmp_path, content_of())


async def test_the_process_plays_estimates_and_refuses(net: Path, tmp_path: Path) -> None:
    async with PlayerProcess() as player:
        position = Position(9, 4.0, (40, 41))
        answer = await player.think(Think(position, 10, visits=30, net=str(net)))
        assert 0 <= answer.move < 81
        assert answer.move not in (40, 41)
        assert answer.visits >= 30
        estimate = await player.estimate(position, net=str(net))
        assert len(estimate.ownership) == 81
        assert sum(estimate.ownership) == pytest.approx(estimate.margin + 4, abs=0.1)
        with pytest.raises(PlayerError, match="are supported"):
            await player.think(Think(position, 10, net=str(tmp_path / "none.bin.gz")))
        # After a refusal the same process keeps playing, also with another network.
        assert (await player.think(Think(position, 1))).move not in (40, 41)


async def test_the_process_has_one_thread_for_products(net: Path) -> None:
    async with PlayerProcess() as player:
        await player.think(Think(Position(5, 4.0, (7,)), 1, net=str(net)))
        environment = Path(f"/proc/{player.pid}/environ")
        if not environment.exists():
            pytest.skip("this system does not show a process's environment")
        assert b"OPENBLAS_NUM_THREADS=1" in environment.read_bytes().split(b"\0")


def think(player: SearchPlayer, position: Position, net: Path | str, visits: int = 40):
    return player.think(Think(position, 10, visits=visits, net=str(net)))


def test_the_tree_is_kept_from_move_to_move_and_given_up_with_the_network(net: Path) -> None:
    player = SearchPlayer()

    def root(position: Position, net: Path | str) -> PuctNode:
        think(player, position, net)
        tree = player._trees._trees[-1]
        return tree.search.root

    start, then = Position(7, 4.0, (24,)), think(player, Position(7, 4.0, (24,)), net).lines[0].line[:2]
    assert len(then) == 2
    after = Position(7, 4.0, (24, *then))
    first = root(start, net)
    second = root(after, net)
    assert second in [below for child in first.children.values() for below in child.children.values()]
    third = root(after, USUAL)
    assert third is not second
    assert root(after, net) not in (second, third)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    files, path = NetworkFiles(), file_with(tmp_path, content_of(8))
    first = files.load(str(path))
    assert files.load(str(path)) is first
    file_with(tmp_path, content_of(7))
    assert files.load(str(path)) is not first


def test_requests_with_networks_travel() -> None:
    position = Position(9, 4.0, (40, PASS))
    for request in (Think(position, 5, net="/somewhere/net.bin.gz"), Estimate(position, net="net.txt.gz")):
        assert decode(encode(request)) == request
    # Requests without the field, from versions without networks, are still accepted.
    assert decode(encode(Think(position, 5)).replace(b',"net":null', b"")) == Think(position, 5)


def test_the_moves_by_turns_that_led_to_a_position() -> None:
    assert Position(9, 4.0, (1, 2, PASS, 3)).recent(3) == (2, PASS, 3)
    assert Position(9, 4.0, (1, 2, Setup(1 << 5, 0, 0, 1), 3)).recent(5) == (3,)
    assert Position(9, 4.0, (1, PASS, PASS, RESUME, 3)).recent(5) == (3,)
    assert Position(9, 4.0).recent(5) == ()


def test_players_of_matches_and_engines_are_checked_before_they_start(net: Path, tmp_path: Path) -> None:
    for text in (f"net:{net}", f"level:3 net:{net}"):
        assert isinstance(make_player(text), LevelPlayer)
    (tmp_path / "old.txt").write_text("net 2 22 19 trunk")
    for text in (f"net:{tmp_path}/old.txt", f"level:3 net:{tmp_path}/old.txt"):
        with pytest.raises(ValueError, match="model format 2; KataGo networks of model formats 3 to 16"):
            make_player(text)
    with pytest.raises(ValueError, match="cannot be read"):
        LevelPlayer(3, net=str(tmp_path / "none.bin.gz"))


def test_an_engine_with_a_network_answers(net: Path) -> None:
    async def play():
        player = LevelPlayer(1, net=str(net))
        try:
            return await player.think(Think(Position(5, 4.0, (12,)))), await player.estimate(Position(5, 4.0, (12,)))
        finally:
            await player.close()

    answer, estimate = asyncio.run(play())
    assert answer.move != 12
    assert len(estimate.ownership) == 25
