"""A style sheet is parsed once, not again for each screen that brings one of its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from textual.css import stylesheet
from textual.css.model import CombinatorType, SelectorType
from textual.css.parse import parse as parse_rules_of
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widgets import Input

from daoqi_tui.tui import app as app_module
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.fitting import CachedStylesheet
from daoqi_tui.tui.screens.form import Choice
from tests.tui.cheaper import parse_alone, parse_rules
from tests.tui.driving import playing

_MANY = 200
"""More than the screens and widgets of the program have."""
Source = tuple[str, int, str]
"""A style sheet, its precedence and its scope."""


@pytest.fixture(autouse=True)
def _apps_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CachedStylesheet, "parse", parse_alone)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Source]:
    """The sources parsed from now on."""
    sources: list[Source] = []
    parse = stylesheet.parse

    def note(scope: str, css: str, *given: Any, tie_breaker: int, **named: Any) -> Any:
        sources.append((css, tie_breaker, scope))
        return parse(scope, css, *given, tie_breaker=tie_breaker, **named)

    # The fixture of all tests keeps what is parsed for all of them.
    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_rules)
    monkeypatch.setattr(stylesheet, "parse", note)
    return sources


def test_another_source_is_parsed_alone(parsed: list[Source]) -> None:
    style = CachedStylesheet(variables={"ink": "red"})
    for number in range(_MANY):
        style.add_source(f"A{number} {{ color: $ink; }}", ("", f"{number}"))
    style.parse()
    assert len(parsed) == _MANY
    parsed.clear()
    style.add_source("B { color: $ink; }", ("", "B"))
    style.reparse()
    assert [css for css, *_ in parsed] == ["B { color: $ink; }"]
    assert len(style.rules) == _MANY + 1
    parsed.clear()
    style.set_variables({"ink": "blue"})
    style.reparse()
    assert len(parsed) == _MANY + 1, "colours belong to what is parsed"


@pytest.mark.parametrize("key", ["n", "C", "question_mark", "O"])
async def test_a_screen_parses_only_what_it_brings(key: str, parsed: list[Source]) -> None:
    async with playing() as person:
        await person.wait()
        assert isinstance(person.app, DaoqiApp)
        known = {(css, breaker, scope) for css, _, breaker, scope in person.app.stylesheet.source.values()}
        parsed.clear()
        await person.press(key)
        await person.wait()
        assert not person.at_the_board
        again = [source for source in parsed if source in known]
    assert again == []


class Matches(Counter[str]):
    """Counts how often Textual's style sheet compares its rules with nodes, by their class."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        apply = Stylesheet.apply

        def counted(sheet: Stylesheet, node: DOMNode, **given: Any) -> None:
            self[type(node).__name__] += 1
            apply(sheet, node, **given)

        monkeypatch.setattr(Stylesheet, "apply", counted)


async def test_rules_are_matched_once_for_nodes_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = Matches(monkeypatch)
    async with playing() as person:
        for times in range(2):
            matches.clear()
            await person.press("n")
            await person.wait()
            form = person.app.screen
            # Fields of the game and of a player, and the one with the focus; the first before all rules were read.
            assert len(form.query(Input)) > 5
            assert matches["Input"] <= 4 * (not times)
            assert matches["Label"] <= 2 * (not times)
            assert matches.total() <= (0 if times else 70), matches
            await person.press("escape")
            await person.wait()


@pytest.mark.parametrize("key", ["n", "o", "C", "question_mark", "O", "b"])
async def test_component_classes_are_matched_when_they_are_asked_for_and_as_textual_does(key: str) -> None:
    async with playing() as person:
        await person.press(key)
        await person.wait()
        sheet, unasked = person.app.stylesheet, 0
        for node in (person.app.screen, *person.app.screen.walk_children()):
            names = node._get_component_classes()
            unasked += len(names - node._component_styles.keys())
            ours = {name: dict(node.get_component_styles(name).base.get_rules()) for name in names}
            node._component_styles = {}
            Stylesheet._process_component_classes(sheet, node)
            assert ours == {name: dict(node.get_component_styles(name).base.get_rules()) for name in names}, node
            with pytest.raises(KeyError):
                node.get_component_styles("no-such-class")
        assert unasked > (20 if key == "n" else 0)


async def test_a_component_class_that_was_asked_for_follows_the_state_of_its_widget() -> None:
    async with playing() as person:
        await person.press("o")
        await person.wait()
        first, second = [*person.app.screen.query(Choice)][:2]
        colours = []
        for choice in (first, second):
            choice.focus()
            await person.wait()
            colours.append([each.get_component_styles("choice--value").background for each in (first, second)])
        assert colours[0] == colours[1][::-1]
        assert colours[0][0] != colours[0][1]


async def test_only_rules_that_name_a_node_are_compared_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    apply = Stylesheet.apply

    def counted(sheet: Stylesheet, node: DOMNode, **given: Any) -> None:
        compared.append(len(sheet.rules))
        apply(sheet, node, **given)

    monkeypatch.setattr(Stylesheet, "apply", counted)
    async with playing() as person:
        await person.press("n")
        await person.wait()
        assert len(person.app.stylesheet.rules) > 200
        assert compared
        assert max(compared) < 60


async def test_other_rules_reach_the_nodes_that_were_matched_before() -> None:
    async with playing() as person:
        board, sheet = person.board, person.app.stylesheet
        before = board.styles.base.get_rules()
        for source, expected in (("BoardView { margin: 3; }", (3, 3, 3, 3)), ("#board { margin: 2; }", (2, 2, 2, 2))):
            sheet.add_source(source, ("", source), is_default_css=False)
            sheet.update(person.app)
            assert board.styles.margin == expected
        assert before != board.styles.base.get_rules()
        board.add_class("wide")
        sheet.add_source(".wide { margin: 1 !important; }", ("", "wide"), is_default_css=False)
        sheet.update(person.app)
        assert board.styles.margin == (1, 1, 1, 1)
        board.remove_class("wide")
        sheet.update(person.app)
        assert board.styles.margin == (2, 2, 2, 2)


def _selected(path: str) -> list[list[tuple[str, set[str]]]]:
    """Return, for each selector of a style sheet, the name and the classes of each node that it selects in turn."""
    css = (Path(app_module.__file__).parent / path).read_text("utf-8")
    variables = CachedStylesheet(variables=DaoqiApp().get_css_variables())._variable_tokens
    rules = parse_rules_of("", css, (path, ""), variable_tokens=variables)
    found = []
    with_styles = (rule for rule in rules if rule.styles.get_rules())
    for chain in (each.selectors for rule in with_styles for each in rule.selector_set):
        nodes: list[tuple[str, set[str]]] = []
        for selector in chain:
            if selector.combinator is not CombinatorType.SAME:
                nodes.append(("", set()))
            _name, classes = nodes[-1]
            if selector.type is SelectorType.CLASS:
                classes.add(selector.name)
            elif selector.type is SelectorType.TYPE:
                nodes[-1] = selector.name, classes
        found.append(nodes)
    return found


def test_rules_of_states_apply_in_these_states_alone_and_those_of_the_usual_one_are_in_the_other_sheet() -> None:
    states = _selected("states.tcss")
    assert all(nodes[0][0] == "GameScreen" and nodes[0][1] & DaoqiApp.STATES for nodes in states)
    everywhere, usual = [("", set[str]())], []
    for nodes in _selected("app.tcss"):
        if nodes != everywhere:
            assert nodes[0][0] == "GameScreen", "what other screens alone show is parsed with them"
            usual.append(nodes)
    assert usual
    assert not any(nodes[0][1] & DaoqiApp.STATES for nodes in usual)
    assert {name for nodes in states for name in nodes[0][1]} >= DaoqiApp.STATES


@pytest.mark.parametrize("state", sorted(DaoqiApp.STATES))
async def test_the_rules_of_a_state_are_there_when_a_screen_gets_its_class(state: str) -> None:
    async with playing((120, 40)) as person:
        sheet, screen = person.app.stylesheet, person.screen
        assert not any(path.endswith("states.tcss") for path, _variable in sheet.source)
        screen.add_class(state)
        assert any(path.endswith("states.tcss") for path, _variable in sheet.source)
        for node in (screen, *screen.walk_children()):
            before = dict(node.styles.base.get_rules())
            Stylesheet.apply(sheet, node)
            assert node.styles.base.get_rules() == before


async def test_no_rule_is_there_twice() -> None:
    """As one of a widget's own that the app's style sheet repeats; each takes a tenth of a millisecond of the start."""
    async with playing((120, 40)) as person:
        rules = [(rule.selectors, rule.styles.get_rules()) for rule in person.app.stylesheet.rules]
    counts = Counter(f"{selectors}: {values}" for selectors, values in rules if values)
    assert [rule for rule, count in counts.items() if count > 1] == []
