import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unavailable } from '../../models/errors';
import type { ImageStore } from '../../models/ports';

/** The only form of address that this store gives and takes. */
const ADDRESS = /^\/images\/([0-9a-f]{64})\.(jpg|png|webp)$/;

/**
 * Stored images in a folder, by content: `<root>/ab/cd/abcd….jpg` behind the address `/images/abcd….jpg`. A file is
 * there whole or not at all, and the same bytes are kept once.
 */
export class LocalImageStore implements ImageStore {
  constructor(private readonly root: string) {}

  async put(bytes: Buffer, extension: 'jpg' | 'png' | 'webp'): Promise<string> {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const address = `/images/${digest}.${extension}`;
    const file = this.fileOf(digest, extension);
    if (await holds(file, bytes.length)) return address;
    const unfinished = `${file}.${randomUUID()}.part`;
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeThrough(unfinished, bytes);
      await rename(unfinished, file);
    } catch (failure) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw unavailable('The image can not be stored; is the disk full or read-only?', 30, failure);
    }
    return address;
  }

  async get(address: string): Promise<Buffer | null> {
    const [, digest, extension] = ADDRESS.exec(address) ?? [];
    if (digest === undefined || extension === undefined) return null;
    try {
      return await readFile(this.fileOf(digest, extension));
    } catch (failure) {
      if (codeOf(failure) === 'ENOENT') return null;
      throw unavailable('The image can not be read.', 5, failure);
    }
  }

  /** Two levels of folders keep each one small among millions of images. */
  private fileOf(digest: string, extension: string): string {
    return join(this.root, digest.slice(0, 2), digest.slice(2, 4), `${digest}.${extension}`);
  }
}

async function writeThrough(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether the file is there with its full length; a crash may have left an empty one on some file systems. */
async function holds(file: string, length: number): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found?.size === length;
}

const codeOf = (failure: unknown): unknown =>
  failure instanceof Error && 'code' in failure ? failure.code : undefined;
