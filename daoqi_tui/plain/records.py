"""Where a game in lines of text comes from and goes to: saved, kept, taken up again, left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from daoqi_tui.engine import Game, Node, Style
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.plain.keeping import PlainKeeper
from daoqi_tui.plain.sentences import sentence
from daoqi_tui.record.files import write_atomically
from daoqi_tui.record.problem import reason_of
from daoqi_tui.record.text import plain_line
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.typed_paths import is_there, typed_path
from daoqi_tui.tui.words import colour_word, result_words


class PlainRecords:
    """A game in lines of text, as far as its record is concerned.

    Args:
        session: the game to go on with, and who plays it.
        style: how points are named.
        keeper: keeps what is played; None keeps nothing.
    """

    def __init__(self, session: Session, style: Style = "daoqi", keeper: PlainKeeper | None = None) -> None:
        self.over = False
        """Whether the person has left."""
        self._style = style
        self._keeper = keeper
        self._sit_down(session)

    @property
    def game(self) -> Game:
        """What is played."""
        return self.session.game

    def _sit_down(self, session: Session) -> None:
        """Begin to play a game from where it stands."""
        self.session = session
        self._left: dict[Node, Node] = {}
        """For each node the one an undo left last."""
        self._corner = 0, 0
        self._saved: tuple[Path, Node] | None = None
        self._warned = False

    def turn(self) -> str:
        """Say who is to move, or how the game ended."""
        result = self.game.result
        if result is not None:
            return _("The game is over: {result}.").format(result=result_words(result))
        return _("Move {number}, {colour} to move.").format(
            number=self.game.node.number + 1, colour=colour_word(self.game.to_move)
        )

    def leave(self) -> Iterator[str]:
        """Say goodbye, and where the game stays."""
        self.over = True
        if self._keeper is not None:
            yield from self._keeper.leave(saved=self._is_saved())
        yield _("Goodbye.")

    # Commands

    def _save(self, rest: str) -> Iterator[str]:
        if not rest:
            yield _("Say where to: save game.sgf.")
            return
        path = typed_path(rest)
        own = self._saved is not None and self._saved[0] == path
        if is_there(path) and not own:
            yield _("{file} is there already: choose another name.").format(file=plain_line(rest))
            return
        try:
            write_atomically(path, self.session.record())
        except (OSError, ValueError) as error:
            reason = said(plain_line(reason_of(error)))
            yield _("{file} cannot be written: {reason}.").format(file=plain_line(rest), reason=reason)
            return
        self._saved = path, self.game.node
        yield _("Saved as {file}.").format(file=plain_line(rest))

    def _quit(self, _rest: str) -> Iterator[str]:
        kept = self._is_saved() or (self._keeper is not None and self._keeper.works)
        if self.game.node is not self.session.start and not kept and not self._warned:
            self._warned = True
            yield _("The game is not saved: save FILE keeps it, quit again leaves without it.")
            return
        yield from self.leave()

    def _is_saved(self) -> bool:
        """Whether the game stands as in the file it was saved as."""
        return self._saved is not None and self._saved[1] is self.game.node

    def _games(self, _rest: str) -> Iterator[str]:
        offers = list(self._keeper.offers()) if self._keeper is not None else []
        yield from offers or [_("There is no unfinished game.")]

    def _continue(self, rest: str) -> Iterator[str]:
        if self._keeper is None:
            yield _("There is no unfinished game.")
            return
        if not (rest in ("", "1") or (rest.isascii() and rest.isdecimal() and len(rest) < 5)):
            yield _("Say which: continue 1.")
            return
        session = self._keeper.take_up(int(rest or 1))
        if isinstance(session, str):
            yield session
            return
        self._sit_down(session)
        yield _("Taken up where it stood: {size} by {size}, komi {komi}.").format(
            size=self.game.torus.size, komi=f"{self.game.komi:g}"
        )
        yield from self._about_session()
        yield self.turn()

    # Words

    def _about_session(self) -> Iterator[str]:
        """Tell what there is to know about a game that was sat down to."""
        session = self.session
        yield from self._who_plays()
        if session.clock is not None:
            yield _("The clocks stand still here.")
        for problem in session.problems:
            yield sentence(said(problem))
        if session.ask_torus is not None:
            yield _("The record does not say whether it was played on a torus: --flat takes it for a flat board.")

    def _who_plays(self) -> Iterator[str]:
        """Tell who plays, where that is not the person alone; the classes built on this one know."""
        yield from ()

    def _middle(self) -> int:
        middle = self.game.torus.size // 2
        return self.game.torus.point(middle, middle)

    def _name(self, point: int) -> str:
        return self.game.torus.name(point, self._style)
