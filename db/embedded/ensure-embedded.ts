import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { messageOf, unavailable } from '../../models/errors';
import { codeOf } from '../../models/store-fault';
import { makeFolder } from '../files/durable-files';
import { type HostOptions, hasCluster } from './cluster-folder';
import { clientOptions, findRunningHost, type ShortPath, shortPath } from './run-folder';
import { CANNOT_OPEN, LEASE_NAME } from './wire-server';

export interface EmbeddedOptions extends Partial<Omit<HostOptions, 'folder'>> {
  /** Called when there is no database in the folder yet, before it is made. */
  readonly onWarning?: (message: string) => void;
}

const HOLD_IDLE_MS = 60_000;
/** Time limit for a started host to listen. */
const START_MS = 60_000;
const RETRY_MS = 50;
/** A failed start is tried again after this time: on a full disk each takes a second of a processor. */
const NEXT_START_MS = 2_000;
const LOG_BYTES_MAX = 4 * 1024 * 1024;
const LOG_NAME = 'host.log';

export const embeddedFolder = (dataFolder: string): string => join(dataFolder, 'postgres');

/** Joins the host of a folder, or starts it. Any number of processes may do so at once. @throws AppError 503 with the reason */
export async function ensureEmbedded(dataFolder: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  if (process.platform === 'win32') throw unavailable('On Windows, set DATABASE_URL: no sockets.', 60);
  const embedded = new Embedded(embeddedFolder(dataFolder), options);
  await embedded.socketFolder();
  return embedded;
}

/** A running embedded PostgreSQL, shared with every process that names the same folder. */
export class Embedded {
  private readonly run: ShortPath;
  private lease: Lease | undefined;
  private starting: Promise<Lease> | undefined;
  private closed = false;

  constructor(
    private readonly folder: string,
    private readonly options: EmbeddedOptions,
  ) {
    const run = join(folder, 'run');
    try {
      makeFolder(run, 0o700);
      this.run = shortPath(run);
    } catch (error) {
      throw this.cannotStart(error);
    }
  }

  /** `host` of node-postgres, `-h` of psql. Ask for each new connection: starts the host if it died. @throws AppError 503 if it can't */
  async socketFolder(): Promise<string> {
    if (this.closed) throw unavailable('The embedded database is closed.', 1);
    if (this.lease) return this.lease.socketFolder;
    if (!this.starting) {
      const over = () => {
        this.starting = undefined;
      };
      this.starting = this.start();
      this.starting.then(over, () => setTimeout(over, NEXT_START_MS).unref());
    }
    return (await this.starting).socketFolder;
  }

  /** Whether connections to `folder` reach the host that runs now. */
  isCurrent(folder: string): boolean {
    return this.lease?.socketFolder === folder;
  }

  /** Releases the host, which closes the database and ends when nobody else is connected. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.starting?.catch(() => undefined);
    await this.lease?.release();
    this.run.release();
  }

  private async start(): Promise<Lease> {
    let host: ChildProcess | undefined;
    const endOf = () => host && (host.exitCode ?? host.signalCode);
    const ended = (end: number | string) =>
      this.cannotStart(`its process ended with ${end}; ${lastLines(this.folder)}`);
    for (let deadline = Date.now() + START_MS; Date.now() < deadline; await delay(RETRY_MS)) {
      const socketFolder = await findRunningHost(this.run.path);
      const lease = socketFolder === undefined ? null : await this.join(socketFolder);
      if (lease) return lease;
      const end = endOf();
      if (socketFolder !== undefined || end === null) continue;
      // A host that found another one running exits with 0.
      if (end) throw ended(end);
      host = this.startHost();
      deadline = Date.now() + START_MS;
    }
    const end = endOf();
    throw end ? ended(end) : this.cannotStart('no host has opened it in time');
  }

  private async join(socketFolder: string): Promise<Lease | null> {
    const lease = await openLease(socketFolder).catch((error: unknown) => {
      throw this.cannotStart(error);
    });
    if (!lease) return null;
    this.lease = lease;
    void lease.ended.then(() => {
      if (this.lease === lease) this.lease = undefined;
    });
    return lease;
  }

  private startHost(): ChildProcess {
    const { folder } = this;
    const { durable = true, holdIdleMs = HOLD_IDLE_MS, onWarning } = this.options;
    if (!hasCluster(folder))
      onWarning?.(`Making a new database in ${folder}; the first start takes up to half a minute.`);
    const options: HostOptions = { folder, durable, holdIdleMs };
    const log = openLog(folder);
    const host = spawn(
      process.execPath,
      ['--require', require.resolve('tsx/cjs'), join(__dirname, 'host.ts'), JSON.stringify(options)],
      // A group of its own: Ctrl-C in a terminal must not end the database before the service that uses it.
      { detached: true, stdio: ['ignore', log, log] },
    );
    closeSync(log);
    host.unref();
    // `start` looks at the exit code instead.
    host.on('error', () => undefined);
    return host;
  }

  private cannotStart(reason: unknown): Error {
    const why = codeOf(reason) === 'EACCES' ? FOREIGN : messageOf(reason);
    return unavailable(`The embedded database in ${this.folder} can't be started: ${why}`, 5);
  }
}

function openLog(folder: string): number {
  const path = join(folder, LOG_NAME);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return openSync(path, bytes > LOG_BYTES_MAX ? 'w' : 'a', 0o600);
}

function lastLines(folder: string): string {
  return readFileSync(join(folder, LOG_NAME), 'utf8').trimEnd().split('\n').slice(-5).join(' | ');
}

/** A connection without queries: the host runs as long as a process holds one, and when the host dies it breaks. */
interface Lease {
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

const FOREIGN =
  'another user opened it, or has its folder; be that user, or give yours the whole folder (chown -R)';

/** Connects and waits until the database is open; null if no host listens. @throws Error with the reason if it can't be opened */
async function openLease(socketFolder: string): Promise<Lease | null> {
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
    if (codeOf(error) === CANNOT_OPEN || codeOf(error) === 'EACCES') throw error;
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
