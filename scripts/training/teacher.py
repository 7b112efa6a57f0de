"""Runs a MobileNet stored as ONNX in PyTorch, as a teacher: no ONNX runtime is needed."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

DTYPES = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 10: "<f2"}


class Teacher:
    """A frozen chain of Conv, Clip, Add and a global average pool. Input: NCHW floats in [-1, 1]; output: N x D floats."""

    def __init__(self, path: Path, dtype: torch.dtype = torch.bfloat16):
        self.nodes, constants = read_model(path)
        for node in self.nodes:
            if node["op"] == "DequantizeLinear":
                constants[node["outputs"][0]] = dequantise(*(constants[name] for name in node["inputs"]))
        self.dtype = dtype
        self.weights = {
            name: torch.tensor(np.array(value, dtype="f4")).to(dtype) for name, value in constants.items() if value.dtype.kind == "f"
        }

    def __call__(self, pictures: torch.Tensor) -> torch.Tensor:
        return self.values(pictures)["embedding"]

    def feature_map(self, pictures: torch.Tensor) -> torch.Tensor:
        """What is pooled to the embedding: N x H x W x D."""
        pooled = next(node for node in self.nodes if node["op"] == "GlobalAveragePool")
        return self.values(pictures)[pooled["inputs"][0]].permute(0, 2, 3, 1)

    @torch.no_grad()
    def values(self, pictures: torch.Tensor) -> dict[str, torch.Tensor]:
        values = {"image": pictures.to(self.dtype).contiguous(memory_format=torch.channels_last)}
        for node in self.nodes:
            if node["op"] != "DequantizeLinear":
                values[node["outputs"][0]] = self.run_node(node, [values.get(name) for name in node["inputs"]])
        return values

    def run_node(self, node, inputs):
        op, attributes = node["op"], node["attributes"]
        if op == "Conv":
            top, left, bottom, right = attributes["pads"]
            weight, bias = self.weights[node["inputs"][1]], self.weights[node["inputs"][2]]
            padded = F.pad(inputs[0], (left, right, top, bottom)) if (top, left) != (bottom, right) else inputs[0]
            padding = 0 if padded is not inputs[0] else (top, left)
            return F.conv2d(padded, weight, bias, attributes["strides"], padding, 1, attributes["group"])
        if op == "Clip":
            return inputs[0].clamp(0, 6)
        if op == "Add":
            return inputs[0] + inputs[1]
        if op == "GlobalAveragePool":
            return inputs[0].float().mean((2, 3))
        if op == "Flatten":
            return inputs[0].flatten(1)
        if op == "Identity":
            return inputs[0]
        raise ValueError(f"the teacher uses an operation that is not known here: {op}")


def dequantise(quantised, scale, zero):
    shape = (-1,) + (1,) * (quantised.ndim - 1) if scale.ndim else ()
    return (quantised.astype("f4") - zero.astype("f4").reshape(shape)) * scale.astype("f4").reshape(shape)


def read_model(path: Path):
    """Nodes and constants of an ONNX file."""
    graph = next(value for field, _, value in fields(path.read_bytes()) if field == 7)
    nodes, constants = [], {}
    for field, _, value in fields(graph):
        if field == 1:
            nodes.append(read_node(value))
        elif field == 5:
            name, array = read_tensor(value)
            constants[name] = array
    return nodes, constants


def read_node(data):
    node = {"inputs": [], "outputs": [], "op": "", "attributes": {}}
    for field, _, value in fields(data):
        if field == 1:
            node["inputs"].append(value.decode())
        elif field == 2:
            node["outputs"].append(value.decode())
        elif field == 4:
            node["op"] = value.decode()
        elif field == 5:
            name, number, numbers = "", None, []
            for inner, wire, content in fields(value):
                if inner == 1:
                    name = content.decode()
                elif inner == 3:
                    number = content
                elif inner == 8:
                    numbers += integers(content, wire)
            node["attributes"][name] = numbers or number
    return node


def read_tensor(data):
    shape, dtype, raw, name = [], 1, b"", ""
    for field, wire, value in fields(data):
        if field == 1:
            shape += integers(value, wire)
        elif field == 2:
            dtype = value
        elif field == 8:
            name = value.decode()
        elif field == 9:
            raw = value
        elif field == 4:
            raw += value if wire == 2 else struct.pack("<f", struct.unpack("<f", value)[0])
    return name, np.frombuffer(raw, DTYPES[dtype]).reshape(shape)


def fields(data):
    """The fields of a protocol buffer message: number, wire type, value."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        else:
            length = {1: 8, 5: 4}.get(wire)
            if length is None:
                length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        yield key >> 3, wire, value


def integers(value, wire):
    if wire == 0:
        return [value]
    numbers, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        numbers.append(number)
    return numbers


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at
