"""Whether the person sits at this computer, and so may name its files and programs and have it connect elsewhere."""

from __future__ import annotations

from typing import Any

from textual.app import App


class LocalAccess:
    """The right to name a file or a program of this computer and to have it connect to others.

    Whatever asks for a path, lets a program be named or connects takes one as an argument: who calls it has to have
    asked :func:`local_access`, and the type checker finds who has not.
    """

    __slots__ = ()


def local_access(app: App[Any]) -> LocalAccess | None:
    """Return the right of who sits at ``app``; None in a browser, where that may be someone else than the owner."""
    return None if app.is_web else LocalAccess()
