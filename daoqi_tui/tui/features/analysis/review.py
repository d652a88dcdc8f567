"""The review: evaluates the game in the background, marks the moves that lost most, and steps through them."""

from __future__ import annotations

import asyncio
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import Node
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.play.evaluation import Evaluation, JudgedMove
from daoqi_tui.play.session import Session
from daoqi_tui.play.view import Changed, View
from daoqi_tui.play.wording import describe_no_library, with_keys
from daoqi_tui.tui.feature import Feature, Handlers, SidePane
from daoqi_tui.tui.features.analysis.best_moves import Analysis
from daoqi_tui.tui.host import Host

if TYPE_CHECKING:
    from daoqi_tui.tui.panes.graph import GraphPane

_QUIET: Final = 2.5
"""Seconds for which other messages stay on the status line."""


class Review(Feature):
    """Searches every position of a line of play.

    Attributes:
        on: whether a review is under way.
    """

    def __init__(self, host: Host, analysis: Analysis) -> None:
        super().__init__(host)
        self._analysis = analysis
        self.on = False
        self._said_at = 0.0

    def handlers(self) -> Handlers:
        """Return the commands of the review."""
        return {
            "review": self.toggle,
            "next_mistake": partial(self.go_to_mistake, 1),
            "previous_mistake": partial(self.go_to_mistake, -1),
            "summary": self.show_summary,
        }

    def panes(self) -> tuple[SidePane, ...]:
        """Return the graph of the score lead."""
        return (SidePane("graph", N_("Score lead"), _make_graph, _show_graph, stands_from=36, helps=True),)

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Stop the review of the previous session."""
        self._stop()

    def _stop(self) -> None:
        self.on = False
        self.host.cancel("review")

    def toggle(self) -> None:
        """Review the line of play shown, or stop reviewing."""
        host = self.host
        if self.on:
            self._stop()
            host.say(_("Review stopped"))
            return
        line = self.match.variations.last_node().path()
        if not any(node.move is not None for node in line):
            host.say(_("There is no move to review yet"))
            return
        self.on = True
        # Both use the same analyst, one position after the other.
        self._analysis.give_way()
        host.show_board()
        host.run_exclusive(partial(self._review, self.match.session, line), "review")

    async def _review(self, session: Session, line: list[Node]) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.play.analyst import REVIEW  # noqa: PLC0415
        from daoqi_tui.play.review import review  # noqa: PLC0415

        host = self.host
        self._said_at = monotonic()
        host.say(with_keys(_("Reviewing the game … {review} stops")))
        line = line[line.index(session.start) if session.start in line else 0 :]

        def tell(place: int, found: Evaluation | None) -> None:
            self._tell(place, len(line))
            if found is not None:
                host.show_panes(Changed.EVALUATION)

        try:
            judged = await review(self.match.players, session.game, line, self.match.evaluations, REVIEW, tell=tell)
        except PlayerError as error:
            self.on = False
            host.say(translate(error))
            return
        self.on = False
        await self._write(session, line, judged)

    def _tell(self, place: int, count: int) -> None:
        host, now = self.host, monotonic()
        if host.said_at != self._said_at and now - host.said_at < _QUIET:
            return
        if self.match.thinking is None and not self._analysis.clarity:
            host.say(with_keys(_("Reviewing: {place} of {count}  ·  {review} stops"), place=place, count=count))
            self._said_at = host.said_at

    async def _write(self, session: Session, line: list[Node], judged: list[JudgedMove]) -> None:
        """Mark the mistakes in the record, and save it with them and the evaluations."""
        from daoqi_tui.play.review import describe_outcome, mark  # noqa: PLC0415

        host = self.host
        game, keeper = session.game, self.match.keeper
        mark(judged, game.torus, host.options.names)
        if keeper is not None:
            for node in line:
                if node.properties:
                    keeper.write_notes(session, node)
        host.show_panes(Changed.TREE | Changed.NOTES)
        if keeper is not None and game.is_over:
            try:
                await asyncio.to_thread(keeper.file, session)
            except OSError as error:
                host.say(describe_no_library(error))
                return
        host.say(
            describe_outcome(judged, game.torus, host.options.names) + "  ·  " + with_keys(_("{summary}: summary"))
        )

    def go_to_mistake(self, step: int) -> None:
        """Go to the next or the previous mistake of the line of play shown."""
        from daoqi_tui.play.review import next_mistake  # noqa: PLC0415 (needed only after a search)

        host, judged = self.host, self.view.judged
        found = next_mistake(judged, self.match.game.node.number, step)
        if found is None and self.on and step > 0:
            host.say(_("No mistake is found after this move yet: the review goes on"))
            return
        if not judged:
            host.say(with_keys(_("No move is evaluated yet: {review} reviews the game")))
            return
        if found is None:
            host.say(
                _("There is no mistake after this move") if step > 0 else _("There is no mistake before this move")
            )
            return
        host.stop_replay()
        self.match.goto(found.node)

    async def show_summary(self) -> None:
        """Show how both sides played."""
        from daoqi_tui.play.review import summary_lines  # noqa: PLC0415
        from daoqi_tui.tui.screens.dialogs import TextPage  # noqa: PLC0415

        lines = summary_lines(self.view.judged, self.view.torus, self.view.names)
        if not lines:
            self.host.say(with_keys(_("No move is evaluated yet: {review} reviews the game")))
            return
        await self.host.app.push_screen(TextPage(_("Summary"), "\n".join(lines)))


def _make_graph() -> GraphPane:
    from daoqi_tui.tui.panes.graph import GraphPane  # noqa: PLC0415

    return GraphPane(id="graph")


def _show_graph(pane: GraphPane, view: View) -> None:
    pane.show(view.node, view.end, view.evaluations, view.judged)
