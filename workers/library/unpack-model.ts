import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ExtractEvents, extract } from 'tar-stream';
import { pathFault } from '../../models/catalog/path-fault';
import { ModelRefused } from '../embedder/model-folder';

/** Whether a file is gzipped by its first bytes, which no JSON text and no tar archive has, whatever its name says. */
export async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

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

const ENTRIES_MAX = 10_000;

/**
 * Unpacks a tar archive, gzipped or not, into an empty folder. A model is used whole or not at all, so one entry
 * that is wrong refuses the archive: a link, a special file, a path that leads outside, more bytes than are taken.
 *
 * @returns the folder in it that holds `manifest.json`: its root, or its only folder
 * @throws ModelRefused with the reason
 */
export async function unpackModel(archive: string, folder: string, bytesMax: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const left = { bytes: bytesMax, entries: ENTRIES_MAX };
  await readTar(archive, (entry) => unpackEntry(archive, entry, folder, left)).catch((fault: unknown) => {
    if (fault instanceof ModelRefused) throw fault;
    throw new ModelRefused(archive, 'it is no tar archive, or it is damaged', fault);
  });
  return modelFolderIn(archive, folder);
}

async function unpackEntry(
  archive: string,
  entry: TarEntry,
  folder: string,
  left: { bytes: number; entries: number },
): Promise<void> {
  const { name, type } = entry.header;
  left.entries -= 1;
  if (left.entries < 0) throw new ModelRefused(archive, `it has more than ${ENTRIES_MAX} entries`);
  const fault = type === 'symlink' || type === 'link' ? 'a link' : entryFault(entry);
  if (fault !== null) throw new ModelRefused(archive, `its entry ${name} is ${fault}`);
  const path = join(folder, name);
  await mkdir(type === 'directory' ? path : dirname(path), { recursive: true });
  if (type === 'directory') {
    entry.resume();
    return;
  }
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      left.bytes -= chunk.length;
      if (left.bytes >= 0) pass(null, chunk);
      else pass(new ModelRefused(archive, 'it holds more bytes than are taken'));
    },
  });
  await pipeline(Readable.from(entry), counting, createWriteStream(path, { flags: 'wx' }));
}

async function modelFolderIn(archive: string, folder: string): Promise<string> {
  const names = await readdir(folder, { withFileTypes: true });
  if (names.some(({ name }) => name === 'manifest.json')) return folder;
  const [only, ...others] = names.filter((each) => each.isDirectory());
  const inner = only && others.length === 0 ? join(folder, only.name) : null;
  if (inner && (await readdir(inner)).includes('manifest.json')) return inner;
  await rm(folder, { recursive: true, force: true });
  throw new ModelRefused(archive, 'there is no manifest.json in it');
}
