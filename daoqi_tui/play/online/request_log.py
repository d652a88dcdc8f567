"""What aiohttp logs of requests: unexpected exceptions are reported, what visitors do is not."""

from __future__ import annotations

import logging
from typing import Final

from aiohttp.http_exceptions import HttpProcessingError

from daoqi_tui import crash


def _is_logged(record: logging.LogRecord) -> bool:
    """Report an exception that ended a request, instead of logging it."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    # What is no HTTP is answered with 400; whoever breaks a request off hears no answer.
    if not isinstance(error, HttpProcessingError | ConnectionError):
        crash.report(error)
    return False


LOGGER: Final = logging.getLogger(__name__)
"""For the runner of a server."""
LOGGER.addFilter(_is_logged)
