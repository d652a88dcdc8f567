"""The networks that play in a training: by numpy on a processor, by torch on a graphics card."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch

from daoqi_tui.ai.katago import KataGo
from daoqi_tui.ai.katago_format import INPUTS, Header, NetError
from daoqi_tui.ai.network import Network
from daoqi_tui.ai.network_files import read
from daoqi_tui.ai.network_judge import Judge
from daoqi_tui.ai.network_parameters import Parameters
from daoqi_tui.training.batch_features import FORMAT
from daoqi_tui.training.batch_judge import BatchNetwork
from daoqi_tui.training.model import Model, parameters_of
from daoqi_tui.training.settings import Settings
from daoqi_tui.training.torch_network import TorchNetwork


def device_of(settings: Settings) -> torch.device:
    """Where torch computes."""
    if settings.device != "auto":
        return torch.device(settings.device)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def settled(settings: Settings) -> Settings:
    """The settings with nothing left open of how games are played on this machine's device."""
    batched = settings.batched
    if batched == "auto":
        batched = "no" if device_of(settings).type == "cpu" else "yes"
    return replace(settings, batched=batched, ladders=settings.ladders and batched == "no")


def new_model(settings: Settings) -> Model:
    """A network that knows nothing yet."""
    torch.manual_seed(settings.seed)
    return Model(settings.shape, *INPUTS[FORMAT])


def header_of(settings: Settings) -> Header:
    """What the network's file says of it."""
    return Header(settings.name, FORMAT, *INPUTS[FORMAT], settings.ladders)


def judge_of(net: Path | None, settings: Settings) -> Judge:
    """The network in a file, or one that knows nothing yet; raises ``NetError`` where the file cannot be used."""
    header, parameters = _read(net, settings)
    device = device_of(settings)
    return KataGo(header, Network(parameters) if device.type == "cpu" else TorchNetwork(parameters, device))


def batch_judge_of(net: Path | None, settings: Settings) -> BatchNetwork:
    """As :func:`judge_of`, for many positions at once.

    Raises:
        NetError: the file cannot be used, or its network sees positions in another way than ours.
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
    return (header_of(settings), parameters_of(new_model(settings))) if net is None else read(net)
