"""Stored outputs of the reader in torch for a small network in each of KataGo's formats that differ, without torch.

    python -m tests.ai.katago_outputs

rewrites ``katago_outputs.npz`` and requires torch.
"""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from daoqi_tui.ai.network.layout import Padding
from daoqi_tui.ai.network.network import Outputs
from tests.ai.katago_reference import TorchKataGo
from tests.ai.test_katago_file import content_of, file_with, random_inputs

FILE: Final = Path(__file__).with_suffix(".npz")
FORMATS: Final = (5, 7, 8, 14, 16)
PADDINGS: Final[tuple[Padding, ...]] = ("wrap", "zero")
SIZE: Final = 7
_NAMES: Final = ("policy", "value", "score", "ownership")


def stored(model_format: int, padding: Padding) -> Outputs:
    """Return what torch found for the inputs of :func:`random_inputs`."""
    with np.load(FILE) as held:
        return Outputs(*(held[f"{model_format} {padding} {name}"] for name in _NAMES))


def main() -> None:
    kept = {}
    for model_format, padding in product(FORMATS, PADDINGS):
        with tempfile.TemporaryDirectory() as folder:
            reference = TorchKataGo(file_with(Path(folder), content_of(model_format)), padding)
        found = reference.run(*random_inputs(model_format, SIZE), SIZE)
        kept |= {f"{model_format} {padding} {name}": np.float32(getattr(found, name)) for name in _NAMES}
    np.savez_compressed(FILE, **kept)


if __name__ == "__main__":
    main()
