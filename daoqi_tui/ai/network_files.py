"""Networks by their files: read once, and again when a file has changed; the one place that knows kinds of files."""

from __future__ import annotations

from pathlib import Path

from daoqi_tui.ai.katago import KataGo
from daoqi_tui.ai.katago_file import read_network
from daoqi_tui.ai.katago_format import Header
from daoqi_tui.ai.network import Network
from daoqi_tui.ai.network_judge import Judge
from daoqi_tui.ai.network_npz import ENDING, read_npz
from daoqi_tui.ai.network_parameters import Parameters


def read(path: Path) -> tuple[Header, Parameters]:
    """The header and the weights in a file: one of ours, or a KataGo network.

    Raises:
        NetError: it cannot be used; the text is one sentence.
    """
    return read_npz(path) if path.suffix == ENDING else read_network(path)


class NetworkFiles:
    """Remembers the network read last; a player seldom changes it."""

    def __init__(self) -> None:
        self._key: tuple[str, int, int] | None = None
        self._judge: Judge | None = None

    def load(self, name: str) -> Judge:
        """The network in the file ``name``.

        Raises:
            NetError: it cannot be used; the text is one sentence that says what is supported.
        """
        path = Path(name).expanduser()
        key = None
        try:
            status = path.stat()
            key = str(path.resolve()), status.st_mtime_ns, status.st_size
        except OSError:
            # What is wrong with the file is told when it is read.
            pass
        if self._judge is None or key is None or key != self._key:
            header, parameters = read(path)
            self._judge = KataGo(header, Network(parameters))
            self._key = key
        return self._judge
