"""The panes next to or below the board: the game, the count, the comment, the history, and the pane that Tab selects.

In a wide window they are stacked. The history is always there, and gives way to others down to its minimum; the pane
that Tab selects stands below it, and below that, where there is room, panes that have something to show of their own
accord. What does not fit is named on the frame, with the key that shows it. A pane is created when it first shows, and
updated only while it shows.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, TypeVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.commands import key_sign
from daoqi_tui.commands.screen import BY_NAME, keys_now
from daoqi_tui.i18n import _, language
from daoqi_tui.play.match import View
from daoqi_tui.tui.fitting import fit_soon
from daoqi_tui.tui.host import Remarks, ShownArea, SidePane
from daoqi_tui.tui.panes import GamePane

LONGEST_COMMENT: Final = 20_000
"""The maximum number of characters of a comment that are shown: millions would take minutes to wrap."""

_GAME: Final = {False: 5, True: 3}
"""The rows of the game pane without its frame, in full and in short (True); as in the style sheet."""
_COUNT: Final = {False: 7, True: 3}
_FRAME: Final = {False: 2, True: 1}
_COMMENT: Final = 3
"""The minimum number of rows of a comment, without its frame."""
_MOST_COMMENT: Final = 10
"""The maximum number of rows of a comment, with its frame."""


_Shown = TypeVar("_Shown", bound=Widget)


class Arrangement(NamedTuple):
    """How the side of a wide window is filled, below the game and the count.

    Attributes:
        short: whether the game and the count are short, with a line above each pane instead of a frame.
        panes: the panes, from top to bottom.
        comment: the maximum number of rows of the comment, with its frame; 0 if there is no room.
    """

    short: bool
    panes: tuple[SidePane, ...]
    comment: int = 0


def arrange(
    rows: int,
    pair: Sequence[SidePane],
    others: Sequence[SidePane] = (),
    *,
    added: int = 0,
    counting: bool = False,
    commented: bool = False,
    short: bool = False,
    tall: bool = False,
) -> Arrangement:
    """Arrange the panes so that each one has at least its minimum.

    Args:
        rows: the number of rows.
        pair: the history, and the pane selected if that is another one.
        others: the panes that have something to show where there is room, by their priority.
        added: the number of rows that the game pane needs besides the usual ones.
        counting: whether the count is shown.
        commented: whether there is a comment.
        short: whether the game and the count are short, however much room there is.
        tall: whether the window is one in which panes are taller.
    """
    for is_short in (True,) if short else (False, True):
        frame = _FRAME[is_short]
        left = rows - _GAME[is_short] - added - frame - counting * (_COUNT[is_short] + frame)
        comment = commented * (_COMMENT + frame)
        needed = sum(pane.least + frame for pane in pair)
        if left < needed + comment:
            continue
        shown, spare = list(pair), left
        for pane in others if not is_short else ():
            # None takes more than it leaves to a pane that was asked for, nor the room of a comment yet to come.
            stands = pane.stands + tall * pane.taller
            taken = _MOST_COMMENT if commented and len(pair) > 1 else 0
            if 2 * stands <= spare - taken and stands + needed + comment <= spare:
                shown.append(pane)
                spare -= stands
        return Arrangement(is_short, tuple(shown), min(_MOST_COMMENT, spare - needed) if commented else 0)
    # What was asked for comes first, then the comment, then the history.
    for panes in (pair[-1:], pair):
        needed = sum(pane.least + frame for pane in panes)
        if commented and left >= needed + comment:
            return Arrangement(True, tuple(panes), left - needed)
    return Arrangement(True, tuple(pair if left >= sum(pane.least + frame for pane in pair) else pair[-1:]))


class Panes(Container):
    """The panes of a game screen.

    Args:
        offered: the panes of the side, in the order in which Tab selects them.
        may_help: returns whether panes that help a player may be shown.

    Attributes:
        offered: the panes of the side, in the order in which Tab selects them.
        side: the pane chosen for the side's lower part.
    """

    def __init__(self, offered: Sequence[SidePane], may_help: Callable[[], bool]) -> None:
        super().__init__(id="panes")
        self.offered = tuple(offered)
        self._may_help = may_help
        self.side = self.offered[0]
        self._view: View | None = None
        self._said: tuple[Remarks, bool] | None = None
        self._filled: frozenset[str] = frozenset()
        """The identifiers of the panes that have something to show of their own accord."""
        self._fitted: tuple[object, ...] | None = None
        """What the panes were last fitted to."""
        self._named: tuple[object, ...] | None = None
        """Where the panes that are not shown are named, and which."""

    def compose(self) -> ComposeResult:
        yield GamePane(id="game")
        yield _box(self.side, "-selected")

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render one line, like which all are: nothing but what is beside the panes is seen of them."""
        return super().render_lines(Region(crop.x, crop.y, crop.width, 1)) * crop.height

    def show(self, view: View, area: ShownArea | None, remarks: Remarks) -> None:
        screen = self.screen
        screen.set_class(area is not None, "-counting")
        screen.set_class(bool(remarks.text), "-commented")
        if area is not None:
            from daoqi_tui.tui.panes.study import AreaPane  # noqa: PLC0415 (created when it is first shown)

            pane = self._shown(AreaPane, "area", "#game")
            pane.TITLE = area.title
            pane.show(area.area, area.ahead)
        said = remarks, screen.has_class("-wide")
        if said != self._said and (remarks.text or self.query_children("#comment")):
            from daoqi_tui.tui.panes.study import CommentPane  # noqa: PLC0415 (created when it is first shown)

            self._said = said
            title = remarks.title if said[1] else None
            comment = self._shown(CommentPane, "comment", "#area", "#game")
            comment.show(remarks.text, title, at_end=remarks.at_end)
        if self._view is None or view.evaluated is not self._view.evaluated:
            self._filled = frozenset(pane.id for pane in self.offered if pane.stands and pane.fills(view))
        self._view = view
        if self._fitted is not None and self._fitted != self._to_fit():
            fit_soon(self.screen)
        self._show_side()

    def _shown(self, kind: type[_Shown], name: str, *before: str) -> _Shown:
        """Return the pane of the count or the comment, created on first use after the first of others that is there."""
        for pane in self.query_children(kind):
            return pane
        pane = kind(id=name)
        self.mount(pane, after=next(found for each in before for found in self.query_children(each)))
        return pane

    def _show_side(self) -> None:
        for pane in self.offered:
            for box in self.query_children(f"#{pane.id}-box"):
                widget = next(iter(box.children), None)
                # A pane that is being created is updated when it exists.
                if box.display and self._view is not None and widget is not None and widget.is_running:
                    pane.show(widget, self._view)

    def _to_fit(self) -> tuple[object, ...]:
        """Return all that the arrangement depends on."""
        shown = ("-wide", "-low", "-online", "-not-saved", "-counting", "-commented")
        return self.screen.size, self.side, self._filled, self._may_help(), *map(self.screen.has_class, shown)

    def _arrange(self, pair: Sequence[SidePane]) -> Arrangement:
        screen = self.screen
        is_low = screen.has_class("-low")
        return arrange(
            screen.size.height - (1 if is_low else 2),
            pair,
            # The smaller ones are the first to stand.
            sorted(
                (pane for pane in self.offered if pane.id in self._filled and self._may_show(pane)),
                key=lambda pane: pane.stands,
            ),
            added=screen.has_class("-online") + 2 * screen.has_class("-not-saved"),
            counting=screen.has_class("-counting"),
            commented=screen.has_class("-commented"),
            short=is_low,
            tall=screen.has_class("-tall"),
        )

    def _arranged(self) -> Arrangement:
        """Return what is shown now; beside or below the board of a narrow window that is one pane."""
        if not self.screen.has_class("-wide"):
            return Arrangement(short=False, panes=(self.side,))
        history = self.offered[0]
        return self._arrange((history,) if self.side is history else (history, self.side))

    @property
    def standing(self) -> tuple[SidePane, ...]:
        """The panes shown below the history of their own accord, which Tab passes over."""
        return self._arrange(self.offered[:1]).panes[1:] if self.screen.has_class("-wide") else ()

    @property
    def chosen(self) -> tuple[SidePane, ...]:
        return tuple(pane for pane in self.offered if pane not in self.standing and self._may_show(pane))

    def _may_show(self, pane: SidePane) -> bool:
        return not pane.helps or self._may_help()

    async def select(self, name: str) -> None:
        """Show a pane, given by its identifier, below the history or in its place, creating it on first use."""
        pane = next(pane for pane in self.offered if pane.id == name)
        if pane not in self.standing:
            self.side = pane
        await self.fit_side()
        self._show_side()

    def _next(self, step: int) -> tuple[SidePane, ...]:
        """Return the panes that Tab would select, or Shift+Tab for a ``step`` of -1, one after another."""
        # The selected pane may be a permanent one now: panes are fitted to a larger window only after a refresh.
        chosen, offered, place = self.chosen, self.offered, self.offered.index(self.side)
        ring = (offered[(place + turn * step) % len(offered)] for turn in range(1, len(offered) + 1))
        return tuple(pane for pane in ring if pane in chosen)

    async def turn(self, step: int) -> None:
        await self.select(self._next(step)[0].id)

    @property
    def following(self) -> tuple[SidePane, ...]:
        """The panes that are not shown, in the order in which Tab selects them."""
        shown = self._arranged().panes
        return tuple(pane for pane in self._next(1) if pane not in shown)

    async def fit_side(self) -> None:
        if not self.is_attached:
            return
        if self.side in self.standing or not self._may_show(self.side):
            self.side = self.offered[0]
        arrangement = self._arranged()
        is_new = False
        for pane in arrangement.panes:
            # Queried each time: a key may create the pane while another one is being mounted.
            if not self.query_children(f"#{pane.id}-box"):
                await self.mount(_box(pane))
                is_new = True
                # Before its first layout it has no size that its contents could fit.
                fit_soon(self.screen)
        arrangement = self._arranged()
        self._fitted = self._to_fit()
        boxes = {box.id: box for box in self.query_children(".side")}
        shown = [box for pane in arrangement.panes if (box := boxes.get(f"{pane.id}-box")) is not None]
        if list(self.children)[len(self.children) - len(shown) :] != shown:
            for box in shown:
                if self.children[-1] is not box:
                    self.move_child(box, after=-1)
        wide, frame = self.screen.has_class("-wide"), _FRAME[arrangement.short]
        if self.screen.has_class("-short") != (is_short := wide and arrangement.short):
            self.screen.set_class(is_short, "-short")
            # The count is written in another form.
            fit_soon(self.screen)
        for pane in self.offered:
            if (box := boxes.get(f"{pane.id}-box")) is not None:
                if box.display != (is_shown := pane in arrangement.panes):
                    box.display = is_shown
                standing = wide and pane not in (self.side, self.offered[0])
                box.set_class(standing, "-standing")
                box.set_class(pane is self.side, "-selected")
                _limit(box, "min_height", pane.least + frame if wide and not standing else None)
        for comment in self.query_children("#comment"):
            is_commented = self.screen.has_class("-commented")
            comment.set_class(wide and is_commented and not arrangement.comment, "-left-out")
            _limit(comment, "max_height", arrangement.comment if wide and arrangement.comment else None)
        self._entitle(boxes, arrangement)
        if is_new:
            self._show_side()

    def _entitle(self, boxes: dict[str | None, Widget], arrangement: Arrangement) -> None:
        """Name each pane on its frame, and on that of the last one selected those that are not shown."""
        wide = self.screen.has_class("-wide")
        following = self.following if wide else ()
        named = wide, arrangement, self.side, following, keys_now(BY_NAME["next_pane"]), language(), len(boxes)
        if named == self._named:
            return
        self._named = named
        for pane in arrangement.panes:
            if (box := boxes.get(f"{pane.id}-box")) is None:
                continue
            title = Content(_(pane.title)) if wide else None
            below = None
            if title is not None and pane is self.side:
                room = _ROOM - (title.cell_length + 2 if arrangement.short else 0)
                below = _names(following, room)
                if arrangement.short:
                    title, below = Content.assemble(title, "  ", below), None
            box.border_title = title
            box.border_subtitle = below


def _limit(widget: Widget, rule: Literal["min_height", "max_height"], rows: int | None) -> None:
    """Limit the height of a widget if it is not yet; Textual lays out again even for the same limit."""
    before = widget.styles.inline.get_rules().get(rule)
    if rows != (before and before.value):
        setattr(widget.styles, rule, rows)


_ROOM: Final = 27
"""The cells of the line of a frame that a title may take."""


def _names(panes: Sequence[SidePane], room: int) -> Content:
    """Name the panes that a key shows one after another, as many as fit; a click shows one of them at once."""
    keys = keys_now(BY_NAME["next_pane"])
    line = Content(f"{key_sign(keys[0])}: " if keys else "")
    for place, pane in enumerate(panes):
        name = Content(_(pane.title)).stylize(f"@click=screen.show_pane('{pane.id}')")
        part = Content.assemble(" · " if place else "", name)
        if place and line.cell_length + part.cell_length > room:
            return line + " …" if line.cell_length + 2 <= room else line
        line += part
    return line


def _box(pane: SidePane, *classes: str) -> Container:
    return Container(pane.make(), id=f"{pane.id}-box", classes=" ".join(("side", *classes)))
