import * as tf from '@tensorflow/tfjs-core';
import * as onnx from './onnx-graph';

/** Writes what one kernel of TensorFlow.js computes. @throws Error for kernels without an ONNX form here */
export type Operator<Inputs = never, Attributes = never> = (
  graph: onnx.GraphWriter,
  inputs: Inputs,
  attributes: Attributes,
) => onnx.Traced;

interface Unary {
  readonly x: onnx.Traced;
}

interface Binary {
  readonly a: onnx.Operand;
  readonly b: onnx.Operand;
}

const elementwise =
  (operator: string): Operator<Binary, object> =>
  (graph, { a, b }) => {
    const shape = tf.backend_util.assertAndGetBroadcastShape([...a.shape], [...b.shape]);
    const operands = [a, b].map((each) => graph.operand(each, shape.length));
    return { name: graph.add(operator, operands), shape };
  };

const each =
  (...operators: readonly string[]): Operator<Unary, object> =>
  (graph, { x }) => ({
    shape: x.shape,
    name: operators.reduce((name, operator) => graph.add(operator, [name]), x.name),
  });

const clipped: Operator<Unary, tf.ClipByValueAttrs> = (graph, { x }, { clipValueMin, clipValueMax }) => {
  const limits = [clipValueMin, clipValueMax].map((limit) => graph.constant([], Float32Array.of(limit)));
  return { shape: x.shape, name: graph.add('Clip', [x.name, ...limits]) };
};

const ACTIVATIONS: Readonly<Record<string, Operator<Unary, object>>> = {
  relu: each('Relu'),
  relu6: (graph, { x }) => clipped(graph, { x }, { clipValueMin: 0, clipValueMax: 6 }),
  sigmoid: each('Sigmoid'),
};

/** Casts are dropped, as there is one type. @throws Error for another */
const cast: Operator<Unary, tf.CastAttrs> = (_graph, { x }, { dtype }) => {
  if (dtype !== 'float32') throw new Error(`a cast to ${dtype}`);
  return x;
};

/** Activations that are fused into a kernel, as the kernels of their own that they also are. */
function activated(graph: onnx.GraphWriter, x: onnx.Traced, activation = 'linear'): onnx.Traced {
  if (activation === 'linear') return x;
  const operator = ACTIVATIONS[activation];
  if (!operator) throw new Error(`the activation ${activation}`);
  return operator(graph, { x }, {});
}

/** A convolution, or a depthwise one, with its fused activation. */
const convolution =
  (
    isDepthwise: boolean,
  ): Operator<{ x: onnx.Operand; filter: onnx.Operand; bias?: onnx.Operand }, tf.FusedConv2DAttrs> =>
  (graph, { x, filter, bias }, { strides, pad, dilations, dimRoundingMode, dataFormat, activation }) => {
    if (dataFormat !== 'NHWC') throw new Error(`a convolution of ${dataFormat}`);
    const info = tf.backend_util.computeConv2DInfo(
      fourOf(x.shape),
      fourOf(filter.shape),
      strides,
      // Layers may pass null.
      dilations ?? 1,
      pad,
      dimRoundingMode,
      isDepthwise,
    );
    const kernel = onnx.permuted(onnx.known(filter), isDepthwise ? [2, 3, 0, 1] : [3, 2, 0, 1]);
    const [, , height = 1, width = 1] = kernel.shape;
    const group = isDepthwise ? info.inChannels : 1;
    const weights = [
      graph.constant([info.outChannels, info.inChannels / group, height, width], kernel.values),
      ...(bias ? [graph.constant([info.outChannels], onnx.known(bias).values)] : []),
    ];
    const name = graph.add('Conv', [graph.operand(x), ...weights], {
      strides: [info.strideHeight, info.strideWidth],
      dilations: [info.dilationHeight, info.dilationWidth],
      pads: padsOf(info),
      group,
    });
    return activated(graph, { name, shape: info.outShape }, activation);
  };

/** Maximum or average pooling; padding does not count. */
const pooling =
  (operator: 'MaxPool' | 'AveragePool'): Operator<Unary, tf.MaxPoolAttrs> =>
  (graph, { x }, { filterSize, strides, pad, dimRoundingMode }) => {
    const info = tf.backend_util.computePool2DInfo(
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

const padsOf = ({ padInfo }: tf.backend_util.Conv2DInfo): number[] =>
  (['top', 'left', 'bottom', 'right'] as const).map((side) => padInfo[side]);

const resized: Operator<{ images: onnx.Traced }, tf.ResizeBilinearAttrs> = (
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

const padded: Operator<Unary, tf.PadV2Attrs> = (graph, { x }, { paddings, constantValue }) => {
  const inGraph = onnx.orderInGraph(paddings.length).map((axis) => paddings[axis] ?? [0, 0]);
  const sides = [0, 1].flatMap((side) => inGraph.map((both) => both[side] ?? 0));
  const value = graph.constant([], Float32Array.of(constantValue));
  return {
    name: graph.add('Pad', [x.name, graph.integers(sides), value]),
    shape: x.shape.map((length, axis) => length + (paddings[axis]?.[0] ?? 0) + (paddings[axis]?.[1] ?? 0)),
  };
};

interface Normalised {
  readonly x: onnx.Operand;
  readonly mean: onnx.Operand;
  readonly variance: onnx.Operand;
  readonly scale?: onnx.Operand;
  readonly offset?: onnx.Operand;
}

/** As a product and a sum, which ONNX Runtime folds into the convolution before. */
const normalised: Operator<Normalised, tf.FusedBatchNormAttrs> = (
  graph,
  { x, mean, variance, scale, offset },
  { varianceEpsilon },
) => {
  const { shape, values: means } = onnx.known(mean);
  const variances = onnx.known(variance).values;
  const scales = scale && onnx.known(scale).values;
  const offsets = offset && onnx.known(offset).values;
  const factor = variances.map((each, at) => (scales?.[at] ?? 1) / Math.sqrt(each + varianceEpsilon));
  const added = means.map((each, at) => (offsets?.[at] ?? 0) - each * (factor[at] ?? 0));
  const product = elementwise('Mul')(graph, { a: x, b: { shape, values: factor } }, {});
  return elementwise('Add')(graph, { a: product, b: { shape, values: added } }, {});
};

function fourOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): [number, number, number, number] {
  return [a, b, c, d];
}

const matrixProduct: Operator<Binary & { bias?: onnx.Operand }, tf._FusedMatMulAttrs> = (
  graph,
  { a, b, bias },
  { transposeA, transposeB, activation },
) => {
  if (transposeA || transposeB) throw new Error('a product with a transposed matrix');
  const shape = [...a.shape.slice(0, -1), b.shape.at(-1) ?? 0];
  const product = { name: graph.add('MatMul', [graph.operand(a), graph.operand(b)]), shape };
  const sum = bias ? elementwise('Add')(graph, { a: product, b: bias }, {}) : product;
  return activated(graph, sum, activation);
};

const reduction =
  (operator: string): Operator<Unary, tf.MeanAttrs> =>
  (graph, { x }, { axis, keepDims }) => {
    const axes = tf.util.parseAxisParam(axis, [...x.shape]);
    const [left] = tf.backend_util.computeOutAndReduceShapes([...x.shape], axes);
    // The result must be in TensorFlow's order, as it is if all dimensions or only channels are left.
    const isInOrder = keepDims || (axes.includes(1) && axes.includes(2));
    const name = isInOrder ? x.name : graph.asInTensorFlow(x);
    const reduced = isInOrder ? axes.map((each) => onnx.axisInGraph(each, x.shape.length)) : axes;
    return {
      name: graph.add(operator, [name, graph.integers(reduced)], { keepdims: keepDims ? 1 : 0 }),
      shape: keepDims ? tf.backend_util.expandShapeToKeepDim(left, axes) : left,
    };
  };

const concatenation: Operator<readonly onnx.Operand[], tf.ConcatAttrs> = (graph, inputs, { axis }) => {
  const tensors = Object.values(inputs);
  const rank = tensors[0]?.shape.length ?? 0;
  const [at = 0] = tf.util.parseAxisParam(axis, tensors[0] ? [...tensors[0].shape] : []);
  const [names, shapes] = [
    tensors.map((each) => graph.operand(each)),
    tensors.map(({ shape }) => [...shape]),
  ];
  const name = graph.add('Concat', names, { axis: onnx.axisInGraph(at, rank) });
  return { name, shape: tf.backend_util.computeOutShape(shapes, at) };
};

const reshaped: Operator<Unary, tf.ReshapeAttrs> = (graph, { x }, attributes) => {
  const shape = tf.util.inferFromImplicitShape(attributes.shape, tf.util.sizeFromShape([...x.shape]));
  const lengths = graph.integers(shape.map((length) => (length === onnx.ROWS ? -1 : length)));
  return graph.fromTensorFlow({ name: graph.add('Reshape', [graph.asInTensorFlow(x), lengths]), shape });
};

/** By the name of the kernel in TensorFlow.js. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  Add: elementwise('Add'),
  AvgPool: pooling('AveragePool'),
  BatchMatMul: matrixProduct,
  Cast: cast,
  ClipByValue: clipped,
  Concat: concatenation,
  Conv2D: convolution(false),
  DepthwiseConv2dNative: convolution(true),
  FusedBatchNorm: normalised,
  FusedConv2D: convolution(false),
  FusedDepthwiseConv2D: convolution(true),
  Identity: (_graph, { x }: Unary) => x,
  MaxPool: pooling('MaxPool'),
  Mean: reduction('ReduceMean'),
  Multiply: elementwise('Mul'),
  PadV2: padded,
  Relu: each('Relu'),
  Relu6: (graph, { x }: Unary) => activated(graph, x, 'relu6'),
  Reshape: reshaped,
  ResizeBilinear: resized,
  Rsqrt: each('Sqrt', 'Reciprocal'),
  Sigmoid: each('Sigmoid'),
  Square: (graph, { x }: Unary) => elementwise('Mul')(graph, { a: x, b: x }, {}),
  Sum: reduction('ReduceSum'),
  _FusedMatMul: matrixProduct,
};
