"""Words in the person's language.

Call :func:`_` where a sentence is shown, not where it is defined, so that the language can change while the
program runs; mark sentences in tables with :func:`N_`.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

DOMAIN: Final = "daoqi_tui"
CATALOGUES: Final = Path(__file__).parent / "tui" / "locale"
LANGUAGES: Final = {"en": "English", "zh": "中文"}
"""What there is, each in its own words."""
_LOCALES: Final = {"zh": "zh_CN"}

_current: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"


def use_language(language: str) -> None:
    """Show words in ``language`` (``en``, ``zh``); a language without a catalogue means English.

    The command line's own words come from argparse, which asks gettext's default domain and the environment.
    """
    global _current, _language  # noqa: PLW0603 (the one language of the process)
    locale = _LOCALES.get(language)
    _language = language if locale else "en"
    if locale is None:
        _current = gettext.NullTranslations()
        gettext.textdomain("messages")
        return
    _current = gettext.translation(DOMAIN, CATALOGUES, languages=[locale], fallback=True)
    gettext.bindtextdomain(DOMAIN, CATALOGUES)
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = locale


def language() -> str:
    """The language that words are shown in."""
    return _language


def system_language(environment: Mapping[str, str]) -> str:
    """The language that a system's variables ask for: ``zh`` for any kind of Chinese, else ``en``."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        asked = environment.get(name, "")
        if asked:
            # The list of further wishes counts only where the locale is not C, as in gettext itself.
            wishes = environment.get("LANGUAGE", "") if asked.partition(".")[0] not in ("C", "POSIX") else ""
            return "zh" if (wishes or asked).lower().startswith("zh") else "en"
    return "en"


def _(sentence: str) -> str:
    """Translate a sentence."""
    return _current.gettext(sentence)


def plural(one: str, many: str, count: int) -> str:
    """Translate a sentence that depends on a number; ``{count}`` in it is replaced."""
    return _current.ngettext(one, many, count).format(count=count)


def N_(sentence: str) -> str:  # noqa: N802 (gettext's own name)
    """Mark a sentence for translation without translating it yet."""
    return sentence
