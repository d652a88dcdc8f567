"""Connection handling of all servers: idle connections are aborted, unexpected exceptions are reported.

Even an idle connection takes a file descriptor.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from daoqi_tui import crash

_REQUEST: Final = 10.0
"""The timeout in seconds for a request on a connection."""
_TICK: Final = 0.25
"""Seconds between checks of the connections."""
_MOST_IDLE: Final = 200
"""The number of connections without a request; of more, the oldest are aborted."""
_FILES: Final = 4096
"""The number of open files and connections that a server with all its games, players and spectators needs."""


class IdleConnections:
    """Aborts connections without a complete request for a while.

    Args:
        app: the served application, whose requests are watched.
    """

    def __init__(self, app: web.Application) -> None:
        self._served: Final[dict[object, web.Request]] = {}
        app.middlewares.append(self._note)

    @web.middleware
    async def _note(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        self._served[request.protocol] = request
        try:
            return await handler(request)
        finally:
            del self._served[request.protocol]

    @asynccontextmanager
    async def aborted(self, runner: web.AppRunner) -> AsyncIterator[None]:
        """Abort idle connections of a runner that is set up, while the block lasts."""
        assert runner.server is not None
        _allow_files()
        watching = asyncio.create_task(self._watch(runner.server))
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait((watching,))

    async def _watch(self, server: web.Server) -> None:
        """Abort connections whose request did not arrive in time, or not completely."""
        since: dict[tuple[object, int], float] = {}
        while True:
            await asyncio.sleep(_TICK)
            now = monotonic()
            idle = [(each, request) for each in server.connections if _is_late(request := self._served.get(each))]
            since = {(each, id(request)): since.get((each, id(request)), now) for each, request in idle}
            # The oldest first; the sort keeps the order of those that were first seen at the same time.
            idle.sort(key=lambda entry: since[entry[0], id(entry[1])])
            for number, (each, request) in enumerate(idle):
                late = now - since[each, id(request)] > _REQUEST or number < len(idle) - _MOST_IDLE
                if late and each.transport is not None:
                    each.transport.abort()


def _allow_files() -> None:
    """Allow this process as many open files as a server needs, as far as the system permits."""
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _is_late(request: web.Request | None) -> bool:
    """Return whether a request has not arrived, or only in part."""
    return request is None or not request.content.is_eof()


def _is_logged(record: logging.LogRecord) -> bool:
    """Report an exception that ended a request, instead of logging it."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    # Invalid HTTP is answered with 400; an aborted request gets no answer.
    if not isinstance(error, HttpProcessingError | ConnectionError):
        crash.report(error)
    return False


REQUEST_LOG: Final = logging.getLogger(__name__)
"""The format of aiohttp's request log, for the runner of a server."""
REQUEST_LOG.addFilter(_is_logged)
