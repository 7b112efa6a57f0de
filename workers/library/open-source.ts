import { constants, copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MANIFEST_FILE, ModelRefused, sha256Of } from '../embedder/model-folder';
import { type DownloadOptions, download, tooLarge } from './download';
import { ArchiveTooLarge, unpackArchive } from './unpack-archive';

export interface ModelSource {
  /** What `--sha256` is of: the file that the operator named. */
  readonly named: 'manifest' | 'archive';
  /**
   * Fetches one file. @param name its path in the manifest @param target a new file in an existing folder
   * @throws ModelRefused when there is no such file, or it is larger than `bytesMax`
   */
  bring(name: string, target: string, bytesMax: number): Promise<void>;
}

/** How a source is opened; the time limit is for all that is downloaded. */
interface SourceOptions extends DownloadOptions {
  /** An empty folder of this command, for an archive and its contents. */
  readonly scratch: string;
  /** SHA-256 of the file that is named, when the operator has one. */
  readonly sha256: string | null;
}

const ARCHIVE = /\.(tar|tar\.gz|tgz)$/i;

/**
 * Opens a folder, an archive (`.tar`, `.tar.gz`, `.tgz`), or the address of an archive, of a `manifest.json`, or of its folder
 * (ending with `/`). @throws ModelRefused if there is none, or an archive has another SHA-256
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

/** Whether a source is an address, whatever its scheme. */
export const isAddress = (place: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(place);

const folderSource = (folder: string, named: ModelSource['named']): ModelSource => ({
  named,
  bring: async (name, target, bytesMax) => {
    const found = await stat(join(folder, name)).catch(() => null);
    if (!found?.isFile()) throw new ModelRefused(folder, `there is no file ${name}`);
    if (found.size > bytesMax) throw tooLarge(folder, name, bytesMax);
    await copyFile(join(folder, name), target, constants.COPYFILE_EXCL);
  },
});

/** A model at an address: an archive, or files beside their manifest. */
async function openAddress(url: URL, options: SourceOptions): Promise<ModelSource> {
  if (ARCHIVE.test(url.pathname)) {
    const archive = join(options.scratch, 'archive');
    await download(url, archive, options);
    return openArchive(archive, options);
  }
  const manifest = url.pathname.endsWith('/') ? new URL(MANIFEST_FILE, url) : url;
  return {
    named: 'manifest',
    bring: (name, target, bytesMax) => {
      const address = name === MANIFEST_FILE ? manifest : new URL(name, manifest);
      return download(address, target, { ...options, bytesMax });
    },
  };
}

/** An archive with an entry that can't be unpacked is refused as a whole. */
async function openArchive(
  archive: string,
  { scratch, sha256, bytesMax }: SourceOptions,
): Promise<ModelSource> {
  const found = sha256 === null ? null : await sha256Of(archive);
  if (found !== sha256) throw new ModelRefused(archive, `it has SHA-256 ${found}, not ${sha256}`);
  const folder = join(scratch, 'unpacked');
  await mkdir(folder);
  const limits = { bytesMax, entriesMax: 10_000, flags: 'wx' } as const;
  const [fault] = await unpackArchive(archive, folder, limits).catch((failure: unknown) => {
    const reason =
      failure instanceof ArchiveTooLarge ? failure.message : 'it is no tar archive, or it is damaged';
    throw new ModelRefused(archive, reason, failure);
  });
  if (fault) throw new ModelRefused(archive, `its entry ${fault.name} is left out: ${fault.reason}`);
  return folderSource(await modelRoot(folder), 'archive');
}

/** The folder itself if the manifest is in it, else the only folder in it, perhaps beside a README. */
async function modelRoot(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === MANIFEST_FILE)) return folder;
  const [only, ...others] = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return only && others.length === 0 ? join(folder, only.name) : folder;
}

function addressOf(place: string): URL {
  const url = URL.canParse(place) ? new URL(place) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ModelRefused(place, 'an address must begin with http:// or https://');
  if (url.username === '' && url.password === '') return url;
  const shown = `${url.origin}${url.pathname}`;
  throw new ModelRefused(shown, 'an address with a name or password in it is not taken');
}
