"""Finds, checks and loads the network that the ``--net`` option names: the bundled ones, KaTrain's, or a file.

Cheap to import: numpy and the readers of the files are imported when a file is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from daoqi_tui.ai import USUAL
from daoqi_tui.ai.network import Counting, Header, NetError, read_header
from daoqi_tui.message import Message
from daoqi_tui.paths import absolute, assets_folder, typed_path
from daoqi_tui.typed import STRONGEST

if TYPE_CHECKING:
    from daoqi_tui.ai.network.network import Parameters, Runner
    from daoqi_tui.ai.search import NetworkEvaluator


SHIPPED: Final = "daoqi.npz"
SHIPPED_9: Final = "daoqi-9x9.npz"
SHIPPED_LARGE: Final = "daoqi-large.npz"
"""The file names of the bundled networks in the assets folder.

On 9×9, the second takes five times as long per evaluation as the first; on large boards the larger one takes about
fifteen times as long. Each is stronger for its time on its boards.
"""
COUNTING: Final = {
    SHIPPED: Counting(0.65, 0.3),
    SHIPPED_9: Counting(0.4, 0.1),
    SHIPPED_LARGE: Counting(1.0, 0.2, open=1.0),
}
"""The shares of counted points (:attr:`.Header.counting`): the larger network's own lead hardly
follows komi; its win rate was fitted to the ends of games at many komis, of which empty boards are no part. The lead of
that for 9×9 follows komi, and with a larger share would be at odds with its win rate far from an even game."""
BOARD_OF_9: Final = 9
LARGE_BOARD: Final = 13
"""The smallest boards on which the strongest level uses the second and the third of them (``docs/strength.md``)."""
NPZ: Final = ".npz"
KATRAIN: Final = "katrain"
"""The value of the option for KaTrain's network (:data:`USUAL` stands for the bundled ones), and its package."""
NO_NET: Final = "none"
"""What version 1.0.0 called a player without a network, which there no longer is."""
LARGE_FROM: Final = 128
"""The minimum number of trunk channels for a GPU to make a network faster; loading torch takes seconds."""


def net_of(choice: str) -> str:
    """Return the network for a choice: the path of a file, :data:`USUAL` or :data:`KATRAIN`.

    The file itself is not checked. :func:`file_for` returns the bundled file for a position.
    """
    return choice if choice in {USUAL, KATRAIN} else str(absolute(typed_path(choice)))


def is_for_flat_boards(choice: str) -> bool:
    """Return whether a choice names a network of KataGo, which never saw a torus; the file is not read."""
    return choice != USUAL and Path(choice).suffix != NPZ


def file_for(net: str, size: int = 0, level: float = STRONGEST) -> str:
    """Return the file of a network for a board and a level; they matter for the bundled networks only.

    Only the strongest level uses a bundled network other than the smaller one, with which the others were measured.

    Args:
        net: as :func:`net_of` returned it.
        size: points along a side; 0 for the network for boards of every size.
        level: of play.

    Raises:
        NetError: the bundled network is missing.
    """
    if net != USUAL:
        return net
    best = SHIPPED
    if level == STRONGEST and size >= BOARD_OF_9:
        best = SHIPPED_LARGE if size >= LARGE_BOARD else SHIPPED_9
    found = _bundled(best) or _bundled(SHIPPED)
    if found is None:
        raise NetError(
            Message("the program's own network is missing: install daoqi-tui again, or name a file with --net")
        )
    return str(found)


def named_file(choice: str) -> Path:
    """Return the file of one network: a bundled one by its name without the ending, or as :func:`net_of` takes it.

    Raises:
        NetError: there is none.
    """
    bundled = _bundled(f"{choice}{NPZ}") if f"{choice}{NPZ}" in COUNTING else None
    return bundled or (_katrain_file() if choice == KATRAIN else Path(file_for(checked(choice))))


def _bundled(name: str) -> Path | None:
    try:
        path = assets_folder() / name
    except FileNotFoundError:
        return None
    return path if path.is_file() else None


def checked(choice: str) -> str:
    """Return the network as :func:`net_of` does, after reading the header of a file (all of an ``.npz`` file).

    The bundled networks are trusted until they are loaded: reading them needs numpy, which would make every start
    slower.

    Raises:
        NetError: the file cannot be used; the text is one sentence.
    """
    if choice == NO_NET:
        raise NetError(Message("the computer always plays with a network: auto, katrain, or a file"))
    net = net_of(choice)
    if choice == KATRAIN:
        _katrain_file()
    elif choice != USUAL:
        if Path(net).suffix == NPZ:
            # These files are small, and numpy is needed soon anyway.
            read(Path(net))
        else:
            read_header(Path(net))
    return net


def read(path: Path) -> tuple[Header, Parameters]:
    """Read the header and the weights of a file in daoqi-tui's or KataGo's format.

    Raises:
        NetError: the file cannot be used; the text is one sentence.
    """
    if path.suffix == NPZ:
        from daoqi_tui.ai.network.npz import read_npz  # noqa: PLC0415

        return read_npz(path)
    from daoqi_tui.ai.network.reader import read_network  # noqa: PLC0415

    return read_network(path)


def runner_of(parameters: Parameters) -> Runner:
    """Return the fastest runner of a network here.

    Large ones run in torch on a GPU, others as :func:`compiled_runner_of` returns them.
    """
    if len(parameters.first_globals[0]) >= LARGE_FROM and (fast := _torch_runner(parameters)) is not None:
        return fast
    return compiled_runner_of(parameters)


def compiled_runner_of(parameters: Parameters) -> Runner:
    """Return a network without torch: in bytes if its channels fit these and the kernel for them is compiled."""
    from daoqi_tui.ai.network.convolution import ROUNDED  # noqa: PLC0415
    from daoqi_tui.ai.network.network import Network  # noqa: PLC0415

    return Network(parameters, rounded=_fits_bytes(parameters) and ROUNDED.functions is not None)


def _fits_bytes(parameters: Parameters) -> bool:
    from daoqi_tui.ai.network.convolution import CHANNELS  # noqa: PLC0415

    return len(parameters.first_globals[0]) % CHANNELS == 0


def _torch_runner(parameters: Parameters) -> Runner | None:
    try:
        from daoqi_tui.ai.network.torch_network import fast_network  # noqa: PLC0415
    except (ImportError, OSError):
        # OSError: a torch installation with missing libraries.
        return None
    return fast_network(parameters)


class NetworkFiles:
    """Caches the last network loaded, since a player seldom changes it."""

    def __init__(self) -> None:
        self._key: tuple[bool, str, int, int] | None = None
        self._network: NetworkEvaluator | None = None
        self._may_be_faster = False
        self._katrain: Path | None = None

    @property
    def is_loaded(self) -> bool:
        return self._network is not None

    def load(self, name: str) -> NetworkEvaluator:
        """Return the network in the file ``name``, as :func:`net_of` or :func:`file_for` returned it.

        On small boards KaTrain's has its values corrected by the smaller bundled one.

        Raises:
            NetError: the file cannot be used; the text is one sentence that says what is supported.
        """
        if name == KATRAIN:
            # It is asked for with every move, and looking for it takes milliseconds.
            path = self._katrain = self._katrain or _katrain_file()
        else:
            path = Path(file_for(name))
        key = None
        try:
            status = path.stat()
            key = name == KATRAIN, str(path.resolve()), status.st_mtime_ns, status.st_size
        except (OSError, ValueError):
            # Reading the file again reports what is wrong with it.
            pass
        from daoqi_tui.ai.network.convolution import ROUNDED  # noqa: PLC0415

        compiled_since = self._may_be_faster and ROUNDED.functions is not None
        if self._network is None or key is None or key != self._key or compiled_since:
            from daoqi_tui.ai.network.network import CorrectedNetwork, LoadedNetwork, Network  # noqa: PLC0415

            header, parameters = read(path)
            if path == _bundled(path.name):
                header = replace(header, counting=COUNTING.get(path.name, header.counting))
            runner = runner_of(parameters)
            self._may_be_faster = isinstance(runner, Network) and not runner.rounded and _fits_bytes(parameters)
            self._network = LoadedNetwork(header, runner)
            if name == KATRAIN:
                own = NetworkFiles().load(file_for(USUAL))
                if own.inputs == self._network.inputs:
                    self._network = CorrectedNetwork(self._network, own)
            self._key = key
        return self._network

    def replace(self, network: NetworkEvaluator, other: NetworkEvaluator) -> None:
        """Keep another in place of a network, which says the same."""
        if self._network is network:
            self._network = other


# KaTrain's network


_FOLDER: Final = ".katrain"
_ENDINGS: Final = (".bin.gz", ".txt.gz")


def katrain_network() -> Path | None:
    """Return the first usable network: the package's first, then downloaded ones, newest first.

    KaTrain's package data includes a network, and it stores downloaded ones in ``~/.katrain``. Since 1.19 the packaged
    one is a transformer, which is not supported.
    """
    for path in (*_packaged(), *_downloaded()):
        try:
            read_header(path)
        except NetError:
            # A transformer, say; KaTrain also downloads networks that imitate human players of a given rank.
            continue
        return path
    return None


def _katrain_file() -> Path:
    """Return :func:`katrain_network`.

    Raises:
        NetError: there is none.
    """
    if (found := katrain_network()) is not None:
        return found
    from daoqi_tui.extras import install_command  # noqa: PLC0415 (only for KaTrain's networks)

    raise NetError(
        Message(
            "no usable KaTrain network was found, neither in the installed package {package} nor in {folder} (those"
            " that KaTrain includes since 1.19 are transformers, which are not supported): {command} installs one",
            package=KATRAIN,
            folder=f"~/{_FOLDER}",
            command=install_command("katrain"),
        )
    )


def _packaged() -> Iterator[Path]:
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 (only for KaTrain's networks)

    try:
        files = distribution(KATRAIN).files or ()
    except PackageNotFoundError:
        return
    for file in files:
        if file.name.endswith(_ENDINGS):
            yield Path(str(file.locate()))


def _downloaded() -> list[Path]:
    found: list[tuple[int, Path]] = []
    # The folder, or the home directory, may not exist.
    with suppress(OSError, RuntimeError):
        for path in (Path.home() / _FOLDER).iterdir():
            # Skip broken links.
            with suppress(OSError):
                found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True) if path.name.endswith(_ENDINGS)]
