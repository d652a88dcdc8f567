"""Online games: beginning one, and what their commands say where there is none."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from daoqi_tui.commands.screen import ONLINE
from daoqi_tui.i18n import _
from daoqi_tui.play.wording import Unable, with_keys
from daoqi_tui.tui.access import local_access
from daoqi_tui.tui.host import Feature, Handlers, NotGivenError

if TYPE_CHECKING:
    from daoqi_tui.play.keeper import Folders
    from daoqi_tui.play.online.invitation import Invitation
    from daoqi_tui.play.online.seat_book import SavedSeat
    from daoqi_tui.play.session import GameSetup
    from daoqi_tui.tui.features.online.form import Hosting, Joining, Linked


class Online(Feature):
    """Hosts and joins games with an opponent on another machine."""

    def handlers(self) -> Handlers:
        """Return the command that begins an online game, and for the others one that says that there is none."""
        return {command.name: self._say_not_online for command in ONLINE} | {"network": self.asking(self.ask)}

    async def ask(self, pasted: Invitation | None = None, *, before: GameSetup | None = None) -> None:
        """Ask whether to host or to join, unless an invitation was pasted, and open the game; to be run in a worker.

        In a lobby, show that instead. A game to host is proposed like the one ``before``, or like the current one.
        """
        host = self.host
        visit = host.program.visit
        if visit is not None and pasted is None:
            from daoqi_tui.tui.features.online.game import show_lobby  # noqa: PLC0415 (few need it)

            await show_lobby(host, visit)
            return
        access = local_access(host.app)
        if access is None:
            raise Unable(_("Online games in a browser begin on the lobby page of daoqi-tui serve"))
        folders = host.folders
        if folders is None:
            raise Unable(_("Games are not saved in this window"))
        chosen = await self._chosen(folders, pasted, before or host.match.session.setup)
        if chosen is None:
            raise NotGivenError
        # The import takes a quarter of a second, during which the screen should respond.
        await asyncio.to_thread(import_module, "daoqi_tui.tui.features.online.game")
        from daoqi_tui.tui.features.online.game import open_online  # noqa: PLC0415

        await open_online(host, access, folders, chosen)

    async def _chosen(
        self, folders: Folders, pasted: Invitation | None, before: GameSetup
    ) -> Hosting | Joining | Linked | SavedSeat | str | None:
        from daoqi_tui.play.online.invitation import shortened  # noqa: PLC0415 (few need it)
        from daoqi_tui.play.online.seat_book import SeatBook, own_name  # noqa: PLC0415
        from daoqi_tui.tui.features.online.form import Joining, NetworkScreen  # noqa: PLC0415

        questions = self.host.questions
        if pasted is not None:
            text = _("Join the game at {address}?").format(address=shortened(pasted.server))
            return Joining(pasted, own_name()) if await questions.ask(text, _("Join"), _("Cancel")) else None
        book = SeatBook.in_folder(folders.online)
        seats = [seat for seat in await asyncio.to_thread(book.seats) if seat.phase != "over"]
        return await questions.answer_to(NetworkScreen(before, seats))

    def _say_not_online(self) -> None:
        self.host.say(with_keys(_("This is not an online game: {network} begins one")))
