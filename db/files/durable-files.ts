import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, copyFile, link, open, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { unavailable } from '../../models/errors';
import type { DurableFiles } from '../../models/ports';
import { useAndClose } from '../../models/promises';
import { codeOf } from '../../models/store-fault';

/**
 * Writes a file so that it is complete or unchanged even after a crash or on a full disk, and makes its folder.
 * @param drafts where a killed process leaves its draft: a folder of the same file system
 * @throws the error of the file system; nothing is left behind then
 */
export async function writeDurably(
  path: string,
  bytes: string | Uint8Array,
  mode = 0o644,
  drafts = dirname(path),
): Promise<void> {
  await withDraft(path, bytes, mode, (draft) => rename(draft, path), drafts);
}

/**
 * The same for a new file: of several processes that try at once, one succeeds. Returns false when the file exists already.
 * @throws the error of the file system; nothing is left behind then
 */
export async function createDurably(
  path: string,
  bytes: string | Uint8Array,
  mode = 0o644,
): Promise<boolean> {
  try {
    await withDraft(path, bytes, mode, (draft) => linkNew(draft, path));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await sync(path);
  }
  await syncFolder(folder);
}

/** Moves a file or folder that is on the disk to its name, durably. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

export const DURABLE_FILES: DurableFiles = {
  create: (path, text) => createDurably(path, text),
  write: (path, text) => writeDurably(path, text),
  settle: async (folder, place) => {
    await syncTree(folder);
    await renameDurably(folder, place);
  },
  makeFolder,
};

/**
 * Makes a folder and those above it. Node's `recursive` alone never returns below a folder that takes none, such as /proc.
 * @throws the error of the file system
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (!existsSync(folder)) {
    makeFolder(dirname(folder), mode);
    try {
      mkdirSync(folder, { mode });
    } catch (failure) {
      if (codeOf(failure) !== 'EEXIST') throw failure;
    }
  }
  // Refuses a file.
  mkdirSync(folder, { recursive: true });
}

const ENDING = ['SIGINT', 'SIGTERM'] as const;

/** Runs `close` when the process ends, also by a signal that nobody else handles. Returns what runs it now instead. */
export function closeAtExit(close: () => void): () => void {
  const end = (signal: NodeJS.Signals) => {
    // The same signal again does not end the first process of a container.
    if (process.listenerCount(signal) === 0) process.exit(128 + os.constants.signals[signal]);
  };
  const closeOnce = () => {
    for (const signal of ENDING) process.off(signal, end);
    process.off('exit', closeOnce);
    close();
  };
  for (const signal of ENDING) process.once(signal, end);
  process.once('exit', closeOnce);
  return closeOnce;
}

/** A new folder until it is closed, or the process ends. @param prefix of its path @throws the error of the file system */
export function openWorkFolder(prefix: string) {
  makeFolder(dirname(prefix));
  const path = mkdtempSync(prefix);
  const close = closeAtExit(() => rmSync(path, { recursive: true, force: true }));
  return { path, close: async () => close() };
}

async function withDraft(
  path: string,
  bytes: string | Uint8Array,
  mode: number,
  settle: (draft: string) => Promise<void>,
  drafts = dirname(path),
): Promise<void> {
  const folder = dirname(path);
  makeFolder(folder);
  const draft = join(drafts, `.${randomUUID()}.part`);
  try {
    await useAndClose(open(draft, 'wx', mode), async (file) => {
      await file.writeFile(bytes);
      await file.sync();
    });
    await settle(draft);
    await syncFolder(folder);
  } finally {
    await rm(draft, { force: true });
  }
}

async function linkNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (!UNSUPPORTED.has(codeOf(error))) throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL);
    await sync(path);
  }
}

/** Errors of file systems, mostly network ones, that support no hard links or no syncing of folders. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

async function syncFolder(folder: string): Promise<void> {
  await sync(folder).catch((error: unknown) => {
    if (!UNSUPPORTED.has(codeOf(error))) throw error;
  });
}

const sync = (path: string): Promise<void> => useAndClose(open(path, 'r'), (file) => file.sync());

/** A folder with less free space than this counts as full: a database needs some of it to tidy up. */
const STORAGE_FREE_BYTES_MIN = 64 * 1024 * 1024;

/** More than a file system keeps beside a file's name. */
const PROBE = Buffer.alloc(4096);

/** Resolves when a folder has free space and accepts a file. @throws AppError 503 with the reason, without the folder's path */
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
