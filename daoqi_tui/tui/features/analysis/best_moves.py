"""The computer's analysis: the best moves with the points they lose, as a hint or continuously."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from textual.worker import Worker

from daoqi_tui.engine import PASS, Node
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.hints import TOO_FEW, BestMoves, Clarity
from daoqi_tui.play.looks import Options
from daoqi_tui.play.session import Session
from daoqi_tui.play.view import Changed, View
from daoqi_tui.play.wording import with_keys
from daoqi_tui.tui.feature import Feature, Handlers, SidePane
from daoqi_tui.tui.host import Host

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Candidate
    from daoqi_tui.tui.features.analysis.candidates import CandidatesPane

_EVERY: Final = 0.5
"""Seconds between updates of a running analysis."""
PAUSE: Final = 0.05
"""Seconds a position must stay before it is searched, so that a fast replay is not."""
_PANE: Final = "candidates"
"""The pane that lists the best moves."""


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
        self.clarity = Clarity.NOTHING
        self._best: BestMoves | None = None
        self._search: Worker[Any] | None = None
        self._pane_before: str | None = None
        self._pointed: Candidate | None = None

    def handlers(self) -> Handlers:
        """Return the commands of hints and the analysis."""
        return {
            "hint": self.hint,
            "analysis": self.toggle,
            "next_move": partial(self.step_moves, 1),
            "previous_move": partial(self.step_moves, -1),
        }

    def panes(self) -> tuple[SidePane, ...]:
        """Return the list of the best moves."""
        return (SidePane(_PANE, N_("Analysis"), self._make_pane, self._show_pane, helps=True),)

    def _make_pane(self) -> CandidatesPane:
        from daoqi_tui.tui.features.analysis.candidates import CandidatesPane  # noqa: PLC0415

        return CandidatesPane(self._choose, id=_PANE)

    def _show_pane(self, pane: CandidatesPane, view: View) -> None:
        best = self.best if self.on else None
        pane.show(best, self.host.cursor.pointed_at, view, on=self.on, searching=self.searching)

    def _choose(self, point: int) -> None:
        """Put the cursor on one of the best moves, whose line is then shown."""
        self.host.cursor.put(point)

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Drop the results; an analysis continues with the new session."""
        if self.on:
            self._best = None
        else:
            self.end()

    def show(self, view: View) -> None:
        """Drop a hint for another position; an analysis follows."""
        super().show(view)
        if Changed.POSITION not in view.changed:
            return
        node = view.node
        if self._best is None or self._best.node is not node or node.is_over:
            self._best = None
            if self.on:
                self._follow(node)
            elif self.clarity:
                self.end()

    def decorate(self, picture: Picture) -> Picture:
        """Show as much as requested, and the line of the move under the pointer."""
        if not self.shown or self._best is None:
            return picture
        # An estimate's dead stones would hide what the moves do.
        return self._best.shown_on(
            picture._replace(dead=frozenset()), self.view.torus, self.clarity, self.host.cursor.pointed_at
        )

    def clear(self) -> bool:
        """Remove a hint or the analysis, or stop searching for one."""
        if not self.clarity:
            return False
        self.end()
        self.host.show_board()
        self.host.show_status()
        return True

    def give_way(self) -> None:
        """End the hint or the analysis."""
        self.end()

    @property
    def on(self) -> bool:
        """True if the analysis is on."""
        return self.clarity is Clarity.ALL

    @property
    def shown(self) -> bool:
        """True if the board shows the results."""
        return bool(self.clarity) and self._best is not None and self._best.node is self.view.node

    @property
    def best(self) -> BestMoves | None:
        """The result for the shown position, None if there is none or it is not shown."""
        return self._best if self.shown else None

    @property
    def searching(self) -> bool:
        """True if a search is under way."""
        return self._search is not None and not self._search.is_finished

    def end(self) -> None:
        """Turn the hint or the analysis off, without redrawing the board."""
        self._stop_search()
        self._best = None
        if self.on and self._pane_before is not None:
            before, self._pane_before = self._pane_before, None
            if self.host.side == _PANE:
                self.host.call_later(self.host.show_side, before)
        self.clarity = Clarity.NOTHING

    def _stop_search(self) -> None:
        self._search = None
        self.host.cancel("analysis")

    def hint(self) -> None:
        """Give a hint; asked again, show more, and finally continue the search."""
        host = self.host
        if self.on:
            host.say(with_keys(_("The analysis shows the best moves already: {analysis} stops it")))
            return
        if not self._may_search():
            return
        self.clarity = self.clarity.clearer
        host.stop_replay()
        host.replace_others(self)
        if self.shown:
            self._show()
            if self.clarity < Clarity.MOVE:
                return
        self._begin_search(self.match.game.node)

    def toggle(self) -> None:
        """Turn the analysis on or off."""
        host = self.host
        if self.on:
            self.end()
            host.show_board()
            host.say(_("Analysis off"))
            return
        host.replace_others(self)
        self.clarity = Clarity.ALL
        self._pane_before = host.side
        host.call_later(host.show_side, _PANE)
        node = self.match.game.node
        if self.shown:
            self._show()
        elif node.is_over:
            host.say(with_keys(_("Analysis on: go back to a move; {analysis} stops")))
        self._follow(node)

    def options_changed(self, before: Options) -> None:
        """Search again if the options now allow other limits than before."""
        options = self.host.options
        allowed = options.analysis_visits, options.analysis_seconds
        if self.on and allowed != (before.analysis_visits, before.analysis_seconds):
            self._follow(self.match.game.node)

    def _may_search(self) -> bool:
        """Return whether there is anything to search; if not, say why."""
        host = self.host
        game = self.match.game
        if game.is_over:
            host.say(_("The game is over: go back to a move and ask again"))
            return False
        if game.board.empty == game.torus.full and game.node.number == 0:
            host.say(_("All first moves are equal: this board has no corners, no edges and no centre"))
            return False
        return True

    def _follow(self, node: Node) -> None:
        if node.is_over:
            self._stop_search()
        else:
            self._begin_search(node)
        self.host.show_panes(Changed.EVALUATION)

    def _begin_search(self, node: Node) -> None:
        self._search = self.host.run_exclusive(partial(self._look, node), "analysis")

    async def _look(self, node: Node) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.play.analyst import HINT, Budget, analyse  # noqa: PLC0415

        host = self.host
        self.match.note_help()
        budget = HINT
        if self.on:
            # Nobody looks at a position during a fast replay.
            await asyncio.sleep(PAUSE)
            budget = Budget(host.options.analysis_visits, host.options.analysis_seconds)
        if self._best is None:
            host.say(with_keys(_("Looking for the best moves … {clear} stops")))
        shown = 0.0

        def told(found: Evaluation) -> None:
            nonlocal shown
            # Each update redraws rows of the board, which would slow down a pan.
            if monotonic() - shown >= _EVERY:
                shown = monotonic()
                self._take(node, found)

        try:
            found = await analyse(self.match.players, self.match.game, node, budget, told)
        except PlayerError as error:
            self.end()
            host.show_board()
            host.say(translate(error))
            return
        if found is not None:
            self._take(node, found)
            self.match.keep_evaluation(node)
        elif self._best is None:
            self._search = None
            host.say(_(TOO_FEW))
            host.show_panes(Changed.EVALUATION)

    def _take(self, node: Node, found: Evaluation) -> None:
        host = self.host
        game = self.match.game
        if node is game.node and game.board.empty == game.torus.full:
            # All moves are equivalent by symmetry.
            found = replace(found, lines=found.lines[:1])
        self.match.evaluations.note(node, found, record=True)
        if node is not self.match.game.node or not self.clarity:
            return
        self._best = BestMoves(node, node.to_move, found)
        self._show()
        host.show_panes(Changed.EVALUATION)

    def _show(self) -> None:
        self.host.show_board()
        self.say()

    def say(self) -> None:
        """Describe the results on the status line."""
        host, best = self.host, self.best
        if best is None:
            return
        torus, room = self.match.game.torus, host.size.width - 12
        host.say(best.words(torus, host.options.names, self.clarity, host.cursor.pointed_at, room))

    def pointed(self) -> None:
        """Describe the move under the pointer."""
        best = self.best if self.on else None
        pointed = best.at(self.host.cursor.pointed_at) if best is not None else None
        if pointed is not self._pointed:
            self._pointed = pointed
            if best is not None:
                self.say()
                self.host.show_panes(Changed.EVALUATION)

    def step_moves(self, step: int) -> None:
        """Move the cursor to the next or previous best move, whose line is then shown."""
        host, best = self.host, self.best
        moves = [] if best is None or not self.on else [line.move for line in best.lines if line.move != PASS]
        if not moves:
            host.say(with_keys(_("There are no moves to step through: {analysis} starts the analysis")))
            return
        point = host.cursor.pointed_at
        place = moves.index(point) + step if point in moves else 0 if step > 0 else -1
        self._choose(moves[place % len(moves)])
