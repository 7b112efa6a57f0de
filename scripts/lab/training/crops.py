"""Sets of crops to compare, as fractions [left, top, width, height] of a picture, and how a crop becomes an input."""

from __future__ import annotations

import cv2
import numpy as np


def square(side: float, across: float = 0.5, down: float = 0.5) -> tuple[float, float, float, float]:
    """A crop with both sides a share of the picture's, at a place between the edges (0..1)."""
    return (round((1 - side) * across, 4), round((1 - side) * down, 4), side, side)


WHOLE = (0.0, 0.0, 1.0, 1.0)
CROPS = {
    "whole": [WHOLE],
    "scales2": [WHOLE, square(0.7)],
    "scales3": [WHOLE, square(0.85), square(0.55)],
    "scales4": [WHOLE, square(0.85), square(0.7), square(0.55)],
    "cross5": [WHOLE, square(0.85), square(0.55), square(0.7, 0, 0.5), square(0.7, 1, 0.5)],
    "corners7": [WHOLE, square(0.8), square(0.6), square(0.65, 0, 0), square(0.65, 1, 0), square(0.65, 0, 1), square(0.65, 1, 1)],
}


def letterboxed(picture: np.ndarray, crop, side: int) -> np.ndarray:
    """A crop of an RGB picture, fitted into a white square."""
    height, width = picture.shape[:2]
    left, top = round(crop[0] * width), round(crop[1] * height)
    cut = picture[top : top + max(1, round(crop[3] * height)), left : left + max(1, round(crop[2] * width))]
    ratio = side / max(cut.shape[:2])
    size = (max(1, round(cut.shape[1] * ratio)), max(1, round(cut.shape[0] * ratio)))
    fitted = cv2.resize(cut, size, interpolation=cv2.INTER_AREA if ratio < 1 else cv2.INTER_CUBIC)
    out = np.full((side, side, 3), 255, np.uint8)
    y, x = (side - size[1]) // 2, (side - size[0]) // 2
    out[y : y + size[1], x : x + size[0]] = fitted
    return out
