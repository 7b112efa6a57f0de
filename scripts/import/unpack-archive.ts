import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { entryFault, readTar, type TarEntry } from '../../workers/library/unpack-model';
import type { BundleFault } from './bundle-paths';

/** Where an archive was unpacked, and the entries that were left out. */
export interface Unpacked {
  readonly folder: string;
  readonly faults: readonly BundleFault[];
}

/**
 * Unpacks a tar archive, gzipped or not, into a new folder inside `temporaryFolder`: plain files and folders only, so
 * that nothing in it can lead outside. It needs as much of that disk as the archive holds and little memory.
 *
 * @throws Error when the archive is damaged; nothing of it stays
 */
export async function unpackArchive(archive: string, temporaryFolder: string): Promise<Unpacked> {
  await mkdir(temporaryFolder, { recursive: true });
  const folder = await mkdtemp(join(temporaryFolder, 'loupe-bundle-'));
  const faults: BundleFault[] = [];
  try {
    await readTar(archive, async (entry) => {
      const reason = await unpackEntry(entry, folder);
      if (reason !== null) faults.push({ file: entry.header.name, field: 'file', reason });
    });
    return { folder, faults };
  } catch (failure) {
    await rm(folder, { recursive: true, force: true });
    throw failure;
  }
}

/** Why the entry was left out; null when it was not. */
async function unpackEntry(entry: TarEntry, folder: string): Promise<string | null> {
  const { name, type } = entry.header;
  const fault = type === 'link' || type === 'symlink' ? linkFault(type) : entryFault(entry);
  if (fault !== null || type === 'directory') {
    await skip(entry);
    return fault;
  }
  const file = await create(join(folder, name));
  if (typeof file === 'string') {
    await skip(entry);
    return file;
  }
  await pipeline(Readable.from(entry), file.createWriteStream());
  return null;
}

/** A new file, or why it can't be one: a name that is too long, or a folder of the same name. */
async function create(path: string): Promise<FileHandle | string> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return await open(path, 'w');
  } catch (failure) {
    return `can not be unpacked (${failure instanceof Error && 'code' in failure ? String(failure.code) : String(failure)})`;
  }
}

const linkFault = (type: 'link' | 'symlink'): string => (type === 'link' ? 'a hard link' : 'a symbolic link');

async function skip(entry: TarEntry): Promise<void> {
  for await (const _ of entry);
}
