"""Random games that use everything a journal records, and digests to compare games."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from daoqi_tui.engine import Game, Move, Node, TwoPasses
from daoqi_tui.engine.tree import arrange
from daoqi_tui.record.journal import Journal, Ticket
from daoqi_tui.record.sgf.markup import set_comment

Note: TypeAlias = Callable[[Journal], Ticket]


def state_of(game: Game) -> tuple[Any, ...]:
    """Return everything about the game itself that a journal must restore."""
    nodes = list(game.root.walk())
    places = {node: place for place, node in enumerate(nodes)}
    tree = tuple(
        (
            places[node.parent] if node.parent else -1,
            node.action,
            node.number,
            node.captured,
            node.lost,
            node.ending if not isinstance(node.ending, TwoPasses) else tuple(sorted(node.ending.dead)),
            node.resumed,
            tuple(sorted((name, tuple(values)) for name, values in (node.properties or {}).items())),
        )
        for node in nodes
    )
    board = game.board
    position = (str(board), board.key, tuple(board.captured), tuple(board.suicided), tuple(board.passes))
    faced = tuple(sorted(board.faced.items()))
    return game.torus.size, game.komi, game.handicap, tree, places[game.node], position, faced


def _digest(state: object) -> str:
    return hashlib.blake2b(repr(state).encode(), digest_size=8).hexdigest()


def digest_of(game: Game) -> str:
    return _digest(state_of(game))


def tree_digest_of(game: Game) -> str:
    """Return a digest of the settings and the tree of a game, independent of the cursor."""
    return _digest(state_of(game)[:4])


def play(game: Game, rng: Random) -> Note:
    points = game.legal_points()
    if not points or rng.random() < 0.08:
        game.pass_turn()
    else:
        game.play(rng.choice(points))
    return Journal.follow


def jump(game: Game, rng: Random) -> Note:
    game.goto(rng.choice(list(game.root.walk())))
    return Journal.follow


def take_back(game: Game, rng: Random) -> Note:
    for _ in range(rng.randint(1, 4)):
        if game.node.parent is not None:
            game.undo()
    return Journal.follow


def comment(game: Game, rng: Random) -> Note:
    node = rng.choice([*game.root.walk()])
    set_comment(node, rng.choice(["", "好棋", "a ] b \\ c : d\nsecond line", "\x1b[31m", "x" * rng.randint(1, 3000)]))
    return lambda journal: journal.edited(node)


def set_up(game: Game, rng: Random) -> Note:
    empty = game.torus.points_in(game.board.empty)
    if len(empty) > 10:
        black, white = rng.sample(empty, 2)
        try:
            game.setup(black=[black], white=[white], to_move=rng.choice([1, 2]))
        except ValueError:
            return play(game, rng)
    return Journal.follow


def end(game: Game, rng: Random) -> Note:
    rng.choice([game.resign, game.lose_on_time])()
    return Journal.follow


def delete(game: Game, rng: Random) -> Note:
    nodes: list[Node] = list(game.root.walk())[1:]
    if not nodes:
        return Journal.follow
    node = min(rng.sample(nodes, min(6, len(nodes))), key=lambda node: len(list(node.walk())))
    game.delete(node)
    parent = node.parent
    game.gone = {**getattr(game, "gone", {}), parent: node}
    return lambda journal: journal.rearranged([parent])


def graft(game: Game, rng: Random) -> Note:
    """Copy a random part of the tree below another node, or put back what was deleted there."""
    parent = rng.choice([node for node in game.root.walk() if not node.is_over])
    gone = getattr(game, "gone", {}).pop(parent, None)
    if gone is not None:
        arrange(parent, (gone, *parent.children))
        return lambda journal: journal.rearranged([parent])
    copied = list(rng.choice(list(game.root.walk())).walk())[:8]
    made = {copied[0].parent: parent}
    for node in copied:
        game.goto(made[node.parent])
        move = node.action if isinstance(node.action, Move) and node.action.colour == game.to_move else None
        if move is not None and not game.is_over and (move.is_pass or game.refusal(move.point) is None):
            made[node] = game.record(node.action)
            made[node].properties = node.properties
        else:
            made[node] = game.node
    return lambda journal: journal.rearranged([parent])


def promote(game: Game, rng: Random) -> Note:
    node = rng.choice(list(game.root.walk()))
    game.promote(node)
    return lambda journal: journal.promoted(node)


def after_the_end(game: Game, rng: Random) -> Note:
    """Resume play, agree on dead stones, or undo moves."""
    stones = [point for point in range(game.torus.points) if game.board.colours[point]]
    choice = rng.random()
    if choice < 0.4:
        game.resume()
    elif choice < 0.7 and isinstance(game.ending, TwoPasses) and stones:
        game.agree_dead(rng.sample(stones, 1))
    else:
        return take_back(game, rng)
    return Journal.follow


def act(game: Game, rng: Random) -> Note:
    """Do something random in the game; return the function that records it in a journal."""
    if game.is_over:
        return after_the_end(game, rng)
    acts = [play, jump, take_back, comment, set_up, end, delete, graft, promote]
    (chosen,) = rng.choices(acts, weights=[30, 5, 5, 4, 1, 1, 1, 2, 1])
    return chosen(game, rng)
