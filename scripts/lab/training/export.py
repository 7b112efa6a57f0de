"""Joins the fine-tuned network with the earlier one and writes the model that ships: a TensorFlow.js graph model with its manifest and golden pair.
`npm run bench -- vision --confidence --write` adds the calibration.

The weights of several runs are first averaged, then with --mix with the pretrained ones: it costs nothing at run time and finds more than any single
run. The unit vectors of both networks are centred, turned to their principal axes, weighted and joined; the axes are those of catalogue views of the
training photos, and a direction counts by its deviation to the power 1 - 2 x `POWER`.
The golden pair is a drawn picture and the embedding that PyTorch computes for it, in 32-bit floats, from the weights as stored.
"""

import argparse
import hashlib
import json
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from crops import CATALOG, QUERY, WHOLE, letterboxed, on_white
from graph import Graph
from network import DIMENSIONS, Convolution, Embedder, MEAN, SCALE, values_of
from photos import read_folder
from sources import read_all
from train import Target, initial_model

POWER = 0.25
BATCH, SIDE = 16, 224
COUNT = 1500  # photos that the axes are fitted on


class Earlier:
    """The network of loupe-eye 0.4.1, read back from its TensorFlow.js layers model: its layers and weights. Pictures are of `side` x `side` pixels, values `(pixel - 127.5) / 127.5`."""

    def __init__(self, folder: Path):
        document = json.loads((folder / "model.json").read_text())
        self.layers = document["modelTopology"]["model_config"]["config"]["layers"]
        self.side = self.layers[0]["config"]["batch_input_shape"][1]
        stored, at = (folder / "weights.bin").read_bytes(), 0
        self.weights: dict[str, np.ndarray] = {}
        for entry in document["weightsManifest"][0]["weights"]:
            count, steps = int(np.prod(entry["shape"])), entry["quantization"]
            values = np.frombuffer(stored, "<u2", count, at).astype(np.float32) * np.float32(steps["scale"]) + np.float32(steps["min"])
            self.weights[entry["name"]] = values.reshape(entry["shape"])
            at += 2 * count

    def add_to(self, graph: Graph, picture: str) -> str:
        """Adds it to a graph; gives the node of its embedding, not normalised."""
        names = {"picture": picture}
        for layer in self.layers[1:]:
            name, kind, config = layer["name"], layer["class_name"], layer["config"]
            own, inputs = f"earlier/{name}", [names[node[0]] for node in layer["inbound_nodes"][0]]
            kernel, bias = self.weights.get(f"{name}/kernel"), self.weights.get(f"{name}/bias")
            if kind == "Conv2D":
                names[name] = graph.convolution(own, inputs[0], kernel, bias, config["strides"][0], "Relu" if config["activation"] == "relu" else None)
            elif kind == "Add":
                names[name] = graph.sum(own, *inputs)
            elif kind == "Activation":
                names[name] = graph.relu(own, inputs[0])
            elif kind == "GlobalAveragePooling2D":
                names[name] = graph.pooled(own, inputs[0])
            elif kind == "Dense":
                names[name] = graph.dense(own, inputs[0], kernel, bias)
        return names[self.layers[-1]["name"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True, help="folder of sets")
    parser.add_argument("--checkpoint", type=Path, nargs="+", required=True, help="of one or several runs over the same sources")
    parser.add_argument("--earlier", type=Path, required=True, help="folder of the earlier model")
    parser.add_argument("--mix", type=float, default=0.8, help="share of the fine-tuned weights in the average with the pretrained ones")
    parser.add_argument("--share", type=float, default=0.4, help="of the earlier network in the similarity of two pictures")
    parser.add_argument("--drawings", type=Path, required=True, help="folder of pictures, the first of which is the golden one")
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    network = averaged([torch.load(path, weights_only=False) for path in options.checkpoint], options.mix)
    graph = joined(network, Earlier(options.earlier), shown(options.sources), options.share)
    probe = np.random.default_rng(0).uniform(-1, 1, (2, SIDE, SIDE, 3)).astype(np.float32)
    exact = graph.run(probe)
    graph.write(options.out)
    rounded = graph.run(probe)
    write_golden(options, graph)
    write_manifest(options, exact.shape[1])
    print(f"weights.bin {(options.out / 'weights.bin').stat().st_size} bytes; storage error {np.abs(rounded - exact).max() / np.abs(exact).max():.1e}")


def averaged(runs: list[dict], mix: float) -> Embedder:
    """The mean of the fine-tuned weights of all runs, and that with the weights that the runs began with."""
    network = initial_model(Target(**runs[0]["target"]))
    tuned = {name: sum(run["average"][name] for run in runs) / len(runs) for name in network.state_dict()}
    network.load_state_dict({name: (1 - mix) * value + mix * tuned[name] for name, value in network.state_dict().items()})
    return network.eval().to(memory_format=torch.channels_last)


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


def joined(network: Embedder, earlier: Earlier, pictures: torch.Tensor, share: float) -> Graph:
    """Each network's unit vector, centred, turned and made a unit vector again; both weighted and joined."""
    graph = Graph(SIDE)
    parts = []
    for name in ("tuned", "earlier"):
        own = Graph(SIDE)
        add(own, name, network, earlier)
        rows = [torch.from_numpy(own.run(values_of(part).permute(0, 2, 3, 1).numpy())) for part in pictures.split(BATCH)]
        axes = Target.fit(F.normalize(torch.cat(rows), dim=1), POWER)
        unit = graph.unit(f"{name}/unit", add(graph, name, network, earlier))
        turned = graph.dense(f"{name}/turned", unit, axes.axes.numpy(), (-axes.mean @ axes.axes).numpy())
        parts.append(graph.unit(f"{name}/vector", turned))
    weights = np.repeat(np.sqrt([1 - share, share]), DIMENSIONS).astype(np.float32)
    graph.weighted("embedding", graph.joined("joined", parts), weights)
    return graph


def add(graph: Graph, name: str, network: Embedder, earlier: Earlier) -> str:
    """Adds one of the two networks to a graph; gives the node of its embedding."""
    if name == "tuned":
        return fine_tuned(graph, network)
    return earlier.add_to(graph, graph.resized("smaller", "picture", earlier.side))


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
    return graph.convolution(name, source, array(kernel), array(module.bias), module.stride, "Relu6" if module.activated else None, depthwise)


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
