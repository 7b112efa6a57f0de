"""What the network is asked to do: point where the untouched network points, and tell one thing from all others.

The lesson among all things seen so far is in bank.py.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from network import DIMENSIONS


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


def recognise(embedding: torch.Tensor, kin: torch.Tensor, temperature: float) -> tuple[torch.Tensor, float]:
    """InfoNCE between first and second views, both ways, and the share of views that find their partner. Others of the kin do not count against."""
    half = len(embedding) // 2
    scores = embedding @ embedding.T / temperature
    partner = torch.arange(2 * half).roll(half)
    alike = kin[:, None] == kin[None, :]
    alike[torch.arange(2 * half), partner] = False
    scores = scores.masked_fill(alike, -1e4)
    return F.cross_entropy(scores, partner), (scores.argmax(1) == partner).float().mean().item()
