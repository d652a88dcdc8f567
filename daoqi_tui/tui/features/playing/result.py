"""The result card: the result of a game, with the score, the graph and the biggest mistake."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from daoqi_tui.commands import key_sign
from daoqi_tui.commands.screen import BY_NAME, COMMANDS, keys_now
from daoqi_tui.engine import BLACK, WHITE, Area, Game, Node, points_text
from daoqi_tui.i18n import _, plural
from daoqi_tui.play.evaluation import Evaluations
from daoqi_tui.play.review import Summary
from daoqi_tui.play.wording import colour_word, describe_result, signed
from daoqi_tui.tui.access import copy
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.look import STONES, Paragraph
from daoqi_tui.tui.panes import KeyHint, hint_line
from daoqi_tui.tui.panes.minimap import SmallBoard
from daoqi_tui.tui.panes.study import GraphPane
from daoqi_tui.tui.screens import FRAME_ENDS, DismissibleDialog, closing_hint, widget_at
from daoqi_tui.tui.screens.hinted import KeyLine

_WIDTH = 50


class ResultScreen(DismissibleDialog[str | None]):
    """The card beside the board, which stays in view. Esc closes it; a key of a command or a click beside it acts, too.

    The result is the name of that command, None for none.

    Args:
        summary: the contents.
        game: the game, for the graph.
        end: the last node.
        evaluations: the evaluations of positions, for the graph.
        online: whether it was an online game, which neither continues nor gives way to another one here.
    """

    CSS = """
    ResultScreen {
        align: right middle;
        background: transparent;
        #result { width: 54; padding: 0 1; }
        #result VerticalScroll { height: auto; max-height: 100%; width: 100%; margin-bottom: 1; }
        #result-head { text-style: bold; margin-bottom: 1; }
        #result-board { height: auto; max-height: 16; width: 100%; margin-bottom: 1; }
        #result-board.-signs { max-height: 25; }
        #result-graph { height: 8; margin-top: 1; }
        #result-graph.-empty { height: 3; }
        #result-notes, #result-mistake { margin-top: 1; }
        #result-hints { dock: bottom; height: auto; width: 100%; padding: 0; }
        &.-low #result-board, &.-small #result-board { display: none; }
        &.-low #result-graph { display: none; }
        &.-low #result-head { margin: 0; }
        &.-low #result VerticalScroll { margin: 0; }
        &.-narrow #result { width: 100%; }
    }
    """
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-small"), (36, "-high")]  # noqa: RUF012 (Textual's form)
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,enter", "close", show=False, priority=True),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
    ]

    def __init__(
        self,
        summary: Summary,
        game: Game,
        end: Node,
        evaluations: Evaluations,
        *,
        online: bool = False,
    ) -> None:
        super().__init__()
        self._online = online
        self._summary, self._game, self._end = summary, game, end
        self._evaluations = evaluations

    def compose(self) -> ComposeResult:
        summary = self._summary
        with Vertical(classes="dialog", id="result") as dialog:
            dialog.border_title = _("Result")
            dialog.border_subtitle = closing_hint()
            with VerticalScroll(can_focus=False):
                yield Static(Paragraph(Text(describe_result(summary.result))), id="result-head")
                yield SmallBoard(id="result-board")
                yield Static(self._table(), id="result-count")
                if notes := "\n".join(filter(None, (summary.rating, summary.dead))):
                    yield Static(Paragraph(Text(notes)), id="result-notes")
                if text := "\n".join(summary.play) or summary.mistake:
                    yield Static(Paragraph(Text(text)), id="result-mistake")
                yield GraphPane(id="result-graph")
            yield KeyLine(id="result-hints")

    def on_mount(self) -> None:
        self.query_one(SmallBoard).show(self._summary.stones, self._summary.last)
        graph = self.query_one(GraphPane)
        graph.display = self._game.node is self._end
        if graph.display:
            graph.show(self._end, self._end.path(), self._evaluations, self._summary.evaluated)
            graph.set_class(graph.is_empty, "-empty")
        self._say("")

    def fit(self) -> None:
        self.query_one("#result-count", Static).update(self._table())
        self._say("")

    def _table(self) -> Table:
        summary = self._summary
        heads: list[RenderableType] = [Text(plural("{count} move", "{count} moves", summary.moves), style="dim")]
        both = zip((BLACK, WHITE), summary.players, strict=True)
        names = (f"{STONES[colour]} {name or colour_word(colour)}" for colour, name in both)
        players: list[list[RenderableType]] = [
            [Paragraph(Text(name, no_wrap=True, overflow="ellipsis"), self)] for name in names
        ]
        if summary.area is not None:
            counted = _("Stones"), _("Territory"), _("Passes"), _("Komi"), _("Total")
            heads += [Text(head, style="dim") for head in counted]
            for row, colour in zip(players, (BLACK, WHITE), strict=True):
                row += [Text(cell) for cell in _cells(summary.area, colour)]
        rows = (heads, *players)
        narrow = self.has_class("-narrow")
        table = Table.grid(padding=(0, 1, 0, 0), expand=True)
        table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        for _column in range(2 if narrow else len(heads) - 1):
            table.add_column(justify="right", no_wrap=True, ratio=1 if narrow else None)
        for cells in zip(*rows, strict=True) if narrow else rows:
            table.add_row(*cells)
        return table

    def _say(self, text: str) -> None:
        # The first ones stay where there is no room for all.
        if self._online:
            names = ("rematch", "review", "save", "quit", "copy_position")
        else:
            marked = "dead" if self._summary.area is not None else "save"
            names = ("review", "new_game", "resume", marked, "copy_position")
        hints = [_hint(name) for name in names]
        width = min(_WIDTH, self.app.size.width - FRAME_ENDS)
        line = Paragraph(Text(text)) if text else hint_line(hints, width, last=0)
        self.query_one(KeyLine).update(line)

    def on_click(self, event: events.Click) -> None:
        """Close the card by a click beside it, which acts there as without the card, but plays no move."""
        event.prevent_default()
        if not self.is_outside(event):
            return
        self.action_close()
        below = widget_at(self.app.screen, event.screen_offset)
        if below is not None and not isinstance(below, BoardView):
            for kind in (events.MouseDown, events.MouseUp):
                self.app.post_message(kind.from_event(self, event))

    def on_key(self, event: events.Key) -> None:
        """Run the command of a key, except of those that scroll or close the card."""
        if event.key in self._bindings.key_to_bindings:
            return
        for command in COMMANDS:
            if event.key in keys_now(command) or event.character in keys_now(command):
                event.stop()
                self.action_run(command.name)
                return

    def action_run(self, name: str) -> None:
        if name == "copy_position":
            self._say(copy(self.app, self._summary.text(), _("The result is on the clipboard, as text")))
        else:
            self.dismiss(name)

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False, immediate=True)


def _cells(area: Area, colour: int) -> tuple[str, ...]:
    side = area.player(colour)
    passes = f"−{points_text(side.passes)}" if side.passes else "0"
    return str(side.stones), str(side.territory), passes, signed(side.komi), signed(side.total)


def _hint(name: str) -> KeyHint:
    keys = keys_now(BY_NAME[name])
    label = _("Copy") if name == "copy_position" else _(BY_NAME[name].label)
    return KeyHint(key_sign(keys[0]) if keys else "", label, f"screen.run('{name}')")
