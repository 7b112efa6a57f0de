"""Fine-tunes the pretrained network on fresh views of the sources that sources.py gathered.

Three losses: distillation from the pretrained network's view of the clean thing (as 256 principal components), InfoNCE between the two
views of each thing in the batch, and classification of each view among all things.
"""

import argparse
import copy
import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from network import DIMENSIONS, Embedder, values_of
from views import Views

PAIRS, RATE, WARM_UP = 48, 3e-4, 15
SIDES, LAST = (128, 160), 0.35
"""Sides of the input: the second for the last share of the run."""
DISTILLATION, CLASSIFICATION, TEMPERATURE = 3.0, 0.5, 0.07
KEEP, FADE = 0.98, 0.6
NOTED_EVERY = 25


class Target:
    """Maps features to unit vectors of the network's dimensions: centred principal components."""

    def __init__(self, mean: torch.Tensor, axes: torch.Tensor):
        self.mean, self.axes = mean, axes

    @classmethod
    def fit(cls, described: torch.Tensor, whiten: float = 0.25) -> "Target":
        """Principal axes of the features, each divided by its standard deviation to the power 2 x `whiten`."""
        unit = F.normalize(described, dim=1)
        mean = unit.mean(0)
        centred = unit - mean
        values, vectors = torch.linalg.eigh(centred.T @ centred / len(centred))
        order = values.argsort(descending=True)[:DIMENSIONS]
        return cls(mean, vectors[:, order] * values[order].clamp_min(1e-9) ** -whiten)

    def __call__(self, described: torch.Tensor) -> torch.Tensor:
        return F.normalize((F.normalize(described, dim=1) - self.mean) @ self.axes, dim=1)


def info_nce(embedding: torch.Tensor, kin: torch.Tensor, temperature: float) -> torch.Tensor:
    """InfoNCE between first and second views, both ways. Others of the same group are no negatives."""
    half = len(embedding) // 2
    scores = embedding @ embedding.T / temperature
    partner = torch.arange(2 * half).roll(half)
    alike = kin[:, None] == kin[None, :]
    alike[torch.arange(2 * half), partner] = False
    return F.cross_entropy(scores.masked_fill(alike, -1e4), partner)


class Prototypes:
    """A unit vector for each identity: the moving average of its views' embeddings. Identities not seen yet are excluded."""

    def __init__(self, kin: np.ndarray):
        self.kin = torch.from_numpy(kin)
        self.rows = torch.zeros(len(kin), DIMENSIONS)
        self.seen = torch.zeros(len(kin), dtype=torch.bool)

    def classify(self, embedding: torch.Tensor, identities: torch.Tensor, temperature: float) -> torch.Tensor:
        """Cross entropy of each embedding's own prototype among all. Others of the same group are no negatives."""
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
        found, which = identities.unique(return_inverse=True)
        mean = torch.zeros(len(found), embedding.shape[1]).index_add_(0, which, embedding)
        self.rows[found] = F.normalize(FADE * self.rows[found] + F.normalize(mean, dim=1), dim=1)
        self.seen[found] = True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True, help="folder of sets")
    parser.add_argument("--out", type=Path, required=True, help="file for the weights")
    parser.add_argument("--minutes", type=float, required=True, help="length of the run by the clock")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    run = Run(options)
    feeder = ThreadPoolExecutor(1)
    upcoming = feeder.submit(run.next_batch)
    while run.progress() < 1:
        batch = upcoming.result()
        upcoming = feeder.submit(run.next_batch)
        run.step(*batch)
    upcoming.result()
    run.save()


@torch.no_grad()
def initial_model(target: Target) -> Embedder:
    """The pretrained network with the target as its linear layer."""
    model = Embedder()
    model.project.weight.copy_(target.axes.T)
    model.project.bias.copy_(-target.mean @ target.axes)
    return model


class Run:

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.views = Views(options.sources, 1000 * options.seed + int(time.time()) % 1000)
        self.identity, self.kin = torch.from_numpy(self.views.identity), torch.from_numpy(self.views.kin)
        described = self.views.descriptions()
        self.target = Target.fit(described)
        seen = self.target(described)
        self.wanted = F.normalize(seen + F.normalize(self.views.of_identities(seen), dim=1)[self.identity], dim=1)
        self.model = initial_model(self.target).to(memory_format=torch.channels_last)
        self.average = copy.deepcopy(self.model).eval()
        self.optimiser = torch.optim.AdamW(self.model.learning(), lr=RATE, weight_decay=0.01)
        self.prototypes = Prototypes(self.views.kin)
        self.prototypes.keep(self.wanted, self.identity)
        self.begun, self.steps = time.time(), 0

    def save(self) -> None:
        unfinished = self.options.out.with_suffix(".part")
        torch.save({"average": self.average.state_dict(), "target": vars(self.target)}, unfinished)
        unfinished.rename(self.options.out)

    def progress(self) -> float:
        """How much of the run is over, 0 to 1."""
        return min(1.0, (time.time() - self.begun) / (60 * self.options.minutes))

    def next_batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self.views.batch(PAIRS, SIDES[self.progress() >= 1 - LAST])

    def step(self, pictures: torch.Tensor, sources: torch.Tensor) -> None:
        rate = RATE * min(1, (self.steps + 1) / WARM_UP) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * self.progress())))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        identities = self.identity[sources]
        embedding = F.normalize(self.model(values_of(pictures)), dim=1)
        distillation = 1 - (embedding * self.wanted[sources]).sum(1).mean()
        contrastive = info_nce(embedding, self.kin[identities], TEMPERATURE)
        classification = self.prototypes.classify(embedding, identities, TEMPERATURE)
        self.optimiser.zero_grad(set_to_none=True)
        (DISTILLATION * distillation + contrastive + CLASSIFICATION * classification).backward()
        torch.nn.utils.clip_grad_norm_(self.model.learning(), 2.0)
        self.optimiser.step()
        self.prototypes.keep(embedding.detach(), identities)
        self.steps += 1
        self.update_average()
        if self.steps % NOTED_EVERY == 0:
            losses = {"distillation": distillation.item(), "contrastive": contrastive.item(), "classification": classification.item()}
            print(f"step {self.steps}, {self.progress():.1%}: {losses}", flush=True)

    @torch.no_grad()
    def update_average(self) -> None:
        """Updates the exponential moving average of the weights, faster at first."""
        keep = min(KEEP, self.steps / (self.steps + 20))
        for kept, new in zip(self.average.parameters(), self.model.parameters()):
            kept.lerp_(new, 1 - keep)


if __name__ == "__main__":
    main()
