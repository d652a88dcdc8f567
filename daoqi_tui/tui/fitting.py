"""Fitting screens to the window: one size for all of them, and what depends on sizes adapted once a frame.

Textual lays a screen out for the size in each Resize, and each layout that changes the size posts a Resize in turn. If
anything lies between two of them in the queue, such as a callback, they are not merged: the two sizes alternate
forever, without a turn of the event loop in which a key could be read. So on a :class:`FittedScreen`

- a Resize only says that the window has changed; the size is always that of the app. Layouts cannot alternate, whatever
  else is in the queue.
- handlers of a layout (``on_resize``) change only their own widget. They post no messages and queue no callbacks; what
  concerns more than the widget goes into a method ``fit``, requested by :func:`fit_soon`.
- ``fit`` is called once a frame, after the layout, however often it was requested. It must be idempotent: called again
  in the same window, it changes no sizes.

:class:`TightCompositor` renders no more of a screen than is seen, and :class:`CachedStylesheet` does not do twice what
Textual's style sheet does for each screen and each widget again.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from inspect import getfile, isawaitable
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, cast, runtime_checkable
from weakref import WeakKeyDictionary

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual._compositor import ChopsUpdate, Compositor
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.cache import LRUCache
from textual.color import Color
from textual.css.model import RuleSet, SelectorType
from textual.css.styles import RenderStyles, RulesMap
from textual.css.stylesheet import CssSource, Stylesheet
from textual.css.types import CSSLocation
from textual.dom import DOMNode
from textual.geometry import Region, Size
from textual.messages import Prune
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen, ScreenResultType
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets._toast import ToastRack


@runtime_checkable
class Fitted(Protocol):
    """A screen, a widget, or the app, with parts that depend on sizes."""

    def fit(self) -> Awaitable[None] | None:
        """Adapt everything that depends on sizes."""


def fit_soon(widget: Widget) -> None:
    """Have ``fit`` of a widget called once in the next frame, however often this was requested until then."""
    screen = widget.screen
    if isinstance(screen, FittedScreen):
        screen.fit_in_next_frame(widget)


def window_classes(screen: type[Screen[Any]], window: tuple[int, int]) -> str:
    """Return the classes of a screen that depend on the size of its window, in columns and rows.

    Textual sets them only after the first layout, and then styles, lays out and draws everything again.
    """
    steps = zip(window, (screen.HORIZONTAL_BREAKPOINTS, screen.VERTICAL_BREAKPOINTS), strict=True)
    return " ".join([name for least, name in names or [(0, "")] if length >= least][-1] for length, names in steps)


_NO_BARS: Final = False, False
_bars: Final = attrgetter("show_vertical_scrollbar", "show_horizontal_scrollbar")


class TightCompositor(Compositor):
    """Renders only the widgets that are visible in the changed regions, and cuts only what is not covered.

    Textual 8 renders all children of a screen without containers, and everything between two changes, then discards the
    unchanged parts, which takes a quarter of the time of a pan. It cuts what is behind a dialog, and each container, at
    the edges of all that is before it.
    """

    _changed: Sequence[Region] = ()
    """The regions of a partial update; empty while everything is rendered."""

    def render_partial_update(self) -> ChopsUpdate | None:
        self._changed = tuple(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changed = ()

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        uncovered = self._changed or (crop or self.size.region,)
        # From the front to the back.
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            if any(map(shown.overlaps, uncovered)):
                yield region, clip, widget.render_lines(shown.translate(-region.offset))
                uncovered = tuple(area for area in uncovered if not shown.contains_region(area))
                if not uncovered:
                    return

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        chops: list[dict[int, Strip | None]] = [dict.fromkeys(cuts[:-1]) for cuts in self.cuts]
        for region, clip, strips in self._get_renders(crop):
            shown = region.intersection(clip)
            left, right = shown.column_span
            # The base class, too, takes no more lines than there are strips.
            for y, strip in zip(shown.line_range, strips, strict=False):
                if not is_rendered_line(y):
                    continue
                line = chops[y]
                cuts = [cut for cut in self.cuts[y] if left <= cut <= right]
                if any(line[cut] is None for cut in cuts[:-1]):
                    # A widget may not yet have been told its new size: what is not there could not be cut.
                    strip = strip.extend_cell_length(right - left)
                    for cut, part in zip(cuts, strip.divide([cut - left for cut in cuts[1:]]), strict=False):
                        # What is in front came before.
                        if line[cut] is None:
                            line[cut] = part
        for y, line in enumerate(chops if not self._changed else ()):
            for cut, end in pairwise(self.cuts[y]):
                if line[cut] is None:
                    line[cut] = Strip.blank(end - cut)
        return cast("Sequence[Mapping[int, Strip]]", chops)


class Backdrop(BackgroundScreen):
    """The screen behind a dialog, tinted; of its hundreds of segments each style is tinted once."""

    @classmethod
    def process_segments(cls, segments: Iterable[Segment], color: Color) -> Iterable[Segment]:
        return (Segment(text, _tinted(style, color), control) for text, style, control in segments)


@lru_cache(maxsize=1024)
def _tinted(style: Style | None, colour: Color) -> Style | None:
    (tinted,) = BackgroundScreen.process_segments([Segment(" ", style)], colour)
    return tinted.style


class FittedScreen(Screen[ScreenResultType]):
    """A screen that is always laid out for the size of the app, and fits its parts once a frame."""

    def __init__(
        self,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name, id, classes)
        # Textual has no public way to choose the compositor.
        self._compositor = TightCompositor()
        self._unfitted: dict[Widget, None] = {}
        self._shows_layout = True
        self._opening = True
        """True until all widgets are mounted that the first layout waits for, and fitted to it."""
        self._when_uncovered: Callable[[], object] | None = None
        self._opens_at: Widget | None = None

    def open_at(self, widget: Widget) -> None:
        """Scroll to a widget before the first frame, which would otherwise be followed by another one."""
        self._opens_at = widget

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close with a result: immediately if this is on top, else when the screens over it have closed.

        A repeated key or a second click may reach a screen that has just closed; Textual would then close whatever
        screen is on top, even the game.
        """
        if self.app.screen is self:
            return super().dismiss(result)
        if self._when_uncovered is None and self in self.app.screen_stack:
            self._when_uncovered = lambda: self.dismiss(result)
        return AwaitComplete()

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss()

    async def on_prune(self, event: Prune) -> None:  # noqa: ARG002 (Textual's form)
        """Cancel the workers before the widgets that they use are removed; Textual does so only afterwards."""
        self.workers.cancel_node(self)

    def fit(self) -> Awaitable[None] | None:
        """Adapt everything that depends on sizes; called after layouts that have changed them."""
        return None

    def render(self) -> RenderableType:
        ground = super().render()
        return Backdrop(ground.screen, ground.color) if isinstance(ground, BackgroundScreen) else ground

    def fit_in_next_frame(self, widget: Widget) -> None:
        """Have a widget of this screen, or the screen itself, fit in the next frame in which the screen is shown."""
        self._unfitted[widget] = None
        self._update_timer.resume()

    def set_focus(self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False) -> None:
        """Focus a widget as the base class does, but none that is being removed, as a request of before may ask for.

        The base class would keep the focus on it afterwards, and every key would be lost.
        """
        if widget is None or (widget.is_attached and not widget._pruning):  # noqa: SLF001 (there is no public way)
            super().set_focus(widget, scroll_visible, from_app_focus)

    async def on_event(self, event: events.Event) -> None:
        """Handle an event; a Resize is ignored if the screen has its size already, as after its own layout."""
        if not isinstance(event, events.Resize):
            await super().on_event(event)
        elif self._size != (size := self.app.size):
            await super().on_event(events.Resize(size, size, size, event.pixel_size))

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Lay out as the base class does, for the size of the app and with the classes that belong to it."""
        before = self._size
        if size is not None:
            size = self.app.size
            self._use_classes(size)
        bars = {widget: _bars(widget) for widget in self.walk_children(Widget)}
        waiting = [widget for widget in bars if widget._layout_required]  # noqa: SLF001
        self._shows_layout = False
        super()._refresh_layout(size, scroll)
        if any(_bars(widget) != before_it for widget, before_it in bars.items()):
            # Without this the scrollbars would appear in a frame of their own.
            bars = {widget: _bars(widget) for widget in bars}
            super()._refresh_layout(size)
        begin, self._opens_at = self._opens_at, None
        if begin is not None and self.scroll_to_widget(begin, animate=False, immediate=True):
            super()._refresh_layout(size, scroll=True)
        self._shows_layout = True
        if self.is_current and not self.app._batch_count:  # noqa: SLF001 (there is no public way)
            self._compositor_refresh()
        for widget in {widget for widget, _geometry in self._compositor.layers}.difference(waiting):
            # Textual lays out again whenever the size of what a widget holds has changed; only scrollbars need that.
            if _bars(widget) == bars.get(widget, _NO_BARS):
                widget._layout_required = False  # noqa: SLF001
        if self._size != before:
            self._unfitted[self] = None
        if self._unfitted:
            # The base class has paused it.
            self._update_timer.resume()

    def _compositor_refresh(self) -> None:
        """Show what was laid out, once for a layout and the one for its scrollbars, and what it is fitted to."""
        if self._shows_layout and not self._opening:
            super()._compositor_refresh()

    def _extend_compose(self, widgets: list[Widget]) -> None:
        """Add Textual's own widgets; an empty list of messages would be hidden, and all laid out again, only later."""
        super()._extend_compose(widgets)
        for widget in widgets:
            if isinstance(widget, ToastRack):
                widget.display = bool(self.app._notifications)  # noqa: SLF001 (there is no public way)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """Resume as the base class does, but lay out for the first time when all widgets are mounted.

        The base class lays out at once, and again for the widgets that ask for it when they are mounted, and for the
        app, which does so when the screen is.
        """
        if self._when_uncovered is not None:
            self._when_uncovered()
        if self._size or not self.is_attached:
            self._opening = False
            return
        # Textual calls the handlers of the base classes, too.
        event.prevent_default()
        self._size = self.app.size
        self._use_classes(self._size)
        super()._on_screen_resume(event)
        # The messages of both come before these.
        self.app.call_later(self.call_later, self._open)

    async def _open(self) -> None:
        """Lay out, fit what depends on sizes, and show the result: else each of the two would be a frame."""
        self._refresh_layout()
        self._unfitted[self] = None
        await self._fit_all()
        self._opening = False
        widgets = (self, *self.walk_children(Widget))
        if any(widget._layout_required for widget in widgets):  # noqa: SLF001 (there is no public way)
            for widget in widgets:
                # Textual forgets how widgets were arranged only when those that have changed are idle.
                widget._clear_arrangement_cache()  # noqa: SLF001
                widget._layout_updates += 1  # noqa: SLF001
            self._refresh_layout()
        else:
            self._compositor_refresh()
        # All has been painted: nothing of it is painted again that was asked for before.
        for widget in widgets:
            widget._repaint_required = widget._layout_required = False  # noqa: SLF001
        self._dirty_widgets.clear()
        self._on_timer_update()

    def _use_classes(self, size: Size) -> None:
        steps = (*(self.HORIZONTAL_BREAKPOINTS or ()), *(self.VERTICAL_BREAKPOINTS or ()))
        now = window_classes(type(self), size).split()
        self.update_classes({name: name in now for _least, name in steps}, animate=False)

    def _on_timer_update(self) -> None:
        """Draw a frame as the base class does, and fit what was laid out."""
        if self._opening:
            return
        super()._on_timer_update()
        if self._unfitted and self.is_current:
            self.call_next(self._fit_all)

    async def _fit_all(self) -> None:
        # The screen may have been covered or closed meanwhile.
        if not self._unfitted or not self.is_current or self.app._exit:  # noqa: SLF001 (there is no public way)
            return
        unfitted, self._unfitted = self._unfitted, {}
        for node in (self.app, *(widget for widget in unfitted if widget.is_attached)):
            if isinstance(node, Fitted) and isawaitable(waiting := node.fit()):
                await waiting


_FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
"""What Textual notes on a node about the pseudo-classes of the rules that may apply to it."""


class _Matched(NamedTuple):
    """The rules of nodes that are alike."""

    names: set[str]
    """The names by which a rule can select such a node."""
    found: RulesMap
    taken: RulesMap
    """The rules as a node without any takes them."""
    flags: tuple[bool, ...]


class _Components(dict[str, RenderStyles]):
    """The styles of a node's component classes, matched when each is first asked for: most of a form's never are."""

    # All names are said to be there; as a slot this takes no function of ours for each row of a pane.
    __slots__ = ("__contains__", "_node")

    def __init__(self, node: DOMNode, names: frozenset[str]) -> None:
        super().__init__()
        self._node, self.__contains__ = node, names.__contains__  # type: ignore[method-assign]

    def __missing__(self, name: str) -> RenderStyles:
        styles = self[name] = self.matched(name)
        return styles

    def matched(self, name: str) -> RenderStyles:
        component = DOMNode(classes=name)
        component._attach(self._node)  # noqa: SLF001 (there is no public way)
        self._node.app.stylesheet.apply(component)
        return component.styles


class CachedStylesheet(Stylesheet):
    """A style sheet that parses each source once for each set of colours, and matches its rules once for nodes alike.

    Textual 8 parses all sources again for each screen with a style sheet of its own, and keeps fewer than there are. It
    compares hundreds of rules with each widget and each of its component classes, when it is mounted and again when its
    screen is shown. The two took more than half of the time to the first frame of a dialog.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(1024)
        self._selected: dict[SelectorType, set[str]] = {SelectorType.ID: set(), SelectorType.CLASS: set()}
        """The identifiers and the classes that occur in a selector."""
        self._matched: dict[tuple[object, ...], _Matched] = {}
        self._applied: WeakKeyDictionary[DOMNode, _Matched] = WeakKeyDictionary()
        self._places: dict[int, int] = {}
        """The place of each rule among all, by the rule's identity."""
        self._unused: set[CSSLocation] = set()
        """Where sources come from that were added ahead, until a widget of theirs is there."""

    def add_ahead(self, kind: type[Widget]) -> None:
        """Add and parse what widgets or screens of a class bring, so that the first one is shown without."""
        # Textual asks an instance, but only for its class.
        of_class = kind.__new__(kind)
        own: dict[CSSLocation, CssSource] = {}
        for location, css, tie_breaker, scope in of_class._get_default_css():  # noqa: SLF001 (there is no public way)
            own[location] = CssSource(css, is_defaults=True, tie_breaker=tie_breaker, scope=scope)
        if issubclass(kind, Screen):
            if isinstance(kind.CSS_PATH, str | Path):
                file = Path(getfile(kind)).parent / kind.CSS_PATH
                own[str(file), ""] = CssSource(file.read_text(encoding="utf-8"), is_defaults=False)
            if kind.CSS:
                scope = kind._css_type_name if kind.SCOPED_CSS else ""  # noqa: SLF001
                own[getfile(kind), f"{kind.__name__}.CSS"] = CssSource(kind.CSS, is_defaults=False, scope=scope)
        for location, source in own.items():
            before = self.source.get(location)
            if before is None:
                self._unused.add(location)
            super().add_source(source.content, location, source.is_defaults, source.tie_breaker, source.scope)
            # The base class parses again for what is new, but not for another order.
            self._require_parse |= self.source[location] != before
        if self._require_parse:
            self.parse()

    @property
    def rules_map(self) -> dict[str, list[RuleSet]]:
        if self._rules_map is None:
            self._places = {id(rule): place for place, rule in enumerate(self._rules)}
        return super().rules_map

    def has_source(self, path: str, class_var: str = "") -> bool:
        self._unused.discard((path, class_var))
        return super().has_source(path, class_var)

    def add_source(
        self,
        css: str,
        read_from: CSSLocation | None = None,
        is_default_css: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> None:
        if read_from is not None:
            self._unused.discard(read_from)
        super().add_source(css, read_from, is_default_css, tie_breaker, scope)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Set the colours; what nothing uses yet need not be parsed again at once."""
        super().set_variables(variables)
        for location in self._unused:
            del self.source[location]
        self._unused.clear()

    def reparse(self) -> None:
        # The rules of before stay where the source of a screen is invalid; other colours empty the cache.
        self.parse()

    def parse(self) -> None:
        """Parse the sources that are new, and forget the nodes that other rules than before may select."""
        before = {id(rule): rule for rule in self._rules}
        super().parse()
        now = {id(rule): rule for rule in self._rules}
        names = set[str]()
        for number in before.keys() ^ now.keys():
            rule = before.get(number) or now[number]
            names |= rule.selector_names
            self._note_selectors(rule)
        for signature in [each for each, matched in self._matched.items() if not names.isdisjoint(matched.names)]:
            del self._matched[signature]

    def _note_selectors(self, rule: RuleSet) -> None:
        for selector_set in rule.selector_set:
            for selector in selector_set.selectors:
                if selector.type in self._selected:
                    self._selected[selector.type].add(selector.name)

    def apply(
        self,
        node: DOMNode,
        *,
        animate: bool = False,
        cache: dict[tuple[Any, ...], RulesMap] | None = None,  # noqa: ARG002 (the base class's)
    ) -> None:
        """Set the rules that apply to a node as the base class does."""
        if self._require_parse:
            self.parse()
        signature = self._signature(node)
        matched = self._matched.get(signature)
        base = node.styles.base
        if matched is None:
            # The base class keeps only rules that depend on nothing but what is in the signature.
            found: dict[tuple[Any, ...], RulesMap] = {}
            self._applied.pop(node, None)
            whole, self._rules = self._rules, self._rules_for(node)
            try:
                super().apply(node, animate=animate, cache=found)
            finally:
                self._rules = whole
            for rules in () if animate else found.values():
                flags = tuple(getattr(node, flag) for flag in _FLAGS)
                matched = _Matched(node._selector_names, rules, base.get_rules(), flags)  # noqa: SLF001
                self._matched[signature] = self._applied[node] = matched
            return
        if self._applied.get(node) is matched:
            node.notify_style_update()
            return
        for flag, value in zip(_FLAGS, matched.flags, strict=True):
            setattr(node, flag, value)
        if base.get_rules():
            self.replace_rules(node, matched.found, animate=animate)
        else:
            base.merge_rules(matched.taken)
            if "layout" in matched.found:
                # Each node has a layout of its own.
                base.layout = matched.found["layout"]
            node.notify_style_update()
        self._applied[node] = matched
        self._process_component_classes(node)

    def _rules_for(self, node: DOMNode) -> list[RuleSet]:
        """Return the rules that may select a node, in their order; the base class looks for them among all."""
        named = self.rules_map
        rules = {id(rule): rule for name in named.keys() & node._selector_names for rule in named[name]}  # noqa: SLF001
        return sorted(rules.values(), key=lambda rule: self._places[id(rule)])

    def _process_component_classes(self, node: DOMNode) -> None:
        """Match the component classes again that were asked for, as the base class does for all."""
        before = node._component_styles  # noqa: SLF001 (there is no public way)
        if not isinstance(before, _Components):
            names = node._get_component_classes()  # noqa: SLF001
            node._component_styles = _Components(node, names)  # noqa: SLF001
        elif before:
            now = {name: before.matched(name) for name in before}
            changed = any(styles != before[name] for name, styles in now.items())
            before.update(now)
            if changed:
                node.refresh()

    def _signature(self, node: DOMNode) -> tuple[object, ...]:
        """Return all that decides which rules apply to a node, except for those about its siblings and descendants."""
        ids, classes = self._selected.values()
        signature: list[object] = []
        for each in node.css_path_nodes:
            signature += (type(each), each.id if each.id in ids else None, each.classes & classes)
            if isinstance(each, Widget):
                signature += (each.mouse_hover, each.has_focus, each.disabled, each.allow_focus())
            elif isinstance(each, App):
                signature += (each.theme, each.pseudo_classes)
        return tuple(signature)
