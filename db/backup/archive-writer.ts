import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { type BackupManifest, FORMAT, MANIFEST } from './manifest';

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
