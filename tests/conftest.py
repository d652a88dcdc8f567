"""Fixed profiles for property tests: the default is quick and the same on every machine and run.

``DAOQI_TESTS=thorough python -m pytest tests/engine`` looks at many more, and new, examples.
"""

from __future__ import annotations

import os

# As in the player's process; numpy reads it when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings

# No deadline: a slow machine is not a failure.
settings.register_profile(
    "quick",
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    max_examples=1500,
    stateful_step_count=120,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("DAOQI_TESTS", "quick"))
