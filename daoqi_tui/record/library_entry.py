"""What a library knows of a game without opening it: one row of the list, and its small picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daoqi_tui.engine import EMPTY, Game
from daoqi_tui.record.markup import comment
from daoqi_tui.record.problem import SgfError
from daoqi_tui.record.result import last_of
from daoqi_tui.record.sgf import load
from daoqi_tui.record.text import plain_line

_MOST_COMMENT: Final = 20_000
_MOST_FIELD: Final = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """A game of the library. All texts are one line, fit to be shown.

    Attributes:
        file: its name in the folder of the library.
        modified: when the file was changed last, in nanoseconds since the epoch.
        length: of the file in bytes.
        black, white: players with their ranks.
        date: as the record has it, normally ISO 8601.
        name: of the game, or the event.
        size: of the board; 0 when the file cannot be read.
        moves: plays and passes of the main line.
        komi: in points.
        result: as the record has it, else that of the end of the main line.
        board: the position at the end of the main line, packed: four points a byte (see :meth:`stones`).
        problem: why the file cannot be read, empty when it can.
    """

    file: str
    modified: int
    length: int
    black: str
    white: str
    date: str
    name: str
    size: int
    moves: int
    komi: float
    result: str
    board: bytes
    problem: str

    def stones(self) -> bytes:
        """The colour of each point of the final board, row by row."""
        colours = bytes(packed >> shift & 3 for packed in self.board for shift in (0, 2, 4, 6))
        return colours[: self.size * self.size]


def entry_of(file: str, modified: int, data: bytes) -> tuple[Entry, str]:
    """The entry of a file, and everything in which one searches for it, in one text."""
    try:
        loaded = load(data)
    except SgfError as error:
        entry = Entry(file, modified, len(data), "", "", "", "", 0, 0, 0, "", b"", plain_line(str(error)))
        return entry, _searched(entry)
    game, info = loaded.game, loaded.info
    entry = Entry(
        file,
        modified,
        len(data),
        _short(f"{info.black} {info.black_rank}"),
        _short(f"{info.white} {info.white_rank}"),
        _short(info.date),
        _short(info.name or info.event),
        game.torus.size,
        last_of(game).number,
        game.komi,
        _short(info.result or str(game.result or "")),
        _packed(game),
        "",
    )
    more = (info.event, info.place, info.annotator, info.comment, comment(game.root))
    return entry, _searched(entry, *more)


def folded(text: str) -> str:
    """``text`` as searches compare it: capitals and the forms of a letter do not matter."""
    return plain_line(text).casefold()


def _short(text: str) -> str:
    return plain_line(text)[:_MOST_FIELD]


def _searched(entry: Entry, *more: str) -> str:
    own = (entry.black, entry.white, entry.date, entry.result, entry.name, entry.file)
    return "\n".join(folded(text[:_MOST_COMMENT]) for text in (*own, *more) if text)


def _packed(game: Game) -> bytes:
    """The board at the cursor, four points a byte, the first in the lowest bits."""
    colours = [*game.board.colours, EMPTY, EMPTY, EMPTY]
    return bytes(
        colours[at] | colours[at + 1] << 2 | colours[at + 2] << 4 | colours[at + 3] << 6
        for at in range(0, game.torus.points, 4)
    )
