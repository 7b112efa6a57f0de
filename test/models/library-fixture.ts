import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DURABLE_FILES } from '../../db/files/durable-files';
import type { ModelManifest } from '../../models/vision/embedding-model';
import type { AddModelOptions } from '../../workers/library/add-model';
import { silent } from '../support/log-sink';

/** How the tests add a model to the library in `dataDir`. */
export const addOptions = (dataDir: string): AddModelOptions => ({
  dataDir,
  sha256: null,
  bytesMax: 2 ** 20,
  downloadTimeoutMs: 60_000,
  inference: { threads: 1, backend: 'wasm', waitingMax: 1, batchTimeoutMs: 30_000, logger: silent },
  files: DURABLE_FILES,
  progress: { note: () => undefined, begin: () => undefined, reach: () => undefined, end: () => undefined },
});

/** Names in the library, and those of what is in work in it. */
export async function libraryNames(dataDir: string): Promise<{ models: string[]; work: string[] }> {
  const names = async (folder: string) => (await readdir(folder).catch(() => [])).sort();
  const models = await names(join(dataDir, 'models'));
  return {
    models: models.filter((name) => name !== '.work'),
    work: await names(join(dataDir, 'models', '.work')),
  };
}

export const filesOf = (manifest: ModelManifest): string[] =>
  ['manifest.json', ...Object.keys(manifest.digests)].sort();
