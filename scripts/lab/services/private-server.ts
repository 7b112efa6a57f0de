import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateFolder } from './private-folder';
import type { Environment, Service } from './service';

export interface ServerProgram {
  readonly name: string;
  readonly command: string;
  readonly parameters: readonly string[];
  readonly environment: Environment;
  /** The signal for an orderly end. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM';
  /** Whether the server answers requests now. */
  answers(): Promise<boolean>;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 30_000;
const POLL_MS = 50;

/** One server process in a private folder: starts when it answers, and can be stopped, killed, restarted and paused. */
export class PrivateServer {
  private child: ChildProcess | undefined;

  constructor(
    private readonly program: ServerProgram,
    private readonly folder: PrivateFolder,
  ) {}

  /** What one may do with the server; its folder goes when it stops. */
  methods(): Omit<Service, 'url'> {
    return {
      restart: () => this.restart(),
      kill: () => this.kill(),
      start: () => this.start(),
      pause: () => this.pause(),
      resume: () => this.resume(),
      stop: async () => {
        await this.stop();
        await this.folder.remove();
      },
    };
  }

  /** @throws Error with the end of the server's log when it ends early or does not answer within a minute. */
  async start(): Promise<void> {
    const logFile = join(this.folder.path, 'server.log');
    const log = openSync(logFile, 'a', 0o600);
    const child = spawn(this.program.command, this.program.parameters, {
      cwd: this.folder.path,
      env: this.program.environment,
      stdio: ['ignore', log, log],
      detached: true,
      ...this.folder.identity,
    });
    closeSync(log);
    this.child = child;
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    failed.catch(() => undefined);
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await Promise.race([this.program.answers(), failed]))) {
      if (hasEnded(child) || Date.now() > deadline) {
        const text = await readFile(logFile, 'utf8').catch(() => '');
        throw new Error(`${this.program.name} did not start: ${text.trim().slice(-2000)}`);
      }
      await delay(POLL_MS);
    }
    child.unref();
  }

  /** Orderly; a server that does not end in time is killed. */
  private async stop(): Promise<void> {
    await this.end(async (child) => {
      child.kill(this.program.stopSignal);
      await this.resume();
    });
  }

  /** With all its children at once, as when the machine loses its power. */
  private async kill(): Promise<void> {
    await this.end(() => this.signalAll('SIGKILL'));
  }

  private async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Stops the clock of the server and its children: connections stay open and nothing answers, until `resume`. */
  private async pause(): Promise<void> {
    await this.signalAll('SIGSTOP');
  }

  private async resume(): Promise<void> {
    await this.signalAll('SIGCONT');
  }

  private async end(how: (child: ChildProcess) => Promise<void>): Promise<void> {
    const child = this.child;
    if (child === undefined || hasEnded(child)) return;
    child.ref();
    const ended = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await how(child);
    await ended;
    clearTimeout(timer);
  }

  private async signalAll(signal: NodeJS.Signals): Promise<void> {
    const pid = this.child?.pid;
    if (pid === undefined) return;
    // Stopped before its children are read, the parent starts no further one that would escape.
    if (signal !== 'SIGCONT') signalOne(pid, 'SIGSTOP');
    const children = await childrenOf(pid);
    for (const one of [...children, pid]) signalOne(one, signal);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in the meantime.
  }
}
