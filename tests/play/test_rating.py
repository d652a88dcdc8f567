"""The rating against the computer: its formula, its file, and which games are rated."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import use_language
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Match
from daoqi_tui.play.players import PlayerTable, usual_net
from daoqi_tui.play.profile import GAMES, RATINGS, Played, Rating, Ratings, expected, rating_of
from daoqi_tui.play.session import PERSON, Computer, GameSetup, Session
from daoqi_tui.typed import STRONGEST, WEAKEST
from tests.play.quick import PlayerFactory

AS_BLACK = GameSetup(size=5, white_seat=Computer(3))


def test_the_rating_is_where_wins_and_losses_balance() -> None:
    games = [Played(4, 1), Played(5, 0), Played(4, 1), Played(5, 1), Played(6, 0)]
    rating = rating_of(games)
    with_first = [Played(4, 1), Played(4, 0), *games]
    assert sum(expected(rating, game.level) for game in with_first) == pytest.approx(4, abs=0.01)
    assert rating_of([*games, Played(6, 1)]) > rating > rating_of([*games, Played(4, 0)])


@pytest.mark.parametrize(("score", "level"), [(1, STRONGEST), (0, WEAKEST)])
def test_whoever_always_wins_or_loses_gets_a_level_that_there_is(score: float, level: int, tmp_path: Path) -> None:
    ratings = Ratings(tmp_path)
    for _ in range(GAMES + 5):
        rating = ratings.note(9, Played(level, score))
    assert rating.games == GAMES
    assert ratings.level(9, 5) == level


def test_numbers_below_zero_have_a_minus_sign_and_zero_has_none() -> None:
    assert Rating(9, -0.26, 11, -0.18).describe() == "Your rating on 9×9: level −0.3 (−0.2), 11 games"
    assert Rating(9, -0.04, 12, -0.04).describe() == "Your rating on 9×9: level 0.0 (+0.0), 12 games"


def test_sizes_are_rated_apart_and_the_file_brings_them_back(tmp_path: Path) -> None:
    ratings = Ratings(tmp_path / "data")
    assert ratings.of(9) is None
    assert ratings.level(9, 7) == 7
    first = ratings.note(9, Played(3, 1))
    assert first.change is None
    assert ratings.note(9, Played(4, 1)).change == pytest.approx(ratings.of(9).value - first.value)  # type: ignore[union-attr]
    ratings.note(16, Played(2, 0))
    ratings.save()
    again = Ratings(tmp_path / "data")
    assert again.of(9) == ratings.of(9)
    assert again.of(16) == ratings.of(16)
    assert again.of(13) is None


def test_another_end_of_the_same_game_replaces_the_first(tmp_path: Path) -> None:
    ratings = Ratings(tmp_path)
    ratings.note(9, Played(3, 0))
    lost = ratings.note(9, Played(3, 0))
    won = ratings.note(9, Played(3, 1), again=True)
    assert won.games == lost.games == 2
    assert won.value > lost.value


def test_the_words_have_the_signs_and_the_punctuation_of_the_language() -> None:
    assert Rating(9, -0.39, 20).describe() == "Your rating on 9×9: level −0.4, 20 games"
    assert Rating(9, 4.3, 7, 0.4).describe() == "Your rating on 9×9: level 4.3 (+0.4), 7 games"
    assert Rating(9, 2.0, 3, -0.01).describe() == "Your rating on 9×9: level 2.0 (+0.0), 3 games"
    use_language("zh")
    assert Rating(9, 1.04, 2, -0.2).describe() == "你在 9×9 棋盘上的等级分：1.0 级（−0.2），2 局"


def test_two_windows_keep_the_results_of_both(tmp_path: Path) -> None:
    one, other = (Ratings(tmp_path) for _ in range(2))
    assert one.of(9) is other.of(9) is None
    one.note(9, Played(3, 1))
    other.note(9, Played(5, 0))
    one.save()
    other.save()
    # The first window's game ends again with another result, which replaces its own and not the other window's.
    one.note(9, Played(3, 0), again=True)
    one.save()
    kept = json.loads((tmp_path / RATINGS).read_bytes())
    assert kept == {"9": [[5, 0], [3, 0]]}
    assert one.of(9) == Ratings(tmp_path).of(9)


def test_a_result_is_kept_for_another_try_while_the_file_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.touch()
    ratings = Ratings(folder)
    ratings.note(9, Played(3, 1))
    with pytest.raises(OSError, match="data"):
        ratings.save()
    folder.unlink()
    ratings.note(9, Played(4, 1))
    ratings.save()
    assert json.loads((folder / RATINGS).read_bytes()) == {"9": [[3, 1], [4, 1]]}


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"[" * 100_000, b'{"9": 3}', b'{"x": [[3, 1]]}', b'{"9": [[3, 2], [true, 1], [99, 1], [3], "3"]}'],
)
def test_a_file_that_makes_no_sense_is_left_out(data: bytes, tmp_path: Path) -> None:
    (tmp_path / RATINGS).write_bytes(data)
    assert Ratings(tmp_path).of(9) is None


@pytest.mark.parametrize("data", [b'{"9": [[3, 1], [4, 1]]', b"[]"])
def test_a_file_that_cannot_be_understood_is_set_aside(data: bytes, tmp_path: Path) -> None:
    (tmp_path / RATINGS).write_bytes(data)
    ratings = Ratings(tmp_path)
    ratings.note(9, Played(3, 1))
    ratings.save()
    assert json.loads((tmp_path / RATINGS).read_bytes()) == {"9": [[3, 1]]}
    assert (tmp_path / f"{RATINGS}.damaged").read_bytes() == data


class Game:
    """A game against a fake computer that plays the first legal point, saved below a folder."""

    def __init__(self, folder: Path, setup: GameSetup = AS_BLACK, session: Session | None = None) -> None:
        self.keeper = Keeper(Folders(folder / "journal", folder / "games"), lambda _failing: None)
        self.match = Match(
            session or Session(setup),
            partial(PlayerTable, lambda seat: PlayerFactory().make(seat, usual_net)),
            self.keeper,
        )
        self.match.start()

    async def play(self, moves: int = 5, *, other: bool = False) -> None:
        """Play moves as the human and let the computer reply; with ``other``, none that was already played there."""
        game = self.match.game
        for _ in range(moves):
            made = [child.move.point for child in game.node.children if child.move is not None] if other else []
            points = (point for point in reversed(range(25)) if point not in made)
            point = next(point for point in points if game.refusal(point) is None)
            assert self.match.play(point) is None
            if self.match.turns.due is not None:
                self.match.turns.make(await self.match.turns.ask())

    def saved(self) -> dict[str, list[list[float]]]:
        file = self.keeper.folders.library.parent / RATINGS
        found: dict[str, list[list[float]]] = json.loads(file.read_bytes()) if file.exists() else {}
        return found


async def test_a_game_against_the_computer_is_rated_when_it_ends(tmp_path: Path) -> None:
    game = Game(tmp_path)
    await game.play()
    assert game.match.rated is None
    game.match.resign(BLACK)
    assert game.match.rated is not None
    assert game.match.rated.value < 3
    assert game.saved() == {"5": [[3, 0]]}
    assert game.match.rated.describe() == f"Your rating on 5×5: level {game.match.rated.value:.1f}, 1 game"


async def test_a_resignation_that_play_goes_on_after_stays_rated(tmp_path: Path) -> None:
    game = Game(tmp_path)
    await game.play()
    game.match.resign(BLACK)
    assert game.match.resume() is None
    await game.play(1)
    game.match.resign(WHITE)
    assert game.saved() == {"5": [[3, 0]]}


async def test_a_win_counts_as_one(tmp_path: Path) -> None:
    game = Game(tmp_path)
    await game.play()
    game.match.resign(WHITE)
    assert game.saved() == {"5": [[3, 1]]}


@pytest.mark.parametrize(
    "help_", ["undo", "back", "move now", "seat", "hint", "short", "handicap", "komi", "seconds", "persons", "opened"]
)
async def test_with_help_or_without_a_computer_no_game_is_rated(help_: str, tmp_path: Path) -> None:
    setup, session = AS_BLACK, None
    if help_ == "handicap":
        setup = setup._replace(size=9, handicap=2, black_seat=Computer(3), white_seat=PERSON)
    elif help_ == "komi":
        setup = setup._replace(komi=-20)
    elif help_ == "seconds":
        setup = setup._replace(white_seat=Computer(3, seconds=0.1))
    elif help_ == "persons":
        setup = GameSetup(size=5)
    elif help_ == "opened":
        session = Session.opened(b"(;GM[1]SZ[5]TO[3];B[aa];W[bb])")
        session.sit(PERSON, Computer(3))
        session.game.goto(session.game.root.line()[-1])
    game = Game(tmp_path, setup, session)
    if game.match.turns.due is not None:
        game.match.turns.make(await game.match.turns.ask())
    await game.play(2 if help_ == "short" else 5)
    if help_ == "undo":
        game.match.undo()
        await game.play(1)
    elif help_ == "back":
        game.match.back(2)
        await game.play(1, other=True)
    elif help_ == "move now":
        game.match.move_now()
        game.match.turns.make(await game.match.turns.ask())
    elif help_ == "seat":
        await game.match.seat(None, Computer(1))
    elif help_ == "hint":
        game.match.note_help()
    game.match.resign(BLACK)
    assert game.match.rated is None
    assert game.saved() == {}


async def test_a_game_that_was_lost_is_not_replayed_until_it_is_won(tmp_path: Path) -> None:
    game = Game(tmp_path)
    await game.play()
    game.match.resign(BLACK)
    lost = game.match.rated
    game.match.back(4)
    await game.play(other=True)
    game.match.resign(WHITE)
    assert game.match.rated is lost
    assert game.saved() == {"5": [[3, 0]]}


async def test_looking_back_is_no_help(tmp_path: Path) -> None:
    game = Game(tmp_path)
    await game.play()
    game.match.back(3)
    game.match.forward(3)
    await game.play(1)
    game.match.resign(BLACK)
    assert game.match.rated is not None


async def test_another_game_is_rated_by_itself(tmp_path: Path) -> None:
    game = Game(tmp_path)
    await game.play()
    game.match.undo()
    game.match.begin(Session(AS_BLACK))
    assert not game.match.session.helped
    await asyncio.sleep(0)
    await game.play()
    game.match.resign(BLACK)
    assert game.match.rated is not None


@pytest.mark.parametrize("time", [None, TimeControl(600)])
@pytest.mark.parametrize("help_", ["", "hint at first", "hint", "undo", "back", "opened"])
async def test_a_game_that_was_helped_before_a_restart_is_not_rated_after_it(
    help_: str, time: TimeControl | None, tmp_path: Path
) -> None:
    session = None
    if help_ == "opened":
        session = Session.opened(b"(;GM[1]SZ[5]TO[3];B[aa];W[bb])")
        session.sit(PERSON, Computer(3))
        session.game.goto(session.game.root.line()[-1])
    game = Game(tmp_path, AS_BLACK._replace(time=time), session)
    if help_ == "hint at first":
        game.match.note_help()
    await game.play()
    if help_ == "hint":
        game.match.note_help()
    elif help_ == "undo":
        game.match.undo()
        await game.play(1)
    assert game.keeper.close()

    again = Game(tmp_path)
    (unfinished,) = again.keeper.unfinished().journals
    resumable = again.keeper.open(unfinished.path)
    again.keeper.take(resumable)
    again.match.begin(resumable.session)
    if help_ == "back":
        again.match.back(2)
        await again.play(1, other=True)
    again.match.resign(BLACK)
    assert (again.match.rated is None) == bool(help_)
