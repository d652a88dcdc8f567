"""Build a game from raw nodes in standard SGF; moves and setup that play could not reach are made and reported.

One raw node becomes one node of the game, with three exceptions. A move out of turn gets a node before it that only
switches the side to move (and is omitted when writing). A node with both a move and setup, which SGF forbids but
programs write, becomes one node for each. A record played on a flat board gets a setup node wherever the torus would
lead to a different position.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from daoqi_tui.engine import (
    BLACK,
    PASS,
    WHITE,
    Action,
    Board,
    Colour,
    Game,
    Move,
    Node,
    NoLiberties,
    Occupied,
    Refusal,
    Repeats,
    Setup,
    Torus,
    TwoPasses,
    torus_of,
)
from daoqi_tui.engine.tree import move_of
from daoqi_tui.message import Message
from daoqi_tui.record.sgf import MOST_MEMORY, NODE_BYTES, Collection, RawNode
from daoqi_tui.record.sgf.info import AGREED_DEAD, ENDED, RESUMED, last_of, read_ending
from daoqi_tui.record.sgf.markup import COLOURS, masks_of, moves_of, plays_of

_MAIN_LINE = 3_000
"""The number of nodes of a main line, or of moves, that are examined to tell a torus from a flat board."""


class FlatGrid(Torus):
    """A grid that does not wrap. With it instead of a torus, the engine's board plays flat Go."""

    def _nearby(self) -> tuple[tuple[int, ...], ...]:
        """Return the neighbours of each point: those on the torus that are not beyond an edge."""
        places = [self.position(point) for point in self._all]

        def is_beside(point: int, near: int) -> bool:
            return sum(abs(here - there) for here, there in zip(places[point], places[near], strict=True)) == 1

        wrapped = enumerate(super()._nearby())
        return tuple(tuple(near for near in nearby if is_beside(point, near)) for point, nearby in wrapped)

    def dilate(self, mask: int) -> int:
        """Return the mask of all neighbours of the points in ``mask``, without wrapping."""
        width = self.columns
        sideways = (mask & ~self._last_column) << 1 | (mask & ~self._first_column) >> 1
        return self.full & (mask << width | mask >> width | sideways)


@lru_cache(maxsize=32)
def flat_of(size: int) -> FlatGrid:
    return FlatGrid(size)


def play_on(grid: Torus, colours: list[Colour], moves: Iterable[tuple[Colour, int]], *, onto: bool = False) -> bool:
    """Play on ``grid``, changing ``colours``: only the chains next to a stone are checked for capture.

    Unlike :class:`~daoqi_tui.engine.board.Board` it accepts chains without a liberty, which occur when a flat board
    shows a position from the torus. Repetition is not checked.

    Args:
        grid: the board.
        colours: of its points.
        moves: colours and points.
        onto: whether a stone may be played onto another, which it replaces.

    Returns:
        False if it stopped at such a move.
    """
    neighbours = grid.neighbours
    for colour, point in moves:
        if point == PASS:
            continue
        if colours[point] and not onto:
            return False
        colours[point] = colour
        enemy, has_liberty = 3 - colour, False
        for nearby in neighbours[point]:
            other = colours[nearby]
            if other == enemy:
                # Most chains have a liberty beside the stone that is asked for.
                for beyond in neighbours[nearby]:
                    if not colours[beyond]:
                        break
                else:
                    _remove_if_dead(grid, colours, nearby)
            elif not other:
                has_liberty = True
        if not has_liberty:
            _remove_if_dead(grid, colours, point)
    return True


def _remove_if_dead(grid: Torus, colours: list[Colour], start: int) -> None:
    neighbours = grid.neighbours
    colour = colours[start]
    chain, seen = [start], {start}
    for stone in chain:
        for nearby in neighbours[stone]:
            if not colours[nearby]:
                return
            if colours[nearby] == colour and nearby not in seen:
                seen.add(nearby)
                chain.append(nearby)
    for stone in chain:
        colours[stone] = 0


_MOST_OUTLINED: Final = 50_000
"""The length of a text whose moves, whatever they are, stay below the limits of memory and of setup."""


class PlainGame(NamedTuple):
    """A game of nothing but moves, perhaps after handicap stones.

    Attributes:
        moves: the number of plays and passes.
        beginning: the first two moves, if they are a black and a white play on the empty board; else fewer.
        colours: the colour of each point at the end.
    """

    moves: int
    beginning: tuple[int, ...]
    colours: list[Colour]


def replay_plain(collection: Collection, root: RawNode, size: int, *, flat: bool) -> PlainGame | None:
    """Play through a standardised record as :class:`Builder` does, without a tree.

    Returns:
        What is found, None if the record has anything that takes a board to decide: variations, setup besides handicap
        stones, a move on a stone, an ending that is not the last node, or very many nodes.
    """
    properties = root.properties
    if len(collection.text) > _MOST_OUTLINED or not _NOT_PLAIN.isdisjoint(properties):
        return None
    grid = flat_of(size) if flat else torus_of(size)
    colours: list[Colour] = [0] * grid.points
    for point in grid.points_in(masks_of(properties, size)[1]):
        colours[point] = BLACK
    known = plays_of(size)
    plays: list[tuple[Colour, int]] = []
    begins = 0 if "AB" in properties else 2
    node = root
    while True:
        moves, children = node.ahead()
        plays += [known[move] for move in moves]
        if not children:
            break
        if len(children) > 1 or ENDED in properties:
            return None
        node = children[0]
        properties = node.properties
        if not _SETUP.isdisjoint(properties):
            return None
        made = [f"{name}[{raw}]" for name in COLOURS for raw in properties.get(name, ())]
        if len(made) > 1:
            return None
        if made:
            plays.append(known[made[0]])
        elif plays:
            begins = min(begins, len(plays))  # As a node without a move is one that sets the side to move.
    if not play_on(grid, colours, plays):
        return None
    beginning = []
    for (colour, point), turn in zip(plays[:begins], (BLACK, WHITE), strict=False):
        if point < 0 or colour != turn:
            break
        beginning.append(point)
    return PlainGame(len(plays), tuple(beginning), colours)


def legal_only_on_torus(root: RawNode, size: int) -> bool:
    """Return whether the main line of a record is legal on a torus but not on a flat board."""
    return _main_line_is_legal(root, Board(torus_of(size))) and not _main_line_is_legal(root, Board(flat_of(size)))


def _main_line_is_legal(root: RawNode, board: Board) -> bool:
    node: RawNode | None = root
    flat = isinstance(board.torus, FlatGrid)
    points = moves_of(board.torus.size)
    room = _MAIN_LINE
    while node is not None and room > 0:
        properties = node.properties
        moves = [(colour, raw) for name, colour in COLOURS.items() for raw in properties.get(name, ())][:room]
        room -= len(moves) or 1
        for colour, raw in moves:
            if board.to_move != colour:
                board.lay_out(0, 0, 0, colour)
            # Flat rules differ on repetition, so that is no evidence about the edge.
            if isinstance(board.replay(points[raw]), Occupied):
                return False
        if "AB" in properties or "AW" in properties or "AE" in properties:
            empty, black, white = masks_of(properties, board.torus.size)
            board.lay_out(black, white, empty, board.to_move, recorded=True)
            if board.no_liberties():
                return False
        if flat and (board.suicided[BLACK] or board.suicided[WHITE]):
            return False
        node = node.children[0] if node.children else None
    return True


MOST_LAID_OUT: Final = 20_000_000
"""Limit on the points that all setup of a record may visit, about 0.3 µs each. Real records stay far below it: 100,000
problems of 30 stones need 6 million."""
_REPLACED_BYTES: Final = 5 * NODE_BYTES
"""What a move on a stone takes besides its node: both boards keep the chains from before."""
_TURNS: Final = {colour: Setup(0, 0, 0, colour) for colour in (BLACK, WHITE)}
"""Setups without stones, which set the side to move."""
_SETUP: Final = frozenset(("AB", "AW", "AE", "PL"))
_ENDINGS: Final = frozenset((ENDED, AGREED_DEAD, RESUMED))
_SPECIAL: Final = frozenset((*COLOURS, *_SETUP, *_ENDINGS))
_NOT_PLAIN: Final = frozenset((*COLOURS, "AW", "AE"))
"""What in a root takes a board to read."""
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

    def play(self, point: int) -> Refusal | None:
        """Make a recorded play or pass; return what the rules have against it on the torus, if anything.

        Raises:
            TooMuchSetup: after :data:`MOST_LAID_OUT`.
        """
        if point >= 0 and self.board.colours[point]:
            self._lays_out(self.board.torus.points)  # At most, for a stone that replaces another.
        if self._flat is not None:
            self._flat.replay(point)
        self.depth += 1
        return self.board.replay(point)

    def lay_out(self, setup: Setup) -> None:
        """Set up stones.

        Raises:
            TooMuchSetup: after :data:`MOST_LAID_OUT`.
        """
        black, white, empty, to_move = setup.black, setup.white, setup.empty, setup.to_move
        for board in (self.board, self._flat):
            if board is not None:
                self._lays_out(board.lay_out(black, white, empty, to_move, recorded=True))
        self.depth += 1

    def _lays_out(self, points: int) -> None:
        self._laid_out += points
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
        self._boards = ReplayBoards(game.board, flat=flat)
        self._size = game.torus.size
        self._moves = moves_of(self._size)
        self._at = 0
        self._room = MOST_MEMORY
        self._against: dict[type[Refusal], list[tuple[int, str, Refusal]]] = {}

    def build(self, root: RawNode) -> None:
        """Fill the game; the cursor ends at the end of the main line.

        The raw nodes are consumed: each is freed as soon as the nodes of the game that it becomes exist.

        Raises:
            SgfError: there are too many setup nodes to play through in reasonable time, or the nodes take more memory
                than :data:`~daoqi_tui.record.sgf.MOST_MEMORY`, as of a raw node with many moves.
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
        self._report_against()
        self._game.node = node
        self._game.goto(last_of(self._game))

    def _report_against(self) -> None:
        """Report what the rules have against the record, only once of each kind: a ko cycle repeats at every move."""
        for found in self._against.values():
            at, what, refusal = found[0]
            message, more = _against(what, refusal, self._game), len(found) - 1
            if isinstance(refusal, NoLiberties):
                if more:
                    message = Message("{problem}; {more} more in the record", problem=message, more=more)
            elif more:
                message = Message(
                    "{problem}; {more} more in the record, all played as recorded", problem=message, more=more
                )
            else:
                message = Message("{problem}; played as recorded", problem=message)
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
            for name in COLOURS:
                values = properties.get(name)
                if values is not None and len(values) == 1:
                    return self._move(raw, node, name, values[0], properties=None)
        kept = {name: values for name, values in properties.items() if name not in _SPECIAL}
        start = node
        for name, values in properties.items():
            if name in COLOURS:
                for value in values:
                    node = self._move(raw, node, name, value, properties=kept or None)
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
        moves = {name: values for name, values in properties.items() if name in COLOURS}
        split = _WITH_MOVE | _ENDINGS if moves else frozenset()
        kept = {name: values for name, values in properties.items() if name not in _SPECIAL and name not in split}
        node.properties = kept
        if not _SETUP.isdisjoint(properties):
            action = self._setup_action(root, kept, _first_colour(root, moves))
            if action != Setup(0, 0, 0, BLACK):
                node.action = action
                self._note_setup(root, node)
        self._boards.depth = 0  # The root cannot be undone.
        if moves:
            raw = RawNode(root.at)
            raw.properties = moves | {name: properties[name] for name in properties if name in split}
            return self._enter(raw, node)
        if not _ENDINGS.isdisjoint(properties):
            self._ending(root, node)
        return node

    # Moves

    def _move(
        self, raw: RawNode, node: Node, name: str, value: str, *, properties: dict[str, list[str]] | None
    ) -> Node:
        colour = COLOURS[name]
        board, before = self._board, node
        if colour != board.to_move:
            node = self._turn(node, colour)
        captured, lost = board.captured[colour], board.suicided[colour]
        point = self._moves[value]
        against = self._boards.play(point)
        if before.move is not None and before.move.is_pass and before.passes_in_row >= 2:
            before.resumed = True
        node = self._append(node, move_of(colour, point))
        node.captured = board.captured[colour] - captured
        node.lost = board.suicided[colour] - lost
        node.properties = properties
        if isinstance(against, Occupied):
            self._room -= _REPLACED_BYTES
        if against is not None:
            self._note(raw.at, f"{name}[{value}]", node, against)
        correction = self._boards.correct()
        return node if correction is None else self._append(node, correction)

    def _note(self, at: int, what: str, node: Node, against: Refusal) -> None:
        node.against = against
        self._against.setdefault(type(against), []).append((at, what, against))

    # Setup

    def _setup(self, raw: RawNode, node: Node, properties: dict[str, list[str]] | None) -> Node:
        kept = properties or {}
        node = self._append(node, self._setup_action(raw, kept, _first_colour(raw, {})))
        node.properties = kept or None
        self._note_setup(raw, node)
        return node

    def _note_setup(self, raw: RawNode, node: Node) -> None:
        if (against := self._board.no_liberties()) is not None:
            self._note(raw.at, "", node, against)

    def _setup_action(self, raw: RawNode, kept: dict[str, list[str]], following: Colour | None) -> Setup:
        """Make the setup of a raw node on the board and return it.

        Without PL, the colour of the next move determines the turn.
        """
        properties = raw.properties
        board = self._board
        empty, black, white = masks_of(properties, self._size)
        to_move = board.to_move
        if "PL" in properties:
            kept["PL"] = properties["PL"]  # So that writing repeats it.
            to_move = COLOURS[properties["PL"][0]]
        elif following is not None and not {"AB", "AW", "AE"}.isdisjoint(properties):
            to_move = following
        action = Setup(black, white, empty, to_move)
        self._boards.lay_out(action)
        return action

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
            stones = masks_of({"AE": kept.pop(AGREED_DEAD)}, self._size)[0] & ~self._board.empty
            node.ending = TwoPasses(frozenset(self._game.torus.points_in(stones)))
        ending = read_ending(kept[ENDED][0]) if ENDED in kept else None
        if ending is not None:
            del kept[ENDED]
            node.ending = ending
        if kept:
            node.properties = (node.properties or {}) | kept


def _against(what: str, refusal: Refusal, game: Game) -> Message:
    """Say what the rules have against a recorded move or setup."""
    match refusal:
        case Repeats(move=number):
            return Message(
                "{move} repeats the position after move {number}, which the rules ({rules}) forbid",
                move=what,
                number=number,
                rules=game.rules,
            )
        case Occupied():
            return Message("{move} is on a stone, which it replaces", move=what)
        case NoLiberties(point=point):
            return Message(
                "the chain at {point} stands without liberties, as recorded: no play and no score from there",
                point=game.torus.name(point),
            )
    return Message("{move} is suicide, which the rules ({rules}) forbid", move=what, rules=game.rules)


def _first_colour(raw: RawNode, moves: dict[str, list[str]]) -> Colour | None:
    """Return the colour of the move with a setup, or of the first one after it."""
    if not moves and raw.children:
        moves = {name: [] for name in COLOURS if name in raw.children[0].properties}
    return COLOURS[next(iter(moves))] if moves else None
