import { Socket } from 'node:net';
import { Client } from 'pg';
import { clientOptions } from './run-folder';
import { CANNOT_OPEN, LEASE_NAME } from './wire-server';

/** A connection without queries: the host runs as long as a process holds one, and when the host dies it breaks. */
export interface Lease {
  readonly socketFolder: string;
  /** Resolves when the host has gone or `release` is done. */
  readonly ended: Promise<void>;
  /** Gives the lease back; if it was the last, resolves when the host has closed the database, or after a minute. */
  release(): Promise<void>;
}

/** A host that is opening the database says so every few seconds; one that is silent for this long hangs. */
const SILENT_MS = 60_000;

/** Closing takes a moment; on a very slow disk the host goes on alone. */
const CLOSE_MS = 60_000;

/** Connects and waits until the database is open; null if no host listens. @throws Error with the reason if it can't be opened */
export async function openLease(socketFolder: string): Promise<Lease | null> {
  const socket = new Socket();
  const client = new Client({
    ...clientOptions(socketFolder),
    application_name: LEASE_NAME,
    stream: () => socket,
  });
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
  const silence = setTimeout(() => socket.destroy(), SILENT_MS);
  client.on('notice', () => silence.refresh());
  // `ended` tells when a connection breaks.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    if (error instanceof Error && 'code' in error && error.code === CANNOT_OPEN) throw error;
    return null;
  } finally {
    clearTimeout(silence);
  }
  socket.unref();
  return { socketFolder, ended, release };

  async function release(): Promise<void> {
    socket.ref();
    client.end().catch(() => undefined);
    const late = setTimeout(() => socket.destroy(), CLOSE_MS);
    await ended;
    clearTimeout(late);
  }
}
