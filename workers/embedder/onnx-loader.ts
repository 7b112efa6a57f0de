import { type OpenNetwork, onnxOfNetwork } from './conversion/onnx-of-network';
import { inputShape } from './input-values';
import type { LoadedModel } from './loaded-model';
import type { ModelFolder } from './model-files';
import { openOnnxRuntime } from './onnx-runtime';
import { floatsOf, signatureOf } from './onnx-signature';

/** The pool takes one engine per core, so an engine computes in its own thread alone. */
export const ONE_THREAD = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
} as const;

/**
 * An ONNX model with a `float32` input. Its batch dimension may be free or fixed: a fixed one is filled up with rows
 * whose answers are dropped.
 *
 * @param file its path, or its bytes
 * @throws ModelRefused for a model whose inputs and outputs are not what its manifest says
 * @throws Error where ONNX Runtime is not installed, saying how to install it
 */
export async function loadOnnx(model: ModelFolder, file: string | Uint8Array): Promise<LoadedModel> {
  const runtime = openOnnxRuntime();
  const session = await runtime.InferenceSession.create(file, ONE_THREAD);
  const { input, output, fixedRows } = signatureOf(model, session);
  const infer: LoadedModel['predict'] = async (values, shape) => {
    const pictures = new runtime.Tensor('float32', values, shape);
    const answer = await session.run({ [input]: pictures }, [output]);
    return floatsOf(model, answer[output]);
  };
  return {
    predict: fixedRows === null ? infer : inFixedBatches(fixedRows, infer),
    dispose: () => void session.release(),
    runsOn: { backend: 'onnx', reason: null },
  };
}

/**
 * A model of TensorFlow.js on ONNX Runtime, with the same weights.
 *
 * @throws Error where ONNX Runtime is not told one of its operations
 */
export async function loadConverted(
  model: ModelFolder,
  open: () => Promise<OpenNetwork>,
): Promise<LoadedModel> {
  const { input, output } = model.manifest;
  const [, ...picture] = inputShape(input, 1);
  const names = { input: input.name ?? 'pictures', output: output.name ?? 'embeddings' };
  return loadOnnx(model, await onnxOfNetwork(open, { ...names, picture }));
}

/** The same inference for a network that takes exactly so many rows. */
function inFixedBatches(fixedRows: number, infer: LoadedModel['predict']): LoadedModel['predict'] {
  return async (values, [rows, ...rest]) => {
    const perRow = rest.reduce((product, length) => product * length, 1);
    const answers: Float32Array[] = [];
    for (let first = 0; first < rows; first += fixedRows) {
      const batch = new Float32Array(fixedRows * perRow);
      batch.set(values.subarray(first * perRow, (first + fixedRows) * perRow));
      const answer = await infer(batch, [fixedRows, ...rest]);
      const taken = Math.min(fixedRows, rows - first);
      answers.push(answer.subarray(0, (answer.length / fixedRows) * taken));
    }
    return concatenated(answers);
  };
}

function concatenated(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
