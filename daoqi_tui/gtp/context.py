"""What a command works on, and how the tables of commands are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from daoqi_tui.engine import Colour
from daoqi_tui.gtp.giving_up import GivingUp
from daoqi_tui.gtp.lines import Lines
from daoqi_tui.gtp.parsing import GtpError, parse_colour
from daoqi_tui.gtp.reply import Reply
from daoqi_tui.gtp.session import Session
from daoqi_tui.gtp.thinker import Thinker
from daoqi_tui.gtp.timing import Timing


@dataclass(slots=True)
class Context:
    """Everything a command may look at or change.

    Attributes:
        session: the game.
        thinker: who thinks.
        lines: the input, for commands that go on until more comes.
        names: of all commands.
        reply: the answer to the command at hand.
        timing: the clocks.
        giving_up: when to resign; None never does.
        quitting: whether this was the last command.
    """

    session: Session
    thinker: Thinker
    lines: Lines
    names: Sequence[str]
    reply: Reply
    timing: Timing = field(default_factory=Timing)
    giving_up: GivingUp | None = None
    quitting: bool = False

    def begin_anew(self) -> None:
        """Forget what belongs to the last game beside the board."""
        if self.giving_up is not None:
            self.giving_up.clear()


Arguments: TypeAlias = tuple[str, ...]
Handler: TypeAlias = Callable[[Context, Arguments], str | Awaitable[str]]
Table: TypeAlias = dict[str, Handler]


def take(arguments: Arguments, least: int, most: int, form: str) -> Arguments:
    """The arguments, when there are as many as there should be.

    Raises:
        GtpError: there are not; ``form`` says what the command looks like.
    """
    if not least <= len(arguments) <= most:
        raise GtpError(f"syntax error: {len(arguments)} arguments; the form is: {form}")
    return arguments


def colour_or_turn(context: Context, arguments: Arguments) -> Colour:
    """The colour that the first argument names; without one, the side to move."""
    return parse_colour(arguments[0]) if arguments else context.session.game.to_move
