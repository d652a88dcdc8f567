"""Builds the networks of a training: the model to train and the players, in numpy on a CPU, in torch on a GPU."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import torch

from daoqi_tui.ai import USUAL
from daoqi_tui.ai.nets import NO_NET, NetworkFiles, compiled_runner_of, file_for, named_file, read
from daoqi_tui.ai.network import INPUTS, Header, NetError
from daoqi_tui.ai.network.network import Block, CorrectedNetwork, LoadedNetwork, Parameters
from daoqi_tui.ai.network.torch_network import TorchNetwork
from daoqi_tui.ai.search import NetworkEvaluator
from daoqi_tui.engine import LARGEST
from daoqi_tui.lab.training.batch_evaluator import BatchNetwork
from daoqi_tui.lab.training.batch_features import FORMAT
from daoqi_tui.lab.training.model import Model, load_parameters, parameters_of
from daoqi_tui.lab.training.pruning import prune, sampled_positions
from daoqi_tui.lab.training.settings import CORRECTED, NetworkShape, Settings


def device_of(settings: Settings) -> torch.device:
    """Return the torch device."""
    if settings.device != "auto":
        return torch.device(settings.device)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def resolved(settings: Settings) -> Settings:
    """Return the settings with ``batched`` resolved for this machine's device."""
    batched = settings.batched
    if batched == "auto":
        one_by_one = device_of(settings).type == "cpu" or settings.teaching.values == CORRECTED
        batched = "no" if one_by_one else "yes"
    return replace(settings, batched=batched, ladders=settings.ladders and batched == "no")


def new_model(settings: Settings) -> Model:
    """Return an untrained network."""
    torch.manual_seed(settings.seed)
    return Model(settings.shape, *INPUTS[FORMAT])


def model_from(choice: str, settings: Settings) -> Model:
    """Return the network in a file as a model to train further; its blocks are pruned to ``shape.middle``.

    Args:
        choice: the file, or ``auto`` for the smaller built-in one.
        settings: with the same shape as the network, or with narrower blocks.

    Raises:
        NetError: the file cannot be used, or its network has another shape.
    """
    file = file_of("begin", choice)
    header, parameters = read(file)
    model = new_model(settings)
    if load_parameters(model, parameters):
        return model
    wide = _wider_model(parameters, settings.shape)
    if wide is None:
        raise NetError(
            f"{header.name} is not of the shape that the settings name; [shape] must say how it was made, but for "
            "middle and pooled, which may be less"
        )
    prune(wide, model, *sampled_positions(evaluator_of(file, settings), settings))
    return model


def _wider_model(parameters: Parameters, shape: NetworkShape) -> Model | None:
    """Return a network of plain blocks as a model, None if it differs from a shape in more than their widths.

    Neither ``middle`` nor ``pooled`` of the shape may exceed what the network has.
    """
    poolings = [block.pooling for block in parameters.blocks if isinstance(block, Block) and block.pooling is not None]
    pooled = min((len(pooling.norm.scale) for pooling in poolings), default=0)
    if not 0 < shape.middle <= shape.channels - pooled or (poolings and shape.pooled > pooled):
        return None
    model = Model(replace(shape, middle=0, pooled=pooled), *INPUTS[FORMAT])
    return model if load_parameters(model, parameters) else None


def file_of(setting: str, choice: str) -> Path:
    """Return the file of the network that a setting names: a file, or ``auto`` for the smaller built-in one.

    Raises:
        NetError: it does not name a network.
    """
    if not choice.strip() or choice == NO_NET:
        raise NetError(
            f"{setting} is {choice!r}, which is no network; give a file, or auto for the one that comes along"
        )
    return named_file(choice)


def header_of(settings: Settings) -> Header:
    """Return the header of the network's file."""
    return Header(settings.name, FORMAT, *INPUTS[FORMAT], settings.ladders)


def evaluator_of(net: Path | None, settings: Settings) -> NetworkEvaluator:
    """Return the network in a file, or an untrained one; raises ``NetError`` if the file cannot be used.

    On a CPU what numba compiles evaluates it, in bytes where the processor multiplies these.
    """
    header, parameters = _read(net, settings)
    device = device_of(settings)
    on_cpu = device.type == "cpu"
    return LoadedNetwork(header, compiled_runner_of(parameters) if on_cpu else TorchNetwork(parameters, device))


def teacher_of(net: Path, settings: Settings) -> NetworkEvaluator:
    """As :func:`evaluator_of`, with corrected values where the settings say so."""
    network = evaluator_of(net, settings)
    if settings.teaching.values != CORRECTED:
        return network
    return CorrectedNetwork(network, NetworkFiles().load(file_for(USUAL)), LARGEST + 1)


def batch_evaluator_of(net: Path | None, settings: Settings) -> BatchNetwork:
    """As :func:`evaluator_of`, for many positions at once.

    Raises:
        NetError: the file cannot be used, or its network has other inputs than ours.
    """
    header, parameters = _read(net, settings)
    if header.format != FORMAT:
        raise NetError(
            f"{header.name} has model format {header.format}; games can be batched with format {FORMAT} alone: "
            'set batched = "no", or take another teacher'
        )
    device = device_of(settings)
    return BatchNetwork(TorchNetwork(parameters, device), device)


def _read(net: Path | None, settings: Settings) -> tuple[Header, Parameters]:
    if net is None:
        return header_of(settings), parameters_of(new_model(settings))
    try:
        changed = net.stat().st_mtime_ns
    except OSError:
        # Reading reports what is wrong with it.
        return read(net)
    return _read_once(net, changed)


@lru_cache(maxsize=2)
def _read_once(net: Path, changed: int) -> tuple[Header, Parameters]:  # noqa: ARG001 - a changed file is read again
    """Return the content of a file, so that a worker does not read the player and the teacher anew for each lot."""
    return read(net)
