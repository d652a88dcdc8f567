"""Typed input, one key at a time: the next key waits until the previous one has been handled.

Textual sends a key to the focused widget; from there it bubbles up to the app, which runs its binding. Each of them has
its own message queue, so a key handled directly by the app, or one that arrives while another bubbles, would overtake
it: after ``13`` and Enter in quick succession, a form would be read with only part of the number.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from textual import events

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen
    from textual.widget import Widget

_PATIENCE: Final = 1.0
"""Seconds after which the next key is passed on even if a widget has not yet handled the previous one."""


class KeyQueue:
    """Holds keys and pastes back while one of them bubbles through the widgets of an app."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[events.Event] = deque()
        self._current: events.Event | None = None
        self._sentinel: _Sentinel | None = None
        """The latest message sent after the key through the queues."""
        self._timer: asyncio.TimerHandle | None = None

    def holds(self, event: events.Event) -> bool:
        """Return whether an event has to wait; it is passed to the app's ``on_event`` again when its turn comes."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if self._current is not None:
            self._waiting.append(event)
            return True
        self._current = event
        return False

    def follow(self, event: events.Event) -> None:
        """Send a sentinel after a key that the app has passed to a widget, or whose binding it has run.

        It passes through the same queues as the key, or the messages of the binding, and so arrives after them.
        """
        if event is self._current and self._app.screen_stack:
            self._send_sentinel()

    def _send_sentinel(self) -> None:
        screen = self._app.screen
        self._sentinel = sentinel = _Sentinel(screen, self._app.focused or screen, self._end_turn)
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_PATIENCE, self._app.call_later, self._end_turn, sentinel)
        sentinel.bubble()

    async def _end_turn(self, sentinel: _Sentinel) -> None:
        """Pass on the next key, unless a later sentinel is under way or has to be sent."""
        if sentinel is not self._sentinel or not self._app.screen_stack:
            return
        if self._app.screen is not sentinel.screen:
            # The new top screen first has to be laid out and to set the focus.
            self._send_sentinel()
            return
        if self._timer is not None:
            self._timer.cancel()
        self._current = None
        if self._waiting:
            await self._app.on_event(self._waiting.popleft())


class _Sentinel:
    """A message that passes through the queues of a widget and of all its ancestors, the app's last."""

    def __init__(self, screen: Screen[Any], widget: Widget, arrived: Callable[[_Sentinel], Awaitable[None]]) -> None:
        self.screen = screen
        # The ancestors of a widget that has been removed do not lead to the app.
        self._nodes = deque((widget if widget.is_attached else screen).ancestors_with_self)
        self._arrived = arrived

    def bubble(self) -> None:
        """Post to the next node; those that are being removed accept no more messages."""
        while self._nodes:
            node = self._nodes.popleft()
            # A bound method instead of a partial or call_later: Textual inspects a partial at each call.
            step = self.bubble if self._nodes else self._arrive
            if node.post_message(events.Callback(callback=step)):
                return

    async def _arrive(self) -> None:
        await self._arrived(self)
