"""The whole course of a training, in one folder. It may be interrupted anywhere and goes on where it was.

The folder holds ``settings.toml``, positions (``teacher``, ``finished``, ``round-1`` …), the state of the learning,
``log.csv``, and ``network.npz``, the network so far, which plays with ``--net``.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from daoqi_tui.ai.network_npz import write_npz
from daoqi_tui.i18n import _
from daoqi_tui.training.beginning import model_from
from daoqi_tui.training.judges import batch_judge_of, device_of, header_of, new_model, settled
from daoqi_tui.training.learn import Learner, Losses, save_model
from daoqi_tui.training.lessons import Lessons
from daoqi_tui.training.model import parameters_of
from daoqi_tui.training.self_play import play_folders, play_until
from daoqi_tui.training.settings import Kind, Learning, Settings
from daoqi_tui.training.settings_file import SettingsError, read_settings, toml_of

SETTINGS: Final = "settings.toml"
NETWORK: Final = "network.npz"
STATE: Final = "state.pt"
LOG: Final = "log.csv"
_TOLD: Final = 40
"""Steps from one line of the log to the next."""


def settings_of(folder: Path, given: Path | None) -> Settings:
    """The settings of a training: those kept in its folder, else those given, which are kept from then on.

    Raises:
        SettingsError: they cannot be used, or the folder's are others than those given.
    """
    kept = folder / SETTINGS
    settings = read_settings(given) if given is not None else Settings()
    if kept.exists():
        held = read_settings(kept)
        if held.batched == "auto":
            # It was begun before games could be batched.
            held = replace(held, batched="no")
        if settings.batched == "auto":
            # As it was settled where the training began, be that on another device.
            settings = replace(settings, batched=held.batched)
        if given is not None and held != settled(settings):
            raise SettingsError(
                f"{folder} was begun with other settings; leave {given.name} out to go on, or edit {kept}"
            )
        return held
    settings = settled(settings)
    folder.mkdir(parents=True, exist_ok=True)
    kept.write_text(toml_of(settings), "utf-8")
    return settings


@dataclass(frozen=True, slots=True)
class Reading:
    """From which stages' positions is learnt.

    Attributes:
        stages: the stages.
        also: earlier ones.
        policy_of: those of whose positions the policy alone is learnt.
        share: how many of the positions learnt from are of ``stages``; None for as many as there are of all.
    """

    stages: Sequence[str]
    also: Sequence[str] = ()
    policy_of: Sequence[str] = ()
    share: float | None = None


class Training:
    """A training under way.

    Args:
        folder: where everything is kept.
        settings: its settings.
        console: where progress is shown.
    """

    def __init__(self, folder: Path, settings: Settings, console: Console | None = None) -> None:
        self._folder = folder
        self._settings = settings = settled(settings)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=console,
        )
        torch.set_num_threads(settings.threads)

    @property
    def network(self) -> Path:
        """The file of the network so far."""
        return self._folder / NETWORK

    def run(self) -> Path:
        """Do what is still to be done; returns the network's file.

        Raises:
            PlayFailed: a process that plays has ended.
            NetError: the teacher, or the network to begin with, cannot be used.
        """
        settings = self._settings
        if settings.begin and not self._weights.exists():
            model = model_from(settings.begin, settings)
            self._folder.mkdir(parents=True, exist_ok=True)
            write_npz(self.network, header_of(settings), parameters_of(model))
            save_model(model, self._weights)
        with self._progress:
            teacher = settings.teacher_file
            if teacher is not None:
                if settings.batched == "yes":
                    # What is wrong with it is told here, not by the process that plays.
                    batch_judge_of(teacher, settings)
                self._play("teacher", settings.teaching.positions, teacher, Kind.RAW)
                self._learn("teacher", Reading(["teacher"]), settings.learning.samples, settings.learning)
            finishing = settings.finishing
            if finishing.positions:
                if not self._is_learnt("finished"):
                    self._play("finished", finishing.positions, self._so_far(), Kind.FINISHED)
                quieter = replace(settings.learning, rate=finishing.rate)
                reading = Reading(["finished"], policy_of=["teacher"])
                self._learn("finished", reading, finishing.samples, quieter, share=finishing.share)
            searching = settings.searching
            quieter = replace(settings.learning, rate=searching.rate)
            for number in range(1, searching.rounds + 1):
                name = f"round-{number}"
                if not self._is_learnt(name):
                    self._play(name, searching.positions, self._so_far(), Kind.SEARCHED)
                rounds = [f"round-{back}" for back in range(max(1, number - searching.kept), number + 1)]
                reading = Reading(rounds, ["finished"], ["teacher"], searching.share)
                self._learn(name, reading, searching.samples, quieter)
        return self.network

    @property
    def _weights(self) -> Path:
        """The weights that the next stage begins with."""
        return self._folder / "weights.pt"

    def _task(self, words: str, total: int) -> TaskID:
        return self._progress.add_task(words, total=total, note="")

    def _so_far(self) -> Path | None:
        """The network so far, if there is any."""
        return self.network if self.network.exists() else None

    def _play(self, name: str, wanted: int, net: Path | None, kind: Kind) -> None:
        task = self._task(_("{stage}: positions").format(stage=name), wanted)
        play_until(
            wanted,
            self._folder / name,
            net,
            self._settings,
            kind=kind,
            tell=lambda there: self._progress.update(task, completed=min(there, wanted)),
        )

    def _state(self, stage: str) -> Path:
        return self._folder / stage / STATE

    def _is_learnt(self, stage: str) -> bool:
        return (self._folder / stage / LOG).exists() and not self._state(stage).exists() and self.network.exists()

    def _learn(
        self,
        stage: str,
        reading: Reading,
        samples: int,
        learning: Learning,
        *,
        share: float = 1.0,
    ) -> None:
        """Learn from the positions of some stages; the weights of the stage before are where it begins.

        Args:
            stage: what is learnt now.
            reading: from which stages.
            samples: how many positions to learn from.
            learning: how.
            share: of the weights learnt in what is kept; the rest are those of the stage before.
        """
        if self._is_learnt(stage):
            return
        settings = self._settings
        folders, also, policy_of = (
            [folder for source in chosen for folder in play_folders(self._folder / source)]
            for chosen in (reading.stages, reading.also, reading.policy_of)
        )
        rng = np.random.default_rng()
        lessons, tests = (
            Lessons(folders, rng, held_out=kept, also=also, policy_of=policy_of, share=reading.share)
            for kept in (False, True)
        )
        weights = self._weights
        if weights.exists():
            # Normalisation was settled when they were learnt.
            learning = replace(learning, fixed=1.0)
        learner = Learner(new_model(settings), learning, device_of(settings), samples)
        if self._state(stage).exists():
            learner.load(self._state(stage))
        elif weights.exists():
            learner.begin_from(weights)
        task = self._task(_("{stage}: learning").format(stage=stage), samples)
        saved, told = time.monotonic(), []
        while not learner.done:
            told.append(learner.step(lessons))
            if len(told) == _TOLD or learner.done:
                tested = learner.test(tests) if len(tests) else None
                self._log(stage, learner, told, tested)
                note = _("policy {loss:.3f}, best move {share:.0%}").format(loss=told[-1].policy, share=told[-1].hits)
                self._progress.update(task, completed=learner.seen, note=note)
                told = []
            if time.monotonic() - saved > learning.save_minutes * 60:
                self._keep(stage, learner)
                saved = time.monotonic()
        self._keep(stage, learner)
        if share < 1.0 and weights.exists():
            learner.mix(weights, share)
            self._write_network(learner)
        learner.save_weights(weights)
        # What is left of a stage that is done is its log.
        self._state(stage).unlink()

    def _keep(self, stage: str, learner: Learner) -> None:
        learner.save(self._state(stage))
        self._write_network(learner)

    def _write_network(self, learner: Learner) -> None:
        write_npz(self.network, header_of(self._settings), parameters_of(learner.averaged))

    def _log(self, stage: str, learner: Learner, told: Sequence[Losses], tested: Losses | None) -> None:
        path = self._folder / stage / LOG
        means = {name: float(np.mean([getattr(losses, name) for losses in told])) for name in asdict(told[0])}
        tests = {f"test_{name}": value for name, value in asdict(tested).items()} if tested else {}
        row = {"samples": learner.seen, "rate": learner.rate(), **means, **tests}
        fresh = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, row, extrasaction="ignore")
            if fresh:
                writer.writeheader()
            writer.writerow({name: f"{value:.6g}" for name, value in row.items()})
