"""Online games: hosting and joining them, requests, chat and the opponent's cursor."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

from daoqi_tui.i18n import N_, _
from daoqi_tui.play.words import with_keys
from daoqi_tui.tui.commands.table import Command, group, question

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
    try:
        from daoqi_tui.tui.screens.network import open_online  # noqa: PLC0415 (few need it)
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "aiohttp":
            raise
        screen.say(_("Online play needs the package aiohttp: pip install aiohttp"))
        return
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


COMMANDS = group(
    N_("Online play"),
    Command(
        "network",
        ("N",),
        N_("Play online"),
        N_("Play a friend on the network: host a game, or join one"),
        begin_online,
        words=N_("online internet lan host join invite invitation remote friend server"),
        elsewhere=True,
    ),
    Command(
        "accept",
        ("A",),
        N_("Accept"),
        N_("Accept what the opponent requests, or agree to the count"),
        _online(lambda online: online.answer(accept=True)),
        words=N_("agree yes request online"),
    ),
    Command(
        "decline",
        ("D",),
        N_("Decline"),
        N_("Decline what the opponent requests, or withdraw your own request"),
        _online(lambda online: online.answer(accept=False)),
        words=N_("refuse no withdraw request online"),
    ),
    Command(
        "chat",
        ("slash",),
        N_("Chat"),
        N_("Say something in an online game"),
        chat,
        words=N_("talk message say write online"),
    ),
    Command(
        "mute",
        ("K",),
        N_("Mute chat"),
        N_("Hide the chat, or show it again"),
        _online(lambda online: online.mute()),
        words=N_("silence quiet hide chat online"),
    ),
    Command(
        "adjourn",
        ("J",),
        N_("Adjourn"),
        N_("Request to adjourn an online game"),
        _online(lambda online: online.request("adjourn")),
        words=N_("interrupt later stop break online"),
    ),
    Command(
        "rematch",
        ("M",),
        N_("Rematch"),
        N_("Request a rematch with colours changed"),
        _online(lambda online: online.request("rematch")),
        words=N_("again another game online"),
    ),
    Command(
        "share_cursor",
        ("G",),
        N_("Share cursor"),
        N_("Show your cursor to the opponent and see theirs, if both agree"),
        _online(lambda online: online.share_cursor()),
        words=N_("ghost pointer mouse online"),
    ),
    Command(
        "invitation",
        ("I",),
        N_("Invitation"),
        N_("Show the invitation to an online game"),
        show_invitation,
        words=N_("invite guest spectators address code link online"),
    ),
)
