"""Random plays, passes, setups, undo, redo, jumps, variations and deletions, checked against the naive referee.

The referee's position is stored for every node of the tree. Wherever the cursor goes, the board must match that
position, and its internal state must equal that of a board replayed from the root to that node.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Board, Game, IllegalMove, Move, Node, Repeats, Setup
from daoqi_tui.engine.tree import move_of
from tests.engine.comparing import COLOUR, LETTER, refusal_of, same_position, same_refusals
from tests.engine.pictures import board_state, game_state
from tests.engine.referee import Position

ANY = st.integers(0, 10**6)


def replayed(game: Game) -> Board:
    """Return a new board on which only the actions from the root to the cursor were made."""
    board = Board(game.torus)
    for node in game.node.path()[1:]:
        match node.action:
            case Move(point=point) if point >= 0:
                board.replay(point)
            case Move():
                board.pass_turn()
            case Setup() as setup:
                colours = list(board.colours)
                for mask, colour in ((setup.black, BLACK), (setup.white, WHITE), (setup.empty, EMPTY)):
                    for point in game.torus.points_in(mask):
                        colours[point] = colour
                board.setup(colours, setup.to_move)
    return board


class Tree(RuleBasedStateMachine):
    """A game and, for each node of its tree, the referee's position."""

    @initialize(size=st.sampled_from((2, 3, 4, 5)))
    def start(self, size: int) -> None:
        self.size = size
        self.game = Game(size)
        self.positions: dict[Node, Position] = {self.game.root: Position(size, size)}

    @property
    def position(self) -> Position:
        return self.positions[self.game.node]

    def nodes(self) -> list[Node]:
        return list(self.game.root.walk())

    @rule(pick=ANY, anywhere=st.booleans())
    def play(self, pick: int, anywhere: bool) -> None:
        if self.game.is_over:
            self.game.resume()
        points = self.game.legal_points()
        point = pick % self.game.torus.points if anywhere or not points else points[pick % len(points)]
        result = self.position.after(divmod(point, self.size))
        before = self.position
        if isinstance(result, Position):
            node = self.game.play(point)
            mover = before.to_move
            assert node.captured == result.captured[mover] - before.captured[mover]
            assert node.lost == result.suicided[mover] - before.suicided[mover]
            self.positions.setdefault(node, result)
        else:
            state = game_state(self.game)
            with pytest.raises(IllegalMove) as error:
                self.game.play(point)
            assert error.value.refusal == refusal_of(before, point)
            assert game_state(self.game) == state

    @rule(pick=ANY)
    def record_repetition(self, pick: int) -> None:
        """Record a move that the rules refuse as a repetition."""
        board, before = self.game.board, self.position
        repeating = [p for p in range(board.torus.points) if isinstance(board.refusal(p), Repeats)]
        if not repeating:
            return
        point = repeating[pick % len(repeating)]
        refusal = refusal_of(before, point)
        node = self.game.record(move_of(self.game.to_move, point))
        assert node.against == refusal
        played = replace(before, faced=(("nothing faced", -1),)).after(divmod(point, self.size))
        assert isinstance(played, Position)
        self.positions[node] = replace(played, faced=before.faced)

    @rule()
    def pass_turn(self) -> None:
        if self.game.is_over:
            self.game.resume()
        after = self.position.after_pass()
        self.positions.setdefault(self.game.pass_turn(), after)

    @rule(picks=st.lists(st.tuples(ANY, st.sampled_from("BW."))), to_move=st.sampled_from("BW"))
    def setup(self, picks: list[tuple[int, str]], to_move: str) -> None:
        if self.game.is_over:
            self.game.resume()
        signs = {pick % self.game.torus.points: sign for pick, sign in picks}
        laid = {sign: [point for point, found in signs.items() if found == sign] for sign in "BW."}
        changes = {divmod(point, self.size): sign if sign != "." else None for point, sign in signs.items()}
        after, state = self.position.after_setup(changes, to_move), game_state(self.game)
        try:
            node = self.game.setup(black=laid["B"], white=laid["W"], empty=laid["."], to_move=COLOUR[to_move])
        except ValueError:
            assert after is None
            assert game_state(self.game) == state
        else:
            assert after is not None
            self.positions.setdefault(node, after)

    @precondition(lambda self: self.game.node.parent is not None)
    @rule(steps=st.integers(1, 6))
    def undo(self, steps: int) -> None:
        for _ in range(steps):
            if self.game.node.parent is not None:
                self.game.undo()

    @precondition(lambda self: self.game.node.children)
    @rule(pick=ANY)
    def redo(self, pick: int) -> None:
        children = self.game.node.children
        assert self.game.redo(pick % len(children)) is children[pick % len(children)]

    @rule(pick=ANY)
    def goto(self, pick: int) -> None:
        nodes = self.nodes()
        target = nodes[pick % len(nodes)]
        self.game.goto(target)
        assert self.game.node is target

    @rule(pick=ANY)
    def promote(self, pick: int) -> None:
        nodes = self.nodes()
        target = nodes[pick % len(nodes)]
        self.game.promote(target)
        assert target in [self.game.root, *self.game.root.line()]
        assert set(self.nodes()) == set(nodes)

    @precondition(lambda self: self.game.root.children)
    @rule(pick=ANY)
    def delete(self, pick: int) -> None:
        nodes = self.nodes()[1:]
        target = nodes[pick % len(nodes)]
        gone = set(target.walk())
        self.game.delete(target)
        assert set(self.nodes()) == {self.game.root, *nodes} - gone
        assert self.game.node not in gone

    @invariant()
    def cursor_is_where_the_referee_is(self) -> None:
        if not hasattr(self, "game"):
            return
        board, position = self.game.board, self.position
        same_position(board, position)
        assert LETTER[self.game.to_move] == position.to_move
        assert self.game.node.to_move == self.game.to_move
        assert board_state(board) == board_state(replayed(self.game))
        if not self.game.is_over:
            same_refusals(board, position, range(self.game.torus.points))


TestTree = Tree.TestCase
