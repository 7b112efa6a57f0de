"""How the vectors of the fine-tuned network and of the earlier one are joined: each centred and turned to its principal axes, weighted.

The weights of several runs are first averaged, then with --mix with the untouched ones: it costs nothing at run time and finds more than any single run.
The axes are those of catalogue views of the training photos; a direction counts by its deviation to the power 1 - 2 x `POWER`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from crops import CATALOG, letterboxed
from earlier import Earlier
from graph import Graph
from lessons import Target
from network import DIMENSIONS, Embedder, values_of
from sources import read_all
from train import beginning

POWER = 0.25
BATCH, SIDE = 16, 224
COUNT = 1500
"""Photos that the axes are fitted on."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True, help="folder of sets")
    parser.add_argument("--checkpoint", type=Path, nargs="+", required=True, help="of one or several runs over the same sources")
    parser.add_argument("--earlier", type=Path, required=True, help="folder of the earlier model")
    parser.add_argument("--mix", type=float, default=0.8, help="share of the fine-tuned weights in the average with the untouched ones")
    parser.add_argument("--share", type=float, default=0.4, help="of the earlier network in the similarity of two pictures")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint of the average; .npz beside it says how the two are joined")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    network = averaged([torch.load(path, weights_only=False) for path in options.checkpoint], options.mix)
    pictures = shown(options.sources)
    tuned = F.normalize(torch.cat([embed(network, part) for part in pictures.split(BATCH)]), dim=1)
    earlier = Earlier(options.earlier)
    graph = Graph(SIDE)
    earlier.add_to(graph, graph.resized("smaller", "picture", earlier.side))
    seen = torch.cat([torch.from_numpy(graph.run(values_of(part).permute(0, 2, 3, 1).numpy())) for part in pictures.split(BATCH)])
    joint = {}
    for name, rows in (("tuned", tuned), ("earlier", F.normalize(seen, dim=1))):
        axes = Target.fit(rows, POWER)
        joint[f"{name}_kernel"], joint[f"{name}_bias"] = axes.axes.numpy(), (-axes.mean @ axes.axes).numpy()
    shares = np.sqrt([1 - options.share, options.share])
    np.savez(options.out.with_suffix(".npz"), weights=np.repeat(shares, DIMENSIONS).astype(np.float32), **joint)
    torch.save({"average": network.state_dict()}, options.out)


def averaged(runs: list[dict], mix: float) -> Embedder:
    """The mean of the fine-tuned weights of all runs, and that with the weights that the runs began with."""
    network = beginning(Target(**runs[0]["target"]))
    tuned = {name: sum(run["average"][name] for run in runs) / len(runs) for name in network.state_dict()}
    network.load_state_dict({name: (1 - mix) * value + mix * tuned[name] for name, value in network.state_dict().items()})
    return network.eval().to(memory_format=torch.channels_last)


@torch.no_grad()
def embed(network: Embedder, pictures: torch.Tensor) -> torch.Tensor:
    return network(values_of(pictures))


def shown(folder: Path) -> torch.Tensor:
    """Some photos on white, a random one of the catalogue's crops of each: N x S x S x 3 bytes."""
    rng = np.random.default_rng(5)
    places = [(s, i) for s in read_all(folder) if s.name == "photos" for i in range(len(s))]
    pictures = []
    for number in rng.choice(len(places), min(COUNT, len(places)), replace=False):
        held, at = places[number]
        rgba = held[at].astype(np.float32)
        picture = np.clip(rgba[:, :, :3] + 255 - rgba[:, :, 3:], 0, 255).astype(np.uint8)
        pictures.append(letterboxed(picture, CATALOG[rng.integers(len(CATALOG))], SIDE))
    return torch.from_numpy(np.stack(pictures))


if __name__ == "__main__":
    main()
