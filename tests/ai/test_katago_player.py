"""The computer player with a network, in its process and behind GTP."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from daoqi_tui.ai.backend import interpreted
from daoqi_tui.ai.network_files import NetworkFiles
from daoqi_tui.ai.player import Player, PlayerError
from daoqi_tui.ai.protocol import RESUME, Estimate, Layout, Position, Think, decode, encode
from daoqi_tui.ai.thinker import Thinker
from daoqi_tui.engine import PASS
from daoqi_tui.gtp.match import make_player
from daoqi_tui.gtp.thinker import LevelThinker
from tests.ai.test_katago_file import content_of, file_with


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """A small network of random weights."""
    return file_with(tmp_path, content_of())


async def test_the_process_plays_estimates_and_refuses(net: Path, tmp_path: Path) -> None:
    async with Player() as player:
        position, told = Position(9, 4.0, (40, 41)), []
        answer = await player.think(position, 10, playouts=30, net=str(net), on_progress=told.append)
        assert 0 <= answer.move < 81
        assert answer.move not in (40, 41)
        assert answer.playouts >= 30
        estimate = await player.estimate(position, net=str(net))
        assert estimate.playouts == 1
        assert len(estimate.ownership) == 81
        assert sum(estimate.ownership) == pytest.approx(estimate.margin + 4, abs=0.1)
        with pytest.raises(PlayerError, match="are supported"):
            await player.think(position, 10, net=str(tmp_path / "none.bin.gz"))
        # After a refusal the same process plays on, by playouts too.
        assert (await player.think(position, 1)).move not in (40, 41)


async def test_the_process_has_one_thread_for_products(net: Path) -> None:
    async with Player() as player:
        await player.think(Position(5, 4.0, (7,)), 1, net=str(net))
        environment = Path(f"/proc/{player.pid}/environ")
        if not environment.exists():
            pytest.skip("this system does not show a process's environment")
        assert b"OPENBLAS_NUM_THREADS=1" in environment.read_bytes().split(b"\0")


def think(thinker: Thinker, position: Position, net: Path | None, playouts: int = 40):
    return thinker.think(Think(1, position, 10, playouts=playouts, net=None if net is None else str(net)))


def test_the_tree_is_kept_from_move_to_move_and_given_up_with_the_network(net: Path) -> None:
    thinker = Thinker(interpreted)
    first = think(thinker, Position(7, 4.0, (24,)), net)
    search = thinker._search
    replied = first.lines[0].line[:2]
    assert len(replied) == 2
    think(thinker, Position(7, 4.0, (24, *replied)), net)
    assert thinker._search is search
    think(thinker, Position(7, 4.0, (24, *replied)), None)
    assert thinker._search is not search
    search = thinker._search
    think(thinker, Position(7, 4.0, (24, *replied)), net)
    assert thinker._search is not search


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    files, path = NetworkFiles(), file_with(tmp_path, content_of(8))
    first = files.load(str(path))
    assert files.load(str(path)) is first
    file_with(tmp_path, content_of(7))
    assert files.load(str(path)) is not first


def test_requests_with_networks_travel() -> None:
    position = Position(9, 4.0, (40, PASS))
    for request in (Think(1, position, 5, net="/somewhere/net.bin.gz"), Estimate(2, position, net="net.txt.gz")):
        assert decode(encode(request)) == request
    # Requests of a program that knows no networks are understood.
    assert decode(encode(Think(1, position, 5)).replace(b',"net":null', b"")) == Think(1, position, 5)


def test_the_moves_by_turns_that_led_to_a_position() -> None:
    assert Position(9, 4.0, (1, 2, PASS, 3)).recent(3) == (2, PASS, 3)
    assert Position(9, 4.0, (1, 2, Layout((5,), (), (), 1), 3)).recent(5) == (3,)
    assert Position(9, 4.0, (1, PASS, PASS, RESUME, 3)).recent(5) == (3,)
    assert Position(9, 4.0).recent(5) == ()


def test_players_of_matches_and_engines_are_checked_before_they_start(net: Path, tmp_path: Path) -> None:
    for text in (f"net:{net}", f"level:3 net:{net}"):
        assert isinstance(make_player(text), LevelThinker)
    (tmp_path / "old.txt").write_text("net 2 22 19 trunk")
    for text in (f"net:{tmp_path}/old.txt", f"level:3 net:{tmp_path}/old.txt"):
        with pytest.raises(ValueError, match="model format 2; KataGo networks of model formats 3 to 8"):
            make_player(text)
    with pytest.raises(ValueError, match="cannot be read"):
        LevelThinker(3, net=str(tmp_path / "none.bin.gz"))


def test_an_engine_with_a_network_answers(net: Path) -> None:
    async def play():
        thinker = LevelThinker(1, net=str(net))
        try:
            return await thinker.think(Position(5, 4.0, (12,))), await thinker.estimate(Position(5, 4.0, (12,)))
        finally:
            await thinker.close()

    answer, estimate = asyncio.run(play())
    assert answer.move != 12
    assert estimate.playouts == 1
