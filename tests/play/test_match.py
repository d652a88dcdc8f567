"""A running match without a user interface: turns, refusals, events, and what is saved before an event is sent."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from daoqi_tui.ai import Answer
from daoqi_tui.ai.process import PlayerCrashed, PlayerError
from daoqi_tui.engine import BLACK, PASS, WHITE, GameOver, IllegalMove, Occupied, OutOfTime
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.gtp.player import RESIGN
from daoqi_tui.play.evaluation import engine_id_of
from daoqi_tui.play.events import Change, Crashed, Declined, Event, Filed, Saving, Trouble
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Match
from daoqi_tui.play.players import PlayerTable, usual_net
from daoqi_tui.play.position import PositionEditor
from daoqi_tui.play.session import PERSON, Computer, EngineSeat, GameSetup, Session
from daoqi_tui.play.wording import Unable
from daoqi_tui.record.journal import Journal, SaveFailure
from daoqi_tui.record.sgf.markup import comment, set_comment
from tests.play.quick import PlayerFactory, answer
from tests.slow_disk import SlowTicket
from tests.waiting import HANG, until

AS_BLACK = GameSetup(size=5, white_seat=Computer(3))
AS_WHITE = GameSetup(size=5, black_seat=Computer(3))
BOTH = GameSetup(size=5, black_seat=Computer(1), white_seat=Computer(2))
PERSONS = GameSetup(size=5)


class Table:
    """A match with fake players and a log of its events."""

    def __init__(
        self,
        setup: GameSetup,
        *script: Answer | PlayerError,
        keeper: Keeper | None = None,
        stepwise: bool = False,
        ponders: bool = False,
    ) -> None:
        self.factory = PlayerFactory()
        self.factory.script += script
        self.session = Session(setup)
        self.match = Match(
            self.session,
            partial(PlayerTable, lambda seat: self.factory.make(seat, usual_net)),
            keeper,
            spawn=None if stepwise else lambda work: asyncio.create_task(work()),
            ponders=lambda: ponders,
        )
        self.told: list[Event] = []
        self.match.subscribe(self.told.append)

    @property
    def moves(self) -> list[str]:
        torus = self.session.game.torus
        return ["pass" if move.is_pass else torus.name(move.point) for move in self.session.game.moves()]

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.told if isinstance(event, Change)]

    def play(self, name: str) -> object:
        return self.match.play(self.session.game.torus.parse(name))

    async def settle(self) -> None:
        """Wait until no computer is thinking."""
        async with asyncio.timeout(HANG):
            for _ in range(3):
                await asyncio.sleep(0)
            while self.match.turns.thinking is not None:
                await asyncio.sleep(0)


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    return Keeper(Folders(tmp_path / "journal", tmp_path / "library"), lambda _failing: None)


async def test_a_computer_answers_and_each_move_is_told_once() -> None:
    table = Table(AS_BLACK)
    assert table.play("C3") is None
    assert table.play("D3") is Declined.THINKING
    assert table.match.pass_turn() is Declined.THINKING
    await table.settle()
    assert table.moves == ["C3", "A5"]
    assert table.kinds == ["move", "move"]
    assert [event.computer for event in table.told if isinstance(event, Change)] == [False, True]


async def test_one_that_plays_black_begins_when_it_is_let() -> None:
    table = Table(GameSetup(size=5, black_seat=Computer(3)))
    await table.settle()
    assert table.moves == []
    table.match.start()
    await table.settle()
    assert table.moves == ["A5"]


async def test_refusals_are_values_and_change_nothing() -> None:
    table = Table(PERSONS)
    assert table.match.undo() is Declined.AT_START
    assert table.match.redo() is Declined.NOTHING_TO_REDO
    assert table.match.resume() is Declined.NOT_OVER
    assert table.match.mark_dead(0) is Declined.NOT_COUNTED
    assert table.match.turns.hurry() is Declined.NOT_THINKING
    assert table.told == []
    table.play("C3")
    assert table.play("C3") == Occupied(12)
    table.match.pass_turn()
    table.match.pass_turn()
    table.told.clear()
    assert table.play("D3") == table.match.pass_turn() == table.match.resign() == table.match.move_now() == GameOver()
    assert table.match.mark_dead(0) is Declined.NO_STONE
    assert table.told == []


async def test_captures_are_told_with_the_move() -> None:
    table = Table(PERSONS)
    for name in ("C3", "B3", "pass", "D3", "pass", "C4", "pass", "C2"):
        table.match.pass_turn() if name == "pass" else table.play(name)
    change = table.told[-1]
    assert isinstance(change, Change)
    assert change.removed == (table.session.game.torus.parse("C3"),)


async def test_undo_takes_back_the_answer_too_and_redo_brings_both() -> None:
    table = Table(AS_BLACK)
    assert table.match.undo() is Declined.NO_MOVE_OF_YOURS
    table.play("C3")
    await table.settle()
    assert table.match.undo() is None
    assert table.moves == []
    assert table.match.redo() is None
    assert table.moves == ["C3", "A5"]
    assert len(table.factory.last.asked) == 1, "what it answered is known"
    assert table.kinds == ["move", "move", "undo", "redo", "redo"]


async def test_nothing_is_redone_past_the_end_of_the_game() -> None:
    table = Table(PERSONS)
    table.play("C3")
    table.play("D3")
    assert table.match.undo() is None
    assert table.match.resign() is None
    assert table.match.redo() is Declined.NOTHING_TO_REDO
    assert table.moves == ["C3"]
    assert str(table.session.game.result) == "B+R"


async def test_undo_ends_a_thought() -> None:
    table = Table(AS_BLACK)
    table.factory.holding = True
    table.play("C3")
    await asyncio.sleep(0)
    assert table.match.undo() is None
    assert table.match.turns.thinking is None
    table.factory.last.may_answer.set()
    await table.settle()
    assert table.moves == []


@pytest.mark.parametrize(
    ("setup", "refused"), [(BOTH, Declined.AT_START), (AS_WHITE, Declined.NO_MOVE_OF_YOURS)], ids=["two", "one"]
)
async def test_an_undo_that_is_declined_leaves_the_computers_and_the_clock_as_they_are(
    setup: GameSetup, refused: Declined
) -> None:
    table = Table(setup._replace(time=TimeControl(main=600)))
    table.factory.holding = True
    table.match.begin(table.session)
    table.match.start()
    await asyncio.sleep(0)
    thought, clock = table.match.turns.thinking, table.session.clock
    assert thought is not None
    assert clock is not None
    assert table.match.undo() is refused
    assert table.match.turns.thinking is thought
    assert clock.running == BLACK
    assert not table.match.turns.paused
    table.factory.players[0].may_answer.set()
    async with asyncio.timeout(HANG):
        while not table.moves:
            await asyncio.sleep(0)
    await table.match.close()


async def test_a_position_that_cannot_be_set_up_leaves_the_computer_thinking() -> None:
    table = Table(BOTH)
    table.factory.holding = True
    table.match.start()
    await asyncio.sleep(0)
    thought = table.match.turns.thinking
    assert thought is not None
    editor = PositionEditor.of(table.session.game)
    editor.stones = bytearray([BLACK]) * len(editor.stones)
    with pytest.raises(ValueError, match="libert"):
        table.match.set_up(editor)
    assert table.match.turns.thinking is thought
    assert table.match.turns.due == Computer(1)
    await table.match.close()


async def test_looking_back_sets_no_thought_in_motion() -> None:
    table = Table(AS_BLACK)
    table.play("C3")
    await table.settle()
    node = table.session.game.node
    assert node.parent is not None
    table.match.goto(node.parent)
    assert table.match.turns.thinking is None
    assert table.session.front is node


@pytest.mark.parametrize("seat", [Computer(3), EngineSeat("gnugo")])
async def test_the_opponent_thinks_on_while_a_person_looks_back_and_its_move_is_shown(
    seat: Computer | EngineSeat,
) -> None:
    table = Table(GameSetup(size=5, white_seat=seat))
    table.play("C3")
    await table.settle()
    table.factory.last.may_answer.clear()
    table.play("D3")
    await asyncio.sleep(0)
    thought, front = table.match.turns.thinking, table.session.front
    assert table.match.back(2)
    assert table.match.turns.thinking is thought
    assert table.session.front is front
    assert table.play("E3") is Declined.THINKING
    table.factory.last.may_answer.set()
    await table.settle()
    assert table.moves == ["C3", "A5", "D3", "B5"]
    assert [position.actions for position in table.factory.last.asked] == [(12,), (12, 0, 13)]


async def test_two_engines_of_one_name_evaluate_each_for_itself() -> None:
    setup = GameSetup(size=5, black_seat=EngineSeat("katago a"), white_seat=EngineSeat("katago b"))
    table = Table(setup, *map(answer, (12, 13, 17, 18)), answer(RESIGN))
    table.match.start()
    await table.settle()
    found = [table.match.evaluations.of(node) for node in table.session.game.node.path()[:4]]
    assert [(value.engine, value.engine_id) for value in found if value is not None] == [
        ("katago", engine_id_of("katago a")),
        ("katago", engine_id_of("katago b")),
    ] * 2


async def test_a_move_that_was_asked_for_elsewhere_is_given_up_with_the_position() -> None:
    table = Table(PERSONS)
    table.factory.holding = True
    table.play("C3")
    table.play("D3")
    assert table.match.back()
    table.match.move_now()
    await asyncio.sleep(0)
    assert table.match.back()
    assert table.match.turns.thinking is None


async def test_an_illegal_answer_leaves_what_is_viewed() -> None:
    table = Table(AS_BLACK, answer(12))
    table.factory.holding = True
    table.play("C3")
    await asyncio.sleep(0)
    assert table.match.back()
    table.factory.last.may_answer.set()
    await table.settle()
    assert isinstance(table.match.turns.trouble, IllegalMove)
    assert table.session.game.node is table.session.start


async def test_two_computers_wait_and_play_on() -> None:
    table = Table(BOTH, *(answer(point) for point in range(3)), answer(PASS), answer(PASS))
    table.factory.holding = True
    table.match.start()
    await asyncio.sleep(0)
    table.match.pause()
    assert table.match.turns.thinking is None
    for player in table.factory.players:
        player.may_answer.set()
    table.factory.holding = False
    assert table.match.move_now() is None
    await table.settle()
    assert table.moves == ["A5"], "one move, and they wait"
    table.match.unpause()
    await table.settle()
    assert table.moves == ["A5", "B5", "C5", "pass", "pass"]
    assert table.match.undo() is None
    assert table.match.turns.paused


async def test_a_pace_is_kept_where_only_computers_play() -> None:
    table = Table(BOTH, answer(0), PlayerError("enough"))
    table.match.turns._pace = lambda: 0.05
    table.match.start()
    start = asyncio.get_running_loop().time()
    await table.settle()
    assert asyncio.get_running_loop().time() - start >= 0.05


async def test_a_single_move_is_made_by_the_level_that_played_last() -> None:
    table = Table(AS_BLACK)
    table.play("C3")
    await table.settle()
    await table.match.seat(None, PERSON)
    table.match.move_now()
    await table.settle()
    assert [player.seat for player in table.factory.players] == [Computer(3), Computer(3)]
    assert table.match.turns.due is None


async def test_one_that_crashes_is_asked_once_more() -> None:
    table = Table(AS_BLACK, PlayerCrashed("it ended"))
    table.play("C3")
    await table.settle()
    assert table.moves == ["C3", "A5"]
    assert [str(event.problem) for event in table.told if isinstance(event, Crashed)] == ["it ended"]


@pytest.mark.parametrize("step", [PlayerError("it is ill"), answer(12)])
async def test_after_trouble_the_computers_wait(step: Answer | PlayerError) -> None:
    table = Table(AS_BLACK, step)
    table.play("C3")
    await table.settle()
    (trouble,) = (event for event in table.told if isinstance(event, Trouble))
    assert isinstance(trouble.problem, PlayerError if isinstance(step, PlayerError) else IllegalMove)
    assert table.match.turns.paused
    assert table.match.turns.trouble is trouble.problem
    table.match.unpause()
    await table.settle()
    assert table.moves == ["C3", "A5"]
    assert table.match.turns.trouble is None


@pytest.mark.parametrize("resigns", [True, False])
async def test_a_computer_without_hope_resigns_if_it_may(*, resigns: bool) -> None:
    table = Table(AS_BLACK._replace(resigns=resigns), *(answer(point, hopeless=True) for point in range(3)))
    for name in ("C3", "D3", "E3"):
        table.play(name)
        await table.settle()
    assert table.session.game.is_over is resigns


async def test_an_engine_that_resigns_loses_and_that_is_taken_back() -> None:
    table = Table(GameSetup(size=5, white_seat=EngineSeat("gnugo")), answer(RESIGN))
    table.play("C3")
    await table.settle()
    assert str(table.session.game.result) == "B+R"
    assert table.kinds == ["move", "resign"]
    assert table.match.undo() is None
    assert table.moves == []


async def test_the_person_resigns_whoever_is_to_move_and_whatever_is_looked_at() -> None:
    table = Table(AS_BLACK)
    table.play("C3")
    await table.settle()
    table.match.goto(table.session.start)
    assert table.match.resigning == BLACK
    assert table.match.resign() is None
    assert table.moves == ["C3", "A5"]
    assert str(table.session.game.result) == "W+R"


async def test_hurrying_reaches_a_level_and_no_engine() -> None:
    table = Table(AS_BLACK)
    table.factory.holding = True
    table.play("C3")
    await asyncio.sleep(0)
    assert not table.session.helped
    assert table.match.turns.hurry() is None
    assert table.session.helped, "a computer that was hurried plays below its level"
    assert table.match.turns.hurry() is None
    await table.settle()
    assert table.factory.last.hurried == 1
    await table.match.seat(None, EngineSeat("gnugo"))
    table.play("D3")
    await asyncio.sleep(0)
    engine = table.factory.last
    assert table.match.turns.hurry() is None
    assert table.match.turns.paused
    assert str(table.match.turns.trouble) == "gnugo was stopped before it had moved"
    await until(lambda: engine.closed == 1)
    await table.match.close()


async def test_dead_stones_are_agreed_and_taken_back() -> None:
    table = Table(PERSONS)
    table.play("C3")
    table.match.pass_turn()
    table.match.pass_turn()
    assert table.match.mark_dead(12) is None
    assert str(table.session.game.result) == "W+4"
    assert table.match.mark_dead(12) is None
    assert str(table.session.game.result) == "B+21"
    assert table.match.resume() is None
    assert not table.session.game.is_over


async def test_a_change_is_told_when_the_journal_has_it(tmp_path: Path, keeper: Keeper) -> None:
    table = Table(BOTH, *(answer(point) for point in range(3)), PlayerError("enough"), keeper=keeper)
    found = []

    def hear(event: Event) -> None:
        if isinstance(event, Change):
            (journal,) = (tmp_path / "journal").glob("*.journal")
            copy = tmp_path / f"{len(found)}.journal"
            copy.write_bytes(journal.read_bytes())
            resumed, restored = Journal.resume(copy)
            resumed.close()
            found.append(restored.game.node.number >= event.node.number)

    table.match.subscribe(hear)
    table.match.start()
    async with asyncio.timeout(HANG):
        while not (table.match.turns.paused and table.match.written):
            await asyncio.sleep(0.01)
    assert found == [True, True, True]
    assert [event.node.number for event in table.told if isinstance(event, Change)] == [1, 2, 3]
    keeper.leave()


async def test_the_line_on_which_a_game_ends_becomes_the_main_line_in_the_library(
    tmp_path: Path, keeper: Keeper
) -> None:
    table = Table(PERSONS, keeper=keeper)
    for name in ("C3", "D3"):
        table.play(name)
    table.match.undo()
    table.play("E3")
    table.match.resign()
    async with asyncio.timeout(HANG):
        while not any(isinstance(event, Filed) for event in table.told):
            await asyncio.sleep(0.01)
    assert list((tmp_path / "library").rglob("*.sgf"))
    assert [node.move.point for node in table.session.game.root.line() if node.move] == [12, 14]
    keeper.leave()


async def test_an_ended_variation_on_view_does_not_end_the_game(tmp_path: Path, keeper: Keeper) -> None:
    table = Table(PERSONS, keeper=keeper, stepwise=True)
    table.play("C3")
    table.match.resign()
    ended = table.session.game.node
    (filed,) = (tmp_path / "library").glob("*.sgf")
    record = filed.read_bytes()
    table.match.back()
    table.play("B2")
    front = table.session.game.node
    table.match.goto(ended)
    table.match.back()
    assert table.match.redo() is None
    assert table.session.game.node is ended
    assert table.session.touched
    assert not table.session.is_over
    assert table.match.resigning == WHITE
    await table.match.leave()
    assert filed.read_bytes() == record, "the game goes on"
    (journal,) = keeper.unfinished().journals
    resumed = keeper.open(journal.path)
    assert resumed.session.front is not None
    assert resumed.session.front.move == front.move
    resumed.journal.close()


@pytest.mark.parametrize("ends", ["resign", "time"])
async def test_a_resumed_game_keeps_the_line_that_ended_as_a_variation(
    tmp_path: Path, keeper: Keeper, ends: str
) -> None:
    table = Table(PERSONS._replace(time=TimeControl(60)), keeper=keeper)
    game = table.session.game
    table.play("C3")
    table.play("B2")
    set_comment(game.node, "A good shape.")
    if ends == "resign":
        table.match.resign()
    else:
        game.lose_on_time()
    ended, ending = game.node, game.ending
    assert table.match.resume() is None
    resumed = game.node
    assert table.moves == ["C3", "B2"]
    assert not table.session.is_over
    assert (table.session.clock is None) == (ends == "time")
    assert comment(resumed) == "A good shape."
    assert (ended.ending, resumed.ending) == (ending, None)
    table.match.undo()
    table.play("B2")
    assert game.node is resumed, "the same move goes on, and does not end the game again"
    table.match.goto(ended)
    assert table.match.resume() is None
    assert game.node is resumed, "there is one such variation"
    table.play("D4")
    table.match.resign(BLACK)
    assert [node.move for node in game.root.line()][-1] == game.node.move
    assert ended in game.root.line()[0].children
    assert ended.ending == ending
    keeper.close()


async def test_the_end_of_a_game_without_moves_is_undone_when_it_is_resumed() -> None:
    table = Table(PERSONS)
    assert table.match.resign() is None
    assert table.match.resume() is None
    assert table.session.game.node is table.session.game.root
    assert not table.session.is_over


async def test_undoing_a_resignation_leaves_no_variation() -> None:
    table = Table(PERSONS)
    table.play("C3")
    table.match.resign()
    assert table.match.undo() is None
    assert [node.ending for node in table.session.game.root.children] == [None]


async def test_dead_stones_agreed_on_an_earlier_variation_do_not_end_the_game(tmp_path: Path, keeper: Keeper) -> None:
    table = Table(PERSONS, keeper=keeper, stepwise=True)
    table.play("C3")
    table.match.pass_turn()
    table.match.pass_turn()
    counted = table.session.game.node
    (filed,) = (tmp_path / "library").glob("*.sgf")
    record = filed.read_bytes()
    table.match.back(2)
    table.play("B2")
    table.match.goto(counted)
    assert table.match.mark_dead(12) is None
    assert filed.read_bytes() == record
    assert table.match.resign() is None
    assert table.moves == ["C3", "B2"], "the side that plays on resigns, whatever is viewed"
    keeper.close()


async def test_a_game_is_told_to_be_in_the_library_after_its_end(
    tmp_path: Path, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(PERSONS, keeper=keeper)
    table.play("C3")
    async with asyncio.timeout(HANG):
        while not table.match.written:
            await asyncio.sleep(0.01)
    slow = SlowTicket()
    monkeypatch.setattr(keeper, "follow", lambda _session, _presses, **_given: slow)
    shown: list[bool] = []
    # A user interface shows a change on its event only if no further change is pending.
    table.match.subscribe(lambda event: shown.append(table.match.written) if isinstance(event, Change) else None)
    table.match.resign()
    async with asyncio.timeout(HANG):
        while not list((tmp_path / "library").rglob("*.sgf")) or len(table.match._announcer._pending) < 2:
            await asyncio.sleep(0.01)
    assert table.kinds == ["move"]
    slow.written.set()
    async with asyncio.timeout(HANG):
        while not table.match.written:
            await asyncio.sleep(0.01)
    assert table.kinds == ["move", "resign"]
    assert shown == [True]
    assert isinstance(table.told[-1], Filed)
    keeper.leave()


async def test_that_saving_fails_is_told_after_the_move_that_could_not_be_saved(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = Table(PERSONS, keeper=keeper)
    slow, failing = SlowTicket(), SaveFailure("full", tmp_path / "a.journal", "No space left on device")
    monkeypatch.setattr(keeper, "follow", lambda _session, _presses, **_given: slow)
    table.play("A1")
    table.match.saving_changed(failing)
    assert table.told == []
    slow.written.set()
    async with asyncio.timeout(HANG):
        while len(table.told) < 2:
            await asyncio.sleep(0.01)
    assert [type(event) for event in table.told] == [Change, Saving]


async def test_a_side_whose_time_is_up_loses_where_play_goes_on() -> None:
    time = 1000.0
    table = Table(PERSONS._replace(time=TimeControl(main=60)))
    table.match._now = lambda: time
    table.match.begin(table.session)
    time += 61
    table.match.tick()
    assert str(table.session.game.result) == "W+T"
    assert table.kinds == ["time"]


@pytest.mark.parametrize("way", ["play", "pass", "undo", "set up"])
async def test_after_a_loss_on_time_play_goes_on_from_an_earlier_move_without_the_clock(way: str) -> None:
    time = 1000.0
    table = Table(PERSONS._replace(time=TimeControl(60)))
    match, game = table.match, table.session.game
    match._now = lambda: time
    match.begin(table.session)
    for name in ("C3", "B2", "D4"):
        table.play(name)
    time += 61
    match.tick()
    lost = game.node
    assert str(game.result) == "B+T"
    assert match.back(2)
    if way == "play":
        assert table.play("E5") is None
    elif way == "pass":
        assert match.pass_turn() is None
    elif way == "undo":
        assert match.undo() is None
    else:
        editor = PositionEditor(5, bytes(game.board.colours), WHITE)
        editor.stones[0] = BLACK
        assert match.set_up(editor) is None
    assert table.session.clock is None, "it would end the game again as soon as that side is to move"
    time += 61
    match.tick()
    assert not table.session.is_over
    assert lost.ending == OutOfTime(WHITE), "the line that was lost stays"


async def test_a_computer_loses_by_its_clock_alone_not_because_a_person_looks_back(keeper: Keeper) -> None:
    time = 1000.0
    table = Table(AS_BLACK._replace(time=TimeControl(60)), keeper=keeper)
    table.match._now = lambda: time
    clock = table.session.clock
    assert clock is not None
    table.factory.holding = True
    table.match.begin(table.session)
    table.play("C3")
    await asyncio.sleep(0)
    assert table.match.back()
    assert clock.running == WHITE, "it thinks on, with its clock"
    # In a game resumed while an earlier move is viewed, the computer waits until its own turn is viewed.
    table.match.begin(table.session)
    table.match.start()
    assert table.match.turns.thinking is None
    time += 61
    table.match.tick()
    assert not table.session.is_over
    assert clock.left(WHITE, time).seconds == 60
    assert table.match.forward()
    await until(lambda: clock.running == WHITE)
    time += 61
    table.match.tick()
    assert str(table.session.game.result) == "B+T"
    assert table.match.turns.thinking is None
    keeper.leave()


async def test_a_comment_is_told_when_the_journal_has_it(tmp_path: Path, keeper: Keeper) -> None:
    table = Table(PERSONS, keeper=keeper)
    table.play("C3")
    node = table.session.game.node
    set_comment(node, "the middle")
    table.match.note(node)
    async with asyncio.timeout(HANG):
        while not table.match.written:
            await asyncio.sleep(0.01)
    assert table.kinds == ["move", "notes"]
    (journal,) = (tmp_path / "journal").glob("*.journal")
    assert b"the middle" in journal.read_bytes()
    keeper.leave()


async def test_a_thought_is_told_when_it_begins() -> None:
    table = Table(AS_BLACK)
    table.play("C3")
    await table.settle()
    assert [type(event).__name__ for event in table.told] == ["Change", "Thinks", "Answered", "Change"]


async def test_another_session_ends_the_thought() -> None:
    table = Table(AS_BLACK)
    table.factory.holding = True
    table.play("C3")
    await asyncio.sleep(0)
    other = Session(PERSONS)
    table.match.begin(other)
    table.match.start()
    table.factory.last.may_answer.set()
    await table.settle()
    assert table.moves == ["C3"]
    assert other.game.node is other.start


def test_without_a_loop_commands_return_when_all_is_done(tmp_path: Path, keeper: Keeper) -> None:
    table = Table(AS_BLACK._replace(time=TimeControl(main=0.01)), keeper=keeper, stepwise=True)
    assert table.play("C3") is None
    assert table.kinds == ["move"]
    assert list((tmp_path / "journal").glob("*.journal"))
    assert table.match.turns.due == Computer(3)
    table.match.turns.make(asyncio.run(table.match.turns.ask()))
    assert table.moves == ["C3", "A5"]
    assert table.match.turns.due is None
    assert table.session.clock is not None
    assert table.session.clock.running is None, "clocks stand still"
    assert table.match.resign() is None
    assert isinstance(table.told[-1], Filed)
    keeper.leave()


def test_without_a_loop_a_person_may_play_for_a_computer_that_waits() -> None:
    table = Table(AS_BLACK, stepwise=True)
    table.play("C3")
    table.match.pause()
    assert table.match.turns.due is None
    table.play("D3")
    assert table.moves == ["C3", "D3"]
    assert table.match.move_now() is None
    assert table.match.turns.due == Computer(), "where a person sits the usual level moves"
    assert table.session.seats == {BLACK: PERSON, WHITE: Computer(3)}


async def test_players_of_a_game_that_was_left_are_ended_unless_they_play_the_next() -> None:
    table = Table(GameSetup(size=5, white_seat=EngineSeat("gnugo")))
    table.play("C3")
    await table.settle()
    (player,) = table.factory.players
    for setup, closed in ((table.session.setup, 0), (PERSONS, 1)):
        table.match.begin(Session(setup))
        await table.settle()
        assert player.closed == closed


async def test_an_engine_that_is_not_to_analyse_any_more_is_ended() -> None:
    factory, commands = PlayerFactory(), [""]
    players = PlayerTable(lambda seat: factory.make(seat, usual_net), analyst=lambda: commands[-1])
    found = []
    for command in ("katago", "katago", "gnugo", ""):
        commands.append(command)
        found.append(players.analyst[0])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    katago, gnugo, adviser = factory.players
    assert found == [katago, katago, gnugo, adviser]
    assert [player.closed for player in factory.players] == [1, 1, 0]


async def test_equal_computers_share_a_process_until_neither_plays() -> None:
    factory = PlayerFactory()
    players = PlayerTable(lambda seat: factory.make(seat, usual_net))
    strong, weak = Computer(10), Computer(3)
    shared = players.of(BLACK, strong)
    assert players.of(WHITE, strong) is shared
    assert players.of(WHITE, weak) is not shared, "a weak player must not know what a strong one has searched"
    assert players.of(WHITE, strong) is shared
    engine = EngineSeat("gnugo")
    assert players.of(WHITE, engine) is not players.of(BLACK, engine), "an engine knows one side's game"
    players.of(BLACK, weak)
    assert players.of(WHITE, weak) is players.of(BLACK, weak)
    await asyncio.gather(*players.dismiss(BLACK))
    assert not factory.players[-1].closed
    await players.close()
    assert [player.closed for player in factory.players] == [1, 1, 1, 1, 1]


async def test_a_game_that_is_left_is_moved_in_no_more(tmp_path: Path, keeper: Keeper) -> None:
    table = Table(AS_BLACK, keeper=keeper)
    table.factory.holding = True
    table.play("C3")
    await asyncio.sleep(0)
    await table.match.leave()
    assert table.match.turns.thinking is None
    table.factory.last.may_answer.set()
    await table.settle()
    assert table.moves == ["C3"]
    assert len(list((tmp_path / "journal").glob("*.journal"))) == 1


async def test_the_way_on_is_the_one_that_was_looked_at_last() -> None:
    table = Table(PERSONS)
    table.play("C3")
    table.match.undo()
    table.play("D3")
    table.play("E3")
    match, start = table.match, table.session.start
    match.goto(start)
    ahead = match.variations.next_node(start)
    assert ahead is start.children[1]
    assert match.variations.next_node(ahead) is match.variations.line[-1]
    assert match.variations.next_node(match.variations.line[-1]) is None


async def test_moves_are_stepped_through_from_the_handicap_stones_to_the_end_of_a_variation() -> None:
    table = Table(GameSetup(size=9, handicap=2))
    match, start = table.match, table.session.start
    assert not match.back()
    assert not match.forward()
    with pytest.raises(Unable, match="no other variation"):
        match.next_variation()
    table.play("A1")
    first = table.session.game.node
    match.undo()
    table.play("B1")
    table.play("C1")
    assert match.back(5)
    assert table.session.game.node is start
    assert match.forward()
    match.next_variation()
    assert table.session.game.node is first
    match.next_variation()
    assert match.forward(9)
    assert table.moves == ["B1", "C1"]
    assert not match.forward()


STRONGEST_AS_WHITE = GameSetup(size=5, white_seat=Computer(10))


async def pondering(setup: GameSetup = STRONGEST_AS_WHITE, *, ponders: bool = True) -> Table:
    """Return a match after a human's first move and, if a computer plays, its reply."""
    table = Table(setup, ponders=ponders)
    table.play("C3")
    await table.settle()
    await asyncio.sleep(0)
    return table


async def test_the_strongest_searches_on_while_a_person_thinks_until_there_is_a_move() -> None:
    table = await pondering()
    (player,) = table.factory.players
    assert [position.actions for position in player.pondered] == [(12, 0)]
    table.play("D3")
    await table.settle()
    await asyncio.sleep(0)
    assert player.asked[-1].actions == (12, 0, 13)
    assert player.ended == 1
    assert [position.actions for position in player.pondered] == [(12, 0, 13, 1)]
    await table.match.close()
    await asyncio.sleep(0)
    assert player.pondered == []
    assert player.closed == 1


@pytest.mark.parametrize(
    ("setup", "ponders"),
    [(STRONGEST_AS_WHITE, False), (GameSetup(size=5, white_seat=Computer(9)), True), (PERSONS, True)],
)
async def test_nobody_searches_on_where_it_is_off_or_would_make_a_level_stronger(
    setup: GameSetup, *, ponders: bool
) -> None:
    table = await pondering(setup, ponders=ponders)
    assert [player.pondered for player in table.factory.players] == [[]] * len(table.factory.players)


async def test_a_face_that_blocks_while_a_person_thinks_has_nobody_search_on() -> None:
    table = Table(STRONGEST_AS_WHITE, ponders=True, stepwise=True)
    table.play("C3")
    table.match.turns.make(await table.match.turns.ask())
    assert [player.pondered for player in table.factory.players] == [[]]


async def test_a_face_that_blocks_can_have_it_search_on_until_a_person_has_thought() -> None:
    table = Table(STRONGEST_AS_WHITE, ponders=True, stepwise=True)
    assert not table.match.turns.may_ponder
    table.play("C3")
    assert not table.match.turns.may_ponder
    table.match.turns.make(await table.match.turns.ask())
    assert table.match.turns.may_ponder
    (player,) = table.factory.players
    thought = asyncio.Event()
    waiting = asyncio.create_task(table.match.turns.ponder_until(thought.wait()))
    while not player.pondered:
        await asyncio.sleep(0)
    assert [position.actions for position in player.pondered] == [(12, 0)]
    thought.set()
    await waiting
    assert player.pondered == []
    assert player.ended == 1
    table.match.pause()
    assert not table.match.turns.may_ponder


@pytest.mark.parametrize("does", ["undo", "pause", "resign", "seat", "analyst", "adviser"])
async def test_pondering_ends_with_whatever_else_happens(does: str) -> None:
    table = await pondering()
    player, match = table.factory.players[0], table.match
    match does:
        case "seat":
            await match.seat(None, PERSON)
        case "analyst" | "adviser":
            assert getattr(match.turns.players, does)
        case _:
            getattr(match, does)()
    await table.settle()
    await asyncio.sleep(0)
    assert player.pondered == []
    await match.close()


async def test_going_back_ends_pondering_and_coming_back_begins_it_again() -> None:
    table = await pondering()
    (player,) = table.factory.players
    front = table.session.game.node
    assert front.parent is not None
    table.match.goto(front.parent)
    await asyncio.sleep(0)
    assert player.pondered == []
    table.match.goto(front)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert [position.actions for position in player.pondered] == [(12, 0)]
    await table.match.close()


async def test_a_computer_that_crashes_while_it_ponders_is_asked_again_for_its_move() -> None:
    table = await pondering()
    (player,) = table.factory.players
    player.crash.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert player.pondered == []
    assert table.match.turns.trouble is None
    table.play("D3")
    await table.settle()
    assert len(table.moves) == 4
    await table.match.close()
