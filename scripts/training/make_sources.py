"""Gathers the source pictures of one set, with the teachers' description of each, into files that training reads at random.

A set is a folder of photos, the things that stand out in them (--segment), drawn items, rendered cut-outs or rendered scenes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F

import draw_items
import photos
from crops import CROPS, letterboxed
from photos import Source
from sources import write
from teacher import Teacher

SIDE = 224


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_mutually_exclusive_group(required=True)
    kinds.add_argument("--photos", type=Path, nargs="+", help="folders of photos")
    kinds.add_argument("--renders", type=Path, help="folder of renders (render-views.ts), cut-outs or scenes")
    kinds.add_argument("--drawings", type=int, help="number of items to draw")
    parser.add_argument("--segment", action="store_true", help="take the things that stand out in the photos instead of the photos")
    parser.add_argument("--teachers", type=Path, nargs="*", default=[], help="ONNX files; without them nothing is described")
    parser.add_argument("--crops", default="whole", choices=CROPS, help="parts of a picture that the teachers see; their mean counts")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True, help="name of the set")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    started = time.process_time()
    teachers = [Teacher(path) for path in options.teachers]
    count = write(options.out, options.name, ((source, describe(teachers, source.rgba, CROPS[options.crops])) for source in gather(options)))
    print(f"{options.name}: {count} sources in {time.process_time() - started:.0f} s of computing", flush=True)


def gather(options) -> Iterator[Source]:
    if options.renders:
        yield from photos.read_renders(options.renders)
    elif options.drawings:
        for index in range(options.drawings):
            yield draw_items.draw(options.seed, index, 0)
    else:
        for folder in options.photos:
            for source in photos.read_folder(folder):
                wanted = photos.segmented(source) if options.segment else source
                if wanted is not None:
                    yield wanted


def describe(teachers: list[Teacher], rgba: np.ndarray, crops) -> np.ndarray:
    """What the teachers see on white, each averaged over the crops and of unit length, one after the other; float16."""
    cover = rgba[:, :, 3:].astype(np.float32) / 255
    shown = (rgba[:, :, :3] * cover + 255 * (1 - cover) + 0.5).astype(np.uint8)
    pictures = torch.from_numpy(np.stack([letterboxed(shown, crop, SIDE) for crop in crops])).permute(0, 3, 1, 2).float() / 127.5 - 1
    seen = [F.normalize(F.normalize(teacher(pictures).float(), dim=1).mean(0), dim=0) for teacher in teachers]
    return torch.cat(seen).numpy().astype(np.float16) if seen else np.zeros(0, np.float16)


if __name__ == "__main__":
    main()
