"""The folder of pictures, sample games and networks that comes with the program.

In a checkout it is next to the package; in a wheel it is inside.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from daoqi_tui.message import Message

_PACKAGE: Final = Path(__file__).parent


def assets_folder() -> Path:
    """Find the folder, the same for a checkout, an editable install and an installed wheel.

    It is a real folder on disk, so that paths in it can be passed to other processes.

    Raises:
        FileNotFoundError: this installation lacks the folder.
    """
    for folder in (_PACKAGE / "assets", _PACKAGE.parent / "assets"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        Message("the folder 'assets' is missing from this installation of daoqi-tui; install it again")
    )
