"""Online games: hosting and joining them, requests, chat and the opponent's cursor."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Final

from daoqi_tui.i18n import _
from daoqi_tui.play.words import with_keys
from daoqi_tui.tui.commands.handlers import Handlers, question

if TYPE_CHECKING:
    from daoqi_tui.play.online.invitation import Invitation
    from daoqi_tui.tui.game.online import OnlinePlay
    from daoqi_tui.tui.game.screen import GameScreen


@question
async def begin_online(screen: GameScreen) -> None:
    """Host or join a game with an opponent on another machine."""
    await ask_for_online(screen)


async def ask_for_online(screen: GameScreen, pasted: Invitation | None = None) -> None:
    """Ask whether to host or to join, unless an invitation was pasted, and open the game; to be run in a worker."""
    from daoqi_tui.tui.screens.network import open_online  # noqa: PLC0415 (few need it)

    await open_online(screen, pasted)


def _say_not_online(screen: GameScreen) -> None:
    screen.say(with_keys(_("This is not an online game: {network} begins one")))


def _online(run: Callable[[OnlinePlay], object]) -> Callable[[GameScreen], None]:
    """Make a command of a function on the online game; without one, the command says so."""

    @wraps(run)
    def command(screen: GameScreen) -> None:
        if screen.online is None:
            _say_not_online(screen)
        else:
            run(screen.online)

    return command


@question
async def chat(screen: GameScreen) -> None:
    """Send a line of chat."""
    if screen.online is None:
        _say_not_online(screen)
    else:
        await screen.online.say()


@question
async def show_invitation(screen: GameScreen) -> None:
    """Show the commands for the guest and spectators."""
    if screen.online is None:
        _say_not_online(screen)
    else:
        await screen.online.show_invitation()


HANDLERS: Final[Handlers] = {
    "network": begin_online,
    "accept": _online(lambda online: online.answer(accept=True)),
    "decline": _online(lambda online: online.answer(accept=False)),
    "chat": chat,
    "mute": _online(lambda online: online.mute()),
    "listen": _online(lambda online: online.listen()),
    "claim": _online(lambda online: online.claim()),
    "adjourn": _online(lambda online: online.request("adjourn")),
    "rematch": _online(lambda online: online.request("rematch")),
    "share_cursor": _online(lambda online: online.share_cursor()),
    "invitation": show_invitation,
}
