import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ModelManifest } from '../../models/vision/embedding-model';
import { checkRuntime } from '../embedder/backends';
import {
  goldenPictureOf,
  MANIFEST_FILE,
  ModelRefused,
  readManifest,
  sha256Of,
} from '../embedder/model-folder';
import type { ModelSource } from './model-source';

const MANIFEST_BYTES_MAX = 2 ** 20;

/**
 * Brings the manifest of a model into a folder of its own.
 *
 * @param sha256 of what the operator named, when they have it; that of an archive was checked before
 * @throws ModelRefused naming every fault, or that nothing here could run the model
 */
export async function stageManifest(
  source: ModelSource,
  folder: string,
  sha256: string | null,
): Promise<ModelManifest> {
  const target = join(folder, MANIFEST_FILE);
  await mkdir(folder, { recursive: true });
  await source.bring(MANIFEST_FILE, target, null, MANIFEST_BYTES_MAX);
  const found = await sha256Of(target);
  if (source.named === 'manifest' && sha256 !== null && found !== sha256) {
    throw new ModelRefused(folder, `manifest.json has SHA-256 ${found}, not ${sha256}`);
  }
  const manifest = await readManifest(folder);
  checkRuntime({ folder, manifest });
  return manifest;
}

/**
 * Brings the files that a manifest names: those with a digest, and its golden pair. Nothing else gets in.
 *
 * @throws ModelRefused when one is missing, or they are too large together
 */
export async function stageFiles(
  source: ModelSource,
  folder: string,
  manifest: ModelManifest,
  bytesMax: number,
): Promise<void> {
  let left = bytesMax;
  const bring = async (name: string) => {
    const target = join(folder, name);
    await mkdir(dirname(target), { recursive: true });
    await source.bring(name, target, manifest.digests[name] ?? null, left).catch((failure: unknown) => {
      throw isThere(failure) ? new ModelRefused(folder, `${name} is there already`, failure) : failure;
    });
    left -= (await stat(target)).size;
  };
  for (const name of Object.keys(manifest.digests)) await bring(name);
  if (manifest.golden === undefined) return;
  if (!Object.hasOwn(manifest.digests, manifest.golden)) await bring(manifest.golden);
  const picture = await goldenPictureOf({ folder, manifest });
  if (picture !== null && !Object.hasOwn(manifest.digests, picture)) await bring(picture);
}

const isThere = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === 'EEXIST';
