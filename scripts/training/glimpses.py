"""Pictures of all sorts, each with what the teacher sees in every part of it: the lesson that needs no pairs.

A glimpse is a piece of a photo, a view of a source, several things together as on a shop's table, or a thing on white. The teacher's last feature map,
of the same picture, is reduced to its principal components and kept for every cell; the pictures are kept as JPEG.

A set on disc is `<name>.jpegs` (one after the other) and `<name>.glimpses.npz` (where each begins, the maps, their axes).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from distort import catalogue_view, crowd, distorted_view, finish, light
from sources import read_all
from teacher import Teacher
from views import Backdrops, Cutouts

SIDE = 160
COMPONENTS = 256
WHITEN = 0.25
FITTED_ON = 2000
BATCH = 32
SHARES = {"piece": 0.3, "view": 0.25, "crowd": 0.25, "catalogue": 0.2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True, help="folder of sets; the glimpses are written there too")
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--count", type=int, default=40_000)
    parser.add_argument("--name", default="glimpses")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    started = time.process_time()
    write(options, Painter(options.sources, options.seed), Teacher(options.teacher))
    print(f"{options.name}: {options.count} glimpses in {time.process_time() - started:.0f} s of computing", flush=True)


class Painter:
    """Makes pictures (SIDE x SIDE x 3, uint8) of all sets of a folder."""

    def __init__(self, folder: Path, seed: int):
        self.rng = np.random.default_rng(seed)
        sets = read_all(folder)
        self.sets, self.backdrops, self.cutouts = sets, Backdrops(sets), Cutouts(sets)

    def paint(self) -> np.ndarray:
        kind = self.rng.choice(list(SHARES), p=list(SHARES.values()))
        if kind == "piece":
            return self.piece()
        if kind == "crowd":
            return crowd(self.rng, self.cutouts, self.backdrops, SIDE)
        if kind == "catalogue":
            return catalogue_view(self.rng, self.source(), SIDE, 0.5)
        return distorted_view(self.rng, self.source(), self.rng.uniform(0, 0.7), self.backdrops, self.cutouts, SIDE)

    def source(self) -> np.ndarray:
        held = self.sets[self.rng.integers(len(self.sets))]
        return held[self.rng.integers(len(held))]

    def piece(self) -> np.ndarray:
        """A part of a photo that fills its frame, as if it were the whole photo."""
        photo = self.backdrops[self.rng.integers(len(self.backdrops))][:, :, :3]
        height, width = photo.shape[:2]
        share = np.sqrt(self.rng.uniform(0.12, 1))
        sides = [max(32, round(side * min(1, share * stretch))) for side, stretch in zip((height, width), np.exp(self.rng.uniform(-0.25, 0.25, 2)))]
        top, left = (self.rng.integers(whole - part + 1) for whole, part in zip((height, width), sides))
        part = np.ascontiguousarray(photo[top : top + sides[0], left : left + sides[1]])
        fitted = cv2.resize(part, (SIDE, SIDE), interpolation=cv2.INTER_AREA if min(sides) > SIDE else cv2.INTER_LINEAR)
        return finish(light(self.rng, fitted.astype(np.float32), 0.3), 85)


def write(options, painter: Painter, teacher: Teacher) -> None:
    """Writes the set; its table appears under its name only when the set is whole."""
    starts, maps, axes, waiting = [0], [], None, []
    with open(options.sources / f"{options.name}.jpegs", "wb") as jpegs:
        while len(starts) <= options.count:
            pictures = [painter.paint() for _ in range(min(BATCH, options.count + 1 - len(starts)))]
            for picture in pictures:
                jpegs.write(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes())
                starts.append(jpegs.tell())
            waiting.append(teacher.feature_map(torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float() / 127.5 - 1).float())
            if axes is None and (len(waiting) * BATCH >= FITTED_ON or len(starts) > options.count):
                axes = components(torch.cat(waiting).flatten(0, 2))
            if axes is not None:
                maps += [reduce(seen, axes).half().numpy() for seen in waiting]
                waiting = []
    unfinished = options.sources / f"{options.name}.part"
    with open(unfinished, "wb") as table:
        np.savez(table, starts=np.array(starts), maps=np.concatenate(maps))
    unfinished.rename(options.sources / f"{options.name}.glimpses")


def components(cells: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and principal axes of unit vectors (N x D), each axis divided by its deviation to the power 2 x WHITEN."""
    unit = F.normalize(cells, dim=1)
    mean = unit.mean(0)
    values, vectors = torch.linalg.eigh((unit - mean).T @ (unit - mean) / len(unit))
    order = values.argsort(descending=True)[:COMPONENTS]
    return mean, vectors[:, order] * values[order].clamp_min(1e-9) ** -WHITEN


def reduce(maps: torch.Tensor, axes: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    mean, turn = axes
    return F.normalize((F.normalize(maps, dim=-1) - mean) @ turn, dim=-1)


class Glimpses:
    """A set as it was written. Pictures and maps stay on disc; all processes share their pages."""

    def __init__(self, path: Path, seed: int):
        self.rng = np.random.default_rng(seed)
        with np.load(path, allow_pickle=False) as table:
            self.starts, self.maps = table["starts"], table["maps"]
        self.jpegs = np.memmap(path.with_suffix(".jpegs"), np.uint8, "r")

    def batch(self, count: int, side: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Pictures (count x side x side x 3, uint8) in fresh light, half of them mirrored, and their maps (count x G x G x COMPONENTS)."""
        pictures, maps = [], []
        for number in self.rng.integers(len(self.maps), size=count):
            picture = cv2.imdecode(np.asarray(self.jpegs[self.starts[number] : self.starts[number + 1]]), cv2.IMREAD_COLOR)
            if side != SIDE:
                picture = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
            seen = self.maps[number]
            if self.rng.random() < 0.5:
                picture, seen = picture[:, ::-1], seen[:, ::-1]
            pictures.append(np.clip(light(self.rng, picture.astype(np.float32), self.rng.uniform(0, 0.6)), 0, 255).astype(np.uint8))
            maps.append(seen)
        return torch.from_numpy(np.stack(pictures)), torch.from_numpy(np.stack(maps)).float()


def open_glimpses(folder: Path, seed: int) -> Glimpses | None:
    """The glimpses of a folder of sets, if there are any."""
    found = sorted(folder.glob("*.glimpses"))
    return Glimpses(found[0], seed) if found else None


def unlikeness(features: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """1 - cosine between what was made of each cell (N x C x H x W) and what the teacher sees there (N x G x G x C), brought to the same grid."""
    seen = F.interpolate(wanted.permute(0, 3, 1, 2), size=features.shape[2:], mode="bilinear", align_corners=False)
    return 1 - F.cosine_similarity(features, seen, dim=1).mean()


if __name__ == "__main__":
    main()
