"""Navigation and replay: stepping, variations, automatic replay, and the history pane."""

from __future__ import annotations

from typing import Any

import pytest
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.features import navigation
from daoqi_tui.tui.panes import GamePane
from daoqi_tui.tui.panes.history import HistoryPane
from tests.tui.driving import Person, playing, until

SMALL = GameSetup(size=5)
LONG = [f"{letter}{row}" for row in range(1, 6) for letter in "ACE"]


def number(person: Person) -> int:
    return person.game.node.number


async def test_stepping_by_one_by_ten_and_to_the_ends() -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        await person.play(*LONG)
        for key, expected in [
            ("left_square_bracket", 14),
            ("left_square_bracket", 13),
            ("right_square_bracket", 14),
            ("left_curly_bracket", 4),
            ("left_curly_bracket", 0),
            ("left_curly_bracket", 0),
            ("left_square_bracket", 0),
            ("right_curly_bracket", 10),
            ("right_curly_bracket", 15),
            ("right_curly_bracket", 15),
            ("right_square_bracket", 15),
            ("home", 0),
            ("end", 15),
        ]:
            await person.press(key)
            assert number(person) == expected, key
            assert person.moves == LONG[:expected]


async def test_the_board_and_panes_show_the_move_looked_at() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4", "E5")
        await person.press("left_square_bracket")
        picture, torus = person.board.picture, person.game.torus
        assert picture.stones == bytes(person.game.board.colours)
        assert picture.last == torus.parse("D4")
        assert not picture.stones[torus.parse("E5")]


async def test_at_the_ends_a_sentence_says_so() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("left_square_bracket")
        assert "start" in person.status
        await person.press("right_square_bracket")
        assert "There are no more moves" in person.status


async def test_a_move_at_an_earlier_point_starts_a_variation_and_loses_nothing() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4", "E5")
        await person.press("left_square_bracket", "left_square_bracket")
        await person.click_point("A1")
        assert person.moves == ["C3", "A1"]
        assert [person.move_name(node) for node in person.game.root.children[0].children] == ["D4", "A1"]
        await person.press("v")
        assert person.moves == ["C3", "D4"]
        await person.press("end")
        assert person.moves == ["C3", "D4", "E5"]
        await person.press("left_square_bracket", "v")
        assert person.moves == ["C3", "A1"]
        await person.press("home", "v")
        assert "There is no other variation" in person.status


async def test_going_on_follows_the_variation_looked_at_last() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4")
        await person.press("u")
        await person.play("A1", "B1")
        await person.press("home", "end")
        assert person.moves == ["C3", "A1", "B1"]


async def test_playing_the_same_move_again_makes_no_variation() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4")
        await person.press("home")
        await person.play("C3")
        assert len(person.game.root.children) == 1
        assert len(list(person.game.root.walk())) == 3


async def replayed(person: Person, move: int) -> None:
    """Wait until the replay has reached a move."""
    await until(person, lambda: number(person) >= move)


async def test_the_game_replays_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(navigation, "_SPEEDS", (60.0, 60.0, 0.02, 0.01, 60.0, 60.0))
    async with playing(setup=SMALL) as person:
        await person.press("a")
        assert "nothing to replay" in person.status
        await person.play("C3", "D4", "E5")
        await person.press("a")
        await replayed(person, 3)
        await until(person, lambda: "End" in person.status)
        assert person.moves == ["C3", "D4", "E5"]


async def test_the_replay_is_stopped_by_a_again_and_by_stepping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(navigation, "_SPEEDS", (60.0,) * 6)
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4", "E5")
        await person.press("home")
        await person.play("A1", "B1")
        for stop, move in (("a", 1), ("left_square_bracket", 0), ("home", 0), ("end", 2), ("v", 1)):
            await person.press("home", "right_square_bracket", "a")
            assert person.screen.replay.on
            await person.press(stop)
            assert not person.screen.replay.on, stop
            assert number(person) == move, stop
        assert person.moves == ["C3"], "the other variation"


async def test_the_replay_can_be_made_faster_and_slower() -> None:
    async with playing(setup=SMALL) as person:
        speeds = []
        for key in ["comma"] * 8 + ["full_stop"] * 8:
            await person.press(key)
            speeds.append(float(person.status.split(" s")[0].split()[-1]))
        assert speeds[:8] == sorted(speeds[:8])
        assert speeds[8:] == sorted(speeds[8:], reverse=True)
        assert speeds[7] == max(navigation._SPEEDS)
        assert speeds[-1] == min(navigation._SPEEDS)


async def test_changing_the_speed_keeps_the_replay_going(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(navigation, "_SPEEDS", (60.0, 60.0, 60.0, 0.02, 60.0, 60.0))
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4", "E5")
        await person.press("home", "a", "full_stop")
        await replayed(person, 3)


async def test_a_move_played_during_the_replay_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(navigation, "_SPEEDS", (60.0,) * 6)
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4", "E5")
        await person.press("home", "right_square_bracket", "a")
        await person.click_point("A1")
        assert person.moves == ["C3", "A1"]
        assert not person.screen.replay.on


async def test_the_history_lists_every_move_with_what_it_captured() -> None:
    async with playing(setup=SMALL) as person:
        await person.lay_out(". . . . .\n. X . . .\nX O . . .\n. X . . .\n. . . . .\n")
        await person.play("C3", "pass", "A1")
        lines = [line for line in person.history_lines() if line.strip()]
        assert [line.split() for line in lines[-3:]] == [
            ["1", "C3", "×1"],
            ["2", "pass"],
            ["3", "A1"],
        ]


async def test_a_click_in_the_history_goes_there() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4", "E5")
        region = person.screen.query_one(HistoryPane).content_region
        await person.click(region.x + 3, region.y + 1)
        assert person.moves == ["C3"]
        await person.click(region.x + 3, region.y + 3)
        assert person.moves == ["C3", "D4", "E5"]
        await person.click(region.x + 3, region.y + 8)
        assert person.moves == ["C3", "D4", "E5"]


async def test_a_click_on_the_frame_of_the_history_goes_nowhere() -> None:
    async with playing((120, 24), setup=GameSetup(size=9)) as person:
        await person.play(*LONG)
        await person.press("left_curly_bracket")
        pane = person.screen.query_one(HistoryPane)
        region = pane.content_region
        for y in (region.y - 1, region.bottom):
            await person.click(region.x + 3, y)
            assert number(person) == 5


@pytest.mark.parametrize("window", [(120, 40), (120, 24), (80, 24), (40, 14)])
async def test_the_current_move_is_always_in_view(window: tuple[int, int]) -> None:
    async with playing(window, GameSetup(size=9)) as person:
        history = person.screen.query_one(HistoryPane)
        for name in [f"{letter}{row}" for row in range(1, 9) for letter in "ABCDEFGH"][:60]:
            await person.play(name)
            assert any(f"{number(person):>3} " in line for line in person.history_lines())
        for key in ["left_curly_bracket"] * 3 + ["right_square_bracket"] * 12 + ["home", "end"]:
            await person.press(key)
            place = history._places[person.game.node]
            assert history._top <= place < history._top + history.content_size.height


async def test_variations_are_shown_as_such() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4", "E5")
        await person.press("u", "u")
        await person.play("A1")
        lines = person.history_lines()
        line = next(line for line in lines if "A1" in line)
        assert line.startswith("└")
        assert next(row for row in lines if "D4" in row).startswith("  ")
        assert lines.index(line) == next(place for place, row in enumerate(lines) if "D4" in row) + 1


async def test_taking_back_and_home_stop_at_the_handicap_stones() -> None:
    async with playing(setup=GameSetup(size=9, handicap=4)) as person:
        stones = person.position
        assert stones.count("X") == 4
        await person.press("u")
        assert person.position == stones
        await person.play("A1")
        await person.press("home")
        assert person.position == stones
        await person.press("left_square_bracket", "left_curly_bracket")
        assert person.position == stones


@pytest.mark.usefixtures("every_frame")
async def test_a_step_draws_anew_only_what_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        await person.play(*LONG)
        await person.press("left_square_bracket")
        await person.wait(0.3)
        drawn: list[str] = []
        line_of = HistoryPane._line

        def count_line(pane: HistoryPane, *row: Any) -> Strip:
            strip = line_of(pane, *row)
            drawn.append(strip.text.strip())
            return strip

        monkeypatch.setattr(HistoryPane, "_line", count_line)
        updated: list[str | None] = []
        update = Static.update
        monkeypatch.setattr(
            Static, "update", lambda static, *text, **how: (updated.append(static.id), update(static, *text, **how))
        )
        status = person.screen.query_one("#status")
        monkeypatch.setattr(
            type(status), "refresh", lambda line, *regions, **how: (updated.append(line.id), Widget.refresh(line))[1]
        )
        rows: list[int] = []
        refresh = GamePane.refresh
        monkeypatch.setattr(
            GamePane,
            "refresh",
            lambda pane, *regions, **how: (rows.extend(region.y for region in regions), refresh(pane, *regions, **how)),
        )
        await person.press("left_square_bracket")
        # The status line describes the point under the cursor after a short delay.
        await person.wait(0.3)
        await until(person, lambda: "status" in updated and drawn)
        assert sorted(line.split()[0] for line in drawn) == ["13", "14"]
        assert list(filter(None, updated)) == ["status"]
        # The lines of the two players and of the move number; captures and passes do not change.
        assert sorted(rows) == [0, 2, 4]


async def test_the_history_scrolls_by_half_of_what_is_in_view() -> None:
    async with playing((100, 20), setup=GameSetup(size=9)) as person:
        await person.play(*LONG)
        await person.wait()
        height = person.screen.query_one("#history").content_size.height
        assert 4 < height < len(LONG)
        tops = []
        for _step in LONG:
            await person.press("left_square_bracket")
            lines = [int(line.split()[0]) for line in person.history_lines()]
            assert number(person) in lines
            if lines[0] not in tops:
                tops.append(lines[0])
        assert len(tops) <= len(LONG) // (height // 2) + 1
