"""A style sheet is parsed once, not again for each screen that brings one of its own."""

from __future__ import annotations

from typing import Any

import pytest
from textual.css import stylesheet
from textual.css.stylesheet import Stylesheet

from daoqi_tui.tui.app import DaoqiApp, ParsedOnce
from tests.tui.conftest import _parse_rules
from tests.tui.driving import playing

_MANY = 200
"""More than the screens and widgets of the program have."""
Source = tuple[str, int, str]
"""A style sheet, its precedence and its scope."""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Source]:
    """The sources parsed from now on."""
    sources: list[Source] = []
    parse = stylesheet.parse

    def note(scope: str, css: str, *given: Any, tie_breaker: int, **named: Any) -> Any:
        sources.append((css, tie_breaker, scope))
        return parse(scope, css, *given, tie_breaker=tie_breaker, **named)

    # The fixture of all tests keeps what is parsed for all of them.
    monkeypatch.setattr(Stylesheet, "_parse_rules", _parse_rules)
    monkeypatch.setattr(stylesheet, "parse", note)
    return sources


def test_another_source_is_parsed_alone(parsed: list[Source]) -> None:
    style = ParsedOnce(variables={"ink": "red"})
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
