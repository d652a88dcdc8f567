"""A style sheet that does not do twice what Textual's does for each screen and each widget again."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from textual.app import App
from textual.cache import LRUCache
from textual.css.model import RuleSet, SelectorType
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widget import Widget

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
            super().apply(node, animate=animate, cache=found)
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
