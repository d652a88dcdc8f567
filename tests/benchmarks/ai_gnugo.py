"""Our searches on a board with edges against GNU Go 3.8, a common yardstick.

    python tests/benchmarks/ai_gnugo.py --out gnugo.jsonl [--net auto] [--size 9] [--games 20] [--playouts 400]

GNU Go (Debian: ``apt install gnugo``) plays at its level 10 with area scoring and situational superko. It is set to
capture all dead stones before it passes, so that the board can be scored as it stands; its own score is recorded, too.
It does not allow suicide: if it refuses a move of ours, the next best one is played. The ladder reader knows edges only
through the neighbour tables; the network is padded with zeros.
"""

from __future__ import annotations

from _rivals import Series, network_named, options, run

from tests.ai.other_boards import Bordered

OPTIONS = ["--mode", "gtp", "--chinese-rules", "--forbid-suicide", "--situational-superko", "--capture-all-dead"]


def main() -> None:
    """Play the games and print the score of ours."""
    parser = options(__doc__)
    parser.add_argument("--komi", type=float, default=6.5, help="no whole number, so that nobody wins a tie")
    parser.add_argument("--gnugo", default="/usr/games/gnugo", help="the program")
    parser.add_argument("--level", type=int, default=10)
    given = parser.parse_args()

    def command(number: int) -> list[str]:
        return [given.gnugo, *OPTIONS, "--level", str(given.level), "--seed", str(number + 1)]

    name, board = f"GNU Go level {given.level}", Bordered(given.size)
    network = network_named(given.net, "zero")
    series = [Series(name, command, board, given.komi, playouts, network, given.opening) for playouts in given.playouts]
    run(series, given.games, given.out)


if __name__ == "__main__":
    main()
