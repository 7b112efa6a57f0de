import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable, Transform, type Writable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, type Pack, pack } from 'tar-stream';
import { z } from 'zod';
import { RestoreRefused } from './database-dump';

/** Of the file; a reader refuses others. */
const FORMAT = 1;

/** The last entry of a backup: a file without it was cut off. */
const MANIFEST = 'manifest.json';
export const SIGNING_KEYS = 'signing-keys.json';

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

/** What a backup holds. */
const backupManifest = z.object({
  format: z.literal(FORMAT),
  made_at: z.iso.datetime(),
  database: z.object({
    steps: z.array(z.string()).min(1),
    tables: z.array(z.object({ name, columns: z.array(name).min(1) })),
    identities: z.array(z.object({ table: name, column: name, last: z.int() })),
  }),
  /** Every entry but the images, in order. */
  entries: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
  /** Their names are the hashes of their content; `sha256` is that of the names in order, a line each. */
  images: z.object({ count: z.int(), bytes: z.int(), sha256: z.string() }),
});

export type BackupManifest = z.infer<typeof backupManifest>;

/** `tables/<table>.copy.gz`: its rows in the text format of COPY, gzipped. */
export const tableEntry = (table: string): string => `tables/${table}.copy.gz`;
export const tableOf = (entry: string): string | null => /^tables\/(\w+)\.copy\.gz$/.exec(entry)?.[1] ?? null;

/** `images/<sha256>.<extension>`. */
export const IMAGE_ENTRY = /^images\/([0-9a-f]{64})\.(jpg|png|webp)$/;

/** `models/<folder>/<path>`, which lead nowhere else. */
export const MODEL_ENTRY = /^models\/(?!\.)([^/]+)\/((?:(?!\.\.?\/)[^/]+\/)*(?!\.\.?$)[^/]+)$/;

/** Writes a backup entry by entry: a tar with the manifest at its end, which has the checksums of all before it. */
export class ArchiveWriter {
  readonly #tar: Pack = pack();
  readonly #written: Promise<void>;
  readonly #entries: BackupManifest['entries'] = [];
  readonly #imageNames = createHash('sha256');
  #images = 0;
  #imageBytes = 0;

  constructor(to: Writable) {
    this.#written = pipeline(this.#tar, to);
    // Told by whatever is written next, or by `finish`.
    this.#written.catch(() => undefined);
  }

  /** Adds a file of the disk, which must not change meanwhile. */
  async addFile(name: string, path: string): Promise<void> {
    const { size } = await stat(path);
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await this.#entry(name, size, (entry) => pipeline(createReadStream(path), hashing, entry));
    this.#entries.push({ name, bytes: size, sha256: hash.digest('hex') });
  }

  async addBytes(name: string, bytes: Buffer): Promise<void> {
    await this.#entry(name, bytes.length, (entry) => pipeline(Readable.from([bytes]), entry));
    this.#entries.push({ name, bytes: bytes.length, sha256: sha256Of(bytes) });
  }

  /** Adds an image, whose name is the hash of its content. */
  async addImage(name: string, bytes: Buffer): Promise<void> {
    await this.#entry(name, bytes.length, (entry) => pipeline(Readable.from([bytes]), entry));
    this.#images += 1;
    this.#imageBytes += bytes.length;
    this.#imageNames.update(`${name}\n`);
  }

  /** Ends the archive; resolves when all of it was written. */
  async finish(madeAt: Date, database: BackupManifest['database']): Promise<BackupManifest> {
    const images = { count: this.#images, bytes: this.#imageBytes, sha256: this.#imageNames.digest('hex') };
    const about = { format: FORMAT, made_at: madeAt.toISOString(), database } as const;
    const manifest = { ...about, entries: this.#entries, images };
    const bytes = Buffer.from(JSON.stringify(manifest));
    await this.#entry(MANIFEST, bytes.length, (entry) => pipeline(Readable.from([bytes]), entry));
    this.#tar.finalize();
    await this.#written;
    return manifest;
  }

  /** @throws whatever the file says when it can't be written */
  async #entry(name: string, size: number, fill: (entry: Writable) => Promise<void>): Promise<void> {
    // A stream of streamx, which `pipeline` takes as one of Node's.
    const filled = fill(this.#tar.entry({ name, size, mode: 0o600 }) as unknown as Writable);
    await Promise.race([filled, this.#written.then(() => filled)]);
  }
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** An entry of a backup; its bytes must be read before the next one comes. */
export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: Readable;
}

/** The entries of a backup in order; who stops early reads no further. */
export async function* readArchive(file: string): AsyncGenerator<ArchiveEntry> {
  const entries = extract();
  const reading = pipeline(createReadStream(file), entries);
  // Told by the loop below as well.
  reading.catch(() => undefined);
  try {
    for await (const entry of entries) {
      const bytes = entry as unknown as Readable;
      yield { name: entry.header.name, bytes };
      bytes.resume();
    }
  } finally {
    entries.destroy();
  }
}

/**
 * Reads all of a backup and compares it with its manifest.
 *
 * @throws RestoreRefused that names the file and what is wrong with it
 */
export async function verifyArchive(file: string): Promise<BackupManifest> {
  const found: BackupManifest['entries'] = [];
  const imageNames = createHash('sha256');
  let images = 0;
  let manifest: unknown;
  try {
    for await (const { name, bytes } of readArchive(file)) {
      if (name === MANIFEST) {
        manifest = await json(bytes);
        continue;
      }
      const { size, sha256 } = await digestOf(bytes);
      const [, digest] = IMAGE_ENTRY.exec(name) ?? [];
      if (digest === undefined) found.push({ name, bytes: size, sha256 });
      else if (digest !== sha256) throw damaged(file, `${name} is not what was backed up`);
      else {
        images += 1;
        imageNames.update(`${name}\n`);
      }
    }
  } catch (failure) {
    if (failure instanceof RestoreRefused) throw failure;
    throw damaged(file, failure instanceof Error ? failure.message : String(failure));
  }
  if (manifest === undefined) throw damaged(file, 'its end is missing');
  const { success, data } = backupManifest.safeParse(manifest);
  if (!success) throw damaged(file, 'its manifest is of another format');
  compare(file, data, found);
  if (images !== data.images.count || imageNames.digest('hex') !== data.images.sha256) {
    throw damaged(file, `it has ${images} images, and not the ${data.images.count} that were backed up`);
  }
  return data;
}

function compare(file: string, { entries }: BackupManifest, found: BackupManifest['entries']): void {
  for (const [index, { name, bytes, sha256 }] of entries.entries()) {
    const here = found[index];
    if (here?.name !== name) throw damaged(file, `${name} is missing`);
    if (here.bytes !== bytes || here.sha256 !== sha256)
      throw damaged(file, `${name} is not what was backed up`);
  }
  const more = found[entries.length];
  if (more) throw damaged(file, `${more.name} was added to it`);
}

async function digestOf(bytes: Readable): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}

const damaged = (file: string, why: string): RestoreRefused =>
  new RestoreRefused(`${file} is damaged: ${why}. Nothing was changed; take another backup.`);
