"""Our search against Torogo's reference agents, the strongest other programs for the torus that we know of.

    python tests/benchmarks/ai_torogo.py FOLDER --out torogo.jsonl [--size 9] [--games 10] [--playouts 1000]

FOLDER is a checkout of https://github.com/chris-rcn/Torogo; its agents run in Node with a fixed number of playouts. Its
rules are those of the torus with simple ko, no suicide and free passes; if it refuses a move of ours, the next best one
is played. Its agents with pattern playouts need their weights in ``ref/ppat-3374337.js``, which the repository does not
contain under that name: copy its ``ppat-data.js`` there, or they play without weights.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from _rivals import Series, network_named, options, run

from daoqi_tui.engine import torus_of

WEIGHTS = "ref/ppat-3374337.js"


def command(folder: Path, agent: str, size: int, number: int) -> list[str]:
    """Return the command that starts an agent; every game starts a new one."""
    return ["node", str(folder / "cgos" / "gtp.js"), "--p", agent, "--size", str(size)]


def main() -> None:
    """Play the games and print the score of ours."""
    parser = options(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--agents", nargs="+", default=["ref-rave-1k", "ref-puct-ppat-1k"])
    parser.add_argument("--komi", type=float, default=3.5, help="Torogo's own")
    given = parser.parse_args()
    if any("ppat" in agent for agent in given.agents) and not (given.folder / WEIGHTS).exists():
        parser.error(f"{given.folder / WEIGHTS} is missing; copy {given.folder / 'ppat-data.js'} there")
    board, network = torus_of(given.size), network_named(given.net, "wrap")
    series = [
        Series(
            agent,
            partial(command, given.folder, agent, given.size),
            board,
            given.komi,
            playouts,
            network,
            given.opening,
        )
        for agent in given.agents
        for playouts in given.playouts
    ]
    run(series, given.games, given.out)


if __name__ == "__main__":
    main()
