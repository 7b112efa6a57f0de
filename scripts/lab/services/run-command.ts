import { spawn } from 'node:child_process';
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

/** A command that ended with another status than 0; the message holds the end of what it printed. */
class CommandFailed extends Error {
  constructor(
    readonly command: string,
    readonly exitCode: number | null,
    output: string,
  ) {
    super(`${command} failed (${exitCode ?? 'killed'}): ${output.trim().slice(-2000)}`);
    this.name = 'CommandFailed';
  }
}

const TEN_MINUTES_MS = 600_000;

/**
 * Runs one command without a shell and resolves with its standard output.
 * @throws CommandFailed when it cannot be started, takes too long or ends with another status than 0.
 */
export function runCommand(
  command: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: options.timeoutMs ?? TEN_MINUTES_MS,
      killSignal: 'SIGKILL',
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.environment === undefined ? {} : { env: options.environment }),
      ...options.identity,
    });
    const output: Buffer[] = [];
    const all: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => {
      output.push(chunk);
      all.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => all.push(chunk));
    // A command that ends without reading its input is not a failure of ours.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    child.on('error', (error) => reject(new CommandFailed(command, null, error.message)));
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else
        reject(
          new CommandFailed([command, ...parameters].join(' '), code, Buffer.concat(all).toString('utf8')),
        );
    });
  });
}

/** Whether the command runs and ends with status 0: the question "is this tool usable here?". */
export async function commandSucceeds(
  command: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<boolean> {
  try {
    await runCommand(command, parameters, { timeoutMs: 20_000, ...options });
    return true;
  } catch {
    return false;
  }
}
