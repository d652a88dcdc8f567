"""The program with a probe: SIGUSR1 is answered on a descriptor, through the queues of the app and of the top screen.

``python probed.py DESCRIPTOR ARGUMENT...`` runs ``daoqi-tui ARGUMENT...``. An answer is a line of JSON; there is none
while the event loop does not turn, or while a screen handles a message. SIGUSR2 writes the stacks of all threads, and
if the event loop turns those of all tasks, with the widgets that have messages waiting.
"""

from __future__ import annotations

import asyncio
import faulthandler
import io
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from textual import events

from daoqi_tui.cli.main import main
from daoqi_tui.tui.app import DaoqiApp

MARK = "f12"
"""A key that means nothing to the program; how often it arrived is part of the answer."""


def install(descriptor: int) -> None:
    """Answer the signal from the event loop of the app."""
    run, handle = DaoqiApp.run_async, DaoqiApp.on_event
    marks = 0

    async def counted(app: DaoqiApp, event: events.Event) -> None:
        nonlocal marks
        await handle(app, event)
        if isinstance(event, events.Key) and event.key == MARK and app._keys._current is event:
            marks += 1

    def ask(app: DaoqiApp) -> None:
        if app.screen_stack:
            app.screen.call_later(tell, app)

    def tell(app: DaoqiApp) -> None:
        if app.screen_stack:
            screen = app.screen
            keys = app._keys
            answer = {
                "sizes": [app.size, screen.size],
                "shown": type(screen).__name__,
                "fitted": not getattr(screen, "_unfitted", None),
                "idle": keys._current is None and not keys._waiting,
                "marks": marks,
            }
            os.write(descriptor, json.dumps(answer).encode() + b"\n")

    async def run_async(app: DaoqiApp, **options: Any) -> Any:
        loop = asyncio.get_running_loop()

        def asked(_number: int, _frame: object) -> None:
            # The handler itself runs even while the loop does not turn.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(app.call_later, ask, app)

        signal.signal(signal.SIGUSR1, asked)
        signal.signal(signal.SIGUSR2, lambda *_: loop.call_soon_threadsafe(describe, app))
        # The stacks of the threads are written even while the loop does not turn.
        faulthandler.register(signal.SIGUSR2, file=_file("stacks"), chain=True)
        return await run(app, **options)

    def describe(app: DaoqiApp) -> None:
        keys = app._keys
        lines = [f"keys: {keys._current!r} is handled, {len(keys._waiting)} wait; focus: {app.focused!r}"]
        for screen in app.screen_stack:
            lines.append(f"{screen!r}: {screen.is_current=} {screen.is_running=} {screen._is_mounted=}")
            lines += [
                f"  {node!r}: {node._message_queue.qsize()} messages, {node._closing=} {node._closed=}"
                for node in screen.walk_children(with_self=True)
                if not node._message_queue.empty()
            ]
        for task in asyncio.all_tasks():
            stack = io.StringIO()
            task.print_stack(file=stack)
            if "in get" not in stack.getvalue():
                lines.append(stack.getvalue())
        with _file("tasks") as file:
            file.write("\n".join(lines))

    DaoqiApp.run_async = run_async  # type: ignore[method-assign]
    DaoqiApp.on_event = counted  # type: ignore[method-assign]


def _file(kind: str) -> TextIO:
    return Path(f"stacks-{os.getpid()}-{kind}.txt").open("w", encoding="utf-8")


if __name__ == "__main__":
    install(int(sys.argv.pop(1)))
    main(sys.argv[1:])
