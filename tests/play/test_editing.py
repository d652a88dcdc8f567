"""Editing a record: every edit can be undone, is saved at once or not at all, and is in the file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daoqi_tui.engine import BLACK, DAOQI, WHITE, Game, Move, Node, Setup, parse_rules
from daoqi_tui.engine.clock import Clock, TimeControl
from daoqi_tui.play.editing import Edit, Editor
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Match
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.session import Computer, GameSetup, Session
from daoqi_tui.play.wording import Unable
from daoqi_tui.record import load
from daoqi_tui.record.journal import replay
from daoqi_tui.record.journal.format import Deleted, encode_line
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.markup import MARKS, next_mark, set_comment, set_mark, toggle_letter
from tests.record.journal_acts import state_of
from tests.thorough import rounds

RECORD = b"""(;SZ[9]KM[4]PB[Ke]PW[Go]EV[Cup]RE[B+R]RU[Daoqi]GC[a record]
;B[ee]C[first];W[cc](;B[gg]LB[cc:A];W[gc]TR[ee](;B[cg];W[dg]N[end])(;B[dh]C[other]))(;B[gc];W[];B[]))"""

RECORDS = (
    RECORD,
    b"(;SZ[9]HA[2]TO[3]RU[Daoqi]AB[cc][gg];W[ee](;B[aa];W[];B[];W[bb])(;AW[dd]PL[B];B[ab]))",
    b"(;SZ[5]KM[0]TO[3]RU[Chinese];B[aa];B[bb](;W[aa];B[])(;W[cc]XEND[W+R];B[dd]);)",
)


def match_of(record: bytes = RECORD, folder: Path | None = None) -> Match:
    session = Session.opened(record, source=Path("game.sgf"))
    keeper = None if folder is None else Keeper(Folders(folder / "journal", folder / "library"), lambda _: None)
    match = Match(session, PlayerTable, keeper)
    if keeper is not None:
        keeper.begin(session)
    match.begin(session)
    return match


def shape_of(game: Game) -> list[tuple[object, ...]]:
    """Return the tree as a file has it, which does not write whose turn it is before a move."""
    places: dict[Node | None, int] = {}
    shape: list[tuple[object, ...]] = []
    for node in game.root.walk():
        only_turns = isinstance(node.action, Setup) and not node.action.points and not node.properties
        if only_turns and all(isinstance(child.action, Move) for child in node.children) and node.children:
            places[node] = places[node.parent]
            continue
        # The root has the information as it was read; the rest of it is written from elsewhere.
        notes = {} if node.parent is None else dict(node.properties or {})
        notes.pop("PL", None)
        places[node] = len(shape)
        shape.append((places.get(node.parent, -1), node.action, notes, node.ending, node.resumed))
    return sorted(shape, key=repr)


def edit_at_random(match: Match, rng: Random) -> None:
    """Go to a random node, and edit there."""
    game, session = match.game, match.session
    node = rng.choice(list(game.root.walk()))
    match.goto(node)
    size = game.torus.size
    operations: list[Callable[[], object]] = [
        partial(match.edit, Editor.delete),
        partial(match.edit, Editor.cut),
        partial(match.edit, Editor.paste),
        partial(match.edit, Editor.paste),
        match.editor.copy,
        partial(match.edit, Editor.promote),
        partial(match.edit, lambda editor: editor.flatten(match.variations.line)),
        partial(match.annotate, node, lambda: set_comment(node, rng.choice(["", "好棋", "a ] b \\ c"]))),
        partial(match.annotate, node, lambda: next_mark(node, rng.randrange(size * size), size)),
        partial(match.annotate, node, lambda: toggle_letter(node, rng.randrange(size * size), size)),
        partial(match.annotate, node, lambda: set_mark(node, 3, rng.choice([None, *MARKS]), size)),
        partial(
            match.edit,
            lambda editor: editor.describe(
                replace(session.record_info(), event=rng.choice(["", "杯"]), result=rng.choice([None, "W+2", ""])),
                rng.choice([0, 4, -3.5]),
                rng.choice([DAOQI, parse_rules("suicide=no, pass_cost=0"), game.rules]),
            ),
        ),
    ]
    with suppress(Unable):
        rng.choice(operations)()


@given(st.integers(0, 2**32), st.integers(1, 25))
def test_undoing_all_edits_gives_the_same_bytes(seed: int, count: int) -> None:
    match = match_of(RECORDS[seed % len(RECORDS)])
    rng, before = Random(seed), match.session.record()
    for _ in range(count):
        edit_at_random(match, rng)
    edited = match.session.record()
    undone = []
    while (edit := match.editor.undo()) is not None:
        undone.append(edit)
    assert match.session.record() == before
    for _edit in undone:
        assert match.editor.redo() is not None
    assert match.editor.redo() is None
    assert match.session.record() == edited


@given(st.integers(0, 2**32))
def test_an_edited_record_is_in_the_file_as_it_is(seed: int) -> None:
    match = match_of(RECORDS[seed % len(RECORDS)])
    rng = Random(seed)
    for _ in range(12):
        edit_at_random(match, rng)
        record = match.session.record()
        loaded = load(record)
        assert shape_of(loaded.game) == shape_of(match.game)
        assert (loaded.game.komi, loaded.game.rules) == (match.game.komi, match.game.rules)
        assert Session.opened(record).record() == record


@pytest.mark.parametrize("seed", range(rounds(4, 40)))
def test_a_journal_cut_off_at_any_byte_has_every_edit_whole_or_not_at_all(tmp_path: Path, seed: int) -> None:
    match = match_of(RECORDS[seed % len(RECORDS)], folder=tmp_path)
    rng = Random(seed)
    states = []

    def note_state() -> None:
        states.append((state_of(match.game), str(match.game.rules), match.session.record_info()))

    # Few, since the bytes and the time to read them grow with their number.
    while len(states) < 8:
        edit_at_random(match, rng)
        # Going somewhere is a change of its own.
        note_state()
        if match.editor._done and rng.random() < 0.4:
            match.undo()
            note_state()
    [path] = (tmp_path / "journal").iterdir()
    trees = {repr((state[0][:4], *state[1:])) for state in states}
    whole = path.read_bytes()
    begun = whole.index(b"\n", whole.index(b'["at",')) + 1
    found = set()
    for end in range(begun, len(whole) + 1):
        path.write_bytes(whole[:end])
        restored = replay(path)
        found.add(repr((state_of(restored.game)[:4], str(restored.game.rules), restored.names)))
        assert not restored.damaged
    assert found <= trees
    assert repr((state_of(match.game)[:4], str(match.game.rules), match.session.record_info())) in found


def test_an_edited_game_is_resumed_and_edited_on(tmp_path: Path) -> None:
    match = match_of(folder=tmp_path)
    rng = Random(7)
    for _ in range(30):
        edit_at_random(match, rng)
    assert match.keeper is not None
    record = match.session.record()
    assert match.keeper.close()
    [path] = (tmp_path / "journal").iterdir()
    resumable = match.keeper.open(path)
    assert resumable.session.record() == record
    assert not resumable.session.problems
    match.keeper.take(resumable)
    match.begin(resumable.session)
    for _ in range(30):
        edit_at_random(match, rng)
    assert match.keeper.close()
    assert match.keeper.open(path).session.record() == match.session.record()


def test_a_journal_with_a_deletion_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    match = match_of(folder=tmp_path)
    match.goto(match.game.root.line()[1])
    match.annotate(match.game.node, lambda: set_comment(match.game.node, "x"))
    assert match.keeper is not None
    assert match.keeper.close()
    [path] = (tmp_path / "journal").iterdir()
    with path.open("ab") as file:
        file.write(encode_line(path.read_bytes().count(b"\n"), Deleted(2)))
    restored = replay(path)
    assert not restored.problems
    assert [node.number for node in restored.game.root.walk()] == [0, 1]
    assert restored.game.node.number == 1


def moves(match: Match) -> list[int]:
    return [node.number for node in match.game.root.walk()]


def test_undo_takes_back_what_came_last(tmp_path: Path) -> None:
    match = match_of(folder=tmp_path)
    end = match.game.root.line()[-1]
    match.goto(end)
    match.game.resume()
    match.annotate(end, lambda: set_comment(end, "edited"))
    assert match.play(0) is None
    assert match.undo() is None
    assert match.game.node is end
    assert end.properties == {"N": ["end"], "C": ["edited"]}
    assert isinstance(match.undo(), Edit)
    assert end.properties == {"N": ["end"]}
    assert isinstance(match.redo(), Edit)
    assert end.properties == {"N": ["end"], "C": ["edited"]}
    assert match.redo() is None
    assert match.game.node.move == Move(BLACK, 0)


def test_moves_played_after_an_edit_stay_when_it_is_undone() -> None:
    match = match_of()
    match.goto(match.game.root.line()[3])
    parent = match.game.node
    with pytest.raises(Unable, match="main line already"):
        match.edit(Editor.promote)
    match.goto(parent.children[1])
    assert isinstance(match.edit(Editor.delete), Edit)
    assert match.game.node is parent
    match.play(0)
    match.goto(parent)
    assert match.editor.undo() is None
    match.editor.played(-1)
    assert match.editor.undo() is not None
    assert [child.move and child.move.point for child in parent.children][-1] == 0
    assert len(parent.children) == 3


def test_a_variation_is_pasted_into_another_game() -> None:
    match = match_of()
    match.goto(match.game.root.line()[2])
    assert match.editor.copy() == 5
    match.begin(Session(GameSetup(9)))
    match.play(0)
    match.play(1)
    assert isinstance(match.edit(Editor.paste), Edit)
    assert len(moves(match)) == 8
    assert match.game.node.move == Move(BLACK, 60)
    match.begin(Session(GameSetup(7)))
    with pytest.raises(Unable, match="of a board of size 9"):
        match.edit(Editor.paste)


def test_play_resumed_before_pasted_stones_is_so_in_the_file() -> None:
    match = match_of(b"(;SZ[9]TO[3]RU[Daoqi];B[ee](;W[])(;AW[aa]PL[B]C[x]))")
    first, stones = match.game.root.children[0].children
    match.goto(stones)
    assert match.editor.copy() == 0
    match.goto(first)
    assert match.pass_turn() is None
    with pytest.raises(Unable, match="The game ends here"):
        match.edit(Editor.paste)
    match.resume()
    assert isinstance(match.edit(Editor.paste), Edit)
    assert shape_of(load(match.session.record()).game) == shape_of(match.game)
    assert b"XRESUMED[]" in match.session.record()


def test_a_variation_that_begins_with_the_other_colour_is_pasted() -> None:
    match = match_of()
    match.goto(match.game.root.line()[1])
    assert isinstance(match.editor.copy(), int)
    assert isinstance(match.edit(Editor.paste), Edit)
    assert match.game.node.move == Move(WHITE, match.game.torus.parse("cc", "sgf"))
    assert load(match.session.record()).game.root.children[0].children[0].children[0].number == 3


@pytest.mark.parametrize(
    ("clock", "over", "refused"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_a_running_clock_forbids_editing_but_not_notes(clock: bool, over: bool, refused: bool) -> None:
    time = TimeControl(60)
    setup = GameSetup(9, time=time if clock else None, white_seat=Computer(1))
    match = Match(Session(setup, clock=Clock(time) if clock else None), PlayerTable)
    match.game.play(0)
    if over:
        match.game.resign()
    match.session.go_on_here()
    node = match.game.node
    match.annotate(node, lambda: set_comment(node, "a note"))
    assert node.properties
    for operation in (Editor.delete, Editor.cut, lambda editor: editor.describe(Info(black="Ke"), 0, DAOQI)):
        with pytest.raises(Unable, match="The clock is running") if refused else nullcontext():
            match.edit(operation)
        match.undo()


def test_editing_a_game_against_a_computer_pauses_it() -> None:
    match = Match(Session(GameSetup(9, white_seat=Computer(1))), PlayerTable)
    for point in (0, 1, 2):
        match.game.play(point)
    match.session.go_on_here()
    assert isinstance(match.edit(Editor.delete), Edit)
    assert match.turns.paused
    assert match.session.helped
    assert match.session.front is match.game.node


def test_rules_are_changed_with_what_they_have_against_the_moves() -> None:
    # Suicide of one stone, which Chinese rules forbid.
    match = match_of(b"(;SZ[5]RU[Daoqi]AB[ba][ab][ea][ae]AW[cc];W[aa];B[dd])")
    found = [node.against for node in match.game.root.walk()]
    assert isinstance(
        match.edit(lambda editor: editor.describe(Info(), 7.5, parse_rules("suicide=no, pass_cost=0"))), Edit
    )
    assert match.game.rules.suicide is False
    assert match.game.komi == 7.5
    assert [node.against for node in match.game.root.walk()] == [
        node.against for node in load(match.session.record()).game.root.walk()
    ]
    assert isinstance(match.undo(), Edit)
    assert [node.against for node in match.game.root.walk()] == found


def test_a_result_is_that_of_the_main_line_once_it_is_edited() -> None:
    match = match_of()
    match.goto(match.game.root.line()[-1])
    match.edit(Editor.delete)
    assert b"RE[" not in match.session.record()
    assert isinstance(match.undo(), Edit)
    assert b"RE[B+R]" in match.session.record()


def test_evaluations_are_dropped_with_komi_or_rules_alone() -> None:
    match = match_of(b"(;SZ[5]RU[Daoqi]KM[4]TO[3];B[cc]SBKV[60.00]SBKS[3.00])")
    [node] = match.game.root.children
    match.evaluations.note(node, Evaluation(0.9, 8.0, 100, "search"), record=False)
    for info, komi, kept in ((Info(event="Cup"), 4, True), (Info(event="Cup"), 3, False)):
        match.edit(lambda editor, info=info, komi=komi: editor.describe(info, komi, match.game.rules))
        found = match.evaluations.of(node)
        assert found is not None
        assert (found.lead == 8) == kept


def test_edits_are_values() -> None:
    match = match_of()
    match.goto(match.game.root.line()[2])
    with pytest.raises(Unable):
        match.editor.promote()
    edit = match.editor.delete()
    assert isinstance(edit, Edit)
    assert edit.inverse.inverse == edit
