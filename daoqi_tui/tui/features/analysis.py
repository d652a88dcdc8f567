"""The computer's analysis: the best moves with the points they lose, as a hint or continuously."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from textual.widget import Widget
from textual.worker import Worker

from daoqi_tui.engine import PASS, Node
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.paths import mistakes_file
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.background import Wait
from daoqi_tui.play.evaluation import Clarity, EvaluatedMove, Evaluation
from daoqi_tui.play.match import Changed, View
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import Unable, describe_no_library, with_keys
from daoqi_tui.tui.host import Feature, Handlers, Host, SidePane
from daoqi_tui.tui.look import Options

if TYPE_CHECKING:
    from daoqi_tui.ai import Candidate
    from daoqi_tui.play.hints import BestMoves
    from daoqi_tui.tui.panes.study import CandidatesPane, GraphPane


_EVERY: Final = 0.5
"""Seconds between updates of a running analysis."""
_PAUSE: Final = 0.05
"""Seconds a position must stay before it is searched, so that a fast replay is not."""
_PANE: Final = "candidates"


class Analysis(Feature):
    """Searches the shown position and draws the best moves over the board.

    A hint shows the result step by step and is dropped with the next move; the analysis shows all of it, and follows
    the viewed position until it is turned off.

    Attributes:
        clarity: how much of the result is shown.
    """

    place = "line"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.clarity, self.active = Clarity.NOTHING, False
        self._best: BestMoves | None = None
        self._search: Worker[Any] | None = None
        self._pane_before: str | None = None
        self._pointed: Candidate | None = None
        self._wait: Wait | None = None
        """The search for a hint, which goes on while its result is shown."""

    def handlers(self) -> Handlers:
        return {
            "hint": self.hint,
            "analysis": self.toggle,
            "next_move": partial(self.step_moves, 1),
            "previous_move": partial(self.step_moves, -1),
        }

    def panes(self) -> tuple[SidePane, ...]:
        return (
            SidePane(
                _PANE,
                N_("Analysis"),
                self._make_pane,
                self._show_pane,
                least=5,
                helps=True,
            ),
        )

    def _make_pane(self) -> Widget:
        from daoqi_tui.tui.panes.study import CandidatesPane  # noqa: PLC0415 (created when it is first shown)

        return CandidatesPane(self.host.cursor.put, id=_PANE)

    def _show_pane(self, pane: CandidatesPane, view: View) -> None:
        best = self.best if self.on else None
        pane.show(best, self.host.cursor.pointed_at, view, on=self.on, searching=self.searching)

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Drop the results; an analysis continues with the new session."""
        if self.on:
            self._best = None
        else:
            self.give_way()

    def show(self, view: View) -> None:
        """Drop a hint for another position; an analysis follows."""
        if Changed.POSITION not in view.changed:
            return
        node = view.node
        if self._best is None or self._best.node is not node or node.is_over:
            self._best = None
            if self.on:
                self._follow(node)
            elif self.clarity:
                self.give_way()

    def decorate(self, picture: Picture) -> Picture:
        if not self.shown or self._best is None:
            return picture
        # An estimate's dead stones would hide what the moves do, and what was better before would stand among them.
        return self._best.shown_on(
            picture._replace(dead=frozenset(), proposed={}), self.view.torus, self.clarity, self.host.cursor.pointed_at
        )

    def clear(self) -> bool:
        if not self.clarity:
            return False
        self.give_way()
        self.host.show_board()
        self.host.show_status()
        return True

    @property
    def on(self) -> bool:
        return self.clarity is Clarity.ALL

    @property
    def shown(self) -> bool:
        return bool(self.clarity) and self._best is not None and self._best.node is self.view.node

    @property
    def best(self) -> BestMoves | None:
        """The result for the shown position, None if there is none or it is not shown."""
        return self._best if self.shown else None

    @property
    def searching(self) -> bool:
        return self._search is not None and not self._search.is_finished

    def give_way(self) -> None:
        """Turn the hint or the analysis off, without redrawing the board."""
        self._stop_search()
        self._best = None
        if self.on and self._pane_before is not None:
            before, self._pane_before = self._pane_before, None
            if self.host.side == _PANE:
                self.host.call_later(self.host.show_side, before)
        self.clarity, self.active = Clarity.NOTHING, False

    def _stop_search(self) -> None:
        self._search = self._wait = None
        self.host.cancel("analysis")

    def hint(self) -> None:
        """Give a hint; asked again, show more, and finally continue the search."""
        from daoqi_tui.play.hints import check_searchable  # noqa: PLC0415 (a start looks for no moves)

        if self.on:
            raise Unable(with_keys(_("The analysis shows the best moves already: {analysis} stops it")))
        check_searchable(self.match.game, self.host.options.names)
        self.clarity, self.active = self.clarity.clearer, True
        self.host.stop_replay()
        self.host.replace_others(self)
        if self.shown:
            self._show()
            if self.clarity < Clarity.MOVE:
                return
        # A search that has found nothing yet would only begin again.
        if self.shown or not self.searching:
            self._begin_search(self.match.game.node)

    def toggle(self) -> None:
        if self.on:
            self.give_way()
            self.host.show_board()
            self.say(_("Analysis off"))
            return
        self.host.replace_others(self)
        self.clarity, self.active = Clarity.ALL, True
        self._pane_before = self.host.side
        self.host.call_later(self.host.show_side, _PANE)
        node = self.match.game.node
        if self.shown:
            self._show()
        elif node.is_over or self.match.game.board.no_liberties():
            self.say(with_keys(_("Analysis on: go back to a move; {analysis} stops")))
        self._follow(node)

    def options_changed(self, before: Options) -> None:
        options = self.host.options
        allowed = options.analysis_visits, options.analysis_seconds
        if self.on and allowed != (before.analysis_visits, before.analysis_seconds):
            self._follow(self.match.game.node)

    def _follow(self, node: Node) -> None:
        from daoqi_tui.play.hints import all_equal  # noqa: PLC0415

        board = self.match.game.board
        if node.is_over or board.no_liberties():
            self._stop_search()
        elif equal := all_equal(node, board.colours):
            self._stop_search()
            self.say(equal)
        else:
            self._begin_search(node)
        self.host.show_panes(Changed.EVALUATION)

    def _begin_search(self, node: Node) -> None:
        self._search = self.host.run_exclusive(partial(self._look, node), "analysis")

    async def _look(self, node: Node) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.play.analyst import HINT, Budget, analyse  # noqa: PLC0415
        from daoqi_tui.play.hints import TOO_FEW  # noqa: PLC0415

        self.match.note_help()
        budget = HINT
        if self.on:
            # Nobody looks at a position during a fast replay.
            await asyncio.sleep(_PAUSE)
            budget = Budget(self.host.options.analysis_visits, self.host.options.analysis_seconds)
        wait = Wait(_("Looking for the best moves …"), with_keys(_("{clear} stops")), budget.seconds)
        self._wait = None if self.on else wait
        waiting = ExitStack()
        if self._best is None:
            waiting.enter_context(self.host.waiting(wait))
        shown = 0.0

        def update(found: Evaluation) -> None:
            nonlocal shown
            # Each update redraws rows of the board, which would slow down a pan.
            if monotonic() - shown >= _EVERY:
                shown = monotonic()
                waiting.close()
                self._take(node, found)

        try:
            with waiting:
                found = await analyse(self.match.turns.players, self.match.game, node, budget, update)
            self._wait = None
        except PlayerError as error:
            self.give_way()
            self.host.show_board()
            raise Unable(translate(error)) from error
        if found is not None:
            self._take(node, found)
            self.match.keep_evaluation(node)
        elif self._best is None:
            self._search = None
            self.say(_(TOO_FEW))
            self.host.show_panes(Changed.EVALUATION)

    def _take(self, node: Node, found: Evaluation) -> None:
        from daoqi_tui.ai import FIRST_VISITS  # noqa: PLC0415
        from daoqi_tui.play.hints import BestMoves  # noqa: PLC0415

        game = self.match.game
        if node is game.node and game.board.empty == game.torus.full:
            # All moves are equivalent by symmetry.
            found = found._replace(lines=found.lines[:1])
        if found.visits > FIRST_VISITS or found.source == "engine":
            self.match.evaluations.note(node, found, record=True)
        if node is not self.match.game.node or not self.clarity:
            return
        self._best = BestMoves(node, node.to_move, found)
        self._show()
        self.host.show_panes(Changed.EVALUATION)

    def _show(self) -> None:
        self.host.show_board()
        self.describe()

    def describe(self) -> None:
        host, best = self.host, self.best
        if best is None:
            return
        torus, room = self.match.game.torus, host.size.width - 12
        searched = self._wait.how_far if self._wait is not None else ""
        self.say(
            best.describe(torus, host.options.names, self.clarity, host.cursor.pointed_at, room, searched=searched)
        )

    def pointed(self) -> None:
        best = self.best if self.on else None
        pointed = best.at(self.host.cursor.pointed_at) if best is not None else None
        if pointed is not self._pointed:
            self._pointed = pointed
            if best is not None:
                self.describe()
                self.host.show_panes(Changed.EVALUATION)

    def step_moves(self, step: int) -> None:
        host, best = self.host, self.best
        moves = [] if best is None or not self.on else [line.move for line in best.lines if line.move != PASS]
        if not moves:
            raise Unable(with_keys(_("There are no moves to step through: {analysis} starts the analysis")))
        point = host.cursor.pointed_at
        place = moves.index(point) + step if point in moves else 0 if step > 0 else -1
        host.cursor.put(moves[place % len(moves)])


class Review(Feature):
    """Searches every position of a line of play."""

    def __init__(self, host: Host, analysis: Analysis) -> None:
        super().__init__(host)
        self._analysis = analysis
        self._wait: Wait | None = None

    @property
    def on(self) -> bool:
        """Whether a review is under way."""
        return self._wait is not None

    def handlers(self) -> Handlers:
        return {
            "review": self.toggle,
            "next_mistake": partial(self.go_to_mistake, 1),
            "previous_mistake": partial(self.go_to_mistake, -1),
            "summary": self.show_summary,
        }

    def panes(self) -> tuple[SidePane, ...]:
        return (
            SidePane(
                "graph",
                N_("Score lead"),
                _make_graph,
                _show_graph,
                least=5,
                stands=10,
                taller=4,
                fills=_is_evaluated,
                helps=True,
            ),
        )

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        self._stop()

    def _stop(self) -> None:
        self._wait = None
        self.host.cancel("review")

    def toggle(self) -> None:
        if self.on:
            self._stop()
            self.say(_("Review stopped"))
            return
        from daoqi_tui.play.review import nodes_to_review  # noqa: PLC0415 (needed only for a review)

        line = nodes_to_review(self.match.session, self.match.variations.line)
        self._wait = wait = Wait(_("Reviewing the game …"), with_keys(_("{review} stops")))
        # Both use the same analyst, one position after the other.
        self._analysis.give_way()
        self.host.show_board()
        self.host.run_exclusive(partial(self._review, self.match.session, line, wait), "review")

    async def _review(self, session: Session, line: Sequence[Node], wait: Wait) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.play.analyst import Budget  # noqa: PLC0415
        from daoqi_tui.play.review import review  # noqa: PLC0415

        budget = Budget(self.host.options.review_visits, self.host.options.review_seconds)

        def report(place: int, found: Evaluation | None) -> None:
            text = _("{place} of {count}, at most {seconds} s each")
            wait.done = text.format(place=place, count=len(line), seconds=f"{budget.seconds:g}")
            if found is not None:
                self.host.show_panes(Changed.EVALUATION)
                self.host.show_board()

        players, evaluations = self.match.turns.players, self.match.evaluations
        try:
            with self.host.waiting(wait, unless=lambda: self._analysis.clarity):
                evaluated = await review(players, session.game, line, evaluations, budget, report=report)
        except PlayerError as error:
            self._wait = None
            raise Unable(translate(error)) from error
        self._wait = None
        await self._write(session, line, evaluated)

    async def _write(self, session: Session, line: Sequence[Node], evaluated: list[EvaluatedMove]) -> None:
        from daoqi_tui.play.problem_files import keep_mistakes  # noqa: PLC0415
        from daoqi_tui.play.review import (  # noqa: PLC0415
            describe_added,
            describe_outcome,
            mark,
            own_colours,
            problems_of,
        )
        from daoqi_tui.record.text import SgfError  # noqa: PLC0415

        game, keeper = session.game, self.match.keeper
        mark(evaluated, game.torus, self.host.options.names)
        if keeper is not None:
            for node in line:
                if node.properties:
                    keeper.journal_of(session).edited(node)
        self.host.show_panes(Changed.TREE | Changed.NOTES)
        self.host.show_board()
        if keeper is not None and game.is_over:
            try:
                await asyncio.to_thread(keeper.file, session)
            except OSError as error:
                raise Unable(describe_no_library(error)) from error
        parts = [describe_outcome(evaluated, game.torus, self.host.options.names)]
        if keeper is not None:
            found = problems_of(evaluated, session, own_colours(session, self.match.persons))
            try:
                if added := await asyncio.to_thread(keep_mistakes, found, mistakes_file()):
                    # In the line of the outcome there is no room for it.
                    news = (describe_added(added), with_keys(_("{problems}: problems")))
                    self.host.app.notify("\n".join(news), timeout=12, markup=False)
            except (SgfError, OSError) as error:
                parts.append(_("Your mistakes could not be saved: {reason}").format(reason=translate(error)))
        self.say("  ·  ".join((*parts, with_keys(_("{summary}: summary")))))

    def go_to_mistake(self, step: int) -> None:
        from daoqi_tui.play.review import next_mistake  # noqa: PLC0415 (needed only after a search)

        evaluated, node = self.view.evaluated, self.match.game.node
        found = next_mistake(evaluated, node.number, step)
        if found is None and self._wait is not None:
            # The first or last of those known so far.
            found = next_mistake(evaluated, -1 if step > 0 else len(self.view.line), step)
            if found is None or found.node is node:
                none = _("No other mistake is found yet") if found else _("No mistake is found yet")
                raise Unable(f"{none}  ·  {self._wait.describe()}")
        if found is None and not evaluated:
            self.say(with_keys(_("No move is evaluated yet: {review} reviews the game")))
        elif found is None:
            told = [_("There is no mistake after this move") if step > 0 else _("There is no mistake before this move")]
            if next_mistake(evaluated, node.number, -step) is not None:
                back = (
                    _("{previous_mistake} goes to the previous one")
                    if step > 0
                    else _("{next_mistake} goes to the next one")
                )
                told.append(with_keys(back))
            self.say("  ·  ".join(told))
        else:
            self.host.stop_replay()
            self.match.goto(found.node)

    async def show_summary(self) -> None:
        from daoqi_tui.play.review import summary_lines  # noqa: PLC0415
        from daoqi_tui.tui.screens import TextPage  # noqa: PLC0415

        lines = summary_lines(self.view.evaluated, self.view.torus, self.view.names, self.view.line)
        if not lines:
            raise Unable(with_keys(_("No move is evaluated yet: {review} reviews the game")))
        await self.host.app.push_screen(TextPage(_("Summary"), "\n".join(lines)))


def _is_evaluated(view: View) -> bool:
    """Return whether a position of the line is evaluated, so that there is a graph."""
    return any(view.evaluations.of(node) for node in view.line)


def _make_graph() -> Widget:
    from daoqi_tui.tui.panes.study import GraphPane  # noqa: PLC0415 (created when it is first shown)

    return GraphPane(id="graph")


def _show_graph(pane: GraphPane, view: View) -> None:
    pane.show(view.node, view.line, view.evaluations, view.evaluated)
