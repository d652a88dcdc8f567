"""Keeps what is played in lines of text, with the same journal and library as the screen.

What a person is told of is on the disk before they are told, so that nothing is lost however the program ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.plain.sentences import sentence
from daoqi_tui.record.text import plain_line
from daoqi_tui.tui.keeper import Keeper
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.words import failing_words, no_library_words

if TYPE_CHECKING:
    from daoqi_tui.record.journal import Failing, Unfinished
    from daoqi_tui.tui.keeper import Folders

_PATIENCE: Final = 2.0
"""Seconds after which a move is told even though the disk has not taken it yet."""
_OFFERED: Final = 5
"""Unfinished games that are named at the start; the screen lists them all."""


class PlainKeeper:
    """Follows a session, and another when one is taken up.

    Args:
        session: what is being played.
        folders: where games are kept.
    """

    def __init__(self, session: Session, folders: Folders) -> None:
        self.session = session
        self._keeper = Keeper(lambda: folders, self._hear)
        self._failing: Failing | None = None
        self._told: Failing | None = None
        self._filed = session.game.is_over
        self._offered: tuple[Path, ...] = ()
        self._keeper.begin(session)

    def _hear(self, failing: Failing | None) -> None:
        """Hear from the thread that writes; told with the next answer."""
        self._failing = failing

    @property
    def works(self) -> bool:
        """Whether what was played is on the disk, as far as is known."""
        return self._failing is None

    def keep(self) -> Iterator[str]:
        """Write down what has been done, and wait for the disk; tells what went wrong, and where a game was filed."""
        # Clocks stand still here; on the screen they go on where the game stands.
        self.session.front = self.session.game.node
        self._keeper.follow(self.session).wait(_PATIENCE)
        failing = self._failing
        if failing != self._told:
            self._told = failing
            yield sentence(failing_words(failing))
        over = self.session.game.is_over
        if over and not self._filed and self._keeper.has_news:
            self._keeper.promote_end(self.session)
            yield from self._file()
        self._filed = over

    def seated(self) -> None:
        """Write down who plays each side from here on."""
        self._keeper.seated(self.session)

    def _file(self) -> Iterator[str]:
        try:
            path = self._keeper.file()
        except OSError as error:
            yield sentence(no_library_words(error))
        else:
            if path is not None:
                yield _("The game is in the library as {file}.").format(file=plain_line(path.name))

    # Other games

    def offers(self) -> Iterator[str]:
        """Tell of the games that were left unfinished."""
        found = self._keeper.unfinished()
        self._offered = tuple(game.path for game in found.journals)
        if found.journals:
            yield _("Games were left unfinished. Type continue 1 to go on with the first of them.")
        for number, game in enumerate(found.journals[:_OFFERED], 1):
            yield f"{number}: {_words(game)}"
        for problem in found.problems:
            yield sentence(said(problem))

    def take_up(self, number: int) -> Session | str:
        """Take up an unfinished game, leaving the one that is being played; returns what is wrong if that fails."""
        from daoqi_tui.record.journal import JournalError  # noqa: PLC0415

        if not self._offered:
            self._offered = tuple(game.path for game in self._keeper.unfinished().journals)
        if not self._offered:
            return _("There is no unfinished game.")
        if not 1 <= number <= len(self._offered):
            return _("There is no unfinished game {number}: 1 to {last}.").format(
                number=number, last=len(self._offered)
            )
        path = self._offered[number - 1]
        # Another one may have gone, and the game that is left may be among them then.
        self._offered = ()
        try:
            resumable = self._keeper.open(path)
        except JournalError as error:
            return sentence(said(error))
        # What that tells is for the end of the program.
        list(self.leave(saved=False))
        self._keeper.take(resumable)
        self.session = resumable.session
        self._filed = self.session.game.is_over
        return self.session

    # The end

    def leave(self, *, saved: bool) -> Iterator[str]:
        """Give up following; a game ``saved`` as a file of the person's own needs no journal any more."""
        if saved and not self.session.game.is_over:
            self._keeper.saved(self.session)()
            return
        unfinished = self._keeper.has_journal and not self.session.game.is_over
        try:
            whole = self._keeper.leave()
        except OSError as error:
            yield sentence(no_library_words(error))
            return
        if not whole:
            yield _("What was played last could not be saved.")
        elif unfinished:
            yield _("The game is kept: continue 1 goes on with it at the next start.")


def _words(game: Unfinished) -> str:
    black, white = plain_line(game.names.black) or _("Black"), plain_line(game.names.white) or _("White")
    changed = datetime.fromtimestamp(game.changed).astimezone()
    return _("{black} against {white}, {size} by {size}, last played {time}.").format(
        black=black, white=white, size=game.size, time=f"{changed:%Y-%m-%d %H:%M}"
    )
