"""A network in each of KataGo's formats gives what torch gave for it; torch need not be installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.ai.network.layout import Padding
from daoqi_tui.ai.network.network import Network
from daoqi_tui.ai.network.reader import read_network
from tests.ai.katago_outputs import FORMATS, PADDINGS, SIZE, stored
from tests.ai.network_reference import furthest
from tests.ai.test_katago_file import content_of, file_with, random_inputs


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("model_format", FORMATS)
def test_numpy_gives_what_torch_gave(tmp_path: Path, model_format: int, padding: Padding) -> None:
    network = Network(read_network(file_with(tmp_path, content_of(model_format)))[1], padding)
    found, wanted = network.run(*random_inputs(model_format, SIZE), SIZE), stored(model_format, padding)
    assert found.score.shape == wanted.score.shape
    assert furthest(found, wanted) < 1e-4
