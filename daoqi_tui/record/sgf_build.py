"""From raw nodes to a game: every move checked by the rules, what they refuse left out and said.

One raw node becomes one node of the game, with three exceptions. A move by the side that is not to move gets a
node before it that only turns the side to move (writing leaves that out again). A node with a move and setup
together, which SGF forbids but programs write, becomes one node for each. A record played on a flat board gets
a setup node wherever the torus would show another position.
"""

from __future__ import annotations

from typing import Final

from daoqi_tui.engine import (
    BLACK,
    WHITE,
    Action,
    Colour,
    Game,
    IllegalMove,
    Move,
    Node,
    Setup,
    TwoPasses,
    opponent,
)
from daoqi_tui.engine.node import move_of
from daoqi_tui.record.boards import Boards, TooMuchSetup
from daoqi_tui.record.points import PointError, masks_of, moves_of, point_of
from daoqi_tui.record.result import AGREED_DEAD, ENDED, last_of, read_ending
from daoqi_tui.record.sgf_parse import Collection, RawNode

_COLOURS: Final = {"B": BLACK, "W": WHITE}
_SETUP: Final = frozenset(("AB", "AW", "AE", "PL"))
_SPECIAL: Final = frozenset((*_COLOURS, *_SETUP, ENDED, AGREED_DEAD))
# Properties that belong with a move, for the root nodes that hold a move beside the game information.
_WITH_MOVE: Final = frozenset(
    (
        *("AR", "BL", "BM", "C", "CR", "DD", "DM", "DO", "FG", "GB", "GW", "HO", "IT", "KO", "LB", "LN", "MA", "MN"),
        *("N", "OB", "OW", "SL", "SQ", "TB", "TE", "TR", "TW", "UC", "V", "VW", "WL"),
    )
)


class Builder:
    """Builds the tree below the root of ``game`` from raw nodes.

    Args:
        flat: whether the record was played on a flat board.
    """

    def __init__(self, collection: Collection, game: Game, *, flat: bool) -> None:
        self._collection = collection
        self._game = game
        self._board = game.board
        self._boards = Boards(game.board, flat=flat)
        self._size = game.torus.size
        self._moves = moves_of(self._size)
        self._at = 0

    def build(self, root: RawNode) -> None:
        """Fill the game; the cursor ends at the end of the main line.

        Raises:
            SgfError: there are more setup nodes than can be played through in reasonable time.
        """
        try:
            self._build(root)
        except TooMuchSetup as error:
            what = "nodes with setup, illegal moves or two moves of one colour in a row"
            message = f"up to here there are more than {error.most} {what}; split the file"
            raise self._collection.error(self._at, message) from None

    def _build(self, root: RawNode) -> None:
        node = self._root(root)
        # Each entry: a raw node, the node before it, how many actions deep that is, and where its siblings gather.
        waiting: list[tuple[RawNode, Node, int, list[Node]]] = []
        families: list[tuple[Node, list[Node]]] = []
        children = root.children
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
            if siblings is not None:
                siblings += parent.children[len(before) :]
                parent.children = before
            children = raw.children
        for parent, family in families:
            parent.children = tuple(family)
        self._game.node = node
        self._game.goto(last_of(self._game))

    # One raw node

    def _enter(self, raw: RawNode, node: Node) -> Node:
        """Add what ``raw`` stands for below ``node``, make it on the board; returns the last node added."""
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
        if not {ENDED, AGREED_DEAD}.isdisjoint(properties):
            self._ending(raw, node)
        return node

    def _root(self, root: RawNode) -> Node:
        """Lay out the setup of the root; a move there, which SGF forbids, becomes the node after it."""
        node = self._game.root
        properties = root.properties
        moves = {name: values for name, values in properties.items() if name in _COLOURS}
        split = _WITH_MOVE if moves else frozenset()
        kept = {name: values for name, values in properties.items() if name not in _SPECIAL and name not in split}
        node.properties = kept
        if not _SETUP.isdisjoint(properties):
            action = self._setup_action(root, kept, _first_colour(root, moves))
            if action is not None and action != Setup(0, 0, 0, BLACK):
                node.action = action
        self._boards.depth = 0  # The root cannot be taken back.
        if moves:
            raw = RawNode(root.at)
            raw.properties = moves | {name: properties[name] for name in properties if name in split}
            return self._enter(raw, node)
        return node

    # Moves

    def _move_named(
        self, raw: RawNode, node: Node, name: str, value: str, properties: dict[str, list[str]] | None
    ) -> Node:
        try:
            point = point_of(value, self._size)
        except PointError as error:
            return self._skip(raw, node, name, value, properties=properties, reason=f"{name}{error}")
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
            self._boards.play(point)
        except IllegalMove as error:
            if node is not before:
                self._boards.rewind(self._boards.depth - 1)
                before.children = before.children[:-1]
            return self._skip(
                raw, before, name, value, properties=properties, reason=f"{name}[{value}] is illegal: {error}"
            )
        if before.move is not None and before.move.is_pass and before.passes_in_row >= 2:
            before.resumed = True
        node = self._append(node, move_of(colour, point))
        node.captured = board.captured[colour] - captured
        node.lost = board.suicided[colour] - lost
        node.properties = properties
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
        reason: str,
    ) -> Node:
        """In place of a move that cannot be made, a node that keeps what the file had and turns the side to move."""
        self._collection.report(raw.at, f"{reason}; skipped")
        kept = {name: [value]} | (properties or {})
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
        """The setup of a raw node, already made on the board; None if there can be none.

        What cannot be laid out goes into ``kept``. Where PL does not say so, the colour of the next move says
        whose turn it is.
        """
        properties = raw.properties
        board = self._board
        to_move = self._side(raw, kept)
        empty = black = white = 0
        if not {"AB", "AW", "AE"}.isdisjoint(properties):
            found = masks_of(properties, self._size)
            for wrong in found.wrong:
                self._collection.report(raw.at, f"{wrong}; skipped")
            empty, black, white = found.masks
            if to_move is None and following is not None:
                to_move = following
        action = Setup(black, white, empty, board.to_move if to_move is None else to_move)
        colours = board.colours
        if empty or black or white:
            colours = colours.copy()
            for colour, mask in enumerate((empty, black, white)):
                for point in board.torus.points_in(mask):
                    colours[point] = colour
        try:
            self._boards.lay_out(colours, action.to_move)
        except ValueError as error:
            self._collection.report(raw.at, f"this setup is impossible: {error}; skipped")
            kept |= {name: properties[name] for name in ("AB", "AW", "AE") if name in properties}
            return None
        return action

    def _side(self, raw: RawNode, kept: dict[str, list[str]]) -> Colour | None:
        """The side that PL sets to move, None without PL; kept, since writing cannot know it was said."""
        values = raw.properties.get("PL")
        if values is None:
            return None
        kept["PL"] = values
        letter = values[0].strip()[:1].upper()
        if letter not in ("B", "W", "1", "2"):
            self._collection.report(raw.at, "PL names neither B nor W; skipped")
            return None
        return BLACK if letter in "B1" else WHITE

    # The tree

    def _turn(self, node: Node, to_move: Colour) -> Node:
        """Add a node that lays out no stone and says whose turn it is, made on the board too."""
        self._boards.lay_out(self._board.colours, to_move)
        return self._append(node, Setup(0, 0, 0, to_move))

    def _append(self, parent: Node, action: Action) -> Node:
        node = Node(parent, action, parent.number + (action.__class__ is Move))
        parent.children = (*parent.children, node) if parent.children else (node,)
        return node

    def _ending(self, raw: RawNode, node: Node) -> None:
        """An ending that this program recorded at this very node; what does not fit there is kept unread."""
        kept = {name: raw.properties[name] for name in (ENDED, AGREED_DEAD) if name in raw.properties}
        if AGREED_DEAD in kept and node.passes_in_row >= 2:
            stones = masks_of({"AE": kept.pop(AGREED_DEAD)}, self._size).masks[0] & ~self._board.empty
            node.ending = TwoPasses(frozenset(self._game.torus.points_in(stones)))
        ending = read_ending(kept[ENDED][0]) if ENDED in kept else None
        if ending is not None:
            del kept[ENDED]
            node.ending = ending
        if kept:
            node.properties = (node.properties or {}) | kept


def _first_colour(raw: RawNode, moves: dict[str, list[str]]) -> Colour | None:
    """The colour of the move with a setup, or of the first one after it."""
    if not moves and raw.children:
        moves = {name: [] for name in _COLOURS if name in raw.children[0].properties}
    return _COLOURS[next(iter(moves))] if moves else None
