import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../models/errors';
import { type ModelManifest, modelReference } from '../models/vision/embedding-model';
import { readManifest } from '../workers/embedder/manifest';

/** A model that can be used here: where it lies and what it says of itself. */
export interface InstalledModel {
  readonly folder: string;
  readonly manifest: ModelManifest;
  /** The one that ships with Loupe. */
  readonly bundled: boolean;
}

const BUNDLED_FOLDER = resolve(__dirname, '../workers/embedder/bundled');

/** The model that ships with Loupe. */
export const bundledModel = (): Promise<InstalledModel> => installed(BUNDLED_FOLDER, true);

/** The bundled model first, then those added to `DATA_DIR/models`, by name. */
export async function installedModels(dataDir: string): Promise<InstalledModel[]> {
  const root = join(dataDir, 'models');
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name));
  const added = await Promise.all(folders.sort().map((folder) => installed(folder, false)));
  return [await bundledModel(), ...added];
}

/**
 * The installed model of this name, `id` or `id@version`; without a name the bundled one.
 *
 * @throws AppError 404 listing what there is
 */
export async function findModel(dataDir: string, name: string | undefined): Promise<InstalledModel> {
  const models = await installedModels(dataDir);
  const found = models.find(
    ({ manifest, bundled }) =>
      (name === undefined && bundled) || manifest.id === name || modelReference(manifest) === name,
  );
  if (found) return found;
  const names = models.map(({ manifest }) => modelReference(manifest)).join(', ');
  throw new AppError(404, 'not_found', `There is no model "${name}"; there are ${names}.`);
}

const installed = async (folder: string, bundled: boolean): Promise<InstalledModel> => ({
  folder,
  manifest: await readManifest(folder),
  bundled,
});
