"""The embedding network: a plain residual network of 3x3 convolutions and ReLU, the kind that WebAssembly runs fastest."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

STEM = 24
STAGES = ((32, 1), (64, 2), (128, 2), (256, 1))
DIMENSIONS = 256


class Convolution(nn.Module):
    """3x3 (or 1x1) convolution with TensorFlow's SAME padding, then batch norm. Even inputs only, as for strides of 2."""

    def __init__(self, inputs: int, outputs: int, size: int = 3, stride: int = 1):
        super().__init__()
        self.convolve = nn.Conv2d(inputs, outputs, size, stride, 1 if size == 3 and stride == 1 else 0, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.same = size == 3 and stride == 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.same:
            x = F.pad(x, same_padding(x.shape[2], x.shape[3]))
        return self.norm(self.convolve(x))


def same_padding(height: int, width: int) -> tuple[int, int, int, int]:
    """Left, right, top, bottom that TensorFlow's SAME adds for a 3x3 window of stride 2: nothing before, one after, unless the side is odd."""
    return (width % 2, 1, height % 2, 1)


class Block(nn.Module):
    """Two convolutions and a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.first = Convolution(inputs, outputs, 3, stride)
        self.second = Convolution(outputs, outputs)
        self.shortcut = Convolution(inputs, outputs, 1, stride) if stride > 1 or inputs != outputs else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        straight = x if self.shortcut is None else self.shortcut(x)
        return F.relu(self.second(F.relu(self.first(x))) + straight)


class Embedder(nn.Module):
    """Pictures (N x 3 x S x S, values in [-1, 1]) to embeddings (N x 256), not normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = Convolution(3, STEM, 3, 2)
        blocks, inputs = [], STEM
        for outputs, count in STAGES:
            for number in range(count):
                blocks.append(Block(inputs, outputs, 2 if number == 0 else 1))
                inputs = outputs
        self.blocks = nn.Sequential(*blocks)
        self.project = nn.Linear(inputs, DIMENSIONS)
        for block in blocks:
            nn.init.zeros_(block.second.norm.weight)

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """The last feature map: N x 256 x S/32 x S/32."""
        return self.blocks(F.relu(self.stem(x)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.project(self.features(x).float().mean((2, 3)))
