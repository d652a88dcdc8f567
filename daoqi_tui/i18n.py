"""Translation into the user's language.

Call :func:`_` where a sentence is shown, not where it is defined, so that the language can change while the
program runs; mark sentences in tables with :func:`N_`. :func:`translate` translates messages of lower layers.
"""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Final

from daoqi_tui.message import message_of, reason_of

DOMAIN: Final = "daoqi_tui"
CATALOGUES: Final = Path(__file__).parent / "locale"
LANGUAGES: Final = {"en": "English", "zh": "中文", "zh-TW": "繁體中文"}
"""The languages by code, each under its own name."""
LOCALES: Final = {"zh": "zh_CN", "zh-TW": "zh_TW"}
"""The folder of each catalogue; English needs none."""
_TRADITIONAL: Final = frozenset(("hant", "tw", "hk", "mo"))
"""The parts of a locale's name that ask for traditional characters."""

_current: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"
_visitor: ContextVar[str | None] = ContextVar("visitor", default=None)
"""The language in which a visitor of a server is answered, None outside :func:`speaking`."""
_wished: str | None = None
"""The value of LANGUAGE in the environment before :func:`use_language` set it."""


def use_language(language: str) -> None:
    """Translate into ``language`` (``en``, ``zh``) from now on; a language without a catalogue means English.

    argparse takes its own texts from gettext's default domain, according to the environment. For English, LANGUAGE is
    restored, since child processes inherit it.
    """
    global _current, _language, _wished  # noqa: PLW0603 (the one language of the process)
    locale = LOCALES.get(language)
    before, _language = _language, language if locale else "en"
    if locale is None:
        _current = gettext.NullTranslations()
        gettext.textdomain("messages")
        if before != "en":
            os.environ.pop("LANGUAGE", None)
            if _wished is not None:
                os.environ["LANGUAGE"] = _wished
        return
    if before == "en":
        _wished = os.environ.get("LANGUAGE")
    _current = gettext.translation(DOMAIN, CATALOGUES, languages=[locale], fallback=True)
    gettext.bindtextdomain(DOMAIN, CATALOGUES)
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = locale


def language() -> str:
    """Return the code of the language in use."""
    return _visitor.get() or _language


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Translate into another language while the block lasts, for this task alone, as for a visitor of a server."""
    before = _visitor.set(language)
    try:
        yield
    finally:
        _visitor.reset(before)


def _catalogue() -> gettext.NullTranslations:
    visitor = _visitor.get()
    if visitor is None or visitor == _language:
        return _current
    locale = LOCALES.get(visitor)
    if locale is None:
        return gettext.NullTranslations()
    # It is read once, and then kept by gettext.
    return gettext.translation(DOMAIN, CATALOGUES, languages=[locale], fallback=True)


def accepted_language(header: str) -> str:
    """Return the one of :data:`LANGUAGES` that a browser prefers (``Accept-Language``), English if it accepts none.

    >>> accepted_language("de, zh-Hant;q=0.8, en;q=0.5"), accepted_language("en-GB,zh;q=0.9"), accepted_language("de")
    ('zh-TW', 'en', 'en')
    """
    wishes = [re.fullmatch(r"\s*([\w-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*", wish) for wish in header.split(",")]
    ranked = sorted((wish for wish in wishes if wish), key=lambda wish: -float(wish[2] or 1))
    return next((code for code in (_code_of(wish[1]) for wish in ranked) if code in LANGUAGES), "en")


def system_language(environment: Mapping[str, str]) -> str:
    """Return the language that the system's variables ask for; ``en`` where they name none of :data:`LANGUAGES`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        asked = environment.get(name, "")
        if asked:
            # The list of preferred languages counts only if the locale is not C, as in gettext itself.
            wishes = environment.get("LANGUAGE", "") if asked.partition(".")[0] not in ("C", "POSIX") else ""
            codes = map(_code_of, (wishes or asked).split(":"))
            return next((code for code in codes if code in LANGUAGES), "en")
    return "en"


def _code_of(locale: str) -> str:
    """Return the code of a locale's language, whether it is one of ours or not."""
    code, *parts = re.split("[^a-z]", locale.lower())
    return "zh-TW" if code == "zh" and not _TRADITIONAL.isdisjoint(parts) else code


def _(sentence: str) -> str:
    return _catalogue().gettext(sentence)


def plural(one: str, many: str, count: int) -> str:
    """Translate a sentence that depends on a number; ``{count}`` in it is replaced."""
    return plural_form(one, many, count).format(count=count)


def plural_form(one: str, many: str, count: int) -> str:
    """Translate a sentence as :func:`plural` does, without putting in the number."""
    return _catalogue().ngettext(one, many, count)


def listed(names: Iterable[str]) -> str:
    """Return names as a list within a sentence: ``K10, K11``."""
    joined = ""
    for name in names:
        joined = _("{names}, {name}").format(names=joined, name=name) if joined else name
    return joined


def one_of(names: Sequence[str]) -> str:
    """Return names as alternatives within a sentence: ``.png, .gif or .svg``."""
    *others, last = names
    return _("{names} or {name}").format(names=listed(others), name=last) if others else last


def in_all_languages(sentence: str) -> tuple[str, ...]:
    """Translate a sentence into every language, to recognise it in a file written in any of them."""
    catalogues = (
        gettext.translation(DOMAIN, CATALOGUES, languages=[locale], fallback=True) for locale in LOCALES.values()
    )
    return sentence, *(catalogue.gettext(sentence) for catalogue in catalogues)


def translate(value: object) -> str:
    """Translate a message, a refusal, a result or an exception into the user's language, on one line.

    Plain text, such as a name or the output of another program, is not changed.
    """
    return " ".join(_translate(value).split())


def _translate(value: object) -> str:
    if isinstance(value, OSError) and value.strerror:
        # Without the system's error number.
        reason = _translate(reason_of(value))
        return f"{value.filename}: {reason}" if value.filename else reason
    message = message_of(value)
    if message is None:
        return str(value)
    if message.many:
        count = message.values["count"]
        template = plural_form(message.template, message.many, count if isinstance(count, int) else 2)
    else:
        template = _(message.template)
    return message.fill(template, _translate)


def N_(sentence: str) -> str:  # noqa: N802 (gettext's own name)
    """Mark a sentence for translation without translating it yet."""
    return sentence


_COMPUTER: Final = N_("Computer {level}")
_STYLED: Final = N_("Computer {level} ({style})")
_BOT: Final = N_("Bot level {level}")
STYLE_LABELS: Final = {
    "territory": N_("territorial"),
    "influence": N_("influence"),
    "fighting": N_("fighting"),
    "simple": N_("simple"),
}
"""The words for the styles of play by how they are typed."""


def computer_name(level: float, style: str = "") -> str:
    """Return the default name of a computer player, with its style of play if it has one."""
    return _(_STYLED if style else _COMPUTER).format(level=level, style=style and _(STYLE_LABELS[style]))


def bot_name(level: float) -> str:
    """Return the name under which a bot of a lobby plays, which is the same for all."""
    return _BOT.format(level=f"{level:g}")


def name_in_language(name: str) -> str:
    """Return a player's name from a file or another program; that of a computer or a bot is in the language of now.

    So are Black and White, which stand in records for who has no name.
    """
    return _names_in(language()).get(name, name) if name else ""


@cache
def _names_in(_language: str) -> Mapping[str, str]:
    """Return the names of all computers and bots, as written in any language, with those in the language of now."""
    from daoqi_tui.typed import LEVEL_NUMBERS  # noqa: PLC0415 (the version needs no names)

    names = {nobody: _(nobody) for nobody in (N_("Black"), N_("White"))}
    for level in LEVEL_NUMBERS:
        bot = _(_BOT).format(level=f"{level:g}")
        names |= {text.format(level=f"{level:g}"): bot for text in in_all_languages(_BOT)}
        for style in ("", *STYLE_LABELS):
            # Each language has both, in the same order.
            texts = in_all_languages(_STYLED if style else _COMPUTER)
            words = in_all_languages(STYLE_LABELS[style]) if style else texts
            name = computer_name(level, style)
            names |= {text.format(level=level, style=word): name for text, word in zip(texts, words, strict=True)}
    return names


def with_suggestion(problem: str, word: str, known: Iterable[str]) -> str:
    """Return an error about a word, with the known word that was probably meant, if there is one.

    >>> with_suggestion("unknown option --siz", "--siz", ["--size", "--komi"])
    'unknown option --siz; did you mean --size?'
    >>> with_suggestion("unknown option --far", "--far", ["--size", "--komi"])
    'unknown option --far'
    """
    from difflib import get_close_matches  # noqa: PLC0415 (most words are right)

    # The hyphens of options would make any two of them similar.
    plain = {name.lstrip("-").lower(): name for name in known}
    typed = word.lstrip("-").lower()
    begins = [name for name in plain if len(typed) > 1 and (name.startswith(typed) or name.endswith(f".{typed}"))]
    nearest = sorted(begins, key=len)[:1] or get_close_matches(typed, plain, n=1)
    return _("{problem}; did you mean {word}?").format(problem=problem, word=plain[nearest[0]]) if nearest else problem


class SentenceError(Exception):
    """An error whose text is a sentence in the user's language.

    Args:
        sentence: its text, with the names of ``parts`` in braces.
    """

    def __init__(self, sentence: str, /, **parts: object) -> None:
        super().__init__(sentence.format(**parts) if parts else sentence)

    @classmethod
    @contextmanager
    def instead_of(cls, *kinds: type[Exception]) -> Iterator[None]:
        """Raise this error in place of one of these kinds, with the same sentence."""
        try:
            yield
        except kinds as error:
            raise cls(translate(error)) from error

    @classmethod
    @contextmanager
    def writing(cls, file: Path | str, kinds: tuple[type[Exception], ...] = (OSError,)) -> Iterator[None]:
        """Raise this error in place of one of these kinds: it names the whole file, as they may not."""
        try:
            yield
        except kinds as error:
            from daoqi_tui.text import plain_line  # noqa: PLC0415 (only errors need it)

            reason = plain_line(translate(reason_of(error)))
            raise cls(_("{file} cannot be written: {reason}"), file=file, reason=reason) from error
