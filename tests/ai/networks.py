"""The shipped networks, as this machine runs them fastest."""

from __future__ import annotations

from functools import cache

from daoqi_tui.ai import USUAL
from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.nets import NetworkFiles
from daoqi_tui.ai.network.convolution import KERNELS
from daoqi_tui.ai.search import NetworkEvaluator


@cache
def shipped() -> NetworkEvaluator:
    """Return the smaller of the networks that come along."""
    return NetworkFiles().load(USUAL)


def fastest(name: str) -> NetworkEvaluator:
    """Return the network in a file, the larger one in bytes where the processor multiplies these."""
    compile_all(KERNELS)
    return NetworkFiles().load(name)
