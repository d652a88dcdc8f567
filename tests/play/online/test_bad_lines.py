"""On a connection that delays, reorders and drops messages, every client sees each move once and in the same order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.table import Terms
from tests.play.online.movers import Mover
from tests.play.online.proxy import bad_line
from tests.play.online.table import Player, server
from tests.thorough import rounds

DROPS = rounds(12, 500)
SWAPS = rounds(12, 30)


@pytest.mark.parametrize(
    ("faults", "count"),
    [({"drop": 0.1, "delay": 0.005}, ("dropped", DROPS)), ({"swap": 0.15, "delay": 0.01}, ("swapped", SWAPS))],
    ids=["dropped", "reordered"],
)
async def test_a_bad_line_loses_no_move(
    faults: dict[str, float], count: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is held back on a quiet line waits for the server's next ping, or for it to close one that does not greet.
    monkeypatch.setattr("daoqi_tui.play.online.connections._PING", 0.2)
    monkeypatch.setattr("daoqi_tui.play.online.server._GREETING", 2.0)
    chance = random.Random(3)
    async with server(tmp_path, Limits(burst=10**6)) as table, bad_line(table.url, chance, **faults) as line:
        referee = table.lay(Terms(size=16, black="host"))
        host = Mover(line.url, table.game, chance, key=table.host_key)
        guest = Mover(line.url, table.game, chance, code=table.code)
        watcher = Player(line.url, table.game)
        for wanted in range(count[1]):
            await host.until(lambda: getattr(line, count[0]) > wanted)  # noqa: B023
        line.drop = line.swap = 0.0
        seen = len(referee.state().moves)
        await host.until(lambda: len(referee.state().moves) > seen + 4)
        host.move = guest.move = lambda: None  # type: ignore[method-assign]
        for player in (host, guest, watcher):
            await player.until(
                lambda player=player: (
                    player.client.connected
                    and player.client.pending is None
                    and player.client.state is not None
                    and player.client.state.moves == referee.state().moves
                )
            )
        moves = referee.state().moves
        for mover in (host, guest):
            assert mover.told
            assert all(moves[number - 1] == move for number, move in mover.told.items())
            # With reordering, a state overtaken by a move is briefly out of date.
            assert mover.lost == [] or line.swapped
        for player in (host, guest, watcher):
            await player.end()
