import { chmod, chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from './run-command';
import { watchdog } from './watchdog';

/** A folder for one private server, owned by the user that the server runs as. */
export interface PrivateFolder {
  readonly path: string;
  /** Whom the server must run as; undefined: ourselves. */
  readonly identity: Identity | undefined;
  /** Ends the server if it still runs and removes the folder. */
  remove(): Promise<void>;
}

/**
 * Starts a server in a private folder, which goes with it. When this process ends, in whatever way, the server that left
 * its process id in `pidFile` gets `endSignal` and the folder goes.
 */
export async function inPrivateFolder<T>(
  name: string,
  pidFile: string,
  endSignal: 'QUIT' | 'TERM',
  start: (folder: PrivateFolder) => Promise<T>,
): Promise<T> {
  const identity = unprivileged();
  const path = await mkdtemp(join(tmpdir(), `loupe-${name}-`));
  await chmod(path, 0o700);
  if (identity !== undefined) await chown(path, identity.uid, identity.gid);
  const guard = watchdog('sh', [join(__dirname, 'end-server.sh'), path, join(path, pidFile), endSignal]);
  try {
    return await start({ path, identity, remove: () => guard.release() });
  } catch (error) {
    await guard.release();
    throw error;
  }
}

/** `nobody` when we are root, because database servers refuse to run as root. */
function unprivileged(): Identity | undefined {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
}
