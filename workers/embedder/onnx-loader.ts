import { join } from 'node:path';
import type { LoadedModel } from './loaded-model';
import type { ModelFolder } from './model-files';
import { openOnnxRuntime } from './onnx-runtime';
import { floatsOf, signatureOf } from './onnx-signature';

/** The pool takes one engine per core, so an engine computes in its own thread alone. */
const SESSION_OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
} as const;

/**
 * An ONNX model with a `float32` input. Its batch dimension may be free or fixed: a fixed one is filled up with rows
 * whose answers are dropped.
 *
 * @throws ModelRefused where ONNX Runtime is not installed, saying how to install it, and for a model whose inputs and
 * outputs are not what its manifest says
 */
export async function loadOnnx(model: ModelFolder): Promise<LoadedModel> {
  const runtime = openOnnxRuntime(model.folder);
  const file = join(model.folder, model.manifest.file);
  const session = await runtime.InferenceSession.create(file, SESSION_OPTIONS);
  const { input, output, fixedRows } = signatureOf(model, session);
  const infer: LoadedModel['predict'] = async (values, shape) => {
    const pictures = new runtime.Tensor('float32', values, shape);
    const answer = await session.run({ [input]: pictures }, [output]);
    return floatsOf(model, answer[output]);
  };
  return {
    predict: fixedRows === null ? infer : inFixedBatches(fixedRows, infer),
    dispose: () => void session.release(),
  };
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
