"""The program: beginning a game or the lesson, its options, help, the menu, the panes, and leaving."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import STANDARD_SIZE
from daoqi_tui.i18n import _
from daoqi_tui.paths import mistakes_file
from daoqi_tui.play.match import Changed
from daoqi_tui.play.session import PERSON, Computer, GameSetup, Session
from daoqi_tui.play.wording import with_keys
from daoqi_tui.tui.access import why_silent
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.features.online import Online
from daoqi_tui.tui.features.problems import Problems
from daoqi_tui.tui.features.records import Records
from daoqi_tui.tui.host import Feature, Handlers, Host, NotGivenError, given
from daoqi_tui.tui.look import Options

if TYPE_CHECKING:
    from daoqi_tui.tui.features.program.lesson import LessonScreen
    from daoqi_tui.tui.features.program.living import LivingBoard, SampleGame

_CLEAR: Final = 1.5
"""The least height of points, in lines of characters, in which stones have shapes, or are as clear in a picture."""


def largest_clear(sizes: Iterable[int], view: BoardView) -> int:
    """Return the largest board that a view would show as a whole with clear stones; if none, the smallest."""
    least, *larger = sorted(sizes)
    height = _CLEAR * view.viewport.unit[1]
    return max((size for size in larger if view.fitting_cell(size).height >= height), default=least)


class ProgramCommands(Feature):
    """The commands that are not about the game on the board."""

    def __init__(self, host: Host, records: Records, online: Online, problems: Problems) -> None:
        super().__init__(host)
        self._records, self._online, self._problems = records, online, problems

    def handlers(self) -> Handlers:
        return {
            "new_game": self.asking(self.begin_game),
            "welcome": self.asking(self.welcome),
            "lesson": self.begin_lesson,
            "next_pane": partial(self.host.turn_side, 1),
            "previous_pane": partial(self.host.turn_side, -1),
            "focus": lambda: self.host.set_focus_mode(on=not self.host.in_focus_mode),
            "boards": self.asking(self.choose_board),
            "settings": self.asking(self.choose_options),
            "help": self.show_help,
            "palette": self.host.app.action_command_palette,
            "quit": self.asking(self.leave),
        }

    async def begin_game(self, before: GameSetup | None = None) -> None:
        """Ask for a new game, with what was filled in ``before``, and begin it."""
        from daoqi_tui.tui.screens.setup import SetupScreen  # noqa: PLC0415 (forms cost 20 ms)

        ratings = self.match.keeper.ratings if self.match.keeper is not None else None
        form = SetupScreen(before or self._proposed(), ratings, self.host.program.habits.level)
        setup = await self.host.questions.answer_to(form)
        if setup == "network":
            with self.host.questions.back_to(partial(self.begin_game, form.filled_in)):
                await self._online.ask(before=form.filled_in)
        elif setup is not None:
            await self._records.open_session(Session(setup))

    def _proposed(self) -> GameSetup:
        """Return the defaults of a new game: as the last one, with the computer as White unless both are named."""
        setup = self.match.session.setup
        if setup.black_seat == setup.white_seat == PERSON and not setup.white:
            return setup._replace(white_seat=Computer(self.host.program.habits.level))
        return setup

    def welcome_first(self, trouble: str = "") -> None:
        """Welcome whoever starts the program for the first time; say ``trouble``, or else which mistakes are due."""
        from daoqi_tui.play.profile import is_first_start  # noqa: PLC0415 (a first paint needs none)

        if trouble:
            self.say(trouble)
        if is_first_start():
            self.host.questions.run_in_turn(partial(self.welcome, unasked=True))
        elif not trouble:
            self.host.run_exclusive(self._mention_due, "due")

    async def _mention_due(self) -> None:
        """Say how many of the user's mistakes are due, where there are any."""
        if self.match.keeper is None or not await asyncio.to_thread(mistakes_file().exists):
            return
        from daoqi_tui.play.problems import describe_due, due_mistakes  # noqa: PLC0415 (after the first paint)

        if due := await asyncio.to_thread(due_mistakes, date.today()):
            self.say(with_keys(_("{due}  ·  {problems}: problems"), due=describe_due(due)))

    async def welcome(self, *, unasked: bool = False, before: tuple[int, float] | None = None) -> None:
        """Ask what to begin with, with the size and the level that were chosen ``before``, and begin it."""
        from daoqi_tui.play.problems import due_mistakes  # noqa: PLC0415 (few see it)
        from daoqi_tui.tui.features.program.welcome import WelcomeScreen  # noqa: PLC0415 (few see it)

        due = 0 if self.match.keeper is None else await asyncio.to_thread(due_mistakes, date.today())
        fresh = self.host.online is None and not self.match.session.game.root.children
        living = self._living_board if fresh else None
        if unasked and not (fresh and self.host.questions.in_view()):
            return  # A stone was played, or a key has opened something, meanwhile.
        size, level = before or (self._suggested(), self.host.program.habits.level)
        page = WelcomeScreen(size, level, due, living)
        if (chosen := await self.host.questions.answer_to(page)) is not None:
            with self.host.questions.back_to(partial(self.welcome, before=page.numbers)):
                await self._begin(chosen, page.numbers[0])

    async def _begin(self, chosen: GameSetup | str, size: int) -> None:
        """Begin with what was chosen in the welcome, and with the size of the board there."""
        match chosen:
            case "problems":
                await self._problems.solve()
            case "tour":
                await self.host.questions.answer_to(self._lesson())
                # After it, an opponent is chosen.
                raise NotGivenError
            case "open":
                await self._records.choose()
            case "network":
                await self._online.ask(before=self.match.session.setup._replace(size=size))
            case GameSetup():
                setup = self.match.session.setup._replace(
                    size=chosen.size,
                    handicap=0,
                    black="",
                    white="",
                    black_seat=chosen.black_seat,
                    white_seat=chosen.white_seat,
                )
                await self._records.open_session(Session(setup))

    async def _living_board(self) -> LivingBoard:
        """Make the board that plays by itself behind the welcome; what it needs is loaded and read in a thread."""

        def read() -> tuple[type[LivingBoard], SampleGame]:
            from daoqi_tui.tui.features.program.living import LivingBoard, sample_game  # noqa: PLC0415 (numpy)

            return LivingBoard, sample_game()

        board, game = await asyncio.to_thread(read)
        return board(game, self.host.options)

    def _suggested(self) -> int:
        """Return the size for a first game: the usual one, or a smaller one if its points would be single signs here.

        Who has chosen a size, or has begun to play, keeps it.
        """
        from daoqi_tui.tui.features.program.welcome import SIZES  # noqa: PLC0415 (few see it)

        session = self.match.session
        if session.setup.size != STANDARD_SIZE or session.game.root.children:
            return session.setup.size
        return largest_clear((size for size in SIZES if size <= STANDARD_SIZE), self.host.board)

    async def begin_lesson(self) -> None:
        await self.host.app.push_screen(self._lesson())

    def _lesson(self) -> LessonScreen:
        from daoqi_tui.tui.features.program.lesson import LessonScreen  # noqa: PLC0415 (few need it)

        return LessonScreen(self.host.options)

    async def choose_board(self) -> None:
        from daoqi_tui.tui.features.program.options import BoardsScreen  # noqa: PLC0415 (lists cost 10 ms)

        before = self.host.options
        page = BoardsScreen(before, self.host.program.apply_options)
        self._take(before, given(await self.host.questions.answer_to(page)))

    async def choose_options(self) -> None:
        from daoqi_tui.tui.features.program.options import OptionsScreen  # noqa: PLC0415 (forms cost 20 ms)

        before, app = self.host.options, self.host.program
        form = OptionsScreen(before, self.match.game.torus.size, app.apply_options, app.set_language)
        self._take(before, given(await self.host.questions.answer_to(form)))

    def _take(self, before: Options, after: Options) -> None:
        self.host.program.apply_options(after)
        self.host.program.keep(before, after)
        self.host.show_position(Changed.POSITION | Changed.TREE)
        if after.sound and not before.sound and (problem := why_silent(self.host.app)):
            self.host.say(problem)

    async def show_help(self) -> None:
        from daoqi_tui.tui.features.program.menu import HelpScreen  # noqa: PLC0415 (a table costs a start 10 ms)

        await self.host.app.push_screen(HelpScreen())

    async def leave(self) -> None:
        """Leave the program, or an online game for the one below it; ask first if a game is in progress."""
        if self.host.online is not None:
            if await self.host.online.agreed_to_leave():
                # Later, since this question belongs to the closing screen.
                self.host.app.call_later(self.host.program.leave_game)
            return
        if await self._records.agreed_to_leave(
            lost=_("The current game will be lost. Quit?"),
            unsaved=_("The moves played since then will be lost. Quit?"),
            saved=_("The current game is saved: you can resume it at the next start. Quit?"),
            leave=_("Quit"),
        ):
            await self._records.leave_game()
            self.host.app.exit()
