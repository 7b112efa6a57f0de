import { createReadStream } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ExtractEvents, extract } from 'tar-stream';
import { pathFault } from '../../models/catalog/path-fault';
import { useAndClose } from '../../models/promises';

/** Whether a file is gzipped, by its first bytes, which no JSON and no tar archive begins with. */
export const isGzip = (path: string): Promise<boolean> =>
  useAndClose(open(path), async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  });

export interface EntryFault {
  readonly name: string;
  readonly reason: string;
}

interface ArchiveLimits {
  readonly bytesMax: number;
  readonly entriesMax: number;
  /** Of several entries with one name, `w` keeps the last, `wx` the first. */
  readonly flags: 'w' | 'wx';
}

const UNLIMITED: ArchiveLimits = {
  bytesMax: Number.POSITIVE_INFINITY,
  entriesMax: Number.POSITIVE_INFINITY,
  flags: 'w',
};

export class ArchiveTooLarge extends Error {}

/**
 * Unpacks the plain files and folders of a tar archive, gzipped or not, into an empty folder, so that nothing can lead outside.
 * @returns the entries that were left out @throws ArchiveTooLarge at the limit, Error when the archive is damaged
 */
export async function unpackArchive(
  archive: string,
  folder: string,
  { bytesMax, entriesMax, flags } = UNLIMITED,
): Promise<readonly EntryFault[]> {
  const isPacked = await isGzip(archive);
  const faults: EntryFault[] = [];
  const left = { bytes: bytesMax, entries: entriesMax };
  const entries = extract();
  const taking = (async () => {
    for await (const entry of entries) {
      left.entries -= 1;
      left.bytes -= entry.header.size ?? 0;
      if (left.entries < 0) throw new ArchiveTooLarge(`it has more than ${entriesMax} entries`);
      if (left.bytes < 0) throw new ArchiveTooLarge('it holds more bytes than are taken');
      const reason = await unpackEntry(entry, folder, flags);
      if (reason !== null) faults.push({ name: entry.header.name, reason });
      entry.resume();
    }
  })();
  const raw = createReadStream(archive);
  const reading = isPacked ? pipeline(raw, createGunzip(), entries) : pipeline(raw, entries);
  for (const ended of await Promise.allSettled([taking, reading])) {
    if (ended.status === 'rejected') throw ended.reason;
  }
  return faults;
}

/** Why the entry was skipped; null when it was not. */
async function unpackEntry(
  entry: ExtractEvents['entry'][1],
  folder: string,
  flags: ArchiveLimits['flags'],
): Promise<string | null> {
  const { name, type } = entry.header;
  if (type === 'link') return 'a hard link';
  if (type === 'symlink') return 'a symbolic link';
  if (type === 'directory') return name === './' || name === '.' ? null : pathFault(name);
  const fault = type === 'file' || type === 'contiguous-file' ? pathFault(name) : 'no plain file';
  if (fault !== null) return fault;
  const path = join(folder, name);
  // Fails for a name that is too long or taken.
  const file = await mkdir(dirname(path), { recursive: true })
    .then(() => open(path, flags))
    .catch((failure: NodeJS.ErrnoException) => `cannot be unpacked (${failure.code ?? failure})`);
  if (typeof file === 'string') return file;
  await pipeline(Readable.from(entry), file.createWriteStream());
  return null;
}

/** The folder, or the only one in it, as an archive may contain files or a folder of them. Hidden files are ignored. */
export async function innermostRoot(folder: string): Promise<string> {
  const all = await readdir(folder, { withFileTypes: true });
  const [only, ...others] = all.filter(({ name }) => !name.startsWith('.'));
  return only?.isDirectory() && others.length === 0 ? join(folder, only.name) : folder;
}
