"""Build a game from raw nodes; every move is checked by the rules, and illegal ones are skipped and reported.

One raw node becomes one node of the game, with three exceptions. A move out of turn gets a node before it that only
switches the side to move (and is omitted when writing). A node with both a move and setup, which SGF forbids but
programs write, becomes one node for each. A record played on a flat board gets a setup node wherever the torus would
lead to a different position.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from daoqi_tui.engine import (
    BLACK,
    PASS,
    WHITE,
    Action,
    Board,
    Colour,
    Game,
    IllegalMove,
    Move,
    Node,
    Repeats,
    Setup,
    Torus,
    TwoPasses,
    opponent,
    torus_of,
)
from daoqi_tui.engine.tree import move_of
from daoqi_tui.message import Message
from daoqi_tui.record.sgf.info import AGREED_DEAD, ENDED, RESUMED, SKIPPED, last_of, read_ending
from daoqi_tui.record.sgf.markup import PointError, masks_of, moves_of, point_of
from daoqi_tui.record.sgf.parse import MOST_MEMORY, NODE_BYTES, Collection, RawNode

_MAIN_LINE = 3_000
"""The number of nodes of a main line, or of moves, that are examined to tell a torus from a flat board."""


class FlatGrid(Torus):
    """A grid that does not wrap. With it instead of a torus, the engine's board plays flat Go."""

    def _table(self, steps: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
        steps = tuple(steps)
        table = []
        for point in range(self.points):
            row, column = self.position(point)
            reached = [(row + down, column + right) for down, right in steps]
            table.append(
                tuple(self.point(*at) for at in reached if at[0] in range(self.rows) and at[1] in range(self.columns))
            )
        return tuple(table)

    def dilate(self, mask: int) -> int:
        """Return the mask of all neighbours of the points in ``mask``, without wrapping."""
        width = self.columns
        sideways = (mask & ~self._last_column) << 1 | (mask & ~self._first_column) >> 1
        return self.full & (mask << width | mask >> width | sideways)


@lru_cache(maxsize=32)
def flat_of(size: int) -> FlatGrid:
    return FlatGrid(size)


def play_on(grid: Torus, colours: list[Colour], colour: Colour, point: int) -> None:
    """Play on ``grid``, changing ``colours``: only the chains next to the stone are checked for capture.

    Unlike :class:`~daoqi_tui.engine.board.Board` it accepts chains without a liberty, which occur when a flat board
    shows a position from the torus. Repetition is not checked.
    """
    if point == PASS:
        return
    colours[point] = colour
    for nearby in grid.neighbours[point]:
        if colours[nearby] == opponent(colour):
            _remove_if_dead(grid, colours, nearby)
    _remove_if_dead(grid, colours, point)


def _remove_if_dead(grid: Torus, colours: list[Colour], start: int) -> None:
    colour = colours[start]
    chain, seen = [start], {start}
    for stone in chain:
        for nearby in grid.neighbours[stone]:
            if not colours[nearby]:
                return
            if colours[nearby] == colour and nearby not in seen:
                seen.add(nearby)
                chain.append(nearby)
    for stone in chain:
        colours[stone] = 0


def legal_only_on_torus(root: RawNode, size: int) -> bool:
    """Return whether the main line of a record is legal on a torus but not on a flat board."""
    return _main_line_is_legal(root, Board(torus_of(size))) and not _main_line_is_legal(root, Board(flat_of(size)))


def _main_line_is_legal(root: RawNode, board: Board) -> bool:
    node: RawNode | None = root
    flat = isinstance(board.torus, FlatGrid)
    room = _MAIN_LINE
    while node is not None and room > 0:
        properties = node.properties
        moves = [(colour, raw) for name, colour in _COLOURS.items() for raw in properties.get(name, ())][:room]
        room -= len(moves) or 1
        try:
            for colour, raw in moves:
                _play(board, colour, point_of(raw, board.torus.size))
            if "AB" in properties or "AW" in properties or "AE" in properties:
                _setup(board, properties)
        except PointError:
            pass  # The move is no evidence about the edge.
        except ValueError:
            return False
        if flat and (board.suicided[BLACK] or board.suicided[WHITE]):
            return False
        node = node.children[0] if node.children else None
    return True


def _play(board: Board, colour: Colour, point: int) -> None:
    if board.to_move != colour:
        board.lay_out(0, 0, 0, colour)
    board.replay(point)  # Flat rules differ on repetition, so the move is no evidence about the edge.


def _setup(board: Board, properties: dict[str, list[str]]) -> None:
    empty, black, white = masks_of(properties, board.torus.size).masks
    board.lay_out(black, white, empty, board.to_move)


MOST_LAID_OUT: Final = 20_000_000
"""Limit on the points that all setup of a record may visit, about 0.3 µs each. Real records stay far below it: 100,000
problems of 30 stones need 6 million."""
_COLOURS: Final = {"B": BLACK, "W": WHITE}
_TURNS: Final = {colour: Setup(0, 0, 0, colour) for colour in (BLACK, WHITE)}
"""Setups without stones, which set the side to move."""
_SETUP: Final = frozenset(("AB", "AW", "AE", "PL"))
_ENDINGS: Final = frozenset((ENDED, AGREED_DEAD, RESUMED))
_SPECIAL: Final = frozenset((*_COLOURS, *_SETUP, *_ENDINGS))
# Properties that belong to a move, for root nodes with both a move and the game information.
_WITH_MOVE: Final = frozenset(
    (
        *("AR", "BL", "BM", "C", "CR", "DD", "DM", "DO", "FG", "GB", "GW", "HO", "IT", "KO", "LB", "LN", "MA", "MN"),
        *("N", "OB", "OW", "SL", "SQ", "TB", "TE", "TR", "TW", "UC", "V", "VW", "WL"),
    )
)


class TooMuchSetup(Exception):
    """The setup nodes of a record would take too long to play through."""


class ReplayBoards:
    """The torus, and for a flat-board record also a flat board, on which the same actions are played and undone.

    Both have the same position after every :meth:`lay_out`; after a :meth:`play`, the flat board is authoritative.

    Attributes:
        board: the torus, of the game that is read.
        depth: how many actions have been made.
    """

    def __init__(self, board: Board, *, flat: bool) -> None:
        self.board: Final = board
        self.depth = 0
        self._flat = Board(flat_of(board.torus.size), board.rules) if flat else None
        self._laid_out = 0

    def play(self, point: int) -> Repeats | None:
        """Make a recorded play or pass; return the state that it repeats on the torus, if any.

        Raises:
            IllegalMove: the point is occupied on one of the boards. Nothing changes.
        """
        board, flat = self.board, self._flat
        repeats = board.replay(point)
        if flat is not None:
            try:
                flat.replay(point)
            except IllegalMove:
                board.undo()
                raise
        self.depth += 1
        return repeats

    def lay_out(self, setup: Setup) -> None:
        """Set up stones.

        Raises:
            ValueError: a chain would have no liberty. Nothing changes.
            TooMuchSetup: after :data:`MOST_LAID_OUT`.
        """
        black, white, empty, to_move = setup.black, setup.white, setup.empty, setup.to_move
        if self._flat is not None:
            # The flat board first, which is stricter, since chains have fewer liberties there.
            self._laid_out += self._flat.lay_out(black, white, empty, to_move)
        self._laid_out += self.board.lay_out(black, white, empty, to_move)
        self.depth += 1
        if self._laid_out > MOST_LAID_OUT:
            raise TooMuchSetup

    def correct(self) -> Setup | None:
        """Set the torus to the position of the flat board; return the setup used, None if they agree."""
        flat, board = self._flat, self.board
        if flat is None or flat.key == board.key:
            return None
        black, white = (flat.stones(colour) & ~board.stones(colour) for colour in (BLACK, WHITE))
        setup = Setup(black, white, flat.empty & ~board.empty, flat.to_move)
        self.lay_out(setup)
        return setup

    def rewind(self, depth: int) -> None:
        while self.depth > depth:
            self.board.undo()
            if self._flat is not None:
                self._flat.undo()
            self.depth -= 1


class Builder:
    """Builds the tree below the root of ``game`` from raw nodes.

    Args:
        flat: whether the record was played on a flat board.
    """

    def __init__(self, collection: Collection, game: Game, *, flat: bool) -> None:
        self._collection = collection
        self._game = game
        self._board = game.board
        self._flat = flat
        self._boards = ReplayBoards(game.board, flat=flat)
        self._size = game.torus.size
        self._moves = moves_of(self._size)
        self._at = 0
        self._room = MOST_MEMORY
        self._repetitions: list[tuple[int, str, str, Repeats]] = []

    def build(self, root: RawNode) -> None:
        """Fill the game; the cursor ends at the end of the main line.

        The raw nodes are consumed: each is freed as soon as the nodes of the game that it becomes exist.

        Raises:
            SgfError: there are too many setup nodes to play through in reasonable time, or the nodes take more memory
                than :data:`~daoqi_tui.record.sgf.parse.MOST_MEMORY`, as of a raw node with many moves.
        """
        try:
            self._build(root)
        except TooMuchSetup:
            message = Message("there are too many setup stones up to here to read in reasonable time; split the file")
            raise self._collection.error(self._at, message) from None

    def _build(self, root: RawNode) -> None:
        node = self._root(root)
        # Each entry: a raw node, its parent, the depth of that in actions, and the list of its siblings.
        waiting: list[tuple[RawNode, Node, int, list[Node]]] = []
        families: list[tuple[Node, list[Node]]] = []
        children, root.children = root.children, []
        while True:
            if len(children) > 1:
                family = list(node.children)
                families.append((node, family))
                waiting += [(child, node, self._boards.depth, family) for child in reversed(children)]
            if len(children) == 1:
                raw, parent, siblings = children[0], node, None
            elif waiting:
                raw, parent, depth, siblings = waiting.pop()
                self._boards.rewind(depth)
            else:
                break
            before = parent.children
            node = self._enter(raw, parent)
            children, raw.children = raw.children, []
            if siblings is not None:
                siblings += parent.children[len(before) :]
                parent.children = before
        for parent, family in families:
            parent.children = tuple(family)
        self._report_repetitions()
        self._game.node = node
        self._game.goto(last_of(self._game))

    def _report_repetitions(self) -> None:
        """Report repetitions only once, since a ko cycle repeats at every move."""
        if not self._repetitions:
            return
        at, name, value, repeats = self._repetitions[0]
        what = Message(
            "{move} repeats the position after move {number}, which the rules ({rules}) forbid",
            move=f"{name}[{value}]",
            number=repeats.move,
            rules=self._game.rules,
        )
        more = len(self._repetitions) - 1
        if more:
            message = Message("{problem}; {more} more in the record, all played as recorded", problem=what, more=more)
        else:
            message = Message("{problem}; played as recorded", problem=what)
        self._collection.report(at, message)

    # One raw node

    def _enter(self, raw: RawNode, node: Node) -> Node:
        """Add the nodes for ``raw`` below ``node`` and play them on the board; returns the last node added."""
        properties = raw.properties
        self._at = raw.at
        if _SPECIAL.isdisjoint(properties):
            node = self._turn(node, self._board.to_move)
            node.properties = properties or None
            return node
        if len(properties) == 1:
            for name in _COLOURS:
                values = properties.get(name)
                if values is not None and len(values) == 1 and (point := self._moves.get(values[0])) is not None:
                    return self._move(raw, node, name, point=point, value=values[0], properties=None)
        kept = {name: values for name, values in properties.items() if name not in _SPECIAL}
        start = node
        for name, values in properties.items():
            if name in _COLOURS:
                for value in values:
                    node = self._move_named(raw, node, name, value, kept or None)
                    kept = {}
        if not _SETUP.isdisjoint(properties) or node is start:
            node = self._setup(raw, node, kept or None)
        if not _ENDINGS.isdisjoint(properties):
            self._ending(raw, node)
        return node

    def _root(self, root: RawNode) -> Node:
        """Set up the root position; a move in the root, which SGF forbids, becomes the node after it."""
        node = self._game.root
        properties = root.properties
        moves = {name: values for name, values in properties.items() if name in _COLOURS}
        split = _WITH_MOVE | _ENDINGS if moves else frozenset()
        kept = {name: values for name, values in properties.items() if name not in _SPECIAL and name not in split}
        node.properties = kept
        if not _SETUP.isdisjoint(properties):
            action = self._setup_action(root, kept, _first_colour(root, moves))
            if action is not None and action != Setup(0, 0, 0, BLACK):
                node.action = action
        self._boards.depth = 0  # The root cannot be undone.
        if moves:
            raw = RawNode(root.at)
            raw.properties = moves | {name: properties[name] for name in properties if name in split}
            return self._enter(raw, node)
        if not _ENDINGS.isdisjoint(properties):
            self._ending(root, node)
        return node

    # Moves

    def _move_named(
        self, raw: RawNode, node: Node, name: str, value: str, properties: dict[str, list[str]] | None
    ) -> Node:
        try:
            point = point_of(value, self._size)
        except PointError as error:
            reason = Message("{name}{problem}", name=name, problem=error)
            return self._skip(raw, node, name, value, properties=properties, reason=reason)
        return self._move(raw, node, name, point=point, value=value, properties=properties)

    def _move(
        self,
        raw: RawNode,
        node: Node,
        name: str,
        *,
        point: int,
        value: str,
        properties: dict[str, list[str]] | None,
    ) -> Node:
        colour = _COLOURS[name]
        board, before = self._board, node
        if colour != board.to_move:
            node = self._turn(node, colour)
        captured, lost = board.captured[colour], board.suicided[colour]
        try:
            repeats = self._boards.play(point)
        except IllegalMove as error:
            if node is not before:
                self._boards.rewind(self._boards.depth - 1)
                before.children = before.children[:-1]
            reason = Message("{move} is illegal: {reason}", move=f"{name}[{value}]", reason=error)
            return self._skip(raw, before, name, value, properties=properties, reason=reason)
        if before.move is not None and before.move.is_pass and before.passes_in_row >= 2:
            before.resumed = True
        node = self._append(node, move_of(colour, point))
        node.captured = board.captured[colour] - captured
        node.lost = board.suicided[colour] - lost
        node.properties = properties
        if repeats is not None:
            node.repeats = repeats
            self._repetitions.append((raw.at, name, value, repeats))
        correction = self._boards.correct()
        return node if correction is None else self._append(node, correction)

    def _skip(
        self,
        raw: RawNode,
        node: Node,
        name: str,
        value: str,
        *,
        properties: dict[str, list[str]] | None,
        reason: Message,
    ) -> Node:
        """Add a node for an illegal move, which keeps its properties and switches the side to move."""
        self._collection.report(raw.at, Message("{problem}; skipped", problem=reason))
        kept = dict(properties or {})
        if self._flat:
            _put_aside(kept, [(name, value)])
        else:
            # When the record is read again, as a torus record, the move is skipped again.
            kept = {name: [value]} | kept
        node = self._turn(node, opponent(_COLOURS[name]))
        node.properties = kept
        return node

    # Setup

    def _setup(self, raw: RawNode, node: Node, properties: dict[str, list[str]] | None) -> Node:
        kept = properties or {}
        action = self._setup_action(raw, kept, _first_colour(raw, {}))
        node = self._turn(node, self._board.to_move) if action is None else self._append(node, action)
        node.properties = kept or None
        return node

    def _setup_action(self, raw: RawNode, kept: dict[str, list[str]], following: Colour | None) -> Setup | None:
        """Make the setup of a raw node on the board and return it; None if it is impossible.

        Stones that cannot be placed are stored in ``kept``. Without PL, the colour of the next move determines the
        turn.
        """
        properties = raw.properties
        board = self._board
        to_move, refused = self._side(raw)
        pl_names_side = to_move is not None
        empty = black = white = 0
        if not {"AB", "AW", "AE"}.isdisjoint(properties):
            found = masks_of(properties, self._size)
            for name, value, wrong in found.wrong:
                self._collection.report(raw.at, Message("{problem}; skipped", problem=wrong))
                refused.append((name, value))
            empty, black, white = found.masks
            if to_move is None and following is not None:
                to_move = following
        action = Setup(black, white, empty, board.to_move if to_move is None else to_move)
        try:
            self._boards.lay_out(action)
        except ValueError as error:
            self._collection.report(raw.at, Message("this setup is impossible: {reason}; skipped", reason=error))
            # Including PL, which would set the side to move without the stones.
            refused = [(name, value) for name in ("AB", "AW", "AE", "PL") for value in properties.get(name, ())]
            _put_aside(kept, refused)
            return None
        _put_aside(kept, refused)
        if pl_names_side:
            kept["PL"] = properties["PL"]  # So that writing repeats it.
        return action

    def _side(self, raw: RawNode) -> tuple[Colour | None, list[tuple[str, str]]]:
        """Return the side that PL sets to move, None without PL, and its values if they name no side."""
        values = raw.properties.get("PL")
        if values is None:
            return None, []
        letter = values[0].strip()[:1].upper()
        if letter not in ("B", "W", "1", "2"):
            self._collection.report(raw.at, Message("PL is neither B nor W; skipped"))
            return None, [("PL", value) for value in values]
        return BLACK if letter in "B1" else WHITE, []

    # The tree

    def _turn(self, node: Node, to_move: Colour) -> Node:
        """Add a node without stones that sets the side to move, also on the board."""
        action = _TURNS[to_move]
        self._boards.lay_out(action)
        return self._append(node, action)

    def _append(self, parent: Node, action: Action) -> Node:
        self._room -= NODE_BYTES
        if self._room < 0:
            raise self._collection.too_large(self._at)
        node = Node(parent, action, parent.number + (action.__class__ is Move))
        parent.children = (*parent.children, node) if parent.children else (node,)
        return node

    def _ending(self, raw: RawNode, node: Node) -> None:
        """Read the ending recorded at a node; an invalid one is kept as a property."""
        kept = {name: values for name, values in raw.properties.items() if name in _ENDINGS}
        if RESUMED in kept and node.passes_in_row >= 2:
            del kept[RESUMED]
            node.resumed = True
        if AGREED_DEAD in kept and node.passes_in_row >= 2:
            stones = masks_of({"AE": kept.pop(AGREED_DEAD)}, self._size).masks[0] & ~self._board.empty
            node.ending = TwoPasses(frozenset(self._game.torus.points_in(stones)))
        ending = read_ending(kept[ENDED][0]) if ENDED in kept else None
        if ending is not None:
            del kept[ENDED]
            node.ending = ending
        if kept:
            node.properties = (node.properties or {}) | kept


def _put_aside(kept: dict[str, list[str]], refused: list[tuple[str, str]]) -> None:
    """Add values that were skipped, each with its property, to the properties of a node."""
    if refused:
        kept[SKIPPED] = [*kept.get(SKIPPED, ()), *(f"{name}:{value}" for name, value in refused)]


def _first_colour(raw: RawNode, moves: dict[str, list[str]]) -> Colour | None:
    """Return the colour of the move with a setup, or of the first one after it."""
    if not moves and raw.children:
        moves = {name: [] for name in _COLOURS if name in raw.children[0].properties}
    return _COLOURS[next(iter(moves))] if moves else None
