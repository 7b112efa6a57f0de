import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { notFound } from '../../models/errors';
import type { BrokenModel, InstalledModel, ModelLibrary } from '../../models/ports';
import { modelReference } from '../../models/vision/embedding-model';
import { ModelRefused, readManifest } from '../embedder/model-folder';

/** The model that a new installation uses. */
export const bundledModel = (): Promise<InstalledModel> =>
  installed(resolve(__dirname, '../embedder/bundled'), true);

/** The bundled model of the previous release, for installations that have not been switched (docs/upgrade.md). */
export const earlierModel = (): Promise<InstalledModel> =>
  installed(resolve(__dirname, '../embedder/bundled-earlier'), true);

export const modelsFolder = (dataDir: string): string => join(dataDir, 'models');

/** The bundled models, and those that were added to the data folder. */
export class FolderModelLibrary implements ModelLibrary {
  constructor(private readonly dataDir: string) {}

  async all(): Promise<{ models: readonly InstalledModel[]; broken: readonly BrokenModel[] }> {
    const root = modelsFolder(this.dataDir);
    const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
    const names = entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
    const read = await Promise.all(names.sort().map((name) => inspectInstalled(root, name)));
    return {
      models: [await bundledModel(), await earlierModel(), ...read.filter((each) => 'manifest' in each)],
      broken: read.filter((each) => 'reason' in each),
    };
  }

  async find(name: string | undefined): Promise<InstalledModel> {
    const { models } = await this.all();
    const found = models.find(
      ({ manifest, bundled }) =>
        (name === undefined && bundled) || manifest.id === name || modelReference(manifest) === name,
    );
    if (found) return found;
    const names = models.map(({ manifest }) => modelReference(manifest)).join(', ');
    throw notFound(`There is no model "${name}"; there are ${names}. loupe models add brings in others.`);
  }
}

const installed = async (folder: string, bundled: boolean): Promise<InstalledModel> => ({
  folder,
  manifest: await readManifest(folder),
  bundled,
});

async function inspectInstalled(root: string, name: string): Promise<InstalledModel | BrokenModel> {
  const folder = join(root, name);
  try {
    const model = await installed(folder, false);
    const reference = modelReference(model.manifest);
    if (reference === name) return model;
    return { folder, name, reason: `its manifest is that of ${reference}; add that model instead` };
  } catch (failure) {
    if (failure instanceof ModelRefused) return { folder, name, reason: failure.reason };
    throw failure;
  }
}
