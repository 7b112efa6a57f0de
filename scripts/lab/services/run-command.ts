import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from './service';

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: Environment;
  /** Runs the command as this user (needs root). */
  readonly identity?: Identity | undefined;
  readonly input?: string;
  /** The command is killed after this time; default ten minutes, so nothing ever hangs a build machine. */
  readonly timeoutMs?: number;
}

/** A numeric user and group, as `spawn` takes them. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const TEN_MINUTES_MS = 600_000;

/**
 * Runs one command without a shell and resolves with its standard output.
 * @throws Error with the end of what it printed when it cannot be started, takes too long or ends with another status than 0.
 */
export async function runCommand(
  command: string,
  parameters: readonly string[],
  { cwd, environment, identity, input = '', timeoutMs = TEN_MINUTES_MS }: CommandOptions = {},
): Promise<string> {
  const running = promisify(execFile)(command, parameters, {
    ...{ cwd, env: environment, ...identity },
    ...{ timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: Number.POSITIVE_INFINITY },
  });
  // A command that ends without reading its input is not a failure of ours.
  running.child.stdin?.on('error', () => undefined).end(input);
  return running.then(
    ({ stdout }) => stdout,
    ({
      code,
      message,
      stdout = '',
      stderr = '',
    }: Error & { code?: unknown; stdout?: string; stderr?: string }) => {
      const output = `${stdout}${stderr}`.trim().slice(-2000) || message;
      throw new Error(`${[command, ...parameters].join(' ')} failed (${code ?? 'killed'}): ${output}`);
    },
  );
}

/** Whether the command runs and ends with status 0: the question "is this tool usable here?". */
export const commandSucceeds = (
  command: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<boolean> =>
  runCommand(command, parameters, { timeoutMs: 20_000, ...options }).then(
    () => true,
    () => false,
  );
