"""The network of loupe-eye 0.4.1, read back from its TensorFlow.js layers model."""

import json
from pathlib import Path

import numpy as np

from graph import Graph


class Earlier:
    """Its layers and weights. Pictures are of `side` x `side` pixels, values `(pixel - 127.5) / 127.5`."""

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
