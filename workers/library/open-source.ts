import { createHash } from 'node:crypto';
import { constants, copyFile, link, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Progress } from '../../models/ports';
import { MANIFEST_FILE, ModelRefused, sha256Of } from '../embedder/model-folder';
import { download, type TimeLimit, timeLimit, tooLarge } from './download';
import { unpackModel } from './unpack-model';
import { type WorkFolder, workFolder } from './work-folder';

/** Where a model comes from: a folder, or addresses. */
export interface ModelSource {
  /** What `--sha256` is of: the file that the operator named. */
  readonly named: 'manifest' | 'archive';
  /**
   * Brings one file of the model.
   *
   * @param name its path inside the model, as the manifest names it
   * @param target where to put it; its folder exists, and no file is written over
   * @param digest SHA-256 that it must have, null when the manifest gives none
   * @param bytesMax the largest file that is taken
   * @throws ModelRefused when there is no such file, or it is too large
   */
  bring(name: string, target: string, digest: string | null, bytesMax: number): Promise<void>;
  /** Lets go of what was downloaded on the way: it is kept for the next try, or removed. */
  end(keep: boolean): Promise<void>;
}

/** How a source is opened. */
interface SourceOptions {
  /** Where downloads lie until the model is installed. */
  readonly work: string;
  /** A folder of this command alone, for what an archive holds. */
  readonly scratch: string;
  /** SHA-256 of the file that is named, when the operator has one. */
  readonly sha256: string | null;
  readonly bytesMax: number;
  /** For all that is downloaded. */
  readonly downloadTimeoutMs: number;
  readonly progress: Progress;
}

const ARCHIVE = /\.(tar|tar\.gz|tgz)$/i;

/**
 * What an operator named as the place of a model: a folder, an archive of one (`.tar`, `.tar.gz`, `.tgz`), or the
 * address of an archive, of a `manifest.json`, or of the folder (ending with `/`) that holds one.
 *
 * @throws ModelRefused when there is nothing of the kind, or the archive is not the one of the given SHA-256
 */
export async function openSource(place: string, options: SourceOptions): Promise<ModelSource> {
  if (isAddress(place)) return openAddress(addressOf(place), options);
  const path = resolve(place);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return folderSource(path, 'manifest');
  if (found?.isFile() && ARCHIVE.test(path)) return openArchive(path, options);
  throw new ModelRefused(
    place,
    'it is neither a folder, nor an archive (.tar, .tar.gz, .tgz), nor an address',
  );
}

/** Whether a place is meant as an address, whatever its scheme. */
export const isAddress = (place: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(place);

/** A model in a folder of this machine. */
const folderSource = (folder: string, named: ModelSource['named']): ModelSource => ({
  named,
  bring: async (name, target, _digest, bytesMax) => {
    const found = await stat(join(folder, name)).catch(() => null);
    if (!found?.isFile()) throw new ModelRefused(folder, `there is no file ${name}`);
    if (found.size > bytesMax) throw tooLarge(folder, name, bytesMax);
    await copyFile(join(folder, name), target, constants.COPYFILE_EXCL);
  },
  end: async () => undefined,
});

/** A model whose files lie beside its manifest on a web server; the limit is for all files together. */
function addressSource(manifest: URL, { work, progress }: SourceOptions, limit: TimeLimit): ModelSource {
  const works: WorkFolder[] = [];
  return {
    named: 'manifest',
    bring: async (name, target, digest, bytesMax) => {
      const url = name === MANIFEST_FILE ? manifest : new URL(name, manifest);
      const folder = await downloadFolder(work, url);
      works.push(folder);
      const file = await download(url, { folder: folder.path, digest, bytesMax, progress, limit });
      // The download stays until all of the model is here, so that nothing is fetched twice after a kill.
      await link(file, target).catch(() => copyFile(file, target, constants.COPYFILE_EXCL));
    },
    end: async (keep) => void (await Promise.all(works.map((folder) => folder.end(keep)))),
  };
}

/** The folder in which what there is of an address is kept. */
const downloadFolder = (work: string, url: URL): Promise<WorkFolder> =>
  workFolder(work, createHash('sha256').update(url.href).digest('hex').slice(0, 32));

async function openAddress(url: URL, options: SourceOptions): Promise<ModelSource> {
  const { work, progress, bytesMax, sha256 } = options;
  const limit = timeLimit(options.downloadTimeoutMs);
  if (!ARCHIVE.test(url.pathname)) {
    const manifest = url.pathname.endsWith('/') ? new URL(MANIFEST_FILE, url) : url;
    return addressSource(manifest, options, limit);
  }
  const folder = await downloadFolder(work, url);
  try {
    const archive = await download(url, { folder: folder.path, digest: sha256, bytesMax, progress, limit });
    return { ...(await openArchive(archive, options)), end: folder.end };
  } catch (failure) {
    await folder.end(!(failure instanceof ModelRefused));
    throw failure;
  }
}

async function openArchive(
  archive: string,
  { scratch, sha256, bytesMax }: SourceOptions,
): Promise<ModelSource> {
  const found = sha256 === null ? null : await sha256Of(archive);
  if (found !== sha256) throw new ModelRefused(archive, `it has SHA-256 ${found}, not ${sha256}`);
  return folderSource(await unpackModel(archive, join(scratch, 'unpacked'), bytesMax), 'archive');
}

function addressOf(place: string): URL {
  const url = URL.canParse(place) ? new URL(place) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ModelRefused(place, 'an address must begin with http:// or https://');
  if (url.username === '' && url.password === '') return url;
  const shown = `${url.origin}${url.pathname}`;
  throw new ModelRefused(shown, 'an address with a name or password in it is not taken');
}
