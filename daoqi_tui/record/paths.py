"""Where this program keeps its files: the folders that the system's habits (XDG on Linux) set aside for them.

Nothing is created here; who writes into a folder makes it first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_NAME: Final = "daoqi-tui"


def journal_folder() -> Path:
    """The folder of running games, ``~/.local/state/daoqi-tui/journal`` unless XDG_STATE_HOME differs."""
    from platformdirs import user_state_path  # noqa: PLC0415 (costs a start up to 25 ms, and none without a game)

    return user_state_path(_NAME, appauthor=False) / "journal"


def library_folder() -> Path:
    """The folder of played and imported games, ``~/.local/share/daoqi-tui/games`` unless XDG_DATA_HOME differs."""
    from platformdirs import user_data_path  # noqa: PLC0415 (as above)

    return user_data_path(_NAME, appauthor=False) / "games"
