import { once } from 'node:events';
import * as fs from 'node:fs';
import { connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PORT = 5432;

/** The name that PostgreSQL's clients look for in a socket folder. */
const SOCKET_NAME = `.s.PGSQL.${PORT}`;

/** Beside the socket: the process number of its host. */
const PID_NAME = 'pid';

/** Shortest limit of a socket's path among the systems we run on (macOS 104, Linux 108), with its final zero. */
const SOCKET_PATH_BYTES_MAX = 103;

/** Room for `/claim-XXXXXX/` or `/<generation>/` and the socket's name. */
const SOCKET_TAIL_BYTES = 14 + SOCKET_NAME.length;

/** How the system says that a socket's process is gone, or that there is no socket. */
const NOBODY_LISTENS: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT']);

export interface ShortPath {
  readonly path: string;
  release(): void;
}

/** A path short enough for sockets in `folder`: itself, or a link to it in a new private folder among the temporary ones. */
export function shortPath(folder: string): ShortPath {
  const path = fs.realpathSync(folder);
  if (Buffer.byteLength(path) + SOCKET_TAIL_BYTES <= SOCKET_PATH_BYTES_MAX)
    return { path, release: () => {} };
  const alias = fs.mkdtempSync(join(tmpdir(), 'loupe-'));
  fs.symlinkSync(path, join(alias, 'r'));
  return { path: join(alias, 'r'), release: () => fs.rmSync(alias, { recursive: true, force: true }) };
}

export const socketPath = (folder: string): string => join(folder, SOCKET_NAME);

/** How node-postgres connects in a socket folder, whatever other database the environment names. */
export const clientOptions = (host: string) =>
  ({ host, port: PORT, user: 'postgres', database: 'postgres', ssl: false }) as const;

export const hostPid = (folder: string): number => Number(fs.readFileSync(join(folder, PID_NAME), 'utf8'));

export async function isHostRunning(dataFolder: string): Promise<boolean> {
  const run = join(dataFolder, 'postgres', 'run');
  if (!fs.lstatSync(run, { throwIfNoEntry: false })) return false;
  const short = shortPath(run);
  try {
    return (await findRunningHost(short.path)) !== undefined;
  } finally {
    short.release();
  }
}

/** The socket folder of the newest host of a run folder (see `claimHost`), if it runs. */
export async function findRunningHost(run: string): Promise<string | undefined> {
  const newest = generations(run).at(-1);
  if (newest === undefined) return undefined;
  const folder = join(run, String(newest));
  return (await listens(folder)) ? folder : undefined;
}

/**
 * Makes `server` the host and returns its socket folder; undefined if there is a live host already.
 *
 * A run folder decides which process may open the database: it holds numbered folders, each with the socket of one host, and
 * the host of the highest number is the one. A socket that refuses connections belongs to a host that is gone, however it
 * ended: the system knows, so no process number or date is compared. A new host listens in a folder of its own and renames it
 * to the next number, which succeeds for one only. The highest number is never removed, so numbers only grow and nobody can
 * come back to one that was passed. Sockets work on one machine: two machines must not share the folder (contract 14.9).
 */
export async function claimHost(run: string, server: Server): Promise<string | undefined> {
  const candidate = fs.mkdtempSync(join(run, 'claim-'));
  // For people, and for tests that end the host.
  fs.writeFileSync(join(candidate, PID_NAME), String(process.pid));
  await once(server.listen(socketPath(candidate)), 'listening');
  try {
    for (;;) {
      const newest = generations(run).at(-1) ?? 0;
      if (newest > 0 && (await listens(join(run, String(newest))))) return withdraw(server, candidate);
      const claimed = join(run, String(newest + 1));
      if (!renamed(candidate, claimed)) continue;
      // Between our check and our rename another host may have passed this number, and removed it.
      const all = generations(run);
      if (all.at(-1) !== newest + 1) return withdraw(server, claimed);
      for (const older of all.slice(0, -1))
        fs.rmSync(join(run, String(older)), { recursive: true, force: true });
      return claimed;
    }
  } catch (error) {
    withdraw(server, candidate);
    throw error;
  }
}

/** Ascending; empty for a folder that can't be read. */
function generations(run: string): number[] {
  try {
    const names = fs.readdirSync(run).filter((name) => /^[0-9]+$/.test(name));
    return names.map(Number).sort((a, b) => a - b);
  } catch {
    return [];
  }
}

/** Whether a host listens in `folder`. Says no only when that is sure: two hosts of one database would destroy it. */
function listens(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath(folder));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(!NOBODY_LISTENS.has(error.code ?? '')));
  });
}

function withdraw(server: Server, folder: string): undefined {
  server.close();
  fs.rmSync(folder, { recursive: true, force: true });
}

function renamed(from: string, to: string): boolean {
  try {
    fs.renameSync(from, to);
    return true;
  } catch (error) {
    if (fs.lstatSync(to, { throwIfNoEntry: false })) return false;
    throw error;
  }
}
