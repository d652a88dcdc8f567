"""The review: evaluates the game in the background and marks the moves that lost most."""

from __future__ import annotations

import asyncio
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import Node
from daoqi_tui.i18n import _, words_of
from daoqi_tui.play.session import Session
from daoqi_tui.play.words import no_library_words, with_keys
from daoqi_tui.tui.game.overlay import Overlay

if TYPE_CHECKING:
    from daoqi_tui.play.evaluation import Evaluation, JudgedMove
    from daoqi_tui.tui.game.screen import GameScreen

_QUIET: Final = 2.5
"""Seconds for which other messages stay on the status line."""


class Review(Overlay):
    """Searches every position of a line of play.

    Attributes:
        on: whether a review is under way.
    """

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self.on = False
        self._said_at = 0.0

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        """Stop the review of the previous session."""
        self._stop()

    def _stop(self) -> None:
        self.on = False
        self._screen.workers.cancel_group(self._screen, "review")

    def toggle(self) -> None:
        """Review the line of play shown, or stop reviewing."""
        screen = self._screen
        if self.on:
            self._stop()
            screen.say(_("Review stopped"))
            return
        line = screen.match.variations.last_node().path()
        if not any(node.move is not None for node in line):
            screen.say(_("There is no move to review yet"))
            return
        self.on = True
        # Both use the same analyst, one position after the other.
        screen.analysis.end()
        screen.show_board()
        screen.run_exclusive(partial(self._review, screen.session, line), "review")

    async def _review(self, session: Session, line: list[Node]) -> None:
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415
        from daoqi_tui.play.analyst import review_budget  # noqa: PLC0415
        from daoqi_tui.play.review import review  # noqa: PLC0415

        screen = self._screen
        self._said_at = monotonic()
        screen.say(with_keys(_("Reviewing the game … {review} stops")))
        line = line[line.index(session.start) if session.start in line else 0 :]

        def tell(place: int, found: Evaluation | None) -> None:
            self._tell(place, len(line))
            if found is not None:
                screen.panes.feed_side()

        budget = review_budget(screen.match.players)
        try:
            judged = await review(screen.match.players, session.game, line, screen.evaluations, budget, tell=tell)
        except PlayerError as error:
            self.on = False
            screen.say(words_of(error))
            return
        self.on = False
        await self._write(session, line, judged)

    def _tell(self, place: int, count: int) -> None:
        screen, now = self._screen, monotonic()
        if screen.status.said_at != self._said_at and now - screen.status.said_at < _QUIET:
            return
        if screen.match.thinking is None and not screen.analysis.clarity:
            screen.say(with_keys(_("Reviewing: {place} of {count}  ·  {review} stops"), place=place, count=count))
            self._said_at = screen.status.said_at

    async def _write(self, session: Session, line: list[Node], judged: list[JudgedMove]) -> None:
        """Mark the mistakes in the record, and save it with them and the evaluations."""
        from daoqi_tui.play.review import mark, outcome_words  # noqa: PLC0415

        screen = self._screen
        game, keeper = session.game, screen.keeper
        mark(judged, game.torus, screen.options.names)
        if keeper is not None:
            for node in line:
                if node.properties:
                    keeper.write_notes(session, node)
        screen.tree_changed()
        screen.show_panes()
        if keeper is not None and game.is_over:
            try:
                await asyncio.to_thread(keeper.file, session)
            except OSError as error:
                screen.say(no_library_words(error))
                return
        screen.say(
            outcome_words(judged, game.torus, screen.options.names) + "  ·  " + with_keys(_("{summary}: summary"))
        )
