import { modelReference } from '../../models/vision/embedding-model';
import { compareWithGolden, readGolden } from './golden';
import { InferencePool, type InferencePoolOptions } from './inference-pool';
import { ModelRefused, readManifest, verifyDigests } from './manifest';
import type { ModelFolder } from './model-files';
import { renderViews } from './render-views';

/**
 * Brings a model into the pool after every proof there is: its files are the ones its maker published, it answers what
 * its manifest says, and it gives its golden vector on this machine.
 *
 * @throws ModelRefused with the reason; the pool is as before then
 */
export async function loadTried(pool: InferencePool, key: string, model: ModelFolder): Promise<void> {
  await verifyDigests(model.folder, model.manifest);
  const golden = await readGolden(model);
  await pool.load(key, model);
  if (!golden) return;
  try {
    const views = await renderViews(golden.picture, [[0, 0, 1, 1]], model.manifest.input);
    const [found = new Float32Array()] = await pool.embed(key, views, 'catalog');
    compareWithGolden(model.folder, golden, found);
  } catch (failure) {
    await pool.unload(key);
    if (failure instanceof ModelRefused) throw failure;
    throw new ModelRefused(model.folder, 'its golden picture can not be embedded', failure);
  }
}

/**
 * Tries the model in a folder as `loadTried` does, in a pool of its own, for `loupe models add`.
 *
 * @returns its manifest
 * @throws ModelRefused with the reason
 */
export async function checkModel(
  folder: string,
  options: InferencePoolOptions,
): Promise<ModelFolder['manifest']> {
  const manifest = await readManifest(folder);
  const pool = await InferencePool.start({ ...options, threads: 1 });
  try {
    await loadTried(pool, modelReference(manifest), { folder, manifest });
    return manifest;
  } finally {
    await pool.close();
  }
}
