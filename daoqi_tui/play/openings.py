"""The opening of a game, the index of a folder's openings, and the openings as a tree to browse."""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

from daoqi_tui.analysis.opening import (
    ClassValue,
    Opening,
    OpeningClass,
    OpeningValues,
    Standing,
    class_count,
    find_opening,
    opening_class,
    opening_classes,
    opening_moves,
    shipped_values,
)
from daoqi_tui.analysis.opening_index import OpeningIndex, look_up
from daoqi_tui.analysis.opening_records import (
    GameRecord,
    Hit,
    IndexUpdate,
    NextMove,
    PositionStatistics,
    SearchResult,
    Shape,
    WinCounts,
    statistics_of,
)
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Colour, Game, Style, Torus, torus_of
from daoqi_tui.i18n import N_, _, language, plural, translate
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import cached_for, library_folder
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.wording import colour_word, move_name, sentence
from daoqi_tui.reading.symmetry import BoardPosition, canonical_position
from daoqi_tui.record.files import record_bytes
from daoqi_tui.record.formats import records_below
from daoqi_tui.record.sgf.read import Loaded, load_all
from daoqi_tui.record.text import SgfError
from daoqi_tui.text import plain_line

_MOST_MARKED: Final = 64
"""The maximum number of equivalent points that are marked."""


_MOST_STANDARD: Final = 30
"""The maximum number of moves that are shown in standard form."""


@dataclass(frozen=True, slots=True)
class OpeningView:
    """The opening of the game shown.

    Attributes:
        opening: class and standard form.
        classes: the number of opening classes on this size.
        found: the next moves in other games; None without an index.
    """

    opening: Opening
    classes: int
    found: PositionStatistics | None

    def counts(self) -> dict[int, str]:
        """Return how often each point was played next, as labels for the board."""
        counts: dict[int, str] = {}
        for move in self.found.moves if self.found else ():
            if move.points != (PASS,) and len(move.points) <= _MOST_MARKED:
                games = move.tally.games
                counts.update((point, str(games) if games < 100 else "+") for point in move.points)
        return counts


def opening_view(game: Game, index: OpeningIndex | None) -> OpeningView:
    """Return the opening of ``game`` at its cursor, with statistics from ``index`` if there is one."""
    start, moves = opening_moves(game)
    size = game.torus.size
    opening = find_opening(size, moves[:_MOST_STANDARD], start)
    found = look_up(index, lambda index: index.at(game.board))
    return OpeningView(opening, class_count(size), found)


Progress: TypeAlias = Callable[[float], object]
"""Called with the share of the work that is done."""


def _no_progress(share: float) -> None:
    pass


def library_index() -> OpeningIndex | None:
    """Open the index of the library as it was last updated; None without a library. The caller closes it."""
    folder = library_folder()
    if not folder.is_dir():
        return None
    try:
        return open_index(folder)
    except OSError:
        return None


def index_file(folder: Path) -> Path:
    return cached_for(folder, "openings", ".sqlite")


def open_index(folder: Path) -> OpeningIndex:
    """Open the index of ``folder``, created if missing; it is not updated.

    Raises:
        OSError: it cannot be opened.
    """
    file = index_file(folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    return OpeningIndex(file)


def indexed(
    folder: Path, encoding: str | None = None, progress: Progress = _no_progress
) -> tuple[OpeningIndex, IndexUpdate]:
    """Open and update the index of ``folder``; return it and what was done.

    Where it cannot be stored on disk, it is built in memory.

    Raises:
        OSError: the folder cannot be read.
    """
    index = None
    try:
        index = open_index(folder)
        return index, update(index, folder, encoding, progress)
    except (OSError, sqlite3.DatabaseError):
        if index is not None:
            index.close()
    index = OpeningIndex(":memory:")
    return index, update(index, folder, encoding, progress)


def update(
    index: OpeningIndex, folder: Path, encoding: str | None = None, progress: Progress = _no_progress
) -> IndexUpdate:
    """Update ``index`` from the SGF files below ``folder``; return what was done and the problems.

    A damaged index is rebuilt.

    Args:
        index: the index.
        folder: the folder.
        encoding: the encoding of all files, overriding their own; with a different one, all files are read again.
        progress: called with the share of the new files that are read.
    """
    index.repair()
    known = index.fingerprints()
    below = records_below(folder)
    refused = [(_name_of(Path(error.filename)), reason_of(error)) for error in below.unreadable]
    files = {_name_of(file): file for file in below.files}
    versions: dict[str, str] = {}
    for name, file in files.items():
        try:
            versions[name] = _version(file, encoding)
        except OSError as error:
            refused.append((name, reason_of(error)))
    fresh = {name: files[name] for name, version in versions.items() if known.get(f"{name}#1") != version}
    # A file that has changed may contain fewer games than before.
    kept = versions.keys() - fresh.keys()
    index.remove([source for source in known if file_of(source) not in kept])
    added = index.add(_records(fresh, versions, refused, encoding, progress))
    unchanged = added.unchanged + sum(file_of(source) not in fresh for source in index.fingerprints())
    return IndexUpdate(added.indexed, unchanged, (*refused, *added.refused))


def _name_of(file: Path) -> str:
    """Return the name of a file in the index: its path, with escapes for bytes that are not UTF-8."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _version(file: Path, encoding: str | None) -> str:
    status = file.stat()
    return ":".join(filter(None, (str(status.st_mtime_ns), str(status.st_size), encoding)))


def _records(
    files: Mapping[str, Path],
    versions: Mapping[str, str],
    refused: list[tuple[str, Message | str]],
    encoding: str | None,
    progress: Progress,
) -> Iterator[GameRecord]:
    """Yield the games of each file, the first one last; the source of the second one in a file ends with ``#2``.

    So if a file's first game is in the index, all its games are, wherever the update was interrupted.
    """
    for place, (name, file) in enumerate(files.items(), 1):
        games: list[GameRecord] = []
        try:
            games += game_records(name, record_bytes(file), versions[name], encoding)
        except (SgfError, OSError) as error:
            refused.append((name, reason_of(error)))
        yield from reversed(games)
        progress(place / len(files))


def game_records(name: str, data: bytes, version: str = "", encoding: str | None = None) -> Iterator[GameRecord]:
    """Yield the games of a record as they are indexed. Raises SgfError at one that cannot be read."""
    for number, loaded in enumerate(load_all(data, encoding=encoding), 1):
        yield GameRecord.of(f"{name}#{number}", loaded.game, _winner(loaded), version)


def _winner(loaded: Loaded) -> Colour:
    return {"B+": BLACK, "W+": WHITE}.get((loaded.info.result or "")[:2].upper(), EMPTY)


# Searching


def shape_between(game: Game, corners: str, style: Style = "daoqi") -> Shape:
    """Return the shape from one point down and to the right to another one, typed as ``C6:G3``.

    Raises:
        ValueError: these are not two points, or there is no stone between them.
    """
    torus = game.torus
    first, colon, last = corners.partition(":")
    if not colon:
        raise ValueError(Message("{text} is not a rectangle: two points such as C6:G3", text=corners))
    (top, left), (bottom, right) = (torus.position(torus.parse(name, style)) for name in (first, last))
    height, width = (bottom - top) % torus.size + 1, (right - left) % torus.size + 1
    return Shape(BoardPosition.of(game.board), top, left, height, width)


def shape_around(game: Game, point: int, side: int) -> Shape:
    """Return the square with a point in its middle.

    Raises:
        ValueError: there is no stone in it.
    """
    row, column = game.torus.position(point)
    return Shape(BoardPosition.of(game.board), row - side // 2, column - side // 2, side, side)


_MOST_FOUND: Final = 200
"""The maximum number of games that are listed to choose one: whoever has more needs another position."""


def search_updated(
    index: OpeningIndex,
    folder: Path,
    board: Board,
    shape: tuple[int, int, int, int] | None,
    progress: Progress = _no_progress,
) -> SearchResult:
    """Update the index of a folder, and return the games with a position, or with a shape on its board.

    Raises:
        OSError: the folder cannot be read.
    """
    update(index, folder, progress=progress)
    position = BoardPosition.of(board)
    hits = search(index, position, None if shape is None else Shape(position, *shape))
    return SearchResult(statistics_of(hits), tuple(hits[:_MOST_FOUND]))


def search(index: OpeningIndex, position: BoardPosition | Board, shape: Shape | None = None) -> list[Hit]:
    """Return the games of an index that reached a position, or in which a shape stood."""
    return index.find(position) if shape is None else index.find_shape(shape)


def search_lines(found: SearchResult, torus: Torus, style: Style = "daoqi") -> Iterator[str]:
    """List the next moves with their counts and the wins of each side, then the games with the move to go to."""
    total = found.statistics.tally
    yield plural("{count} game", "{count} games", total.games) + _(": ") + _won(total)
    for move in found.statistics.moves:
        yield f"  {describe_next(move, torus, style)}"
    for hit in found.hits:
        yield describe_hit(hit, file_of(hit.source))


def describe_hit(hit: Hit, file: str) -> str:
    return _("{file}: move {number}").format(file=plain_line(file), number=hit.number)


def describe_next(move: NextMove, torus: Torus, style: Style) -> str:
    """Word a move played next: ``Black K9, K11: 12 games: Black won 7, White won 5``."""
    names = _(", ").join(move_name(point, torus, style) for point in move.points[:_MOST_NAMED])
    if len(move.points) > _MOST_NAMED:
        names += _(" …")
    games = plural("{count} game", "{count} games", move.tally.games)
    return f"{colour_word(move.colour)} {names}" + _(": ") + games + _(": ") + _won(move.tally)


_MOST_NAMED: Final = 4
"""The maximum number of equivalent points that are named."""


def _won(tally: WinCounts) -> str:
    return _("Black won {black}, White won {white}").format(black=tally.black, white=tally.white)


def file_of(source: str) -> str:
    """Return the path of the file with an indexed game."""
    return source.rpartition("#")[0]


def place_in_file(source: str) -> int:
    """Return which game of its file an indexed game is, from 0."""
    return int(source.rpartition("#")[2]) - 1


# Browsing: the moves from a position, with the available data on each, and the path there
#
# Lines are in standard form: Black's first stone on point 0, the second move as in its class.

Order: TypeAlias = Literal["number", "value", "games"]
ORDERS: Final[tuple[Order, ...]] = ("number", "value", "games")
_NONE: Final = WinCounts(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search in the browser found for a move.

    Attributes:
        win: Black's win rate, 0 to 1.
        lead: Black's lead in points, with komi.
        visits: of the move.
    """

    win: float
    lead: float
    visits: int


@dataclass(frozen=True, slots=True)
class Continuation:
    """A move from a position.

    Attributes:
        point: the lowest of the points that are equivalent under symmetries of the position.
        kind: the class, if this is the second move.
        standing: after the move, as shipped; None if it is not known.
        searched: what a search in this browser found.
        replies: the best replies as shipped, if the move determines a class.
        rank: among the best replies to a class, from 0; None for other moves.
        library: the library's games in which it was played.
    """

    point: int
    kind: OpeningClass | None = None
    standing: Standing | None = None
    searched: Searched | None = None
    replies: tuple[int, ...] = ()
    rank: int | None = None
    library: WinCounts = _NONE


class OpeningBrowser:
    """A place among the openings on boards of one size, and the data for it.

    Args:
        size: of the board.
        index: of the library's games, None without one.
        values: of the openings, by default those shipped with the program.

    Attributes:
        size: of the board.
        values: of the openings, None if there are none for this size.
        moves: of the current line; the first is always 0.
        order: the order in which continuations are listed.
    """

    def __init__(self, size: int, index: OpeningIndex | None = None, values: OpeningValues | None = None) -> None:
        self.size: Final = size
        found = values or shipped_values(size)
        self.values: Final = None if isinstance(found, Message) else found
        self._problem: Final = found if isinstance(found, Message) else None
        self.moves: tuple[int, ...] = (0,)
        self.order: Order = "number"
        self._index = index
        self._found: dict[tuple[int, ...], Evaluation] = {}

    # The current line

    @property
    def kind(self) -> OpeningClass | None:
        """The class of the line, None before the second move."""
        return find_opening(self.size, self.moves[:2]).kind if len(self.moves) > 1 else None

    @property
    def to_move(self) -> Colour:
        return self.game().board.to_move

    def game(self) -> Game:
        game = Game(self.size)
        for move in self.moves:
            game.play(move)
        return game

    def choose_class(self, number: int) -> None:
        self.moves = opening_class(self.size, number).points(self.size)

    def go(self, point: int) -> None:
        self.moves = (*self.moves, point)

    def back(self) -> int | None:
        """Undo the last move and return it; None if the line is a class or shorter."""
        if len(self.moves) <= 2:
            return None
        *moves, last = self.moves
        self.moves = tuple(moves)
        return last

    def next_order(self) -> None:
        self.order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]

    def note(self, moves: tuple[int, ...], found: Evaluation) -> None:
        """Keep the result of a search at a line."""
        self._found[moves] = found

    @property
    def found(self) -> Evaluation | None:
        return self._found.get(self.moves)

    # Data for the current line

    def classes(self) -> list[Continuation]:
        evaluated: Mapping[int, ClassValue] = self.values.classes if self.values else {}
        counts = self._class_counts()
        found = []
        for kind in opening_classes(self.size):
            entry = evaluated.get(kind.number)
            counted = counts.get(kind.number, _NONE)
            point = kind.points(self.size)[1]
            standing, replies = (entry.standing, entry.replies) if entry else (None, ())
            found.append(Continuation(point, kind, standing, replies=replies, library=counted))
        return self._ordered(found, WHITE)

    def continuations(self) -> list[Continuation]:
        """Return the moves with any data, in order."""
        board = self.game().board
        form = canonical_position(board)
        found: dict[int, Continuation] = {}

        def least(point: int) -> int:
            return min(form.back(form.move(point)))

        def known(point: int) -> Continuation:
            return found.get(point, Continuation(point))

        kind = self.kind
        if self.values is not None and kind is not None and len(self.moves) == 2:
            for point, standing in self.values.third_values(kind.number).items():
                found[least(point)] = replace(known(least(point)), standing=standing)
            for rank, point in enumerate(self.values.classes[kind.number].replies):
                found[least(point)] = replace(known(least(point)), rank=rank)
        here = self.found
        for line in here.lines if here else ():
            if line.move != PASS and line.visits:
                black = line.win if board.to_move == BLACK else 1 - line.win
                point = least(line.move)
                before = known(point)
                if before.searched is None or before.searched.visits <= line.visits:
                    found[point] = replace(before, searched=Searched(black, line.margin, line.visits))
        statistics = self._statistics()
        for move in statistics.moves if statistics else ():
            if move.points != (PASS,):
                point = least(move.points[0])
                found[point] = replace(known(point), library=move.tally)
        return self._ordered(list(found.values()), board.to_move)

    def _ordered(self, found: list[Continuation], mover: Colour) -> list[Continuation]:
        sign = 1 if mover == BLACK else -1

        def value(entry: Continuation) -> tuple[bool, float, float, float]:
            # What was searched now is told apart finely; what was shipped only as far as it is known.
            searched, standing = entry.searched, entry.standing
            win = -sign * searched.win if searched else 0.0
            stands = math.inf if standing is None else -sign * standing
            return searched is None, win, stands, math.inf if entry.rank is None else entry.rank

        def number(entry: Continuation) -> int:
            return entry.kind.number if entry.kind else entry.point

        match self.order:
            case "value":
                return sorted(found, key=lambda entry: (value(entry), number(entry)))
            case "games":
                return sorted(found, key=lambda entry: (-entry.library.games, value(entry), number(entry)))
            case "number":
                return sorted(found, key=number)

    def _class_counts(self) -> dict[int, WinCounts]:
        classes = look_up(self._index, lambda index: index.classes(self.size))
        return {entry.kind.number: entry.tally for entry in classes or ()}

    def _statistics(self) -> PositionStatistics | None:
        return look_up(self._index, lambda index: index.at(self.game().board))

    def library_games(self) -> list[Path]:
        """Return the files of the library's games that reached this position, one for each game."""
        sources = look_up(self._index, lambda index: index.games_at(self.game().board))
        return [Path(file_of(source)) for source in sources or ()]

    # Display

    @property
    def shift(self) -> tuple[int, int]:
        """The rows and columns by which the line is shifted to centre its first stones on the board."""
        return centring(self.size, self.moves)

    def shown(self, point: int) -> int:
        return shifted(self.size, point, self.shift)

    def stones(self, candidate: int | None = None) -> bytes:
        """Return the colour of each point as it is shown, after ``candidate`` if there is one."""
        game = self.game()
        if candidate is not None:
            game.play(candidate)
        stones = bytearray(self.size * self.size)
        for point, colour in enumerate(game.board.colours[: self.size * self.size]):
            stones[self.shown(point)] = colour
        return bytes(stones)

    def name(self, point: int, style: Style = "daoqi") -> str:
        return torus_of(self.size).name(self.shown(point), style)

    def describe_made(self) -> str:
        """Describe the shipped values and how they were made."""
        if self._problem is not None:
            return sentence(translate(self._problem))
        if self.values is None:
            return _("There are no evaluations for this board size")
        return _("Who is better after each opening at the fair komi, where both networks agree")

    def describe_fair_komi(self) -> str:
        """Word the fair komi and how it was estimated; empty without one."""
        fair = self.values.fair_komi if self.values else None
        if fair is None:
            return ""
        text = _("Fair komi: {komi} ({low} to {high}, 95 %), by {games} games of the computer against itself")
        return text.format(komi=f"{fair.komi:g}", low=f"{fair.low:g}", high=f"{fair.high:g}", games=fair.games)

    def describe(self) -> list[str]:
        """Describe the line, in lines of text: its class, values with their source, games."""
        kind, values = self.kind, self.values
        lines = []
        if kind is not None:
            lines.append(f"{kind.number}  {kind.name.in_language(language())}")
        if kind is not None and values is not None:
            standing = values.classes[kind.number].standing if len(self.moves) == 2 else None
            if len(self.moves) == 3:
                standing = values.third(kind.number, self.moves[2])
            if standing is not None:
                lines.append(_("At the fair komi") + _(": ") + describe_standing(standing))
        if (found := self.found) is not None:
            text = f"{found.black:.1%}  {found.describe_lead()}".rstrip()
            lines.append(_("Now: {value} ({source})").format(value=text, source=found.describe_source()))
        statistics = self._statistics()
        games = statistics.tally.games if statistics else 0
        if games:
            lines.append(plural("{count} game in the library", "{count} games in the library", games))
        return lines


_STANDINGS: Final = {
    Standing.EVEN: N_("about even"),
    Standing.BLACK_SLIGHTLY_BETTER: N_("slightly better for Black"),
    Standing.BLACK_BETTER: N_("better for Black"),
    Standing.WHITE_SLIGHTLY_BETTER: N_("slightly better for White"),
    Standing.WHITE_BETTER: N_("better for White"),
}


def describe_standing(standing: Standing) -> str:
    """Word how a position stands at the fair komi: ``slightly better for Black``."""
    return _(_STANDINGS[standing])


def centring(size: int, moves: tuple[int, ...]) -> tuple[int, int]:
    """Return the rows and columns by which the first two moves, in standard form, have to be shifted to be centred."""
    down, right = divmod(moves[1], size) if len(moves) > 1 else (0, 0)
    return size // 2 - down // 2, size // 2 - right // 2


def shifted(size: int, point: int, shift: tuple[int, int]) -> int:
    row, column = divmod(point, size)
    return (row + shift[0]) % size * size + (column + shift[1]) % size
