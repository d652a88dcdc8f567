"""A game in lines of text, on standard input and output: for screen readers, slow lines and scripts.

Every move is told in words; the board is drawn only when asked for. The names of points belong to the points: a
shifted board shows the same names in other places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TextIO

from daoqi_tui.engine import BLACK, WHITE, Game, GameOver, IllegalMove, Node, Style, TwoPasses, points_text
from daoqi_tui.i18n import N_, _, plural
from daoqi_tui.plain_board import read_shift, shifted_picture
from daoqi_tui.plain_keeping import PlainKeeper
from daoqi_tui.plain_records import PlainRecords
from daoqi_tui.record.info import Info
from daoqi_tui.record.text import plain_line
from daoqi_tui.tui.words import (
    chain_words,
    colour_word,
    margin_words,
    move_words,
    refusal_words,
)

HELP: Final = (
    (N_("a point, such as K9"), N_("play there")),
    ("pass", N_("pass, which costs a point; two passes end the game")),
    ("undo, redo", N_("take the last move back, or play it again")),
    ("board", N_("draw the board: X is Black, O is White, the last stone is in parentheses")),
    ("chain K9", N_("tell of the chain on a point: its stones and its liberties")),
    ("shift r3", N_("draw the board from elsewhere: l, r, u or d and a number of points")),
    ("score", N_("count the board as it stands")),
    ("resign", N_("give the game up")),
    ("resume", N_("play on after the end")),
    ("save FILE", N_("save the game as an SGF file")),
    ("continue 1", N_("go on with a game that was left unfinished")),
    ("quit", N_("leave; an unfinished game is kept")),
)


class PlainGame(PlainRecords):
    """Answers one line after the other."""

    def __init__(
        self, game: Game, info: Info | None = None, style: Style = "daoqi", keeper: PlainKeeper | None = None
    ) -> None:
        """Make one; the arguments are those of :class:`~daoqi_tui.plain_records.PlainRecords`."""
        super().__init__(game, info, style, keeper)
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "pass": self._pass,
            "undo": self._undo,
            "redo": self._redo,
            "board": self._board,
            "chain": self._chain,
            "shift": self._shift,
            "score": self._score,
            "resign": self._resign,
            "resume": self._resume,
            "save": self._save,
            "continue": self._continue,
            "help": self._help,
            "quit": self._quit,
        }

    def greeting(self) -> Iterator[str]:
        """What a person hears first."""
        yield _("Daoqi, {size} by {size}, komi {komi}. Type a point such as {point}, or help.").format(
            size=self.game.torus.size, komi=f"{self.game.komi:g}", point=self._name(self._middle())
        )
        if self._keeper is not None:
            yield from self._keeper.offers()
        yield self.turn()

    def answer(self, line: str) -> list[str]:
        """Do what a line says; returns what to tell, once it is on the disk. An empty line does nothing."""
        words = line.split(maxsplit=1)
        if not words:
            return []
        told = self._done(words)
        if self._keeper is not None and not self.over:
            told += self._keeper.keep()
        return told

    def _done(self, words: list[str]) -> list[str]:
        """Do what a line of one or two words says."""
        command = self._commands.get(words[0].lower())
        warned, self._warned = self._warned, False
        if command == self._quit:
            self._warned = warned
        if command is None:
            return list(self._play(" ".join(words).strip()))
        return list(command(words[1].strip() if len(words) > 1 else ""))

    # Commands

    def _play(self, typed: str) -> Iterator[str]:
        game = self.game
        try:
            point = game.torus.parse(typed, self._style)
        except ValueError:
            first, last = self._name(game.torus.points - game.torus.size), self._name(game.torus.size - 1)
            yield _("{typed} is neither a point from {first} to {last} nor a command. Type help for a list.").format(
                typed=plain_line(typed)[:40], first=first, last=last
            )
            return
        before = bytes(game.board.colours)
        try:
            node = game.play(point)
        except IllegalMove as error:
            if isinstance(error.refusal, GameOver):
                yield self._over_words()
            else:
                yield refusal_words(error.refusal, game.torus, self._style) + "."
            return
        yield from self._told(node, before)

    def _pass(self, _rest: str) -> Iterator[str]:
        try:
            node = self.game.pass_turn()
        except IllegalMove:
            yield self._over_words()
            return
        yield from self._told(node, bytes(self.game.board.colours))
        if self.game.is_over:
            yield from self._score("")

    def _told(self, node: Node, before: bytes) -> Iterator[str]:
        """Tell a move just made, what it took, and who is next."""
        move = node.move
        assert move is not None
        gone = [self._name(p) for p, colour in enumerate(before) if colour and not self.game.board.colours[p]]
        colour = colour_word(move.colour)
        words = _("{colour} passes").format(colour=colour) if move.is_pass else f"{colour} {self._name(move.point)}"
        if node.captured:
            taken = plural("captures {count} stone", "captures {count} stones", node.captured)
            words += f", {taken}: {', '.join(gone)}"
        elif node.lost:
            lost = plural("suicide, {count} stone lost", "suicide, {count} stones lost", node.lost)
            words += f", {lost}: {', '.join([*gone, self._name(move.point)])}"
        yield words + "."
        yield self.turn()

    def _undo(self, _rest: str) -> Iterator[str]:
        game = self.game
        node = game.node
        if node.ending is not None:
            game.resume()
            yield _("The end of the game is taken back.")
        elif node is self._start or node.parent is None:
            yield _("This is the start: there is nothing to take back.")
            return
        else:
            self._left[node.parent] = node
            words = move_words(node, game.torus, self._style)
            game.undo()
            yield _("Taken back: {move}.").format(move=words)
        yield self.turn()

    def _redo(self, _rest: str) -> Iterator[str]:
        game = self.game
        node = self._left.get(game.node) or next(iter(game.node.children), None)
        if node is None:
            yield _("There is nothing to play again.")
            return
        before = bytes(game.board.colours)
        game.goto(node)
        if node.move is not None:
            yield from self._told(node, before)
        else:
            yield self.turn()

    def _board(self, _rest: str) -> Iterator[str]:
        yield from shifted_picture(self.game, *self._corner, self._style)

    def _chain(self, rest: str) -> Iterator[str]:
        torus = self.game.torus
        try:
            point = torus.parse(rest, self._style)
        except ValueError:
            yield _("Name a point: chain {point}.").format(point=self._name(self._middle()))
            return
        chain = self.game.chain_at(point)
        if chain is None:
            yield _("No stone stands on {point}.").format(point=self._name(point))
            return
        yield f"{colour_word(chain.colour)}, {chain_words(chain)}."
        yield _("Stones: {points}.").format(points=", ".join(map(self._name, chain.stones)))
        yield _("Liberties: {points}.").format(points=", ".join(map(self._name, chain.liberties)))

    def _shift(self, rest: str) -> Iterator[str]:
        steps = read_shift(rest)
        if steps is None:
            yield _("Say where to and how far: shift r3, or shift l2 u1.")
            return
        down, right = self._corner[0] + steps[0], self._corner[1] + steps[1]
        size = self.game.torus.size
        self._corner = down % size, right % size
        yield _("{point} is now at the top left.").format(point=self._name(self.game.torus.point(down, right)))
        yield from self._board("")

    def _score(self, _rest: str) -> Iterator[str]:
        ending = self.game.ending
        area = self.game.area(ending.dead if isinstance(ending, TwoPasses) else ())
        for colour in (BLACK, WHITE):
            side = area.player(colour)
            yield _("{colour}: stones {stones}, territory {territory}, passes {passes}, komi {komi}: {total}.").format(
                colour=colour_word(colour),
                stones=side.stones,
                territory=side.territory,
                passes=-side.passes,
                komi=points_text(side.komi),
                total=points_text(side.total),
            )
        yield margin_words(area) + "."

    def _resign(self, _rest: str) -> Iterator[str]:
        if self.game.is_over:
            yield self._over_words()
            return
        self.game.resign()
        yield self.turn()

    def _resume(self, _rest: str) -> Iterator[str]:
        if not self.game.is_over:
            yield _("The game is not over: play on.")
            return
        self.game.resume()
        yield self.turn()

    def _help(self, _rest: str) -> Iterator[str]:
        for typed, deed in HELP:
            yield f"{_(typed)}: {_(deed)}."

    # Words

    def _middle(self) -> int:
        middle = self.game.torus.size // 2
        return self.game.torus.point(middle, middle)

    def _over_words(self) -> str:
        return _("The game is over: resume plays on, undo takes back, save FILE keeps it, quit leaves.")


def play(person: PlainGame, lines: TextIO, out: TextIO) -> int:
    """Talk until the person leaves or the input ends; returns the exit status."""
    asks = lines.isatty()
    _tell(out, person.greeting())
    while not person.over:
        if asks:
            out.write("> ")
            out.flush()
        line = lines.readline()
        if not line:
            # The input has ended, by ^D or because a script is done.
            _tell(out, [*([""] if asks else []), *person.leave()])
            break
        _tell(out, person.answer(line))
    return 0


def _tell(out: TextIO, words: Iterator[str] | list[str]) -> None:
    out.writelines(f"{line}\n" for line in words)
    out.flush()
