"""Trains a network by gradient descent; its state can be saved as a checkpoint and resumed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.ai.network import SCORE_UNIT
from daoqi_tui.lab.training.dataset import Batch, Dataset
from daoqi_tui.lab.training.model import Model
from daoqi_tui.lab.training.muon import Muon
from daoqi_tui.lab.training.settings import Learning
from daoqi_tui.record.files import write_atomically


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of a batch: cross entropies minus the targets' entropy, and Huber losses."""

    policy: float
    value: float
    lead: float
    spread: float
    owner: float
    hits: float
    """The share of positions in which the most likely move is that of the target."""


class Diverged(Exception):
    """The loss is no longer finite; the text is one sentence."""


class Learner:
    """A network in training, with a moving average of its weights.

    Args:
        model: the network.
        learning: rates, batches and losses.
        device: the device it is trained on.
        samples: the total number of samples; the learning rate decays towards their end.
    """

    def __init__(self, model: Model, learning: Learning, device: torch.device, samples: int) -> None:
        # All batches of a size have the same shape, so that trying all algorithms once pays.
        torch.backends.cudnn.benchmark = device.type == "cuda"
        # A CPU without bfloat16 instructions emulates it, and trains about ten times as slowly.
        # Any such instructions (AVX-512 or AMX) are faster in torch than float32.
        self._in_bfloat16 = device.type != "cpu" or _cpu_has("avx512_bf16") or _cpu_has("amx_bf16")
        # The layout that bfloat16 instructions take; on other processors it was not measured.
        self._layout = torch.channels_last if self._in_bfloat16 else torch.contiguous_format
        self.model = model.to(device, memory_format=self._layout)
        self.average = torch.optim.swa_utils.AveragedModel(
            self.model,
            multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(learning.ema_decay),
            use_buffers=True,
        )
        self.seen = 0
        self.samples = samples
        self._learning = learning
        self._device = device
        # On CUDA, torch 2.11 compiles it to code whose gradients are not finite.
        self._compiled_sizes = learning.compiled if device.type == "cpu" else ()
        # The compiler takes seconds to load; it compiles when a size first occurs.
        self._compiled = torch.compile(self.model, dynamic=False) if self._compiled_sizes else self.model
        # With one output channel, there is nothing to orthogonalise.
        convolutions = [weights for weights in model.parameters() if weights.ndim == 4 and len(weights) > 1]
        ours = {id(weights) for weights in convolutions}
        others = [weights for weights in model.parameters() if id(weights) not in ours]
        self._muon = Muon(convolutions, learning.rate, learning.weight_decay)
        self._adam = torch.optim.AdamW(others, lr=learning.rate, betas=(0.9, 0.99), weight_decay=0.0)

    @property
    def done(self) -> bool:
        """True if all samples have been seen."""
        return self.seen >= self.samples

    def rate(self) -> float:
        """Return the current learning rate: a linear warm-up, then cosine decay to a hundredth."""
        share = self.seen / self.samples
        if share < self._learning.warmup:
            return self._learning.rate * max(share / self._learning.warmup, 0.01)
        gone = (share - self._learning.warmup) / (1.0 - self._learning.warmup)
        return self._learning.rate * (0.01 + 0.99 * 0.5 * (1.0 + math.cos(math.pi * min(gone, 1.0))))

    def step(self, dataset: Dataset) -> Losses:
        """Learn from one batch.

        Raises:
            Diverged: the loss is not finite; no weight changes.
        """
        for optimizer, share in ((self._muon, 1.0), (self._adam, self._learning.adamw_rate)):
            for group in optimizer.param_groups:
                group["lr"] = self.rate() * share
        self.model.train()
        if self.seen >= (1.0 - self._learning.frozen_norm) * self.samples:
            fix_norms(self.model)
        batch = dataset.draw(self._learning.batch)
        is_compiled = batch.planes.shape[-1] in self._compiled_sizes
        loss, losses = self._losses(self._compiled if is_compiled else self.model, batch)
        if not math.isfinite(float(loss.detach())):
            raise Diverged(
                f"after {self.seen} samples the loss is no number any more; the learning rate is too high, so lower it "
                "in settings.toml and begin the stage anew, without its state.pt"
            )
        self.model.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self._muon.step()
        self._adam.step()
        # Restart the average until the first steps, which are far off, are over.
        if self.seen < 50 * self._learning.batch:
            self.average.n_averaged.zero_()
        self.average.update_parameters(self.model)
        self.seen += len(batch.whole)
        return losses

    def test(self, dataset: Dataset) -> Losses:
        """Return the losses of the averaged network on a batch, without training."""
        self.average.eval()
        with torch.no_grad():
            return self._losses(self.average, dataset.draw(self._learning.batch))[1]

    def _losses(self, model: torch.nn.Module, batch: Batch) -> tuple[Tensor, Losses]:
        learning = self._learning
        target, value, owned = batch.policy, batch.value, batch.owner
        planes = batch.planes.contiguous(memory_format=self._layout)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
            outputs = model(planes, batch.whole)
        plays, wins, scores, owner = (output.float() for output in outputs)
        policy = functional.kl_div(functional.log_softmax(plays, dim=1), target, reduction="batchmean")
        known = value[:, 0] >= 0
        off_win, off_lead, off_spread = value_losses(wins, scores, value)
        win, lead, spread = _mean_of(off_win, known), _mean_of(off_lead, known), _mean_of(off_spread, value[:, 2] >= 0)
        owning = _mean_of(entropies_beyond(2.0 * owner, (1.0 + owned) / 2).mean(dim=1), known)
        loss = learning.policy * policy + learning.value * win + learning.lead * lead
        loss = loss + learning.spread * spread + learning.ownership * owning
        hits = (plays.argmax(dim=1) == target.argmax(dim=1)).float().mean()
        # A single copy: each waits for the device.
        return loss, Losses(*torch.stack((policy, win, lead, spread, owning, hits)).detach().tolist())

    @property
    def averaged(self) -> Model:
        """The network with the averaged weights."""
        return cast("Model", self.average.module)

    # Saving and resuming

    def save(self, path: Path) -> None:
        """Write the whole state to a file, atomically."""
        state = {
            "model": self.model.state_dict(),
            "average": self.average.state_dict(),
            "muon": self._muon.state_dict(),
            "adam": self._adam.state_dict(),
            "seen": self.seen,
        }
        _write(state, path)

    def save_weights(self, path: Path) -> None:
        """Write only the averaged weights, for another stage to start from."""
        save_model(self.averaged, path)

    def mix(self, path: Path, share: float) -> None:
        """Average the weights with those written by :meth:`save_weights`; ``share`` is the share of the own ones."""
        before = torch.load(path, map_location=self._device, weights_only=True)
        with torch.no_grad():
            for name, own in self.averaged.state_dict().items():
                if own.is_floating_point():
                    own.lerp_(before[name], 1.0 - share)

    def begin_from(self, path: Path) -> None:
        """Start from weights written by :meth:`save_weights`."""
        state = torch.load(path, map_location=self._device, weights_only=True)
        self.model.load_state_dict(state)
        self.averaged.load_state_dict(state)

    def load(self, path: Path) -> None:
        """Resume from a checkpoint written by :meth:`save`."""
        state = torch.load(path, map_location=self._device, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self._muon.load_state_dict(state["muon"])
        self._adam.load_state_dict(state["adam"])
        self.seen = state["seen"]


def _cpu_has(instructions: str) -> bool:
    """Return whether the CPU has these instructions; False with older releases of torch, which cannot tell."""
    capabilities: Callable[[], dict[str, Any]] = getattr(torch.cpu, "get_capabilities", dict)
    return bool(capabilities().get(instructions))


def fix_norms(model: torch.nn.Module) -> None:
    """Freeze batch normalisation at its running statistics for the rest of the training.

    All boards of a batch have one size, so the batch statistics are those of the size. A network trained only with
    these is off when it plays with those of all sizes, especially on rare sizes.
    """
    for part in model.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            part.eval()


def save_model(model: Model, path: Path) -> None:
    """Write only a network's weights, for a learner to start from."""
    _write(model.state_dict(), path)


def _write(state: dict[str, Any], path: Path) -> None:
    packed = BytesIO()
    torch.save(state, packed)
    write_atomically(path, packed.getvalue())


def value_losses(wins: Tensor, scores: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the losses of win rate, lead and spread for each position: nats beyond the target's, and Huber.

    Args:
        wins: the logits of win and loss, shape ``(positions, 2)`` or more.
        scores: the outputs for the mean score, its spread and the lead, shape ``(positions, 3)`` or more.
        target: win rate, lead in points, and its standard deviation; a negative number is not known, and the loss there
            is to be left out.
    """
    win = entropies_beyond(wins[:, 0] - wins[:, 1], target[:, 0].clamp(0.0, 1.0))
    # The mean score and the lead have the same target.
    leads = target[:, 1:2].expand(-1, 2) / SCORE_UNIT
    lead = functional.huber_loss(scores[:, (0, 2)], leads, reduction="none", delta=0.5).mean(dim=1)
    spreads = target[:, 2].clamp(min=0.0) / SCORE_UNIT
    return win, lead, functional.huber_loss(functional.softplus(scores[:, 1]), spreads, reduction="none")


def entropies_beyond(logits: Tensor, chances: Tensor) -> Tensor:
    """Return binary cross entropies minus the entropies of their targets."""
    least = functional.binary_cross_entropy(chances, chances, reduction="none")
    return functional.binary_cross_entropy_with_logits(logits, chances, reduction="none") - least


def _mean_of(losses: Tensor, known: Tensor) -> Tensor:
    """Return the mean loss of the positions that have a target; 0 if none has."""
    return (losses * known).sum() / known.sum().clamp(min=1)
