"""Makes a checkpoint of the bundled model, so that training can go on from what ships (train.py --from).

The batch norms were folded into the convolutions when the model was exported. They are put back with the means and deviations that fresh views
have there, which changes no output of the network at rest, and its outputs in training as little as can be.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import torch

from network import Convolution, Embedder
from views import Views


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=Path(__file__).parents[2] / "workers/embedder/bundled", help="folder with model.json")
    parser.add_argument("--sources", type=Path, required=True, help="folder of sets")
    parser.add_argument("--batches", type=int, default=12, help="of 64 things, two views of each")
    parser.add_argument("--side", type=int, default=128)
    parser.add_argument("--seed", type=int, default=98)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    network = folded(read_weights(options.model)).eval()
    views = Views(options.sources, options.seed)
    unfold(network, [views.batch(64, options.side)[0] for _ in range(options.batches)])
    torch.save({"average": network.state_dict(), "target": None}, options.out)


def read_weights(folder: Path) -> dict[str, np.ndarray]:
    """The weights of a layers model by name, as export.py wrote them."""
    manifest = json.loads((folder / "model.json").read_text())["weightsManifest"][0]
    stored = b"".join((folder / path).read_bytes() for path in manifest["paths"])
    weights, at = {}, 0
    for entry in manifest["weights"]:
        count, steps = int(np.prod(entry["shape"])), entry["quantization"]
        values = np.frombuffer(stored, "<u2", count, at).astype(np.float32) * np.float32(steps["scale"]) + np.float32(steps["min"])
        weights[entry["name"]] = values.reshape(entry["shape"])
        at += 2 * count
    return weights


@torch.no_grad()
def folded(weights: dict[str, np.ndarray]) -> Embedder:
    """The network with norms that only add the folded bias."""
    network = Embedder()
    for name, module in convolutions(network).items():
        module.convolve.weight.copy_(torch.from_numpy(weights[f"{name}/kernel"].transpose(3, 2, 0, 1).copy()))
        module.norm.weight.fill_((1 + module.norm.eps) ** 0.5)
        module.norm.bias.copy_(torch.from_numpy(weights[f"{name}/bias"].copy()))
    network.project.weight.copy_(torch.from_numpy(weights["embedding/kernel"].T.copy()))
    network.project.bias.copy_(torch.from_numpy(weights["embedding/bias"].copy()))
    return network


def convolutions(network: Embedder) -> dict[str, Convolution]:
    """All convolutions by their name in the exported model."""
    named = {"stem": network.stem}
    for number, block in enumerate(network.blocks, 1):
        named |= {f"block{number}_{part}": getattr(block, part) for part in ("first", "second", "shortcut") if getattr(block, part) is not None}
    return named


@torch.no_grad()
def unfold(network: Embedder, batches: list[torch.Tensor]) -> None:
    """Gives each norm the mean and variance of its inputs over the batches, and the scale and shift that undo them."""
    tallies = {module: [] for module in convolutions(network).values()}
    hooks = [module.convolve.register_forward_hook(lambda _, __, out, tally=tally: tally.append(moments(out))) for module, tally in tallies.items()]
    for pictures in batches:
        network((pictures.float() / 127.5 - 1).permute(0, 3, 1, 2))
    for hook in hooks:
        hook.remove()
    for module, tally in tallies.items():
        means, squares = (torch.stack(parts).mean(0) for parts in zip(*tally))
        norm, variance = module.norm, (squares - means**2).clamp_min(1e-8)
        norm.bias.add_(means)
        norm.weight.copy_(torch.sqrt(variance + norm.eps))
        norm.running_mean.copy_(means)
        norm.running_var.copy_(variance)


def moments(out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return out.mean((0, 2, 3)), out.square().mean((0, 2, 3))


if __name__ == "__main__":
    main()
