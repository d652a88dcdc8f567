"""The openings: how often each next move was played, their standard form, and the list of all of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import Game, Node, Torus
from daoqi_tui.i18n import N_, _, language
from daoqi_tui.paths import library_folder
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.background import Wait
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.match import Changed, View
from daoqi_tui.play.reading import Reader, ReadingFailed
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import Unable, with_keys
from daoqi_tui.tui.board.viewport import UPRIGHT, Orientation, Viewport
from daoqi_tui.tui.features.records import Records
from daoqi_tui.tui.host import Feature, Handlers, Host, SidePane, given

if TYPE_CHECKING:
    from daoqi_tui.analysis.opening_index import OpeningIndex
    from daoqi_tui.analysis.opening_records import SearchResult, Shape
    from daoqi_tui.play.openings import OpeningView
    from daoqi_tui.tui.features.openings.screen import OpeningPane

_PANE: Final = "opening"


class Openings(Feature):
    """Shows how often each next move was played, while the pane of openings is shown."""

    drawn_with = _PANE

    def __init__(self, host: Host, records: Records) -> None:
        super().__init__(host)
        self._records = records
        self._found: tuple[Node, OpeningView] | None = None
        self.index: OpeningIndex | None = None
        self._index_asked_for = False
        self._turned: tuple[Viewport, Viewport] | None = None
        """The view before and after it was turned to the standard form."""
        self._reader = Reader()
        self._is_searching = False

    def handlers(self) -> Handlers:
        return {"standard": self.turn_or_back, "openings": self.asking(self.list_all), "find": self.asking(self.find)}

    def panes(self) -> tuple[SidePane, ...]:
        return (SidePane(_PANE, N_("Opening"), _make_pane, self._show_pane, helps=True),)

    def _show_pane(self, pane: OpeningPane, view: View) -> None:
        pane.show(self.current, view.torus, view.names)

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        self._turned = None

    async def close(self) -> None:
        await self._reader.close()
        if self.index is not None:
            self.index.close()

    def decorate(self, picture: Picture) -> Picture:
        if self.host.may_help and (counts := self.current.counts()):
            return picture._replace(labels=counts | dict(picture.labels))
        return picture

    @property
    def current(self) -> OpeningView:
        game = self.match.game
        if self._found is None or self._found[0] is not game.node:
            from daoqi_tui.play.openings import opening_view  # noqa: PLC0415 (a start shows no openings)

            self._open_index()
            self._found = game.node, opening_view(game, self.index)
        return self._found[1]

    def _open_index(self) -> None:
        """Open the index of the library, and update it in the background, when it is first needed."""
        from daoqi_tui.play.openings import library_index  # noqa: PLC0415

        if not self._index_asked_for:
            self._index_asked_for = True
            self.index = library_index()
            if self.index is not None:
                self.host.run_exclusive(self._update_index, "index")

    async def _update_index(self) -> None:
        reader = Reader()
        try:
            await reader.update_index(library_folder())
        except ReadingFailed:
            return
        finally:
            await reader.close()
        self._found = None
        self.host.show_board()
        self.host.show_panes(Changed.EVALUATION)

    def turn_back(self) -> bool:
        """Restore the view from before it was turned to the standard form; return whether it showed that."""
        turned, self._turned = self._turned, None
        viewport = self.host.board.viewport
        if turned is None or viewport.orientation != turned[1].orientation:
            return False
        if viewport == viewport.at_origin() != turned[1]:
            return False  # it was reset meanwhile
        before = turned[0]
        back = viewport._replace(x=before.x, y=before.y, orientation=before.orientation)
        if (before.cell, before.width, before.height) != (viewport.cell, viewport.width, viewport.height):
            back = back.centred_on(*before.middle_point())
        self.host.cursor.look(back)
        return True

    def turn_to_standard(self) -> None:
        host, opening = self.host, self.current.opening
        if not opening.moves:
            raise Unable(_("There is no standard form before the first stone"))
        symmetry = opening.symmetry
        corner = self.match.game.torus.position(symmetry.inverse.point(0))
        orientation = Orientation(symmetry.transposed, symmetry.turns)
        before = host.board.viewport
        host.board.set_viewport(before.turned_to(orientation, *corner))
        self._turned = before, host.board.viewport
        host.cursor.keep_in_view()
        host.show_board()
        kind = opening.kind
        name = f"  ·  {kind.name.in_language(language())}" if kind else ""
        self.say(_("Standard form: Black at the top left") + name + "  ·  " + with_keys(_("{standard} turns back")))

    def turn_or_back(self) -> None:
        if self.turn_back():
            self.say(_("View turned back"))
        elif self.host.board.viewport.orientation == UPRIGHT:
            self.turn_to_standard()
        else:
            self.host.cursor.reset_view()
            self.say(_("View reset"))

    async def list_all(self) -> None:
        from daoqi_tui.analysis.opening import opening_number  # noqa: PLC0415 (a start shows no openings)
        from daoqi_tui.play.openings import OpeningBrowser  # noqa: PLC0415
        from daoqi_tui.tui.features.openings.screen import OpeningsScreen  # noqa: PLC0415

        async def search(game: Game) -> Evaluation | None:
            from daoqi_tui.play.analyst import OPENING, analyse  # noqa: PLC0415 (the list needs none)

            # The current game may have reached this position.
            self.match.note_help()
            return await analyse(self.match.turns.players, game, game.node, OPENING)

        self._open_index()
        game = self.match.game
        browser = OpeningBrowser(game.torus.size, self.index)
        number = opening_number(game)
        page = OpeningsScreen(browser, number, search, self.host.options.names)
        await self._records.open_file(given(await self.host.questions.answer_to(page)))

    async def find(self) -> None:
        """Ask whether to find the position or the shape around the cursor, and search."""
        from daoqi_tui.play.openings import shape_around  # noqa: PLC0415 (a start shows no openings)
        from daoqi_tui.tui.features.openings.screen import subject_picker  # noqa: PLC0415

        game = self.match.game
        sides = [side for side in _SHAPES if side < game.torus.size]
        chosen = given(await self.host.questions.answer_to(subject_picker(sides)))
        with Unable.instead_of(ValueError):
            shape = shape_around(game, self.host.cursor.point, sides[chosen - 1]) if chosen else None
        # The next moves of other games are advice.
        self.match.note_help()
        self._is_searching = True
        self.host.run_exclusive(partial(self._search, shape), _SEARCH)

    async def _search(self, shape: Shape | None) -> None:
        from daoqi_tui.ai import Position  # noqa: PLC0415

        searching = _("Searching the library …")
        wait = Wait(searching, with_keys(_("{clear} stops")))

        def report(share: float) -> None:
            wait.what = _("Indexing the library …") if share < 1 else searching
            wait.done = f"{share:.0%}" if share < 1 else ""

        try:
            with Unable.instead_of(ReadingFailed), self.host.waiting(wait):
                found = await self._reader.search(library_folder(), Position.of(self.match.game), shape, report)
        finally:
            self._is_searching = False
            self._found = None
        if not found.hits:
            raise Unable(_("No game in your library has it"))
        self.say("")
        self.host.questions.run_in_turn(partial(self._choose, found, self.match.game.torus))

    def clear(self) -> bool:
        if not self._is_searching:
            return False
        self.host.cancel(_SEARCH)
        self.say(_("Search stopped"))
        return True

    async def _choose(self, found: SearchResult, torus: Torus) -> None:
        """Ask which of the games found to open."""
        from daoqi_tui.play.openings import file_of, place_in_file  # noqa: PLC0415
        from daoqi_tui.tui.features.openings.screen import found_picker  # noqa: PLC0415

        chosen = given(await self.host.questions.answer_to(found_picker(found, torus, self.host.options.names)))
        hit = found.hits[chosen]
        if await self._records.open_file(Path(file_of(hit.source)), place_in_file(hit.source)):
            game = self.match.game
            line = (game.root, *game.root.line())
            self.match.goto(line[min(hit.depth, len(line) - 1)])


_SEARCH: Final = "find"
_SHAPES: Final = (3, 5, 7, 9)
"""The sides of the squares around the cursor that can be searched."""


def _make_pane() -> OpeningPane:
    from daoqi_tui.tui.features.openings.screen import OpeningPane  # noqa: PLC0415 (a start shows no openings)

    return OpeningPane(id=_PANE)
