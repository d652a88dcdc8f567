"""The optimizer of convolutions: orthogonal updates, and steps as long as the rate says."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so there is nothing to learn with")

from daoqi_tui.lab.training.muon import Muon, orthogonal  # noqa: E402 - needs torch


@pytest.mark.parametrize("shape", [(4, 36), (36, 4), (16, 16)])
def test_singular_values_come_near_to_one(shape: tuple[int, int]):
    torch.manual_seed(3)
    rows, columns = shape
    matrix = torch.logspace(0, 1, rows)[:, None] * torch.randn(shape) * torch.logspace(0, 1, columns)
    found = orthogonal(matrix)
    assert found.shape == matrix.shape
    values = torch.linalg.svdvals(found)
    # The polynomial is tuned for speed: it ends at about 0.7 to 1.2, while those of the matrix span decades.
    assert 0.5 < float(values.min()) <= float(values.max()) < 1.35
    assert float(torch.linalg.svdvals(matrix).max() / torch.linalg.svdvals(matrix).min()) > 3


def test_a_step_is_as_long_as_the_rate_says_whatever_the_gradient():
    for strength in (1e-3, 1e3):
        torch.manual_seed(1)
        weights = torch.nn.Parameter(torch.zeros(8, 8, 3, 3))
        muon = Muon([weights], 0.1, 0.0)
        weights.grad = torch.randn(8, 8, 3, 3) * strength
        muon.step()
        # Eight singular values of about the rate each.
        assert float(weights.detach().norm()) == pytest.approx(0.1 * 8**0.5, rel=0.25)


def test_weights_without_gradient_stay_and_decay_shrinks_the_others():
    still, shrinking = torch.nn.Parameter(torch.ones(2, 2)), torch.nn.Parameter(torch.ones(2, 2))
    muon = Muon([still, shrinking], 0.5, 0.1)
    shrinking.grad = torch.zeros(2, 2)
    muon.step()
    assert torch.equal(still, torch.ones(2, 2))
    assert torch.allclose(shrinking, torch.full((2, 2), 0.95))
