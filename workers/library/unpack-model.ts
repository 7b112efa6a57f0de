import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ExtractEvents, extract } from 'tar-stream';
import { pathFault } from '../../models/catalog/path-fault';
import { ModelRefused } from '../embedder/manifest';
import { isGzip } from './is-gzip';

type Entry = ExtractEvents['entry'][1];

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
  const entries = extract();
  const raw = createReadStream(archive);
  const unpacking = (async () => {
    const left = { bytes: bytesMax, entries: ENTRIES_MAX };
    for await (const entry of entries) await unpackEntry(archive, entry, folder, left);
  })();
  const reading = (await isGzip(archive)) ? pipeline(raw, createGunzip(), entries) : pipeline(raw, entries);
  const faults = (await Promise.allSettled([unpacking, reading])).flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  // What refuses an entry breaks the reading off as well.
  const refusal = faults.find((fault) => fault instanceof ModelRefused);
  if (refusal) throw refusal;
  if (faults.length > 0) throw new ModelRefused(archive, 'it is no tar archive, or it is damaged', faults[0]);
  return modelFolderIn(archive, folder);
}

async function unpackEntry(
  archive: string,
  entry: Entry,
  folder: string,
  left: { bytes: number; entries: number },
): Promise<void> {
  const { name, type } = entry.header;
  left.entries -= 1;
  if (left.entries < 0) throw new ModelRefused(archive, `it has more than ${ENTRIES_MAX} entries`);
  const fault = faultOf(entry);
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

function faultOf({ header: { name, type } }: Entry): string | null {
  if (type === 'symlink' || type === 'link') return 'a link';
  if (type === 'directory') return name === './' || name === '.' ? null : pathFault(name);
  return type === 'file' || type === 'contiguous-file' ? pathFault(name) : 'no plain file';
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
