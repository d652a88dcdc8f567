"""The network in numpy equals stored outputs of torch; torch need not be installed."""

from __future__ import annotations

import numpy as np
import pytest

from daoqi_tui.ai.network.network import Network, Outputs
from tests.ai.torch_vectors import CASES, OUTPUTS, Case, by_torch, digest_of, parameters_of, read

cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def assert_close(found: Outputs, kept: Outputs) -> None:
    """Assert near equality: logits reach 60, and each library sums 32-bit floats in another order."""
    for name in OUTPUTS:
        np.testing.assert_allclose(getattr(found, name), getattr(kept, name), rtol=1e-5, atol=1e-4, err_msg=name)


@cases
def test_numpy_gives_what_torch_gave(case: Case) -> None:
    kept, parameters = read(case), parameters_of(case.network)
    assert digest_of(parameters) == kept.weights, "other weights: python -m tests.ai.torch_vectors asks torch again"
    assert_close(Network(parameters, case.padding).run(kept.planes, kept.whole, case.size), kept.outputs)


@cases
def test_torch_still_gives_it(case: Case) -> None:
    kept = read(case)
    assert_close(by_torch(case, kept.planes, kept.whole), kept.outputs)
