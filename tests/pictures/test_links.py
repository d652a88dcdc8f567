"""Arrows, lines and annotations: in a record, and on boards of pixels, characters and SVG."""

from __future__ import annotations

import numpy as np
import pytest

from daoqi_tui.engine import Game, Node
from daoqi_tui.pictures.palettes import BOARDS
from daoqi_tui.pictures.picture import Picture, picture_of, strokes_of, with_link_signs
from daoqi_tui.pictures.raster import Pixels, Raster
from daoqi_tui.pictures.text import svg_picture
from daoqi_tui.record import dump, load
from daoqi_tui.record.sgf.markup import (
    ANNOTATIONS,
    Annotation,
    Link,
    annotations_of,
    links,
    move_sign,
    toggle_annotation,
    toggle_link,
)
from daoqi_tui.tui.board.viewport import Orientation, turned

SIZE = 9


def point(name: str) -> int:
    return Game(SIZE).torus.parse(name)


def test_an_arrow_is_added_and_removed_and_a_line_in_either_direction() -> None:
    node = Node(None, None, 0)
    arrow, line = Link("arrow", 0, 12), Link("line", 3, 4)
    assert toggle_link(node, arrow, SIZE)
    assert toggle_link(node, line, SIZE)
    assert node.properties == {"AR": ["aa:db"], "LN": ["da:ea"]}
    assert links(node, SIZE) == (arrow, line)
    assert not toggle_link(node, Link("line", 4, 3), SIZE)
    assert toggle_link(node, Link("arrow", 12, 0), SIZE)
    assert not toggle_link(node, arrow, SIZE)
    assert node.properties == {"AR": ["db:aa"]}


@pytest.mark.parametrize("value", ["aa", "aa:aa", "aa:zz", "zz:aa", ":aa", "", "aa:bb:cc"])
def test_what_is_no_arrow_is_kept_and_not_drawn(value: str) -> None:
    game = load(f"(;SZ[9];B[ee]AR[{value}][aa:bb])".encode(), torus=True).game
    assert links(game.node, SIZE) == (Link("arrow", 0, 10),)
    assert f"AR[{value}][aa:bb]".encode() in dump(game)


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_an_annotation_replaces_another_of_its_kind_and_is_removed_by_itself(annotation: Annotation) -> None:
    of_move, of_position = list(ANNOTATIONS)[:6], list(ANNOTATIONS)[7:]
    alike = next((kinds for kinds in (of_move, of_position) if annotation in kinds), [annotation])
    node = Node(None, None, 0)
    for other in ANNOTATIONS:
        if other not in annotations_of(node):
            toggle_annotation(node, other)
    toggle_annotation(node, alike[-1])
    if annotation not in annotations_of(node):
        toggle_annotation(node, annotation)
    assert [other for other in annotations_of(node) if other in alike] == [annotation]
    assert len(annotations_of(node)) >= 2
    toggle_annotation(node, annotation)
    assert not [other for other in annotations_of(node) if other in alike]


@pytest.mark.parametrize(
    ("value", "sign"),
    [("TE[1]", "!"), ("TE[2]", "!!"), ("BM[]", "?"), ("BM[2]", "??"), ("DO[]", "?!"), ("IT[]", "!?"), ("HO[1]", "")],
)
def test_how_good_a_move_is_stands_on_it_unless_it_has_a_label(value: str, sign: str) -> None:
    game = load(f"(;SZ[9];B[ee]{value}CR[aa])".encode(), torus=True).game
    assert move_sign(game.node) == sign
    shown = picture_of(game).labels
    assert shown == {0: "○", **({point("E5"): sign} if sign else {})}
    game = load(f"(;SZ[9];B[ee]{value}LB[ee:A])".encode(), torus=True).game
    assert picture_of(game).labels == {point("E5"): "A"}


def test_an_arrow_goes_the_shortest_way_around_the_torus() -> None:
    strokes = list(strokes_of([Link("line", point("A5"), point("I6"))], SIZE))
    assert ((0, 4), (-1, 3)) in [stroke[:2] for stroke in strokes]
    # Its copy reaches the board at the other end.
    assert ((9, 4), (8, 3)) in [stroke[:2] for stroke in strokes]
    [arrow] = [each for each in strokes_of([Link("arrow", 0, 3)], SIZE) if each.start == (0, 0)]
    assert max(x for x, _y in arrow.head) < 3


@pytest.mark.parametrize("kind", ["arrow", "line"])
def test_links_are_drawn_from_end_to_end_in_pixels_also_across_the_seam(kind: str) -> None:
    raster = Raster(BOARDS["kaya"], Pixels(20, 20))
    picture = Picture(SIZE, bytes(SIZE * SIZE))
    drawn = raster.draw(picture._replace(links=(Link(kind, point("A5"), point("H5")),)))  # type: ignore[arg-type]
    changed = drawn != raster.draw(picture)
    touched = {int(column) // 20 for column in np.flatnonzero(changed.any(axis=0))}
    assert touched == {0, 7, 8}
    rows = {int(row) // 20 for row in np.flatnonzero(changed.any(axis=1))}
    assert rows == {4}


def test_characters_show_the_ends_and_the_way() -> None:
    picture = Picture(SIZE, bytes(SIZE * SIZE), labels={point("C3"): "A"})
    found = ((Link("arrow", point("A5"), point("I5"))), Link("line", point("C3"), point("E3")))
    assert with_link_signs(picture._replace(links=found)).labels == {
        point("A5"): "•",
        point("I5"): "←",
        point("C3"): "A",
        point("E3"): "•",
    }
    assert with_link_signs(picture) is picture


def test_a_turned_view_turns_links() -> None:
    picture = Picture(SIZE, bytes(SIZE * SIZE), links=(Link("arrow", 0, 1),))
    for orientation in (Orientation(True), Orientation(turns=1), Orientation(True, 3)):
        shown = turned(picture, orientation)
        places = [divmod(place, SIZE) for place in shown.links[0][1:]]
        assert places == [orientation.shown(SIZE, 0, 0), orientation.shown(SIZE, 0, 1)]


def test_svg_draws_links() -> None:
    game = load(b"(;SZ[9];B[ee]AR[aa:cc])", torus=True).game
    assert 'id="links"' in svg_picture(game)
    assert 'id="links"' not in svg_picture(load(b"(;SZ[9];B[ee])", torus=True).game)
