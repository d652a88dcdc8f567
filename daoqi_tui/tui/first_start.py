"""Whether the program runs for the first time."""

from __future__ import annotations


def is_first_start() -> bool:
    """Whether this has not been asked before; from now on it has been.

    A file in the state folder remembers. Where it cannot be written the answer is no: better never to offer a
    lesson than at every start.
    """
    from daoqi_tui.record.paths import journal_folder  # noqa: PLC0415 (only a start without a file asks)

    mark = journal_folder().parent / "welcomed"
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.open("x").close()
    except OSError:
        return False
    return True
