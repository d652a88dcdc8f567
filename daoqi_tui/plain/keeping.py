"""Saving games in text mode: autosaving, resuming, leaving."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from daoqi_tui.i18n import _, translate
from daoqi_tui.message import filled
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.session import Session, name_in_language
from daoqi_tui.play.wording import describe_failing, describe_no_library, describe_not_saved, describe_unsaved, sentence
from daoqi_tui.record.journal import JournalError, SaveFailure, UnfinishedGame
from daoqi_tui.text import plain_line

OFFERED: Final = 5
"""The number of unfinished games listed at the start; ``games`` lists them all."""


class PlainKeeper:
    """Follows a session, and another one when it is resumed.

    Args:
        session: what is being played.
        folders: where games are kept.
    """

    def __init__(self, session: Session, folders: Folders) -> None:
        self.session = session
        # Each answer waits for the disk and checks whether saving fails; there is nothing to do before.
        self.keeper: Final = Keeper(folders, lambda _failing: None)
        self._told: SaveFailure | None = None
        self._was_slow = False
        """True if the last answer said that moves wait for the disk."""
        self._shown = session.game.node
        self._offered: tuple[Path, ...] = ()
        self.keeper.begin(session)

    @property
    def works(self) -> bool:
        return not self.keeper.loses

    def describe_state(self) -> Iterator[str]:
        """Say that saving has started to fail or works again; while it fails, repeat this after every move."""
        failing, node = self.keeper.failing, self.session.game.node
        moved, self._shown = node is not self._shown, node
        if failing != self._told:
            self._told = failing
            yield sentence(describe_failing(failing))
        elif failing is not None and moved:
            # A single message would scroll away and be forgotten.
            mark, why = describe_not_saved(failing)
            yield sentence(_("{mark}: {why}").format(mark=mark, why=why))
        elif failing is None and (unsaved := describe_unsaved(self.keeper)) is not None:
            self._was_slow = True
            yield sentence(_("{mark}: {why}").format(mark=unsaved[0], why=unsaved[1]))
        elif self._was_slow and not self.keeper.waited:
            self._was_slow = False
            yield _("All moves are saved now.")

    # Other games

    def offers(self, most: int | None = None) -> Iterator[str]:
        """List the unfinished games, only the latest if there are more than ``most``."""
        found = self.keeper.unfinished()
        self._offered = tuple(game.path for game in found.journals)
        if found.journals:
            yield _("There are unfinished games. Type continue 1 to resume the first.")
        for number, game in enumerate(found.journals[:most], 1):
            yield _("{number}: {game}").format(number=number, game=_words(game))
        if most is not None and len(found.journals) > most:
            yield _("{count} more: type games to list them.").format(count=len(found.journals) - most)
        for problem in found.problems:
            yield sentence(translate(problem))

    def path_of(self, number: int) -> Path | str:
        """Return the journal of an unfinished game by its number, or an error."""
        if not self._offered:
            self._offered = tuple(game.path for game in self.keeper.unfinished().journals)
        if not self._offered:
            return _("There is no unfinished game.")
        if not 1 <= number <= len(self._offered):
            return _("There is no unfinished game {number}: 1 to {last}.").format(
                number=number, last=len(self._offered)
            )
        return self._offered[number - 1]

    def take_up(self, path: Path, *, saved: bool) -> tuple[Session | None, list[str]]:
        """Resume an unfinished game, leaving the current one.

        Returns:
            The game, None if it cannot be resumed, and a message.
        """
        # One may have been removed, and the game just left may have been added.
        self._offered = ()
        try:
            resumable = self.keeper.open(path)
        except JournalError as error:
            return None, [sentence(translate(error))]
        told = list(self._leave_for_another(saved=saved))
        self.keeper.take(resumable)
        self._now_follows(resumable.session)
        return resumable.session, told

    def go_over(self, session: Session, *, saved: bool) -> Iterator[str]:
        """Leave the current game, and follow another; say where the first is kept."""
        yield from self._leave_for_another(saved=saved)
        self.keeper.begin(session)
        self._now_follows(session)

    def _leave_for_another(self, *, saved: bool) -> Iterator[str]:
        return self.leave(saved=saved, kept=_("The game before is kept: type games to list it."))

    def _now_follows(self, session: Session) -> None:
        self._offered, self._told, self._was_slow = (), None, False
        self.session, self._shown = session, session.game.node

    # The end

    def leave(self, *, saved: bool, kept: str = "") -> Iterator[str]:
        """Stop following; a record ``saved`` as a file by the user no longer needs a journal.

        Args:
            saved: whether it is.
            kept: says that the game can be resumed, if the program is not ending.
        """
        if saved and self.session.is_record and not self.session.is_over:
            self.keeper.begin_anew(self.session)()
            return
        unfinished = self.keeper.has_journal and not self.session.is_over
        try:
            whole = self.keeper.leave()
        except OSError as error:
            yield sentence(describe_no_library(error))
            return
        if not whole:
            yield _("The last moves could not be saved.")
        elif unfinished:
            yield kept or _("The game is kept. Type continue 1 at the next start to resume it.")


def _words(game: UnfinishedGame) -> str:
    black, white = (plain_line(name_in_language(name)) for name in (game.names.black, game.names.white))
    changed = datetime.fromtimestamp(game.changed).astimezone()
    return filled(
        _("{black} against {white}, {size} by {size}, last played {time}."),
        black=black or _("Black"),
        white=white or _("White"),
        size=game.size,
        time=f"{changed:%Y-%m-%d %H:%M}",
    )
