"""Records changed as raw trees, so that everything but what is meant to change stays as it was."""

from __future__ import annotations

from dataclasses import dataclass

from daoqi_tui.record.info import Info, read_info
from daoqi_tui.record.sgf_parse import RawNode, parse
from daoqi_tui.record.sgf_write import serialise
from daoqi_tui.record.text import encode_line


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A record with other names.

    Attributes:
        data: the new record.
        info, info_before: what it says of the (first) game now, and said before.
        skips: whether the old record held something that reading had to skip, and that is not in the new one.
    """

    data: bytes
    info: Info
    info_before: Info
    skips: bool


def split(data: bytes) -> list[bytes]:
    """The games of a file, a record each; the only game of a file is the file itself.

    Raises:
        SgfError: there is no game in it.
    """
    roots = [root for root in parse(data).roots if root.properties or root.children]
    return [data] if len(roots) == 1 else [_written(root) for root in roots]


def renamed(data: bytes, *, black: str | None, white: str | None, name: str | None) -> Rewritten:
    """The record with other players or another name; None leaves what is there, an empty text takes it away.

    Raises:
        SgfError: there is no game in it.
    """
    collection = parse(data)
    root = collection.roots[0]
    before = read_info(root.properties)
    for key, text in (("PB", black), ("PW", white), ("GN", name)):
        if text is None:
            continue
        root.properties.pop(key, None)
        if text.strip():
            root.properties[key] = [encode_line(text)]
    written = b"".join(_written(root) for root in collection.roots)
    return Rewritten(written, read_info(root.properties), before, bool(collection.problems))


def _written(root: RawNode) -> bytes:
    """One game in UTF-8, and saying so; the order of everything else stays."""
    properties = root.properties
    if "CA" in properties or not b"".join(_values(properties)).isascii():
        root.properties = {"CA": ["UTF-8"]} | {key: values for key, values in properties.items() if key != "CA"}
    return serialise(root)


def _values(properties: dict[str, list[str]]) -> list[bytes]:
    return [raw.encode("utf-8", "replace") for values in properties.values() for raw in values]
