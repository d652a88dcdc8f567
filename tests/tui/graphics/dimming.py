"""How bright stones are in pictures: read from the pixels, with the formulas of WCAG 2."""

from __future__ import annotations

from typing import Any

import numpy as np

LEAST = 1.5
"""The least contrast of the board and of each stone with their dimmed copies."""


def luminance(pixels: np.ndarray[Any, Any]) -> float:
    """The mean relative luminance of pixels, red, green and blue from 0 to 255."""
    share = pixels.reshape(-1, pixels.shape[-1])[:, :3] / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return float((linear @ np.array([0.2126, 0.7152, 0.0722])).mean())


def contrast(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """The contrast of the means of two areas."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def point_at(picture: np.ndarray[Any, Any], x: float, y: float, point: tuple[float, float]) -> np.ndarray[Any, Any]:
    """The pixels of a stone around the mark of the last move, or of as much wood, given the middle of its point."""
    reach = min(point)
    left, top = max(0, int(x - reach)), max(0, int(y - reach))
    around = picture[top : int(y + reach), left : int(x + reach)]
    high, wide = around.shape[:2]
    away = np.hypot(np.arange(wide) + left - x + 0.5, np.arange(high)[:, None] + top - y + 0.5)
    return around[(away > 0.2 * reach) & (away < 0.42 * reach)]
