import { Socket } from 'node:net';
import { Client } from 'pg';
import { clientOptions } from './run-folder';
import { CANNOT_OPEN, LEASE_NAME } from './wire-server';

/** A connection that sends no queries: the host lives as long as somebody holds one, and its end signals the host's. */
export interface Lease {
  readonly socketFolder: string;
  /** Resolves when the host has gone or `release` is done. */
  readonly ended: Promise<void>;
  /** Gives the lease back; if it was the last, resolves when the host has closed the database. */
  release(waitMs: number): Promise<void>;
}

/**
 * Connects and waits until the host has opened its database, however long, while the host says that it works.
 *
 * @returns null if there is no host that can @throws Error with the reason if the database can't be opened
 */
export async function openLease(socketFolder: string, silentMs: number): Promise<Lease | null> {
  const socket = new Socket();
  const client = new Client({
    ...clientOptions(socketFolder),
    application_name: LEASE_NAME,
    stream: () => socket,
  });
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
  const silence = setTimeout(() => socket.destroy(), silentMs);
  // `ended` tells when a connection breaks.
  client.on('error', () => undefined);
  client.on('notice', () => silence.refresh());
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

  async function release(waitMs: number): Promise<void> {
    socket.ref();
    client.end().catch(() => undefined);
    const late = setTimeout(() => socket.destroy(), waitMs);
    await ended;
    clearTimeout(late);
  }
}
