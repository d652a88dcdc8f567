"""The functions of the commands, by name; the commands themselves are in :mod:`daoqi_tui.commands`."""

from __future__ import annotations

from typing import Final

from daoqi_tui.tui.commands import analysis, navigation, online, playing, program
from daoqi_tui.tui.commands.handlers import Handlers

HANDLERS: Final[Handlers] = {
    **navigation.HANDLERS,
    **playing.HANDLERS,
    **analysis.HANDLERS,
    **online.HANDLERS,
    **program.HANDLERS,
}
