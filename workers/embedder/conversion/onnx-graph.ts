/** A tensor of a traced network: computed from the pictures, or constant. Shapes are TensorFlow's. */
export type Operand = Traced | Known;

export interface Traced {
  readonly name: string;
  readonly shape: readonly number[];
}

export interface Known {
  readonly values: Float32Array;
  readonly shape: readonly number[];
}

/** Batch size of the trace, recognisable in every shape that depends on it: a prime that no other dimension has. */
export const ROWS = 99_991;

/** TensorFlow keeps pictures as rows, height, width, channels; ONNX as rows, channels, height, width. */
const TO_ONNX = [0, 3, 1, 2];
const FROM_ONNX = [0, 2, 3, 1];

/** The order of a tensor's axes in the graph. */
export const orderInGraph = (rank: number): readonly number[] =>
  rank === 4 ? TO_ONNX : Array.from({ length: rank }, (_, axis) => axis);

export const axisInGraph = (axis: number, rank: number): number => orderInGraph(rank).indexOf(axis);

/** Writes an ONNX graph, node by node. Tensors of four dimensions have channels first. */
export class GraphWriter {
  readonly #nodes: OnnxNode[] = [];
  readonly #constants: OnnxConstant[] = [];

  /** Adds an operation; returns the name of its output. */
  add(operator: string, inputs: readonly string[], attributes: OnnxNode['attributes'] = {}): string {
    const output = `${operator}_${this.#nodes.length}`;
    this.#nodes.push({ operator, inputs, output, attributes });
    return output;
  }

  /** Adds a constant; returns its name. */
  constant(shape: readonly number[], values: OnnxConstant['values']): string {
    const name = `constant_${this.#constants.length}`;
    this.#constants.push({ name, shape, values });
    return name;
  }

  integers(values: readonly number[]): string {
    return this.constant([values.length], BigInt64Array.from(values, BigInt));
  }

  /** The name of a tensor in the layout of the graph, to be combined with one of this rank. */
  operand(tensor: Operand, rank = tensor.shape.length): string {
    const missing = rank - tensor.shape.length;
    if (rank !== 4) return isTraced(tensor) ? tensor.name : this.constant(tensor.shape, tensor.values);
    if (isTraced(tensor)) {
      if (missing === 0) return tensor.name;
      throw new Error(`tensors of ${tensor.shape.length} and ${rank} dimensions in one operation`);
    }
    const known = { shape: [...Array(missing).fill(1), ...tensor.shape], values: tensor.values };
    const turned = permuted(known, TO_ONNX);
    return this.constant(turned.shape, turned.values);
  }

  /** The name of a traced tensor in TensorFlow's layout. */
  asInTensorFlow({ name, shape }: Traced): string {
    return shape.length === 4 ? this.add('Transpose', [name], { perm: FROM_ONNX }) : name;
  }

  fromTensorFlow({ name, shape }: Traced): Traced {
    return { shape, name: shape.length === 4 ? this.add('Transpose', [name], { perm: TO_ONNX }) : name };
  }

  /** The bytes of an ONNX file with a free batch size. */
  file(input: Traced, output: Traced, outputName: string): Uint8Array {
    this.#nodes.push({ operator: 'Identity', inputs: [this.asInTensorFlow(output)], output: outputName });
    return onnxFile({
      nodes: this.#nodes,
      constants: this.#constants,
      inputs: [{ name: input.name, type: FLOAT, shape: withFreeRows(input.shape) }],
      outputs: [{ name: outputName, type: FLOAT, shape: withFreeRows(output.shape) }],
    });
  }
}

const withFreeRows = (shape: readonly number[]) => shape.map((length) => (length === ROWS ? 'rows' : length));

export const isTraced = (tensor: Operand): tensor is Traced => 'name' in tensor;

/** A tensor with its axes in another order: the new axis `n` is the old axis `order[n]`. */
export function permuted({ shape, values }: Known, order: readonly number[]): Known {
  const lengths = order.map((axis) => shape[axis] ?? 0);
  const strides = order.map((axis) => shape.slice(axis + 1).reduce((all, length) => all * length, 1));
  const turned = new Float32Array(values.length);
  let at = 0;
  const copy = (axis: number, from: number): void => {
    const [length = 0, stride = 0] = [lengths[axis], strides[axis]];
    for (let step = 0; step < length; step += 1) {
      if (axis < lengths.length - 1) copy(axis + 1, from + step * stride);
      else turned[at++] = values[from + step * stride] ?? 0;
    }
  };
  copy(0, 0);
  return { shape: lengths, values: turned };
}

/** @throws Error for weights that are computed */
export function known(tensor: Operand): Known {
  if (!isTraced(tensor)) return tensor;
  throw new Error('weights that depend on the picture');
}

/** Element types of ONNX. */
export const FLOAT = 1;
const INT64 = 7;
export const HALF = 10;

/** An operation of the default operator set: inputs by name, one output. */
export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: Readonly<Record<string, number | string | readonly number[]>>;
}

/** A value that goes in or out; a dimension with a name is free. */
export interface OnnxValue {
  readonly name: string;
  readonly type: typeof FLOAT | typeof HALF;
  readonly shape: readonly (number | string)[];
}

export interface OnnxConstant {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array | BigInt64Array;
}

/** A network; nodes in the order in which they are computed. */
export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly constants: readonly OnnxConstant[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}

const IR_VERSION = 8;
/** The first in which the axes of every reduction are an input. */
const OPERATOR_SET = 18;

/** The network as the bytes of an ONNX file: a `ModelProto` (onnx.proto3). */
export function onnxFile({ nodes, constants, inputs, outputs }: OnnxGraph): Uint8Array {
  const graph = [
    ...nodes.map((each) => message(1, nodeProto(each))),
    text(2, 'network'),
    ...constants.map((each) => message(5, tensorProto(each))),
    ...inputs.map((each) => message(11, valueProto(each))),
    ...outputs.map((each) => message(12, valueProto(each))),
  ];
  return Buffer.concat([
    ...number(1, IR_VERSION),
    ...message(7, graph),
    ...message(8, [number(2, OPERATOR_SET)]),
  ]);
}

/** Pieces of a file, so that weights are copied only once. */
type Pieces = readonly Uint8Array[];

const nodeProto = ({ operator, inputs, output, attributes = {} }: OnnxNode): Pieces[] => [
  ...inputs.map((each) => text(1, each)),
  text(2, output),
  text(4, operator),
  ...Object.entries(attributes).map(([name, value]) => message(5, [text(1, name), ...attribute(value)])),
];

function attribute(value: number | string | readonly number[]): Pieces[] {
  if (typeof value === 'number') return [number(3, value), number(20, 2)];
  if (typeof value === 'string') return [text(4, value), number(20, 3)];
  return [...value.map((each) => number(8, each)), number(20, 7)];
}

const tensorProto = ({ name, shape, values }: OnnxConstant): Pieces[] => [
  ...shape.map((length) => number(1, length)),
  number(2, values instanceof Float32Array ? FLOAT : INT64),
  text(8, name),
  bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
];

function valueProto({ name, type, shape }: OnnxValue): Pieces[] {
  const lengths = shape.map((each) =>
    message(1, [typeof each === 'number' ? number(1, each) : text(2, each)]),
  );
  return [text(1, name), message(2, [message(1, [number(1, type), message(2, lengths)])])];
}

/** Protocol buffers: fields of bytes (wire type 2), and of a whole number of 0 or more (wire type 0). */
const message = (field: number, parts: readonly Pieces[]): Pieces => {
  const pieces = parts.flat();
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [varint(field * 8 + 2), varint(length), ...pieces];
};
const bytes = (field: number, content: Uint8Array): Pieces => message(field, [[content]]);
const text = (field: number, content: string): Pieces => bytes(field, Buffer.from(content));
const number = (field: number, content: number): Pieces => [varint(field * 8), varint(content)];

function varint(content: number): Uint8Array {
  const groups: number[] = [];
  let rest = content;
  for (; rest > 127; rest = Math.floor(rest / 128)) groups.push((rest % 128) + 128);
  return Uint8Array.from([...groups, rest]);
}
