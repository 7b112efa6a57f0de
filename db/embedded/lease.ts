import { connect } from 'node:net';
import { socketPath } from './run-folder';
import { Backend, errorFields, FrameReader, startup, typeOf } from './wire-protocol';
import { CANNOT_OPEN, LEASE_PARAMETER } from './wire-server';

/** A connection that asks nothing: the host lives as long as somebody holds one, and its end tells of the host's. */
export interface Lease {
  readonly socketFolder: string;
  /** Resolves when the host has gone or `release` is done. */
  readonly ended: Promise<void>;
  /** Gives the lease back; if it was the last, resolves when the host has closed the database. */
  release(waitMs: number): Promise<void>;
}

/** The host does not listen, or refuses: another may be started or is about to be. */
export class NoHostError extends Error {}

const FRAME_BYTES_MAX = 1024 * 1024;

/**
 * Connects and waits until the host has opened its database, however long, while the host says that it works.
 *
 * @throws NoHostError if there is no host that can; Error with the reason if the database can't be opened
 */
export function openLease(socketFolder: string, silentMs: number): Promise<Lease> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath(socketFolder));
    const reader = new FrameReader(FRAME_BYTES_MAX);
    const ended = new Promise<void>((resolveEnded) => socket.once('close', () => resolveEnded()));
    const giveUp = (reason: string) => {
      socket.destroy();
      reject(new NoHostError(reason));
    };
    const timer = setTimeout(() => giveUp(`no sign of life within ${silentMs} ms`), silentMs);
    socket.on('error', (error) => giveUp(error.message));
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new NoHostError('the host closed the connection'));
    });
    socket.once('connect', () => socket.write(startup({ user: 'postgres', [LEASE_PARAMETER]: '1' })));
    socket.on('data', (chunk) => {
      timer.refresh();
      reader.push(chunk);
      for (let frame = reader.next(); frame; frame = reader.next()) {
        if (typeOf(frame) === Backend.error) {
          const { sqlState, message } = errorFields(frame);
          if (sqlState === CANNOT_OPEN) reject(new Error(message));
          giveUp(message);
        }
        if (typeOf(frame) !== Backend.readyForQuery) continue;
        clearTimeout(timer);
        socket.unref();
        resolve({ socketFolder, ended, release: (releaseMs) => release(releaseMs) });
      }
    });

    async function release(releaseMs: number): Promise<void> {
      socket.ref();
      socket.end();
      const late = setTimeout(() => socket.destroy(), releaseMs);
      await ended;
      clearTimeout(late);
    }
  });
}
