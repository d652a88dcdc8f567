"""Lines of text end as sentences do in the language they are told in."""

from __future__ import annotations

from daoqi_tui.i18n import _


def sentence(words: str) -> str:
    """Words with a full stop."""
    return _("{words}.").format(words=words)
