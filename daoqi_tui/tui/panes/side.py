"""The panes in the lower part of the side: one shows at a time, Tab switches to the next.

In a high window some are shown below it permanently. A pane is created when it first shows, and updated only while it
shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from textual.widget import Widget

from daoqi_tui.i18n import N_
from daoqi_tui.tui.panes.history import HistoryPane, TreePane, history_rows, lay_out

if TYPE_CHECKING:
    from daoqi_tui.tui.game.screen import GameScreen


class SidePane(NamedTuple):
    """A pane of the side.

    Attributes:
        id: the identifier of the pane and of its widget.
        title: the title on the border.
        make: creates the widget.
        feed: shows the screen's position in the widget.
        stands_from: the height, in rows, of a wide window from which it is shown below the pane that Tab selects; 0 for
            never.
        helps: whether it would help a player, so that it is hidden from the players of an online game in progress.
    """

    id: str
    title: str
    make: Callable[[], Widget]
    feed: Callable[[Widget, GameScreen], None]
    stands_from: int = 0
    helps: bool = False


def _make_history() -> Widget:
    return HistoryPane(id="history")


def _feed_history(widget: Widget, screen: GameScreen) -> None:
    assert isinstance(widget, HistoryPane)
    game = screen.session.game
    if screen.tree_version != widget.tree_version:
        widget.tree_version = screen.tree_version
        widget.show_rows(history_rows(game.root), game.torus, screen.options.names)
    widget.show_current(game.node)


def _make_tree() -> Widget:
    return TreePane(id="tree")


def _feed_tree(widget: Widget, screen: GameScreen) -> None:
    assert isinstance(widget, TreePane)
    if screen.tree_version != widget.tree_version:
        widget.tree_version = screen.tree_version
        widget.show_tree(lay_out(screen.session.game.root))
    widget.show_current(screen.session.game.node)


def _make_minimap() -> Widget:
    from daoqi_tui.tui.panes.minimap import MinimapPane  # noqa: PLC0415

    return MinimapPane(id="minimap")


def _feed_minimap(widget: Widget, screen: GameScreen) -> None:
    from daoqi_tui.tui.panes.minimap import MinimapPane  # noqa: PLC0415

    assert isinstance(widget, MinimapPane)
    widget.follow(screen.board, screen.options.names)


def _make_torus() -> Widget:
    from daoqi_tui.tui.panes.torus import TorusView  # noqa: PLC0415 (numpy costs 100 ms)

    return TorusView(id="torus")


def _feed_torus(widget: Widget, screen: GameScreen) -> None:
    from daoqi_tui.tui.panes.torus import TorusView  # noqa: PLC0415

    assert isinstance(widget, TorusView)
    widget.follow(screen.board)


def _make_graph() -> Widget:
    from daoqi_tui.tui.panes.graph import GraphPane  # noqa: PLC0415

    return GraphPane(id="graph")


def _feed_graph(widget: Widget, screen: GameScreen) -> None:
    from daoqi_tui.tui.panes.graph import GraphPane  # noqa: PLC0415

    assert isinstance(widget, GraphPane)
    widget.show(screen.session.game, screen.match.variations.last_node(), screen.evaluations, screen.judged())


def _make_candidates() -> Widget:
    from daoqi_tui.tui.panes.candidates import CandidatesPane  # noqa: PLC0415

    return CandidatesPane(id="candidates")


def _feed_candidates(widget: Widget, screen: GameScreen) -> None:
    from daoqi_tui.tui.panes.candidates import CandidatesPane  # noqa: PLC0415

    assert isinstance(widget, CandidatesPane)
    widget.show(screen)


def _make_opening() -> Widget:
    from daoqi_tui.tui.panes.opening import OpeningPane  # noqa: PLC0415 (numpy costs 100 ms)

    return OpeningPane(id="opening")


def _feed_opening(widget: Widget, screen: GameScreen) -> None:
    from daoqi_tui.tui.panes.opening import OpeningPane  # noqa: PLC0415

    assert isinstance(widget, OpeningPane)
    widget.show(screen.opening.view, screen.session.game.torus, screen.options.names)


SIDE_PANES: Final[tuple[SidePane, ...]] = (
    SidePane("history", N_("History"), _make_history, _feed_history),
    SidePane("tree", N_("Tree"), _make_tree, _feed_tree),
    SidePane("minimap", N_("Map"), _make_minimap, _feed_minimap, stands_from=54),
    SidePane("torus", N_("3-D torus"), _make_torus, _feed_torus),
    SidePane("graph", N_("Score lead"), _make_graph, _feed_graph, stands_from=36, helps=True),
    SidePane("candidates", N_("Analysis"), _make_candidates, _feed_candidates, helps=True),
    SidePane("opening", N_("Opening"), _make_opening, _feed_opening, helps=True),
)
