import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { tinyManifest } from './tiny-models';

const node = (name: string, op: string, input: readonly string[], attr: object) => ({
  name,
  op,
  input,
  attr,
});

const constant = (name: string, dtype: string, lengths: readonly number[]) =>
  node(name, 'Const', [], {
    dtype: { type: dtype },
    value: { tensor: { dtype, tensorShape: { dim: lengths.map((size) => ({ size: String(size) })) } } },
  });

/** A frozen graph as TensorFlow.js keeps one: the mean colour of a picture, and the same doubled as a second output. */
export async function writeGraphModel(
  folder: string,
  change: Partial<ModelManifest> = {},
): Promise<ModelManifest> {
  await mkdir(folder, { recursive: true });
  const size = (length: number) => ({ size: String(length) });
  const float = { T: { type: 'DT_FLOAT' } };
  const document = {
    format: 'graph-model',
    modelTopology: {
      node: [
        node('image', 'Placeholder', [], {
          dtype: { type: 'DT_FLOAT' },
          shape: { shape: { dim: [size(-1), size(8), size(8), size(3)] } },
        }),
        constant('axes', 'DT_INT32', [2]),
        node('mean', 'Mean', ['image', 'axes'], {
          ...float,
          Tidx: { type: 'DT_INT32' },
          keep_dims: { b: false },
        }),
        node('double', 'AddV2', ['mean', 'mean'], float),
      ],
      library: {},
      versions: { producer: 1 },
    },
    weightsManifest: [{ paths: ['weights.bin'], weights: [{ name: 'axes', shape: [2], dtype: 'int32' }] }],
  };
  const files = {
    'model.json': Buffer.from(JSON.stringify(document)),
    'weights.bin': Buffer.from(Int32Array.of(1, 2).buffer),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const digests = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]),
  );
  const manifest: ModelManifest = { ...tinyManifest(3), format: 'tfjs-graph', digests, ...change };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return manifest;
}
