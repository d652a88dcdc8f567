"""Words in the person's language.

Call :func:`_` where a sentence is shown, not where it is defined, so that the language can change while the
program runs; mark sentences in tables with :func:`N_`.
"""

from __future__ import annotations

import gettext
from pathlib import Path
from typing import Final

_CATALOGUES: Final = Path(__file__).parent / "tui" / "locale"
_current: gettext.NullTranslations = gettext.NullTranslations()


def use_language(language: str) -> None:
    """Show words in ``language`` (``en``, ``zh``); a language without a catalogue means English."""
    global _current  # noqa: PLW0603 (the one language of the process)
    _current = gettext.translation("daoqi_tui", _CATALOGUES, languages=[language], fallback=True)


def _(sentence: str) -> str:
    """Translate a sentence."""
    return _current.gettext(sentence)


def plural(one: str, many: str, count: int) -> str:
    """Translate a sentence that depends on a number; ``{count}`` in it is replaced."""
    return _current.ngettext(one, many, count).format(count=count)


def N_(sentence: str) -> str:  # noqa: N802 (gettext's own name)
    """Mark a sentence for translation without translating it yet."""
    return sentence
