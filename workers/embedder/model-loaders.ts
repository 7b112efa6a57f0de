import type { ModelFormat } from '../../models/vision/embedding-model';
import { isInstalled, NATIVE_PACKAGE } from './backend-choice';
import type { OpenBackend } from './backends';
import type { LoadedModel, ModelLoader } from './loaded-model';
import { ModelRefused } from './manifest';
import type { ModelFolder } from './model-files';
import { loadOnnx } from './onnx-loader';
import { checkOnnxInstalled } from './onnx-runtime';
import { loadGraph, loadLayers, loadSaved, needsNative } from './tensorflow-loaders';

/** Who loads which format. A further runtime is one more entry. */
const MODEL_LOADERS: Readonly<Record<ModelFormat, ModelLoader>> = {
  'tfjs-layers': loadLayers,
  'tfjs-graph': loadGraph,
  'tf-saved-model': loadSaved,
  onnx: loadOnnx,
};

/**
 * The model in a folder, in memory.
 *
 * @throws ModelRefused when its format can't be run here or its files are no such model
 */
export async function loadModel(model: ModelFolder, backend: OpenBackend): Promise<LoadedModel> {
  const { format } = model.manifest;
  try {
    return await MODEL_LOADERS[format](model, backend);
  } catch (failure) {
    if (failure instanceof ModelRefused) throw failure;
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new ModelRefused(model.folder, `it does not load as ${format}: ${reason}`, failure);
  }
}

/**
 * Says before anything is downloaded that a format can't be run here.
 *
 * @throws ModelRefused with what to install
 */
export function checkRuntime(model: ModelFolder): void {
  const { format } = model.manifest;
  if (format === 'onnx') checkOnnxInstalled(model.folder);
  if (format === 'tf-saved-model' && !isInstalled(NATIVE_PACKAGE)) throw needsNative(model.folder);
}
