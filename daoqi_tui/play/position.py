r"""Set up a position by hand: stones, marks, letters, whose turn it is, and the komi.

>>> from daoqi_tui.engine import WHITE
>>> editor = PositionEditor(9)
>>> editor.apply(editor.torus.parse("C3"), "black")
>>> editor.to_move = WHITE
>>> editor.record()
b'(;FF[4]GM[q5go-1]CA[UTF-8]SZ[9]KM[4]TO[3]RU[Daoqi]PL[W]AB[cg])\n'
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.engine import BLACK, DAOQI, EMPTY, STANDARD_KOMI, WHITE, Colour, Game, Node, Rules, Torus, points_text
from daoqi_tui.reading.symmetry import BoardPosition
from daoqi_tui.record.sgf import RawNode
from daoqi_tui.record.sgf.info import TORUS_GAME
from daoqi_tui.record.sgf.markup import LETTER_OF, labels, marks, set_label, set_mark, toggle_letter, values_of
from daoqi_tui.record.sgf.write import serialise

Tool: TypeAlias = Literal["black", "white", "empty", "triangle", "square", "circle", "cross", "letter"]
"""The thing that a click or the Enter key puts on a point, or removes if it is already there."""
_COLOURS: Final[dict[str, Colour]] = {"black": BLACK, "white": WHITE, "empty": EMPTY}
_MOST_STEPS: Final = 1000
"""The maximum number of changes that can be undone."""


class _State(NamedTuple):
    """The state that an undo restores."""

    stones: bytes
    to_move: Colour
    komi: float
    notes: dict[str, list[str]] | None


class PositionEditor:
    """A position that is being set up; it may be invalid until it is used.

    Args:
        size: of the board.
        stones: the colour of each point to begin with; None for an empty board.
        to_move: whose turn it is.
        komi: in points.
        rules: of a game that starts from it.

    Attributes:
        torus: the board.
        stones: the colour of each point.
        to_move, komi, rules: as above.
        notes: a node with the marks and letters.
    """

    def __init__(
        self,
        size: int,
        stones: bytes | None = None,
        to_move: Colour = BLACK,
        komi: float = STANDARD_KOMI,
        rules: Rules = DAOQI,
    ) -> None:
        empty = Game(size)
        self.torus: Final[Torus] = empty.torus
        self.notes: Final[Node] = empty.root
        self.stones = bytearray(stones or bytes(self.torus.points))
        self._to_move = to_move
        self._komi = komi
        self.rules: Final = rules
        self._done: list[_State] = []
        self._undone: list[_State] = []

    @classmethod
    def of(cls, game: Game) -> PositionEditor:
        """Start with the current position, marks and letters of a game."""
        editor = cls(game.torus.size, bytes(game.board.colours), game.to_move, game.komi, game.rules)
        size = game.torus.size
        for point, mark in marks(game.node, size).items():
            set_mark(editor.notes, point, mark, size)
        for point, text in labels(game.node, size).items():
            set_label(editor.notes, point, text, size)
        return editor

    # Changes

    def apply(self, point: int, tool: Tool) -> None:
        """Apply the tool to a point, or remove its effect if it is already there."""
        self._note()
        size = self.torus.size
        if tool == "letter":
            toggle_letter(self.notes, point, size)
        elif tool in _COLOURS:
            colour = _COLOURS[tool]
            self.stones[point] = EMPTY if self.stones[point] == colour else colour
        else:
            had = marks(self.notes, size).get(point)
            set_mark(self.notes, point, None if had == tool else tool, size)  # type: ignore[arg-type]

    def clear(self) -> None:
        self._note()
        self.stones = bytearray(self.torus.points)
        self.notes.properties = None

    @property
    def to_move(self) -> Colour:
        return self._to_move

    @to_move.setter
    def to_move(self, colour: Colour) -> None:
        self._note()
        self._to_move = colour

    @property
    def komi(self) -> float:
        """In points."""
        return self._komi

    @komi.setter
    def komi(self, points: float) -> None:
        self._note()
        self._komi = points

    @property
    def changed(self) -> bool:
        """True if there is a change that could be undone."""
        return bool(self._done)

    def undo(self) -> bool:
        return self._go_back(self._done, self._undone)

    def redo(self) -> bool:
        return self._go_back(self._undone, self._done)

    def _go_back(self, states: list[_State], others: list[_State]) -> bool:
        if not states:
            return False
        others.append(self._state())
        state = states.pop()
        self.stones, self.notes.properties = bytearray(state.stones), state.notes
        self._to_move, self._komi = state.to_move, state.komi
        return True

    def _note(self) -> None:
        self._done = [*self._done[-_MOST_STEPS:], self._state()]
        self._undone.clear()

    def _state(self) -> _State:
        return _State(bytes(self.stones), self._to_move, self._komi, self.notes.properties)

    # Using the position

    def stifled(self) -> int | None:
        """Return a stone of a chain without liberties, which is invalid; None if there is none."""
        torus = self.torus
        empty = torus.mask(point for point, colour in enumerate(self.stones) if not colour)
        for colour in (BLACK, WHITE):
            left = torus.mask(point for point, here in enumerate(self.stones) if here == colour)
            # Flooding from the liberties inwards reaches every stone connected to one.
            reached = torus.flood(torus.dilate(empty) & left, left)
            if left & ~reached:
                return next(iter(torus.points_in(left & ~reached)))
        return None

    def position(self) -> BoardPosition:
        """Return the position without marks and komi."""
        torus = self.torus
        masks = [torus.mask(self._points(colour)) for colour in (BLACK, WHITE)]
        return BoardPosition(torus.size, masks[0], masks[1], self.to_move)

    def marked_chain(self) -> int | None:
        """Return a stone of the marked chain; None unless the marked stones belong to exactly one chain."""
        torus = self.torus
        points = [point for point in marks(self.notes, torus.size) if self.stones[point]]
        if not points:
            return None
        same = torus.mask(self._points(self.stones[points[0]]))
        chain = torus.flood(1 << points[0], same)
        return points[0] if all(chain >> point & 1 for point in points) else None

    def record(self) -> bytes:
        """Return the position as SGF: the start of a game with this komi and these rules."""
        root = RawNode()
        root.properties = {
            "FF": ["4"],
            "GM": [TORUS_GAME],
            "CA": ["UTF-8"],
            "SZ": [str(self.torus.size)],
            "KM": [points_text(self.komi)],
            "TO": ["3"],
            "RU": [str(self.rules)],
            "PL": [LETTER_OF[self.to_move]],
        }
        for name, colour in (("AB", BLACK), ("AW", WHITE)):
            points = self._points(colour)
            if points:
                root.properties[name] = values_of(self.torus.mask(points), self.torus.size)
        root.properties |= self.notes.properties or {}
        return serialise(root)

    def insert(self, game: Game) -> Node:
        """Set the position up in a game, after the node it shows; komi stays that of the game.

        Raises:
            IllegalMove: the game is over.
            ValueError: a chain has no liberty.
        """
        now = game.board.colours
        changed = {
            colour: [point for point in self._points(colour) if now[point] != colour]
            for colour in (BLACK, WHITE, EMPTY)
        }
        node = game.setup(black=changed[BLACK], white=changed[WHITE], empty=changed[EMPTY], to_move=self.to_move)
        node.properties = (node.properties or {}) | (self.notes.properties or {}) or None
        return node

    def _points(self, colour: Colour) -> list[int]:
        return [point for point, here in enumerate(self.stones) if here == colour]
