"""Composes batches of pairs: each picture is a view made afresh, so that no view is ever seen twice."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from distort import catalogue_view, distorted_view
from sources import read_all

NEIGHBOURS = 4
MILDER = 0.6
CLOSEST = 0.5


class Views:
    """All sets of a folder. Sources that show one thing share an identity; identities of one kin are never negatives."""

    def __init__(self, folder: Path, seed: int):
        self.rng = np.random.default_rng(seed)
        self.sets = read_all(folder)
        self.sources = [s[i] for s in self.sets for i in range(len(s))]
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
        self.photographed = np.concatenate([np.full(len(s), s.name == "photos") for s in self.sets])
        self.several = [m for m in self.members if self.photographed[m].sum() > 1]
        things = np.array([len(np.unique(s.groups)) for s in self.sets])
        self.shares = np.sqrt(things) / np.sqrt(things).sum()
        self.backdrops = [s[i] for s in self.sets if s.name == "photos" for i in s.backdrops()]
        self.cutouts = [s[i] for s in self.sets if s.name == "segments" for i in range(len(s))]
        self.neighbours = nearest(self.of_identities(self.descriptions()), self.kin)

    def descriptions(self) -> torch.Tensor:
        return torch.from_numpy(np.concatenate([s.described for s in self.sets])).float()

    def of_identities(self, rows: torch.Tensor) -> torch.Tensor:
        identity = torch.from_numpy(self.identity)
        total = torch.zeros(len(self.members), rows.shape[1]).index_add_(0, identity, rows)
        return total / torch.bincount(identity)[:, None]

    def batch(self, pairs: int, side: int):
        """Pictures (2 pairs x side x side x 3, uint8) and the numbers of their sources.

        The first half holds the first views, the second half their partners in the same order. A quarter of the identities are
        drawn at random: half of these from the things of which there are several photos, the others from each set by the root of its size. The
        rest are hard negatives: their nearest neighbours by the pretrained network. Half of the first views are as a
        catalogue shows them; the partner is another photo of the thing where there is one, and then distorted less.
        """
        anchors = [self.anchor() for _ in range(pairs // NEIGHBOURS)]
        firsts = []
        for anchor in anchors:
            near = self.rng.choice(self.neighbours[self.identity[anchor]], NEIGHBOURS - 1, replace=False)
            firsts += [anchor, *(self.rng.choice(self.members[i]) for i in near)]
        seconds = [self.partner(first) for first in firsts]
        mirrored = self.rng.random(pairs) < 0.5
        clean = self.rng.random(pairs) < 0.5
        pictures = [self.view(i, side, m, c) for i, m, c in zip(firsts, mirrored, clean)]
        pictures += [self.view(i, side, m, False, MILDER if i != first and self.photographed[[i, first]].all() else 1) for i, first, m in zip(seconds, firsts, mirrored)]
        return torch.from_numpy(np.stack(pictures)), torch.tensor([*firsts, *seconds])

    def anchor(self) -> int:
        if self.several and self.rng.random() < 0.5:
            return int(self.rng.choice(self.several[self.rng.integers(len(self.several))]))
        drawn = self.rng.choice(len(self.shares), p=self.shares)
        return int(self.starts[drawn] + self.rng.integers(self.sizes[drawn]))

    def partner(self, source: int) -> int:
        """Another source of the same thing, or itself where there is none."""
        others = [m for m in self.members[self.identity[source]] if m != source]
        return int(self.rng.choice(others)) if others else source

    def view(self, index: int, side: int, mirror: bool, clean: bool, severity: float = 1) -> np.ndarray:
        source = self.sources[index]
        if clean:
            picture = catalogue_view(self.rng, source, side, CLOSEST)
        else:
            picture = distorted_view(self.rng, source, severity * self.rng.random() ** 0.7, self.backdrops, self.cutouts, side)
        return picture[:, ::-1] if mirror else picture


def nearest(described: torch.Tensor, kin: np.ndarray, count: int = 12) -> np.ndarray:
    """For each identity the numbers of its nearest others, not of its kin, by the pretrained network."""
    unit = F.normalize(described - described.mean(0), dim=1)
    kin = torch.from_numpy(kin)
    rows = []
    for start in range(0, len(unit), 1024):
        scores = unit[start : start + 1024] @ unit.T
        scores[kin[start : start + 1024, None] == kin[None, :]] = -2
        rows.append(scores.topk(min(count, len(unit) - 1), dim=1).indices)
    return torch.cat(rows).numpy()
