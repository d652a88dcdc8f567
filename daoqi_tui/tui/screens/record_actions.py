"""Records: copying, pasting and saving the game, and opening others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, work

from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.tui.screens.base import GameBase
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.typed_paths import is_folder, is_there, typed_path
from daoqi_tui.tui.words import failing_words

if TYPE_CHECKING:
    from daoqi_tui.record.journal import View


class RecordActions(GameBase):
    """Actions that bring games in and take them out."""

    def action_copy_position(self) -> None:
        """Copy the board as text."""
        from daoqi_tui.record.picture import text_picture  # noqa: PLC0415

        self.app.copy_to_clipboard(text_picture(self.session.game, self.options.names) + "\n")
        self.say(_("The board is on the clipboard, as text"))

    def action_copy_game(self) -> None:
        """Copy the game as SGF."""
        self.app.copy_to_clipboard(self.session.record().decode())
        self.say(_("The game is on the clipboard, as SGF"))

    def on_paste(self, event: events.Paste) -> None:
        """Open a game pasted as SGF."""
        event.stop()
        if "(" in event.text and ";" in event.text:
            self._open_pasted(event.text.encode("utf-8", "replace"))
        else:
            self.say(_("What was pasted is not a game: paste an SGF record"))

    @work(exclusive=True, group="question")
    async def _open_pasted(self, data: bytes) -> None:
        await self.open_record(data)

    async def open_record(self, data: bytes, source: Path | None = None) -> bool:
        """Open a record in place of the game on the screen; says what is wrong if it cannot be read."""
        from daoqi_tui.record.problem import SgfError  # noqa: PLC0415

        try:
            session = Session.opened(data, source=source)
        except SgfError as error:
            self.say(said(error))
            return False
        return await self.open_session(session)

    @property
    def worth_asking(self) -> bool:
        """Whether leaving the game is worth a question; one that was only looked at may be left without."""
        return self.session.touched and (self.keeper is None or self.keeper.has_news)

    async def agreed_to_leave(self, *, lost: str, unsaved: str, kept: str, leave: str) -> bool:
        """Ask whether to leave the game, where that is worth a question.

        Args:
            lost: the question where no games are kept.
            unsaved: the question while saving fails.
            kept: the question where the game can be gone on with.
            leave: the answer that leaves it.
        """
        if not self.worth_asking:
            return True
        question = lost
        if self.keeper is not None:
            failing = self.keeper.failing
            question = kept if failing is None else f"{failing_words(failing)}. {unsaved}"
        return await self.ask(question, leave, _("Play on"))

    async def open_session(self, session: Session) -> bool:
        """Show another session, asking first if a game is under way here."""
        if not await self.agreed_to_leave(
            lost=_("The game under way will be given up. Leave it?"),
            unsaved=_("What was played since would be lost. Leave it?"),
            kept=_("The game under way is kept among the unfinished games. Leave it?"),
            leave=_("Leave it"),
        ):
            return False
        await self.leave_game()
        self.begin(session)
        return True

    @work(exclusive=True, group="question")
    async def action_library(self) -> None:
        """Choose a game to look at or play on."""
        from daoqi_tui.record.files import read_record  # noqa: PLC0415
        from daoqi_tui.record.problem import SgfError  # noqa: PLC0415
        from daoqi_tui.tui.screens.library import LibraryScreen  # noqa: PLC0415

        if self.keeper is None:
            self.say(_("No games are kept in this window"))
            return
        path = await self.app.push_screen_wait(LibraryScreen(self.keeper.library))
        if path is None:
            return
        try:
            data = await asyncio.to_thread(read_record, path)
        except SgfError as error:
            self.say(said(error))
            return
        await self.open_record(data, path)

    def action_unfinished(self) -> None:
        """Choose an unfinished game to go on with."""
        self.offer_unfinished(asked=True)

    @work(exclusive=True, group="question")
    async def offer_unfinished(self, *, asked: bool) -> None:
        """Offer to go on with a game that was left unfinished; says so if there is none only when asked."""
        if self.keeper is None:
            return
        found = await asyncio.to_thread(self.keeper.unfinished)
        if not found.journals:
            if asked:
                self.say(_("There is no unfinished game"))
            elif found.problems:
                self.say(said(found.problems[0]))
            else:
                self.welcome()
            return
        from daoqi_tui.tui.screens.resume import ResumeScreen  # noqa: PLC0415

        path = await self.app.push_screen_wait(ResumeScreen(found.journals))
        if path is not None:
            await self._take_up(path)

    def welcome(self) -> None:
        """Greet a person who has no game to go on with."""

    async def _take_up(self, path: Path) -> None:
        """Take a game up where it stood, its view included."""
        from daoqi_tui.record.journal import JournalError  # noqa: PLC0415

        assert self.keeper is not None
        try:
            resumable = await asyncio.to_thread(self.keeper.open, path)
        except JournalError as error:
            self.say(said(error))
            return
        await self.leave_game()
        session = resumable.session
        self.keeper.take(resumable)
        self.begin(session)
        if resumable.view is not None:
            self.look_as(resumable.view)
        self.say(_("Taken up where it stood") if not session.problems else said(session.problems[0]))

    def look_as(self, view: View) -> None:
        """Look at the place of the board that was looked at last, in cells that fit this window."""
        viewport = self.board.viewport
        x = view.x * viewport.cell.width // max(1, view.cell[0])
        y = view.y * viewport.cell.height // max(1, view.cell[1])
        self.board.set_viewport(viewport._replace(x=0, y=0, margin=view.margin).pan(x, y))
        if view.point is not None:
            self.cursor_point = view.point
        self.keep_cursor_in_view()
        self.show_board()

    @work(exclusive=True, group="question")
    async def action_save(self) -> None:
        """Save the game as an SGF file."""
        from daoqi_tui.record.files import write_atomically  # noqa: PLC0415
        from daoqi_tui.record.problem import reason_of  # noqa: PLC0415
        from daoqi_tui.tui.screens.dialogs import Prompt  # noqa: PLC0415

        if self.app.is_web:
            from daoqi_tui.tui.served import download  # noqa: PLC0415 (only browsers need it)

            file = Path(self.session.source or _("game.sgf")).name
            download(self.app, file, self.session.record())
            self.say(_("{file} goes to the browser's downloads").format(file=file))
            return
        suggestion = str(self.session.source or _("game.sgf"))
        name = await self.app.push_screen_wait(Prompt(_("Save as: "), suggestion, _wrong_with_name))
        if name is None:
            return
        path = typed_path(name.strip() or suggestion)
        if is_there(path) and path != self.session.source:
            question = _("{file} exists. Replace it?").format(file=path)
            if not await self.ask(question, _("Replace"), _("Go back")):
                return
        try:
            write_atomically(path, self.session.record())
        except (OSError, ValueError) as error:
            self.say(_("{file} cannot be written: {reason}").format(file=path, reason=said(reason_of(error))))
            return
        self.session.source = path
        if self.keeper is not None and self.session.info is not None:
            await asyncio.to_thread(self.keeper.saved(self.session))
        self.say(_("Saved as {file}").format(file=path))

    def show_problems(self) -> None:
        """Say what could not be read of the record, if anything."""
        problems = self.session.problems
        if problems:
            words = _("{count} things in the record were skipped; the first: {problem}")
            self.say(words.format(count=len(problems), problem=said(problems[0])))

    @work(exclusive=True, group="question")
    async def ask_about_torus(self) -> None:
        """Ask whether a record that does not say so was played on a torus."""
        data, source = self.session.ask_torus, self.session.source
        if data is None:
            return
        self.session.ask_torus = None
        question = _("The record does not say whether it was played on a torus or on a board with edges.")
        if not await self.ask(question, _("Torus"), _("Edges")):
            flat = Session.opened(data, torus=False, source=source)
            flat.sit(self.session.setup.black_seat, self.session.setup.white_seat)
            self.begin(flat)


def _wrong_with_name(name: str) -> str | None:
    """Say what is wrong with a file name, None when a file can be saved there."""
    path = typed_path(name.strip())
    if is_folder(path) and name.strip():
        return _("{file} is a folder: name a file in it").format(file=path)
    if not is_folder(path.parent):
        return _("There is no folder {folder}: name one that exists").format(folder=path.parent)
    return None
