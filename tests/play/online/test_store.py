"""The store of accounts and ratings, in SQLite and in a real PostgreSQL."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import repeat

import pytest

pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

from sqlalchemy import create_engine, event, inspect, text

from daoqi_tui.message import Message
from daoqi_tui.play.online import store as module
from daoqi_tui.play.online.accounts import Account, ClaimError, RatedGame, Report, check_claim
from daoqi_tui.play.online.limits import DAY
from daoqi_tui.play.online.ratings import PERIOD, Rating, updated
from daoqi_tui.play.online.store import Store, StoreError
from tests.play.online.table import Time
from tests.thorough import rounds

GAME = RatedGame("abc/1", 9, "", "", "Ke", "Lu", "B+3.5", 40, 1000.0, True)
RECORD = "(;FF[4]GM[1]SZ[9])"


def two(store: Store) -> tuple[Account, Account]:
    return store.claim("Ke", "digest of ke", "ssh"), store.claim("Lu", "digest of lu", "link")


def played(black: Account, white: Account, number: int = 1, **changed: object) -> RatedGame:
    game = replace(GAME, name=f"abc/{number}", black=black.id, white=white.id)
    return replace(game, **changed)  # type: ignore[arg-type]


def test_a_name_belongs_to_one_account(address: str) -> None:
    store = Store(address)
    ke, _lu = two(store)
    assert store.opened_with("digest of ke") == ke
    assert store.named("ｋｅ") == ke
    assert store.opened_with("another") is None
    for taken in ("KE", " ke ", "K e", "Кe", "k-é", "Lu", "1u"):
        with pytest.raises(ClaimError, match="somebody is called"):
            store.claim(taken, f"digest of {taken!r}", "link")
    for wrong in ("", "x", "12", "a\u202eb", "\u3164\u3164", "Bot level 5", "BOT LEVE1 9", "Player", "a" * 25, "<b>"):
        with pytest.raises(ClaimError):
            store.claim(wrong, "digest", "link")
    with pytest.raises(ClaimError):
        store.claim("Nobody", "digest of ke", "link")
    assert {account.name for account in store.accounts()} == {"Ke", "Lu"}
    assert store.accounts("k") == [ke]
    assert store.accounts("%") == []
    store.close()


HOSTILE = (
    "'",
    "' OR '1'='1",
    "'; DROP TABLE accounts; --",
    "%",
    "_",
    "\\",
    "\0",
    "\ud800",
    "\udcff",
    "\u202e",
    "\U000e0041",
)


def hostile(chance: random.Random) -> str:
    """A text with signs that mean something in SQL, or nothing in a database, and sometimes a name that is known."""
    signs = (*HOSTILE, "Ke", "K", "\u0395", ":id", "?", "%s", "{}", "\U0001f600", "x" * 500)
    return "".join(chance.choice(signs) for _ in range(chance.randrange(4)))


def test_hostile_texts_find_nothing_and_are_kept_as_text(address: str) -> None:
    store, chance = Store(address, Time()), random.Random(3)
    ke, lu = two(store)
    store.record(played(ke, lu), RECORD)
    assert [store.games(name=f"{sign}Ke") for sign in HOSTILE] == [[]] * len(HOSTILE)
    doors: list[Callable[[str], object]] = [
        store.named,
        store.accounts,
        store.account,
        store.opened_with,
        store.ratings,
        store.record_of,
        store.turns_of,
        store.vacations,
        lambda text: store.games(text, name=text, winner=text),
        lambda text: store.claim(text, f"digest of {text}", "link"),
        lambda text: store.report(Report(text, text, text, text, text, text, text, 1.0)),
        lambda text: store.go_on_vacation(text, 2),
        lambda text: store.add_link(text, f"digest of {text}"),
        lambda text: store.rename(lu.id, text),
        lambda text: store.set_banned(lu.id, text),
        store.close_report,
        store.remove_links,
        store.delete,
        lambda text: store.record(replace(GAME, name=f"hostile {text}", black_name=text), text),
    ]
    for number in range(rounds(200, 10_000)):
        # The latter for what would belong to nobody.
        with suppress(ClaimError, module._ConflictError):
            doors[number % len(doors)](hostile(chance))
    # Those who were there before are as they were.
    assert store.account(ke.id) == store.opened_with("digest of ke") == ke
    assert [game.name for game in store.games(ke.id)] == ["abc/1"]
    # Others are called what anybody may be called.
    others = [each.name for each in store.accounts(most=10**6) if each.id not in (ke.id, lu.id)]
    assert [check_claim(name) for name in others] == others
    store.close()


def rated(games: list[RatedGame]) -> dict[tuple[str, int], list[Rating]]:
    """Return the ratings of each account on each size after each of its games, by their order alone."""
    found: dict[tuple[str, int], list[tuple[float, Rating]]] = {}
    for game in sorted(games, key=lambda game: (game.played, game.name)):
        score = {"B": 1.0, "W": 0.0, "0": 0.5}[game.result[0]]
        sides = (game.black, game.white)
        before = [found.get((side, game.size), [(game.played, Rating())])[-1] for side in sides]
        for side, own, other, won in zip(sides, before, before[::-1], (score, 1 - score), strict=True):
            periods = (game.played - own[0]) / PERIOD
            after = updated(own[1], [(other[1], won)], periods)
            found.setdefault((side, game.size), []).append((game.played, after))
    return {whose: [rating for _at, rating in ratings] for whose, ratings in found.items()}


@pytest.mark.parametrize("seed", range(4))
def test_ratings_are_a_function_of_the_games_and_the_order_in_which_they_ended(address: str, seed: int) -> None:
    """Whatever the order in which they are told, how often, and by how many servers at the same time."""
    chance, clock = random.Random(seed), Time()
    stores = [Store(address, clock) for _server in range(3)]
    for trial in range(rounds(2, 50)):
        people = [stores[0].claim(f"Player {trial} {each}", f"digest {trial} {each}", "link") for each in "abcdef"]
        games = []
        for number in range(24):
            black, white = chance.sample(people, 2)
            result = chance.choice(("B+3", "W+R", "0", "B+T"))
            ended = 1000.0 + PERIOD * chance.choice((number // 2, chance.uniform(0, 12)))
            games.append(
                played(black, white, 100 * trial + number, size=chance.choice((9, 9, 13)), result=result, played=ended)
            )
        told = [*games, *chance.sample(games, 8)]
        chance.shuffle(told)
        threads = [
            threading.Thread(target=lambda store, games: [*map(store.record, games, repeat(None))], args=(store, part))
            for store, part in zip(stores, (told[::3], told[1::3], told[2::3]), strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for (account, size), ratings in rated(games).items():
            found = [point.rating for point in stores[0].history(account, size)]
            assert [each.value for each in found] == pytest.approx([each.value for each in ratings])
            assert [each.deviation for each in found] == pytest.approx([each.deviation for each in ratings])
    for store in stores:
        store.close()


def test_a_game_that_is_told_late_is_rated_by_what_is_left_of_old_ones(address: str) -> None:
    clock = Time()
    store = Store(address, clock)
    ke, lu = two(store)
    games = [played(ke, lu, number, played=1000.0 + number * 300 * DAY) for number in range(3)]
    for game in (games[0], games[2]):
        store.record(game, None)
    clock.now = games[2].played + DAY
    store.prune()
    assert [game.name for game in store.games()] == [games[2].name]
    store.record(games[1], None)
    assert store.history(ke.id, 9)[-1].rating.value == pytest.approx(rated(games)[ke.id, 9][-1].value)
    store.close()


def test_a_game_that_cannot_be_rated_again_stays_as_it_was_rated(address: str) -> None:
    store = Store(address, Time())
    ke, lu = two(store)
    mo = store.claim("Mo", "digest of mo", "link")
    store.record(played(ke, lu, 1, played=1000.0), None)
    store.record(played(ke, mo, 3, played=3000.0), None)
    before = store.history(ke.id, 9)
    store.delete(mo.id)
    store.record(played(lu, ke, 2, played=2000.0), None)
    after = store.history(ke.id, 9)
    assert after[:2] == before
    assert len(after) == 3
    store.close()


def test_a_game_is_counted_once_however_often_it_is_told(address: str) -> None:
    store = Store(address, Time())
    ke, lu = two(store)
    game = played(ke, lu)
    told: list[bool] = []
    threads = [threading.Thread(target=lambda: told.append(store.record(game, RECORD))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == [False, False, False, True]
    # Another server, or this one after a restart.
    again = Store(address, Time())
    assert not again.record(replace(game, result="W+R"), RECORD)
    won, lost = updated(Rating(), [(Rating(), 1)], 0), updated(Rating(), [(Rating(), 0)], 0)
    assert [point.rating for point in again.history(ke.id, 9)] == [won]
    assert [point.rating for point in again.history(lu.id, 9)] == [lost]
    assert again.ratings(ke.id)[9].value == pytest.approx(won.value)
    assert [account.name for account, _rating in again.ranked(9)] == ["Ke", "Lu"]
    assert again.ranked(13) == []
    store.close()
    again.close()


def test_each_game_counts_from_the_ratings_before_it(address: str) -> None:
    clock = Time()
    store = Store(address, clock)
    ke, lu = two(store)
    expected = {ke.id: Rating(), lu.id: Rating()}
    for number, (black, white, result, score) in enumerate(
        [(ke, lu, "B+R", 1.0), (lu, ke, "W+T", 0.0), (ke, lu, "0", 0.5), (ke, lu, "Void", None)], 1
    ):
        assert store.record(played(black, white, number, result=result, played=clock.now), RECORD)
        if score is not None:
            before = dict(expected)
            expected[black.id] = updated(before[black.id], [(before[white.id], score)], 0)
            expected[white.id] = updated(before[white.id], [(before[black.id], 1 - score)], 0)
    for account in (ke, lu):
        history = store.history(account.id, 9)
        assert len(history) == 3
        assert history[-1].rating.value == pytest.approx(expected[account.id].value)
    # In a year without a game, the rating grows less certain.
    clock.now += 365 * DAY
    assert store.ratings(ke.id)[9].deviation > expected[ke.id].deviation
    store.close()


def test_games_are_found_by_name_size_and_result(address: str) -> None:
    store = Store(address, Time())
    ke, lu = two(store)
    store.record(played(ke, lu, 1, size=9, result="B+R", played=1.0), RECORD)
    store.record(played(lu, ke, 2, size=13, result="W+0.5", played=2.0, black_name="Lu", white_name="Ke"), RECORD)
    names = lambda **asked: [game.name for game in store.games(**asked)]  # noqa: E731
    assert names() == names(player=ke.id) == ["abc/2", "abc/1"]
    assert names(name="lu") == ["abc/2", "abc/1"]
    assert names(name="_") == names(name="nobody") == names(player="aaaa") == []
    assert names(size=13) == names(winner="W") == ["abc/2"]
    assert store.record_of("abc/1") == RECORD
    assert store.record_of("abc/9") is None
    store.close()


def test_an_account_has_a_few_links_and_those_of_others_stay(address: str) -> None:
    clock = Time()
    store = Store(address, clock)
    ke, lu = two(store)
    for number in range(15):
        clock.now += 1
        store.add_link(ke.id, f"link {number}")
    assert store.opened_with("link 0") is None
    assert store.opened_with("link 14") == ke
    store.remove_links(ke.id)
    assert store.opened_with("link 14") is None
    assert store.opened_with("digest of ke") == ke
    assert store.opened_with("digest of lu") == lu
    store.close()


def test_years_of_abuse_keep_it_bounded(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ACCOUNTS", 12)
    monkeypatch.setattr(module, "RECORDS", 3)
    clock = Time()
    store = Store(address, clock)
    ke, lu = two(store)
    refused = 0
    for day in range(0, 2 * 365, 30):
        clock.now += 30 * DAY
        store.opened_with("digest of ke"), store.opened_with("digest of lu")
        store.record(played(ke, lu, day, played=clock.now), RECORD)
        for number in range(9):
            try:
                store.claim(
                    f"Sock {'abcdefghklmnopqrstuvwxyz'[day // 30 % 23]}{day}{number}", f"{day} {number}", "link"
                )
            except ClaimError as error:
                refused += "room" in str(error)
        store.prune()
        assert len(store.accounts()) <= 12
    assert refused
    assert {"Ke", "Lu"} <= {account.name for account in store.accounts()}
    games = store.games(most=1000)
    assert [game.has_record for game in games[:4]] == [True, True, True, False]
    assert len(games) <= 365 // 30 + 1
    ratings = store.ratings(ke.id)
    # Neither comes back with a name, nor does the rating go with its games.
    clock.now += 3 * 365 * DAY
    assert store.ratings(ke.id)[9].value == pytest.approx(ratings[9].value)
    store.prune()
    assert store.accounts() == []
    store.close()


def test_tables_that_a_database_has_not_are_made_and_those_that_it_has_are_kept(address: str) -> None:
    engine = create_engine(module._read_address(address))
    with engine.begin() as db:
        module._ACCOUNTS.create(db)
        db.execute(text("INSERT INTO accounts (id, name, claimed, created, seen) VALUES ('aa', 'Ke', 'ke', 1, 2)"))
    store = Store(address)
    assert store.named("Ke") == Account("aa", "Ke", created=1, seen=2)
    store.close()
    assert {*inspect(engine).get_table_names()} == {*module._TABLES.tables}
    engine.dispose()


def test_a_database_of_an_older_version_is_of_the_current_one_once_it_has_all_tables(address: str) -> None:
    engine = create_engine(module._read_address(address))
    with engine.begin() as db:
        module._VERSION.create(db)
        db.execute(text("INSERT INTO version (version) VALUES (3)"))
    Store(address).close()
    with engine.begin() as db:
        assert db.scalars(text("SELECT version FROM version")).all() == [module._FORMAT]
    engine.dispose()


def test_a_newer_version_is_left_alone(address: str) -> None:
    Store(address).close()
    engine = create_engine(module._read_address(address))
    with engine.begin() as db:
        db.execute(text("UPDATE version SET version = 1000"))
    engine.dispose()
    with pytest.raises(StoreError, match="newer version"):
        Store(address)


@pytest.mark.parametrize(
    "wrong", ["", "x", "mysql://h/x", "sqlite://", "postgresql://ke:secret@127.0.0.1:1/none", "sqlite:////proc/no/x.db"]
)
def test_an_address_that_leads_nowhere_is_one_sentence_without_the_password(wrong: str) -> None:
    with pytest.raises(StoreError) as raised:
        Store(wrong)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value.args[0], Message)


def test_nothing_that_opens_an_account_is_shown_by_an_error(address: str) -> None:
    store = Store(address)
    ke, _lu = two(store)
    engine = create_engine(module._read_address(address))
    with engine.begin() as db:
        db.execute(text("ALTER TABLE credentials RENAME TO gone"))
    engine.dispose()
    with pytest.raises(StoreError) as raised:
        store.add_link(ke.id, "digest of a secret")
    assert "digest of" not in repr(raised.value)
    assert raised.value.__cause__ is None
    store.close()


def test_a_connection_with_which_a_thread_works_while_the_store_is_closed_is_closed_after_that(address: str) -> None:
    store = Store(address)
    opened: list[str] = []
    event.listen(store._engine, "connect", lambda *_: opened.append("opened"))
    event.listen(store._engine, "close", lambda *_: opened.pop())
    with store._transaction() as db:
        db.execute(text("SELECT 1"))
        opened.append("the first, made before anybody listened")
        store.close()
    assert not opened
    # A thread that begins late does its work as well, and leaves nothing.
    assert store.accounts() == []
    assert not opened
