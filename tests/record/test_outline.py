"""What a list shows of a game is read without its tree, and is what the tree says."""

from __future__ import annotations

from random import Random

import pytest

from daoqi_tui.analysis.opening import opening_number
from daoqi_tui.engine import Game
from daoqi_tui.record import load
from daoqi_tui.record.sgf import RawNode, read
from daoqi_tui.record.sgf.build import Builder
from daoqi_tui.record.sgf.info import last_of
from daoqi_tui.record.sgf.markup import comment
from daoqi_tui.record.sgf.read import outline

_LETTERS = "abcdefghijklmnopqrstuvwxy"


def random_record(rng: Random) -> str:
    """Return a record of legal moves, sometimes with everything else that may stand between them."""
    size = rng.choice((2, 3, 4, 5, 9))
    odd = rng.choice((0, 0, 0.02, 0.3))
    game = Game(size)
    for _ in range(rng.choice((0, 1, 2, 3, 8, size * size, 4 * size * size))):
        if points := game.legal_points():
            game.play(rng.choice(points))

    def point() -> str:
        return _LETTERS[rng.randrange(size)] + _LETTERS[rng.randrange(size)]

    def node(colour: str, usual: str) -> str:
        if rng.random() >= odd:
            return f";{colour}[{usual}]"
        other = "BW"[colour == "B"]
        return rng.choice(
            (
                *(
                    f";{colour}[]",
                    f";{colour}[]",
                    ";C[said]",
                    ";C[said]",
                    f";{other}[{point()}]",
                    f";AB[{point()}]",
                    f";{colour}[{point()}]AW[]",
                ),
                *(f";AW[{point()}][{point()}]PL[B]", f";AE[{point()}]", ";PL[W]", f";B[{point()}]W[{point()}]"),
                *(
                    f";{colour}[{point()}][{point()}]",
                    ";XEND[B+R]",
                    f";{colour}[{point()}]XEND[W+T]",
                    f"(;W[{point()}])",
                ),
                *(f";XDEAD[{point()}]", ";XRESUMED[]", f";{colour}[zz]", f";{colour}[{point()}]C[good]", ";AB[zz]"),
            )
        )

    root = "".join(
        rng.choice(("", "", "", "", "", "", "", text))
        for text in (
            *("TO[0]", "TO[3]", f"AB[{point()}][{point()}]HA[2]", "PL[W]", "PL[B]", f"AW[{point()}]", "RE[W+Resign]"),
            *("KM[6.5]", "RU[Chinese]", "PB[Ke]", "C[a\\]b]", f"B[{point()}]", "XEND[B+T]", f"AE[{point()}]"),
        )
    )
    names = (game.torus.name(move.point, "sgf") for at in game.root.line() if (move := at.move))
    moves = "".join(node("BW"[place % 2], name) for place, name in enumerate(names))
    return f"(;SZ[{size}]{root}{moves})"


CASES = (
    "",
    ";B[aa];C[said];W[bb]",
    ";C[said];B[aa];W[bb]",
    ";B[aa][bb];W[cc]",
    ";B[aa];W[bb]AW[ca]",
    ";B[aa]AE[cc]W[bb]",
    ";B[];W[bb];B[cc]",
    ";B[aa];B[bb]",
    ";W[aa];B[bb]",
    "PL[W];W[aa];B[bb]",
    "PL[W];B[aa];W[bb]",
    ";B[aa];W[aa];B[bb]",
    "AB[aa:cc];W[aa];B[bb]",
    "AB[aa:cc];W[];B[]",
    "AB[aa:bc];W[ca];B[cb];W[aa]",
    ";B[aa];W[bb]XEND[W+R];B[cc]",
    "XEND[W+R];B[cc]",
    ";B[aa](;W[bb];B[ca])(;W[cc])",
    "(;B[aa];W[bb])(;B[bb]",
)
"""Records of 3×3 that are hard to tell from plain ones."""


def check(text: str) -> None:
    data = text.encode()
    shown, loaded = outline(data), load(data)
    game = loaded.game
    last = last_of(game)
    assert game.node is last
    told = loaded.info, comment(game.root), game.torus.size, game.komi, last.number, game.board.colours
    assert shown[:-1] == told, text
    assert opening_number(shown.beginning) == opening_number(game), text


@pytest.mark.parametrize("wraps", ["", "TO[3]", "TO[0]"])
@pytest.mark.parametrize("moves", CASES)
def test_an_outline_of_a_hard_case_is_what_the_tree_says(wraps: str, moves: str) -> None:
    check(f"(;SZ[3]{wraps}{moves})")


@pytest.mark.parametrize("seed", range(3))
def test_an_outline_is_what_the_tree_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []
    monkeypatch.setattr(read, "Builder", lambda *given, **more: built.append(given) or Builder(*given, **more))
    rng, count = Random(seed), 100
    for _number in range(count):
        check(random_record(rng))
    # One of each pair is built to compare with; plain records need no other, and the rest does.
    assert count * 1.2 < len(built) < count * 1.8


def test_a_record_of_moves_alone_is_outlined_without_their_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[RawNode] = []
    make = RawNode.__init__
    monkeypatch.setattr(RawNode, "__init__", lambda node, at=0: (made.append(node), make(node, at))[1])
    moves = "".join(f";{'BW'[number % 2]}[{_LETTERS[number // 16]}{_LETTERS[number % 16]}]\n" for number in range(200))
    shown = outline(f"(;SZ[16]GM[q5go-1]TO[3]{moves};C[well played])".encode())
    assert (shown.moves, sum(map(bool, shown.colours))) == (200, 200)
    assert len(made) <= 4  # The root, the first move, the last, and the comment.
