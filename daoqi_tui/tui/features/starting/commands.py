"""What leads to a game: the form of a new game, the welcome screen and the first lesson."""

from __future__ import annotations

from daoqi_tui.play.seats import PERSON, Computer
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.feature import Feature, Handlers
from daoqi_tui.tui.features.online.commands import Online
from daoqi_tui.tui.features.records.commands import Records
from daoqi_tui.tui.host import Host


class Starting(Feature):
    """Begins games and lessons."""

    def __init__(self, host: Host, records: Records, online: Online) -> None:
        super().__init__(host)
        self._records, self._online = records, online

    def handlers(self) -> Handlers:
        """Return the commands that begin something."""
        return {
            "new_game": self.asking(self.begin_game),
            "welcome": self.asking(self.welcome),
            "lesson": self.begin_lesson,
        }

    async def begin_game(self) -> None:
        """Ask what to play, and begin it."""
        from daoqi_tui.tui.screens.setup import SetupScreen  # noqa: PLC0415 (forms cost 20 ms)

        ratings = self.match.keeper.ratings if self.match.keeper is not None else None
        form = SetupScreen(self._proposed(), ratings, self.host.program.habits.level)
        setup = await self.host.questions.answer_to(form)
        if setup == "network":
            await self._online.ask()
        elif setup is not None:
            await self._records.open_session(Session(setup))

    def _proposed(self) -> GameSetup:
        """Return the defaults of a new game: as the last one, with the computer as White unless both are named."""
        setup = self.match.session.setup
        if setup.black_seat == setup.white_seat == PERSON and not setup.white:
            return setup._replace(white_seat=Computer(self.host.program.habits.level))
        return setup

    def welcome_first(self) -> None:
        """Show the welcome screen at the very first start."""
        from daoqi_tui.play.habits import is_first_start  # noqa: PLC0415 (a first paint needs none)

        if is_first_start():
            self.host.questions.run(self.welcome)

    async def welcome(self) -> None:
        """Show the welcome screen."""
        from daoqi_tui.tui.features.starting.welcome import WelcomeScreen  # noqa: PLC0415 (few see it)

        before = self.match.session.setup
        match await self.host.questions.answer_to(WelcomeScreen(before.size, self.host.program.habits.level)):
            case "tour":
                await self.begin_lesson()
            case "open":
                await self._records.choose()
            case "network":
                await self._online.ask()
            case GameSetup() as chosen:
                setup = before._replace(
                    size=chosen.size,
                    handicap=0,
                    black="",
                    white="",
                    black_seat=chosen.black_seat,
                    white_seat=chosen.white_seat,
                )
                await self._records.open_session(Session(setup))

    async def begin_lesson(self) -> None:
        """Begin the first lesson."""
        from daoqi_tui.tui.features.starting.lesson import LessonScreen  # noqa: PLC0415 (few need it)

        await self.host.app.push_screen(LessonScreen(self.host.options))
