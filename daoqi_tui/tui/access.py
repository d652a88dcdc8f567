"""The permission of local users to name this computer's files and programs and to have it connect elsewhere."""

from __future__ import annotations

from typing import Any

from textual.app import App


class LocalAccess:
    """The right to name a file or a program of this computer and to have it connect to others.

    Every function that asks for a path, accepts a program or connects takes one as an argument: its caller must have
    called :func:`local_access`, and the type checker finds those that have not.
    """

    __slots__ = ()


def local_access(app: App[Any]) -> LocalAccess | None:
    """Return the permission of the user of ``app``; None in a browser, where that may not be the owner."""
    return None if app.is_web else LocalAccess()
