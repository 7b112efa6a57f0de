"""Turns a trained network's embedding space so that directions in which views of one thing scatter count less.

The scatter of views about their thing's mean is measured on fresh views of the training sources; the last layer is multiplied by its
inverse to a power (0: nothing changes; 0.5: views scatter alike in all directions). The network costs what it cost before.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import torch
import torch.nn.functional as F

from network import Embedder
from views import Views

RIDGE = 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True, help="folder of sets")
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--power", type=float, default=0.25)
    parser.add_argument("--batches", type=int, default=60, help="of 64 things, two views of each")
    parser.add_argument("--side", type=int, default=160)
    parser.add_argument("--seed", type=int, default=99)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    state = torch.load(options.checkpoint, weights_only=False)
    network = Embedder()
    network.load_state_dict(state["average"])
    network.eval().to(memory_format=torch.channels_last)
    turn = inverse_power(scatter(network, options), options.power)
    state["average"]["project.weight"] = turn @ state["average"]["project.weight"]
    state["average"]["project.bias"] = turn @ state["average"]["project.bias"]
    torch.save(state, options.out)


@torch.no_grad()
def scatter(network: Embedder, options) -> torch.Tensor:
    """Covariance of the difference between two unit embeddings of one thing, halved."""
    views = Views(options.sources, options.seed)
    total, count = torch.zeros(network.project.out_features, network.project.out_features), 0
    for _ in range(options.batches):
        pictures, _ = views.batch(64, options.side)
        with torch.autocast("cpu", torch.bfloat16):
            raw = network((pictures.float() / 127.5 - 1).permute(0, 3, 1, 2))
        first, second = F.normalize(raw.float(), dim=1).chunk(2)
        apart = first - second
        total += apart.T @ apart / 2
        count += len(apart)
    return total / count


def inverse_power(covariance: torch.Tensor, power: float) -> torch.Tensor:
    """The symmetric matrix to the power -`power`, of mean eigenvalue 1; directions with next to no scatter are lifted to RIDGE of the mean scatter."""
    values, vectors = torch.linalg.eigh(covariance)
    factors = values.clamp_min(RIDGE * values.mean()) ** -power
    return vectors @ torch.diag(factors / factors.mean()) @ vectors.T


if __name__ == "__main__":
    main()
