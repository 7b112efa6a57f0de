import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { entryFault, readTar, type TarEntry } from '../../workers/library/unpack-model';
import type { BundleFault } from './plain-files';

/** Where an archive was unpacked, and the entries that were left out. */
interface Unpacked {
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
      entry.resume();
    });
    return { folder, faults };
  } catch (failure) {
    await rm(folder, { recursive: true, force: true });
    throw failure;
  }
}

/** Why the entry was left out, its bytes unread; null when it was not. */
async function unpackEntry(entry: TarEntry, folder: string): Promise<string | null> {
  const { name, type } = entry.header;
  if (type === 'link') return 'a hard link';
  if (type === 'symlink') return 'a symbolic link';
  const fault = entryFault(entry);
  if (fault !== null || type === 'directory') return fault;
  const path = join(folder, name);
  // A name that is too long, or that of a folder.
  const file = await mkdir(dirname(path), { recursive: true })
    .then(() => open(path, 'w'))
    .catch((failure: NodeJS.ErrnoException) => `can not be unpacked (${failure.code ?? failure})`);
  if (typeof file === 'string') return file;
  await pipeline(Readable.from(entry), file.createWriteStream());
  return null;
}
