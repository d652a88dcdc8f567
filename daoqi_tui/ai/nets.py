"""Which network is meant: the one that comes with the program, a file, or none. Costs nothing to import."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from daoqi_tui.assets import assets_folder

SHIPPED: Final = "daoqi.npz"
"""The network that comes with the program, among its assets."""
USUAL: Final = "auto"
NONE: Final = "none"
"""What may be said in place of a file: the network that comes with the program, and playouts instead of one."""


def net_of(choice: str) -> str | None:
    """The file of the network that a choice means, None for playouts; whether it can be used, its reader tells."""
    if choice == NONE:
        return None
    if choice != USUAL:
        return str(Path(choice).expanduser().absolute())
    try:
        shipped = assets_folder() / SHIPPED
    except FileNotFoundError:
        return None
    return str(shipped) if shipped.is_file() else None


def checked(choice: str) -> str | None:
    """As :func:`net_of`, after a look at the file.

    Raises:
        NetError: it cannot be used; the text is one sentence.
    """
    net = net_of(choice)
    if net is not None:
        if net.endswith(".npz"):
            # Ours are small, and numpy would be needed soon anyway.
            from daoqi_tui.ai.network_npz import read_npz  # noqa: PLC0415

            read_npz(Path(net))
        else:
            from daoqi_tui.ai.katago_format import read_header  # noqa: PLC0415

            read_header(Path(net))
    return net
