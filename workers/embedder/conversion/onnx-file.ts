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

/** Numbers that the network holds. */
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
/** From here on the axes of every reduction are an input. */
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

/** Pieces of a file, one after another: weights are copied once, into the whole. */
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
