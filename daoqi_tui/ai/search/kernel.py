"""The choice of a move by PUCT, written to be compiled by numba; it does what numpy does, to the last bit.

A node has a few hundred moves, for which each of numpy's dozen calls costs more than its arithmetic.
"""

from __future__ import annotations

from typing import Any


def select(  # noqa: PLR0917 (compiled code takes no named arguments)
    visits: Any,  # noqa: ANN401
    completed: Any,  # noqa: ANN401
    value_sum: Any,  # noqa: ANN401
    policy: Any,  # noqa: ANN401
    unvisited: float,
    weight: float,
) -> int:
    """Return the index of the highest PUCT value, as :meth:`PuctNode.select_puct`, in numbers of 32 bits.

    Args:
        visits: of each move.
        completed: how many of these have a value.
        value_sum: the sum of these values.
        policy: its probability.
        unvisited: the value of a move without any.
        weight: of the policy.
    """
    # A number of 64 bits would make numba compute in these; passing one of 32 bits takes longer than the choice.
    single = policy.dtype.type
    unknown, scale, one = single(unvisited), single(weight), single(1.0)
    best = 0
    most = unknown
    for index in range(len(visits)):
        count = completed[index]
        value = unknown
        if count > 0:
            value = value_sum[index] / count
        value += scale * policy[index] / (one + visits[index])
        if index == 0 or value > most:
            best = index
            most = value
    return best
