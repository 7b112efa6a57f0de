import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ModelRefused } from '../embedder/manifest';
import { entryFault, readTar, type TarEntry } from './read-tar';

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
