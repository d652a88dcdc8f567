"""Databases for the tests of accounts, of each kind that a server can have."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

_NUMBER = count()


@pytest.fixture(scope="session")
def new_database() -> Iterator[Callable[[str], str]]:
    from tests.play.online.databases import postgresql

    with postgresql() as new:
        yield new


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/server.db"
    new: Callable[[str], str] = request.getfixturevalue("new_database")
    return new(f"test_{os.getpid()}_{next(_NUMBER)}")
