import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { io } from '@tensorflow/tfjs-core';
import { z } from 'zod';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { ModelRefused } from './manifest';

/** A model on disk: its folder and what its manifest says. */
export interface ModelFolder {
  readonly folder: string;
  readonly manifest: ModelManifest;
}

/**
 * Reads a TensorFlow.js model (`model.json` and its weight files) for `loadLayersModel` and `loadGraphModel`. Only
 * files with a digest in the manifest are read, so nothing runs that was not checked.
 */
export function modelFiles({ folder, manifest }: ModelFolder): io.IOHandler {
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
        shards.push(await read(besideModel(manifest.file, path)));
      }
      return {
        ...artifacts,
        weightSpecs: weightsManifest.flatMap((group) => group.weights),
        weightData: exactArrayBuffer(shards),
      };
    },
  };
}

/** Weight files are named relative to the model file. */
function besideModel(modelFile: string, path: string): string {
  const end = modelFile.lastIndexOf('/');
  return end < 0 ? path : `${modelFile.slice(0, end)}/${path}`;
}

/** One buffer that holds the shards and nothing else: small files are read into a pool that Node shares. */
function exactArrayBuffer(shards: readonly Buffer[]): ArrayBuffer {
  const weights = new Uint8Array(shards.reduce((total, shard) => total + shard.length, 0));
  let offset = 0;
  for (const shard of shards) {
    weights.set(shard, offset);
    offset += shard.length;
  }
  return weights.buffer;
}

const weightSpec = z.custom<io.WeightsManifestEntry>(
  (value) => typeof value === 'object' && value !== null && 'name' in value && 'shape' in value,
);

/** Parts that only TensorFlow.js itself understands are handed on as they are. */
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
