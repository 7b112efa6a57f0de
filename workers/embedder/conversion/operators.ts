import {
  type _FusedMatMulAttrs,
  backend_util,
  type ConcatAttrs,
  type MeanAttrs,
  type ReshapeAttrs,
  util,
} from '@tensorflow/tfjs-core';
import { axisInGraph, type Operand, ROWS } from './graph-writer';
import { convolution, normalised, padded, pooling, resized } from './picture-operators';
import {
  activated,
  type Binary,
  cast,
  clipped,
  each,
  elementwise,
  type Operator,
  type Unary,
} from './value-operators';

const matrixProduct: Operator<Binary & { bias?: Operand }, _FusedMatMulAttrs> = (
  graph,
  { a, b, bias },
  { transposeA, transposeB, activation },
) => {
  if (transposeA || transposeB) throw new Error('a product with a transposed matrix');
  const shape = [...a.shape.slice(0, -1), b.shape.at(-1) ?? 0];
  const product = { name: graph.add('MatMul', [graph.operand(a), graph.operand(b)]), shape };
  return activated(
    graph,
    bias ? elementwise('Add')(graph, { a: product, b: bias }, {}) : product,
    activation,
  );
};

const reduction =
  (operator: string): Operator<Unary, MeanAttrs> =>
  (graph, { x }, { axis, keepDims }) => {
    const axes = util.parseAxisParam(axis, [...x.shape]);
    const [left] = backend_util.computeOutAndReduceShapes([...x.shape], axes);
    // What is left must be in TensorFlow's order: so it is when all dimensions stay, and where only channels are left.
    const isInOrder = keepDims || (axes.includes(1) && axes.includes(2));
    const name = isInOrder ? x.name : graph.asInTensorFlow(x);
    const reduced = isInOrder ? axes.map((each) => axisInGraph(each, x.shape.length)) : axes;
    return {
      name: graph.add(operator, [name, graph.integers(reduced)], { keepdims: keepDims ? 1 : 0 }),
      shape: keepDims ? backend_util.expandShapeToKeepDim(left, axes) : left,
    };
  };

const concatenation: Operator<readonly Operand[], ConcatAttrs> = (graph, inputs, { axis }) => {
  const tensors = Object.values(inputs);
  const rank = tensors[0]?.shape.length ?? 0;
  const [at = 0] = util.parseAxisParam(axis, tensors[0] ? [...tensors[0].shape] : []);
  return {
    name: graph.add(
      'Concat',
      tensors.map((each) => graph.operand(each)),
      { axis: axisInGraph(at, rank) },
    ),
    shape: backend_util.computeOutShape(
      tensors.map(({ shape }) => [...shape]),
      at,
    ),
  };
};

const reshaped: Operator<Unary, ReshapeAttrs> = (graph, { x }, attributes) => {
  const shape = util.inferFromImplicitShape(attributes.shape, util.sizeFromShape([...x.shape]));
  const lengths = graph.integers(shape.map((length) => (length === ROWS ? -1 : length)));
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
