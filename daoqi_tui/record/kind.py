"""Which board a record was played on: what its root node says about size, game and torus."""

from __future__ import annotations

import re
from typing import Final

from daoqi_tui.engine import LARGEST, SMALLEST
from daoqi_tui.record.sgf_parse import Collection, RawNode
from daoqi_tui.record.text import decode_line

_TORUS_GAMES: Final = ("q5go-1", "10")
_OTHER_GAMES: Final = {"2": "Othello", "3": "chess", "4": "Gomoku", "7": "Chinese chess", "8": "Shogi", "11": "Hex"}
_SPEC_SIZE: Final = 19
"""SGF: the board of a Go record without SZ."""


def _first(root: RawNode, name: str) -> str:
    values = root.properties.get(name)
    return decode_line(values[0]) if values else ""


def size_of(collection: Collection, root: RawNode) -> int:
    """The side of the board.

    Raises:
        SgfError: SZ is no size, not square, or out of range.
    """
    text = _first(root, "SZ")
    if "SZ" not in root.properties:
        return _SPEC_SIZE
    found = re.fullmatch(r"0*(\d{1,9})\s*(?:[:xX×]\s*0*(\d{1,9}))?", text, re.ASCII)
    shown = text if len(text) <= 12 else text[:12] + "…"
    if not found:
        raise collection.error(root.at, f"the size SZ[{shown}] is not a number; it should be {SMALLEST} to {LARGEST}")
    if found[2] and int(found[2]) != int(found[1]):
        raise collection.error(root.at, f"the board SZ[{shown}] is not square; only square boards can be read")
    size = int(found[1])
    if not SMALLEST <= size <= LARGEST:
        raise collection.error(root.at, f"the size SZ[{shown}] is out of range: {SMALLEST} to {LARGEST}")
    return size


def check_game(collection: Collection, root: RawNode) -> None:
    """Make sure that the record is one of Go.

    Raises:
        SgfError: it is another game's, or that of a cylinder.
    """
    game = _first(root, "GM").lower()
    if game not in ("", "1", *_TORUS_GAMES):
        known = _OTHER_GAMES.get(game, "another game")
        shown = game if len(game) <= 12 else game[:12] + "…"
        raise collection.error(root.at, f"GM[{shown}] is {known}; only records of Go, GM[1], can be read")
    if _first(root, "TO") in ("1", "2"):
        cylinder = "TO[1] and TO[2] are a board that wraps in one direction only; the torus is TO[3]"
        raise collection.error(root.at, cylinder)


def declared_torus(root: RawNode) -> bool | None:
    """Whether the record says that it was played on a torus: True, False (``TO[0]``), or None when it says nothing."""
    wraps = _first(root, "TO")
    if wraps in ("0", "3"):
        return wraps == "3"
    program = "".join(root.properties.get("AP", ())).lower()
    if _first(root, "GM").lower() in _TORUS_GAMES or "daoqi" in program:
        return True
    return None
