"""What the network is asked to do: point where the untouched network points, and tell one thing from all others, of a batch and of all seen lately."""

import numpy as np
import torch
import torch.nn.functional as F

from network import DIMENSIONS

KEEP = 0.6


class Target:
    """Maps descriptions to unit vectors of the network's dimensions: centred principal components."""

    def __init__(self, mean: torch.Tensor, axes: torch.Tensor):
        self.mean, self.axes = mean, axes

    @classmethod
    def fit(cls, described: torch.Tensor, whiten: float = 0.25) -> "Target":
        """Principal axes of the descriptions, each divided by its deviation to the power 2 x `whiten`."""
        unit = F.normalize(described, dim=1)
        mean = unit.mean(0)
        centred = unit - mean
        values, vectors = torch.linalg.eigh(centred.T @ centred / len(centred))
        order = values.argsort(descending=True)[:DIMENSIONS]
        return cls(mean, vectors[:, order] * values[order].clamp_min(1e-9) ** -whiten)

    def __call__(self, described: torch.Tensor) -> torch.Tensor:
        return F.normalize((F.normalize(described, dim=1) - self.mean) @ self.axes, dim=1)


def recognise(embedding: torch.Tensor, kin: torch.Tensor, temperature: float) -> torch.Tensor:
    """InfoNCE between first and second views, both ways. Others of the kin do not count against."""
    half = len(embedding) // 2
    scores = embedding @ embedding.T / temperature
    partner = torch.arange(2 * half).roll(half)
    alike = kin[:, None] == kin[None, :]
    alike[torch.arange(2 * half), partner] = False
    return F.cross_entropy(scores.masked_fill(alike, -1e4), partner)


class Bank:
    """A unit vector for each identity: the fading mean of its views' embeddings. Identities not seen yet take no part."""

    def __init__(self, kin: np.ndarray):
        self.kin = torch.from_numpy(kin)
        self.rows = torch.zeros(len(kin), DIMENSIONS)
        self.seen = torch.zeros(len(kin), dtype=torch.bool)

    def recognise(self, embedding: torch.Tensor, identities: torch.Tensor, temperature: float) -> torch.Tensor:
        """Cross entropy of finding the own row among all rows, where there is one. Others of the kin do not count against."""
        asked = self.seen[identities]
        if not asked.any():
            return torch.zeros(())
        own = identities[asked]
        scores = embedding[asked] @ self.rows.T
        hidden = (self.kin[own][:, None] == self.kin[None, :]) | ~self.seen[None, :]
        hidden[torch.arange(len(own)), own] = False
        return F.cross_entropy((scores / temperature).masked_fill(hidden, -1e4), own)

    @torch.no_grad()
    def keep(self, embedding: torch.Tensor, identities: torch.Tensor) -> None:
        """Moves the rows of the identities towards the mean of their views."""
        found, which = identities.unique(return_inverse=True)
        mean = torch.zeros(len(found), embedding.shape[1]).index_add_(0, which, embedding)
        self.rows[found] = F.normalize(KEEP * self.rows[found] + F.normalize(mean, dim=1), dim=1)
        self.seen[found] = True
