import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../models/errors';
import { type ModelManifest, modelReference } from '../models/vision/embedding-model';
import { ModelRefused, readManifest } from '../workers/embedder/manifest';

/** A model that can be used here: where it lies and what it says of itself. */
export interface InstalledModel {
  readonly folder: string;
  readonly manifest: ModelManifest;
  /** The one that ships with Loupe. */
  readonly bundled: boolean;
}

/** A folder in the library that holds no model that could be used, and why. */
export interface BrokenModel {
  readonly folder: string;
  readonly name: string;
  readonly reason: string;
}

/** Everything in the library. */
export interface ModelLibrary {
  /** The bundled model first, then those that were added, by name. */
  readonly models: readonly InstalledModel[];
  readonly broken: readonly BrokenModel[];
}

const BUNDLED_FOLDER = resolve(__dirname, '../workers/embedder/bundled');

/** The model that ships with Loupe. */
export const bundledModel = (): Promise<InstalledModel> => installed(BUNDLED_FOLDER, true);

/** Where added models lie: a folder each. */
export const modelsFolder = (dataDir: string): string => join(dataDir, 'models');

/** The models of this installation; one that is broken does not stand in the way of the others. */
export async function modelLibrary(dataDir: string): Promise<ModelLibrary> {
  const root = modelsFolder(dataDir);
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  const read = await Promise.all(names.sort().map((name) => installedOrBroken(root, name)));
  return {
    models: [await bundledModel(), ...read.filter((each) => 'manifest' in each)],
    broken: read.filter((each) => 'reason' in each),
  };
}

/** The models of this installation that can be used, the bundled one first. */
export const installedModels = async (dataDir: string): Promise<readonly InstalledModel[]> =>
  (await modelLibrary(dataDir)).models;

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

async function installedOrBroken(root: string, name: string): Promise<InstalledModel | BrokenModel> {
  const folder = join(root, name);
  try {
    return await installed(folder, false);
  } catch (failure) {
    if (failure instanceof ModelRefused) return { folder, name, reason: failure.reason };
    throw failure;
  }
}
