"""The review: walks the game in the background and marks the moves that lost most."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work

from daoqi_tui.engine import BLACK, Game, Node
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.opponents import STRONGEST
from daoqi_tui.tui.screens.advice_actions import AdviceActions
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.words import no_library_words

if TYPE_CHECKING:
    from daoqi_tui.tui.review import Mistake, Seen

_SECONDS: Final = 2.0
"""A position is searched no longer."""
_QUIET: Final = 2.5
"""Seconds for which other words stay on the status line."""


class ReviewActions(AdviceActions):
    """Actions of the review."""

    review_playouts: ClassVar[int] = 400
    """Playouts a position; the tree is kept from move to move, so the next begins with some of them."""
    review_looks: ClassVar[int] = 60
    """Evaluations of a network a position, which see more than so many playouts."""
    reviewing = False
    """Whether a review is under way."""
    _review_said = 0.0

    def begin(self, session: Session) -> None:
        """Show another session; a review of the one before ends."""
        self._end_review()
        super().begin(session)

    def _end_review(self) -> None:
        self.reviewing = False
        self.workers.cancel_group(self, "review")

    def action_review(self) -> None:
        """Review the line of play shown, or stop reviewing."""
        if self.reviewing:
            self._end_review()
            self.say(_("Review stopped"))
            return
        end = self.last_node()
        line = end.path()
        if not any(node.move is not None for node in line):
            self.say(_("There is no move to review yet"))
            return
        self.reviewing = True
        self._review(self.session, line)

    @work(exclusive=True, group="review")
    async def _review(self, session: Session, line: list[Node]) -> None:
        from daoqi_tui.ai.player import PlayerError  # noqa: PLC0415
        from daoqi_tui.tui.review import mistakes  # noqa: PLC0415

        game = session.game
        seen: dict[Node, Seen] = {}
        self._review_said = monotonic()
        self.say(with_keys(_("Reviewing the game … {review} stops")))
        first = line.index(session.start) if session.start in line else 0
        try:
            for place, node in enumerate(line[first:], 1):
                self._tell_review(place, len(line) - first)
                found = await self._look_at(game, node)
                if found is not None:
                    seen[node] = found
                    self.judged[node] = found.black
        except PlayerError as error:
            self.reviewing = False
            self.say(said(error))
            return
        self.reviewing = False
        await self._write_review(session, line, mistakes(line, seen))

    async def _look_at(self, game: Game, node: Node) -> Seen | None:
        """Search a position of the game; one at which the game is over says who won."""
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415
        from daoqi_tui.tui.judging import black_share  # noqa: PLC0415
        from daoqi_tui.tui.review import Seen  # noqa: PLC0415

        if node.ends_by_passes:
            # The next node of the line, if any, follows a resumption; without one the count decides.
            here = game.node
            game.goto(node)
            result = game.result
            game.goto(here)
            return None if result is None else Seen(1.0 if result.winner == BLACK else 0.0)
        position = Position.of(game, node)
        net = self.net()
        playouts = self.review_playouts if net is None else self.review_looks
        answer = await self.adviser.think(
            position, STRONGEST, playouts=playouts, seconds=_SECONDS, analyse=True, net=net
        )
        mover = node.to_move
        share = black_share(answer, mover)
        return None if share is None else Seen(share, answer.lines[0].line)

    def _tell_review(self, place: int, count: int) -> None:
        now = monotonic()
        if self._said_at != self._review_said and now - self._said_at < _QUIET:
            return
        if self.thinking is None and self._hint is None:
            self.say(with_keys(_("Reviewing: {place} of {count}  ·  {review} stops"), place=place, count=count))
            self._review_said = self._said_at

    async def _write_review(self, session: Session, line: list[Node], found: list[Mistake]) -> None:
        from daoqi_tui.tui.review import erase, summary, write  # noqa: PLC0415

        game = session.game
        for node in line:
            if erase(node) and self.keeper is not None:
                self.keeper.edited(session, node)
        for mistake in found:
            write(mistake, game.torus, self.options.names)
            self.noted(mistake.node)
        self.show_panes()
        if self.keeper is not None and game.is_over:
            try:
                await asyncio.to_thread(self.keeper.file)
            except OSError as error:
                self.say(no_library_words(error))
                return
        self.say(summary(found, game.torus, self.options.names))
