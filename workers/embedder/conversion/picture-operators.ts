import {
  backend_util,
  type FusedBatchNormAttrs,
  type FusedConv2DAttrs,
  type MaxPoolAttrs,
  type PadV2Attrs,
  type ResizeBilinearAttrs,
} from '@tensorflow/tfjs-core';
import { known, type Operand, orderInGraph, permuted, type Traced } from './graph-writer';
import { activated, elementwise, type Operator, type Unary } from './value-operators';

interface Convolved {
  readonly x: Operand;
  readonly filter: Operand;
  readonly bias?: Operand;
}

/** A convolution, or one of each channel by itself, with the activation after it. */
export const convolution =
  (isDepthwise: boolean): Operator<Convolved, FusedConv2DAttrs> =>
  (graph, { x, filter, bias }, { strides, pad, dilations, dimRoundingMode, dataFormat, activation }) => {
    if (dataFormat !== 'NHWC') throw new Error(`a convolution of ${dataFormat}`);
    const info = backend_util.computeConv2DInfo(
      fourOf(x.shape),
      fourOf(filter.shape),
      strides,
      // Layers may leave it null.
      dilations ?? 1,
      pad,
      dimRoundingMode,
      isDepthwise,
    );
    const kernel = permuted(known(filter), isDepthwise ? [2, 3, 0, 1] : [3, 2, 0, 1]);
    const [, , height = 1, width = 1] = kernel.shape;
    const group = isDepthwise ? info.inChannels : 1;
    const weights = [
      graph.floats([info.outChannels, info.inChannels / group, height, width], kernel.values),
      ...(bias ? [graph.floats([info.outChannels], known(bias).values)] : []),
    ];
    const name = graph.add('Conv', [graph.operand(x), ...weights], {
      strides: [info.strideHeight, info.strideWidth],
      dilations: [info.dilationHeight, info.dilationWidth],
      pads: padsOf(info),
      group,
    });
    return activated(graph, { name, shape: info.outShape }, activation);
  };

/** The largest or the mean of each window; what pads a picture counts as nothing. */
export const pooling =
  (operator: 'MaxPool' | 'AveragePool'): Operator<Unary, MaxPoolAttrs> =>
  (graph, { x }, { filterSize, strides, pad, dimRoundingMode }) => {
    const info = backend_util.computePool2DInfo(
      fourOf(x.shape),
      filterSize,
      strides,
      1,
      pad,
      dimRoundingMode,
    );
    const name = graph.add(operator, [x.name], {
      kernel_shape: [info.filterHeight, info.filterWidth],
      strides: [info.strideHeight, info.strideWidth],
      pads: padsOf(info),
    });
    return { name, shape: info.outShape };
  };

const padsOf = ({ padInfo: { top, left, bottom, right } }: backend_util.Conv2DInfo): number[] => [
  top,
  left,
  bottom,
  right,
];

/** Pictures of another size. */
export const resized: Operator<{ images: Traced }, ResizeBilinearAttrs> = (
  graph,
  { images },
  { size, alignCorners, halfPixelCenters },
) => {
  const coordinates = alignCorners ? 'align_corners' : halfPixelCenters ? 'half_pixel' : 'asymmetric';
  const [rows = 0, , , channels = 0] = images.shape;
  const name = graph.add('Resize', [images.name, '', '', graph.integers(size)], {
    axes: [2, 3],
    mode: 'linear',
    coordinate_transformation_mode: coordinates,
  });
  return { name, shape: [rows, ...size, channels] };
};

/** A border of one value. */
export const padded: Operator<Unary, PadV2Attrs> = (graph, { x }, { paddings, constantValue }) => {
  const inGraph = orderInGraph(paddings.length).map((axis) => paddings[axis] ?? [0, 0]);
  const sides = [0, 1].flatMap((side) => inGraph.map((both) => both[side] ?? 0));
  const value = graph.floats([], Float32Array.of(constantValue));
  return {
    name: graph.add('Pad', [x.name, graph.integers(sides), value]),
    shape: x.shape.map((length, axis) => length + (paddings[axis]?.[0] ?? 0) + (paddings[axis]?.[1] ?? 0)),
  };
};

interface Normalised {
  readonly x: Operand;
  readonly mean: Operand;
  readonly variance: Operand;
  readonly scale?: Operand;
  readonly offset?: Operand;
}

/** As a product and a sum, which ONNX Runtime folds into the convolution before. */
export const normalised: Operator<Normalised, FusedBatchNormAttrs> = (
  graph,
  { x, mean, variance, scale, offset },
  { varianceEpsilon },
) => {
  const { shape, values: means } = known(mean);
  const variances = known(variance).values;
  const scales = scale && known(scale).values;
  const offsets = offset && known(offset).values;
  const factor = variances.map((each, at) => (scales?.[at] ?? 1) / Math.sqrt(each + varianceEpsilon));
  const added = means.map((each, at) => (offsets?.[at] ?? 0) - each * (factor[at] ?? 0));
  const product = elementwise('Mul')(graph, { a: x, b: { shape, values: factor } }, {});
  return elementwise('Add')(graph, { a: product, b: { shape, values: added } }, {});
};

function fourOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): [number, number, number, number] {
  return [a, b, c, d];
}
