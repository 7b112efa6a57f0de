import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { IMAGE_NAME, type ImageExtension } from '../../models/catalog/item';
import { unavailable } from '../../models/errors';
import type { ImageStore, OpenImage } from '../../models/ports';
import { codeOf, StoreFault } from '../../models/store-fault';
import { createDurably, writeDurably } from './durable-files';
import { addressParts, imageAddress } from './image-address';

/**
 * Images by content in a folder: `/images/<sha256>.<extension>` is the file `ab/cd/abcd….<extension>`. A file is complete or
 * absent, and never changes (contract 13.11). Fails with 503 when the folder is full or can't be used.
 */
export class LocalImageStore implements ImageStore {
  constructor(private readonly folder: string) {}

  async put(bytes: Buffer, extension: ImageExtension): Promise<string> {
    const address = imageAddress(bytes, extension);
    const path = this.pathOf(address) ?? '';
    try {
      if ((await sizeOf(path)) !== bytes.length) await writeDurably(path, bytes, 0o644, this.folder);
    } catch (error) {
      throw storageFailure('stored', error);
    }
    return address;
  }

  async get(address: string): Promise<Buffer | null> {
    return this.read(address, (path) => readFile(path));
  }

  async open(address: string): Promise<OpenImage | null> {
    return this.read(address, async (path) => {
      const file = await open(path);
      const { size } = await file.stat();
      return { bytes: size, content: file.createReadStream() };
    });
  }

  async size(address: string): Promise<number | null> {
    return this.read(address, sizeOf);
  }

  async *addresses(prefix = ''): AsyncGenerator<string> {
    for (const first of await namesIn(this.folder, FOLDER)) {
      if (!first.startsWith(prefix.slice(0, 2))) continue;
      for (const second of await namesIn(join(this.folder, first), FOLDER)) {
        if (!`${first}${second}`.startsWith(prefix.slice(0, 4))) continue;
        for (const name of await namesIn(join(this.folder, first, second), IMAGE_NAME)) {
          if (name.startsWith(prefix)) yield `/images/${name}`;
        }
      }
    }
  }

  async remove(address: string): Promise<void> {
    const path = this.pathOf(address);
    if (path !== null) await rm(path, { force: true });
  }

  async identity(): Promise<string> {
    const path = join(this.folder, STORE_NAME);
    await createDurably(path, randomUUID());
    return readFile(path, 'utf8');
  }

  async check(): Promise<void> {
    await namesIn(this.folder, FOLDER).catch((error: unknown) => {
      throw new StoreFault('the folder of images cannot be read', true, error);
    });
  }

  async close(): Promise<void> {}

  private async read<Result>(
    address: string,
    reading: (path: string) => Promise<Result>,
  ): Promise<Result | null> {
    const path = this.pathOf(address);
    if (path === null) return null;
    return unlessMissing(reading(path)).catch((error: unknown) => {
      throw storageFailure('read', error);
    });
  }

  /** Null for an address that is not ours. */
  private pathOf(address: string): string | null {
    const parts = addressParts(address);
    if (parts === null) return null;
    const { digest, extension } = parts;
    return join(this.folder, digest.slice(0, 2), digest.slice(2, 4), `${digest}.${extension}`);
  }
}

const STORE_NAME = 'store-id';

const FOLDER = /^[0-9a-f]{2}$/;

/** Sorted; none where there is no such folder. */
const namesIn = async (folder: string, form: RegExp): Promise<string[]> =>
  ((await unlessMissing(readdir(folder))) ?? []).filter((name) => form.test(name)).sort();

const sizeOf = async (path: string): Promise<number | null> =>
  (await unlessMissing(stat(path)))?.size ?? null;

async function unlessMissing<Result>(reading: Promise<Result>): Promise<Result | null> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** 503 when the file system refused: full, over its quota, read-only, broken, not ours to write. */
const storageFailure = (what: 'stored' | 'read', error: unknown): unknown =>
  error instanceof Error && 'syscall' in error
    ? unavailable(`Images cannot be ${what} now.`, 60, error)
    : error;
