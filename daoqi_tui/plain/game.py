"""What a person can say in a game in lines of text, and what is answered.

Every move is told in words; the board is drawn only when asked for. The names of points belong to the points: a
shifted board shows the same names in other places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO

from daoqi_tui.engine import GameOver, IllegalMove, Node, Style
from daoqi_tui.i18n import N_, _
from daoqi_tui.plain.advice import PlainAdvice
from daoqi_tui.plain.board import read_shift, shifted_picture
from daoqi_tui.plain.keeping import PlainKeeper
from daoqi_tui.plain.sentences import sentence
from daoqi_tui.plain.turns import MakeComputers, usual_computers
from daoqi_tui.record.text import plain_line
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.words import chain_words, colour_word, refusal_words

HELP: Final = (
    # What is typed is the same in every language.
    ("pass", N_("pass, which costs a point; two passes end the game")),
    ("undo, redo", N_("take the last move back, or play it again")),
    ("board", N_("draw the board: X is Black, O is White, the last stone is in parentheses")),
    ("chain K9", N_("tell of the chain on a point: its stones and its liberties")),
    ("shift r3", N_("draw the board from elsewhere: l, r, u or d and a number of points")),
    (
        "black 5, white person",
        N_("let the computer play a side at a level from 1 to 10, or play it yourself"),
    ),
    ("white engine COMMAND", N_("let a GTP engine play a side")),
    ("go", N_("let the computer make one move here, or play on after Ctrl+C")),
    ("hint", N_("tell the best moves, their chance to win, and what would follow")),
    ("estimate", N_("tell by how much who is expected to win")),
    ("ladder K9", N_("tell whether the chain on a point is captured in a ladder")),
    ("opening", N_("name the opening")),
    ("score", N_("count the board as it stands")),
    ("resign", N_("give the game up")),
    ("resume", N_("play on after the end")),
    ("save FILE", N_("save the game as an SGF file")),
    ("games", N_("name the games that were left unfinished")),
    ("continue 1", N_("go on with a game that was left unfinished")),
    ("quit", N_("leave; an unfinished game is kept")),
)


_WITH_MORE: Final = frozenset(["black", "chain", "continue", "ladder", "save", "shift", "white"])
"""Commands that say more than one word; where another has more behind it, something else was meant."""


class PlainGame(PlainAdvice):
    """Answers one line after the other.

    Args:
        session: the game to go on with, and who plays it.
        style: how points are named.
        keeper: keeps what is played; None keeps nothing.
        computers: makes the players that are not persons.
    """

    def __init__(
        self,
        session: Session,
        style: Style = "daoqi",
        keeper: PlainKeeper | None = None,
        computers: MakeComputers = usual_computers,
    ) -> None:
        super().__init__(session, style, keeper, computers)
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "pass": self._pass,
            "undo": self._undo,
            "redo": self._redo,
            "board": self._board,
            "chain": self._chain,
            "shift": self._shift,
            "black": self._black,
            "white": self._white,
            "go": self._go,
            "hint": self._hint,
            "estimate": self._estimate,
            "ladder": self._ladder,
            "opening": self._opening,
            "score": self._score,
            "resign": self._resign,
            "resume": self._resume,
            "save": self._save,
            "games": self._games,
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
        yield from self._about_session()
        yield self.turn()

    def answer(self, line: str) -> list[str]:
        """Do what a line says; returns what to tell, once it is on the disk. An empty line does nothing."""
        words = line.split(maxsplit=1)
        return self._done(words) + self._kept() if words else []

    def _done(self, words: list[str]) -> list[str]:
        """Do what a line of one or two words says."""
        command = self._commands.get(words[0].lower())
        warned, self._warned = self._warned, False
        if command == self._quit:
            self._warned = warned
        if command is None:
            return list(self._play(" ".join(words).strip()))
        rest = words[1].strip() if len(words) > 1 else ""
        if rest and words[0].lower() not in _WITH_MORE:
            return [_("Nothing comes after {command}: type it alone.").format(command=words[0].lower())]
        return list(command(rest))

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
                yield sentence(refusal_words(error.refusal, game.torus, self._style))
            return
        self._played()
        yield from self._told_with_turn(node, before)

    def _pass(self, _rest: str) -> Iterator[str]:
        try:
            node = self.game.pass_turn()
        except IllegalMove:
            yield self._over_words()
            return
        self._played()
        yield from self._told_with_turn(node, bytes(self.game.board.colours))

    def _redo(self, _rest: str) -> Iterator[str]:
        game = self.game
        node = self._following(game.node)
        if node is None:
            yield _("There is nothing to play again.")
            return
        persons = self.session.persons
        while node is not None:
            before = bytes(game.board.colours)
            game.goto(node)
            if node.move is not None:
                yield from self._told(node, before)
            # A computer's answer comes with the move it answered.
            again = len(persons) == 1 and game.to_move != persons[0]
            node = self._following(node) if again else None
        if not game.is_over and self._next() is None:
            yield self.turn()

    def _following(self, node: Node) -> Node | None:
        """What an undo left there last, or the main continuation."""
        return self._left.get(node) or next(iter(node.children), None)

    def _board(self, _rest: str) -> Iterator[str]:
        yield from shifted_picture(self.game, *self._corner, self._style)

    def _chain(self, rest: str) -> Iterator[str]:
        point = self._chain_point("chain", rest)
        if isinstance(point, str):
            yield point
            return
        chain = self.game.chain_at(point)
        assert chain is not None
        yield sentence(_("{colour}, {chain}").format(colour=colour_word(chain.colour), chain=chain_words(chain)))
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

    def _resign(self, _rest: str) -> Iterator[str]:
        if self.game.is_over:
            yield self._over_words()
            return
        persons = self.session.persons
        self.game.resign(persons[0] if len(persons) == 1 else None)
        yield self.turn()

    def _resume(self, _rest: str) -> Iterator[str]:
        if not self.game.is_over:
            yield _("The game is not over: play on.")
            return
        self.session.resume()
        yield self.turn()

    def _help(self, _rest: str) -> Iterator[str]:
        point = _("a point, such as {point}").format(point=self._name(self._middle()))
        yield _("{typed}: {deed}.").format(typed=point, deed=_("play there"))
        for typed, deed in HELP:
            yield _("{typed}: {deed}.").format(typed=typed, deed=_(deed))


def play(person: PlainGame, lines: TextIO, out: TextIO) -> int:
    """Talk until the person leaves or the input ends; returns the exit status."""
    asks = lines.isatty()
    try:
        _tell(out, person.greeting())
        _let_computers_move(person, out)
        while not person.over:
            if asks:
                out.write("> ")
                out.flush()
            try:
                line = lines.readline()
            except KeyboardInterrupt:
                _tell(out, ["", *person.leave()])
                return 130
            if not line:
                # The input has ended, by ^D or because a script is done.
                _tell(out, [*([""] if asks else []), *person.leave()])
                break
            _tell(out, person.answer(line))
            _let_computers_move(person, out)
    finally:
        person.close()
    return 0


def _let_computers_move(person: PlainGame, out: TextIO) -> None:
    """Tell the moves of computers as they come; Ctrl+C has them wait."""
    try:
        _tell(out, person.replies())
    except KeyboardInterrupt:
        _tell(out, person.stopped())


def _tell(out: TextIO, words: Iterable[str]) -> None:
    for line in words:
        out.write(f"{line}\n")
        out.flush()
