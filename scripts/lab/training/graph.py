"""A TensorFlow.js graph model, written and run: the few operations that the bundled network needs."""

import base64
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from network import same_padding

LEVELS = 65535
FLOAT = {"type": "DT_FLOAT"}


class Graph:
    """Collects nodes and their constants. Every method returns the name of the node that it adds."""

    def __init__(self, side: int):
        self.constants: dict[str, np.ndarray] = {}
        self.nodes: list[dict] = []
        self.add("picture", "Placeholder", [], dtype=FLOAT, shape={"shape": {"dim": [{"size": str(n)} for n in (-1, side, side, 3)]}})

    def add(self, name: str, kind: str, inputs: list[str], **attributes) -> str:
        self.nodes.append({"name": name, "op": kind, "input": inputs, "attr": attributes})
        return name

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = value
        kind = {"type": "DT_INT32" if value.dtype.kind == "i" else "DT_FLOAT"}
        shape = {"dim": [{"size": str(n)} for n in value.shape]}
        return self.add(name, "Const", [], dtype=kind, value={"tensor": {"dtype": kind["type"], "tensorShape": shape}})

    def convolution(self, name: str, source: str, kernel: np.ndarray, bias: np.ndarray, stride: int, activation: str | None = None, depthwise: bool = False) -> str:
        """`kernel` is height x width x inputs x outputs (x multiplier 1 where depthwise); `activation` is Relu or Relu6."""
        inputs = [source, self.constant(f"{name}/kernel", kernel), self.constant(f"{name}/bias", bias)]
        operation = "FusedDepthwiseConv2dNative" if depthwise else "_FusedConv2D"
        return self.add(name, operation, inputs, T=FLOAT, strides=numbers([1, stride, stride, 1]), dilations=numbers([1] * 4), padding=text("SAME"),
                        data_format=text("NHWC"), explicit_paddings=numbers([]), num_args={"i": "1"}, fused_ops=texts(["BiasAdd", *([activation] if activation else [])]), epsilon={"f": 0})

    def dense(self, name: str, source: str, kernel: np.ndarray, bias: np.ndarray) -> str:
        inputs = [source, self.constant(f"{name}/kernel", kernel), self.constant(f"{name}/bias", bias)]
        return self.add(name, "_FusedMatMul", inputs, T=FLOAT, transpose_a={"b": False}, transpose_b={"b": False}, num_args={"i": "1"}, fused_ops=texts(["BiasAdd"]), epsilon={"f": 0})

    def pooled(self, name: str, source: str) -> str:
        axes = self.constant(f"{name}/axes", np.array([1, 2], "<i4"))
        return self.add(name, "Mean", [source, axes], T=FLOAT, Tidx={"type": "DT_INT32"}, keep_dims={"b": False})

    def unit(self, name: str, source: str) -> str:
        axes = self.constant(f"{name}/axes", np.array([1], "<i4"))
        square = self.add(f"{name}/square", "Square", [source], T=FLOAT)
        total = self.add(f"{name}/sum", "Sum", [square, axes], T=FLOAT, Tidx={"type": "DT_INT32"}, keep_dims={"b": True})
        return self.add(name, "Mul", [source, self.add(f"{name}/scale", "Rsqrt", [total], T=FLOAT)], T=FLOAT)

    def joined(self, name: str, sources: list[str]) -> str:
        axis = self.constant(f"{name}/axis", np.array(1, "<i4"))
        return self.add(name, "ConcatV2", [*sources, axis], T=FLOAT, N={"i": str(len(sources))}, Tidx={"type": "DT_INT32"})

    def resized(self, name: str, source: str, side: int) -> str:
        size = self.constant(f"{name}/size", np.array([side, side], "<i4"))
        return self.add(name, "ResizeBilinear", [source, size], T=FLOAT, align_corners={"b": False}, half_pixel_centers={"b": True})

    def weighted(self, name: str, source: str, weights: np.ndarray) -> str:
        return self.add(name, "Mul", [source, self.constant(f"{name}/weights", weights)], T=FLOAT)

    def sum(self, name: str, left: str, right: str) -> str:
        return self.add(name, "AddV2", [left, right], T=FLOAT)

    def relu(self, name: str, source: str) -> str:
        return self.add(name, "Relu", [source], T=FLOAT)

    def write(self, out: Path) -> None:
        """model.json and weights.bin. The constants become what TensorFlow.js will read back: 16-bit steps between each one's extremes."""
        entries, parts = [], []
        for name, value in self.constants.items():
            entry = {"name": name, "shape": list(value.shape), "dtype": "int32" if value.dtype.kind == "i" else "float32"}
            if value.dtype.kind == "f":
                low = float(value.min())
                step = (float(value.max()) - low) / LEVELS or 1.0
                steps = np.clip(np.round((value.astype(np.float64) - low) / step), 0, LEVELS).astype("<u2")
                self.constants[name] = (steps.astype(np.float32) * np.float32(step) + np.float32(low)).astype(np.float32)
                entry["quantization"] = {"dtype": "uint16", "scale": step, "min": low, "original_dtype": "float32"}
                value = steps
            entries.append(entry)
            parts.append(value.tobytes())
        topology = {"node": self.nodes, "library": {}, "versions": {"producer": 1}}
        document = {"format": "graph-model", "generatedBy": "Loupe scripts/lab/training/export.py", "convertedBy": None, "modelTopology": topology, "weightsManifest": [{"paths": ["weights.bin"], "weights": entries}]}
        out.mkdir(parents=True, exist_ok=True)
        (out / "model.json").write_text(json.dumps(document) + "\n")
        (out / "weights.bin").write_bytes(b"".join(parts))

    @torch.no_grad()
    def run(self, pictures: np.ndarray) -> np.ndarray:
        """Computes the last node in PyTorch. Pictures: N x S x S x 3 floats."""
        values = {name: torch.from_numpy(np.array(value)) for name, value in self.constants.items()}
        values["picture"] = torch.from_numpy(pictures).permute(0, 3, 1, 2)
        for node in self.nodes:
            if node["op"] not in ("Placeholder", "Const"):
                values[node["name"]] = compute(node, [values[name] for name in node["input"]])
        return values[self.nodes[-1]["name"]].numpy()


def compute(node: dict, inputs: list[torch.Tensor]) -> torch.Tensor:
    """One operation, from its definition; pictures are N x C x H x W."""
    kind, first = node["op"], inputs[0]
    if kind in ("_FusedConv2D", "FusedDepthwiseConv2dNative"):
        return convolved(node, *inputs)
    if kind == "_FusedMatMul":
        return first @ inputs[1] + inputs[2]
    if kind == "Mean":
        return first.mean((2, 3))
    if kind == "Sum":
        return first.sum(1, keepdim=True)
    if kind == "ConcatV2":
        return torch.cat(inputs[:-1], 1)
    if kind == "ResizeBilinear":
        return F.interpolate(first, inputs[1].tolist(), mode="bilinear", align_corners=False)
    plain = {"AddV2": torch.add, "Mul": torch.mul, "Relu": torch.relu, "Square": torch.square, "Rsqrt": torch.rsqrt}
    return plain[kind](*inputs)


def convolved(node: dict, x: torch.Tensor, kernel: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    depthwise = node["op"] == "FusedDepthwiseConv2dNative"
    weight = kernel.permute(2, 3, 0, 1) if depthwise else kernel.permute(3, 2, 0, 1)
    stride = int(node["attr"]["strides"]["list"]["i"][1])
    pads = [pad for size, window in zip(reversed(x.shape[2:]), reversed(kernel.shape[:2])) for pad in same_padding(size, window, stride)]
    y = F.conv2d(F.pad(x, pads), weight, bias, stride, groups=len(weight) if depthwise else 1)
    activation = [base64.b64decode(each).decode() for each in node["attr"]["fused_ops"]["list"]["s"]][1:]
    return {"Relu": F.relu, "Relu6": F.relu6}[activation[0]](y) if activation else y


def numbers(values: list[int]) -> dict:
    return {"list": {"i": [str(value) for value in values]}}


def text(value: str) -> dict:
    return {"s": base64.b64encode(value.encode()).decode()}


def texts(values: list[str]) -> dict:
    return {"list": {"s": [base64.b64encode(value.encode()).decode() for value in values]}}
