import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type HostRecord,
  isMissing,
  isRenewed,
  type Machine,
  readRecord,
  removeRecord,
  renewRecord,
  STALE_MS,
  thisMachine,
  writeRecord,
} from './host-record';

/** The name that PostgreSQL's clients look for in a socket folder. */
const SOCKET_NAME = '.s.PGSQL.5432';

/** Shortest limit of a socket's path among the systems we run on (macOS 104, Linux 108), with its final zero. */
const SOCKET_PATH_BYTES_MAX = 103;

/** Room for `/claim-XXXXXX/` or `/<generation>/` and the socket's name. */
const SOCKET_TAIL_BYTES = 14 + SOCKET_NAME.length;

/** How the system says that a socket's process is no more, or that there is no socket. */
const NOBODY_LISTENS: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT']);

/** A short path to a folder, and how to forget it. */
export interface ShortPath {
  readonly path: string;
  release(): void;
}

/**
 * A path to `folder` that is short enough for sockets in it: the folder itself, or a link to it in a new private
 * folder among the system's temporary ones.
 */
export function shortPath(folder: string): ShortPath {
  const path = realpathSync(folder);
  if (Buffer.byteLength(path) + SOCKET_TAIL_BYTES <= SOCKET_PATH_BYTES_MAX)
    return { path, release: () => {} };
  const alias = mkdtempSync(join(tmpdir(), 'loupe-'));
  symlinkSync(path, join(alias, 'r'));
  return { path: join(alias, 'r'), release: () => rmSync(alias, { recursive: true, force: true }) };
}

/** Another machine has the database open, or had it too short a time ago. */
class HeldElsewhereError extends Error {
  constructor({ machine, pid }: HostRecord) {
    super(
      `it is open on another machine (${machine.name}, process ${pid}). ` +
        'Stop Loupe there, or give this one a DATA_DIR of its own; several hosts share one PostgreSQL through DATABASE_URL',
    );
  }
}

/** The right to open the database. */
export interface Claim {
  readonly socketFolder: string;
  /** Shows other machines that we live. False once one of them has taken the database over: then end, at once. */
  renew(): boolean;
  /** Says that the database is closed. */
  release(): void;
}

/**
 * The run folder decides which process may open the database: it holds numbered folders, each with the socket of one
 * host, and the host of the highest number is the one. A socket that refuses connections belongs to a host that is no
 * more, however it ended: the system knows, so no process number or date is compared. From another machine sockets tell
 * nothing; there the host lives while it renews its record, and is no more when it has not for `STALE_MS`. A new host
 * listens in a folder of its own and renames it to the next number, which succeeds for one only. The highest number is
 * never removed, so numbers only grow and nobody can come back to one that was passed.
 */
export class RunFolder {
  constructor(
    private readonly path: string,
    private readonly machine: Machine = thisMachine(),
    private readonly staleMs: number = STALE_MS,
  ) {}

  /** The socket folder of the newest host, if it lives and sockets reach it. */
  async living(): Promise<string | undefined> {
    const generation = this.generations().at(-1);
    if (generation === undefined) return undefined;
    const folder = this.folderOf(generation);
    return !this.isElsewhere(readRecord(folder)) && (await listens(folder)) ? folder : undefined;
  }

  /**
   * Makes `server` the host; undefined if there is a living one already.
   *
   * @throws HeldElsewhereError if that one is on another machine
   */
  async claim(server: Server): Promise<Claim | undefined> {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const candidate = mkdtempSync(join(this.path, 'claim-'));
    writeRecord(candidate, { machine: this.machine, pid: process.pid });
    await listen(server, join(candidate, SOCKET_NAME));
    try {
      for (;;) {
        const newest = this.generations().at(-1) ?? 0;
        if (newest > 0 && (await this.isHeld(this.folderOf(newest)))) break;
        const claimed = this.folderOf(newest + 1);
        if (!renamed(candidate, claimed)) continue;
        // Between our look and our move another may have passed this number, and removed it.
        if (this.generations().at(-1) !== newest + 1) return withdraw(server, claimed);
        this.removeOlder(newest + 1);
        return this.claimOf(newest + 1);
      }
    } catch (error) {
      withdraw(server, candidate);
      throw error;
    }
    return withdraw(server, candidate);
  }

  private claimOf(generation: number): Claim {
    const socketFolder = this.folderOf(generation);
    return {
      socketFolder,
      renew: () => {
        try {
          renewRecord(socketFolder);
        } catch (error) {
          // A disk that fails for a moment takes the database from nobody.
          if (isMissing(error)) return false;
        }
        return (this.generations().at(-1) ?? generation) === generation;
      },
      release: () => removeRecord(socketFolder),
    };
  }

  /** Whether a host has the database that it claimed in `folder`. */
  private async isHeld(folder: string): Promise<boolean> {
    const record = readRecord(folder);
    if (!this.isElsewhere(record)) return await listens(folder);
    if (await isRenewed(folder, this.staleMs)) throw new HeldElsewhereError(record);
    return false;
  }

  private isElsewhere(record: HostRecord | undefined): record is HostRecord {
    return record !== undefined && record.machine.id !== this.machine.id;
  }

  private removeOlder(generation: number): void {
    for (const older of this.generations()) {
      if (older < generation) rmSync(this.folderOf(older), { recursive: true, force: true });
    }
  }

  private folderOf(generation: number): string {
    return join(this.path, String(generation));
  }

  private generations(): number[] {
    return entries(this.path)
      .filter((name) => /^[0-9]+$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  }
}

/** Whether a host listens in `folder`. Only a sure no is a no: two hosts of one database would destroy it. */
function listens(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(folder, SOCKET_NAME));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(!NOBODY_LISTENS.has(error.code ?? '')));
  });
}

function withdraw(server: Server, folder: string): undefined {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Whether any process of this machine uses the embedded database of a data folder. */
export async function hasLivingHost(dataFolder: string): Promise<boolean> {
  const run = join(dataFolder, 'postgres', 'run');
  if (!lstatSync(run, { throwIfNoEntry: false })) return false;
  const short = shortPath(run);
  try {
    return (await new RunFolder(short.path).living()) !== undefined;
  } finally {
    short.release();
  }
}

/** Path of the socket in a socket folder. */
export const socketPath = (folder: string): string => join(folder, SOCKET_NAME);

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (lstatSync(to, { throwIfNoEntry: false })) return false;
    throw error;
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
