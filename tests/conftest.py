"""Profiles for property tests: the default one is quick and deterministic.

``DAOQI_TESTS=thorough python -m pytest tests/engine`` tries many more, and new, examples; :mod:`tests.thorough` has
what else runs longer then.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import sys

# As in the player's process; numpy reads it when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from PIL.Image import Image

from daoqi_tui.ai import nets
from daoqi_tui.commands import screen as commands
from daoqi_tui.i18n import language, use_language
from daoqi_tui.paths import NoHome, assets_folder, own_folder
from daoqi_tui.pictures import raster
from daoqi_tui.pictures.palettes import RGB
from tests import plugin
from tests.thorough import THOROUGH

# Else each of the hundreds of processes that the tests start would compile the program's modules anew, and each run the
# tests: this takes most of the time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The compiled kernels are kept for all programs that the tests start: compiling them takes a minute of CPU time. They
# are kept apart from the user's, because so are the indexes of the tests' games.
_CACHE = "daoqi-tui-tests"
with suppress(NoHome):
    if (_cache := own_folder("cache").parent).name != _CACHE:
        os.environ["XDG_CACHE_HOME"] = str(_cache / _CACHE)

_numbers = itertools.count()

# The programs under test would inherit signals that are ignored where the tests start (``nohup``, a background job
# of a script), but not signals that have a handler.
for _signal in (signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        signal.signal(_signal, lambda *_: None)

# No deadline: a slow machine is not a failure.
settings.register_profile(
    "quick",
    max_examples=30,
    stateful_step_count=30,
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


def pytest_configure(config: pytest.Config) -> None:
    # Not among `pytest_plugins`: those of a folder do not see the doctests of the package.
    if not config.pluginmanager.is_registered(plugin):
        config.pluginmanager.register(plugin)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Remove the time limit of tests in thorough mode."""
    if THOROUGH:
        for item in items:
            item.add_marker(pytest.mark.timeout(0))


@pytest.fixture(autouse=True, scope="session")
def _shipped_networks_are_read_once() -> Iterator[None]:
    """Keep their parameters for all players of this process: reading the larger one takes a second."""
    read, kept = nets.read, {}

    def read_once(path: Path) -> object:
        if path.parent != assets_folder():
            return read(path)
        if path not in kept:
            kept[path] = read(path)
        return kept[path]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nets, "read", read_once)
        yield


@pytest.fixture(autouse=True, scope="session")
def _palettes_of_pictures_are_found_once() -> Iterator[None]:
    """Keep the 256 colours found for the stones and marks of a theme at a size: each takes a tenth of a second."""
    find, found = raster._quantized, {}

    def find_once(atlas: raster.Floats, signs: Sequence[RGB]) -> Image:
        key = atlas.shape, blake2b(atlas.tobytes()).digest(), *signs
        if key not in found:
            found[key] = find(atlas, signs)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster, "_quantized", find_once)
        yield


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new folder, as pytest does, without a look at those of the thousands of tests before."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}{next(_numbers)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def _words_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restore the language and the names of commands after each test, since they are set for the whole process."""
    monkeypatch.setattr(commands, "_rebound", commands._rebound)
    before, variable = language(), os.environ.get("LANGUAGE")
    yield
    use_language(before)
    os.environ.pop("LANGUAGE", None)
    if variable is not None:
        os.environ["LANGUAGE"] = variable
