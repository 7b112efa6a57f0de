import { closeSync, fstatSync, openSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A machine, as far as sockets in a folder reach: one running kernel, all its containers included. */
export interface Machine {
  /** Different after each start of the machine. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

/** Who has the database open. */
export interface HostRecord {
  readonly machine: Machine;
  readonly pid: number;
}

/** A host renews its record so often. */
export const RENEW_MS = 5_000;

/** Seen from another machine, a host whose record was not renewed for so long is no more. */
export const STALE_MS = 30_000;

const RECORD = 'host.json';
const LOOK_MS = 500;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** The machine that we run on. */
export function thisMachine(): Machine {
  const name = hostname();
  try {
    return { id: readFileSync(BOOT_ID, 'utf8').trim(), name };
  } catch {
    return { id: name, name };
  }
}

/** Says in a socket folder whose it is. */
export function writeRecord(folder: string, record: HostRecord): void {
  writeFileSync(join(folder, RECORD), JSON.stringify(record));
}

/** Whose socket folder this is; undefined if its host ended in order. One that a crash tore is nobody's we know. */
export function readRecord(folder: string): HostRecord | undefined {
  const path = join(folder, RECORD);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as HostRecord;
  } catch (error) {
    if (error instanceof SyntaxError) return { machine: { id: '', name: 'unknown' }, pid: 0 };
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Shows others that the host lives. Needs no room on the disk. @throws ENOENT once another has removed the folder */
export function renewRecord(folder: string): void {
  const now = new Date();
  utimesSync(join(folder, RECORD), now, now);
}

/** Says that the host has closed the database. */
export function removeRecord(folder: string): void {
  rmSync(join(folder, RECORD), { force: true });
}

/**
 * Whether the record is renewed within `staleMs`, told as soon as it is. Only our own clock counts the time, and the
 * dates that the other machine sets are only compared with each other, so clocks need not agree.
 */
export async function isRenewed(folder: string, staleMs: number): Promise<boolean> {
  const first = renewedAt(folder);
  const until = performance.now() + staleMs;
  while (performance.now() < until) {
    await delay(Math.min(LOOK_MS, staleMs / 2));
    const now = renewedAt(folder);
    if (now === undefined) return false;
    if (now !== first) return true;
  }
  return false;
}

/** Looked up by opening it: that makes a network's file system ask the server instead of its memory. */
function renewedAt(folder: string): number | undefined {
  try {
    const file = openSync(join(folder, RECORD), 'r');
    try {
      return fstatSync(file).mtimeMs;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether a file or a folder on its path is no more. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
