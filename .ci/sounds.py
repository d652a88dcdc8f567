"""Synthesises the sounds of stones: ``python .ci/sounds.py assets/sounds``."""

from __future__ import annotations

import sys
import wave
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

RATE: Final = 16_000
"""Samples a second."""
_MODES: Final = ((410.0, 0.020, 0.9), (980.0, 0.012, 0.6), (2350.0, 0.006, 0.45), (3900.0, 0.003, 0.3))
"""The modes of a stone on a wooden board: frequency, the seconds until it is at 1/e, and amplitude."""


def click(seconds: float, pitch: float, seed: int) -> NDArray[np.float64]:
    """Return a stone that is put down: decaying modes of the wood, begun by a burst of noise."""
    time = np.arange(round(seconds * RATE)) / RATE
    modes = (share * np.sin(2 * np.pi * pitch * hertz * time) * np.exp(-time / fall) for hertz, fall, share in _MODES)
    burst = np.random.default_rng(seed).normal(size=len(time)) * np.exp(-time / 0.0012)
    sound = np.asarray(sum(modes) + 0.5 * burst)
    return sound * np.linspace(1, 0, len(time))


def stone() -> NDArray[np.float64]:
    return click(0.09, 1.0, 1)


def capture() -> NDArray[np.float64]:
    """Return stones that are lifted into a bowl: quieter, higher clicks, close together."""
    sound = np.zeros(round(0.26 * RATE))
    for number, begin in enumerate((0.0, 0.055, 0.095, 0.15)):
        each = click(0.08, 1.5 + 0.13 * number, number) * (0.9 - 0.15 * number)
        start = round(begin * RATE)
        sound[start : start + len(each)] += each
    return sound


def main(folder: Path) -> None:
    for name, sound in (("stone", stone()), ("capture", capture())):
        samples = np.round(sound / np.abs(sound).max() * 20_000).astype("<i2")
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setparams((1, 2, RATE, len(samples), "NONE", ""))
            file.writeframes(samples.tobytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
