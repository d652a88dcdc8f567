"""Arbitrary bytes: a game or a one-sentence error, without delay, and no control characters for the terminal.

Real files are mutated at random. ``DAOQI_MUTATIONS=20000 python -m pytest tests/record/test_bad_input.py`` tries
more mutations than the default.
"""

from __future__ import annotations

import os
import random
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from daoqi_tui.engine import Node
from daoqi_tui.pictures.text import score, show
from daoqi_tui.record import SgfError, dump, load, sgf
from daoqi_tui.record.sgf import markup
from daoqi_tui.record.sgf.read import problems_text
from daoqi_tui.record.sgf.write import dump_portable
from tests.shared_data import DATA, data_path
from tests.thorough import rounds

MUTATIONS = int(os.environ.get("DAOQI_MUTATIONS", str(rounds(150, 20_000))))

OWN = [
    b"(;FF[4]GM[1]SZ[9]KM[3 3/4]TO[3]HA[2]AB[cc][gg]PL[W]PB[a \\] b];W[aa]C[x](;B[bb]LB[cc:1]TR[dd:ff])(;B[];W[tt]))",
    b"(;SZ[5]GM[1];B[aa];B[ab];AE[aa]AW[cc:dd]AB[ee];W[ba];PL[B];B[ea];W[];B[];W[bb]RE[B+R])(;SZ[3])",
]
PIECES = [
    *(b"(", b")", b";", b"[", b"]", b"\\", b":", b"\n", b"\r", b"\x00", b"\x1b[31m", b"\x9b", b"\xff\xfe", b"[bold]"),
    *(b"B[aa]", b"W[]", b"AB[aa:ss]", b"AE[aa][zz]", b"PL[W]", b"SZ[99]", b"SZ[0]", b"SZ[25]", b"KM[nan]", b"RE[W+R]"),
    *(b"CA[utf-16]", b"CA[GBK]", b"TO[0]", b"TO[3]", b"GM[2]", b"AP[Daoqi]", b"XDEAD[aa]", b"XEND[W+R]", b"LB[:]"),
    *("\u202e\u2028é".encode(), "道".encode("gbk"), b";" * 50, b"(" * 50, b"(;W[bb]" * 20, b"HA[999999999]", b"L[aa]"),
]


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Return the data with random insertions, deletions, copies and changed bytes, mostly near the start."""
    new = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 8, 30))):
        at = int(len(new) * chance.random() ** chance.choice((1, 3)))
        match chance.randrange(6):
            case 0:
                new[at:at] = chance.choice(PIECES)
            case 1:
                del new[at : at + chance.choice((1, 1, 2, 5, 40))]
            case 2:
                new[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                length = chance.choice((3, 10, 100, 400))
                start = chance.randrange(len(new) + 1)
                new[at:at] = new[start : start + length]
            case 4:
                new[at : at + 5] = chance.choice(PIECES)
            case _:
                if chance.random() < 0.2:
                    del new[at:]
    return bytes(new)


def check(data: bytes, torus: bool | None) -> bool:
    """Load, show, score and write the data; return whether it loaded."""
    try:
        loaded = load(data, torus)
    except SgfError as error:
        message = str(error)
        assert "\n" not in message
        assert not any(unicodedata.category(sign) == "Cc" for sign in message)
        return False
    for text in (show(loaded), score(loaded), problems_text(loaded), show(loaded, 0, format="svg")):
        assert not any(unicodedata.category(sign) == "Cc" and sign != "\n" for sign in text)
        text.encode()
    written = dump(loaded.game, loaded.info)
    again = load(written)
    assert again.declared is True
    assert dump(again.game, again.info) == written
    return True


def sources() -> list[bytes]:
    data_path("historic", "expected.json")
    return [path.read_bytes() for path in sorted((DATA / "historic").glob("*.sgf"))]


def test_mutations_of_real_files():
    files = sources() + OWN * 6
    chance = random.Random(2024)
    loaded = 0
    for number in range(MUTATIONS):
        data = mutate(chance.choice(files), chance)
        try:
            loaded += check(data, chance.choice((None, None, True, False)))
        except SgfError as error:
            raise AssertionError(f"mutation {number}: what was written cannot be read: {error}") from error
    # Both outcomes must be common, or the mutations would test nothing.
    assert 0.3 * MUTATIONS < loaded < 0.99 * MUTATIONS


def test_portable_records_of_mutations():
    chance = random.Random(7)
    for _ in range(100):
        try:
            loaded = load(mutate(chance.choice(OWN), chance))
        except SgfError:
            continue
        assert load(dump_portable(loaded.game, loaded.info)).torus


@pytest.mark.parametrize(
    "data",
    [
        b"(;SZ[19]" + b"(" * 600_000,
        b"(;SZ[19]" + b" !" * 100_000,
    ],
    ids=["parentheses", "junk"],
)
def test_what_would_take_too_much_is_refused(data: bytes, monkeypatch: pytest.MonkeyPatch):
    # With the limit itself, the file would have to have ten million.
    monkeypatch.setattr(sgf, "MOST_MEMORY", sgf.MOST_MEMORY // 20)
    with pytest.raises(SgfError, match=r"^line 1, column \d+: .*(more memory than the limit|over 5000)"):
        load(data)


def test_boards_laid_out_without_end_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("daoqi_tui.record.sgf.build.MOST_LAID_OUT", 100_000)
    with pytest.raises(SgfError, match=r"^line 1, column \d+: there are too many setup stones up to here"):
        load(b"(;SZ[25]TO[3]" + b";AB[aa:ce];AE[aa:ce]" * 3000 + b")")


def test_a_large_collection_of_problems_as_variations_loads_whole():
    problem = "(;AB[{0}a][{0}b][{0}c][{0}d]AW[{0}e][{0}f][{0}g][{0}h]C[Black to play];B[{0}i];W[{0}j])"
    data = "(;GM[1]SZ[19]" + "".join(problem.format(chr(ord("a") + place % 19)) for place in range(4000)) + ")"
    loaded = load(data.encode())
    assert loaded.problems == ()
    assert len(loaded.game.root.children) == 4000
    again = load(dump(loaded.game, loaded.info))
    assert [node.action for node in again.game.root.walk()] == [node.action for node in loaded.game.root.walk()]


def test_nodes_that_only_turn_the_side_to_move_are_no_boards_laid_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("daoqi_tui.record.sgf.build.MOST_LAID_OUT", 0)
    loaded = load(b"(;SZ[19]TO[3]" + b";B[];B[]" * 3000 + b")")
    assert loaded.game.node.number == 6000


def test_moves_on_stones_without_end_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("daoqi_tui.record.sgf.build.MOST_LAID_OUT", 100_000)
    with pytest.raises(SgfError, match=r"^line 1, column \d+: there are too many setup stones up to here"):
        load(b"(;SZ[19]TO[3]" + b";B[aa];W[aa]" * 3000 + b")")


def test_a_huge_file_is_refused_before_it_is_read_whole(tmp_path: Path):
    path = tmp_path / "huge.sgf"
    with path.open("wb") as file:
        file.write(b"(;SZ[19]")
        file.truncate(100 * 1024 * 1024)
    with pytest.raises(SgfError, match="larger than the limit of 16 MB"):
        load(path)


@pytest.mark.parametrize("name", ["TR", "L", "LB"])
def test_only_so_many_marks_of_a_node_are_looked_at_each_time_it_is_drawn(name: str, monkeypatch: pytest.MonkeyPatch):
    looked_at: list[str] = []

    def counted(read: Callable[[str, int], int]):
        def count(raw: str, size: int):
            looked_at.append(raw)
            return read(raw, size)

        return count

    monkeypatch.setattr(markup, "rectangle", counted(markup.rectangle))
    monkeypatch.setattr(markup, "point_of", counted(markup.point_of))
    node = Node(None, None, 0)
    node.properties = {name: ["aa:bb", "ab:cc"] * 50_000}
    shown = markup.labels(node, 9) | markup.marks(node, 9)
    assert sorted(shown) == ([0, 1, 9, 10, 11, 18, 19, 20] if name != "LB" else [0, 9])
    assert len(looked_at) < 10_000


def test_names_with_markup_and_escape_sequences_reach_the_screen_as_text():
    loaded = load("(;SZ[5]TO[3]PB[[bold\\]\x1b]0;x\x07\u202e];B[aa])".encode())
    assert loaded.info.black == "[bold]\x1b"
    assert show(loaded).startswith("[bold]␛ (Black)")
