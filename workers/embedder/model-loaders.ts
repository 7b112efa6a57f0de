import { dirname, join } from 'node:path';
import { loadGraphModel } from '@tensorflow/tfjs-converter';
import { type NamedTensorMap, type Tensor, tensor4d, tidy } from '@tensorflow/tfjs-core';
import { loadLayersModel } from '@tensorflow/tfjs-layers';
import type { ModelFormat } from '../../models/vision/embedding-model';
import { isInstalled, NATIVE_PACKAGE } from './backend-choice';
import { type OpenBackend, openBackend } from './backends';
import type { OpenNetwork } from './conversion/onnx-of-network';
import type { LoadedModel, RunsOn } from './loaded-model';
import { type ModelFolder, ModelRefused, modelFiles } from './model-folder';
import { isOnnxInstalled, loadConverted, loadOnnx, ONNX_MISSING } from './onnx-runtime';

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

/** A Keras model as `tensorflowjs_converter --output_format tfjs_layers_model` writes it. */
export async function openLayers(model: ModelFolder): Promise<OpenNetwork> {
  const layers = await loadLayersModel(modelFiles(model));
  return {
    run: (pictures) => onlyTensor(model, layers.apply(pictures) as Tensor | Tensor[]),
    dispose: () => {
      layers.dispose();
    },
  };
}

/** A frozen graph as `tensorflowjs_converter --output_format tfjs_graph_model` writes it. */
export async function openGraph(model: ModelFolder): Promise<OpenNetwork> {
  const graph = await loadGraphModel(modelFiles(model));
  const { input, output } = model.manifest;
  return {
    run: (pictures) => {
      const named = input.name ? { [input.name]: pictures } : pictures;
      return onlyTensor(model, graph.execute(named, output.name ?? undefined));
    },
    dispose: () => graph.dispose(),
  };
}

/**
 * TensorFlow's own format.
 *
 * @throws ModelRefused where the native backend is not there
 */
export async function openSaved(model: ModelFolder, { native }: OpenBackend): Promise<OpenNetwork> {
  if (!native) throw needsNative(model.folder);
  const saved = await native.node.loadSavedModel(dirname(join(model.folder, model.manifest.file)));
  return {
    run: (pictures) => onlyTensor(model, saved.predict(pictures)),
    dispose: () => saved.dispose(),
  };
}

/** The refusal of a SavedModel where nothing runs it. */
export const needsNative = (model: string): ModelRefused =>
  new ModelRefused(model, 'tf-saved-model needs the native backend (@tensorflow/tfjs-node)');

/** An inference between plain arrays; what it makes on the way is disposed of. */
export const onTensorFlow = ({ run, dispose }: OpenNetwork, runsOn: RunsOn): LoadedModel => ({
  predict: (values, [rows, ...rest]) =>
    tidy(() => run(tensor4d(values, [rows, ...rest])).dataSync<'float32'>()),
  dispose,
  runsOn,
});

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
