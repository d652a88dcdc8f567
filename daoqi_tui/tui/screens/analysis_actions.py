"""What can be seen in a position besides its stones: an estimate, its opening, and how the margin ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual import work

from daoqi_tui.engine import Node
from daoqi_tui.i18n import N_, _, language
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.painter import NOBODY
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.reading import Reader, ReadingFailed
from daoqi_tui.tui.screens.play_actions import PlayActions
from daoqi_tui.tui.screens.view_actions import ViewActions
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.side_panes import SidePane
from daoqi_tui.tui.widgets.panes import AreaPane
from daoqi_tui.tui.words import margin_words, now_words

if TYPE_CHECKING:
    from daoqi_tui.analysis.influence import Estimate
    from daoqi_tui.analysis.openings import OpeningIndex
    from daoqi_tui.tui.opening_view import OpeningView

OPENING: Final = "opening"
"""The pane of openings."""
_LEVELS: Final = (0.85, 0.45, 0.0)
"""Above these strengths a point is surely, probably, or likelier than not somebody's."""


class AnalysisActions(ViewActions, PlayActions):
    """Actions that show what can be read off a position. What needs numpy is imported when it is first shown."""

    estimating = False
    _estimate: tuple[Node, Estimate] | None = None
    _opening: tuple[Node, OpeningView] | None = None
    _index: OpeningIndex | None = None
    _index_asked_for = False

    async def on_unmount(self) -> None:
        """Close the index of openings."""
        if self._index is not None:
            self._index.close()

    def begin(self, session: Session) -> None:
        """Show another session, without an overlay."""
        self.estimating = False
        super().begin(session)

    # The estimate

    def action_estimate(self) -> None:
        """Show or hide who would own what."""
        self.estimating = not self.estimating
        self.counting = False
        self.show_board()
        self.show_panes()
        if self.estimating:
            area = self.estimate.area
            self.say(_("Estimate: {count}").format(count=now_words(area)) + f"  ·  {margin_words(area)}")
        else:
            self.show_position()

    def action_count(self) -> None:
        """Show or hide whose area is whose, in place of an estimate."""
        self.estimating = False
        super().action_count()

    @property
    def estimate(self) -> Estimate:
        """The estimate of the position shown."""
        game = self.session.game
        if self._estimate is None or self._estimate[0] is not game.node:
            from daoqi_tui.analysis.influence import estimate  # noqa: PLC0415 (numpy costs 100 ms)

            self._estimate = game.node, estimate(game.board, game.komi)
        return self._estimate[1]

    def show_panes(self) -> None:
        """Write all panes anew; the estimate stands where the count does."""
        pane = self.query_one(AreaPane)
        pane.TITLE = N_("Estimate") if self.estimating and not self.counting else N_("Count")
        super().show_panes()
        if self.estimating and not self.counting:
            self.set_class(True, "-counting")
            pane.show(self.estimate.area)

    # Openings

    @property
    def opening(self) -> OpeningView:
        """What is known of the opening of the game shown."""
        game = self.session.game
        if self._opening is None or self._opening[0] is not game.node:
            from daoqi_tui.tui.opening_view import library_index, look  # noqa: PLC0415 (numpy costs 100 ms)

            if not self._index_asked_for:
                self._index_asked_for = True
                self._index = library_index()
                if self._index is not None:
                    self._update_index()
            self._opening = game.node, look(game, self._index)
        return self._opening[1]

    @work(exclusive=True, group="index")
    async def _update_index(self) -> None:
        """Read the games that are new in the library, in a child process, and show what they add."""
        from daoqi_tui.record.paths import library_folder  # noqa: PLC0415

        reader = Reader()
        try:
            await reader.update_index(library_folder())
        except ReadingFailed:
            return
        finally:
            await reader.close()
        self._opening = None
        self.show_board()
        self._feed_side()

    async def show_side(self, pane: SidePane) -> None:
        """Show another pane; the one of openings writes on the board, too."""
        await super().show_side(pane)
        self.show_board()

    def action_standard(self) -> None:
        """Turn and pan the view to the standard form of the opening, or back."""
        viewport = self.board.viewport
        if not viewport.orientation.upright:
            self.action_origin()
            self.say(_("The board as it was"))
            return
        if not self.opening.opening.moves:
            self.say(_("The standard form of an opening begins with its first stone"))
            return
        from daoqi_tui.tui.orientation import Orientation  # noqa: PLC0415

        symmetry = self.opening.opening.symmetry
        corner = self.session.game.torus.position(symmetry.inverse.point(0))
        self.board.set_viewport(viewport.turned_to(Orientation(symmetry.transposed, symmetry.turns), *corner))
        self.keep_cursor_in_view()
        self.show_board()
        kind = self.opening.opening.kind
        name = f"  ·  {kind.name.chinese if language() == 'zh' else kind.name.english}" if kind else ""
        self.say(_("Standard form: Black at the top left") + name + "  ·  " + with_keys(_("{standard} turns back")))

    async def action_openings(self) -> None:
        """Show all openings of two moves."""
        from daoqi_tui.tui.screens.openings import OpeningsScreen  # noqa: PLC0415 (numpy costs 100 ms)

        kind = self.opening.opening.kind
        counts: dict[int, int] = {}
        size = self.session.game.torus.size
        if self._index is not None:
            counts = {entry.kind.number: entry.tally.games for entry in self._index.classes(size)}
        await self.app.push_screen(OpeningsScreen(size, counts, kind.number if kind else None))

    # Showing

    def decorated(self, picture: Picture) -> Picture:
        """Lay the estimate over the picture, and what others played."""
        picture = super().decorated(picture)
        if self.estimating and not self.counting:
            picture = picture._replace(strength=bytes(map(_level, self.estimate.strength)))
        if self.side.id == OPENING and (counts := self.opening.counts()):
            picture = picture._replace(labels=counts | dict(picture.labels))
        return picture


def _level(strength: float) -> int:
    """A strength from -1 to 1 as a picture has it."""
    for certain, least in zip((3, 2, 1), _LEVELS, strict=True):
        if abs(strength) > least:
            return NOBODY + (certain if strength > 0 else -certain)
    return NOBODY
