import { type ChildProcess, spawn } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../models/errors';
import { hasCluster } from './cluster-folder';
import type { HostEnd, HostOptions, HostReport } from './host-messages';
import { type Lease, NoHostError, openLease } from './lease';
import { RunFolder, type ShortPath, shortPath } from './run-folder';

export interface EmbeddedOptions {
  /** Folder of a prepared, closed cluster with which a new database begins; for tests. */
  readonly template?: string;
  /** Default true. False: a commit survives the end of any process, but not a loss of power; for tests. */
  readonly durable?: boolean;
  /** A client that holds the database within a transaction for so long without a word is disconnected. Default 60 s. */
  readonly holdIdleMs?: number;
  /** How long a host that starts may give no sign of life. Default 60 s. */
  readonly startMs?: number;
  /** Hears that there is no database in the folder yet, before it is made. */
  readonly onWarning?: (message: string) => void;
  /** How long `close` waits until the host has closed the database, if this was its last user. Default 10 s. */
  readonly closeMs?: number;
}

/** A running embedded PostgreSQL, shared with every process that names the same folder. */
export interface Embedded {
  /**
   * Where PostgreSQL's clients connect: `host` of node-postgres, `-h` of psql. Starts the host again if it died, so
   * ask for each new connection. @throws AppError 503 if it can't be started
   */
  socketFolder(): Promise<string>;
  /** Whether connections to `folder` reach the host that runs now. */
  isCurrent(folder: string): boolean;
  /** Gives the host up. It closes the database and ends when nobody else is connected. */
  close(): Promise<void>;
}

const DEFAULTS = {
  durable: true,
  holdIdleMs: 60_000,
  startMs: 60_000,
  closeMs: 10_000,
  onWarning: () => undefined,
} as const;
const RETRY_MS = 50;
const LOG_BYTES_MAX = 4 * 1024 * 1024;
const LOG_NAME = 'host.log';

/** Where the embedded database of a data folder is. */
export const embeddedFolder = (dataFolder: string): string => join(dataFolder, 'postgres');

/**
 * The embedded PostgreSQL of a data folder: connects to its host if there is one, else starts it. Any number of
 * processes may do so at once; exactly one host runs. @throws AppError 503 with the reason if none can be started
 */
export async function ensureEmbedded(dataFolder: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  if (process.platform === 'win32') throw unavailable('On Windows, set DATABASE_URL: no sockets.', 60);
  const embedded = new EmbeddedDatabase(embeddedFolder(dataFolder), { ...DEFAULTS, ...options });
  await embedded.socketFolder();
  return embedded;
}

type Settings = Required<Omit<EmbeddedOptions, 'template'>> & Pick<EmbeddedOptions, 'template'>;

class EmbeddedDatabase implements Embedded {
  private readonly run: ShortPath;
  private lease: Lease | undefined;
  private starting: Promise<Lease> | undefined;
  private closed = false;

  constructor(
    private readonly folder: string,
    private readonly settings: Settings,
  ) {
    try {
      mkdirSync(join(folder, 'run'), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw cannotStart(folder, error instanceof Error ? error.message : String(error));
    }
    this.run = shortPath(join(folder, 'run'));
  }

  async socketFolder(): Promise<string> {
    if (this.closed) throw unavailable('The embedded database is closed.', 1);
    if (this.lease) return this.lease.socketFolder;
    this.starting ??= this.start().finally(() => {
      this.starting = undefined;
    });
    return (await this.starting).socketFolder;
  }

  isCurrent(folder: string): boolean {
    return this.lease?.socketFolder === folder;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.starting?.catch(() => undefined);
    await this.lease?.release(this.settings.closeMs);
    this.run.release();
  }

  private async start(): Promise<Lease> {
    const { startMs } = this.settings;
    let deadline = Date.now() + startMs;
    const runFolder = new RunFolder(this.run.path);
    for (;;) {
      const socketFolder = await runFolder.living();
      if (socketFolder !== undefined) {
        const lease = await this.join(socketFolder, startMs);
        if (lease) return lease;
      } else {
        await this.spawnHost(startMs);
        deadline = Date.now() + startMs;
      }
      if (Date.now() > deadline) throw cannotStart(this.folder, `no host within ${startMs} ms`);
    }
  }

  private async join(socketFolder: string, silentMs: number): Promise<Lease | undefined> {
    try {
      const lease = await openLease(socketFolder, silentMs);
      this.lease = lease;
      void lease.ended.then(() => {
        if (this.lease === lease) this.lease = undefined;
      });
      return lease;
    } catch (error) {
      if (!(error instanceof NoHostError)) throw error;
      await delay(RETRY_MS);
      return undefined;
    }
  }

  /** Starts a host and waits for its report; that another was faster is as good. */
  private async spawnHost(silentMs: number): Promise<void> {
    const { template, durable, holdIdleMs, onWarning } = this.settings;
    if (!hasCluster(this.folder)) {
      onWarning(`Making a new database in ${this.folder}; the first start takes up to half a minute.`);
    }
    const options: HostOptions = {
      folder: this.folder,
      durable,
      holdIdleMs,
      ...(template === undefined ? {} : { template }),
    };
    const host = spawnHost(options);
    const report = await reportOf(host, silentMs, () => lastLines(this.folder));
    if (host.connected) host.disconnect();
    host.unref();
    if (report.kind === 'failed') throw cannotStart(this.folder, report.reason);
  }
}

function spawnHost(options: HostOptions): ChildProcess {
  const log = openLog(options.folder);
  const host = spawn(
    process.execPath,
    ['--require', require.resolve('tsx/cjs'), join(__dirname, 'host.ts'), JSON.stringify(options)],
    // A group of its own: Ctrl-C in a terminal must not end the database before the service that uses it.
    { detached: true, stdio: ['ignore', log, log, 'ipc'] },
  );
  closeSync(log);
  return host;
}

/** What a host that starts reports in the end. It may take its time while it says that it works. */
export function reportOf(host: EventEmitter, silentMs: number, lastWords: () => string): Promise<HostEnd> {
  return new Promise((resolve) => {
    const settle = (end: HostEnd) => {
      clearTimeout(timer);
      host.removeAllListeners();
      resolve(end);
    };
    const failed = (reason: string) => settle({ kind: 'failed', reason });
    const timer = setTimeout(() => failed(`no sign of life within ${silentMs} ms`), silentMs);
    host.on('message', (report: HostReport) => {
      if (report.kind === 'working') timer.refresh();
      else settle(report);
    });
    host.once('error', (error: Error) => failed(error.message));
    host.once('exit', (code: number | null, signal: string | null) => {
      if (code === 0) settle({ kind: 'taken' });
      else failed(`its process ended with ${signal ?? code}; ${lastWords()}`);
    });
  });
}

function openLog(folder: string): number {
  const path = join(folder, LOG_NAME);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return openSync(path, bytes > LOG_BYTES_MAX ? 'w' : 'a', 0o600);
}

function lastLines(folder: string): string {
  return readFileSync(join(folder, LOG_NAME), 'utf8').trimEnd().split('\n').slice(-5).join(' | ');
}

function cannotStart(folder: string, reason: string): Error {
  return unavailable(`The embedded database in ${folder} can't be started: ${reason}`, 5);
}
