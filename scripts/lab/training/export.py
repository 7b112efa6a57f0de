"""Writes the model that ships: two networks that see one picture, their unit vectors joined, as a TensorFlow.js graph model with its manifest and golden pair.
`npm run bench -- vision --confidence --write` adds the calibration.

The golden pair is a drawn picture and the embedding that PyTorch computes for it, in 32-bit floats, from the weights as stored.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import cv2
import numpy as np
import torch

from crops import CATALOG, QUERY, WHOLE, letterboxed, on_white
from earlier import Earlier
from graph import Graph
from network import Convolution, Embedder, MEAN, SCALE
from photos import read_folder

SIDE = 224


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True, help="the fine-tuned network")
    parser.add_argument("--earlier", type=Path, required=True, help="folder of the earlier model that it is joined with")
    parser.add_argument("--joint", type=Path, required=True, help="how the two are joined, written by join.py")
    parser.add_argument("--version", required=True)
    parser.add_argument("--drawings", type=Path, required=True, help="folder of pictures, the first of which is the golden one")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    network = Embedder()
    network.load_state_dict(torch.load(options.checkpoint, weights_only=False)["average"])
    graph = joined_graph(network, Earlier(options.earlier), np.load(options.joint))
    probe = np.random.default_rng(0).uniform(-1, 1, (2, SIDE, SIDE, 3)).astype(np.float32)
    exact = graph.run(probe)
    graph.write(options.out, "Loupe scripts/lab/training/export.py")
    rounded = graph.run(probe)
    write_golden(options, graph)
    write_manifest(options, exact.shape[1])
    print(f"weights.bin {(options.out / 'weights.bin').stat().st_size} bytes; storage error {np.abs(rounded - exact).max() / np.abs(exact).max():.1e}")


def joined_graph(network: Embedder, earlier: Earlier, joint) -> Graph:
    """Each network's unit vector, centred, turned and made a unit vector again; both weighted and joined."""
    graph = Graph(SIDE)
    halves = [fine_tuned(graph, network), earlier.add_to(graph, graph.resized("smaller", "picture", earlier.side))]
    parts = []
    for name, half in zip(("tuned", "earlier"), halves):
        turned = graph.dense(f"{name}/turned", graph.unit(f"{name}/unit", half), joint[f"{name}_kernel"], joint[f"{name}_bias"])
        parts.append(graph.unit(f"{name}/vector", turned))
    graph.weighted("embedding", graph.joined("joined", parts), joint["weights"])
    return graph


def fine_tuned(graph: Graph, network: Embedder) -> str:
    last = convolution(graph, "tuned/stem", network.stem, "picture")
    for number, block in enumerate(network.blocks):
        within = last
        for place, each in enumerate(block.convolutions):
            within = convolution(graph, f"tuned/block{number}_{place}", each, within)
        last = graph.sum(f"tuned/block{number}", within, last) if block.shortcut else within
    features = graph.unit("tuned/features", graph.pooled("tuned/pool", convolution(graph, "tuned/head", network.head, last)))
    project = network.project
    return graph.dense("tuned/project", features, array(project.weight.T), array(project.bias))


def convolution(graph: Graph, name: str, module: Convolution, source: str) -> str:
    depthwise = module.groups > 1
    kernel = module.weight.permute(2, 3, 0, 1) if depthwise else module.weight.permute(2, 3, 1, 0)
    return graph.convolution(name, source, array(kernel), array(module.bias), module.stride, "Relu6" if module.bent else None, depthwise)


def array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().contiguous().float().numpy()


def write_golden(options, graph: Graph) -> None:
    """golden.png, exactly of the input's size, and the unit embedding that every backend must give for it."""
    out = options.out
    picture = letterboxed(on_white(read_folder(options.drawings)[0].rgba), WHOLE, SIDE)
    cv2.imwrite(str(out / "golden.png"), picture[:, :, ::-1])
    raw = graph.run(((picture.astype(np.float32) - MEAN) * np.float32(SCALE))[None])[0]
    unit = raw / np.linalg.norm(raw)
    golden = {"picture": "golden.png", "pictureDigest": digest(out / "golden.png"), "tolerance": 1e-3, "embedding": [round(float(v), 7) for v in unit]}
    (out / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")


def write_manifest(options, dimensions: int) -> None:
    out = options.out
    manifest = {
        "id": "loupe-eye",
        "version": options.version,
        "format": "tfjs-graph",
        "file": "model.json",
        "input": {"name": "picture", "width": SIDE, "height": SIDE, "layout": "nhwc", "channels": "rgb", "mean": [MEAN] * 3, "scale": [SCALE] * 3,
                  "fit": "contain", "background": [255, 255, 255], "kernel": "mitchell"},
        "output": {"name": "embedding", "dimensions": dimensions},
        "views": {"catalog": CATALOG, "query": QUERY},
        "calibration": None,
        "licence": "Apache-2.0",
        "description": "Tells bags, watches and other products apart: a fine-tuned EfficientNet-Lite0 joined with the network of loupe-eye 0.4.1 (docs/model-card.md).",
        "digests": {name: digest(out / name) for name in ("model.json", "weights.bin")},
        "golden": "golden.json",
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
