"""Writes a checkpoint as a TensorFlow.js layers model with its manifest and golden pair.

Batch norms are folded into the convolutions; weights are stored as 16-bit steps between each tensor's extremes. The golden pair is a
drawn picture and the embedding that PyTorch computes for it, in 32-bit floats, from the weights as stored.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F

import draw_items
from crops import CROPS, letterboxed
from network import DIMENSIONS, Embedder

LEVELS = 65535


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--calibration", type=Path, required=True, help="JSON written by calibrate.py")
    parser.add_argument("--version", required=True)
    parser.add_argument("--side", type=int, default=160)
    parser.add_argument("--catalog", default="whole", choices=CROPS)
    parser.add_argument("--query", default="whole", choices=CROPS)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    network = Embedder()
    network.load_state_dict(torch.load(options.checkpoint, weights_only=False)["average"])
    layers, weights = trace(network.eval(), options.side)
    entries, stored, restored = quantise(weights)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "weights.bin").write_bytes(stored)
    (options.out / "model.json").write_text(json.dumps(topology(layers, entries)) + "\n")
    write_golden(options.out, restored, layers, options.side)
    write_manifest(options)
    exact, rounded = run(layers, weights, probe(options.side)), run(layers, restored, probe(options.side))
    straight = network(torch.from_numpy(probe(options.side)).permute(0, 3, 1, 2)).detach().numpy()
    scale = np.abs(straight).max()
    print(f"weights.bin {len(stored)} bytes; folding error {np.abs(exact - straight).max() / scale:.1e}, storage error {np.abs(rounded - exact).max() / scale:.1e}")


def trace(network: Embedder, side: int):
    """The layers of the folded network in Keras' terms, and their weights by name."""
    builder = Builder(side)
    last = builder.convolution("stem", network.stem, "picture", relu=True)
    for number, block in enumerate(network.blocks, 1):
        name = f"block{number}"
        first = builder.convolution(f"{name}_first", block.first, last, relu=True)
        second = builder.convolution(f"{name}_second", block.second, first, relu=False)
        straight = last if block.shortcut is None else builder.convolution(f"{name}_shortcut", block.shortcut, last, relu=False)
        builder.add("Add", f"{name}_add", {}, [second, straight])
        last = builder.add("Activation", f"{name}_relu", {"activation": "relu"}, [f"{name}_add"])
    builder.add("GlobalAveragePooling2D", "pool", {"data_format": "channels_last"}, [last])
    builder.dense("embedding", network.project, "pool")
    return builder.layers, builder.weights


class Builder:
    """Collects layers and weights."""

    def __init__(self, side: int):
        self.weights: dict[str, np.ndarray] = {}
        shape = [None, side, side, 3]
        self.layers = [{"class_name": "InputLayer", "name": "picture", "config": {"batch_input_shape": shape, "dtype": "float32", "sparse": False, "name": "picture"}, "inbound_nodes": []}]

    def add(self, kind: str, name: str, config: dict, inputs: list[str]) -> str:
        nodes = [[[source, 0, 0, {}] for source in inputs]]
        self.layers.append({"class_name": kind, "name": name, "config": {"name": name, "trainable": False, "dtype": "float32", **config}, "inbound_nodes": nodes})
        return name

    def convolution(self, name: str, module, source: str, relu: bool) -> str:
        kernel, norm = module.convolve.weight.detach().double(), module.norm
        factor = norm.weight.detach().double() / torch.sqrt(norm.running_var.double() + norm.eps)
        bias = norm.bias.detach().double() - norm.running_mean.double() * factor
        self.weights[f"{name}/kernel"] = (kernel * factor[:, None, None, None]).permute(2, 3, 1, 0).float().numpy()
        self.weights[f"{name}/bias"] = bias.float().numpy()
        convolve = module.convolve
        config = {"filters": convolve.out_channels, "kernel_size": list(convolve.kernel_size), "strides": list(convolve.stride), "padding": "same",
                  "data_format": "channels_last", "dilation_rate": [1, 1], "activation": "relu" if relu else "linear", "use_bias": True}
        return self.add("Conv2D", name, config, [source])

    def dense(self, name: str, module, source: str) -> str:
        self.weights[f"{name}/kernel"] = module.weight.detach().T.contiguous().numpy()
        self.weights[f"{name}/bias"] = module.bias.detach().numpy()
        return self.add("Dense", name, {"units": module.out_features, "activation": "linear", "use_bias": True}, [source])


def quantise(weights: dict[str, np.ndarray]):
    """Manifest entries, the stored bytes, and the weights as TensorFlow.js will read them back."""
    entries, parts, restored = [], [], {}
    for name, values in weights.items():
        low = float(values.min())
        step = (float(values.max()) - low) / LEVELS or 1.0
        steps = np.clip(np.round((values.astype(np.float64) - low) / step), 0, LEVELS).astype("<u2")
        restored[name] = (steps.astype(np.float32) * np.float32(step) + np.float32(low)).astype(np.float32)
        quantization = {"dtype": "uint16", "scale": step, "min": low, "original_dtype": "float32"}
        entries.append({"name": name, "shape": list(values.shape), "dtype": "float32", "quantization": quantization})
        parts.append(steps.tobytes())
    return entries, b"".join(parts), restored


def topology(layers, entries) -> dict:
    config = {"name": "loupe_eye", "trainable": False, "layers": layers, "input_layers": [["picture", 0, 0]], "output_layers": [["embedding", 0, 0]]}
    return {
        "format": "layers-model",
        "generatedBy": "Loupe scripts/training/export.py",
        "convertedBy": None,
        "modelTopology": {"keras_version": "2.15.0", "backend": "tensorflow", "model_config": {"class_name": "Functional", "config": config}},
        "weightsManifest": [{"paths": ["weights.bin"], "weights": entries}],
    }


@torch.no_grad()
def run(layers, weights, pictures: np.ndarray) -> np.ndarray:
    """Computes the exported layers, from their stored description, in PyTorch. Pictures: N x S x S x 3 floats."""
    values = {"picture": torch.from_numpy(pictures).permute(0, 3, 1, 2)}
    for layer in layers[1:]:
        name, config = layer["name"], layer["config"]
        inputs = [values[node[0]] for node in layer["inbound_nodes"][0]]
        if layer["class_name"] == "Conv2D":
            values[name] = same_convolution(inputs[0], weights, name, config)
        elif layer["class_name"] == "Add":
            values[name] = inputs[0] + inputs[1]
        elif layer["class_name"] == "Activation":
            values[name] = F.relu(inputs[0])
        elif layer["class_name"] == "GlobalAveragePooling2D":
            values[name] = inputs[0].mean((2, 3))
        elif layer["class_name"] == "Dense":
            values[name] = inputs[0] @ torch.from_numpy(weights[f"{name}/kernel"]) + torch.from_numpy(weights[f"{name}/bias"])
    return values["embedding"].numpy()


def same_convolution(x, weights, name, config):
    """A convolution with TensorFlow's SAME padding, worked out from its definition."""
    kernel = torch.from_numpy(weights[f"{name}/kernel"]).permute(3, 2, 0, 1)
    pads = []
    for size, window, stride in zip(reversed(x.shape[2:]), reversed(config["kernel_size"]), reversed(config["strides"])):
        total = max((-(-size // stride) - 1) * stride + window - size, 0)
        pads += [total // 2, total - total // 2]
    y = F.conv2d(F.pad(x, pads), kernel, torch.from_numpy(weights[f"{name}/bias"]), config["strides"])
    return F.relu(y) if config["activation"] == "relu" else y


def probe(side: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (2, side, side, 3)).astype(np.float32)


def write_golden(out: Path, weights, layers, side: int) -> None:
    """golden.png, exactly of the input's size, and the unit embedding that every backend must give for it."""
    rgba = draw_items.draw(2026, 3, 1).rgba.astype(np.float32)
    cover = rgba[:, :, 3:] / 255
    picture = letterboxed((rgba[:, :, :3] * cover + 255 * (1 - cover)).astype(np.uint8), (0, 0, 1, 1), side)
    cv2.imwrite(str(out / "golden.png"), picture[:, :, ::-1])
    raw = run(layers, weights, ((picture.astype(np.float32) - 127.5) * np.float32(1 / 127.5))[None])[0]
    unit = raw / np.linalg.norm(raw)
    golden = {"picture": "golden.png", "pictureDigest": digest(out / "golden.png"), "tolerance": 1e-3, "embedding": [round(float(v), 7) for v in unit]}
    (out / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")


def write_manifest(options) -> None:
    side, out = options.side, options.out
    manifest = {
        "id": "loupe-eye",
        "version": options.version,
        "format": "tfjs-layers",
        "file": "model.json",
        "input": {"width": side, "height": side, "layout": "nhwc", "channels": "rgb", "mean": [127.5] * 3, "scale": [1 / 127.5] * 3, "fit": "contain", "background": [255, 255, 255], "kernel": "mitchell"},
        "output": {"name": None, "dimensions": DIMENSIONS},
        "views": {"catalog": CROPS[options.catalog], "query": CROPS[options.query]},
        "calibration": json.loads(options.calibration.read_text()),
        "licence": "Apache-2.0",
        "description": "A small residual network for telling bags, watches and other products apart; trained from nothing (docs/model-card.md).",
        "digests": {name: digest(out / name) for name in ("model.json", "weights.bin")},
        "golden": "golden.json",
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
