"""Sets of source pictures on disc: `<name>.bin` holds their premultiplied RGBA one after the other, `<name>.npz` what is known of each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from photos import Source, premultiplied


def write(folder: Path, name: str, described: Iterable[tuple[Source, np.ndarray]]) -> int:
    """Writes a set and returns its size. The table appears under its name only when the set is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    shapes, groups, attract, descriptions = [], [], [], []
    with open(folder / f"{name}.bin", "wb") as pixels:
        for source, description in described:
            pixels.write(premultiplied(source.rgba).tobytes())
            shapes.append(source.rgba.shape[:2])
            groups.append(source.group)
            attract.append(source.attract)
            descriptions.append(description)
    unfinished = folder / f"{name}.part.npz"
    np.savez(unfinished, shapes=np.array(shapes), groups=np.array(groups), attract=np.array(attract), described=np.stack(descriptions))
    unfinished.rename(folder / f"{name}.npz")
    return len(shapes)


class SourceSet:
    """A set as it was written; pictures are read from the file when they are asked for, and all processes share its pages."""

    def __init__(self, folder: Path, name: str):
        with np.load(folder / f"{name}.npz") as table:
            self.shapes, self.groups, self.attract, self.described = (table[key] for key in ("shapes", "groups", "attract", "described"))
        self.name = name
        self.pixels = np.memmap(folder / f"{name}.bin", np.uint8, "r")
        self.starts = np.concatenate([[0], np.cumsum(self.shapes.prod(axis=1) * 4)])

    def __len__(self) -> int:
        return len(self.shapes)

    def __getitem__(self, index: int) -> np.ndarray:
        """Premultiplied RGBA."""
        return self.pixels[self.starts[index] : self.starts[index + 1]].reshape(*self.shapes[index], 4)

    def backdrops(self) -> list[int]:
        """Numbers of the pictures that fill their frame and are large enough to lie behind others."""
        return [i for i in range(len(self)) if self.shapes[i].min() > 100 and self[i][0, 0, 3] == 255 and self[i][-1, -1, 3] == 255]


def read_all(folder: Path) -> list[SourceSet]:
    return [SourceSet(folder, path.stem) for path in sorted(folder.glob("*.npz")) if not path.stem.endswith(".part")]
