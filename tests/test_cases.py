"""The records of ``shared/data/cases``: each gives the answer that its README names, on every face."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daoqi_tui.ai.levels import moves_left
from daoqi_tui.cli.main import run
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import use_language
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record import SgfError, dump, load
from daoqi_tui.record.library import Library
from tests.gtp.talking import Talk
from tests.shared_data import data_path


def case(name: str) -> Path:
    (found,) = data_path("cases").glob(f"{name}_*")
    return found


CONVERTED = [
    ("c01", "KM[7.5]", "KM[375] counts hundredths of zi: read as komi 7.5"),
    ("c03", "KM[7.5]", "KM[3又3/4] counts zi, of two points each: read as komi 7.5"),
    ("c05", "PB[柯洁九段]PW[古力]EV[第三届名人战]C[黑先。经常看到的棋形]", "declares GB2312 but has another encoding"),
    ("c06", "PB[Jürgen Müller]PW[François]", "declares ISO-8859-1 but has another encoding"),
    ("c09", "AB[ed][de][fe][ef]AW[ee]\n;B[aa];W[cc];B[gg])", "the chain at E5 stands without liberties"),
    ("c11", ";B[cc];W[];B[dd];W[gg])", "W[qq] is off the board: read as a pass"),
    ("c13", ";B[pd];W[dd];B[cp];W[];B[pp];W[])", ""),
    ("c14", ";B[ee];W[ee];B[gg])", "W[ee] is on a stone, which it replaces; played as recorded"),
    ("c16", "RU[Chinese]TO[3]\n;B[ee];W[gg];B[];W[])", ""),
    ("c18", "PL[B]", "PL[X] is read as Black"),
    ("c20", "RE[B+R]", "RE[黑中盘胜] is read as B+R"),
    ("c22", "SZ[19]", ""),
    ("c34", "PB[Ann]PW[Bob]\n;B[ee];W[gg])", ""),
]


@pytest.mark.parametrize(("name", "written", "said"), CONVERTED, ids=[name for name, _, _ in CONVERTED])
def test_a_case_is_repaired_once_and_that_is_said_by_every_face(
    name: str, written: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    file = case(name)
    flat = ["--flat"] if "TO[3]" not in file.read_text("utf-8") else []
    run(["convert", *flat, str(file), "-"])
    done = capfd.readouterr()
    assert written in done.out
    assert said in done.err
    assert bool(said) == bool(done.err)
    again = load(done.out.encode())
    assert dump(again.game, again.info) == done.out.encode()
    session = Session.opened(file.read_bytes(), torus=False if flat else None)
    assert [said in line for line in PlainGame(session).describe_game() if "line 1" in line or "declares" in line] == [
        True
    ] * bool(said)
    record = Talk().last(f"loadsgf {file}", "printsgf").text
    assert said in capfd.readouterr().err
    assert said.replace("]", "\\]").replace(":", "\\:") in record


def test_scores(capfd: pytest.CaptureFixture[str]) -> None:
    run(["score", "--flat", str(case("c01"))])
    assert "White wins by 7.5" in capfd.readouterr().out
    run(["score", "--flat", str(case("c17"))])
    assert "Black wins by 81" in capfd.readouterr().out
    with pytest.raises(SgfError, match="a chain stands here without liberties"):
        run(["score", str(case("c09"))])


def test_boards(capfd: pytest.CaptureFixture[str]) -> None:
    board = load(case("c09").read_bytes()).game.board
    assert (board.stones(BLACK).bit_count(), board.stones(WHITE).bit_count()) == (6, 2)
    assert load(case("c14").read_bytes()).game.board.colours[4 * 9 + 4] == WHITE
    run(["show", "--json", str(case("c18"))])
    assert json.loads(capfd.readouterr().out)["to_play"] == "black"


def test_input_as_people_type_it() -> None:
    person = PlainGame(Session(GameSetup(9)))
    first, second, _quit = case("c29").read_text("utf-8").splitlines()
    assert execute(person, first)[0] == "Black E5."
    assert execute(person, second)[0] == "White G3."
    use_language("zh")
    person = PlainGame(Session(GameSetup(9)))
    _open, passing, leaving, _quit = case("c32").read_text("utf-8").splitlines()
    assert execute(person, passing)[0] == "黑虚着。"
    execute(person, leaving)  # Nothing saves this game, so that leaving it is warned of once.
    execute(person, leaving)
    assert person.over


def test_fischer_time_and_the_cleanup_over_gtp() -> None:
    talk = Talk()
    told = talk.all(*case("c26").read_text("utf-8").splitlines())
    assert [answer.sign for answer in told] == ["="] * len(told)
    assert "fischer" in told[1].text.split()
    assert talk.player is not None
    (_, fischer), (_, byoyomi) = talk.player.asked
    moves = moves_left(81, 0)
    assert fischer == pytest.approx((20 + 2 * (moves - 1)) / moves, abs=0.2)
    assert byoyomi is not None
    assert 1.5 < byoyomi < 2


def test_the_search_finds_a_result_in_words(tmp_path: Path) -> None:
    library = Library(tmp_path / "games")
    library.import_files([case("c20")])
    entries = library.games().entries
    for query in ("result:b+", "result:b+r", "result:黑中盘胜"):
        assert len(library.search(query, entries)) == 1
    assert not library.search("result:w+", entries)
    library.close()
