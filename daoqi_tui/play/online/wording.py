"""The wording of events in online games, for all faces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Final

from daoqi_tui.i18n import N_, _, listed, plural, translate
from daoqi_tui.paths import SLOW
from daoqi_tui.play.online.client import Lost, OnlineClient
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.protocol import Declined, OpenRequest, Refused, RequestKind, Said, State, describe_reason
from daoqi_tui.play.wording import describe_unsaved, sentence, with_keys
from daoqi_tui.text import plain_line

if TYPE_CHECKING:
    from daoqi_tui.play.online.hosting import Place

REQUESTS: Final[dict[RequestKind, str]] = {
    "undo": N_("undo"),
    "pause": N_("pause the clock"),
    "adjourn": N_("adjourn the game"),
    "continue": N_("continue the game"),
    "rematch": N_("a rematch with colours changed"),
}

_SHORT: Final = 15.0
"""The seconds of a pause between attempts to connect from which on it is shown."""


def role_word(role: str) -> str:
    return {"black": _("Black"), "white": _("White")}.get(role, _("Spectator"))


def who(name: str, role: str) -> str:
    return plain_line(name) or role_word(role)


def guest_lines(place: Place, guest: Invitation) -> Iterator[tuple[str, str]]:
    """Yield for each address under which a guest reaches the host's server what to say, and the line to type."""
    yield _("Your guest types:"), guest.join_command
    for address in place.addresses[1:]:
        here = address == place.addresses[-1]
        words = _("or, on this computer:") if here else _("or, if that address is not reached:")
        yield words, replace(guest, server=address).join_command


def invited_by(place: Place, state: State | None) -> Invitation | None:
    return place.guest if state is None or state.phase == "waiting" else None


def watched_by(place: Place) -> Invitation:
    return place.watch or Invitation((*place.addresses, place.invitation.server)[0], place.invitation.game)


def invitations(place: Place, state: State | None) -> Iterator[tuple[str, str]]:
    """Yield how others come to a game: what to say, and the line to type or open for it, of which one may be empty."""
    guest = invited_by(place, state)
    if guest is not None:
        yield from guest_lines(place, guest)
        if place.page:
            yield _("or opens in a browser:"), f"{place.table_page}?code={guest.code}"
    elif place.hosts and state is not None and state.phase == "waiting":
        yield _("The invitation that you sent your guest is still good."), ""
    if reach := describe_reach(place):
        yield reach, ""
    if place.watch is not None if state is None else state.watch:
        yield _("Spectators type:"), watched_by(place).join_command
        if place.page:
            yield _("or open in a browser:"), place.table_page
    elif state is not None and guest is None:
        yield _("This game has no spectators."), ""


def invitation_lines(place: Place, state: State | None) -> Iterator[str]:
    """Yield how others come to a game, a line each."""
    return (" ".join(filter(None, part)) for part in invitations(place, state))


def describe_reach(place: Place) -> str:
    """Say from where the host's server is reached; nothing if a public address says so."""
    networks = listed(list(place.networks))
    if place.is_local and not networks:
        return _("Only this computer reaches the game: it is in no network.")
    if place.is_local:
        return _("Only this computer reaches the game. Its network would reach it at {addresses}.").format(
            addresses=networks
        )
    if place.hosts and len(place.addresses) > 1:
        return _("The computers in this network reach the game. Nothing is encrypted.")
    return ""


def waiting_mark(place: Place, client: OnlineClient) -> tuple[str, str] | None:
    """Return the mark shown while a move waits for the server or for its disk, with the reason; None if none does."""
    if (mark := _slow_mark(client)) is not None:
        return mark
    slowest = place.disks.slowest if place.disks is not None else None
    return None if slowest is None else describe_unsaved(slowest)


def _slow_mark(client: OnlineClient) -> tuple[str, str] | None:
    if not client.connected or client.waited < SLOW:
        return None
    return _("NOT SAVED YET"), _("slow server, {seconds} s").format(seconds=int(client.waited))


def describe_pending(client: OnlineClient) -> str:
    """Say that the server has not acknowledged a move yet, and for how long if that is unusual."""
    mark = _slow_mark(client)
    return _("Your move is on its way.") if mark is None else _("{mark}: {why}").format(mark=mark[0], why=mark[1])


def describe_lost(event: Lost) -> str:
    reason = plain_line(translate(event.reason))
    if event.wait < _SHORT:
        return _("No connection: {reason}. Trying again.").format(reason=reason)
    words = _("No connection: {reason}. Trying again in {seconds} s.")
    return words.format(reason=reason, seconds=math.ceil(event.wait))


def describe_refused(event: Refused) -> str:
    words = _("The move was refused: {reason}") if event.what == "move" else _("Refused: {reason}")
    return words.format(reason=sentence(plain_line(translate(describe_reason(event)))))


def describe_said(event: Said) -> str:
    """Return a line of chat, with the role of its speaker, since a name proves nothing."""
    name, role = plain_line(event.name), role_word(event.role)
    speaker = _("{name} ({role})").format(name=name, role=role) if name else role
    return f"<{speaker}> {plain_line(event.text)}"


def describe_declined_request(event: Declined, role: str) -> str:
    words = _("Declined: {what}.") if event.by == role else _("The opponent declined: {what}.")
    return words.format(what=_(REQUESTS[event.what]))


def describe_request(request: OpenRequest, role: str) -> str:
    what = _(REQUESTS[request.what])
    if request.by == role:
        return with_keys(_("Requested: {what}. Withdraw it with {decline}."), what=what)
    if role in ("black", "white"):
        return with_keys(_("The opponent requests: {what}. Answer with {accept} or {decline}."), what=what)
    return _("Requested: {what}.").format(what=what)


def describe_warning(state: State, role: str) -> str:
    assert state.warned is not None
    time = _describe_span(state.warned.seconds)
    if state.warned.side == role:
        return _("You were away and are warned: play on within {time}, or the opponent may claim the win.").format(
            time=time
        )
    if state.warned.seconds > 0:
        return _("The absent side is warned: the win can be claimed in {time}.").format(time=time)
    return _("The absent side was warned: the win can be claimed.")


def _describe_span(seconds: float) -> str:
    """Word a span of time, rounded up."""
    minutes = max(1, ceil(seconds / 60))
    if minutes < 120:
        return plural("{count} minute", "{count} minutes", minutes)
    return plural("{count} hour", "{count} hours", ceil(minutes / 60))


def describe_presence(before: State, state: State, role: str) -> Iterator[str]:
    """Word who joined, who left, and who hears the spectators."""
    for side, name in (("black", state.black), ("white", state.white)):
        if side in state.present and side not in before.present and side != role:
            yield _("{name} is here.").format(name=who(name, side))
        elif side in before.present and side not in state.present:
            words = _("{name} has lost the connection.")
            if state.clock is not None and state.phase == "playing":
                words = _("{name} has lost the connection; the clock runs on.")
            yield words.format(name=who(name, side))
        if side in state.listening and side not in before.listening:
            yield _("{name} hears what spectators say.").format(name=who(name, side))
        elif side in before.listening and side not in state.listening:
            yield _("{name} no longer hears what spectators say.").format(name=who(name, side))
    if state.spectators != before.spectators:
        yield _("Spectators: {count}.").format(count=state.spectators)
