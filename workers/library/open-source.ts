import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Progress } from '../../models/ports';
import { MANIFEST_FILE, ModelRefused } from '../embedder/manifest';
import { sha256Of } from '../embedder/sha256-of';
import { AddressSource, downloadFolder } from './address-source';
import { download, timeLimit } from './download';
import { folderSource } from './folder-source';
import type { ModelSource } from './model-source';
import { unpackModel } from './unpack-model';

/** How a source is opened. */
export interface SourceOptions {
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
  if (found?.isDirectory()) return folderSource(path);
  if (found?.isFile() && ARCHIVE.test(path)) return openArchive(path, options);
  throw new ModelRefused(
    place,
    'it is neither a folder, nor an archive (.tar, .tar.gz, .tgz), nor an address',
  );
}

/** Whether a place is meant as an address, whatever its scheme. */
export const isAddress = (place: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(place);

async function openAddress(url: URL, options: SourceOptions): Promise<ModelSource> {
  const { work, progress, bytesMax, sha256 } = options;
  const limit = timeLimit(options.downloadTimeoutMs);
  if (!ARCHIVE.test(url.pathname)) {
    const manifest = url.pathname.endsWith('/') ? new URL(MANIFEST_FILE, url) : url;
    return new AddressSource(manifest, work, progress, limit);
  }
  const folder = await downloadFolder(work, url);
  try {
    const archive = await download(url, { folder: folder.path, digest: sha256, bytesMax, progress, limit });
    return { ...(await openArchive(archive, options)), keep: folder.release, discard: folder.remove };
  } catch (failure) {
    if (failure instanceof ModelRefused) await folder.remove();
    else folder.release();
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
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new ModelRefused(place, 'an address must begin with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ModelRefused(
      `${url.origin}${url.pathname}`,
      'an address with a name or password in it is not taken',
    );
  }
  return url;
}
