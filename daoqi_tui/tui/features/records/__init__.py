"""Opening and saving records, resuming unfinished games, and leaving the game for another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from daoqi_tui.i18n import _, plural, translate
from daoqi_tui.paths import dropped_file, is_folder, is_there, may_replace, typed_path
from daoqi_tui.pictures import EXPORTS, Export
from daoqi_tui.pictures.picture import Drawing
from daoqi_tui.play.background import Wait
from daoqi_tui.play.evaluation import mistakes_on
from daoqi_tui.play.keeper import check_export, check_target, export_note, must_ask, save_as, suggested_path
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import (
    Unable,
    describe_address,
    describe_failing,
    describe_no_library,
    describe_waiting,
    is_address,
    two_sentences,
    with_keys,
)
from daoqi_tui.tui.access import LocalAccess, copy, download, local_access
from daoqi_tui.tui.features.navigation import Navigation
from daoqi_tui.tui.host import Feature, Handlers, Host, NotGivenError, given

if TYPE_CHECKING:
    from textual.worker import Worker

    from daoqi_tui.record.journal import FolderScan


class Records(Feature):
    """Opens games on the screen, and saves them."""

    def __init__(self, host: Host, navigation: Navigation) -> None:
        super().__init__(host)
        self._navigation = navigation
        self._drawing: Worker[None] | None = None

    def handlers(self) -> Handlers:
        return {
            "library": self.asking(self.choose),
            "unfinished": self.asking(self.resume_unfinished),
            "save": self.asking(self.save),
            "export": self.asking(self.export),
            "copy_position": self.copy_position,
            "copy_game": self.copy_game,
        }

    async def choose(self) -> None:
        from daoqi_tui.tui.features.records.library import LibraryScreen  # noqa: PLC0415

        keeper = self.match.keeper
        if keeper is None:
            raise Unable(_("Games are not saved in this window"))
        while True:
            page = LibraryScreen(keeper.library(), self.match.is_open, self.match.renamed)
            file = given(await self.host.questions.answer_to(page))
            # If a file has several games and none of them is chosen, the library is shown again.
            with suppress(NotGivenError):
                await self.open_file(file)
                return

    def copy_position(self) -> None:
        from daoqi_tui.pictures.text import text_picture  # noqa: PLC0415

        board = text_picture(self.match.game, self.host.options.names) + "\n"
        self.say(copy(self.host.app, board, _("Board copied to the clipboard as text")))

    def copy_game(self) -> None:
        record = self.match.session.record().decode()
        self.say(copy(self.host.app, record, _("Game copied to the clipboard as SGF")))

    def paste(self, text: str) -> None:
        from daoqi_tui.record.formats import is_record  # noqa: PLC0415

        path = dropped_file(text) if local_access(self.host.app) is not None else None
        if is_record(text):
            self.host.questions.run(partial(self.open, text.encode("utf-8", "replace")))
        elif path is not None:
            self.host.questions.run(partial(self.open_file, path))
        elif is_address(text):
            self.say(describe_address())
        else:
            self.say(_("The pasted text is not a game: paste a game record or a diagram of a board"))

    async def open(self, data: bytes, source: Path | None = None, index: int | None = None) -> bool:
        """Open a record, of several games that at ``index`` (None asks which); return whether it is open."""
        from daoqi_tui.record.text import SgfError  # noqa: PLC0415

        with Unable.instead_of(SgfError):
            session = Session.opened(data, source=source, index=index or 0)
            if session.games > 1 and index is None:
                session = Session.opened(data, source=source, index=await self._ask_which(data))
        return await self.open_session(session)

    async def _ask_which(self, data: bytes) -> int:
        from daoqi_tui.record.sgf.read import games_in  # noqa: PLC0415
        from daoqi_tui.tui.screens import file_picker  # noqa: PLC0415

        games = await asyncio.to_thread(games_in, data)
        return given(await self.host.questions.answer_to(file_picker(games)))

    async def open_file(self, path: Path, index: int | None = None) -> bool:
        from daoqi_tui.record.files import read_record  # noqa: PLC0415
        from daoqi_tui.record.text import SgfError  # noqa: PLC0415

        with Unable.instead_of(SgfError):
            data = await asyncio.to_thread(read_record, path)
        return await self.open(data, path, index)

    @property
    def worth_asking(self) -> bool:
        """True if leaving the game needs a question; a game that was only viewed can be left without one."""
        keeper, touched = self.match.keeper, self.match.session.touched
        return touched if keeper is None else keeper.has_news and (touched or keeper.loses)

    @property
    def at_risk(self) -> bool:
        keeper = self.match.keeper
        return self.worth_asking and (keeper is None or keeper.loses)

    async def agreed_to_leave(self, *, lost: str, unsaved: str, saved: str, leave: str) -> bool:
        """Ask whether to leave the game, if that is worth a question.

        Args:
            lost: the question if no games are saved.
            unsaved: the question while saving fails.
            saved: the question if the game can be resumed later.
            leave: the answer that leaves the game.
        """
        if not self.worth_asking:
            return True
        session, keeper = self.match.session, self.match.keeper

        def question() -> str:
            if not self.worth_asking or self.match.session is not session:
                return ""
            if keeper is None:
                return lost
            failing = keeper.failing
            return saved if failing is None else two_sentences(describe_failing(failing), unsaved)

        return await self.host.questions.ask(question, leave, _("Keep playing"))

    async def _agreed_to_another(self) -> bool:
        return await self.agreed_to_leave(
            lost=_("The current game will be lost. Leave it?"),
            unsaved=_("The moves played since then will be lost. Leave it?"),
            saved=_("The current game stays with the unfinished games. Leave it?"),
            leave=_("Leave"),
        )

    async def open_session(self, session: Session) -> bool:
        """Show another session, asking first if a game is in progress; an online game has to be left for it."""
        if self.host.online is not None:
            raise Unable(self.host.online.forbids("library"))
        if not await self._agreed_to_another():
            return False
        await self.leave_game()
        self.host.begin(session)
        return True

    async def leave_game(self) -> None:
        try:
            await self.match.leave()
        except OSError as error:
            self.say(describe_no_library(error))

    async def resume_unfinished(self) -> None:
        found = await self._unfinished()
        if found is not None and found.journals:
            await self._ask_which_to_resume(found, requested=True)
        elif self.match.keeper is None:
            self.say(_("Games are not saved in this window"))
        else:
            self.say(_("There is no unfinished game"))

    async def _unfinished(self) -> FolderScan | None:
        """Find games that can be resumed; None if there is nothing that could be one."""
        keeper = self.match.keeper
        if keeper is None or not await asyncio.to_thread(keeper.has_left_any):
            return None
        return await asyncio.to_thread(keeper.unfinished)

    async def offer_unfinished(self, otherwise: Callable[[str], object]) -> None:
        """Offer to resume an unfinished game, or call ``otherwise`` if there is none, with why none could be read."""
        found = await self._unfinished()
        if found is not None and found.journals:
            await self._ask_which_to_resume(found, requested=False)
        else:
            otherwise(translate(found.problems[0]) if found is not None and found.problems else "")

    async def _ask_which_to_resume(self, found: FolderScan, *, requested: bool) -> None:
        from daoqi_tui.tui.screens import ResumeScreen  # noqa: PLC0415

        place = given(await self.host.questions.answer_to(ResumeScreen(found.journals, requested=requested)))
        await self._take_up(found.journals[place].path)

    async def mention_online(self) -> None:
        if self.host.folders is None:
            return
        folder = self.host.folders.online
        if not is_folder(folder):
            return
        # The import takes a tenth of a second, during which the screen should respond.
        await asyncio.to_thread(import_module, "daoqi_tui.play.online.seats")
        from daoqi_tui.play.online.seats import waiting_for_me  # noqa: PLC0415

        count = await waiting_for_me(folder)
        # From an online game, which may have opened meanwhile, no key goes to another.
        if count and self.host.program.game.online is None:
            self.host.app.notify(
                with_keys(_("{games}: {network} goes there"), games=describe_waiting(count)), markup=False
            )

    async def mention_unfinished(self) -> None:
        found = await self._unfinished()
        if found is not None and found.journals:
            count = len(found.journals)
            text = plural("{count} unfinished game", "{count} unfinished games", count)
            self.say(with_keys(_("{games}: {unfinished} resumes one"), games=text))

    async def _take_up(self, path: Path) -> None:
        from daoqi_tui.record.journal import JournalError  # noqa: PLC0415

        host, keeper = self.host, self.match.keeper
        assert keeper is not None
        if not await self._agreed_to_another():
            return
        with Unable.instead_of(JournalError):
            resumable = await asyncio.to_thread(keeper.open, path)
        await self.leave_game()
        session = resumable.session
        keeper.take(resumable)
        host.begin(session)
        if resumable.view is not None:
            self._navigation.restore_view(resumable.view)
        self.say(_("Game resumed") if not session.problems else translate(session.problems[0]))

    async def save(self) -> None:
        session = self.match.session
        suggestion = suggested_path(session)
        access = local_access(self.host.app)
        if access is None:
            self._download(suggestion.name, session.record())
            return
        path = await self._ask_path(
            access, _("Save as: "), str(suggestion), check_target, lambda path: must_ask(self.match.session, path)
        )
        session = self.match.session
        with Unable.writing(path, (OSError, ValueError)):
            save_as(session, path)
        if self.match.keeper is not None and session.is_record:
            await asyncio.to_thread(self.match.keeper.begin_anew(session))
        self.say(_("Saved as {file}").format(file=path))

    async def _ask_path(
        self,
        access: LocalAccess,
        label: str,
        suggestion: str,
        check: Callable[[Path], None],
        must_ask: Callable[[Path], bool],
        *,
        note: str = "",
    ) -> Path:
        """Ask for a file name, again with what was typed if the file is not to be replaced after all.

        Args:
            access: the permission to ask.
            label: the label of the prompt.
            suggestion: the name if none is typed.
            check: refuses an invalid name.
            must_ask: returns whether a file would be replaced.
            note: a text above the prompt.
        """
        from daoqi_tui.tui.screens import PathPrompt  # noqa: PLC0415

        typed = ""

        def read(name: str) -> Path:
            nonlocal typed
            typed = name
            path = typed_path(name.strip() or suggestion)
            check(path)
            return path

        while True:
            prompt = PathPrompt(access, label, suggestion, read, note, typed=typed)
            path = given(await self.host.questions.answer_to(prompt))
            if not must_ask(path) or await self._agreed_to_replace(path):
                return path

    def _download(self, name: str, data: bytes, *media_type: str) -> None:
        download(self.host.app, name, data, *media_type)
        self.say(_("{file} was sent to the browser's downloads").format(file=name))

    async def _agreed_to_replace(self, path: Path) -> bool:
        question = _("{file} already exists. Replace it?").format(file=path)
        return await self.host.questions.ask(question, _("Replace"), _("Go back"))

    async def export(self) -> None:
        usual = next(iter(EXPORTS.values()))
        suggestion = f"board{usual.ending}"
        access = local_access(self.host.app)
        if access is None:
            self._download(suggestion, await self._drawn(usual), usual.media_type)
            return

        def check(path: Path) -> None:
            check_export(path)
            with Unable.writing(path, (OSError, ValueError)):
                if is_there(path) and not may_replace(path, EXPORTS[path.suffix.lower()].kind):
                    text = _("{file} is another kind of file and is not replaced; choose another name")
                    raise Unable(text, file=path)

        path = await self._ask_path(access, _("Export to: "), suggestion, check, is_there, note=export_note())
        export = EXPORTS[path.suffix.lower()]
        # In the background: drawing a GIF takes long, and no other question can be asked until this one is handled.
        self._drawing = self.host.spawn(partial(self._export_to, path, export))

    def clear(self) -> bool:
        if self._drawing is None or self._drawing.is_finished:
            return False
        self._drawing.cancel()
        self.say(_("Drawing stopped"))
        return True

    async def _export_to(self, path: Path, export: Export) -> None:
        from daoqi_tui.record.files import write_atomically  # noqa: PLC0415

        with Unable.writing(path, (OSError, ValueError)):
            write_atomically(path, await self._drawn(export))
        self.say(_("Saved as {file}").format(file=path))

    async def _drawn(self, export: Export) -> bytes:
        host, session = self.host, self.match.session
        # The thread may move the cursor of a copy.
        game = session.copied(session.game.node)
        view = self.view
        mistakes = mistakes_on(view.stones, view.line[: view.node.depth + 1], view.mistakes)
        drawing = Drawing(host.options.board, names=host.options.names, mistakes=mistakes)
        wait = Wait(_("Drawing …"), with_keys(_("{clear} stops")))
        goes_on = True

        def progress(share: float) -> bool:
            wait.done = f"{share:.0%}"
            return goes_on

        subject = export.subjects[0]
        try:
            with host.waiting(wait):
                return await asyncio.to_thread(export.write, game, session.record_info(), subject, drawing, progress)
        finally:
            # The thread ends after a frame; nobody waits for it any more.
            goes_on = False

    def begun(self) -> None:
        session = self.match.session
        problems = session.problems
        if session.games > 1:
            self.say(_("Game {number} of {count} in the file").format(number=session.index + 1, count=session.games))
        if len(problems) == 1:
            self.say(translate(problems[0]))
        elif problems:
            text = _("The record has {count} problems; the first: {problem}")
            from daoqi_tui.tui.screens import list_repairs  # noqa: PLC0415 (few records have problems)

            count = len(problems) + session.more_problems
            self.say(text.format(count=count, problem=translate(problems[0])))
            list_repairs(self.host.app, problems, session.more_problems)
        if session.ask_torus is not None:
            self.host.questions.run_in_turn(self._ask_about_torus)

    async def _ask_about_torus(self) -> None:
        from daoqi_tui.tui.screens import ChoiceDialog  # noqa: PLC0415

        session = self.match.session
        data, source = session.ask_torus, session.source
        if data is None:
            return
        session.ask_torus = None
        question = _("The record does not say whether it was played on a torus or on a board with edges.")
        answers = ("t", _("Torus"), True), ("e", _("Edges"), False)
        # Without an answer the record stays as read, according to the board on which its moves are legal.
        torus = given(await self.host.questions.answer_to(ChoiceDialog[bool | None](question, answers, left=None)))
        session = self.match.session
        read = Session.opened(data, torus=torus, source=source, encoding=session.encoding, index=session.index)
        read.sit(session.setup.black_seat, session.setup.white_seat)
        self.host.begin(read)
