import { randomUUID } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unavailable } from '../../models/errors';

/** A folder with less room than this is as good as full: a database needs some of it to tidy up. */
const STORAGE_FREE_BYTES_MIN = 64 * 1024 * 1024;

/** More than a file system keeps beside a file's name. */
const PROBE = Buffer.alloc(4096);

/**
 * Resolves when a folder has room and takes a file.
 *
 * @throws AppError 503 with the reason, without the folder's path
 */
export async function checkStorage(folder: string, freeBytesMin = STORAGE_FREE_BYTES_MIN): Promise<void> {
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < freeBytesMin) throw unavailable(`fewer than ${freeBytesMin} bytes are free`, 5);
    const probe = join(folder, `.${randomUUID()}.probe`);
    await writeFile(probe, PROBE).finally(() => rm(probe, { force: true }));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error;
    throw unavailable(`a file can't be written (${error.code})`, 5, error);
  }
}
