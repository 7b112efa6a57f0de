import { inputShape } from './input-values';
import { ModelRefused } from './manifest';
import type { ModelFolder } from './model-files';
import type { OnnxSession, OnnxTensor, OnnxValue } from './onnx-runtime';

/** Which values of an ONNX graph are the pictures and the embeddings. */
export interface OnnxSignature {
  readonly input: string;
  readonly output: string;
  /** Rows that an inference must have; null when any number will do. */
  readonly fixedRows: number | null;
}

/**
 * Finds the input and the output that the manifest names, or the only ones there are, and compares the input with the
 * size and layout of the manifest: a picture laid out wrongly would be embedded without a word.
 *
 * @throws ModelRefused with the reason
 */
export function signatureOf(model: ModelFolder, session: OnnxSession): OnnxSignature {
  const { input, output } = model.manifest;
  const pictures = chosen(model, 'input', input.name, session.inputMetadata);
  const embeddings = chosen(model, 'output', output.name, session.outputMetadata);
  if (session.inputMetadata.length > 1) {
    const others = session.inputMetadata.filter(({ name }) => name !== pictures.name);
    throw new ModelRefused(
      model.folder,
      `it wants more than pictures: ${namesOf(others)}; export its image encoder alone`,
    );
  }
  if (pictures.type !== 'float32') {
    throw new ModelRefused(
      model.folder,
      `its input ${pictures.name} is ${pictures.type}; export it with a float32 input`,
    );
  }
  return { input: pictures.name, output: embeddings.name, fixedRows: rowsOf(model, pictures) };
}

function chosen(
  { folder }: ModelFolder,
  kind: 'input' | 'output',
  name: string | null | undefined,
  values: readonly OnnxValue[],
): OnnxValue {
  const found = name ? values.find((value) => value.name === name) : values.length === 1 ? values[0] : null;
  if (found) return found;
  const reason = name ? `it has no ${kind} ${name}` : `name one in ${kind}.name`;
  throw new ModelRefused(folder, `${reason}; its ${kind}s are ${namesOf(values)}`);
}

const namesOf = (values: readonly OnnxValue[]): string =>
  values.map(({ name, shape = [] }) => `${name} [${shape.join(', ')}]`).join(', ');

/** Fixed rows of the input, after its other dimensions were compared with the manifest. */
function rowsOf({ folder, manifest }: ModelFolder, { name, shape = [] }: OnnxValue): number | null {
  if (shape.length === 0) return null;
  const wanted = inputShape(manifest.input, 1);
  const fits =
    shape.length === wanted.length &&
    shape.every((length, index) => index === 0 || !isFixed(length) || length === wanted[index]);
  if (!fits) {
    const { layout } = manifest.input;
    throw new ModelRefused(
      folder,
      `its input ${name} is [${shape.join(', ')}], its manifest says ${layout} [rows, ${wanted.slice(1).join(', ')}]`,
    );
  }
  const [rows] = shape;
  return rows !== undefined && isFixed(rows) ? rows : null;
}

const isFixed = (length: number | string): length is number => typeof length === 'number' && length > 0;

/**
 * The values of an output as `float32`.
 *
 * @throws ModelRefused when they are neither `float32` nor `float16`
 */
export function floatsOf({ folder }: ModelFolder, tensor: OnnxTensor | undefined): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data;
  if (tensor?.type === 'float16' && ArrayBuffer.isView(tensor.data)) {
    const { buffer, byteOffset, byteLength } = tensor.data;
    return Float32Array.from(new Uint16Array(buffer, byteOffset, byteLength / 2), fromHalf);
  }
  throw new ModelRefused(folder, `its output is ${tensor?.type ?? 'missing'}, neither float32 nor float16`);
}

/** IEEE 754 half precision, from its bits. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  if (exponent === 0) return sign * 2 ** -14 * fraction;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction);
}
