import { dirname, join } from 'node:path';
import { loadGraphModel } from '@tensorflow/tfjs-converter';
import type { NamedTensorMap, Tensor } from '@tensorflow/tfjs-core';
import { loadLayersModel } from '@tensorflow/tfjs-layers';
import type { ModelFormat } from '../../models/vision/embedding-model';
import type { OpenBackend } from './backends';
import { ModelRefused } from './manifest';
import { type ModelFolder, modelFiles } from './model-files';

/** A model in memory, of whatever format. */
export interface LoadedModel {
  /** Pictures in the layout of the manifest -> one embedding each; the caller disposes of both. */
  predict(input: Tensor): Tensor;
  dispose(): void;
}

/** Brings a model of one format into memory. */
export type ModelLoader = (model: ModelFolder, backend: OpenBackend) => Promise<LoadedModel>;

/**
 * Who loads which format. A further runtime is one more entry; a format without an entry is refused with a clear
 * reason, so a manifest may name formats that only some installations can run.
 */
const MODEL_LOADERS: Readonly<Partial<Record<ModelFormat, ModelLoader>>> = {
  'tfjs-layers': loadLayers,
  'tfjs-graph': loadGraph,
  'tf-saved-model': loadSaved,
};

/**
 * The model in a folder, in memory.
 *
 * @throws ModelRefused when its format can't be run here or its files are no such model
 */
export async function loadModel(model: ModelFolder, backend: OpenBackend): Promise<LoadedModel> {
  const { format } = model.manifest;
  const load = MODEL_LOADERS[format];
  if (!load) throw new ModelRefused(model.folder, `nothing here runs models of format ${format}`);
  try {
    return await load(model, backend);
  } catch (failure) {
    if (failure instanceof ModelRefused) throw failure;
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new ModelRefused(model.folder, `it does not load as ${format}: ${reason}`, failure);
  }
}

async function loadLayers(model: ModelFolder): Promise<LoadedModel> {
  const layers = await loadLayersModel(modelFiles(model));
  return {
    predict: (input) => onlyTensor(model, layers.predictOnBatch(input)),
    dispose: () => {
      layers.dispose();
    },
  };
}

async function loadGraph(model: ModelFolder): Promise<LoadedModel> {
  const graph = await loadGraphModel(modelFiles(model));
  const { input, output } = model.manifest;
  return {
    predict: (pictures) => {
      const named = input.name ? { [input.name]: pictures } : pictures;
      return onlyTensor(model, graph.execute(named, output.name ?? undefined));
    },
    dispose: () => graph.dispose(),
  };
}

async function loadSaved(model: ModelFolder, backend: OpenBackend): Promise<LoadedModel> {
  if (!backend.native) {
    throw new ModelRefused(model.folder, 'tf-saved-model needs the native backend (@tensorflow/tfjs-node)');
  }
  const saved = await backend.native.node.loadSavedModel(dirname(join(model.folder, model.manifest.file)));
  return {
    predict: (input) => onlyTensor(model, saved.predict(input)),
    dispose: () => saved.dispose(),
  };
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
