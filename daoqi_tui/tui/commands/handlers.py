"""The type of the functions of commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from daoqi_tui.tui.game.screen import GameScreen

Handler: TypeAlias = "Callable[[GameScreen], Awaitable[None] | None]"
"""The function of a command; an awaitable that it returns is awaited before the next key."""
Handlers: TypeAlias = Mapping[str, Handler]


def question(command: Callable[[GameScreen], Coroutine[Any, Any, None]]) -> Callable[[GameScreen], None]:
    """Make a command that asks a question run in the background, as the only question at a time."""

    @wraps(command)
    def run(screen: GameScreen) -> None:
        screen.questions.run(partial(command, screen))

    return run
