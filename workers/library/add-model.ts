import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DurableFiles, InstalledModel, Progress } from '../../models/ports';
import { codeOf } from '../../models/store-fault';
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

export interface AddModelOptions {
  readonly dataDir: string;
  /** SHA-256 of the named manifest or archive; null when the operator gives none. */
  readonly sha256: string | null;
  /** All files of the model together. */
  readonly bytesMax: number;
  /** For all that is downloaded. */
  readonly downloadTimeoutMs: number;
  readonly inference: InferencePoolOptions;
  readonly files: DurableFiles;
  readonly progress: Progress;
}

export interface AddedModel {
  readonly model: InstalledModel;
  /** False when the same model was installed already. */
  readonly isNew: boolean;
}

/**
 * Installs an embedding model from a folder, an archive or an address: fetches its files, verifies digests, tries an inference,
 * and moves it into the library in one step. What a killed command left is removed by the next one, or, if it ran on another
 * host, after eight hours. @param place see `openSource`
 * @throws ModelRefused with the reason; the library is then unchanged @throws Error when the network gives up
 */
export async function addModel(place: string, options: AddModelOptions): Promise<AddedModel> {
  const scratch = await scratchFolder(join(modelsFolder(options.dataDir), '.work'), options.files);
  const folder = join(scratch, 'model');
  const { downloadTimeoutMs: timeoutMs } = options;
  try {
    const limit = { timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
    return await addFrom(await openSource(place, { ...options, scratch, limit }), folder, options);
  } catch (failure) {
    // Operators know the source, not our temporary folders.
    if (!(failure instanceof ModelRefused)) throw failure;
    throw new ModelRefused(withoutSecrets(place), failure.reason.replaceAll(`${folder}/`, ''), failure);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Longer than any command runs: downloads may take six hours. */
const FORGOTTEN_MS = 8 * 60 * 60 * 1000;

/** Names of hosts may hold dots. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 12);

/** In containers several processes may have the same pid, so a pid alone does not identify the owner of a folder. */
const OURS = `${HOST}.${process.pid}.${randomUUID()}.`;

/** A new folder in `root` whose name identifies this command; removes those of dead commands. */
async function scratchFolder(root: string, files: DurableFiles): Promise<string> {
  files.makeFolder(root);
  for (const name of await readdir(root)) {
    const [host, pid] = name.split('.');
    const changedAt = await stat(join(root, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    const isDead =
      host === HOST && !name.startsWith(OURS) && (Number(pid) === process.pid || !isAlive(Number(pid)));
    if (isDead || Date.now() - changedAt > FORGOTTEN_MS)
      await rm(join(root, name), { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(join(root, OURS));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    return codeOf(failure) === 'EPERM';
  }
}

function withoutSecrets(place: string): string {
  if (!isAddress(place) || !URL.canParse(place)) return place;
  const { protocol, host, pathname } = new URL(place);
  return `${protocol}//${host}${pathname}`;
}

async function addFrom(source: ModelSource, folder: string, options: AddModelOptions): Promise<AddedModel> {
  const manifest = await stageManifest(source, folder, options.sha256);
  const installed = await installedModel(manifest, options.dataDir);
  if (installed) return { model: installed, isNew: false };
  await stageFiles(source, folder, manifest, options.bytesMax);
  await checkModel(folder, options.inference);
  return install(folder, manifest, options);
}

const MANIFEST_BYTES_MAX = 2 ** 20;

/**
 * Fetches the manifest of a model into its own folder. @param sha256 of the named file, if given; that of an archive is verified
 * @throws ModelRefused naming every fault, or that nothing here can run the model
 */
async function stageManifest(
  source: ModelSource,
  folder: string,
  sha256: string | null,
): Promise<ModelManifest> {
  const target = join(folder, MANIFEST_FILE);
  await mkdir(folder);
  await source.bring(MANIFEST_FILE, target, MANIFEST_BYTES_MAX);
  const found = await sha256Of(target);
  if (source.named === 'manifest' && sha256 !== null && found !== sha256)
    throw new ModelRefused(folder, `manifest.json has SHA-256 ${found}, not ${sha256}`);
  const manifest = await readManifest(folder);
  checkRuntime({ folder, manifest });
  return manifest;
}

/** Fetches the files with a digest, and the golden pair. @throws ModelRefused when one is missing, or they are too large together */
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
    await source.bring(name, target, left).catch((failure: unknown) => {
      throw codeOf(failure) === 'EEXIST'
        ? new ModelRefused(folder, `${name} is there already`, failure)
        : failure;
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

/** Null when it is not installed. @throws ModelRefused when another model has its name, or the installed one was changed */
async function installedModel(manifest: ModelManifest, dataDir: string): Promise<InstalledModel | null> {
  const reference = modelReference(manifest);
  const { models, broken } = await new FolderModelLibrary(dataDir).all();
  const damaged = broken.find(({ name }) => name === reference);
  if (damaged) throw new ModelRefused(reference, `${damaged.folder} is in its place: ${damaged.reason}`);
  const installed = models.find((model) => modelReference(model.manifest) === reference);
  if (!installed) return null;
  if (installed.bundled) throw new ModelRefused(reference, `${reference} is a model that ships with Loupe`);
  if (!isDeepStrictEqual(installed.manifest, manifest)) {
    throw new ModelRefused(
      reference,
      `another model is installed as ${reference}; give this one a version of its own`,
    );
  }
  await verifyDigests(installed.folder, installed.manifest);
  return installed;
}

/** Moves the complete model into the library in one step; of two commands that add it at once, one does so. */
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
    const installed = await installedModel(manifest, dataDir);
    if (installed) return { model: installed, isNew: false };
    throw failure;
  }
}
