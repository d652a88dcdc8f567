"""Problems to solve, and positions set up on the board, of which they can be made."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import TYPE_CHECKING

from daoqi_tui.engine import BLACK, WHITE, Colour, Node
from daoqi_tui.i18n import _, translate
from daoqi_tui.paths import mistakes_file
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import Unable, colour_word
from daoqi_tui.tui.access import local_access
from daoqi_tui.tui.features.analysis import Analysis
from daoqi_tui.tui.features.records import Records
from daoqi_tui.tui.host import Feature, Handlers, Host, NotGivenError, given
from daoqi_tui.tui.look import STONES

if TYPE_CHECKING:
    from daoqi_tui.analysis.problems import Problem
    from daoqi_tui.play.position import PositionEditor


class Problems(Feature):
    """Opens the screen of problems, and the one that sets up a position."""

    def __init__(self, host: Host, records: Records, analysis: Analysis) -> None:
        super().__init__(host)
        self._records, self._analysis = records, analysis

    def handlers(self) -> Handlers:
        return {
            "problems": self.asking(self.solve),
            "guess": self.asking(self.guess),
            "set_up": self.asking(self.set_up),
        }

    async def guess(self) -> None:
        """Have the moves of one side guessed, from the shown position on, or from the start if nothing follows it."""
        from daoqi_tui.play.review import Guessing, check_guessable  # noqa: PLC0415
        from daoqi_tui.tui.features.problems.screen import GuessScreen  # noqa: PLC0415
        from daoqi_tui.tui.screens import ChoiceDialog  # noqa: PLC0415

        match = self.match
        session, line, here = match.session, match.variations.line, match.game.node
        check_guessable(session, match.persons, line)
        self.host.stop_replay()
        answers: list[tuple[str, str, Colour | None]] = [("b", _("Black's"), BLACK), ("w", _("White's"), WHITE)]
        dialog = ChoiceDialog[Colour | None](_("Whose moves do you want to guess?"), answers, left=None)
        colour = given(await self.host.questions.answer_to(dialog))
        if session is not match.session:
            return
        guessing = Guessing(session, line, colour, match.evaluations, here)
        title = "  ".join(
            f"{sign} {session.player(side) or colour_word(side)}"
            for sign, side in ((STONES[BLACK], BLACK), (STONES[WHITE], WHITE))
        )
        await self.host.questions.answer_to(GuessScreen(guessing, title, self.host.options))
        if guessing.guesses:
            self.say("  ·  ".join(guessing.sum_up()))

    async def set_up(self) -> None:
        from daoqi_tui.play.position import PositionEditor  # noqa: PLC0415 (few need it)
        from daoqi_tui.tui.features.problems.position import PositionScreen  # noqa: PLC0415

        self.host.stop_replay()
        session = self.match.session
        game = session.game
        node, ended = game.node, self.match.resigning is None
        keeps = self.match.keeper is not None
        page = PositionScreen(PositionEditor.of(game), self.host.options, insertable=not game.is_over, keeps=keeps)
        made = given(await self.host.questions.answer_to(page))
        if session is not self.match.session:
            return
        if made.purpose == "here":
            if self.match.resigning is None and not ended:
                self.say(_("The game ended while you were editing: the position was not inserted"))
            else:
                self._insert(made.editor, node)
            return
        begun = Session.opened(made.editor.record())
        if made.purpose == "game":
            begun.sit(session.setup.black_seat, session.setup.white_seat)
        if await self._records.open_session(begun) and made.purpose == "analysis" and not self._analysis.on:
            self._analysis.toggle()

    def _insert(self, editor: PositionEditor, node: Node) -> None:
        """Set up a position after the node it was made from, since computers may have moved meanwhile."""
        match = self.match
        if match.game.node is not node:
            try:
                match.goto(node)
            except ValueError:
                raise Unable(_("The move you started from was deleted: the position was not inserted")) from None
        match.set_up(editor)

    async def solve(self) -> None:
        from daoqi_tui.play.problem_files import key_of, known_mistakes, shipped  # noqa: PLC0415
        from daoqi_tui.play.problems import Practice, ProgressFile, groups, progress_file  # noqa: PLC0415
        from daoqi_tui.record.text import SgfError  # noqa: PLC0415
        from daoqi_tui.tui.features.problems.screen import ProblemList, ProblemScreen, own_collection  # noqa: PLC0415

        with Unable.instead_of(FileNotFoundError, SgfError):
            problems = shipped()
        keeps = self.match.keeper is not None
        file = ProgressFile(progress_file() if keeps else None)
        access = local_access(self.host.app) if keeps else None
        unread = ""
        if keeps:
            try:
                mistakes = await asyncio.to_thread(known_mistakes, mistakes_file())
                # The keys of 500 take 0.2 s, and are kept.
                await asyncio.to_thread(list, map(key_of, mistakes))
                problems = (*mistakes, *problems)
            except SgfError as error:
                unread = translate(error)
        last: tuple[Problem, ...] = ()
        while True:
            listed = groups(problems, file.progress, date.today())
            trouble = translate(file.trouble or "") or unread
            page = ProblemList(listed, trouble, opens=access is not None, last=last)
            chosen = await self.host.questions.answer_to(page)
            if chosen is None:
                raise NotGivenError
            if isinstance(chosen, str):
                chosen = () if access is None else await own_collection(self.host.app, access)
                if not chosen:
                    # A cancelled prompt for a file leads back to the list.
                    continue
            last = chosen
            practice = Practice(chosen, file)
            await self.host.questions.answer_to(ProblemScreen(practice, self.host.options))
