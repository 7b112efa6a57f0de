import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { loadGraphModel } from '@tensorflow/tfjs-converter';
import { getBackend, type io, type NamedTensorMap, type Tensor, tensor4d, tidy } from '@tensorflow/tfjs-core';
import { loadLayersModel } from '@tensorflow/tfjs-layers';
import { z } from 'zod';
import { messageOf } from '../../models/errors';
import type { ModelFormat } from '../../models/vision/embedding-model';
import { NEEDS_NATIVE, type OpenBackend, openBackend, openNativeTensorFlow } from './backends';
import { type OpenNetwork, onnxOfNetwork } from './conversion/onnx-of-network';
import { inputShape, type LoadedModel, type ModelBackend } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';
import { loadOnnx } from './onnx-model';

/** @throws ModelRefused when the format can't be run here or the files are no such model */
export async function loadModel(model: ModelFolder, backend: OpenBackend): Promise<LoadedModel> {
  const { format, file } = model.manifest;
  try {
    if (format === 'onnx') return await loadOnnx(model, join(model.folder, file));
    return await loadNetwork(model, OPENERS[format], backend);
  } catch (failure) {
    if (failure instanceof ModelRefused) throw failure;
    throw new ModelRefused(model.folder, `it does not load as ${format}: ${messageOf(failure)}`, failure);
  }
}

/** A network of TensorFlow on the backend, or on another one that can run it (contract 14.11). */
async function loadNetwork(
  model: ModelFolder,
  open: Opener,
  { name, others }: OpenBackend,
): Promise<LoadedModel> {
  if (name !== 'onnx') return onTensorFlow(await open(model), { backend: name, reason: null });
  try {
    return await loadOnnx(model, await onnxFileOf(model));
  } catch (failure) {
    if (others.length === 0) throw failure;
    const other = await openBackend(others);
    return onTensorFlow(await open(model), { backend: other.name, reason: messageOf(failure) });
  }
}

/** The bytes of an ONNX file with the same weights. @throws Error for an operation without an ONNX form here */
export async function onnxFileOf(model: ModelFolder): Promise<Uint8Array> {
  const { input, output, format, file } = model.manifest;
  if (format === 'onnx') return readFile(join(model.folder, file));
  const [, ...picture] = inputShape(input, 1);
  const names = { input: input.name ?? 'pictures', output: output.name ?? 'embeddings' };
  return onnxOfNetwork(() => OPENERS[format](model), { ...names, picture });
}

type Opener = (model: ModelFolder) => Promise<OpenNetwork>;

/** How each format of TensorFlow is opened on the backend that is set. */
const OPENERS: Readonly<Record<Exclude<ModelFormat, 'onnx'>, Opener>> = {
  /** A Keras model as `tensorflowjs_converter --output_format tfjs_layers_model` writes it. */
  'tfjs-layers': async (model) => {
    const layers = await loadLayersModel(modelFiles(model));
    return {
      run: (pictures) => onlyTensor(model, layers.apply(pictures) as Tensor | Tensor[]),
      dispose: () => void layers.dispose(),
    };
  },
  /** A frozen graph as `tensorflowjs_converter --output_format tfjs_graph_model` writes it. */
  'tfjs-graph': async (model) => {
    const graph = await loadGraphModel(modelFiles(model));
    const { input, output } = model.manifest;
    return {
      run: (pictures) => {
        const named = input.name ? { [input.name]: pictures } : pictures;
        return onlyTensor(model, graph.execute(named, output.name ?? undefined));
      },
      dispose: () => graph.dispose(),
    };
  },
  /** TensorFlow's own format; the native package may be opened only where its backend runs. */
  'tf-saved-model': async (model) => {
    if (getBackend() !== 'tensorflow') throw new ModelRefused(model.folder, NEEDS_NATIVE);
    const { node } = openNativeTensorFlow();
    const saved = await node.loadSavedModel(dirname(join(model.folder, model.manifest.file)));
    return {
      run: (pictures) => onlyTensor(model, saved.predict(pictures)),
      dispose: () => saved.dispose(),
    };
  },
};

/** An inference between plain arrays that disposes of its tensors. */
const onTensorFlow = ({ run, dispose }: OpenNetwork, runsOn: ModelBackend): LoadedModel => ({
  predict: (values, [rows, ...rest]) =>
    tidy(() => run(tensor4d(values, [rows, ...rest])).dataSync<'float32'>()),
  dispose,
  runsOn,
});

/** The output that the manifest names, or the only one there is. */
function onlyTensor({ folder, manifest }: ModelFolder, output: Tensor | Tensor[] | NamedTensorMap): Tensor {
  if ('dataId' in output) return output as Tensor;
  const { name } = manifest.output;
  const outputs = Object.entries(output);
  const chosen = outputs.find(([each]) => (name ? each === name : outputs.length === 1));
  if (chosen) return chosen[1];
  throw new ModelRefused(folder, `it has ${outputs.length} outputs; name one of them in output.name`);
}

/** Reads only files with a digest in the manifest, so that only verified files are used. */
function modelFiles({ folder, manifest }: ModelFolder): io.IOHandler {
  const read = async (file: string): Promise<Buffer> => {
    if (!Object.hasOwn(manifest.digests, file)) {
      throw new ModelRefused(folder, `the model names ${file}, which has no digest in the manifest`);
    }
    return readFile(join(folder, file));
  };
  return {
    load: async () => {
      const document: unknown = JSON.parse((await read(manifest.file)).toString('utf8'));
      const parsed = modelSchema.safeParse(document);
      if (!parsed.success) throw new ModelRefused(folder, `${manifest.file} is no TensorFlow.js model`);
      const { weightsManifest, ...artifacts } = parsed.data;
      const shards: Buffer[] = [];
      for (const path of weightsManifest.flatMap((group) => group.paths)) {
        shards.push(await read(posix.join(posix.dirname(manifest.file), path)));
      }
      const weights = Buffer.concat(shards);
      // Small files are in a buffer that Node shares, and must be copied.
      const isWhole = weights.byteLength === weights.buffer.byteLength;
      return {
        ...artifacts,
        weightSpecs: weightsManifest.flatMap((group) => group.weights),
        weightData: isWhole ? weights.buffer : new Uint8Array(weights).buffer,
      };
    },
  };
}

const weightSpec = z.custom<io.WeightsManifestEntry>(
  (value) => typeof value === 'object' && value !== null && 'name' in value && 'shape' in value,
);

/** Parts that only TensorFlow.js understands are passed on unchanged. */
const json = z.custom<Record<string, object>>((value) => typeof value === 'object' && value !== null);

const modelSchema = z.object({
  modelTopology: json,
  weightsManifest: z.array(z.object({ paths: z.array(z.string()), weights: z.array(weightSpec) })),
  format: z.string().exactOptional(),
  generatedBy: z.string().exactOptional(),
  signature: json.exactOptional(),
  userDefinedMetadata: json.exactOptional(),
  modelInitializer: json.exactOptional(),
  initializerSignature: json.exactOptional(),
});
