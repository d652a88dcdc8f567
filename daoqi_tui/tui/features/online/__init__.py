"""Online games: beginning one, and what their commands say where there is none."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from daoqi_tui.commands.screen import ONLINE
from daoqi_tui.i18n import _
from daoqi_tui.play.wording import with_keys
from daoqi_tui.tui.host import Feature, Handlers

if TYPE_CHECKING:
    from daoqi_tui.play.online.invitation import Invitation


class Online(Feature):
    """Hosts and joins games with an opponent on another machine."""

    def handlers(self) -> Handlers:
        """Return the command that begins an online game, and for the others one that says that there is none."""
        return {command.name: self._say_not_online for command in ONLINE} | {"network": self.asking(self.ask)}

    async def ask(self, pasted: Invitation | None = None) -> None:
        """Ask whether to host or to join, unless an invitation was pasted, and open the game; to be run in a worker.

        In a lobby, show that instead.
        """
        from daoqi_tui.tui.features.online.game import open_online, show_lobby  # noqa: PLC0415 (few need it)

        visit = self.host.program.visit
        if visit is not None and pasted is None:
            await show_lobby(self.host, visit)
        else:
            await open_online(self.host, pasted)

    def open(self) -> None:
        self.host.questions.run(self.ask)

    def join(self, invitation: Invitation) -> None:
        self.host.questions.run(partial(self.ask, invitation))

    def _say_not_online(self) -> None:
        self.host.say(with_keys(_("This is not an online game: {network} begins one")))
