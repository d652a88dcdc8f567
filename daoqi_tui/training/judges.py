"""The networks that play in a training: by numpy on a processor, by torch on a graphics card."""

from __future__ import annotations

from pathlib import Path

import torch

from daoqi_tui.ai.katago import KataGo
from daoqi_tui.ai.katago_format import INPUTS, Header
from daoqi_tui.ai.network import Network
from daoqi_tui.ai.network_files import read
from daoqi_tui.ai.network_judge import Judge
from daoqi_tui.training.model import Model, parameters_of
from daoqi_tui.training.settings import Settings
from daoqi_tui.training.torch_network import TorchNetwork

FORMAT = 8
"""The model format of KataGo's networks whose inputs and outputs ours has."""


def device_of(settings: Settings) -> torch.device:
    """Where torch computes."""
    if settings.device != "auto":
        return torch.device(settings.device)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def new_model(settings: Settings) -> Model:
    """A network that knows nothing yet."""
    torch.manual_seed(settings.seed)
    return Model(settings.shape, *INPUTS[FORMAT])


def header_of(settings: Settings) -> Header:
    """What the network's file says of it."""
    return Header(settings.name, FORMAT, *INPUTS[FORMAT])


def judge_of(net: Path | None, settings: Settings) -> Judge:
    """The network in a file, or one that knows nothing yet; raises ``NetError`` where the file cannot be used."""
    header, parameters = (header_of(settings), parameters_of(new_model(settings))) if net is None else read(net)
    device = device_of(settings)
    return KataGo(header, Network(parameters) if device.type == "cpu" else TorchNetwork(parameters, device))
