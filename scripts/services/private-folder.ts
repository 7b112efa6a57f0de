import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from './run-command';

/**
 * A folder for one private server, owned by the user that the server runs as, with a watchdog: when this process ends, in
 * whatever way (kill -9 included), the watchdog stops the server that left its process id in `pidFile` and removes the folder.
 */
export class PrivateFolder {
  private constructor(
    readonly path: string,
    readonly identity: Identity | undefined,
    private readonly watchdog: ChildProcess,
  ) {}

  /** `endSignal` is what the server takes for "end at once". */
  static async create(name: string, pidFile: string, endSignal: 'QUIT' | 'TERM'): Promise<PrivateFolder> {
    const identity = unprivileged();
    const path = await mkdtemp(join(tmpdir(), `loupe-${name}-`));
    await chmod(path, 0o700);
    if (identity !== undefined) await chown(path, identity.uid, identity.gid);
    return new PrivateFolder(path, identity, watch([path, join(path, pidFile), endSignal]));
  }

  /** Stops what still runs and removes the folder: the same way as when this process dies. */
  async remove(): Promise<void> {
    if (this.watchdog.exitCode !== null) return;
    this.watchdog.ref();
    const ended = once(this.watchdog, 'exit');
    this.watchdog.stdin?.end();
    await ended;
  }
}

function watch(parameters: readonly string[]): ChildProcess {
  const script = join(__dirname, 'watchdog.sh');
  // A group of its own, so that Ctrl-C reaches us and not the one who cleans up after us.
  const child = spawn('sh', [script, ...parameters], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  return child;
}

/** `nobody` when we are root, because database servers refuse to run as root; otherwise ourselves. */
function unprivileged(): Identity | undefined {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
}
