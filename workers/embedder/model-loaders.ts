import { join } from 'node:path';
import type { ModelFormat } from '../../models/vision/embedding-model';
import { isInstalled, NATIVE_PACKAGE } from './backend-choice';
import { type OpenBackend, openBackend } from './backends';
import type { OpenNetwork } from './conversion/onnx-of-network';
import type { LoadedModel } from './loaded-model';
import { ModelRefused } from './manifest';
import type { ModelFolder } from './model-files';
import { loadConverted, loadOnnx } from './onnx-loader';
import { isOnnxInstalled, ONNX_MISSING } from './onnx-runtime';
import { needsNative, onTensorFlow, openGraph, openLayers, openSaved } from './tensorflow-loaders';

type NetworkOpener = (model: ModelFolder, backend: OpenBackend) => Promise<OpenNetwork>;

/** Who opens which format of TensorFlow. */
const NETWORK_OPENERS: Readonly<Record<Exclude<ModelFormat, 'onnx'>, NetworkOpener>> = {
  'tfjs-layers': openLayers,
  'tfjs-graph': openGraph,
  'tf-saved-model': openSaved,
};

/**
 * The model in a folder, in memory.
 *
 * @throws ModelRefused when its format can't be run here or its files are no such model
 */
export async function loadModel(model: ModelFolder, backend: OpenBackend): Promise<LoadedModel> {
  const { format, file } = model.manifest;
  try {
    if (format === 'onnx') return await loadOnnx(model, join(model.folder, file));
    return await loadNetwork(model, NETWORK_OPENERS[format], backend);
  } catch (failure) {
    if (failure instanceof ModelRefused) throw failure;
    throw new ModelRefused(model.folder, `it does not load as ${format}: ${messageOf(failure)}`, failure);
  }
}

/** A network of TensorFlow on the backend, or on another one that takes it. */
async function loadNetwork(
  model: ModelFolder,
  open: NetworkOpener,
  backend: OpenBackend,
): Promise<LoadedModel> {
  if (backend.name !== 'onnx')
    return onTensorFlow(await open(model, backend), { backend: backend.name, reason: null });
  try {
    return await loadConverted(model, () => open(model, backend));
  } catch (failure) {
    if (backend.others.length === 0) throw failure;
    const other = await openBackend(backend.others);
    return onTensorFlow(await open(model, other), { backend: other.name, reason: messageOf(failure) });
  }
}

const messageOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure);

/**
 * Says before anything is downloaded that a format can't be run here.
 *
 * @throws ModelRefused with what to install
 */
export function checkRuntime(model: ModelFolder): void {
  const { format } = model.manifest;
  if (format === 'onnx' && !isOnnxInstalled()) throw new ModelRefused(model.folder, ONNX_MISSING);
  if (format === 'tf-saved-model' && !isInstalled(NATIVE_PACKAGE)) throw needsNative(model.folder);
}
