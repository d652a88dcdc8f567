"""The panes at the side in windows of all sizes: each one shown has room for something, and none is out of reach."""

from __future__ import annotations

from itertools import product

import pytest
from textual.content import Content

from daoqi_tui.i18n import _, use_language
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.session import Computer, GameSetup, Session
from daoqi_tui.tui.host import SidePane
from daoqi_tui.tui.side import Panes, arrange
from tests.thorough import in_turn
from tests.tui.driving import Person, playing, until

WINDOWS = ((200, 60), (120, 40), (100, 30), (100, 20), (100, 14), (80, 24), (60, 20), (40, 14))
TASKS = ("play", "study", "review", "mistakes")
RECORD = b"(;GM[1]SZ[9]TO[3];B[aa]C[" + b"Black begins in a corner that is none. " * 20 + b"];W[bb];B[cc];W[dd])"


def shown(person: Person) -> list[str]:
    """Return the identifiers of the panes shown, from top to bottom or from left to right."""
    boxes = [box for box in person.screen.panes.children if box.display and box.region.area]
    return [str(box.id).removesuffix("-box") for box in sorted(boxes, key=lambda box: (box.region.y, box.region.x))]


def rows_of(person: Person, pane: SidePane) -> list[str]:
    widget = person.screen.query_one(f"#{pane.id}")
    return [widget.render_line(y).text for y in range(widget.content_size.height)]


async def begin(person: Person, task: str) -> None:
    """Bring the screen into the state of a task: a game with captures and passes, a commented record, or a review."""
    if task == "play":
        await person.play("A1", "B2", "C3", "D4", "E5", "pass")
        return
    person.screen.begin(Session.opened(RECORD))
    await person.press("right_square_bracket")
    if task in ("review", "mistakes"):
        await person.press(*(("end",) if task == "review" else ()))
        for node in person.game.node.path():
            evaluation = Evaluation(0.5, 1, 100, "network")
            person.screen.match.evaluations.note(node, evaluation, record=False)
        person.screen.show_panes()
    await person.wait()


def check(person: Person, where: object) -> None:
    """Assert that every pane shown has its minimum of rows, and shows something, within the window."""
    panes, whole = person.screen.panes, person.screen.panes.region
    wide = person.screen.has_class("-wide")
    for pane in panes.offered:
        if pane.id in shown(person):
            rows = rows_of(person, pane)
            assert len(rows) >= (pane.least if wide else 3), (where, pane.id, shown(person))
            assert any(row.strip() for row in rows), (where, pane.id)
    for box in panes.children:
        if box.display and box.region.area:
            assert whole.contains_region(box.region), (where, box.id, box.region, whole)


@pytest.mark.parametrize(("window", "task", "code"), in_turn(product(WINDOWS, TASKS), ("en", "zh")))
async def test_every_pane_shown_has_its_minimum_and_none_is_out_of_reach(
    window: tuple[int, int], task: str, code: str
) -> None:
    use_language(code)
    async with playing(window, GameSetup(size=9)) as person:
        await begin(person, task)
        await until(person, lambda: "history" in shown(person))
        check(person, "at first")
        panes = person.screen.panes
        seen = set(shown(person))
        for turn in range(len(panes.offered)):
            await person.press("tab")
            await person.wait()
            await until(person, lambda: panes.side.id in shown(person))
            check(person, turn)
            seen |= set(shown(person))
            if window[0] >= 100:
                # What is not shown is named, as far as there is room.
                box = panes.query_one(f"#{panes.side.id}-box")
                words = f"{box.border_title}{box.border_subtitle}"
            else:
                words = person.status
            assert _(panes.following[0].title) in words, (turn, words)
            # Of few rows, what was asked for takes all.
            assert window[0] < 100 or window[1] <= 20 or "history" in shown(person)
        assert seen >= {pane.id for pane in panes.offered}


@pytest.mark.parametrize("window", [window for window in WINDOWS if window[0] >= 100])
async def test_a_count_and_a_comment_leave_the_history_its_minimum(window: tuple[int, int]) -> None:
    async with playing(window, GameSetup(size=9)) as person:
        await begin(person, "review")
        await person.press("left_square_bracket", "left_square_bracket", "left_square_bracket", "t")
        await until(person, lambda: {"history", "area"} <= set(shown(person)))
        await person.wait()
        check(person, "history")
        assert ("comment" in shown(person)) == (window[1] >= 20)
        lines = person.text("#area").split("\n")
        assert len(lines) <= person.screen.query_one("#area").content_size.height


@pytest.mark.parametrize(
    ("window", "players", "code"),
    in_turn(
        product([(200, 60), (120, 40), (100, 30), (100, 14), (80, 24)], ["people", "computers", "captures"]),
        ("en", "zh"),
    ),
)
async def test_nothing_in_the_game_pane_is_cut(window: tuple[int, int], players: str, code: str) -> None:
    use_language(code)
    setup = GameSetup(size=5)
    if players == "computers":
        setup = GameSetup(size=5, white_seat=Computer(4.5))
    async with playing(window, setup) as person:
        if players == "captures":
            view = person.screen.view
            person.screen.query_one("#game").show(  # type: ignore[attr-defined]
                view._replace(captured=(123, 45), suicided=(12, 3), passes=(10, 1)), None, ""
            )
        for key in ("", "t"):
            if key:
                await person.press(key)
            await person.wait()
            pane = person.screen.query_one("#game")
            rows = [strip.text for strip in pane.render_lines(pane.size.region)]
            assert not [row for row in rows if "…" in row], rows


@pytest.mark.parametrize("code", ["en", "zh", "zh-TW"])
async def test_the_frame_names_the_next_three_panes_in_each_language(code: str) -> None:
    use_language(code)
    async with playing((120, 40)) as person:
        await person.wait()
        panes = person.screen.query_one(Panes)
        line = Content.from_markup(person.screen.query_one("#history-box").border_subtitle or "").plain
        assert line.partition(": ")[2] == " · ".join(_(pane.title) for pane in panes.following[:3])


async def test_nothing_is_said_of_positions_without_evaluation_unless_asked() -> None:
    async with playing((120, 40)) as person:
        await person.play("C3", "D4")
        assert shown(person) == ["game", "history"]
        evaluation = Evaluation(0.5, 1, 100, "network")
        person.screen.match.evaluations.note(person.game.node, evaluation, record=False)
        person.screen.show_panes()
        await until(person, lambda: shown(person) == ["game", "history", "graph"])
        person.screen.begin(Session(GameSetup(9)))
        await until(person, lambda: shown(person) == ["game", "history"])


async def test_a_pane_named_on_a_frame_is_shown_by_a_click() -> None:
    async with playing((120, 40)) as person:
        box = person.screen.panes.query_one("#history-box")
        at = [
            (x, box.region.bottom - 1)
            for x in range(box.region.x, box.region.right)
            if "minimap" in str(person.screen.get_style_at(x, box.region.bottom - 1).meta)
        ]
        assert len(at) == len("Map")
        await person.click(*at[1])
        await until(person, lambda: shown(person) == ["game", "history", "minimap"])


def test_an_arrangement_fits_whatever_is_to_be_shown() -> None:
    def pane(name: str, least: int, stands: int = 0) -> SidePane:
        return SidePane(name, name, lambda: None, lambda *_shown: None, least, stands)  # type: ignore[arg-type, return-value]

    history, selected = pane("history", 3), pane("selected", 8)
    others = (pane("graph", 5, 10), pane("map", 8, 17))
    for rows, counting, commented, pair in product(
        range(13, 70), (False, True), (False, True), ((history,), (history, selected))
    ):
        found = arrange(rows, pair, others, counting=counting, commented=commented, short=rows < 18)
        frame, game, count = (1, 3, 3) if found.short else (2, 5, 7)
        used = game + frame + counting * (count + frame) + found.comment
        used += sum(pane.stands if pane in others else pane.least + frame for pane in found.panes)
        # Below the count of a low window a pane that was asked for takes all that is left.
        alone = found.short and counting and found.panes == (selected,) and not found.comment
        assert used <= rows or alone, (rows, counting, commented, found)
        assert pair[-1] in found.panes
        # One that was asked for has more room than one that stands there of its own accord, or none of those is there.
        left = rows - used + found.comment - min(found.comment, 10)
        taken = max((pane.stands for pane in found.panes if pane in others), default=0)
        assert len(pair) < 2 or left + sum(pane.least + frame for pane in pair) >= taken, (rows, commented, found)
        assert not found.comment or found.comment >= 3 + frame
