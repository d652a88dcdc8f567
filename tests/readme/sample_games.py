"""Makes the sample games in assets/games by playing them with the program.

Run by hand: ``python tests/readme/sample_games.py``. A test plays them all again.
"""

from __future__ import annotations

from pathlib import Path

from daoqi_tui.analysis.ladder import read_ladder
from daoqi_tui.engine import BLACK, PASS, Game, IllegalMove
from daoqi_tui.record.info import Info
from daoqi_tui.record.markup import set_comment, set_mark
from daoqi_tui.record.sgf import save

GAMES = Path(__file__).resolve().parents[2] / "assets" / "games"


def play(game: Game, moves: str) -> None:
    """Play moves by name, ``pass`` among them."""
    for name in moves.split():
        if name == "pass":
            game.pass_turn()
        else:
            game.play(game.torus.parse(name))


def say(game: Game, english: str, chinese: str) -> None:
    """Comment on the move just played, in both languages."""
    set_comment(game.node, f"{english}\n\n{chinese}")


def ladder() -> tuple[Game, Info]:
    """A ladder on an otherwise empty board: it runs round the world and dies on its own start."""
    game = Game()
    torus = game.torus
    game.setup(
        black=[torus.point(row, column) for column, row in ((7, 8), (8, 9), (9, 9))],
        white=[torus.point(8, 8)],
        to_move=BLACK,
    )
    say(
        game,
        "A ladder on an empty torus. There is no edge to stop it: it runs round the world, meets its own beginning, "
        "and the white stones are captured. A stone on one of 89 points would break it.",
        "空棋盘上的征子。道棋没有边,征子绕棋盘一周,回到起点,被征的白子终究被提。若有一子落在八十九个引征点之一,征子就不成立。",
    )
    target = torus.point(8, 8)
    answer = read_ladder(game.board, target, BLACK)
    set_mark(game.node, target, "triangle", torus.size)
    for point in answer.line:
        if point == PASS:
            game.pass_turn()
        else:
            game.play(point)
    say(
        game,
        f"Captured after {len(answer.line)} plies: the ladder has bitten its own tail.",
        f"共{len(answer.line)}手,征子咬住了自己的尾巴。",
    )
    return game, Info(name="A ladder round the world · 绕地一周的征子", black="Ladder", white="Fugitive")


def suicide() -> tuple[Game, Info]:
    """A capture across the seams, a suicide, and the answer to it that would repeat the board."""
    game = Game(size=7)
    play(game, "A2 A1 B1 D4 G1 D6 A7")
    say(
        game,
        "Black captures A1. Its four neighbours are A2, B1, G1 across one seam and A7 across the other.",
        "黑提A1一子。它的四个邻点是A2、B1,以及隔着接缝的G1和A7。",
    )
    play(game, "C5 F7 E5 D5")
    say(
        game,
        "A suicide of one stone is legal: the board is as before, and it is White's turn. It hands over the move "
        "without the point that a pass costs.",
        "单子自尽合规:棋盘不变,轮到白走。等于虚着一手,却不罚一目。",
    )
    set_mark(game.node, game.torus.parse("D5"), "cross", 7)
    point = game.torus.parse("A1")
    try:
        game.play(point)
    except IllegalMove as refused:
        reason = str(refused)
    else:
        raise AssertionError("the answering suicide must be refused")
    set_mark(game.node, point, "triangle", 7)
    comment = (
        f"White may not answer with a suicide at A1: {reason}.",
        "白不能在A1以自尽回应:那样黑方面临的局面已经面临过,违反禁全同。",
    )
    game.pass_turn()
    say(game, f"{comment[0]} So White passes.", f"{comment[1]}白只好虚着。")
    game.pass_turn()
    say(
        game,
        "Two passes in a row end the game. Each pass cost a point.",
        "双方连续虚着,终局。每次虚着罚一目。",
    )
    return game, Info(name="Suicide and repetition · 自尽与禁全同", black="Black", white="White")


def superko() -> tuple[Game, Info]:
    """Three kos at once, one of them across a seam: the sixth capture would bring the start back."""
    game = Game(size=9)
    torus = game.torus
    kos = [torus.parse(name) for name in ("I9", "C6", "F2")]
    black, white = [], []
    for ko in kos:
        black += [torus.shift(ko, down, right) for down, right in ((-1, 0), (1, 0), (0, -1))]
        white += [torus.shift(ko, down, right) for down, right in ((-1, 1), (1, 1), (0, 2))]
    takes = [(ko, torus.shift(ko, 0, 1)) for ko in kos]
    white += [takes[0][0], takes[2][0]]
    black.append(takes[1][1])
    game.setup(black=black, white=white, to_move=BLACK)
    say(
        game,
        "Three kos. The one at I9 lies across both seams. Black and White take in turn, and each capture is legal "
        "while the whole board is new.",
        "三劫并存,I9之劫横跨两道接缝。双方轮流提劫,只要全局是新的,就都合规。",
    )
    for point in (takes[0][1], takes[1][0], takes[2][1], takes[0][0], takes[1][1]):
        game.play(point)
    point = takes[2][0]
    try:
        game.play(point)
    except IllegalMove as refused:
        reason = str(refused)
    else:
        raise AssertionError("the sixth capture must be refused")
    set_mark(game.node, point, "triangle", torus.size)
    say(
        game,
        f"White cannot take at {torus.name(point)}: {reason}. White needs a threat first.",
        f"白不能在{torus.name(point)}提劫:全局会回到开始,违反禁全同。白须先找劫材。",
    )
    game.play(torus.parse("I5"))
    say(game, "A threat somewhere else changes the board …", "在别处下一手,全局就变了……")
    game.play(torus.parse("H5"))
    game.play(point)
    say(game, "… and now White may take.", "……于是白可以提劫。")
    return game, Info(name="A superko fight · 三劫与禁全同", black="Black", white="White")


def main() -> None:
    """Write all games."""
    GAMES.mkdir(parents=True, exist_ok=True)
    for name, make in (
        ("ladder-round-the-world", ladder),
        ("suicide-and-repetition", suicide),
        ("superko-fight", superko),
    ):
        game, info = make()
        save(GAMES / f"{name}.sgf", game, info)
        print(GAMES / f"{name}.sgf", game.node.number, game.result)  # noqa: T201


if __name__ == "__main__":
    main()
