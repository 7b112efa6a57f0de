import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unavailable } from '../../models/errors';
import type { ImageStore } from '../../models/ports';
import { writeDurably } from './durable-files';

/** An address of ours. Nothing else in an address names a file, so none can lead out of the folder. */
const ADDRESS = /^\/images\/([0-9a-f]{64})\.(jpg|png|webp)$/;

/**
 * Images by content in a local folder: `/images/<sha256>.<extension>` lies at `ab/cd/abcd….<extension>`, so that no
 * folder grows large. A file is whole or absent, also after a crash, and once there never changes.
 */
export class LocalImageStore implements ImageStore {
  constructor(private readonly folder: string) {}

  /** @throws AppError 503 when the folder is full or can't be written */
  async put(bytes: Buffer, extension: 'jpg' | 'png' | 'webp'): Promise<string> {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const path = this.pathOf(digest, extension);
    try {
      if ((await sizeOf(path)) !== bytes.length) await writeDurably(path, bytes);
    } catch (error) {
      throw isStorageFault(error) ? unavailable('Images can not be stored now.', 60, error) : error;
    }
    return `/images/${digest}.${extension}`;
  }

  /** @throws AppError 503 when the folder can't be read */
  async get(address: string): Promise<Buffer | null> {
    const [, digest, extension] = ADDRESS.exec(address) ?? [];
    if (digest === undefined || extension === undefined) return null;
    try {
      return await readFile(this.pathOf(digest, extension));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw isStorageFault(error) ? unavailable('Images can not be read now.', 60, error) : error;
    }
  }

  async *addresses(prefix = ''): AsyncGenerator<string> {
    for (const first of await namesIn(this.folder, FOLDER)) {
      if (!first.startsWith(prefix.slice(0, 2))) continue;
      for (const second of await namesIn(join(this.folder, first), FOLDER)) {
        if (!`${first}${second}`.startsWith(prefix.slice(0, 4))) continue;
        for (const name of await namesIn(join(this.folder, first, second), FILE)) {
          if (name.startsWith(prefix)) yield `/images/${name}`;
        }
      }
    }
  }

  async remove(address: string): Promise<void> {
    const [, digest, extension] = ADDRESS.exec(address) ?? [];
    if (digest !== undefined && extension !== undefined)
      await rm(this.pathOf(digest, extension), { force: true });
  }

  private pathOf(digest: string, extension: string): string {
    return join(this.folder, digest.slice(0, 2), digest.slice(2, 4), `${digest}.${extension}`);
  }
}

const FOLDER = /^[0-9a-f]{2}$/;
const FILE = /^[0-9a-f]{64}\.(jpg|png|webp)$/;

/** Sorted; none where there is no such folder. */
async function namesIn(folder: string, form: RegExp): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => form.test(name)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Null when there is no such file. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The file system refused: full, over its quota, read-only, broken, not ours to write. */
const isStorageFault = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
