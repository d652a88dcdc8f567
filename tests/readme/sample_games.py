"""Generates the sample games in assets/games; two of them were played by the computer.

Run ``python -m tests.readme.sample_games``. A test generates them all again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Final

from daoqi_tui.engine import BLACK, PASS, WHITE, Game, IllegalMove
from daoqi_tui.i18n import LANGUAGES
from daoqi_tui.reading.ladder import read_ladder
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.markup import comment, set_comment, set_mark
from daoqi_tui.record.sgf.write import save
from tests.catalogue import taiwan

GAMES = Path(__file__).resolve().parents[2] / "assets" / "games"


def play(game: Game, moves: str) -> None:
    """Play moves by name, including ``pass``."""
    for name in moves.split():
        if name == "pass":
            game.pass_turn()
        else:
            game.play(game.torus.parse(name))


def say(game: Game, english: str, chinese: str) -> None:
    """Comment on the move just played, in both languages."""
    set_comment(game.node, f"{english}\n\n{chinese}")


def ladder() -> tuple[Game, Info]:
    """Return a ladder on an otherwise empty board: it runs around the torus and ends at its own start."""
    game = Game()
    torus = game.torus
    game.setup(
        black=[torus.point(row, column) for column, row in ((7, 8), (8, 9), (9, 9))],
        white=[torus.point(8, 8)],
        to_move=BLACK,
    )
    say(
        game,
        "A ladder on an empty torus. There is no edge to stop it: it runs around the board, meets its own beginning, "
        "and the white stones are captured. A white stone on one of 89 points would break it.",
        "空棋盘上的征子。道棋没有边，征子绕棋盘一周，回到起点，征子成立，白子被提。"
        "如果 89 个引征点中有一个是白子，征子就不成立。",
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
        f"Captured after {len(answer.line)} moves: the ladder has bitten its own tail.",
        f"共 {len(answer.line)} 手，征子咬住了自己的尾巴。",
    )
    return game, Info(name="A ladder around the torus · 绕棋盘一周的征子", black="Black", white="White")


def suicide() -> tuple[Game, Info]:
    """Return a capture across the seams, a suicide, and an answering suicide that would repeat the board."""
    game = Game(size=7)
    play(game, "A2 A1 B1 D4 G1 D6 A7")
    say(
        game,
        "Black captures A1. Its four neighbours are A2, B1, G1 across one seam and A7 across the other.",
        "黑提 A1 一子。它的四个邻点是 A2、B1，以及隔着接缝的 G1 和 A7。",
    )
    play(game, "C5 F7 E5 D5")
    say(
        game,
        "The suicide of a single stone is legal: the board stays as it was, and White is to move. It is like a pass "
        "that costs nothing.",
        "单子自杀是允许的：棋盘不变，轮到白方。等于虚着，却不罚一目。",
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
        "白方不能在 A1 以自杀回应：那样黑方会再次面对曾面对过的局面，违反禁全同。",
    )
    game.pass_turn()
    say(game, f"{comment[0]} So White passes.", f"{comment[1]}白方只好虚着。")
    game.pass_turn()
    say(
        game,
        "Two passes in a row end the game. Each pass costs a point.",
        "双方连续虚着，终局。每次虚着罚一目。",
    )
    return game, Info(name="Suicide and repetition · 自杀与禁全同", black="Black", white="White")


def superko() -> tuple[Game, Info]:
    """Return three kos at once, one of them across a seam: the sixth capture would repeat the starting position."""
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
        "Three kos. The one at I9 lies across both seams. Black and White capture in turn, and each capture is legal "
        "while the whole-board position is new.",
        "三个劫，其中 I9 的劫横跨两道接缝。双方轮流提劫，只要全局不曾出现过，就都允许。",
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
        f"White cannot capture at {torus.name(point)}: {reason}. White needs a ko threat first.",
        f"白方不能在 {torus.name(point)} 提劫：全局会回到开始时的样子，违反禁全同。白方要先找劫材。",
    )
    game.play(torus.parse("I5"))
    say(game, "A threat elsewhere changes the position …", "在别处下一手，全局就变了……")
    game.play(torus.parse("H5"))
    game.play(point)
    say(game, "… and now White may capture.", "……于是白方可以提劫。")
    return game, Info(name="A superko fight · 三劫与禁全同", black="Black", white="White")


# The computer played both sides of these two games at level 10, with 5 and 4 seconds per move.

SMALL_GAME: Final = """
    E5 A1 H1 D1 C1 C2 D2 E1 B2 C3 B1 B3 A2 E3 B5 D8 A3 B7 E7 E8 F7 I7 I5 F4 C8 C7 D7 H9 I9 H8 G1 F8 B8 G7 C6 B6
    B4 D4 D5 H3 G3 H4 G4 H5 G5 I6 G6 H6 G9 G8 I8 I4 A5 C9 B9 F9 D9 A4 F3 E4 F5 C4 C5 F2 G2 F1 H2 A6 I3 I1 A8 E6
    F6 E2 C9 D3 A7
"""

LARGE_GAME: Final = """
    I8 K8 J6 M7 O7 M4 K4 P4 B5 A6 B6 A7 C8 H4 A5 P5 P6 P8 N8 P10 N10 O12 A3 H6 M11 K10 N13 P14 B10 A12 C12 I7 J7
    J8 H8 K7 I10 I2 K2 M1 L16 M16 L15 M15 L14 M14 M13 L13 K11 J11 K13 J10 O15 P16 O2 O1 N2 M2 P11 A11 A10 K1 J1
    J2 L1 K3 L2 L3 N3 M3 O5 O4 N4 N5 O6 O9 M5 O11 M6 L5 L6 K6 C14 I1 J16 I16 G6 P2 P3 G5 G7 C11 B11 B12 D12 I11
    I6 J15 K16 F11 H7 D10 B8 F13 E11 E10 F10 N1 O3 E12 D11 C10 G11 F12 D14 D16 E9 E14 G10 D3 L12 E5 H5 G4 I4 J4
    J5 J3 K5 I13 H12 J13 H13 N9 I15 I14 H15 H14 G14 G15 L10 M9 N12 M10 K12 K14 N11 L9 E15 F15 D15 E16 C16 B15
    C15 C1 C2 B1 D2 B14 C13 B16 C9 E2 E6 D6 D4 C3 E4 F6 E7 D5 C4 B3 F4 F5 O10 P12 G3 B4 A4 C5 B2 E3 A2 F3 D1 E1
    O14 O13 N14 B13 D9 L7 N6 F7 F8 D7 E8 I9 A1 P15 A16 A15 A13 H10 H9 H11 J9 K9 G12 G13 P1 O16 N15 I3 L4 I5 A9
    P9 I4 M8 K15 H16 J14 I15 A8 P7 B7 I5 E13 F14 I4 K14 J12 I12 J14 I5 D8 H6 pass K14 H5 L11 J14 H6 O8 K14 H5
    N16 J14 H6 L10 K14 H5 D13 I4 L11 J14 I5 L10 H6 C7 K14 pass pass
"""


def commented(game: Game, moves: str, comments: Mapping[int, tuple[str, str]]) -> None:
    """Play moves, adding comments in both languages by move number."""
    for number, name in enumerate(moves.split(), 1):
        play(game, name)
        if number in comments:
            say(game, *comments[number])


def small() -> tuple[Game, Info]:
    """Return a fight on 9×9 that is decided where two chains meet across the seams."""
    game = Game(size=9)
    commented(
        game,
        SMALL_GAME,
        {
            1: (
                "The first move: on a torus every point is as good as any other, for there is no corner and no side.",
                "第一手。道棋没有角也没有边，下在哪里都一样。",
            ),
            2: (
                (
                    "White answers at A1, as far from E5 as a stone can stand: four columns and four rows, "
                    "whichever way one counts."
                ),
                "白方应在 A1，这里离 E5 最远：往哪个方向数，都隔四列四行。",
            ),
            8: (
                (
                    "A crosscut at once: C1 and D2 against D1 and C2. Without corners there is no base to fall back"
                    " on, so stones come to grips early."
                ),
                "C1、D2 与 D1、C2 立刻扭断。没有角可以做根据地，所以接触战来得很早。",
            ),
            31: (
                "G1 strengthens H1 and looks across the lower seam at G9: what lies beyond row 1 is row 9.",
                "G1 加强 H1，同时隔着下边的接缝瞄着 G9：第 1 路的外面就是第 9 路。",
            ),
            57: (
                "D9 captures C9. The fourth point beside C9 is C1, on the other side of the seam, and it is black.",
                "D9 提掉 C9 一子。C9 的第四个邻点是接缝另一侧的 C1，那里是黑子。",
            ),
            68: (
                (
                    "A6 saves the three stones at B7: on row 6 A and I are neighbours, so that they join the stones"
                    " at I6. Twelve stones in one chain now, but with two liberties, A7 and H7."
                ),
                "A6 救出 B7 三子：第 6 路上 A 与 I 相邻，于是与 I6 的白子连成一块，共十二子，但只有 A7、H7 两口气。",
            ),
            71: (
                (
                    "The decisive connection. I8 and I9 were two lonely stones; by A8 they join the stones at B8 "
                    "through the seam and become a chain of twelve. The win rate of Black leaps from 85 % to 93 %."
                ),
                (
                    "决定性的一手。I8、I9 本是孤零零的两子，A8 一接，隔着接缝与 B8 的黑棋连成十二子。"
                    "黑方胜率从 85 % 升到 93 %。"
                ),
            ),
            77: (
                (
                    "A7 puts the twelve white stones in atari: to connect at H7 leaves the whole with two "
                    "liberties, E9 and D2, and it is Black's move then. White resigns."
                ),
                "A7 打吃十二颗白子：接在 H7，整块也只有 E9、D2 两口气，又轮到黑方。白方认输。",
            ),
        },
    )
    game.resign(WHITE)
    return game, _by_computers("Across the seams · 接缝两侧")


def large() -> tuple[Game, Info]:
    """Return a whole game on 16×16 that ends in a tie after a fight over three kos."""
    game = Game()
    commented(
        game,
        LARGE_GAME,
        {
            2: (
                (
                    "White approaches at a distance of two. There are no corners to take first: a game of Daoqi "
                    "begins in the middle of the board, wherever that is."
                ),
                "白方隔一路逼近。没有角可占，道棋一开局就是中腹之战，而处处都是中腹。",
            ),
            46: (
                (
                    "Two walls run side by side over the upper seam: White from M1 by M16 to M14, Black from L16 to"
                    " L14. On a board with edges neither could go on from row 16 to row 1."
                ),
                (
                    "两道墙并排越过上边的接缝：白方从 M1 经 M16 到 M14，黑方从 L16 到 L14。"
                    "在有边的棋盘上，第 16 路是接不到第 1 路的。"
                ),
            ),
            99: (
                "K16 captures K1, the stone above it on the board without edges.",
                "K16 提掉 K1：在没有边的棋盘上，K1 就在它的上方。",
            ),
            160: (
                (
                    "B14 cuts into the black position on the left, and Black's win rate falls from 52 % to 42 %. "
                    "From here on White leads."
                ),
                "B14 切入左边的黑阵，黑方胜率从 52 % 降到 42 %。此后白方领先。",
            ),
            181: (
                "A4 takes three white stones beyond the left seam: P5, P4 and O4.",
                "A4 提掉左边接缝外的三颗白子：P5、P4、O4。",
            ),
            186: (
                "In exchange White takes four stones along row 4, C4 to F4, and has lost nothing by the trade.",
                "作为交换，白方提掉第 4 路上 C4 到 F4 四子，转换并不吃亏。",
            ),
            193: (
                "Black in turn takes the four stones at C10 and D10. White is about nine points ahead now.",
                "黑方也提掉 C10、D10 一带四子。此时白方约领先 9 目。",
            ),
            225: (
                (
                    "A ko: Black takes K14. White may not take it back at once, since the board of move 224 would "
                    "return with Black to move."
                ),
                "打劫：黑方提 K14。白方不能立刻提回，否则第 224 手后的局面会在轮到黑方时再次出现，违反禁全同。",
            ),
            241: (
                (
                    "Three kos stand open: at J14 and K14, I4 and I5, H5 and H6. Black may not take at H5 yet and "
                    "passes instead, which costs a point. Remember it at the end."
                ),
                (
                    "盘上同时有三个劫：J14 与 K14、I4 与 I5、H5 与 H6。黑方此时不能在 H5 提劫，于是虚着一手，罚一目。"
                    "请记住这一目。"
                ),
            ),
            266: (
                (
                    "The count: Black has 105 stones and 19 points of territory, less 2 for passes, which makes "
                    "122. White has 105 and 14, less 1, and 4 points of komi: 122 as well. White wins a tie. The "
                    "point that Black lacks is the one that the pass of move 241 cost."
                ),
                (
                    "数子：黑方棋子 105，空 19，两次虚着罚 2 目，共 122。"
                    "白方棋子 105，空 14，虚着罚 1 目，加贴目 4 目，也是 122。"
                    "同分白胜。黑方所缺的，正是第 241 手虚着罚掉的那一目。"
                ),
            ),
        },
    )
    return game, _by_computers("Three kos and a tie · 三劫与同分")


def _by_computers(name: str) -> Info:
    return Info(name=name, black="daoqi_tui 10", white="daoqi_tui 10")


SAMPLES: Final[Mapping[str, Callable[[], tuple[Game, Info]]]] = {
    "ladder-around-the-torus": ladder,
    "suicide-and-repetition": suicide,
    "superko-fight": superko,
    "across-the-seams": small,
    "three-kos-and-a-tie": large,
}


def sample(name: str, code: str) -> tuple[Game, Info]:
    """Return a sample game with title and comments in a language.

    Raises:
        ImportError: it is Taiwan's Chinese, and OpenCC is not installed.
    """
    game, info = SAMPLES[name]()

    def text(both: str, between: str) -> str:
        english, chinese = both.split(between)
        return english if not code.startswith("zh") else taiwan(chinese) if code == "zh-TW" else chinese

    nodes = [game.root]
    for node in nodes:
        nodes += node.children
        if comment(node):
            set_comment(node, text(comment(node), "\n\n"))
    return game, replace(info, name=text(info.name, " · "))


def main() -> None:
    """Write all games in all languages."""
    for code, name in product(LANGUAGES, SAMPLES):
        game, info = sample(name, code)
        (GAMES / code).mkdir(parents=True, exist_ok=True)
        save(GAMES / code / f"{name}.sgf", game, info)
        print(GAMES / code / f"{name}.sgf", game.node.number, game.result)  # noqa: T201


if __name__ == "__main__":
    main()
