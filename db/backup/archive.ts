import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { z } from 'zod';
import { messageOf } from '../../models/errors';
import { RestoreRefused } from './database-dump';

/** The last entry of a backup: a file without it is truncated. */
const MANIFEST = 'manifest.json';
export const SIGNING_KEYS = 'signing-keys.json';

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

const backupManifest = z.object({
  format: z.literal(1),
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

type BackupManifest = z.infer<typeof backupManifest>;

/** `tables/<table>.copy.gz`: its rows in the text format of COPY, gzipped. */
export const tableEntry = (table: string): string => `tables/${table}.copy.gz`;
export const tableOf = (entry: string): string | null => /^tables\/(\w+)\.copy\.gz$/.exec(entry)?.[1] ?? null;

export const IMAGE_ENTRY = /^images\/([0-9a-f]{64})\.(jpg|png|webp)$/;

/** `models/<folder>/<path>`, which can't lead outside. */
export const MODEL_ENTRY = /^models\/(?!\.)([^/]+)\/((?:(?!\.\.?\/)[^/]+\/)*(?!\.\.?$)[^/]+)$/;

/** The entries of an archive so far, as its manifest lists them. */
class Contents {
  readonly entries: BackupManifest['entries'] = [];
  readonly #names = createHash('sha256');
  #count = 0;
  #bytes = 0;

  /** Passes on the content of an entry and records its checksum. @throws for an image that does not match its name */
  async *noted(name: string, content: Readable): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
    const sha256 = hash.digest('hex');
    const [, image] = IMAGE_ENTRY.exec(name) ?? [];
    if (image === undefined) this.entries.push({ name, bytes, sha256 });
    else if (image !== sha256)
      throw new Error(
        `${name} is not what its name says: the stored picture was damaged. Put it back, or delete it and import it again.`,
      );
    else {
      this.#names.update(`${name}\n`);
      this.#count += 1;
      this.#bytes += bytes;
    }
  }

  images(): BackupManifest['images'] {
    return { count: this.#count, bytes: this.#bytes, sha256: this.#names.digest('hex') };
  }
}

/** Writes a backup entry by entry: a tar with the manifest at its end, which has the checksums of all before it. */
export class ArchiveWriter {
  readonly #tar = pack();
  readonly #contents = new Contents();
  readonly #written: Promise<void>;

  constructor(to: Writable) {
    this.#written = pipeline(this.#tar, to);
    // The next write, or `finish`, reports it.
    this.#written.catch(() => undefined);
  }

  /** @param size of the content, which must not change meanwhile @throws the file's error when it can't be written */
  add(name: string, size: number, content: Readable): Promise<void> {
    return this.#entry(name, size, this.#contents.noted(name, content));
  }

  async finish(madeAt: Date, database: BackupManifest['database']): Promise<BackupManifest> {
    const about = { format: 1, made_at: madeAt.toISOString(), database } as const;
    const manifest = { ...about, entries: this.#contents.entries, images: this.#contents.images() };
    const bytes = Buffer.from(JSON.stringify(manifest));
    await this.#entry(MANIFEST, bytes.length, [bytes]);
    this.#tar.finalize();
    await this.#written;
    return manifest;
  }

  async #entry(name: string, size: number, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    // A stream of the package `streamx`, which `pipeline` accepts like one of Node's.
    const entry = this.#tar.entry({ name, size, mode: 0o600 }) as unknown as Writable;
    const filled = pipeline(chunks, entry);
    await Promise.race([filled, this.#written.then(() => filled)]);
  }
}

/** The entries of a backup in order; the bytes of one must be read before the next. Stopping early reads no further. */
export async function* readArchive(
  file: string,
): AsyncGenerator<{ readonly name: string; readonly bytes: Readable }> {
  const entries = extract();
  const reading = pipeline(createReadStream(file), entries);
  // The loop below reports it too.
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

/** Reads all of a backup and compares it with its manifest. @throws RestoreRefused that names the file and its fault */
export async function verifyArchive(file: string): Promise<BackupManifest> {
  try {
    return await verifyManifest(file);
  } catch (failure) {
    const why = messageOf(failure);
    // A system call failed (no such file, no permission): nothing is known about the content.
    if (Object(failure).syscall)
      throw new RestoreRefused(`${file} cannot be read: ${why}. Nothing was changed.`);
    throw new RestoreRefused(`${file} is damaged: ${why}. Nothing was changed; take another backup.`);
  }
}

async function verifyManifest(file: string): Promise<BackupManifest> {
  const contents = new Contents();
  let manifest: unknown;
  for await (const { name, bytes } of readArchive(file)) {
    if (name === MANIFEST) manifest = await json(bytes);
    else for await (const _ of contents.noted(name, bytes));
  }
  if (manifest === undefined) throw new Error('its end is missing');
  const { success, data } = backupManifest.safeParse(manifest);
  if (!success) throw new Error('its manifest is of another format');
  for (const [index, { name, bytes, sha256 }] of data.entries.entries()) {
    const here = contents.entries[index];
    if (here?.name !== name) throw new Error(`${name} is missing`);
    if (here.bytes !== bytes || here.sha256 !== sha256) throw new Error(`${name} is not what was backed up`);
  }
  const more = contents.entries[data.entries.length];
  if (more) throw new Error(`${more.name} was added to it`);
  const { count, sha256 } = contents.images();
  if (count === data.images.count && sha256 === data.images.sha256) return data;
  throw new Error(`it has ${count} images, and not the ${data.images.count} that were backed up`);
}
