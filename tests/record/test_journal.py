"""Restoring a whole game from its journal: tree, cursor, endings, clock, names and view."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from random import Random
from zlib import crc32

import pytest

from daoqi_tui.engine import BLACK, WHITE, Game, Resignation, TwoPasses
from daoqi_tui.engine.clock import Clock, TimeControl
from daoqi_tui.record import Info, load
from daoqi_tui.record.journal import Journal, JournalError, Restored, SavedView, replay, scan
from daoqi_tui.record.journal.format import (
    About,
    Begin,
    Ended,
    FiledAs,
    JournalEntry,
    Properties,
    Seats,
    encode_line,
    read_lines,
)
from daoqi_tui.record.library import Library
from daoqi_tui.record.sgf import MOST_BYTES
from daoqi_tui.record.sgf.write import dump
from tests.record.journal_acts import act, digest_of, state_of
from tests.shared_data import data_path
from tests.waiting import HANG


def begin(folder: Path, game: Game, info: Info | None = None, time: TimeControl | None = None) -> Journal:
    return Journal.begin(game, info, time=time, folder=folder)


def restored(journal: Journal) -> Restored:
    assert journal.close()
    return replay(journal.path)


@pytest.mark.parametrize("seed", range(40))
def test_a_game_comes_back_as_it_was(tmp_path: Path, seed: int):
    rng = Random(seed)
    game = Game(rng.choice([3, 5, 9]), rng.choice([4, 0, -2.5, 3.75]), rng.choice([0, 0, 2]))
    journal = begin(tmp_path, game)
    game.pass_turn()
    journal.follow()
    for step in range(150):
        act(game, rng)(journal)
        if step % 50 == 30:
            assert journal.close()
            journal, back = Journal.resume(journal.path)
            assert back.problems == ()
            assert state_of(back.game) == state_of(game)
            game = back.game
    back = restored(journal)
    assert back.problems == ()
    assert state_of(back.game) == state_of(game)


def test_names_clock_and_view_come_back(tmp_path: Path):
    control = TimeControl(600, 3, 30)
    game, clock = Game(9), Clock(control)
    journal = begin(tmp_path, game, Info(black="柯洁", white="[b]Go", date="2024-05-01", handicap=0), control)
    clock.start(BLACK, 0)
    game.play(40)
    journal.follow()
    clock.press(610)
    clock.start(WHITE, 610)
    journal.clock(clock, 615.5)
    journal.note(SavedView(3, -1, 4, 2, 17, home=False))
    journal.write_info(Info(black="柯洁", white="AlphaGo"))
    back = restored(journal)
    assert back.names == Info(black="柯洁", white="AlphaGo")
    assert back.time == control
    assert back.view == SavedView(3, -1, 4, 2, 17, home=False)
    assert (back.clock.black, back.clock.white) == (clock.left(BLACK, 615.5), clock.left(WHITE, 615.5))
    assert back.clock.running == WHITE


def test_a_view_knows_whether_it_was_the_home_view():
    for entry in (SavedView(3, -1, 4, 2, 17, home=True), SavedView(3, -1, 4, 2, 17, home=False)):
        (line,) = read_lines(io.BytesIO(encode_line(0, entry)))
        assert line.sound
        assert line.entry == entry


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        (b'["view",3,-1,4,2,null,[7,7]]', SavedView(3, -1, 4, 2, None, home=False)),
        (b'["players","person","level:5"]', Seats("person", "level:5", resigns=True)),
        (b'["players","person","\\udcff",false]', Seats("person", "\udcff", resigns=False)),
        (b'["about",4,{"black":"Ke","handicap":2,"later":1}]', About(4, Info(black="Ke", handicap=2))),
        (b'["end",3,false,"dead",[4,7]]', Ended.of(3, TwoPasses(frozenset((4, 7))), resumed=False)),
        (b'["end",3,true]', Ended.of(3, None, resumed=True)),
        (b'["filed","\\udc80.sgf"]', FiledAs("\udc80.sgf")),
        (
            b'["daoqi",1,9,4,0,"2024",[600,3,30,0],["1","0","0",2]]',
            Begin(1, 9, 4, 0, "2024", (600, 3, 30, 0), ("1", "0", "0", 2)),
        ),
    ],
)
def test_entries_of_every_version_are_read(text: bytes, entry: JournalEntry):
    body = b"0 " + text
    (line,) = read_lines(io.BytesIO(b"%08x %s\n" % (crc32(body), body)))
    assert line.entry == entry
    (again,) = read_lines(io.BytesIO(encode_line(0, entry)))
    assert again.entry == entry


def test_the_longest_comment_of_a_record_fits_a_line():
    # Each letter is one byte in Latin-1 but six bytes in JSON.
    entry = Properties(1, {"C": ["é" * MOST_BYTES]})
    (line,) = read_lines(io.BytesIO(encode_line(0, entry)))
    assert line.sound
    assert line.entry == entry


def test_where_the_game_goes_on_comes_back(tmp_path: Path):
    game = Game(9)
    journal = begin(tmp_path, game, Info(), None)
    nodes = [game.play(point) for point in (40, 41, 42)]
    journal.follow()
    journal.front(nodes[2])
    game.undo()
    journal.follow()
    journal.front(nodes[1])
    lines = journal.path.read_bytes().count(b"front") if journal.front(nodes[1]).wait() else 0
    game.goto(game.root)
    journal.follow()
    back = restored(journal)
    assert lines == 2, "said once for each change"
    assert back.front is not None
    assert (back.front.number, back.game.node.number) == (2, 0)


def test_where_the_game_goes_on_may_be_deleted(tmp_path: Path):
    game = Game(9)
    journal = begin(tmp_path, game, Info(), None)
    game.play(40)
    node = game.play(41)
    journal.follow()
    journal.front(node)
    game.delete(node)
    journal.rearranged([node.parent])
    assert journal.front(node).wait()
    back = restored(journal)
    assert back.front is None
    assert not back.damaged


def test_komi_changed_later_comes_back(tmp_path: Path):
    game = Game(9)
    journal = begin(tmp_path, game)
    game.play(0)
    journal.follow()
    game.komi = 0.5
    journal.write_info(Info())
    assert restored(journal).game.komi == 0.5


def test_resuming_play_and_playing_on_may_be_told_in_one(tmp_path: Path):
    game = Game(5)
    journal = begin(tmp_path, game)
    game.pass_turn()
    game.pass_turn()
    journal.follow()
    game.resume()
    game.play(3)
    game.resign()
    journal.follow()
    assert state_of(restored(journal).game) == state_of(game)


def test_an_act_may_be_followed_by_a_jump_before_it_is_told(tmp_path: Path):
    game = Game(5)
    journal = begin(tmp_path, game)
    game.play(3)
    journal.follow()
    game.resign()
    game.goto(game.root)
    journal.follow()
    assert restored(journal).game.root.children[0].ending == Resignation(WHITE)


@pytest.mark.parametrize("name", ["appoollooW-XuqibinB.sgf", "2748_YufengW-appoollooB.sgf"])
def test_a_loaded_record_comes_back_whole(tmp_path: Path, name: str):
    loaded = load(data_path("historic", name))
    journal = begin(tmp_path, loaded.game, loaded.info)
    loaded.game.goto(loaded.game.root.line()[20])
    journal.follow()
    assert scan(tmp_path).journals == ()
    loaded.game.play(loaded.game.legal_points()[0])
    journal.follow()
    back = restored(journal)
    assert state_of(back.game) == state_of(loaded.game)
    assert dump(back.game, back.names) == dump(loaded.game, loaded.info)


def test_setup_in_the_root_comes_back(tmp_path: Path):
    loaded = load(b"(;GM[1]SZ[9]TO[3]AB[aa][bb]AW[cc]PL[W]C[start];W[dd](;B[ee])(;B[ee])(;W[ff]))")
    journal = begin(tmp_path, loaded.game, loaded.info)
    loaded.game.pass_turn()
    journal.follow()
    assert state_of(restored(journal).game) == state_of(loaded.game)


def test_looking_leaves_no_journal(tmp_path: Path):
    game = Game(9)
    journal = begin(tmp_path, game)
    journal.follow()
    journal.note(SavedView(0, 0, 2, 1, None, home=False))
    journal.write_info(Info(black="Ke"))
    assert journal.close()
    assert list(tmp_path.iterdir()) == []


def test_a_line_is_no_longer_for_a_long_game(tmp_path: Path):
    game = Game(19)
    journal = begin(tmp_path, game)
    sizes = []
    for point in range(300):
        game.play(point) if point % 2 else game.pass_turn()
        before = journal.path.stat().st_size if point else 0
        assert journal.follow().wait()
        sizes.append(journal.path.stat().st_size - before)
    journal.close()
    assert max(sizes[1:]) < 60


async def test_a_ticket_can_be_awaited(tmp_path: Path):
    game = Game(9)
    journal = begin(tmp_path, game)
    game.play(40)
    ticket = journal.follow()
    assert await ticket
    assert ticket.done
    assert replay(journal.path).game.moves() == game.moves()
    tickets = []
    for point in range(20):
        game.play(point)
        tickets.append(journal.follow())
    assert all(await asyncio.gather(*(asyncio.wait_for(ticket, HANG) for ticket in tickets)))
    assert journal.discard()


def test_two_windows_do_not_share_a_journal(tmp_path: Path):
    journals = []
    for _ in range(2):
        game = Game(9)
        journals.append(begin(tmp_path, game))
        game.play(40)
        journals[-1].follow().wait()
    assert len({journal.path for journal in journals}) == 2
    assert scan(tmp_path).journals == ()
    with pytest.raises(JournalError, match="in use by another daoqi-tui"):
        Journal.resume(journals[0].path)
    journals[0].close()
    assert [found.path for found in scan(tmp_path).journals] == [journals[0].path]
    journals[1].close()
    assert {found.path for found in scan(tmp_path).journals} == {journal.path for journal in journals}


def test_the_list_tells_the_games_apart(tmp_path: Path):
    for name, size in (("Ann", 9), ("Bea", 13)):
        game = Game(size)
        journal = begin(tmp_path, game, Info(black=name))
        game.play(0)
        journal.follow()
        journal.close()
    found = scan(tmp_path).journals
    assert {(game.names.black, game.size) for game in found} == {("Ann", 9), ("Bea", 13)}
    assert found[0].changed >= found[1].changed


def test_the_list_has_the_players_of_now(tmp_path: Path):
    game = Game(9)
    journal = begin(tmp_path, game, Info(white="Computer 7.5"))
    for point in range(5):
        game.play(point)
        journal.follow()
    journal.write_info(Info(white="Computer 4.5"))
    journal.close()
    assert [found.names.white for found in scan(tmp_path).journals] == ["Computer 4.5"]


def test_a_finished_game_is_in_the_library_and_its_journal_gone(tmp_path: Path):
    library = Library(tmp_path / "games")
    game = Game(9)
    journal = begin(tmp_path, game, Info(black="Ke", white="Go"))
    game.play(40)
    game.play(41)
    game.undo()
    game.play(42)
    game.resign()
    journal.follow()
    game.promote(game.node)
    journal.promoted(game.node)
    path = journal.finish(library)
    assert path is not None
    assert not journal.path.exists()
    loaded = load(path)
    assert loaded.info.result == "W+R"
    assert [node.move.point for node in loaded.game.root.line()] == [40, 42]
    assert loaded.info.date
    assert [entry.black for entry in library.games().entries] == ["Ke"]
    library.close()


def test_filing_leaves_the_tree_as_it_is_whichever_node_is_viewed(tmp_path: Path):
    library = Library(tmp_path / "games")
    game = Game(9)
    journal = begin(tmp_path, game)
    game.play(40)
    game.resign()
    game.undo()
    old = game.play(41)
    game.resign()
    journal.follow()
    game.undo()
    game.promote(game.play(42))
    game.resign()
    game.goto(old)
    journal.follow()
    path = journal.finish(library)
    assert path is not None
    assert [node.move.point for node in load(path).game.root.line()] == [42]
    library.close()


def test_a_filed_game_that_is_deleted_or_renamed_in_the_library_stays_so(tmp_path: Path):
    library = Library(tmp_path / "games")
    for changed in ("delete", "rename"):
        game = Game(9)
        journal = begin(tmp_path, game)
        game.play(40)
        game.resign()
        journal.follow()
        path = journal.file(library)
        assert path is not None
        assert journal.file(library) == path
        if changed == "delete":
            library.delete(path.name)
        else:
            library.rename(path.name, black="Ke")
        assert journal.finish(library) is None
        assert not journal.path.exists()
        assert [entry.black for entry in library.games().entries] == (["Ke"] if changed == "rename" else [])
    library.close()


def test_a_filed_game_with_news_is_written_again(tmp_path: Path):
    library = Library(tmp_path / "games")
    game = Game(9)
    journal = begin(tmp_path, game)
    game.resign()
    journal.follow()
    path = journal.file(library)
    assert path is not None
    library.delete(path.name)
    game.resume()
    game.play(3)
    game.resign()
    journal.follow()
    assert journal.finish(library) == path
    assert len(load(path).game.root.line()) == 1
    library.close()


def test_a_game_filed_before_a_crash_is_not_filed_twice(tmp_path: Path):
    library = Library(tmp_path / "games")
    game = Game(9)
    journal = begin(tmp_path, game, Info(black="Ke"))
    game.resign()
    journal.follow()
    first = journal.file(library)
    assert first is not None
    journal.close()  # As after a crash, the journal stays.
    journal, back = Journal.resume(scan(tmp_path).journals[0].path)
    assert back.filed == first.name
    back.game.resume()
    back.game.play(3)
    assert journal.finish(library) == first
    assert len(library.games().entries) == 1
    library.close()
    assert len(load(first).game.root.line()) == 1
    assert scan(tmp_path).journals == ()


def test_the_journal_stays_when_the_library_cannot_be_written(tmp_path: Path):
    (tmp_path / "games").write_text("no folder")
    game = Game(9)
    journal = begin(tmp_path, game)
    game.play(40)
    journal.follow()
    with pytest.raises(OSError, match=r"exists|directory"):
        journal.finish(Library(tmp_path / "games"))
    digest = digest_of(game)
    assert digest_of(restored(journal).game) == digest
