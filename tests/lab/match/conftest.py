"""Gives engines ample time to start and to respond."""

from tests.gtp.conftest import _patient_engines  # noqa: F401
