import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { GraphWriter, isTraced, type Operand, ROWS, type Traced } from './onnx-graph';
import { OPERATORS, type Operator } from './operators';

const BACKEND = 'tracing';

/** A network of TensorFlow.js, in the backend that was set when it was opened. */
export interface OpenNetwork {
  run(pictures: tf.Tensor): tf.Tensor;
  dispose(): void;
}

export interface NetworkSignature {
  readonly input: string;
  readonly output: string;
  /** Dimensions of a picture, without rows. */
  readonly picture: readonly number[];
}

/**
 * Converts a TensorFlow.js network into an ONNX file with a free batch size, by running it once on a tracing backend.
 * @throws Error naming an unsupported operation; whatever `open` throws
 */
export async function onnxOfNetwork(
  open: () => Promise<OpenNetwork>,
  { input, output, picture }: NetworkSignature,
): Promise<Uint8Array> {
  const before = tf.getBackend();
  const trace = new TracingBackend();
  registerTracing(trace);
  await tf.setBackend(BACKEND);
  try {
    const network = await open();
    const pictures = { name: input, shape: [ROWS, ...picture] };
    const answer = trace.operandOf(network.run(trace.tensorOf(pictures)));
    if (!isTraced(answer)) throw new Error('an answer that does not depend on the picture');
    return trace.graph.file(pictures, answer, output);
  } finally {
    // Also disposes of its tensors.
    tf.removeBackend(BACKEND);
    if (before) await tf.setBackend(before);
  }
}

/** Computes constants on the CPU, and records a graph of the rest. */
class TracingBackend extends MathBackendCPU {
  readonly graph = new GraphWriter();
  readonly #traced = new WeakMap<object, Traced>();

  operandOf({ dataId, shape }: tf.TensorInfo): Operand {
    const traced = this.#traced.get(dataId);
    return traced ?? { shape, values: Float32Array.from(this.data.get(dataId).values as Float32Array) };
  }

  isTraced = (tensor: tf.TensorInfo | undefined): boolean =>
    tensor !== undefined && this.#traced.has(tensor.dataId);

  tensorOf(pictures: Traced): tf.Tensor {
    return tf.engine().makeTensorFromTensorInfo(this.infoOf(this.graph.fromTensorFlow(pictures)));
  }

  infoOf(traced: Traced): tf.TensorInfo {
    const info = this.makeTensorInfo([...traced.shape], 'float32');
    this.#traced.set(info.dataId, traced);
    return info;
  }
}

function registerTracing(trace: TracingBackend): void {
  tf.registerBackend(BACKEND, () => trace);
  if (tf.getKernelsForBackend(BACKEND).length > 0) return;
  for (const kernel of tf.getKernelsForBackend('cpu')) {
    tf.registerKernel({ ...kernel, backendName: BACKEND, kernelFunc: traced(kernel) });
  }
}

/** The CPU kernel; for traced tensors it also adds its ONNX operation to the graph. */
function traced({ kernelName, kernelFunc }: tf.KernelConfig): tf.KernelFunc {
  return (call) => {
    const { inputs, attrs } = call;
    const backend = call.backend as TracingBackend;
    if (!Object.values(inputs).some(backend.isTraced)) return kernelFunc(call);
    const operator: Operator | undefined = OPERATORS[kernelName];
    if (!operator) throw new Error(`the operation ${kernelName} is not written in ONNX here`);
    const operands = Object.fromEntries(
      Object.entries(inputs).flatMap(([name, tensor]) => (tensor ? [[name, backend.operandOf(tensor)]] : [])),
    );
    return backend.infoOf(operator(backend.graph, operands as never, (attrs ?? {}) as never));
  };
}
