"""The shipped opening values: complete, consistent with the opening classes, and within bounds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Final

import pytest

from daoqi_tui.analysis.opening import (
    SHIPPED,
    Made,
    OpeningValues,
    Standing,
    class_count,
    equivalents,
    find_opening,
    opening_classes,
    read_values,
    shipped_values,
    third_moves,
    third_position,
)
from daoqi_tui.paths import assets_folder
from daoqi_tui.reading.symmetry import canonical_moves

JUDGED: Final = (9, 11, 13, 16, 19)
ORDERED: Final = {9: 818, 16: 8382}
"""The number of inequivalent openings of three moves by board size; the rules state the one for 16."""
UNORDERED: Final = {9: 432, 16: 4265}
"""The same if the order of Black's two stones does not matter."""


def test_the_file_is_small() -> None:
    assert (assets_folder() / SHIPPED).stat().st_size < 200_000


def test_it_was_made_with_two_networks() -> None:
    values = shipped_values(16)
    assert values is not None
    assert len({judge.sha256 for judge in values.made.judges}) == len(values.made.judges) == 2
    assert values.made.date >= "2026-11-29"


@pytest.mark.parametrize("size", JUDGED)
def test_every_class_has_a_value_and_legal_replies(size: int) -> None:
    values = shipped_values(size)
    assert values is not None
    assert sorted(values.classes) == list(range(1, class_count(size) + 1))
    for kind in opening_classes(size):
        entry = values.classes[kind.number]
        assert 1 <= len(set(entry.replies)) == len(entry.replies) <= 3, kind
        assert set(entry.replies) <= set(third_moves(size, kind.number))


@pytest.mark.parametrize("size", JUDGED)
def test_most_openings_are_told_apart_by_nothing_that_is_known(size: int) -> None:
    values = shipped_values(size)
    assert isinstance(values, OpeningValues)
    standings = [entry.standing for entry in values.classes.values()]
    assert standings.count(Standing.EVEN) > len(standings) / 2


@pytest.mark.parametrize("size", [9, 16])
def test_every_third_move_has_a_value(size: int) -> None:
    values = shipped_values(size)
    assert values is not None
    assert len(values.thirds) == UNORDERED[size]
    found = [values.third_values(number) for number in range(1, class_count(size) + 1)]
    assert sum(map(len, found)) == ORDERED[size]


def test_two_orders_of_blacks_stones_have_one_value() -> None:
    size = 9
    for number in range(1, class_count(size) + 1):
        for point in third_moves(size, number):
            black, white = next(kind for kind in opening_classes(size) if kind.number == number).points(size)
            swapped = find_opening(size, (point, white, black))
            assert swapped.kind is not None
            third = min(equivalents(size, swapped.moves[:2], swapped.moves[2]))
            assert third_position(size, number, point) == third_position(size, swapped.kind.number, third)


def test_equivalent_third_moves_make_equivalent_openings() -> None:
    size, number = 9, 5
    stones = next(kind for kind in opening_classes(size) if kind.number == number).points(size)
    for point in third_moves(size, number):
        forms = {canonical_moves(size, (*stones, other)).moves for other in equivalents(size, stones, point)}
        assert len(forms) == 1
    assert len({canonical_moves(size, (*stones, point)).moves for point in third_moves(size, number)}) == len(
        third_moves(size, number)
    )


@pytest.mark.parametrize("size", [9, 13, 16, 19])
def test_the_fair_komi_has_an_interval(size: int) -> None:
    values = shipped_values(size)
    assert values is not None
    fair = values.fair_komi
    assert fair is not None
    assert fair.low < fair.komi < fair.high
    assert fair.games >= 16


def test_a_size_that_nobody_judged_has_no_values() -> None:
    assert shipped_values(7) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no archive",
        gzip.compress(b"[]"),
        gzip.compress(b"\xff"),
        gzip.compress(json.dumps({"format": 1, "made": {}, "sizes": {}}).encode()),
        gzip.compress(json.dumps({"format": 2, "made": {}, "sizes": {}}).encode()),
        gzip.compress(json.dumps({"format": 2, "made": dict.fromkeys(Made.__slots__), "sizes": []}).encode()),
        gzip.compress(b"{}")[:10] + b"\xff" * 20,
    ],
    # Explicit ids: gzip data contain a timestamp, which may differ between the test processes.
    ids=["empty", "no archive", "list", "no text", "another format", "nothing judged", "list of sizes", "damaged"],
)
def test_another_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "values"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is not a file of opening values"):
        read_values(path)
