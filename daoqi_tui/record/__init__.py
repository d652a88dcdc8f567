"""Games on disk: reading and writing SGF, export for flat-board programs.

>>> from daoqi_tui.record import dump, load
>>> loaded = load(b"(;GM[1]SZ[9]TO[3]PB[Shusaku];B[aa];W[ia])")
>>> loaded.info.black, len(loaded.game.root.line())
('Shusaku', 2)
>>> dump(loaded.game, loaded.info).decode().splitlines()[0]
'(;FF[4]GM[q5go-1]CA[UTF-8]AP[daoqi_tui:1.0.0]SZ[9]KM[4]TO[3]PB[Shusaku]'
"""

from daoqi_tui.record.files import write_atomically
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.read import Loaded, load
from daoqi_tui.record.sgf.write import dump, save
from daoqi_tui.record.text import SgfError, SgfProblem
from daoqi_tui.text import plain, plain_line

__all__ = [
    "Info",
    "Loaded",
    "SgfError",
    "SgfProblem",
    "dump",
    "load",
    "plain",
    "plain_line",
    "save",
    "write_atomically",
]
