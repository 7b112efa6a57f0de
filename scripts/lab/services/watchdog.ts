import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A command that is run exactly once: when `release` is called or when this process is gone. */
export interface Watchdog {
  /** Runs the command now and waits for its end. */
  release(): Promise<void>;
}

/**
 * Makes sure that `command` runs even when this process is killed with no time to clean up: a shell holds the other end
 * of a pipe, which the system closes with us.
 */
export function watchdog(command: string, parameters: readonly string[]): Watchdog {
  // A session of its own, so that Ctrl-C ends us and not the one who cleans up after us.
  const child = spawn('sh', ['-c', 'read -r _; exec "$@"', 'watchdog', command, ...parameters], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  return {
    async release() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}
