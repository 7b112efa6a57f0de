import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Knex } from 'knex';
import { pMapIterable } from 'p-map';
import type { ImageStore } from '../../models/ports';
import { useAndClose } from '../../models/promises';
import { openWorkFolder, renameDurably } from '../files/durable-files';
import type { SigningKey } from '../files/hmac-data-file-signer';
import { IMAGES_AT_ONCE } from '../files/image-address';
import { ArchiveWriter, SIGNING_KEYS, tableEntry } from './archive';
import { type DatabaseDump, dumpDatabase } from './database-dump';

export interface BackupSummary {
  readonly file: string;
  readonly bytes: number;
  readonly tables: number;
  readonly images: number;
  readonly models: number;
}

/** Nearly as small as at higher levels, in a fraction of the time. */
const GZIP_LEVEL = 1;

export interface BackedUp {
  readonly images: ImageStore;
  readonly modelsFolder: string;
  readonly signingKeys: readonly SigningKey[];
}

/**
 * Writes the database as of one moment, the signing keys, the added models and the stored images into one file (contract 14.7).
 * It is complete or absent; meanwhile its folder also holds the compressed tables.
 */
export async function backUp(knex: Knex, madeAt: Date, held: BackedUp, file: string): Promise<BackupSummary> {
  const there = await stat(file).catch(() => null);
  // A folder would be refused when all is written; a device, such as /dev/null, would be replaced by the backup.
  if (there && !there.isFile())
    throw new Error(`${file} is ${there.isDirectory() ? 'a folder' : 'no regular file'}; name a file.`);
  return useAndClose(openWorkFolder(join(dirname(file), `.${basename(file)}-`)), async ({ path: work }) => {
    const draft = join(work, 'backup');
    // `flush`: to the disk before it is closed.
    const archive = new ArchiveWriter(createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
    const dump = await dumpTables(knex, work);
    for (const { name } of dump.tables) {
      await addFile(archive, tableEntry(name), join(work, name));
      await rm(join(work, name));
    }
    const models = await addOthers(archive, held);
    const { images } = await archive.finish(madeAt, dump);
    const { size: bytes } = await stat(draft);
    await renameDurably(draft, file);
    return { file, bytes, tables: dump.tables.length, images: images.count, models };
  });
}

/** Written to files first, at the speed of the disk: the archive needs their sizes, and the database is held up meanwhile. */
const dumpTables = (knex: Knex, work: string): Promise<DatabaseDump> =>
  dumpDatabase(knex, (table, rows) =>
    pipeline(rows, createGzip({ level: GZIP_LEVEL }), createWriteStream(join(work, table), { mode: 0o600 })),
  );

/** Resolves to the number of models. */
async function addOthers(
  archive: ArchiveWriter,
  { images, modelsFolder, signingKeys }: BackedUp,
): Promise<number> {
  const add = (name: string, bytes: Buffer) => archive.add(name, bytes.length, Readable.from([bytes]));
  await add(SIGNING_KEYS, Buffer.from(JSON.stringify(signingKeys)));
  const models = await addModels(archive, modelsFolder);
  const read = async (address: string) => ({ address, bytes: await images.get(address) });
  for await (const { address, bytes } of pMapIterable(images.addresses(), read, IMAGES_AT_ONCE)) {
    // Housekeeping may have removed it meanwhile.
    if (bytes) await add(address.slice(1), bytes);
  }
  return models;
}

const addFile = async (archive: ArchiveWriter, name: string, path: string): Promise<void> =>
  archive.add(name, (await stat(path)).size, createReadStream(path));

async function addModels(archive: ArchiveWriter, root: string): Promise<number> {
  const folders = await readdir(root, { withFileTypes: true }).catch(() => []);
  const models = folders.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  for (const { name } of models) {
    const entries = await readdir(join(root, name), { withFileTypes: true, recursive: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name);
      await addFile(archive, `models/${relative(root, path)}`, path);
    }
  }
  return models.length;
}
