"""The life of tables, without a server: what is adjourned, archived, listed and refused, and a year of abuse."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daoqi_tui.play.online.limits import DAY, Limits, Rate, Sight, Tables
from tests.thorough import rounds

LIMITS = Limits(games=8, kept=4, tables_per_address=3, tables_per_key=2)
HOUR = 3600.0


def steps(tables: Tables, now: float) -> dict[str, str]:
    return dict(tables.due(now))


def test_a_table_without_players_is_adjourned_and_then_archived_at_the_stated_times() -> None:
    tables = Tables(LIMITS)
    for name, begun in (("waiting", False), ("played", True)):
        tables.add(name, 0.0, "a")
        tables.see(name, Sight(1, begun), 100.0)
        tables.see(name, Sight(0, begun), 101.0)
    assert steps(tables, 100 + LIMITS.absent) == {}
    assert steps(tables, 101 + LIMITS.absent) == {"waiting": "adjourn", "played": "adjourn"}
    for name in ("waiting", "played"):
        tables.adjourn(name)
    assert steps(tables, 100 + LIMITS.forgotten) == {}
    assert steps(tables, 101 + LIMITS.forgotten) == {"waiting": "archive"}
    tables.remove("waiting")
    assert steps(tables, 100 + LIMITS.archived) == {}
    assert steps(tables, 101 + LIMITS.archived) == {"played": "archive"}


@pytest.mark.parametrize("seen", [Sight(2), Sight(2, begun=True), Sight(1), Sight(0, begun=True, timed=True)])
def test_a_table_with_a_player_or_a_running_clock_is_not_adjourned(seen: Sight) -> None:
    tables = Tables(LIMITS)
    tables.add("one", 0.0)
    tables.see("one", seen, 0.0)
    assert steps(tables, 1000 * DAY) == {}


def test_who_looks_after_a_table_without_sitting_down_does_not_make_it_last() -> None:
    tables = Tables(LIMITS)
    tables.add("one", 0.0)
    tables.adjourn("one")
    tables.wake("one", LIMITS.forgotten)
    assert steps(tables, LIMITS.forgotten + LIMITS.absent) == {}
    assert not tables.is_listed("one", LIMITS.forgotten)
    assert steps(tables, LIMITS.forgotten + LIMITS.absent + 1) == {"one": "adjourn"}
    tables.adjourn("one")
    assert steps(tables, LIMITS.forgotten + 1) == {"one": "archive"}


def test_after_a_restart_a_table_without_a_move_is_listed_once_a_player_is_back() -> None:
    tables = Tables(LIMITS)
    for name, seen in (("waiting", Sight()), ("played", Sight(begun=True)), ("offered", Sight(offered=True))):
        tables.add(name, LIMITS.offered, left=LIMITS.offered - 1, seen=seen)
        tables.wake(name, LIMITS.offered)
    assert [name for name in tables.lives if tables.is_listed(name, LIMITS.offered)] == ["played", "offered"]
    # Being offered lasts no longer for a restart.
    assert not tables.is_listed("offered", 2 * LIMITS.offered)
    tables.sit("waiting", 0, "a", LIMITS.offered)
    assert tables.is_listed("waiting", LIMITS.offered)


def test_a_table_is_listed_while_somebody_is_there_and_for_a_while_without_a_move() -> None:
    tables = Tables(LIMITS)
    tables.add("one", 0.0)
    tables.see("one", Sight(1), LIMITS.first_move)
    assert tables.is_listed("one", LIMITS.first_move)
    tables.see("one", Sight(1), LIMITS.first_move + 1)
    assert not tables.is_listed("one", LIMITS.first_move + 1)
    tables.sit("one", 0, "a", LIMITS.first_move + 1)
    assert tables.is_listed("one", LIMITS.first_move + 1)
    tables.see("one", Sight(2, begun=True), 10 * DAY)
    assert tables.is_listed("one", 10 * DAY)
    assert not tables.is_listed("one", 10 * DAY + LIMITS.absent + 1)


def test_an_address_and_a_key_hold_a_number_of_unfinished_tables_in_use() -> None:
    tables = Tables(LIMITS)
    for number in range(3):
        tables.add(f"{number}", 0.0, "a")
        tables.see(f"{number}", Sight(1, keys=(f"{number}", "same" if number < 2 else "")), 0.0)
    assert tables.refuses("a")
    assert not tables.refuses("a", at="1"), "a guest at one of its own tables needs no more"
    assert not tables.refuses("b", "other")
    assert tables.refuses("b", "same")
    assert not tables.refuses(""), "this computer is not an address"
    tables.see("0", Sight(1, over=True), 0.0)
    assert not tables.refuses("a")
    tables.adjourn("1")
    assert not tables.refuses("b", "same")


def test_the_last_quarter_is_for_those_who_hold_no_table() -> None:
    tables = Tables(LIMITS)
    for number in range(6):
        tables.add(f"{number}", 0.0, f"{number}")
    assert not tables.has_room("1")
    assert tables.has_room("new")
    assert tables.has_room("")


def test_what_gives_way_is_the_oldest_table_without_a_move_of_who_holds_the_most() -> None:
    tables = Tables(LIMITS)
    assert tables.giving_way() is None
    for name, address, seen, left in (
        ("present", "b", Sight(1), 0.0),
        ("timed", "b", Sight(0, begun=True, timed=True), 0.0),
        ("played", "b", Sight(0, begun=True), 0.0),
        ("alone", "a", Sight(), 0.0),
        ("newer", "b", Sight(), 6.0),
        ("older", "b", Sight(), 5.0),
    ):
        tables.add(name, left, address)
        tables.see(name, seen, left)
    order = []
    while (name := tables.giving_way()) is not None:
        order.append(name)
        tables.adjourn(name)
    assert order == ["older", "newer", "alone", "played", "timed"]


def test_too_many_adjourned_tables_are_archived_from_who_has_the_most() -> None:
    tables = Tables(LIMITS)
    for number in range(4):
        tables.add(f"a{number}", float(number), "a")
    tables.add("b", 0.0, "b")
    tables.add("unknown", 0.0, left=0.0)
    for name in tables.lives:
        tables.see(name, Sight(0, begun=True), 0.0)
        tables.adjourn(name)
    assert steps(tables, 10.0) == {"a0": "archive", "a1": "archive"}


# A year of abuse. The bookkeeping of this world is its own; of the program it takes the decisions alone.


@dataclass
class Game:
    address: str
    honest: bool
    since: float
    present: set[int] = field(default_factory=set)
    guest: str = ""
    moves: int = 0
    over: bool = False
    clock: float = 0.0
    """When a running clock ends the game, 0 without a clock."""
    warned: float = 0.0
    where: str = "used"


class World:
    """A server of tables with hostile and honest people."""

    def __init__(self, limits: Limits, seed: int) -> None:
        self.limits, self.now, self.chance = limits, 0.0, random.Random(seed)
        self.tables = Tables(limits)
        self.games: dict[str, Game] = {}
        self.library: list[str] = []
        self.played: set[str] = set()
        self.rates = (Rate(limits.opened, lambda: self.now), Rate(limits.opened_daily, lambda: self.now, DAY))
        self.count = self.refused = self.gave_way = 0

    def look(self) -> None:
        for name, game in self.games.items():
            if game.moves:
                self.played.add(name)
            if game.where == "used":
                timed = bool(game.clock) and bool(game.guest) and not game.over
                if timed and self.now > game.clock:
                    game.over, timed = True, False
                keys = (f"host of {name}", "squatter" if game.guest and not game.honest else "")
                self.tables.see(name, Sight(len(game.present), game.moves > 0, game.over, timed, keys), self.now)

    def adjourn(self, name: str) -> None:
        game = self.games[name]
        assert not game.present, "players were there"
        game.where = "adjourned"
        self.tables.adjourn(name)

    def archive(self, name: str) -> None:
        game = self.games.pop(name)
        assert game.where == "adjourned"
        if game.moves:
            self.library.append(name)
        self.tables.remove(name)

    def make_room(self, address: str) -> bool:
        self.look()
        if self.tables.has_room(address):
            return True
        name = self.tables.giving_way()
        if name is None:
            return False
        self.gave_way += 1
        self.adjourn(name)
        return True

    def host(self, address: str, *, honest: bool = False, clock: float = 0.0) -> str | None:
        if self.tables.refuses(address) or not all(rate.allows(address) for rate in self.rates):
            self.refused += 1
            return None
        if not self.make_room(address):
            self.refused += 1
            return None
        for rate in self.rates:
            rate.count(address)
        self.count += 1
        name = f"{self.count}"
        self.games[name] = Game(address, honest, self.now, clock=self.now + clock if clock else 0.0)
        self.tables.add(name, self.now, address)
        return name

    def sit(self, name: str, seat: int, address: str) -> bool:
        game = self.games.get(name)
        if game is None:
            return False
        if seat == 1 and not game.guest:
            self.look()
            if self.tables.refuses(address, "" if game.honest else "squatter", at=name):
                self.refused += 1
                return False
            game.guest = address
        if game.where == "adjourned":
            # The key of a seat is never refused.
            self.make_room("")
            game.where = "used"
            self.tables.wake(name, self.now)
        game.present.add(seat)
        self.tables.sit(name, seat, address, self.now)
        self.look()
        return True

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.look()
        # As often as the tables change their state, since the server looks several times a second.
        for _ in range(3):
            for name, step in list(self.tables.due(self.now)):
                (self.adjourn if step == "adjourn" else self.archive)(name)

    def check(self) -> None:
        used = [game for game in self.games.values() if game.where == "used"]
        assert len(used) <= self.limits.games + sum(bool(game.present) for game in used)
        assert sum(game.where == "adjourned" for game in self.games.values()) <= self.limits.kept
        assert set(self.tables.lives) == set(self.games)

    def abuse(self) -> None:
        """Do something that no honest player does as often."""
        address = f"evil {self.chance.randrange(40)}"
        mine = [name for name, game in self.games.items() if game.address == address]
        bots = sum(len(game.present) for game in self.games.values() if not game.honest)
        match self.chance.randrange(8):
            case 0 | 1 | 2:
                for _ in range(6):
                    self.host(address, clock=self.chance.choice((0.0, 0.0, 4000.0)))
            case 3:
                if mine and bots < self.limits.games // 4:
                    self.sit(self.chance.choice(mine), self.chance.randrange(2), address)
            case 4:
                for name in self.chance.sample(mine, min(3, len(mine))):
                    if self.games[name].where == "used":
                        self.games[name].moves += 1
            case 5:
                for name in self.chance.sample(sorted(self.games), min(5, len(self.games))):
                    game = self.games[name]
                    if not game.honest:
                        game.present.clear()
            case 6:
                # Guests of strangers' tables who do not stay.
                for name in self.chance.sample(sorted(self.games), min(3, len(self.games))):
                    if not self.games[name].guest and self.sit(name, 1, address):
                        self.games[name].present.discard(1)
            case 7:
                # Claims: a warning, and after that the win.
                for name in mine:
                    game = self.games[name]
                    if game.present == {0} and game.moves and not game.over and not game.clock:
                        if game.warned and self.now - game.warned > self.limits.warning:
                            game.over = True
                        game.warned = game.warned or self.now


@pytest.mark.parametrize("seed", range(rounds(1, 10)))
def test_a_year_of_abuse_leaves_room_for_honest_hosts_and_loses_nothing(seed: int) -> None:
    limits = Limits(games=rounds(16, 40), kept=rounds(200, 500))
    world = World(limits, seed)
    letters = world.host("letter 0", honest=True)
    assert letters is not None
    assert world.sit(letters, 1, "letter 1")
    world.games[letters].moves = moved = 1
    world.games[letters].present.clear()
    live: list[tuple[str, float]] = []
    hosted = 0
    step, turn = rounds(12, 4) * HOUR, 0
    while world.now < 365 * DAY:
        turn += 1
        for _ in range(rounds(6, 15)):
            world.abuse()
        # Two play by letter: each comes for a move every few days, and never both at once.
        if turn % 20 == 0:
            seat = turn // 20 % 2
            assert world.sit(letters, seat, f"letter {seat}"), "the game by letter is gone"
            world.games[letters].moves += 1
            moved += 1
        elif turn % 20 == 1:
            world.games[letters].present.clear()
        # Two play at once, some of them without a move for hours; a stranger may have taken the guest's seat.
        name = world.host(f"honest {turn}", honest=True)
        assert name is not None, f"no room at {world.now / DAY:.1f} days"
        hosted += 1
        assert world.sit(name, 0, f"honest {turn}")
        assert world.sit(name, 1, f"friend {turn}")
        live.append((name, world.now + world.chance.choice((HOUR, 3 * HOUR))))
        world.pass_time(step * world.chance.random() * 2)
        for game in [world.games.get(name) for name, _until in live]:
            assert game is not None, "a game with both players was removed"
            assert game.where == "used", "a game with both players was adjourned"
            game.moves += world.chance.randrange(2)
        for name, until in tuple(live):
            if world.now > until:
                live.remove((name, until))
                world.games[name].over = world.chance.random() < 0.7
                world.games[name].present.clear()
        world.check()
    # Nothing is lost: what had a move is in use, adjourned or in the library.
    for game in world.games.values():
        game.present.clear()
    played = {name for name, game in world.games.items() if game.moves}
    assert len(world.library) == len(set(world.library))
    assert not played & set(world.library)
    assert world.played <= played | set(world.library)
    assert letters in played
    assert world.games[letters].moves == moved
    assert hosted > 500
    assert world.gave_way > 500
    assert world.refused > 1000


def test_the_times_of_tables_are_those_in_the_docs() -> None:
    limits = Limits()
    for page in ("docs/online.md", "docs/zh-CN/online.md"):
        text = " ".join((Path(__file__).parents[3] / page).read_text("utf-8").split())
        for number in (
            f"{limits.first_move / HOUR:g} ",
            f"{limits.absent / 60:g} ",
            f"{limits.forgotten / DAY:g} ",
            f"{limits.offered / DAY:g} ",
            f"{limits.archived / DAY:g} ",
            f"{limits.away / 60:g} ",
            f"{limits.warning / HOUR:g} ",
            *map(str, (limits.games, limits.kept, limits.tables_per_address, limits.opened, limits.opened_daily)),
        ):
            assert number in text, (page, number)
