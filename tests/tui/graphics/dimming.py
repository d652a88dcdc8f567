"""How bright stones are in pictures: read from the pixels, with the formulas of WCAG 2."""

from __future__ import annotations

from typing import Any

import numpy as np

LEAST = 1.25
"""The least contrast of a stone with its dimmed copies."""


def luminance(pixels: np.ndarray[Any, Any]) -> float:
    """The mean relative luminance of pixels, red, green and blue from 0 to 255."""
    share = pixels.reshape(-1, pixels.shape[-1])[:, :3] / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return float((linear @ np.array([0.2126, 0.7152, 0.0722])).mean())


def contrast(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """The contrast of the means of two areas."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def stone_at(picture: np.ndarray[Any, Any], x: float, y: float, point: tuple[float, float]) -> np.ndarray[Any, Any]:
    """The pixels of a stone to the right of the mark of the last move, given the middle of its point."""
    reach = min(point)
    left, top = round(x + 0.2 * reach), round(y - 0.15 * reach)
    return picture[top : round(y + 0.15 * reach), left : round(x + 0.35 * reach)]
