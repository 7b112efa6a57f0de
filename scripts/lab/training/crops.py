"""Crops of a picture, as fractions [left, top, width, height], and how a crop becomes an input."""

import cv2
import numpy as np


def square(side: float) -> tuple[float, float, float, float]:
    """A crop from the middle, both its sides a share of the picture's."""
    return (round((1 - side) / 2, 4), round((1 - side) / 2, 4), side, side)


WHOLE = (0.0, 0.0, 1.0, 1.0)
CATALOG = [WHOLE, square(0.85), square(0.55)]
QUERY = [WHOLE, square(0.7), square(0.5)]


def on_white(rgba: np.ndarray) -> np.ndarray:
    cover = rgba[:, :, 3:].astype(np.float32) / 255
    return (rgba[:, :, :3] * cover + 255 * (1 - cover) + 0.5).astype(np.uint8)


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
