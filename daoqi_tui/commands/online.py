"""Commands of online games."""

from __future__ import annotations

from typing import Final

from daoqi_tui.commands.command import Command, group
from daoqi_tui.i18n import N_

COMMANDS: Final = group(
    N_("Online play"),
    Command(
        "network",
        ("N",),
        N_("Play online"),
        N_("Play a friend on the network: host a game, or join one"),
        words=N_("online internet lan host join invite invitation remote friend server"),
        elsewhere=True,
    ),
    Command(
        "accept",
        ("A",),
        N_("Accept"),
        N_("Accept what the opponent requests, or agree to the count"),
        words=N_("agree yes request online"),
    ),
    Command(
        "decline",
        ("D",),
        N_("Decline"),
        N_("Decline what the opponent requests, or withdraw your own request"),
        words=N_("refuse no withdraw request online"),
    ),
    Command(
        "chat", ("slash",), N_("Chat"), N_("Say something in an online game"), words=N_("talk message say write online")
    ),
    Command(
        "mute",
        ("K",),
        N_("Mute chat"),
        N_("Hide the chat, or show it again"),
        words=N_("silence quiet hide chat online"),
    ),
    Command(
        "listen",
        ("f9",),
        N_("Hear spectators"),
        N_("Hear what spectators say in an online game, or no longer"),
        words=N_("chat audience listen kibitz online"),
    ),
    Command(
        "claim",
        ("f8",),
        N_("Claim the win"),
        N_("Claim the win where the opponent stays away, after a warning"),
        words=N_("absent gone left abandon forfeit warn online"),
    ),
    Command(
        "adjourn",
        ("J",),
        N_("Adjourn"),
        N_("Request to adjourn an online game"),
        words=N_("interrupt later stop break online"),
    ),
    Command(
        "rematch",
        ("M",),
        N_("Rematch"),
        N_("Request a rematch with colours changed"),
        words=N_("again another game online"),
    ),
    Command(
        "share_cursor",
        ("G",),
        N_("Share cursor"),
        N_("Show your cursor to the opponent and see theirs, if both agree"),
        words=N_("ghost pointer mouse online"),
    ),
    Command(
        "invitation",
        ("I",),
        N_("Invitation"),
        N_("Show the invitation to an online game"),
        words=N_("invite guest spectators address code link online"),
    ),
)
