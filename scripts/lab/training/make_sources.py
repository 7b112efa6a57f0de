"""Gathers the source pictures of one set, with what the untouched network sees in each, into files that training reads at random.

A set is a folder of photos, the things that stand out in them (--segment), or drawn items.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch

import draw_items
import photos
from crops import CROPS, letterboxed
from network import Embedder, values_of
from photos import Source
from sources import write

SIDE = 224


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_mutually_exclusive_group(required=True)
    kinds.add_argument("--photos", type=Path, nargs="+", help="folders of photos")
    kinds.add_argument("--drawings", type=int, help="number of items to draw")
    parser.add_argument("--segment", action="store_true", help="take the things that stand out in the photos instead of the photos")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True, help="name of the set")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    started = time.process_time()
    untouched = Embedder()
    count = write(options.out, options.name, ((source, describe(untouched, source.rgba)) for source in gather(options)))
    print(f"{options.name}: {count} sources in {time.process_time() - started:.0f} s of computing", flush=True)


def gather(options) -> Iterator[Source]:
    if options.drawings:
        for index in range(options.drawings):
            yield draw_items.draw(options.seed, index, 0)
    else:
        for folder in options.photos:
            for source in photos.read_folder(folder):
                wanted = photos.segmented(source) if options.segment else source
                if wanted is not None:
                    yield wanted


@torch.no_grad()
def describe(untouched: Embedder, rgba: np.ndarray) -> np.ndarray:
    """What the network sees on white; float16, of unit length."""
    cover = rgba[:, :, 3:].astype(np.float32) / 255
    shown = (rgba[:, :, :3] * cover + 255 * (1 - cover) + 0.5).astype(np.uint8)
    picture = torch.from_numpy(letterboxed(shown, CROPS["whole"][0], SIDE)[None])
    return untouched.features(values_of(picture))[0].numpy().astype(np.float16)


if __name__ == "__main__":
    main()
