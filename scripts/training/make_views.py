"""Makes rounds of training views from source pictures and lets the teacher describe them.

Round 0 shows each source as a catalogue would; every later round shows it once more, distorted at random. A round is one
.npz file, so that a run that was stopped goes on where it was, and training can start before the last round is made.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch

import draw_items
import photos
from distort import catalogue_view, distorted_view
from photos import Source
from teacher import Teacher


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, nargs="+", required=True, help="folders of photos; they are the backdrops too")
    parser.add_argument("--renders", type=Path, help="take a folder of renders (render-views.ts) instead, 224 pixels a side")
    parser.add_argument("--drawings", type=int, default=0, help="draw so many items instead")
    parser.add_argument("--teacher", type=Path, help="ONNX file of the teacher; without it the views have no descriptions")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True, help="name of this set of sources")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    photo_sources = [source for folder in options.photos for source in photos.read_folder(folder)]
    backdrops = photos.backdrops_of(photo_sources)
    if options.renders:
        maker = renders_of(options.renders)
    elif options.drawings:
        maker = drawings_of(options.drawings, options.seed, backdrops)
    else:
        maker = distortions_of(photo_sources, backdrops)
    teacher = Teacher(options.teacher) if options.teacher else None
    for number in range(options.rounds):
        path = options.out / f"{options.name}-{number:02d}.npz"
        if path.exists():
            continue
        started = time.time()
        pictures, groups, attract = zip(*maker(number, np.random.default_rng([options.seed, number])))
        made = time.time()
        save(path, pictures, groups, attract, describe(teacher, pictures))
        print(f"{path.name}: {len(pictures)} drawn in {made - started:.0f} s, described in {time.time() - made:.0f} s", flush=True)


def distortions_of(sources: list[Source], backdrops):
    """A maker of rounds from photos."""
    return lambda number, rng: [(view_of(source, number, rng, backdrops), source.group, source.attract) for source in sources]


def drawings_of(count: int, seed: int, backdrops):
    """A maker of rounds from drawn items: each a little more than half of the time from another angle than the catalogue's."""

    def make(number, rng):
        for index in range(count):
            source = draw_items.draw(seed, index, number if rng.random() < 0.6 else 0)
            yield view_of(source, number, rng, backdrops), source.group, source.attract

    return make


def renders_of(folder: Path):
    """A maker of rounds from renders, `<item>/<round>.jpg`: these are photo-like already."""
    items = sorted(path for path in folder.iterdir() if path.is_dir())
    return lambda number, rng: [((item / f"{number}.jpg").read_bytes(), f"renders/{item.name}", True) for item in items]


def view_of(source: Source, number: int, rng, backdrops) -> bytes:
    """The source as a catalogue shows it in round 0, distorted with a random severity in all others."""
    severity = rng.uniform(0, 1)
    return catalogue_view(rng, source.rgba) if number == 0 else distorted_view(rng, source.rgba, severity, backdrops)


def describe(teacher: Teacher | None, pictures: Sequence[bytes], batch: int = 32) -> np.ndarray:
    """The teacher's embeddings of JPEG pictures, N x D, float16; N x 0 without a teacher."""
    rows = []
    if teacher is None:
        return np.zeros((len(pictures), 0), np.float16)
    for start in range(0, len(pictures), batch):
        decoded = np.stack([cv2.imdecode(np.frombuffer(p, np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1] for p in pictures[start : start + batch]])
        scaled = torch.from_numpy(np.ascontiguousarray(decoded)).permute(0, 3, 1, 2).float() / 127.5 - 1
        rows.append(teacher(scaled).numpy().astype(np.float16))
    return np.concatenate(rows)


def save(path: Path, pictures: Sequence[bytes], groups: Sequence[str], attract: Sequence[bool], described: np.ndarray) -> None:
    """Writes a round; the file appears under its name only when it is whole."""
    offsets = np.cumsum([0] + [len(p) for p in pictures])
    unfinished = path.with_suffix(".part.npz")
    np.savez(
        unfinished,
        bytes=np.frombuffer(b"".join(pictures), np.uint8),
        offsets=offsets,
        groups=np.array(groups),
        attract=np.array(attract),
        described=described,
    )
    unfinished.rename(path)


if __name__ == "__main__":
    main()
