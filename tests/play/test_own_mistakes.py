"""Problems made of a player's own mistakes: what is right in them, which positions are one, and how they are kept."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from textual.widgets import Button

from daoqi_tui.ai import Candidate
from daoqi_tui.analysis.problems import Origin, Problem
from daoqi_tui.cli.lab import run_problems
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Game, Node
from daoqi_tui.i18n import use_language
from daoqi_tui.paths import mistakes_file
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame, PlainKeeper
from daoqi_tui.play import problem_files
from daoqi_tui.play.evaluation import EvaluatedMove, Evaluation, Evaluations, evaluated_moves
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.problem_files import keep_mistakes, key_of, known_mistakes, read_collection, record_of
from daoqi_tui.play.problems import (
    Attempt,
    Practice,
    Progress,
    ProgressFile,
    describe_answer,
    describe_origin,
    due_mistakes,
    progress_file,
)
from daoqi_tui.play.review import own_colours, problems_of
from daoqi_tui.play.session import PERSON, Computer, GameSetup, Session
from daoqi_tui.reading.symmetry import Symmetry
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.text import SgfError
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.problems.screen import ProblemList, ProblemScreen
from daoqi_tui.tui.features.program.welcome import WelcomeScreen
from tests.tui.driving import Person, until

SIZE = 5
BOTH = BLACK, WHITE


def judged_game(seed: int, moves: int = 12, size: int = SIZE) -> tuple[Session, Evaluations]:
    """Return a game of random moves; its evaluations have random figures for random moves, the played one at times."""
    chance = random.Random(seed)
    game, evaluations = Game(size), Evaluations()
    lead = 0.0
    while game.node.number < moves:
        legal = [point for point in range(size**2) if game.board.refusal(point) is None]
        played = chance.choice(legal)
        others = chance.sample(legal, min(len(legal), 6))
        mover = game.to_move
        sign = 1 if mover == BLACK else -1
        leads = sorted((chance.uniform(-6, 0) for _ in others), reverse=True)
        lines = tuple(
            Candidate(move, 50 - place, 0.5, (move, chance.choice(legal)), lead + sign * (less - leads[0]))
            for place, (move, less) in enumerate(zip(others, leads, strict=True))
        )
        evaluations.note(game.node, Evaluation(0.5, lead, 60, "network", lines=lines), record=False)
        game.play(played)
        lead -= sign * chance.choice((0, 0, 5, 12))
    evaluations.note(game.node, Evaluation(0.5, lead, 60, "network"), record=False)
    return Session(game=game), evaluations


def judge(session: Session, evaluations: Evaluations) -> list[EvaluatedMove]:
    return evaluated_moves(session.game.node.path(), evaluations, session.game.torus.size)


def test_a_kept_mistake_describes_its_game_in_the_language_of_now(kept: Path) -> None:
    session, evaluations = judged_game(1)
    session.info = Info(black="Computer 5", black_rank="", white="Computer 15", white_rank="3d", date="2026-11-30")
    keep_mistakes(problems_of(judge(session, evaluations), session, BOTH), kept)
    before = kept.read_bytes()
    assert b"PW[Computer 15 3d]DT[2026-11-30]" in before
    assert "Computer 5 (Black) – Computer 15 3d (White), 5×5, move " in describe_origin(known_mistakes(kept)[0])
    use_language("zh")
    described = [describe_origin(problem) for problem in known_mistakes(kept)]
    assert described
    assert all("电脑 5 级" in text for text in described)
    assert all("Computer 15 3d" in text and text.endswith("2026-11-30") for text in described)
    assert len({text.split("手")[0] for text in described}) == len(described), "each has its own number"
    keep_mistakes([replace(problem, visits=10**6) for problem in known_mistakes(kept)[:1]], kept)
    use_language("en")
    assert kept.read_bytes() != before
    assert "Computer 5 (Black) – " in describe_origin(known_mistakes(kept)[0])


def test_a_mistake_that_was_kept_as_a_text_is_described_by_it() -> None:
    (card, *_more) = cards_of(1)
    old = replace(card, origin=None, comment="黑方 对 白方")
    (read,) = read_collection(record_of(old)).problems
    assert describe_origin(read) == "黑方 对 白方"


def test_nobody_is_said_to_have_passed_where_a_position_was_set_up() -> None:
    card = replace(cards_of(1)[0], target=PASS, origin=Origin("A", "B", "", 5))
    assert describe_origin(card) == "A (Black) – B (White), 5×5, move 5"


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 99])
def test_a_number_that_is_none_leaves_no_origin(number: str) -> None:
    data = record_of(replace(cards_of(1)[0], origin=Origin("A", "B", "", 5)))
    (read,) = read_collection(data.replace(b"DQMN[5]", f"DQMN[{number}]".encode())).problems
    assert read.origin is None


def test_a_record_names_a_computer_in_the_language_of_now_and_stays_as_it_is() -> None:
    session = Session.opened(b"(;GM[1]SZ[9]TO[3]PB[Computer 5]PW[Computer 15];B[aa];W[ia])")
    resumed = Session(GameSetup(9, black="Computer 5"))
    use_language("zh")
    assert [session.player(colour) for colour in BOTH] == ["电脑 5 级", "Computer 15"]
    assert b"PB[Computer 5]PW[Computer 15]" in session.record()
    assert resumed.player(BLACK) == "电脑 5 级"
    assert b"PB[Computer 5]" in resumed.record()


def cards_of(seed: int, colours: tuple[Colour, ...] = BOTH, **how: int) -> list[Problem]:
    session, evaluations = judged_game(seed, **how)
    return problems_of(judge(session, evaluations), session, colours)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "data" / "mistakes.sgf"


def expected(evaluations: Evaluations, node: Node) -> set[int]:
    """Return the moves that lose less than 1.5 points by the figures of a review, but for the move of the game."""
    found = evaluations.found_here(node.parent) if node.parent is not None else None
    assert found is not None
    assert node.move is not None
    black = node.move.colour == BLACK
    leads = {line.move: line.margin if black else -line.margin for line in found.lines}
    best = leads[found.lines[0].move]
    return {move for move, lead in leads.items() if best - lead < 1.5} - {node.move.point}


def test_right_is_exactly_what_the_figures_of_the_review_allow(kept: Path) -> None:
    tried = 0
    for seed in range(12):
        session, evaluations = judged_game(seed)
        evaluated = judge(session, evaluations)
        bad = [move for move in evaluated if move.lost >= 3 and move.node.number > 1]
        here = session.game.node
        problems = problems_of(evaluated, session, BOTH)
        assert session.game.node is here
        assert len(problems) == len(bad)
        kept.unlink(missing_ok=True)
        keep_mistakes(problems, kept)
        for move, problem in zip(bad, known_mistakes(kept), strict=True):
            right = expected(evaluations, move.node)
            assert right
            for point in (*range(SIZE**2), PASS):
                attempt = Attempt(problem)
                answer = attempt.play(point)
                if answer.kind == "refused":
                    continue
                assert (answer.kind == "solved") == (point in right), point
                assert describe_answer(answer, attempt)
                tried += 1
    assert tried > 400


def test_the_same_review_twice_makes_no_second_card_and_a_deeper_one_replaces_the_answers(kept: Path) -> None:
    first = cards_of(1)
    assert keep_mistakes(first, kept) == len(first) > 1
    before = kept.read_bytes()
    assert keep_mistakes(cards_of(1), kept) == 0
    assert kept.read_bytes() == before
    deeper = [replace(problem, visits=500, steps=(problem.steps[0], problem.steps[-1])) for problem in first[:1]]
    assert keep_mistakes(deeper, kept) == 0
    assert [step.move for step in known_mistakes(kept)[0].steps] == [step.move for step in deeper[0].steps]
    assert keep_mistakes(first, kept) == 0
    assert known_mistakes(kept)[0].visits == 500, "a shallower review changes nothing"


@pytest.mark.parametrize("index", [1, 7, 30, 99, 150])
def test_a_position_is_one_card_up_to_the_symmetries_of_the_torus(index: int, kept: Path) -> None:
    first = cards_of(2)
    symmetry = Symmetry.from_index(SIZE, index)
    images = []
    for problem in first:
        black, white = (symmetry.mask(stones) for stones in (problem.position.black, problem.position.white))
        images.append(replace(problem, target=PASS, position=replace(problem.position, black=black, white=white)))
    assert [key_of(image) for image in images] == [key_of(problem) for problem in first]
    assert keep_mistakes(first, kept) > 0
    assert keep_mistakes(images, kept) == 0
    turned = [replace(image, position=replace(image.position, to_move=3 - image.position.to_move)) for image in images]
    assert set(map(key_of, turned)).isdisjoint(map(key_of, first)), "the side to move counts"


def test_what_cannot_be_written_or_read_leaves_the_cards(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_mistakes(cards_of(1), kept)
    before = kept.read_bytes()
    with monkeypatch.context() as patch:

        def full(_path: Path, _data: bytes) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr(problem_files, "write_atomically", full)
        with pytest.raises(OSError, match="No space"):
            keep_mistakes(cards_of(2), kept)
    assert kept.read_bytes() == before
    kept.write_bytes(b"not a record")
    with pytest.raises(SgfError):
        keep_mistakes(cards_of(2), kept)
    assert kept.read_bytes() == b"not a record"


def test_the_sides_of_the_user_are_those_without_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(black: str, white: str, **seats: object) -> tuple[Colour, ...]:
        session = Session(GameSetup(9, black=black, white=white, **seats))  # type: ignore[arg-type]
        return own_colours(session, session.persons)

    assert own("", "") == BOTH
    assert own("Ke", "Go") == ()
    assert own("", "Computer, level 5") == (BLACK,)
    assert own("Ke", "", black_seat=PERSON, white_seat=Computer(5)) == (BLACK,)
    monkeypatch.setenv("DAOQI_TUI_PLAY_NAME", "Go")
    assert own("Ke", "Go") == (WHITE,)


@pytest.fixture
def hundred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Problem, ...]:
    """Keep the mistakes of 20 games among the user's problems."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    found = [problem for seed in range(20) for problem in cards_of(seed, moves=24, size=7)]
    assert len(set(map(key_of, found))) == keep_mistakes(found, mistakes_file()) >= 100
    return known_mistakes(mistakes_file())


async def test_a_hundred_cards_from_twenty_games_come_in_all_faces(
    hundred: tuple[Problem, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count = len(hundred)
    session, folders = Session(game=Game(9)), Folders(tmp_path / "journal", tmp_path / "library")
    person = PlainGame(session, keeper=PlainKeeper(session, folders))
    assert next(iter(person.greeting())) == f"{count} of your mistakes are due: type problem mistakes."
    listed = f"Mistakes in your games: {count} problems, 0 solved, {count} due. Type problem mistakes."
    assert execute(person, "problem")[0] == listed
    assert execute(person, "problem mistakes")[0] == "Mistakes in your games, on 7 by 7."
    person.close()
    assert run_problems(parser_for().parse_args(["problems", "list"])) == 0
    assert f"{count} of your mistakes are due\nMistakes in your games: {count}\n" in capsys.readouterr().out
    practice = Practice(hundred, ProgressFile(None))
    seen = set()
    for _card in hundred:
        seen.add(key_of(practice.problem))
        assert practice.play(practice.problem.right[0]).kind == "solved"
        practice.next()
    assert len(seen) == practice.solved == count
    app = DaoqiApp(Session(GameSetup(9)), folders=folders, offer_resume=False)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = Person(app, pilot)
        await screen.screen.commands._mention_due()
        assert screen.status.startswith(f"{count} of your mistakes are due  ·  F7: problems")
        screen.screen.handlers["welcome"]()
        await until(screen, lambda: isinstance(app.screen, WelcomeScreen))
        await screen.wait()
        assert f"{count} of your mistakes are due" in str(app.screen.query_one("#problems", Button).label)
        await screen.press("p")
        await until(screen, lambda: isinstance(app.screen, ProblemList))
        assert f"{count} problems" in str(screen.open(ProblemList)._rows()[1])
        await screen.wait()
        await screen.press("enter")
        await until(screen, lambda: isinstance(app.screen, ProblemScreen))
        problem = screen.open(ProblemScreen)
        attempt = problem.practice.attempt
        assert attempt.problem.kind == "mistake"
        problem.play_at(attempt.right[0])
        await until(screen, lambda: Progress.read(progress_file()).records)
        assert attempt.solved
        assert "In the game you played" in problem._said.plain
    assert due_mistakes(date.today()) == count - 1
