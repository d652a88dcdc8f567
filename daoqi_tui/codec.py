"""Values as JSON, for files, other processes and peers: the only place where the program turns one into the other.

What may be read is said by types: dataclasses, named tuples, ``dict[str, int]``, ``Literal[...]``, unions, and
:class:`msgspec.Meta` for limits. The JSON itself is that of the standard library, since file names may hold lone
surrogates, which msgspec neither reads nor writes.

>>> encode({"size": 16, "komi": 0.5})
b'{"size":16,"komi":0.5}'
>>> decode(b"[1, 2]", list[int])
[1, 2]
>>> decode(b'[1, "2"]', list[int])
Traceback (most recent call last):
    ...
daoqi_tui.codec.JsonError: Expected `int`, got `str` - at `$[1]`
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Final, TypeVar

import msgspec

from daoqi_tui.message import Message

T = TypeVar("T")


class JsonError(ValueError):
    """The text is not JSON, or not of the wanted type; the error says in English where and what was expected."""


def encode(value: object, *, indent: int | None = None) -> bytes:
    """Return a value as JSON: ASCII, and without ``indent`` on one line.

    Raises:
        ValueError: a number is infinite or not a number.
        TypeError: the value has no form in JSON.
    """
    plain = msgspec.to_builtins(value, enc_hook=_plain)
    text = _ENCODER.encode(plain) if indent is None else json.dumps(plain, indent=indent, allow_nan=False)
    return text.encode("ascii")


def decode(text: bytes | str, kind: type[T]) -> T:
    """Return the value of a JSON text.

    Args:
        text: UTF-8, if it is bytes.
        kind: the type of the value, which is checked in all its parts. Members of an object that a dataclass does not
            have are ignored, those that it has a default for may be missing. ``Any`` takes all, ``object`` nothing.
            Mypy takes a union only in a variable of the type ``Any``.

    Raises:
        JsonError: the text is not JSON, or its value not of that type.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        return convert(_DECODER.decode(text), kind)
    except RecursionError as error:
        raise JsonError(Message("it is nested too deeply")) from error
    except UnicodeDecodeError as error:
        raise JsonError("it is not UTF-8") from error
    except JsonError:
        raise
    except ValueError as error:  # Also for a number with thousands of digits.
        raise JsonError(f"it is not JSON: {error}") from error


def convert(value: object, kind: type[T]) -> T:
    """Return a value of a type from numbers, texts, lists and dictionaries, as :func:`decode` does.

    Raises:
        JsonError: they are not of that type.
    """
    try:
        return msgspec.convert(value, kind, dec_hook=_made)
    # A lone surrogate where another type is expected is encoded for the error.
    except (msgspec.ValidationError, OverflowError, UnicodeEncodeError) as error:
        raise JsonError(str(error)) from error


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise JsonError(f"{text} is not a finite number")
    return number


def _plain(value: object) -> object:
    if isinstance(value, Message):
        return value.as_json()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _made(kind: type, value: object) -> object:
    if kind is Message:
        return Message.from_json(value)
    raise TypeError(f"{kind.__name__} has no form in JSON")


_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_DECODER: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
