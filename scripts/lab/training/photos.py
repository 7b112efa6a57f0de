"""Reads folders of training photos into source pictures: RGBA cut-outs with the group they belong to.

A group is what should look alike to the network: all photos of one packaged product, all views of one
article in one colour, or, where nothing more is known, the single photo.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

LONGEST_SIDE = 224
PHOTO_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


@dataclass(frozen=True)
class Source:
    """One picture to teach from. `rgba` is height x width x 4, colours not multiplied by coverage; `attract` says whether other members of `group` are positives."""

    rgba: np.ndarray
    group: str
    attract: bool


def read_folder(folder: Path) -> list[Source]:
    """All photos below a folder, in the order of their paths. Unreadable files are skipped."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in PHOTO_SUFFIXES)
    sources = []
    for path in paths:
        bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if bgr is not None:
            group, attract = group_of(path.relative_to(folder))
            sources.append(Source(cut_out(shrink(bgr[:, :, ::-1])), f"{folder.name}/{group}", attract))
    return sources


def group_of(path: Path) -> tuple[str, bool]:
    """The group named by a photo's path, and whether its members attract one another.

    Packaged products (`Packages/...`) and articles (`wb05-orange_main.jpg`, `backpack__2.jpg`) are the same thing in every photo.
    Loose fruit of one variety is alike without being the same: such photos neither attract nor repel one another.
    """
    parts = path.parts
    if "Packages" in parts:
        return "/".join(parts[parts.index("Packages") : -1]), True
    for loose in ("Fruit", "Vegetables"):
        if loose in parts:
            return "/".join(parts[parts.index(loose) : -1]), False
    article = re.match(r"(m|w|u)[a-z]+\d+-[a-z]+", path.stem) or re.match(r".+(?=__\d+$)", path.stem)
    if article:
        return article.group(0), True
    return str(path), True


def shrink(rgb: np.ndarray) -> np.ndarray:
    height, width = rgb.shape[:2]
    ratio = LONGEST_SIDE / max(height, width)
    if ratio >= 1:
        return np.ascontiguousarray(rgb)
    size = (max(1, round(width * ratio)), max(1, round(height * ratio)))
    return cv2.resize(np.ascontiguousarray(rgb), size, interpolation=cv2.INTER_AREA)


def premultiplied(rgba: np.ndarray) -> np.ndarray:
    """RGBA with its colours multiplied by their coverage, as distort.py takes it."""
    out = rgba.copy()
    out[:, :, :3] = (rgba[:, :, :3].astype(np.uint16) * rgba[:, :, 3:] + 127) // 255
    return out


def segmented(source: Source, side: int = 96) -> Source | None:
    """The thing in the middle of a photo that fills its frame, without what lies around it; nothing where no such thing stands out."""
    rgb = np.ascontiguousarray(source.rgba[:, :, :3])
    if source.rgba[:, :, 3].min() < 255:
        return None
    height, width = rgb.shape[:2]
    small = cv2.resize(rgb, (side, side), interpolation=cv2.INTER_AREA)
    mask = np.zeros((side, side), np.uint8)
    edge = side // 12
    cv2.setRNGSeed(1)
    cv2.grabCut(small, mask, (edge, edge, side - 2 * edge, side - 2 * edge), np.zeros((1, 65)), np.zeros((1, 65)), 3, cv2.GC_INIT_WITH_RECT)
    solid = cv2.morphologyEx((mask & 1).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, parts, stats, _ = cv2.connectedComponentsWithStats(solid)
    if count < 2:
        return None
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    left, top, wide, high, area = (int(v) for v in stats[largest])
    if not 0.12 <= area / side**2 <= 0.7 or area < 0.4 * wide * high:
        return None
    cover = cv2.resize((parts == largest).astype(np.uint8) * 255, (width, height), interpolation=cv2.INTER_LINEAR)
    cover = cv2.GaussianBlur(cover, (0, 0), 1)
    rows, columns = np.where((cover > 20).any(axis=1))[0], np.where((cover > 20).any(axis=0))[0]
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return Source(np.ascontiguousarray(np.dstack([rgb, cover])[box]), source.group, source.attract)


def cut_out(rgb: np.ndarray) -> np.ndarray:
    """RGBA, cropped to the object where the photo has a white background; the whole opaque photo where it has not."""
    height, width = rgb.shape[:2]
    opaque = np.dstack([rgb, np.full((height, width), 255, np.uint8)])
    low = rgb.min(axis=2)
    border = np.concatenate([low[0], low[-1], low[:, 0], low[:, -1]])
    if (border > 228).mean() < 0.8:
        return opaque
    bright = ((low > 236) & (rgb.max(axis=2).astype(int) - low < 14)).astype(np.uint8)
    framed = np.pad(bright, 1, constant_values=1)
    cv2.floodFill(framed, None, (0, 0), 2)
    solid = (framed[1:-1, 1:-1] != 2).astype(np.uint8) * 255
    rows, columns = np.where(solid.any(axis=1))[0], np.where(solid.any(axis=0))[0]
    if (solid > 0).mean() < 0.03:
        return opaque
    opaque[:, :, 3] = cv2.blur(solid, (3, 3)) & solid
    return np.ascontiguousarray(opaque[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
