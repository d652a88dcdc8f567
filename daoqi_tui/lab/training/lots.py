"""Lots: the tasks into which the playing of training games is divided.

The contents of a lot depend on its number, the settings and the playing network, not on the worker or on earlier lots.
So any process or machine can play any lot, and an interrupted one is played again. Machines whose arithmetic differs in
the last digits may play other games of the same kind.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.player import KERNELS
from daoqi_tui.lab.training.engine_games import EngineGames
from daoqi_tui.lab.training.evaluators import batch_evaluator_of, evaluator_of, teacher_of
from daoqi_tui.lab.training.game_batch import GameBatch
from daoqi_tui.lab.training.labels import LabelledPositions, look_ahead, mixed_positions
from daoqi_tui.lab.training.positions import ENDING, Positions, file_name, files, joined, packed, parts_of
from daoqi_tui.lab.training.self_play import PlayedGames, generator_on, policy_positions, searched_games, settled_games
from daoqi_tui.lab.training.settings import PlayKind, Settings, Teaching
from daoqi_tui.lab.training.tensor_games import TensorGames
from daoqi_tui.record.files import write_atomically

FULL: Final = 2048
"""The number of positions at which a file is full."""


class LotFile(NamedTuple):
    """A file of positions that is not written yet."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Play:
    """The parameters for playing the lots of a stage.

    Attributes:
        stage: its name; each stage has its own games.
        net: the network's file, None for an untrained one.
        settings: everything else.
        kind: how games are played.
    """

    stage: str
    net: Path | None
    settings: Settings
    kind: PlayKind

    @property
    def teacher(self) -> Path | None:
        """The file of the network that labels positions, if different from the playing one."""
        labels = self.kind == PlayKind.SETTLED or (self.kind == PlayKind.POLICY and self.settings.teaching.player)
        return self.settings.teacher_file if labels else None

    def lot(self, number: int) -> list[LotFile]:
        """Play a lot: a number of simultaneous games, as in the settings, on boards of one size.

        Raises:
            NetError: a network cannot be used.
        """
        settings = self.settings
        rng = np.random.default_rng((settings.seed, zlib.crc32(self.stage.encode()), number))
        sizes = [int(size) for size in settings.sizes]
        shares = np.array(list(settings.sizes.values()), np.float64)
        if self.kind == PlayKind.POLICY:
            # Lots with larger boards have more positions, and the shares are of positions.
            shares /= np.square(sizes)
        lots = list(full_lots(self.positions(int(rng.choice(sizes, p=shares / shares.sum())), rng)))
        return [
            LotFile(file_name(number, lot, (part, len(lots))), packed(lot)) for part, lot in enumerate(lots, start=1)
        ]

    def positions(self, size: int, rng: np.random.Generator) -> Iterator[Positions]:
        """Yield the positions of a lot on boards of a size, a few at a time."""
        settings = self.settings
        play, finishing, teaching = settings.play, settings.finishing, settings.teaching
        teacher_plays = bool(self.kind == PlayKind.POLICY and self.teacher and rng.random() < teaching.teacher_plays)
        games = self._games(size, self.teacher, None) if teacher_plays else self._games(size, self.net, self.teacher)
        generator = generator_on(games.device, rng)
        if self.kind == PlayKind.POLICY:
            # For as many turns as the longest game has.
            labelled = policy_positions(games, play, teaching, generator, play.max_moves(size * size))
            return _with_values(labelled, teaching)
        if self.kind == PlayKind.SETTLED:
            return _by_game(settled_games(games, play, finishing, generator))
        return _by_game(searched_games(games, settings.searching, play, finishing, generator))

    def _games(self, size: int, net: Path | None, teacher: Path | None) -> GameBatch:
        """Start games of a network: in tensors if they are batched, else on the engine's boards."""
        settings = self.settings
        if settings.batched == "yes":
            longest = settings.play.max_moves(size * size) + size
            many = batch_evaluator_of(net, settings)
            teachers = batch_evaluator_of(teacher, settings) if teacher else None
            return TensorGames(many, size, settings.boards, teachers, longest)
        compile_all(KERNELS)
        network = evaluator_of(net, settings)
        return EngineGames(network, size, settings.boards, teacher_of(teacher, settings) if teacher else None)


class NetworkFile(NamedTuple):
    """A network's file to be sent to another machine."""

    name: str
    content: bytes


def play_elsewhere(play: Play, net: NetworkFile | None, teacher: NetworkFile | None, number: int) -> list[LotFile]:
    """Play a lot on a machine that does not have the networks' files."""
    with tempfile.TemporaryDirectory(prefix="daoqi-") as folder:

        def put(place: str, file: NetworkFile) -> Path:
            path = Path(folder, place, file.name)
            path.parent.mkdir()
            path.write_bytes(file.content)
            return path

        settings = play.settings
        if teacher is not None:
            settings = replace(settings, teacher=str(put("teacher", teacher)))
        return replace(play, net=net and put("net", net), settings=settings).lot(number)


def full_lots(parts: Iterator[Positions]) -> Iterator[Positions]:
    """Join positions until a file is full; the last may have fewer."""
    waiting: list[Positions] = []
    for part in parts:
        waiting.append(part)
        if sum(map(len, waiting)) >= FULL:
            yield joined(waiting)
            waiting = []
    if waiting:
        yield joined(waiting)


def _with_values(labelled: Iterator[LabelledPositions], teaching: Teaching) -> Iterator[Positions]:
    """Yield labelled positions with the values that the settings name."""

    def chosen(pair: LabelledPositions) -> Positions:
        return pair.by_player if teaching.values == "player" else pair.by_teacher

    if teaching.values != "both" and not teaching.ahead:
        yield from map(chosen, labelled)
    elif pairs := list(labelled):
        positions = mixed_positions(pairs) if teaching.values == "both" else joined([chosen(pair) for pair in pairs])
        if teaching.ahead:
            positions = look_ahead(positions, pairs, teaching.ahead)
        for start in range(0, len(positions), FULL):
            yield positions.taken(np.arange(start, min(start + FULL, len(positions))))


def _by_game(games: PlayedGames) -> Iterator[Positions]:
    """Yield the positions of whole games together, so that held-out files share no games with training files."""
    if games.positions is not None:
        order = games.game.sort(stable=True).indices.cpu().numpy()
        for start in range(0, len(order), FULL):
            yield games.positions.taken(order[start : start + FULL])


def write_lot(folder: Path, number: int, found: list[LotFile]) -> int:
    """Write a lot; return the number of its positions. One without any gets an empty file, and is not played again."""
    folder.mkdir(parents=True, exist_ok=True)
    remove_lot(folder, number)
    for file in found or [LotFile(f"{number:06}-0-0{ENDING}", b"")]:
        write_atomically(folder / file.name, file.content)
    return lots_in(folder).get(number, 0)


def remove_lot(folder: Path, number: int) -> None:
    """Remove all files of a lot."""
    for path in files(folder, empty=True):
        if parts_of(path).number == number:
            path.unlink()


def lots_in(folder: Path) -> dict[int, int]:
    """Return the number of positions of each complete lot."""
    sizes: dict[int, int] = {}
    missing: dict[int, int] = {}
    for path in files(folder, empty=True):
        parts = parts_of(path)
        sizes[parts.number] = sizes.get(parts.number, 0) + parts.positions
        missing[parts.number] = missing.get(parts.number, parts.parts) - 1
    return {number: count for number, count in sizes.items() if not missing[number]}
