"""The shipped network, loaded once."""

from __future__ import annotations

from functools import cache

from daoqi_tui.ai.nets import NetworkFiles
from daoqi_tui.ai.protocol import USUAL
from daoqi_tui.ai.search.evaluator import NetworkEvaluator


@cache
def shipped() -> NetworkEvaluator:
    """Return the smaller of the networks that come along."""
    return NetworkFiles().load(USUAL)
