import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ExtractEvents, extract } from 'tar-stream';
import { pathFault } from '../../models/catalog/path-fault';
import { isGzip } from './is-gzip';

/** An entry of an archive: its header, and its bytes as a stream. */
export type TarEntry = ExtractEvents['entry'][1];

/**
 * Takes the entries of a tar archive, gzipped or not, one after another.
 *
 * @throws whatever `take` throws, else Error when the archive is damaged
 */
export async function readTar(archive: string, take: (entry: TarEntry) => Promise<void>): Promise<void> {
  const entries = extract();
  const taking = (async () => {
    for await (const entry of entries) await take(entry);
  })();
  const raw = createReadStream(archive);
  const reading = (await isGzip(archive)) ? pipeline(raw, createGunzip(), entries) : pipeline(raw, entries);
  // What refuses an entry breaks the reading off as well.
  for (const ended of await Promise.allSettled([taking, reading])) {
    if (ended.status === 'rejected') throw ended.reason;
  }
}

/** Why an entry that is no link is not unpacked: it is no plain file, or its path leads outside; null when it may be. */
export function entryFault({ header: { name, type } }: TarEntry): string | null {
  if (type === 'directory') return name === './' || name === '.' ? null : pathFault(name);
  return type === 'file' || type === 'contiguous-file' ? pathFault(name) : 'no plain file';
}
