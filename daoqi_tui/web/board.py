"""The page of a game in a browser: a board that speaks the public protocol, so that a viewer costs no process.

The scripts are in ``static/board``, the page itself is ``board.html``. What is to be translated stands in them, as
``_("…")`` and ``plural("…", "…", count)`` in the scripts and ``[[…]]`` in the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

from aiohttp import web

from daoqi_tui import codec
from daoqi_tui.engine import BLACK, WHITE, parse_rules, torus_of
from daoqi_tui.engine.game import handicap_points
from daoqi_tui.i18n import _, language, plural_form, translate
from daoqi_tui.play.online.invitation import JOIN_COMMAND, Invitation
from daoqi_tui.play.online.protocol import FINAL, REASONS, VERSION
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.wording import describe_rules, sentence

SCRIPTS: Final = Path(__file__).parent / "static" / "board"
PAGE: Final = Path(__file__).parent / "board.html"
_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'"
)
_TEXT: Final = r'"(?:[^"\\]|\\.)*"'
_CALLS: Final = re.compile(rf"\b_\(\s*({_TEXT})|\bplural\(\s*({_TEXT}),\s*({_TEXT})")
_LABEL: Final = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


def sentences(file: Path) -> Iterator[str | tuple[str, str]]:
    """Yield what a script or a page marks for translation; singular and plural are a pair."""
    source = file.read_text("utf-8")
    if file.suffix == ".html":
        yield from (_label(found) for found in _LABEL.finditer(source))
        return
    for found in _CALLS.finditer(source):
        alone, one, many = (text and json.loads(text) for text in found.groups())
        yield alone or (one, many)


def _label(found: re.Match[str]) -> str:
    return " ".join(found[1].split())


@cache
def _marked() -> tuple[str | tuple[str, str], ...]:
    return tuple(dict.fromkeys(each for file in SCRIPTS.glob("*.js") for each in sentences(file)))


def _words() -> dict[str, str]:
    """Return the sentences of the scripts, translated."""
    words = {}
    for marked in _marked():
        if isinstance(marked, str):
            words[marked] = _(marked)
        else:
            # The scripts put in the number.
            words |= {form: plural_form(*marked, count) for form, count in zip(marked, (1, 2), strict=True)}
    return words


@dataclass(frozen=True, slots=True)
class Place:
    """A place at a table.

    Attributes:
        base: the address of the server, as the browser sees it.
        game: the id of the game.
        terms: of its games.
        key: of the visitor's seat, empty for a spectator.
        code: of the free seat, if the visitor invites to it, or may take it.
    """

    base: str
    game: str
    terms: Terms
    key: str = ""
    code: str = ""

    @property
    def _server(self) -> str:
        return re.sub("^http", "ws", self.base)

    def _data(self) -> dict[str, Any]:
        """Return what the scripts have to know, besides what the protocol says."""
        terms, rules = self.terms, parse_rules(self.terms.rules)
        torus = torus_of(terms.size)
        return {
            "socket": f"{self._server}/game/{self.game}",
            "version": VERSION,
            "final": sorted(FINAL),
            "key": self.key,
            "link": f"{self.base}/table/{self.game}?code={self.code}" if self.code else "",
            "command": f"{JOIN_COMMAND}{Invitation(self._server, self.game, self.code)}" if self.code else "",
            "terms": {
                "size": terms.size,
                "komi": terms.komi,
                "rules": describe_rules(rules),
                "rated": terms.rated,
                "days": terms.days,
                "passCost": rules.pass_cost,
                "tie": {BLACK: "black", WHITE: "white"}.get(rules.tie or 0, ""),
                "setup": [torus.name(point, "gtp") for point in handicap_points(torus, terms.handicap)],
            },
            "reasons": {code: sentence(translate(reason)) for code, reason in REASONS.items() if code != "bad-message"},
            "words": _words(),
        }

    def page(self) -> web.Response:
        """Return the page, in the language of the visitor."""
        # Before any other text is put in, which could look like a label.
        page = _LABEL.sub(lambda found: escape(_(_label(found))), PAGE.read_text("utf-8"))
        data = escape(codec.encode(self._data()).decode())
        text = Template(page).substitute(language=language(), base=escape(self.base), data=data)
        # It holds the key of the seat.
        headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store"}
        return web.Response(text=text, content_type="text/html", headers=headers)
