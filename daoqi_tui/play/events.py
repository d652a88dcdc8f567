"""The events that a match sends to its subscribers, only once the disk has them, and why it declines a command."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.engine import Colour, IllegalMove, Node
from daoqi_tui.i18n import N_
from daoqi_tui.play.background import Spawn

if TYPE_CHECKING:
    from daoqi_tui.ai import Answer
    from daoqi_tui.ai.process import PlayerError
    from daoqi_tui.play.evaluation import EvaluatedMove
    from daoqi_tui.play.players import Thinking
    from daoqi_tui.play.session import Session
    from daoqi_tui.record.journal import SaveFailure, Ticket


class Declined(Enum):
    """The reason why a command did nothing, other than the rules of the game."""

    THINKING = auto()
    """A computer is to move and is thinking."""
    NOT_THINKING = auto()
    """No computer is thinking."""
    AT_START = auto()
    """There is nothing to undo."""
    NO_MOVE_OF_YOURS = auto()
    """The player has no move to undo."""
    NOTHING_TO_REDO = auto()
    NOT_OVER = auto()
    """Only a game that has ended can be resumed."""
    NOT_COUNTED = auto()
    """Dead stones are agreed on after two passes in a row."""
    NO_STONE = auto()
    """No stone stands on the point."""
    NOT_CONNECTED = auto()
    """The server of an online game cannot be reached."""
    WATCHING = auto()
    """Spectators of an online game do not play."""
    PENDING = auto()
    """The server has not acknowledged the last move yet."""
    NOT_YOUR_TURN = auto()
    """The opponent is to move."""
    NOT_NOW = auto()
    """The state of the online game does not allow it."""
    VIEWING = auto()
    """An earlier move is viewed, and an online game cannot branch."""


WHY_DECLINED: Final[Mapping[Declined, str]] = {
    Declined.AT_START: N_("This is the start: there is nothing to undo"),
    Declined.NO_MOVE_OF_YOURS: N_("You have no move to undo"),
    Declined.NOT_OVER: N_("The game is not over: play on"),
}
"""The reasons that are said in the same words by all faces, to be translated."""


Kind: TypeAlias = Literal[
    "move", "undo", "redo", "goto", "resign", "resume", "dead", "agreed", "time", "seats", "notes", "setup", "edit"
]


class Change(NamedTuple):
    """A change of the game.

    Attributes:
        kind: the kind of change.
        node: the current node; for notes, the node they belong to.
        removed: the points of the stones that the move captured.
        tree: whether moves were added to the game tree, or its lines reordered.
        computer: whether a computer made the move.
    """

    kind: Kind
    node: Node
    removed: tuple[int, ...] = ()
    tree: bool = False
    computer: bool = False


class Thinks(NamedTuple):
    """A computer begins to search; :class:`~daoqi_tui.play.players.Thinking` has its progress."""

    thought: Thinking


class Prepares(NamedTuple):
    """A computer that begins to think loads or compiles something first: its :attr:`.Thinking.stage` has changed."""

    thought: Thinking


class Answered(NamedTuple):
    """A computer has chosen its move at ``node``; a :class:`Change` with the move follows."""

    node: Node
    colour: Colour
    answer: Answer


class Crashed(NamedTuple):
    """The process of a computer player ended; the request is repeated once."""

    problem: PlayerError


class Trouble(NamedTuple):
    """A computer returned no move, or an illegal one; the computers are paused."""

    problem: PlayerError | IllegalMove


class Questioned(NamedTuple):
    """A human's move lost so much that teach mode asks whether to undo it; the computer waits."""

    move: EvaluatedMove


class NotEvaluated(NamedTuple):
    """Teach mode could not evaluate a human's move; the computer answers it."""

    problem: PlayerError


class Filed(NamedTuple):
    """A finished game was saved in the library, or could not be.

    Attributes:
        path: the file; None if there was nothing to write, or it could not be written.
        problem: why it could not be written.
        unrated: why the ratings could not be saved.
    """

    path: Path | None
    problem: OSError | None = None
    unrated: OSError | None = None


class Saving(NamedTuple):
    """Saving has started to fail, or works again."""

    failing: SaveFailure | None


class Began(NamedTuple):
    """The server of an online game starts another game, which a face shows from its beginning."""

    session: Session


Event: TypeAlias = (
    Change | Thinks | Prepares | Answered | Crashed | Trouble | Questioned | NotEvaluated | Filed | Saving | Began
)


_PATIENCE: Final = 1.0
"""Seconds after which a change is announced even though it is not on disk yet; faces then mark it as not yet saved."""


class _Pending(NamedTuple):
    """An event that waits for the disk, until a deadline by the event loop's clock."""

    event: Event
    ticket: Ticket | None
    deadline: float


class Announcer:
    """Sends events to all subscribers.

    Args:
        spawn: runs a coroutine function in the background; without it, :meth:`notify_when_written` blocks until the
            change is on disk.
    """

    def __init__(self, spawn: Spawn | None) -> None:
        self._spawn = spawn
        self._subscribers: list[Callable[[Event], object]] = []
        self._pending: list[_Pending] = []

    def subscribe(self, on_event: Callable[[Event], object]) -> None:
        self._subscribers.append(on_event)

    @property
    def waits(self) -> bool:
        """True if a change of the game is still to be announced."""
        return any(isinstance(pending.event, Change) for pending in self._pending)

    def clear(self) -> None:
        self._pending.clear()

    def notify(self, event: Event) -> None:
        for on_event in tuple(self._subscribers):
            on_event(event)

    def notify_when_written(self, event: Event, ticket: Ticket | None) -> None:
        """Send an event once it is on disk, or once writing has failed or takes too long."""
        if self._spawn is None and ticket is not None:
            ticket.wait(_PATIENCE)
        elif self._pending or not (ticket is None or ticket.done):
            first = not self._pending
            self._pending.append(_Pending(event, ticket, asyncio.get_running_loop().time() + _PATIENCE))
            if first and self._spawn is not None:
                self._spawn(self._notify_waiting)
            return
        self.notify(event)

    async def _notify_waiting(self) -> None:
        while self._pending:
            event, ticket, deadline = self._pending[0]
            if ticket is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(deadline):
                        await ticket
            # Another session may have begun meanwhile.
            if self._pending and self._pending[0].event is event:
                del self._pending[0]
                self.notify(event)
