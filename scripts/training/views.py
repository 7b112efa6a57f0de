"""Reads rounds of training views and composes batches of pairs from them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import torch

NEIGHBOURS = 4


class Views:
    """All rounds in a folder; rounds that appear later join at `refresh`."""

    def __init__(self, folder: Path, seed: int):
        self.folder = folder
        self.rng = np.random.default_rng(seed)
        self.sets: dict[str, list] = {}
        self.seen: set[str] = set()
        self.sources = np.zeros((0, 2), int)
        self.batches = 0
        self.refresh()

    def refresh(self) -> None:
        """Takes in the rounds that have been finished since the last call."""
        for path in sorted(self.folder.glob("*-[0-9][0-9].npz")):
            if path.name not in self.seen:
                self.seen.add(path.name)
                with np.load(path) as stored:
                    self.sets.setdefault(path.name.rsplit("-", 1)[0], []).append({key: stored[key] for key in stored.files})
        if sum(len(rounds[0]["groups"]) for rounds in self.sets.values() if len(rounds) > 1) > len(self.sources):
            self.index()

    def index(self) -> None:
        """Numbers the sources of all sets that have distorted rounds, and finds their groups and neighbours."""
        names = [name for name, rounds in self.sets.items() if len(rounds) > 1]
        self.sources = np.array([(s, i) for s, name in enumerate(names) for i in range(len(self.sets[name][0]["groups"]))])
        self.ready = [self.sets[name] for name in names]
        sizes = np.array([len(rounds[0]["groups"]) for rounds in self.ready])
        self.starts, self.shares = np.cumsum(sizes) - sizes, np.sqrt(sizes) / np.sqrt(sizes).sum()
        self.sizes = sizes
        labels = np.concatenate([rounds[0]["groups"] for rounds in self.ready])
        self.attract = np.concatenate([rounds[0]["attract"] for rounds in self.ready])
        _, self.group = np.unique(labels, return_inverse=True)
        order = np.argsort(self.group, kind="stable")
        bounds = np.searchsorted(self.group[order], np.arange(self.group.max() + 2))
        self.members = [order[bounds[g] : bounds[g + 1]] for g in range(self.group.max() + 1)]
        self.neighbours = nearest(self.clean_descriptions())

    def clean_descriptions(self) -> torch.Tensor:
        """The teacher's embeddings of the undistorted sources."""
        return torch.from_numpy(np.concatenate([rounds[0]["described"] for rounds in self.ready])).float()

    def batch(self, pairs: int, side: int):
        """Pictures (2 pairs x side x side x 3, uint8), the teacher's descriptions of them and of their sources, and group numbers.

        The first half holds the first views, the second half their partners in the same order. A quarter of the sources are
        drawn at random, from each set by the root of its size; the others are their nearest neighbours by the teacher, so that telling them apart takes care.
        """
        self.batches += 1
        if self.batches % 100 == 0:
            self.refresh()
        sets = self.rng.choice(len(self.shares), pairs // NEIGHBOURS, p=self.shares)
        anchors = self.starts[sets] + (self.rng.random(len(sets)) * self.sizes[sets]).astype(int)
        near = self.neighbours[anchors][:, self.rng.permutation(self.neighbours.shape[1])[: NEIGHBOURS - 1]]
        chosen = np.concatenate([anchors[:, None], near], axis=1).ravel()
        partners = [self.partner(index) for index in chosen]
        mirrored = self.rng.random(pairs) < 0.5
        halves = [(index, 0 if self.rng.random() < 0.5 else None) for index in chosen], [(index, None) for index in partners]
        pictures, described, clean = [], [], []
        for half in halves:
            for (index, number), mirror in zip(half, mirrored):
                stored, at = self.pick(index, number)
                pictures.append(self.decode(stored, at, side, mirror))
                described.append(stored["described"][at])
                clean.append(self.ready[self.sources[index][0]][0]["described"][at])
        groups = torch.from_numpy(np.concatenate([self.group[chosen], self.group[partners]]))
        return torch.from_numpy(np.stack(pictures)), torch.from_numpy(np.stack(described)).float(), torch.from_numpy(np.stack(clean)).float(), groups

    def partner(self, index: int) -> int:
        """Another source of the same group, half of the time, where its members are the same thing."""
        members = self.members[self.group[index]]
        if len(members) == 1 or not self.attract[index] or self.rng.random() < 0.5:
            return index
        return int(self.rng.choice(members))

    def pick(self, index: int, number: int | None):
        which, at = self.sources[index]
        rounds = self.ready[which]
        return rounds[self.rng.integers(1, len(rounds)) if number is None else number], at

    def decode(self, stored, at: int, side: int, mirror: bool) -> np.ndarray:
        """The picture at the wanted side, mirrored or not, sometimes cut a little closer, in slightly other light."""
        start, end = stored["offsets"][at], stored["offsets"][at + 1]
        picture = cv2.imdecode(stored["bytes"][start:end], cv2.IMREAD_COLOR_RGB)
        if self.rng.random() < 0.5:
            full = picture.shape[0]
            window = int(full * self.rng.uniform(0.8, 1))
            top, left = self.rng.integers(full - window + 1, size=2)
            picture = picture[top : top + window, left : left + window]
        picture = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
        if mirror:
            picture = picture[:, ::-1]
        gain = self.rng.uniform(0.85, 1.15) * self.rng.uniform(0.95, 1.05, 3)
        return cv2.multiply(np.ascontiguousarray(picture), (*gain, 1.0))


def nearest(described: torch.Tensor, count: int = 12) -> np.ndarray:
    """For each source the numbers of its nearest others by the teacher; without one, of any others."""
    if described.shape[1] == 0:
        return np.random.default_rng(0).integers(len(described), size=(len(described), count))
    unit = torch.nn.functional.normalize(described - described.mean(0), dim=1)
    rows = []
    for start in range(0, len(unit), 1024):
        scores = unit[start : start + 1024] @ unit.T
        scores[torch.arange(len(scores)), torch.arange(start, start + len(scores))] = -2
        rows.append(scores.topk(min(count, len(unit) - 1), dim=1).indices)
    return torch.cat(rows).numpy()
