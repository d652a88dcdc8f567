"""The panes that share the lower part of the side: one shows at a time, Tab goes on to the next.

A pane is made when it is first looked at, and fed only while it shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from textual.widget import Widget

from daoqi_tui.i18n import N_
from daoqi_tui.tui.history_rows import history_rows
from daoqi_tui.tui.widgets.history import HistoryPane

if TYPE_CHECKING:
    from daoqi_tui.tui.screens.display import GameDisplay


class SidePane(NamedTuple):
    """One of the panes.

    Attributes:
        id: its identifier, which is also its widget's.
        title: what stands on its border.
        make: makes the widget.
        feed: shows the screen's position in the widget.
    """

    id: str
    title: str
    make: Callable[[], Widget]
    feed: Callable[[Widget, GameDisplay], None]


def _make_history() -> Widget:
    return HistoryPane(id="history")


def _feed_history(widget: Widget, screen: GameDisplay) -> None:
    assert isinstance(widget, HistoryPane)
    game = screen.session.game
    if screen.tree_version != widget.tree_version:
        widget.tree_version = screen.tree_version
        widget.show_rows(history_rows(game.root), game.torus, screen.options.names)
    widget.show_current(game.node)


def _make_tree() -> Widget:
    from daoqi_tui.tui.widgets.tree import TreePane  # noqa: PLC0415

    return TreePane(id="tree")


def _feed_tree(widget: Widget, screen: GameDisplay) -> None:
    from daoqi_tui.tui.tree_layout import lay_out  # noqa: PLC0415
    from daoqi_tui.tui.widgets.tree import TreePane  # noqa: PLC0415

    assert isinstance(widget, TreePane)
    if screen.tree_version != widget.tree_version:
        widget.tree_version = screen.tree_version
        widget.show_tree(lay_out(screen.session.game.root))
    widget.show_current(screen.session.game.node)


def _make_minimap() -> Widget:
    from daoqi_tui.tui.widgets.minimap import MinimapPane  # noqa: PLC0415

    return MinimapPane(id="minimap")


def _feed_minimap(widget: Widget, screen: GameDisplay) -> None:
    from daoqi_tui.tui.widgets.minimap import MinimapPane  # noqa: PLC0415

    assert isinstance(widget, MinimapPane)
    widget.follow(screen.board, screen.options.names)


def _make_torus() -> Widget:
    from daoqi_tui.tui.widgets.torus3d import TorusView  # noqa: PLC0415 (numpy costs 100 ms)

    return TorusView(id="torus")


def _feed_torus(widget: Widget, screen: GameDisplay) -> None:
    from daoqi_tui.tui.widgets.torus3d import TorusView  # noqa: PLC0415

    assert isinstance(widget, TorusView)
    widget.follow(screen.board)


def _make_graph() -> Widget:
    from daoqi_tui.tui.widgets.graph import GraphPane  # noqa: PLC0415

    return GraphPane(id="graph")


def _feed_graph(widget: Widget, screen: GameDisplay) -> None:
    from daoqi_tui.tui.screens.advice_actions import AdviceActions  # noqa: PLC0415
    from daoqi_tui.tui.widgets.graph import GraphPane  # noqa: PLC0415

    assert isinstance(widget, GraphPane)
    wins = screen.judged if isinstance(screen, AdviceActions) else {}
    widget.show(screen.session.game, screen.last_node(), wins)


def _make_opening() -> Widget:
    from daoqi_tui.tui.widgets.opening import OpeningPane  # noqa: PLC0415 (numpy costs 100 ms)

    return OpeningPane(id="opening")


def _feed_opening(widget: Widget, screen: GameDisplay) -> None:
    from daoqi_tui.tui.screens.analysis_actions import AnalysisActions  # noqa: PLC0415
    from daoqi_tui.tui.widgets.opening import OpeningPane  # noqa: PLC0415

    assert isinstance(widget, OpeningPane)
    assert isinstance(screen, AnalysisActions)
    widget.show(screen.opening, screen.session.game.torus, screen.options.names)


SIDE_PANES: Final[tuple[SidePane, ...]] = (
    SidePane("history", N_("History"), _make_history, _feed_history),
    SidePane("tree", N_("Tree"), _make_tree, _feed_tree),
    SidePane("minimap", N_("Map"), _make_minimap, _feed_minimap),
    SidePane("torus", N_("In the round"), _make_torus, _feed_torus),
    SidePane("graph", N_("Margin"), _make_graph, _feed_graph),
    SidePane("opening", N_("Opening"), _make_opening, _feed_opening),
)
