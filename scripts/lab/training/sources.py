"""Sets of source pictures on disc: `<name>.bin` holds their premultiplied RGBA one after the other, `<name>.npz` what is known of each.

As a program it gathers a set from folders of photos, or with --segment from the things that stand out in them, with what the
pretrained network sees in each.
"""

import argparse
import time
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import torch

import photos
from crops import WHOLE, letterboxed, on_white
from network import Embedder, values_of

SIDE = 224


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, nargs="+", required=True, help="folders of photos")
    parser.add_argument("--segment", action="store_true", help="take the things that stand out in the photos instead of the photos")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True, help="name of the set")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    started = time.process_time()
    pretrained = Embedder()
    read = (source for folder in options.photos for source in photos.read_folder(folder))
    wanted = (source for source in map(photos.segmented, read) if source) if options.segment else read
    count = write(options.out, options.name, ((source, describe(pretrained, source.rgba)) for source in wanted))
    print(f"{options.name}: {count} sources in {time.process_time() - started:.0f} s of computing", flush=True)


@torch.no_grad()
def describe(pretrained: Embedder, rgba: np.ndarray) -> np.ndarray:
    """What the network sees on white; float16, of unit length."""
    picture = torch.from_numpy(letterboxed(on_white(rgba), WHOLE, SIDE)[None])
    return pretrained.features(values_of(picture))[0].numpy().astype(np.float16)


def write(folder: Path, name: str, described: Iterable[tuple[photos.Source, np.ndarray]]) -> int:
    """Writes a set and returns its size. The table appears under its name only when the set is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    shapes, groups, attract, descriptions = [], [], [], []
    with open(folder / f"{name}.bin", "wb") as pixels:
        for source, description in described:
            pixels.write(photos.premultiplied(source.rgba).tobytes())
            shapes.append(source.rgba.shape[:2])
            groups.append(source.group)
            attract.append(source.attract)
            descriptions.append(description)
    unfinished = folder / f"{name}.part.npz"
    np.savez(unfinished, shapes=np.array(shapes), groups=np.array(groups), attract=np.array(attract), described=np.stack(descriptions))
    unfinished.rename(folder / f"{name}.npz")
    return len(shapes)


class SourceSet:
    """A set as it was written; pictures are read from a memory-mapped file that all processes share."""

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


if __name__ == "__main__":
    main()
