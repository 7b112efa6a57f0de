import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DurableFiles, InstalledModel, Progress } from '../../models/ports';
import { type ModelManifest, modelReference } from '../../models/vision/embedding-model';
import { checkRuntime } from '../embedder/backends';
import { checkModel } from '../embedder/embedder-registry';
import type { InferencePoolOptions } from '../embedder/inference-pool';
import {
  MANIFEST_FILE,
  ModelRefused,
  readGolden,
  readManifest,
  sha256Of,
  verifyDigests,
} from '../embedder/model-folder';
import { FolderModelLibrary, modelsFolder } from './model-library';
import { isAddress, type ModelSource, openSource } from './open-source';
import { sweepWork, workFolder } from './work-folder';

/** How a model is added. */
export interface AddModelOptions {
  readonly dataDir: string;
  /** SHA-256 of what is named: the manifest, or the archive; null when the operator has none. */
  readonly sha256: string | null;
  /** All files of the model together. */
  readonly bytesMax: number;
  /** For all that is downloaded; what has arrived by then is kept for the next try. */
  readonly downloadTimeoutMs: number;
  /** On what the trial inference runs. */
  readonly inference: InferencePoolOptions;
  readonly files: DurableFiles;
  readonly progress: Progress;
}

/** A model that can be used from now on. */
export interface AddedModel {
  readonly model: InstalledModel;
  /** False when the very same was here before. */
  readonly isNew: boolean;
}

/**
 * Installs an embedding model from a folder, an archive or an address: brings its files, proves that they are the ones
 * of the manifest, tries an inference, and only then moves it into the library in one step. A command that is killed
 * leaves nothing in the library; what it had downloaded is used by the next.
 *
 * @param place see `openSource`
 * @throws ModelRefused with the reason; the library is as before then
 * @throws DownloadBroken when the network gives up
 */
export async function addModel(place: string, options: AddModelOptions): Promise<AddedModel> {
  const work = join(modelsFolder(options.dataDir), '.work');
  await sweepWork(work, 'staging');
  const staging = await workFolder(work, 'staging');
  const folder = join(staging.path, 'model');
  try {
    await rm(staging.path, { recursive: true, force: true });
    await mkdir(staging.path);
    return await addFrom(
      await openSource(place, { ...options, work, scratch: staging.path }),
      folder,
      options,
    );
  } catch (failure) {
    // The operator knows the place; the folders in between are ours.
    if (!(failure instanceof ModelRefused)) throw failure;
    throw new ModelRefused(withoutSecrets(place), failure.reason.replaceAll(`${folder}/`, ''), failure);
  } finally {
    await staging.end(false);
  }
}

/** An address may carry a password or a signature. */
function withoutSecrets(place: string): string {
  if (!isAddress(place) || !URL.canParse(place)) return place;
  const { protocol, host, pathname } = new URL(place);
  return `${protocol}//${host}${pathname}`;
}

async function addFrom(source: ModelSource, folder: string, options: AddModelOptions): Promise<AddedModel> {
  try {
    const manifest = await stageManifest(source, folder, options.sha256);
    const standing = await standingModel(manifest, options.dataDir);
    if (!standing) {
      await stageFiles(source, folder, manifest, options.bytesMax);
      await checkModel(folder, options.inference);
    }
    const added = standing ? { model: standing, isNew: false } : await install(folder, manifest, options);
    await source.end(false);
    return added;
  } catch (failure) {
    await source.end(!(failure instanceof ModelRefused));
    throw failure;
  }
}

const MANIFEST_BYTES_MAX = 2 ** 20;

/**
 * Brings the manifest of a model into a folder of its own.
 *
 * @param sha256 of what the operator named, when they have it; that of an archive was checked before
 * @throws ModelRefused naming every fault, or that nothing here could run the model
 */
async function stageManifest(
  source: ModelSource,
  folder: string,
  sha256: string | null,
): Promise<ModelManifest> {
  const target = join(folder, MANIFEST_FILE);
  await mkdir(folder);
  await source.bring(MANIFEST_FILE, target, null, MANIFEST_BYTES_MAX);
  const found = await sha256Of(target);
  if (source.named === 'manifest' && sha256 !== null && found !== sha256)
    throw new ModelRefused(folder, `manifest.json has SHA-256 ${found}, not ${sha256}`);
  const manifest = await readManifest(folder);
  checkRuntime({ folder, manifest });
  return manifest;
}

/**
 * Brings the files that a manifest names: those with a digest, and its golden pair. Nothing else gets in.
 *
 * @throws ModelRefused when one is missing, or they are too large together
 */
async function stageFiles(
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
      const isThere = failure instanceof Error && 'code' in failure && failure.code === 'EEXIST';
      throw isThere ? new ModelRefused(folder, `${name} is there already`, failure) : failure;
    });
    left -= (await stat(target)).size;
  };
  const bringOther = async (name: string | null | undefined) => {
    if (name && !Object.hasOwn(manifest.digests, name)) await bring(name);
  };
  for (const name of Object.keys(manifest.digests)) await bring(name);
  await bringOther(manifest.golden);
  await bringOther((await readGolden({ folder, manifest }))?.picture);
}

/**
 * The same model, when it is installed already.
 *
 * @throws ModelRefused when another one has its name, or what is installed was changed
 */
async function standingModel(manifest: ModelManifest, dataDir: string): Promise<InstalledModel | null> {
  const reference = modelReference(manifest);
  const { models, broken } = await new FolderModelLibrary(dataDir).all();
  const damaged = broken.find(({ name }) => name === reference);
  if (damaged) throw new ModelRefused(reference, `${damaged.folder} is in its place: ${damaged.reason}`);
  const standing = models.find((model) => modelReference(model.manifest) === reference);
  if (!standing) return null;
  if (standing.bundled) throw new ModelRefused(reference, `${reference} is a model that ships with Loupe`);
  if (!isDeepStrictEqual(standing.manifest, manifest)) {
    throw new ModelRefused(
      reference,
      `another model is installed as ${reference}; give this one a version of its own`,
    );
  }
  await verifyDigests(standing.folder, standing.manifest);
  return standing;
}

/** In one step, once all of it is on the disk; of two that add the same model at once, one does it. */
async function install(
  folder: string,
  manifest: ModelManifest,
  { dataDir, files }: AddModelOptions,
): Promise<AddedModel> {
  const target = join(modelsFolder(dataDir), modelReference(manifest));
  try {
    await files.settle(folder, target);
    return { model: { folder: target, manifest, bundled: false }, isNew: true };
  } catch (failure) {
    const standing = await standingModel(manifest, dataDir);
    if (standing) return { model: standing, isNew: false };
    throw failure;
  }
}
