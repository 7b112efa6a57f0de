"""What each thing looked like to the network lately: every view is asked which of all things it shows, not of one batch only."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

KEEP = 0.6


class Bank:
    """A unit vector for each identity: the fading mean of its views' embeddings. Identities not seen yet take no part."""

    def __init__(self, kin: np.ndarray, dimensions: int):
        self.kin = torch.from_numpy(kin)
        self.rows = torch.zeros(len(kin), dimensions)
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
