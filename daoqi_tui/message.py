"""Messages as values, which become text when they are shown.

The layers below the faces do not translate. Their messages to the user are :class:`Message` values: an English template
and the values to insert. An exception carries one as its argument, so that ``str(error)`` is plain English;
:func:`daoqi_tui.i18n.translate` translates either into the user's language.

>>> error = ValueError(Message("size {size} is out of range: {least} to {most}", size=99, least=2, most=25))
>>> str(error)
'size 99 is out of range: 2 to 25'
>>> message_of(error).values["size"]
99
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, LiteralString, TypeAlias, cast
from unicodedata import east_asian_width

_HAN: Final = r"[\u3400-\u4dbf\u4e00-\u9fff]"


class Message:
    """A sentence, or a part of one, that is not translated yet.

    Args:
        template: English, with the names of the values in braces as for :meth:`str.format`. It has to be a literal in
            the source, from which the catalogues of translations are extracted.
        values: for each name a number, a text that is the same in every language, such as a file name, or another
            translatable value: a message, an exception. Of an exception only what it says is kept, since its traceback
            would hold the frames it passed through, which often hold this message.
    """

    __slots__ = ("many", "template", "values")

    def __init__(self, template: LiteralString, /, **values: object) -> None:
        self.template: str = template
        self.many = ""
        for name, value in values.items():
            if isinstance(value, Exception):
                values[name] = message_of(value) or str(value)
        self.values = values

    def __str__(self) -> str:
        many = self.many and self.values["count"] != 1
        return self.fill(self.many if many else self.template, str)

    def __repr__(self) -> str:
        values = "".join(f", {name}={value!r}" for name, value in self.values.items())
        return f"Message({self.template!r}{values})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.template, str(self)))

    def _key(self) -> tuple[str, str, dict[str, object]]:
        return self.template, self.many, self.values

    def as_message(self) -> Message:
        return self

    def fill(self, template: str, translate: Callable[[object], str]) -> str:
        """Return ``template``, this message's own or a translation of it, with the values inserted.

        ``translate`` translates the values that are translatable; other values are inserted unchanged.
        """
        values = {name: value if message_of(value) is None else translate(value) for name, value in self.values.items()}
        return filled(template, **values)

    def map_text(self, change: Callable[[str], str]) -> Message:
        """Return the message with ``change`` applied to every text in it that does not come from the source code."""
        return _made(self.template, self.many, self._mapped(lambda message: message.map_text(change), change))

    def as_json(self) -> dict[str, Any]:
        """Return the message as JSON values, for another process or a file."""
        return {"template": self.template, "many": self.many, "values": self._mapped(Message.as_json, str)}

    def _mapped(self, of_message: Callable[[Message], object], of_text: Callable[[str], object]) -> dict[str, object]:
        """Return the values, with those changed that are messages or texts; numbers stay."""

        def mapped(value: object) -> object:
            message = message_of(value)
            if message is not None:
                return of_message(message)
            return value if isinstance(value, (int, float)) else of_text(str(value))

        return {name: mapped(value) for name, value in self.values.items()}

    @staticmethod
    def from_json(held: object) -> Message:
        """Return the message from the values of :meth:`as_json`.

        Raises:
            ValueError: the values are not a message.
        """
        try:
            found = cast("dict[str, Any]", held)
            values = {
                name: Message.from_json(value) if isinstance(value, dict) else value
                for name, value in found["values"].items()
            }
            message = _made(found["template"], found["many"], values)
            str(message)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise ValueError("this is not a message") from error
        return message


Translate: TypeAlias = Callable[[Message], str]
"""Translates a message."""


def filled(template: str, /, **values: object) -> str:
    """Insert values into a template as :func:`spaced` says.

    >>> filled("{black}对{white}", black="Ke Jie", white="Go"), filled("{black}对{white}", black="柯洁", white="古力")
    ('Ke Jie 对 Go', '柯洁对古力')
    """
    return spaced(template, values).format(**values)


def spaced(template: str, values: Mapping[str, object]) -> str:
    """Return a template with a space between each Chinese character and a value beside it that is not Chinese.

    A translation itself cannot have these spaces where a name, which may be in either script, is inserted.
    """
    if not template.isascii() and re.search(_HAN, template):
        for name, value in values.items():
            text, place = str(value), rf"{{{re.escape(name)}(?:[:!][^{{}}]*)?}}"
            if _is_narrow(text[:1]):
                template = re.sub(rf"(?<={_HAN})(?={place})", " ", template)
            if _is_narrow(text[-1:]):
                template = re.sub(rf"({place})(?={_HAN})", r"\1 ", template)
    return template


def _is_narrow(sign: str) -> bool:
    """Return whether a character is a letter or digit that is not Chinese, or punctuation of ASCII."""
    return sign > " " and (sign.isascii() or (sign.isalnum() and east_asian_width(sign) not in "WF"))


def counted_message(one: LiteralString, many: LiteralString, count: int, **values: object) -> Message:
    """Make a message whose template depends on a number, called ``{count}`` in it.

    >>> str(counted_message("{count} entry was", "{count} entries were", 2))
    '2 entries were'
    """
    return _made(one, many, {"count": count, **values})


def _made(template: str, many: str, values: dict[str, object]) -> Message:
    message = Message(template, **values)
    message.many = many
    return message


def message_of(value: object) -> Message | None:
    """Return the message of a value: of an exception its argument; None for a value that is only text."""
    if isinstance(value, Message):
        return value
    say = getattr(value, "as_message", None)
    if say is not None:
        return cast("Message", say())
    return message_of(value.args[0]) if isinstance(value, Exception) and len(value.args) == 1 else None


def reason_of(error: Exception) -> Message | str:
    """Return why something failed: the system's reason without number and file name, else the error's text."""
    if isinstance(error, OSError) and error.strerror:
        return _SYSTEM.get(error.strerror, error.strerror)
    return message_of(error) or str(error)


def problem_of(error: Exception) -> Message | str:
    """Return why something failed, after the file that an error of the system names."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return Message("{file}: {reason}", file=error.filename, reason=reason_of(error))
    return reason_of(error)


def first_of(problems: Sequence[Message], more: int = 0, most: int | None = None) -> tuple[Message, ...]:
    """Return the first of many problems and, if there are others, how many.

    Args:
        problems: those that have a message.
        more: the number of those that have none.
        most: the number to return; None for all.
    """
    shown = tuple(problems[:most])
    more += len(problems) - len(shown)
    return (*shown, Message("and {count} more like these", count=more)) if more else shown


NOT_A_FILE: Final = Message("it is a pipe or a device, not a file")
"""The reason why :func:`daoqi_tui.paths.open_file` refuses a file."""
_SYSTEM: Final = {
    str(message): message
    for message in (
        Message("No such file or directory"),
        Message("Permission denied"),
        Message("Operation not permitted"),
        Message("Is a directory"),
        Message("Not a directory"),
        Message("Directory not empty"),
        Message("File exists"),
        Message("File name too long"),
        Message("Too many levels of symbolic links"),
        Message("Too many open files"),
        Message("Input/output error"),
        Message("No space left on device"),
        Message("File too large"),
        Message("Disk quota exceeded"),
        Message("Read-only file system"),
        Message("Bad file descriptor"),
        Message("Exec format error"),
        Message("Connection refused"),
        Message("Connection reset by peer"),
        Message("Connection timed out"),
        Message("Network is unreachable"),
        Message("No route to host"),
        Message("Name or service not known"),
        Message("Temporary failure in name resolution"),
        NOT_A_FILE,
    )
}
"""The system's most frequent error reasons, by its own texts for them."""
