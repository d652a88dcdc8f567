"""What Textual does again for each app, or for a terminal that nobody sees, the tests do once or not at all.

Nothing that a test can observe depends on it. Together this is half of the CPU time of a test of the screen.

A screen that nobody sees is painted when it is covered or left and when its app ends, so that what cannot be painted
fails the test: then, and not at once. With the fixture ``every_frame`` each frame is painted, as in thorough runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property, partial, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any, Final

import pytest
from textual import _callback
from textual._compositor import Compositor, LayoutUpdate
from textual.app import App
from textual.cache import FIFOCache
from textual.css import stylesheet
from textual.css.model import RuleSet
from textual.css.styles import RenderStyles
from textual.css.stylesheet import Stylesheet
from textual.design import ColorSystem
from textual.geometry import Region
from textual.message import Message
from textual.message_pump import MessagePump
from textual.reactive import Reactive
from textual.screen import Screen
from textual.strip import Strip

from daoqi_tui.tui.fitting import CachedStylesheet
from tests.thorough import THOROUGH

parse_rules: Final = Stylesheet._parse_rules
parse_alone: Final = CachedStylesheet.parse
_compositor_refresh: Final = Screen._compositor_refresh
_render_chops: Final = Compositor._render_chops
_render_full_update: Final = Compositor.render_full_update
_get_dispatch_methods: Final = MessagePump._get_dispatch_methods
_get_reactive: Final = Reactive.__get__
_initialize_reactive: Final = Reactive._initialize_reactive
_count_parameters: Final = _callback._count_parameters
_generate: Final = ColorSystem.generate
_tokenize_values: Final = stylesheet.tokenize_values

_parsed: Final[dict[tuple[tuple[str, str], ...], dict[object, list[RuleSet]]]] = {}
_matched: Final[dict[tuple[int, ...], dict[tuple[object, ...], Any]]] = {}
_generated: Final[dict[str, dict[str, str]]] = {}
_tokenized: Final[dict[tuple[tuple[str, str], ...], dict[str, Any]]] = {}
_unseen: Final[ContextVar[bool]] = ContextVar("unseen", default=False)

EVERY_FRAME = THOROUGH
"""Whether each frame is painted, though nobody sees it."""


def _parse_once(self: Stylesheet, *given: object, **named: object) -> list[RuleSet]:
    """Return the rules of a style sheet, parsed once for all screens that the tests start, with the same colours."""
    if (known := vars(self).get("_known")) is None or known[0] is not self._variables:
        of_colours = _parsed.setdefault(tuple(sorted(self._variables.items())), {})
        known = vars(self)["_known"] = self._variables, of_colours
    key = given, tuple(named.items())
    if key not in known[1]:
        known[1][key] = parse_rules(self, *given, **named)  # type: ignore[arg-type]
    return known[1][key]


def _match_once(self: CachedStylesheet) -> None:
    """Share what was matched between all apps with the same rules; these are kept, so that none has another's id.

    Tests of what a style sheet forgets with its rules use :data:`parse_alone`.
    """
    # What belongs to the rules of before is left as it is, for the next app that has them.
    self._matched = {}
    parse_alone(self)
    self._matched = _matched.setdefault(tuple(map(id, self._rules)), {})


def _refresh_unseen(self: Screen[Any]) -> None:
    """Paint nothing of the top screen while nobody sees it; what has changed stays noted."""
    app = self.app
    if EVERY_FRAME:
        token = _unseen.set(app.is_headless)
        try:
            _compositor_refresh(self)
        finally:
            _unseen.reset(token)
    elif app.is_headless and self is app.screen:
        self._dirty_widgets.clear()
        app._update_mouse_over(self)
    else:
        _compositor_refresh(self)


def _paint(app: App[Any]) -> None:
    """Have all widgets of the top screen painted that have changed, though put together only if somebody looks at that.

    As in Textual, what cannot be painted ends the app.
    """
    if not app.is_headless or not app.is_running or not app._screen_stack:
        return
    screen = app._screen_stack[-1]
    if not screen._compositor._dirty_regions:
        return
    token = _unseen.set(True)
    try:
        with app._context():
            app._display(screen, screen._compositor.render_update(screen_stack=app._background_screens))
    except Exception as error:
        app._handle_exception(error)
    finally:
        _unseen.reset(token)


def _painted_before(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of an app that has its top screen painted before it does what it did."""

    @wraps(method)
    def painting(self: App[Any], *given: Any, **named: Any) -> Any:
        _paint(self)
        return method(self, *given, **named)

    return painting


class _Later(Sequence[Any]):
    """What is made when it is first looked at."""

    def __init__(self, make: Callable[[], Sequence[Any]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Sequence[Any]:
        return self._make()

    def __getitem__(self, place: Any) -> Any:
        return self._made[place]

    def __len__(self) -> int:
        return len(self._made)


def _chops(self: Compositor, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Any]:
    if not _unseen.get():
        return _render_chops(self, crop, is_rendered_line)
    # What is painted may look at another screen.
    token = _unseen.set(False)
    try:
        for _painted in self._get_renders(crop):
            pass
    finally:
        _unseen.reset(token)
    return _Later(partial(_render_chops, self, crop, is_rendered_line))


def _full_update(self: Compositor, simplify: bool = False) -> LayoutUpdate:
    if not _unseen.get() or simplify:
        return _render_full_update(self, simplify)
    self._dirty_regions.clear()
    region = self.size.region
    chops = _chops(self, region, lambda _y: True)
    return LayoutUpdate(_Later(lambda: [chop.values() for chop in chops]), region)  # type: ignore[arg-type]


def _strip(self: Strip, segments: Any, cell_length: int | None = None) -> None:
    self._segments = list(segments)
    self._cell_length = cell_length
    self._render_cache = self._link_ids = self._cell_count = None


def _cache_of_strip(self: Strip, name: str) -> FIFOCache[Any, Any]:
    """Make one of the seven caches of a line when it is first used, which few are."""
    if not name.endswith("_cache"):
        raise AttributeError(name)
    cache: FIFOCache[Any, Any] = FIFOCache(16)
    setattr(self, name, cache)
    return cache


def _dispatch_methods(self: MessagePump, name: str, message: Message) -> Iterable[tuple[type, Callable[..., Any]]]:
    """Yield the handlers of a message; decorated ones are looked for once for each class of what it comes to."""
    decorated = _decorated(type(self), type(message))
    if decorated is None:
        yield from _get_dispatch_methods(self, name, message)
        return
    private = f"_{name}"
    for kind in type(self).__mro__:
        if message._no_default_action:
            break
        for method in decorated.get(kind, ()):
            yield kind, method.__get__(self, kind)
        own = kind.__dict__
        named = own.get(private) or own.get(name)
        if named is not None and not getattr(named, "_textual_on", None):
            yield kind, named.__get__(self, kind)


@cache
def _decorated(kind: type[MessagePump], message: type[Message]) -> Mapping[type, Sequence[Any]] | None:
    """Return the decorated handlers of a class and of its bases; None if selectors choose among them."""
    found, before = {}, set[object]()
    for base in kind.__mro__:
        by_message = vars(base).get("_decorated_handlers") or {}
        handlers = dict(each for of_message in message.__mro__ for each in by_message.get(of_message, ()))
        if any(handlers.values()):
            return None
        if own := [method for method in handlers if method not in before]:
            found[base] = own
            before.update(own)
    return found


def _value_of_reactive(self: Reactive[Any], node: Any, kind: Any) -> Any:
    """Return a value that has been set and is not computed, without looking for a method that would compute it."""
    if node is not None and not _computed(kind, self.compute_name):
        try:
            return node.__dict__[self.internal_name]
        except KeyError:
            pass
    return _get_reactive(self, node, kind)


@cache
def _computed(kind: type, method: str) -> bool:
    return hasattr(kind, method)


def _initialize(self: Reactive[Any], node: Any, name: str) -> None:
    if self.internal_name not in node.__dict__ or name != self.name:
        _initialize_reactive(self, node, name)


def _parameters(function: Callable[..., Any]) -> int:
    """Count the parameters of a plain function without making their signature, a new one for each closure."""
    if type(function) is not FunctionType or function.__dict__:
        return _count_parameters(function)
    code = function.__code__
    variable = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + variable


def _rule(self: RenderStyles, name: str, default: object = None) -> object:
    own: dict[str, object] = self._inline_styles._rules  # type: ignore[assignment]
    return own[name] if name in own else self._base_styles._rules.get(name, default)


def _colours(self: ColorSystem) -> dict[str, str]:
    """Return the colours of a theme, worked out once."""
    return {**_once(_generated, repr(sorted(vars(self).items())), partial(_generate, self))}


def _tokens(values: dict[str, str]) -> dict[str, Any]:
    """Return the tokens of the colours of a theme, made once."""
    return _once(_tokenized, tuple(values.items()), partial(_tokenize_values, values))


def _once(known: dict[Any, Any], key: object, make: Callable[[], Any]) -> Any:
    if key not in known:
        known[key] = make()
    return known[key]


@contextmanager
def cheaper() -> Iterator[None]:
    """Make the changes for a while."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", _parse_once)
        patch.setattr(CachedStylesheet, "parse", _match_once)
        # By identity, as their own method does in Python: hundreds of times for each widget.
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        patch.setattr(Screen, "_compositor_refresh", _refresh_unseen)
        for leaving in ("push_screen", "pop_screen", "switch_screen", "_shutdown"):
            patch.setattr(App, leaving, _painted_before(getattr(App, leaving)))
        patch.setattr(Compositor, "_render_chops", _chops)
        patch.setattr(Compositor, "render_full_update", _full_update)
        patch.setattr(Strip, "__init__", _strip)
        patch.setattr(Strip, "__getattr__", _cache_of_strip, raising=False)
        patch.setattr(MessagePump, "_get_dispatch_methods", _dispatch_methods)
        patch.setattr(Reactive, "__get__", _value_of_reactive)
        patch.setattr(Reactive, "_initialize_reactive", _initialize)
        patch.setattr(_callback, "_count_parameters", _parameters)
        patch.setattr(RenderStyles, "get_rule", _rule)
        patch.setattr(ColorSystem, "generate", _colours)
        patch.setattr(stylesheet, "tokenize_values", _tokens)
        yield
