import { backend_util, type CastAttrs, type ClipByValueAttrs } from '@tensorflow/tfjs-core';
import type { GraphWriter, Operand, Traced } from './graph-writer';

/** Writes what one kernel of TensorFlow.js computes. @throws Error for what ONNX is not told here */
export type Operator<Inputs = never, Attributes = never> = (
  graph: GraphWriter,
  inputs: Inputs,
  attributes: Attributes,
) => Traced;

/** The only tensor of a kernel that is traced is a traced one. */
export interface Unary {
  readonly x: Traced;
}

export interface Binary {
  readonly a: Operand;
  readonly b: Operand;
}

/** One operation on two tensors, value by value, as both stretch. */
export const elementwise =
  (operator: string): Operator<Binary, object> =>
  (graph, { a, b }) => {
    const shape = backend_util.assertAndGetBroadcastShape([...a.shape], [...b.shape]);
    const operands = [a, b].map((each) => graph.operand(each, shape.length));
    return { name: graph.add(operator, operands), shape };
  };

/** One operation after another on each value. */
export const each =
  (...operators: readonly string[]): Operator<Unary, object> =>
  (graph, { x }) => ({
    shape: x.shape,
    name: operators.reduce((name, operator) => graph.add(operator, [name]), x.name),
  });

/** Values within limits. */
export const clipped: Operator<Unary, ClipByValueAttrs> = (graph, { x }, { clipValueMin, clipValueMax }) => {
  const limits = [clipValueMin, clipValueMax].map((limit) => graph.floats([], Float32Array.of(limit)));
  return { shape: x.shape, name: graph.add('Clip', [x.name, ...limits]) };
};

const ACTIVATIONS: Readonly<Record<string, Operator<Unary, object>>> = {
  relu: each('Relu'),
  relu6: (graph, { x }) => clipped(graph, { x }, { clipValueMin: 0, clipValueMax: 6 }),
  sigmoid: each('Sigmoid'),
};

/** Between types: there is one. @throws Error for another */
export const cast: Operator<Unary, CastAttrs> = (_graph, { x }, { dtype }) => {
  if (dtype !== 'float32') throw new Error(`a cast to ${dtype}`);
  return x;
};

/** Activations that a kernel may end with, as the kernels that they also are. */
export function activated(graph: GraphWriter, x: Traced, activation = 'linear'): Traced {
  if (activation === 'linear') return x;
  const operator = ACTIVATIONS[activation];
  if (!operator) throw new Error(`the activation ${activation}`);
  return operator(graph, { x }, {});
}
