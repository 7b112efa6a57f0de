import { dirname, join } from 'node:path';
import { loadGraphModel } from '@tensorflow/tfjs-converter';
import { type NamedTensorMap, type Tensor, tensor4d, tidy } from '@tensorflow/tfjs-core';
import { loadLayersModel } from '@tensorflow/tfjs-layers';
import type { OpenBackend } from './backends';
import type { LoadedModel } from './loaded-model';
import { ModelRefused } from './manifest';
import { type ModelFolder, modelFiles } from './model-files';

/** A Keras model as `tensorflowjs_converter --output_format tfjs_layers_model` writes it. */
export async function loadLayers(model: ModelFolder): Promise<LoadedModel> {
  const layers = await loadLayersModel(modelFiles(model));
  return {
    predict: onTensors(model, (pictures) => layers.predictOnBatch(pictures)),
    dispose: () => {
      layers.dispose();
    },
  };
}

/** A frozen graph as `tensorflowjs_converter --output_format tfjs_graph_model` writes it. */
export async function loadGraph(model: ModelFolder): Promise<LoadedModel> {
  const graph = await loadGraphModel(modelFiles(model));
  const { input, output } = model.manifest;
  return {
    predict: onTensors(model, (pictures) => {
      const named = input.name ? { [input.name]: pictures } : pictures;
      return graph.execute(named, output.name ?? undefined);
    }),
    dispose: () => graph.dispose(),
  };
}

/**
 * TensorFlow's own format.
 *
 * @throws ModelRefused where the native backend is not there
 */
export async function loadSaved(model: ModelFolder, backend: OpenBackend): Promise<LoadedModel> {
  if (!backend.native) throw needsNative(model.folder);
  const saved = await backend.native.node.loadSavedModel(dirname(join(model.folder, model.manifest.file)));
  return {
    predict: onTensors(model, (pictures) => saved.predict(pictures)),
    dispose: () => saved.dispose(),
  };
}

/** The refusal of a SavedModel where nothing runs it. */
export const needsNative = (model: string): ModelRefused =>
  new ModelRefused(model, 'tf-saved-model needs the native backend (@tensorflow/tfjs-node)');

/** An inference between plain arrays; what it makes on the way is disposed of. */
function onTensors(
  model: ModelFolder,
  run: (pictures: Tensor) => Tensor | Tensor[] | NamedTensorMap,
): LoadedModel['predict'] {
  return (values, [rows, ...rest]) =>
    tidy(() => onlyTensor(model, run(tensor4d(values, [rows, ...rest]))).dataSync<'float32'>());
}

/** The output that the manifest names, or the only one there is. */
function onlyTensor({ folder, manifest }: ModelFolder, output: Tensor | Tensor[] | NamedTensorMap): Tensor {
  if (isTensor(output)) return output;
  const { name } = manifest.output;
  const outputs = Object.entries(output);
  const chosen = name
    ? outputs.find(([each]) => each === name)
    : outputs.length === 1
      ? outputs[0]
      : undefined;
  if (chosen) return chosen[1];
  throw new ModelRefused(folder, `it has ${outputs.length} outputs; name one of them in output.name`);
}

function isTensor(output: Tensor | Tensor[] | NamedTensorMap): output is Tensor {
  return 'dataId' in output;
}
