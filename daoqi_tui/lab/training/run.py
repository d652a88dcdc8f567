"""Runs a whole training in one folder; it can be interrupted at any time and resumes where it was.

The folder contains ``settings.toml``; for each stage (``teacher``, ``finished``, ``round-1`` …) a folder with its
positions, ``log.csv``, and the checkpoint or the final weights; and ``network.npz``, the current network, which can be
played with ``--net``.
"""

from __future__ import annotations

import csv
import time
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from daoqi_tui.i18n import _, translate
from daoqi_tui.lab.cluster import Cluster
from daoqi_tui.lab.training.dataset import Dataset
from daoqi_tui.lab.training.evaluators import (
    batch_evaluator_of,
    device_of,
    file_of,
    header_of,
    model_from,
    new_model,
    resolved,
)
from daoqi_tui.lab.training.learn import Learner, Losses, save_model
from daoqi_tui.lab.training.lots import Play, lots_in
from daoqi_tui.lab.training.model import Model, parameters_of
from daoqi_tui.lab.training.network_file import Storage, write_npz
from daoqi_tui.lab.training.settings import Learning, PlayKind, Settings, SettingsError, read_settings, toml_of
from daoqi_tui.lab.training.workers import LOTS, PlayFailed, needed, play_until
from daoqi_tui.message import counted_message
from daoqi_tui.paths import naming
from daoqi_tui.record.files import lock_file, write_atomically

SETTINGS: Final = "settings.toml"
NETWORK: Final = "network.npz"
STATE: Final = "state.pt"
LOG: Final = "log.csv"
LOCK: Final = ".lock"
WEIGHTS: Final = "weights.pt"
"""In the training folder, the initial weights; in the folder of a stage, its final weights."""
_SECTIONS: Final = {"teacher": "teaching", "finished": "finishing"}
"""The sections of the settings that say how many positions a stage has; ``searching`` for the others."""
_LOGGED: Final = 40
"""Steps between lines of the log."""


def settings_of(folder: Path, given: Path | None, *, on_cluster: bool = False) -> Settings:
    """Return the settings of a training: those stored in its folder, else the given ones, which are then stored.

    Args:
        folder: of the training.
        given: the settings file of a new one.
        on_cluster: whether its games are played on a cluster.

    Raises:
        SettingsError: they cannot be used, or the folder's settings differ from the given ones.
    """
    kept = folder / SETTINGS
    settings = read_settings(given) if given is not None else Settings()
    has_begun = kept.exists()
    if has_begun:
        held = resolved(read_settings(kept))
        if settings.batched == "auto":
            # As resolved when the training began, even if on another device.
            settings = replace(settings, batched=held.batched)
        if given is not None and held != resolved(settings):
            raise SettingsError(
                f"{folder} was begun with other settings; leave {given.name} out to go on, or edit {kept}"
            )
        settings = held
    else:
        settings = resolved(settings)
    if on_cluster and settings.batched == "yes":
        # Before anything is stored, so that other settings can still be given.
        raise SettingsError(
            'batched games are played by one process on one device; set batched = "no" to play them on a cluster'
        )
    if not has_begun:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(kept, toml_of(settings).encode())
    return settings


@dataclass(frozen=True, slots=True)
class TrainingStages:
    """The stages from whose positions to learn.

    Attributes:
        stages: the stages.
        also: earlier ones.
        policy_of: stages from whose positions only the policy is learnt.
        share: of positions of ``stages`` in a batch; None for their share of all positions.
    """

    stages: Sequence[str]
    also: Sequence[str] = ()
    policy_of: Sequence[str] = ()
    share: float | None = None


class Training:
    """A training run.

    Args:
        folder: where everything is stored.
        settings: its settings.
        console: where progress is shown, by default standard error.
        cluster: plays the games, without batching them on a device; None for processes on this machine. Learning stays
            here.
    """

    def __init__(
        self, folder: Path, settings: Settings, console: Console | None = None, cluster: Cluster | None = None
    ) -> None:
        self._folder = folder
        self._cluster = cluster
        self._settings = settings = resolved(settings)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=console or Console(stderr=True),
        )
        # The initial weights of the next stage.
        self._weights: Path | None = None
        torch.set_num_threads(settings.threads)

    @property
    def network(self) -> Path:
        """The file of the current network."""
        return self._folder / NETWORK

    def run(self) -> Path:
        """Run the remaining stages, and return the network's file.

        Raises:
            InUse: another process trains in the folder.
            PlayFailed: a worker has died, or the games yield no positions.
            Diverged: the loss is no longer finite.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        release = lock_file(self._folder / LOCK, self._folder)
        try:
            return self._run()
        finally:
            release()

    def _run(self) -> Path:
        settings = self._settings
        with self._progress:
            self._weights = self._initial_weights()
            teacher = settings.teacher_file
            if teacher is not None and settings.teaching.positions:
                choice = settings.teaching.player
                player = file_of("teaching.player", choice) if choice else teacher
                if settings.batched == "yes":
                    # So that an error is raised here, not in the worker.
                    batch_evaluator_of(teacher, settings)
                self._play("teacher", settings.teaching.positions, player, PlayKind.POLICY)
                self._learn("teacher", TrainingStages(["teacher"]), settings.learning.samples, settings.learning)
            finishing = settings.finishing
            if finishing.positions:
                if not self._is_learnt("finished"):
                    self._play("finished", finishing.positions, self._so_far(), PlayKind.SETTLED)
                quieter = replace(settings.learning, rate=finishing.rate)
                sources = TrainingStages(["finished"], policy_of=["teacher"])
                self._learn("finished", sources, finishing.samples, quieter, share=finishing.share)
            searching = settings.searching
            quieter = replace(settings.learning, rate=searching.rate)
            for number in range(1, searching.rounds + 1):
                name = f"round-{number}"
                if not self._is_learnt(name):
                    self._play(name, searching.positions, self._so_far(), PlayKind.SEARCHED)
                rounds = [f"round-{back}" for back in range(max(1, number - searching.kept), number + 1)]
                sources = TrainingStages(rounds, ["finished"], ["teacher"], searching.share)
                self._learn(name, sources, searching.samples, quieter)
        return self.network

    def _initial_weights(self) -> Path | None:
        """Return the file of the weights that the training begins with; None for random ones."""
        settings, beginning = self._settings, self._folder / WEIGHTS
        if settings.begin and not beginning.exists():
            # Pruning takes minutes, of an unknown number.
            task = self._task(_("initial weights"), None)
            model = model_from(settings.begin, settings)
            self._write_network(model)
            save_model(model, beginning)
            self._progress.update(task, total=1, completed=1)
        return beginning if beginning.exists() else None

    def _task(self, text: str, total: int | None) -> TaskID:
        return self._progress.add_task(text, total=total, note="")

    def _so_far(self) -> Path | None:
        """Return the current network, if any."""
        return self.network if self.network.exists() else None

    def _play(self, name: str, wanted: int, net: Path | None, kind: PlayKind) -> None:
        task = self._task(_("{stage}: positions").format(stage=name), wanted)
        beyond = play_until(
            wanted,
            self._folder / name,
            Play(name, net, self._settings, kind),
            lambda there: self._progress.update(task, completed=min(there, wanted)),
            self._cluster,
        )
        if beyond and not self._is_learnt(name):
            text = counted_message(
                "{stage}: {count} lot beyond the {wanted} positions is kept, but not learnt; raise {setting} in {file}",
                "{stage}: {count} lots beyond the {wanted} positions are kept, but not learnt; raise {setting} in "
                "{file}",
                beyond,
                stage=name,
                wanted=wanted,
                setting=f"{_SECTIONS.get(name, 'searching')}.positions",
                file=self._folder / SETTINGS,
            )
            self._progress.console.print(translate(text), markup=False, highlight=False, soft_wrap=True)

    def _needed(self, stage: str) -> int | None:
        """Return the number of lots of a stage from which to learn; None for all, where it was not played for this."""
        wanted: int = getattr(self._settings, _SECTIONS.get(stage, "searching")).positions
        return needed(lots_in(self._folder / stage / LOTS), wanted) if wanted else None

    def _state(self, stage: str) -> Path:
        return self._folder / stage / STATE

    def _weights_of(self, stage: str) -> Path:
        """Return the path of a stage's final weights, which exist once it is done."""
        return self._folder / stage / WEIGHTS

    def _is_learnt(self, stage: str) -> bool:
        return self._weights_of(stage).exists() and self.network.exists()

    def _learn(
        self,
        stage: str,
        sources: TrainingStages,
        samples: int,
        learning: Learning,
        *,
        share: float = 1.0,
    ) -> None:
        """Learn from the positions of some stages, starting from the weights of the previous stage.

        Args:
            stage: the current stage.
            sources: the stages whose positions are learnt from.
            samples: the number of positions to learn from.
            learning: rates, batches and losses.
            share: of the new weights in the average with those of the previous stage, which is kept.
        """
        own = self._weights_of(stage)
        if self._is_learnt(stage):
            self._weights = own
            # It still exists if the training was killed just before it was removed.
            self._state(stage).unlink(missing_ok=True)
            return
        settings = self._settings
        folders, also, policy_of = (
            [self._folder / source / LOTS for source in chosen]
            for chosen in (sources.stages, sources.also, sources.policy_of)
        )
        every = (*sources.stages, *sources.also, *sources.policy_of)
        lots = {self._folder / source / LOTS: last for source in every if (last := self._needed(source)) is not None}
        weights = self._weights
        if weights is not None:
            # Normalisation was frozen in the previous stage.
            learning = replace(learning, frozen_norm=1.0)
        learner = Learner(new_model(settings), learning, device_of(settings), samples)
        if self._state(stage).exists():
            learner.load(self._state(stage))
        elif weights is not None:
            learner.begin_from(weights)
        self._mend_log(stage, learner.seen)
        rng = np.random.default_rng((settings.seed, zlib.crc32(stage.encode()), learner.seen))
        dataset, tests = (
            Dataset(
                folders,
                rng,
                held_out=kept,
                also=also,
                policy_of=policy_of,
                share=sources.share,
                needed=lots,
                device=device_of(settings),
            )
            for kept in (False, True)
        )
        if not len(dataset):
            raise PlayFailed(
                f"all {len(tests)} positions of {stage} are held out for testing, so that none is left to learn from; "
                f"edit positions in {self._folder / SETTINGS}"
            )
        task = self._task(_("{stage}: learning").format(stage=stage), samples)
        saved, losses = time.monotonic(), []
        while not learner.done:
            losses.append(learner.step(dataset))
            if len(losses) == _LOGGED or learner.done:
                tested = learner.test(tests) if len(tests) else None
                self._log(stage, learner, losses, tested)
                note = _("policy {loss:.3f}, best move {share:.0%}").format(
                    loss=losses[-1].policy, share=losses[-1].hits
                )
                self._progress.update(task, completed=learner.seen, note=note)
                losses = []
            if time.monotonic() - saved > learning.save_minutes * 60:
                self._keep(stage, learner)
                saved = time.monotonic()
        self._keep(stage, learner)
        if share < 1.0 and weights is not None:
            # The previous weights are not changed: after an interruption here, the checkpoint is averaged with them
            # again.
            learner.mix(weights, share)
            self._write_network(learner.averaged)
        learner.save_weights(own)
        self._weights = own
        self._state(stage).unlink()

    def _keep(self, stage: str, learner: Learner) -> None:
        # First, since it refuses weights that are not finite, from which training could not continue.
        self._write_network(learner.averaged)
        learner.save(self._state(stage))

    def _write_network(self, model: Model) -> None:
        settings = self._settings
        write_npz(self.network, header_of(settings), parameters_of(model), Storage(settings.storage))

    def _mend_log(self, stage: str, seen: int) -> None:
        """Drop the lines of a log that were written after the checkpoint, and a truncated last line."""
        path = self._folder / stage / LOG
        if not path.exists():
            return
        lines = path.read_bytes().splitlines(keepends=True)
        most = float(_rounded(seen))
        kept = [line for line in lines[1:] if line.endswith(b"\n") and float(line.partition(b",")[0]) <= most]
        if lines and lines[0].endswith(b"\n"):
            write_atomically(path, b"".join(lines[:1] + kept))
        else:
            path.unlink()

    def _log(self, stage: str, learner: Learner, losses: Sequence[Losses], tested: Losses | None) -> None:
        path = self._folder / stage / LOG
        means = {name: float(np.mean([getattr(step, name) for step in losses])) for name in asdict(losses[0])}
        tests = {f"test_{name}": value for name, value in asdict(tested).items()} if tested else {}
        row = {"samples": learner.seen, "rate": learner.rate(), **means, **tests}
        fresh = not path.exists()
        with naming(path), path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, row, extrasaction="ignore")
            if fresh:
                writer.writeheader()
            writer.writerow({name: _rounded(value) for name, value in row.items()})


def _rounded(number: float) -> str:
    return f"{number:.6g}"
