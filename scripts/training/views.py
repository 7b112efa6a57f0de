"""Composes batches of pairs: each picture is a view made afresh, so that no view is ever seen twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from distort import catalogue_view, distorted_view
from sources import read_all

NEIGHBOURS = 4
CLOSEST = 0.5


class Views:
    """All sets of a folder. Sources that show one thing share an identity; identities of one kin are not told apart."""

    def __init__(self, folder: Path, seed: int):
        self.rng = np.random.default_rng(seed)
        self.sets = read_all(folder)
        self.places = [(s, i) for s in self.sets for i in range(len(s))]
        sizes = np.array([len(s) for s in self.sets])
        self.starts, self.sizes = np.cumsum(sizes) - sizes, sizes
        groups = np.concatenate([s.groups for s in self.sets])
        attract = np.concatenate([s.attract for s in self.sets])
        names = np.where(attract, groups, [f"{group}#{i}" for i, group in enumerate(groups)])
        _, self.identity = np.unique(names, return_inverse=True)
        _, kin = np.unique(groups, return_inverse=True)
        order = np.argsort(self.identity, kind="stable")
        self.members = np.split(order, np.cumsum(np.bincount(self.identity))[:-1])
        self.kin = kin[[m[0] for m in self.members]]
        things = np.array([len(np.unique(s.groups)) for s in self.sets])
        self.shares = np.sqrt(things) / np.sqrt(things).sum()
        self.backdrops, self.cutouts = Backdrops(self.sets), Cutouts(self.sets)
        self.neighbours = nearest(self.of_identities(self.descriptions()), self.kin)

    def descriptions(self) -> torch.Tensor:
        """What the teachers say of each source; no columns where there was no teacher."""
        return torch.from_numpy(np.concatenate([s.described for s in self.sets])).float()

    def of_identities(self, rows: torch.Tensor) -> torch.Tensor:
        """The mean row of each identity's sources."""
        identity = torch.from_numpy(self.identity)
        total = torch.zeros(len(self.members), rows.shape[1]).index_add_(0, identity, rows)
        return total / torch.bincount(identity)[:, None]

    def batch(self, pairs: int, side: int):
        """Pictures (2 pairs x side x side x 3, uint8) and the numbers of their sources.

        The first half holds the first views, the second half their partners in the same order. A quarter of the identities are
        drawn at random, from each set by the root of its size; the others are their nearest neighbours by the teacher, so that
        telling them apart takes care. Half of the first views are as a catalogue shows them; the partner is often another source.
        """
        drawn = self.rng.choice(len(self.shares), pairs // NEIGHBOURS, p=self.shares)
        anchors = self.starts[drawn] + (self.rng.random(len(drawn)) * self.sizes[drawn]).astype(int)
        firsts = []
        for anchor in anchors:
            near = self.rng.choice(self.neighbours[self.identity[anchor]], NEIGHBOURS - 1, replace=False)
            firsts += [anchor, *(self.rng.choice(self.members[i]) for i in near)]
        seconds = [int(self.rng.choice(self.members[self.identity[first]])) for first in firsts]
        mirrored = self.rng.random(pairs) < 0.5
        clean = self.rng.random(pairs) < 0.5
        pictures = [self.view(i, side, m, c) for i, m, c in zip(firsts, mirrored, clean)]
        pictures += [self.view(i, side, m, False) for i, m in zip(seconds, mirrored)]
        return torch.from_numpy(np.stack(pictures)), torch.tensor([*firsts, *seconds])

    def clean(self, count: int, side: int) -> tuple[torch.Tensor, list[int]]:
        """Catalogue views of some sources (count x side x side x 3, uint8) and the sources' numbers."""
        sources = [int(i) for i in self.rng.choice(len(self.places), count)]
        return torch.from_numpy(np.stack([self.view(i, side, False, True) for i in sources])), sources

    def view(self, index: int, side: int, mirror: bool, clean: bool) -> np.ndarray:
        held, at = self.places[index]
        source = held[at]
        if clean:
            picture = catalogue_view(self.rng, source, side, CLOSEST)
        else:
            picture = distorted_view(self.rng, source, self.rng.random() ** 0.7, self.backdrops, self.cutouts, side)
        return picture[:, ::-1] if mirror else picture


class Backdrops:
    """The pictures that may lie behind others."""

    def __init__(self, sets):
        self.places = [(s, i) for s in sets for i in s.backdrops() if s.name == "photos"]

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> np.ndarray:
        held, at = self.places[number]
        return held[at]


class Cutouts:
    """The things that may stand beside others: sources that do not fill their frame."""

    def __init__(self, sets):
        self.places = [(s, i) for s in sets if s.name in ("segments", "renders") for i in range(len(s))]

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> np.ndarray:
        held, at = self.places[number]
        return held[at]


def nearest(described: torch.Tensor, kin: np.ndarray, count: int = 12) -> np.ndarray:
    """For each identity the numbers of its nearest others, not of its kin, by the teacher; without one, of any others."""
    if described.shape[1] == 0:
        return np.random.default_rng(0).integers(len(described), size=(len(described), count))
    unit = F.normalize(described - described.mean(0), dim=1).bfloat16()
    kin = torch.from_numpy(kin)
    rows = []
    for start in range(0, len(unit), 1024):
        scores = (unit[start : start + 1024] @ unit.T).float()
        scores[kin[start : start + 1024, None] == kin[None, :]] = -2
        rows.append(scores.topk(min(count, len(unit) - 1), dim=1).indices)
    return torch.cat(rows).numpy()
