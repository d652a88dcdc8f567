"""Overlays of the computer's analysis: the best moves with the points they lose, and the estimated territory."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from textual.worker import Worker

from daoqi_tui.engine import PASS, Area, Node, TwoPasses
from daoqi_tui.i18n import N_, _, words_of
from daoqi_tui.pictures.picture import NOBODY, Picture
from daoqi_tui.play.hints import TOO_FEW, BestMoves, Clarity
from daoqi_tui.play.session import Session
from daoqi_tui.play.words import margin_words, with_keys
from daoqi_tui.tui.game.overlay import Overlay
from daoqi_tui.tui.panes.side import SIDE_PANES, SidePane

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Candidate, Estimated
    from daoqi_tui.analysis.influence import InfluenceEstimate
    from daoqi_tui.play.evaluation import Evaluation
    from daoqi_tui.play.looks import Options
    from daoqi_tui.tui.game.screen import GameScreen

_EVERY: Final = 0.5
"""Seconds between updates of a running analysis."""
_PANE: Final = "candidates"
"""The pane that lists the best moves."""


class AnalysisOverlay(Overlay):
    """Searches the shown position and draws the best moves over the board.

    A hint shows the result step by step and is dropped with the next move; the analysis shows all of it, and follows
    the viewed position until it is turned off.

    Attributes:
        clarity: how much of the result is shown.
    """

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self.clarity = Clarity.NOTHING
        self._best: BestMoves | None = None
        self._search: Worker[Any] | None = None
        self._pane_before: SidePane | None = None
        self._pointed: Candidate | None = None

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Drop the results; an analysis continues with the new session."""
        if self.on:
            self._best = None
        else:
            self.end()

    def moved(self, node: Node) -> None:
        """Drop a hint for another position; an analysis follows."""
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
        screen = self._screen
        return self._best.shown_on(picture, screen.session.game.torus, self.clarity, screen.cursor.pointed_at)

    def clear(self) -> bool:
        """Remove a hint or the analysis, or stop searching for one."""
        if not self.clarity:
            return False
        self.end()
        self._screen.show_board()
        self._screen.status.show()
        return True

    @property
    def on(self) -> bool:
        """True if the analysis is on."""
        return self.clarity is Clarity.ALL

    @property
    def shown(self) -> bool:
        """True if the board shows the results."""
        return bool(self.clarity) and self._best is not None and self._best.node is self._screen.session.game.node

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
            if self._screen.panes.side.id == _PANE:
                self._screen.call_later(self._screen.panes.show_side, before)
        self.clarity = Clarity.NOTHING

    def _stop_search(self) -> None:
        self._search = None
        self._screen.workers.cancel_group(self._screen, "analysis")

    def hint(self) -> None:
        """Give a hint; asked again, show more, and finally continue the search."""
        screen = self._screen
        if self.on:
            screen.say(with_keys(_("The analysis shows the best moves already: {analysis} stops it")))
            return
        if not self._may_search():
            return
        self.clarity = self.clarity.clearer
        screen.replay.stop()
        screen.ladder.end()
        if self.shown:
            self._show()
            if self.clarity < Clarity.MOVE:
                return
        self._begin_search(screen.session.game.node)

    def toggle(self) -> None:
        """Turn the analysis on or off."""
        screen = self._screen
        if self.on:
            self.end()
            screen.show_board()
            screen.say(_("Analysis off"))
            return
        screen.ladder.end()
        self.clarity = Clarity.ALL
        self._pane_before = screen.panes.side
        pane = next(pane for pane in SIDE_PANES if pane.id == _PANE)
        screen.call_later(screen.panes.show_side, pane)
        node = screen.session.game.node
        if self.shown:
            self._show()
        elif node.is_over:
            screen.say(with_keys(_("Analysis on: go back to a move; {analysis} stops")))
        self._follow(node)

    def use_budget(self, before: Options) -> None:
        """Search again if the options now allow other limits than ``before``."""
        options = self._screen.options
        allowed = options.analysis_visits, options.analysis_seconds
        if self.on and allowed != (before.analysis_visits, before.analysis_seconds):
            self._follow(self._screen.session.game.node)

    def _may_search(self) -> bool:
        """Return whether there is anything to search; if not, say why."""
        screen = self._screen
        game = screen.session.game
        if game.is_over:
            screen.say(_("The game is over: go back to a move and ask again"))
            return False
        if game.board.empty == game.torus.full and game.node.number == 0:
            screen.say(_("All first moves are equal: this board has no corners, no edges and no centre"))
            return False
        return True

    def _follow(self, node: Node) -> None:
        if node.is_over:
            self._stop_search()
        else:
            self._begin_search(node)
        self._screen.panes.feed_side()

    def _begin_search(self, node: Node) -> None:
        self._search = self._screen.run_exclusive(partial(self._look, node), "analysis")

    async def _look(self, node: Node) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.play.analyst import HINT, Budget, analyse  # noqa: PLC0415

        screen = self._screen
        screen.match.note_help()
        budget = HINT
        if self.on:
            # Nobody looks at a position during a fast replay.
            await asyncio.sleep(_PAUSE)
            budget = Budget(screen.options.analysis_visits, screen.options.analysis_seconds)
        if self._best is None:
            screen.say(with_keys(_("Looking for the best moves … {clear} stops")))
        shown = 0.0

        def told(found: Evaluation) -> None:
            nonlocal shown
            # Each update redraws rows of the board, which would slow down a pan.
            if monotonic() - shown >= _EVERY:
                shown = monotonic()
                self._take(node, found)

        try:
            found = await analyse(screen.match.players, screen.session.game, node, budget, told)
        except PlayerError as error:
            self.end()
            screen.show_board()
            screen.say(words_of(error))
            return
        if found is not None:
            self._take(node, found)
            screen.match.keep_evaluation(node)
        elif self._best is None:
            self._search = None
            screen.say(_(TOO_FEW))
            screen.panes.feed_side()

    def _take(self, node: Node, found: Evaluation) -> None:
        screen = self._screen
        game = screen.session.game
        if node is game.node and game.board.empty == game.torus.full:
            # All moves are equivalent by symmetry.
            found = replace(found, lines=found.lines[:1])
        screen.evaluations.note(node, found, record=True)
        if node is not screen.session.game.node or not self.clarity:
            return
        self._best = BestMoves(node, node.to_move, found)
        self._show()
        screen.panes.feed_side()

    def _show(self) -> None:
        self._screen.show_board()
        self.say()

    def say(self) -> None:
        """Describe the results on the status line."""
        screen, best = self._screen, self.best
        if best is None:
            return
        torus, room = screen.session.game.torus, screen.size.width - 12
        screen.say(best.words(torus, screen.options.names, self.clarity, screen.cursor.pointed_at, room))

    def pointed(self) -> None:
        """Describe the move under the pointer."""
        best = self.best if self.on else None
        pointed = best.at(self._screen.cursor.pointed_at) if best is not None else None
        if pointed is not self._pointed:
            self._pointed = pointed
            if best is not None:
                self.say()
                self._screen.panes.feed_side()

    def step(self, step: int) -> None:
        """Move the cursor to the next or previous best move, whose line is then shown."""
        screen, best = self._screen, self.best
        moves = [] if best is None or not self.on else [line.move for line in best.lines if line.move != PASS]
        if not moves:
            screen.say(with_keys(_("There are no moves to step through: {analysis} starts the analysis")))
            return
        point = screen.cursor.pointed_at
        place = moves.index(point) + step if point in moves else 0 if step > 0 else -1
        self.point_at(moves[place % len(moves)])

    def point_at(self, point: int) -> None:
        """Move the cursor to a point; if it is one of the best moves, its line is shown."""
        screen = self._screen
        screen.cursor.point = point
        screen.board.set_viewport(screen.board.viewport.showing(*screen.session.game.torus.position(point)))
        screen.cursor.show()


_PAUSE: Final = 0.05
"""Seconds a position must stay before it is estimated, so that a fast replay is not."""
_LEVELS: Final = (0.85, 0.45, 0.0)
"""The strengths above which a point certainly, probably, or more likely than not belongs to a side."""


class EstimateOverlay(Overlay):
    """Shows the estimated territory, unless the score is shown.

    Attributes:
        on: whether it was requested.
    """

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self.on = False
        self._by_influence: tuple[Node, InfluenceEstimate] | None = None
        self._by_computer: tuple[Node, Estimated] | None = None

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Hide the estimate."""
        self._by_computer = None
        self._end()

    def _end(self) -> None:
        self.on = False
        self._screen.workers.cancel_group(self._screen, "expected")

    def moved(self, node: Node) -> None:  # noqa: ARG002 (the interface)
        """Estimate another position; after two passes, the result takes its place."""
        if self.on and isinstance(self._screen.session.game.ending, TwoPasses):
            self._end()
        elif self.on:
            self._ask()

    def toggle(self) -> None:
        """Show or hide the estimated territory."""
        screen = self._screen
        if not self.on and isinstance(screen.session.game.ending, TwoPasses):
            # An estimate next to the score would only contradict it.
            screen.counting.show(on=True)
            screen.say(with_keys(_("The game is over: the count shows, and {dead} marks dead stones")))
            return
        self.on = not self.on
        screen.counting.on = False
        screen.show_board()
        screen.show_panes()
        if self.on:
            screen.say(_("Estimating … until then the influence of the stones shows"))
            self._ask()
        else:
            screen.show_position()

    @property
    def shows(self) -> bool:
        """True if the board shows the estimate."""
        return self.on and not self._screen.counting.on

    @property
    def now(self) -> InfluenceEstimate:
        """The estimate of the shown position."""
        game = self._screen.session.game
        if self._by_influence is None or self._by_influence[0] is not game.node:
            from daoqi_tui.analysis.influence import estimate  # noqa: PLC0415 (numpy costs 100 ms)

            self._by_influence = game.node, estimate(game.board, game.komi)
        return self._by_influence[1]

    @property
    def by_computer(self) -> Estimated | None:
        """The computer's estimate of the shown position, None if it was not requested."""
        if self._by_computer is None or self._by_computer[0] is not self._screen.session.game.node:
            return None
        return self._by_computer[1]

    def area(self) -> tuple[str, Area, str] | None:
        """Return the estimated area."""
        if not self.shows:
            return None
        from daoqi_tui.play.analyst import expected_margin_words  # noqa: PLC0415

        area, found = self.now.area, self.by_computer
        if found is None:
            return N_("Estimate"), area, _("{margin} (influence)").format(margin=margin_words(area))
        return N_("Estimate"), area, expected_margin_words(found)

    def decorate(self, picture: Picture) -> Picture:
        """Show the strength of each side at each point, and stones that are expected to be captured."""
        if not self.shows:
            return picture
        picture = picture._replace(strength=bytes(map(_level, self.now.strength)))
        if self.by_computer is None or self._screen.analysis.shown:
            return picture
        from daoqi_tui.play.analyst import dead_in  # noqa: PLC0415

        return picture._replace(dead=picture.dead | dead_in(picture.stones, self.by_computer))

    def _ask(self) -> None:
        self._screen.run_exclusive(self._ask_computer, "expected")

    async def _ask_computer(self) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415
        from daoqi_tui.play.analyst import ESTIMATE_SECONDS, estimate_of, expected_words  # noqa: PLC0415

        screen = self._screen
        game = screen.session.game
        node = game.node
        if self.by_computer is None:
            await asyncio.sleep(_PAUSE)
            position = Position.of(game)
            try:
                found = await screen.match.players.adviser.estimate(position, seconds=ESTIMATE_SECONDS)
            except PlayerError as error:
                screen.say(words_of(error))
                return
            if game is not screen.session.game or node is not game.node:
                return
            self._by_computer = node, found
            self._by_influence = node, estimate_of(game.board, game.komi, found)
        if self.on:
            screen.show_board()
            screen.show_panes()
            if self.by_computer is not None:
                screen.say(expected_words(self.by_computer))


def _level(strength: float) -> int:
    """Convert a strength from -1 to 1 to that of a picture."""
    for certain, least in zip((3, 2, 1), _LEVELS, strict=True):
        if abs(strength) > least:
            return NOBODY + (certain if strength > 0 else -certain)
    return NOBODY
