import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Stream } from 'node:stream';
import { processEnvironment } from '../config';

/** Where `npm` commands run. */
export const REPOSITORY_ROOT = resolve(__dirname, '../..');

/**
 * Node's arguments for the command line, as `npm run loupe` gives them: with less room for young objects an import copies
 * each of its batches about, and spends a third of its time on that.
 */
export const LOUPE_ARGUMENTS = ['--max-semi-space-size=32', '--import', 'tsx', 'scripts/loupe.ts'] as const;

/** Node's arguments for the service, as `npm start` gives them. */
const START_ARGUMENTS = [
  '--require',
  './scripts/low-priority-pool.cjs',
  '--import',
  'tsx',
  'scripts/start.ts',
] as const;

/** A part of the service in a process of its own, as an operator would start it. */
export interface ServiceProcess {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

/**
 * Starts `npm start`'s program with these settings and waits until it says that it is ready.
 *
 * @param log an open file stream that takes its log; else it is shown
 * @param within a command that becomes the one that follows it, in other surroundings
 */
export async function startProcess(
  settings: Settings,
  log: Stream | 'inherit' = 'inherit',
  within: readonly string[] = [],
): Promise<ServiceProcess> {
  const [command = process.execPath, ...words] = [...within, process.execPath, ...START_ARGUMENTS];
  const child = spawn(command, words, {
    cwd: REPOSITORY_ROOT,
    env: {
      PATH: processEnvironment()['PATH'],
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '1048576',
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', log],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = /^Loupe is ready(?: at (\S+))?$/.exec(line);
    if (ready) {
      child.stdout.resume();
      return { url: ready[1] ?? '', process: child, stop };
    }
  }
  throw new Error('the service ended before it was ready');
}

/** A `loupe` command in a process of its own, with these settings. */
export function spawnLoupe(
  settings: Settings,
  ...words: readonly string[]
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [...LOUPE_ARGUMENTS, ...words], {
    cwd: REPOSITORY_ROOT,
    env: { PATH: processEnvironment()['PATH'], LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a `loupe` command with these settings and answers the JSON that it prints. */
export async function runLoupe(settings: Settings, ...words: readonly string[]): Promise<unknown> {
  const child = spawnLoupe(settings, ...words, '--json');
  const chunks: Buffer[] = [];
  const told: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => told.push(chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) {
    throw new Error(
      `loupe ${words.join(' ')} exited with ${String(code)}: ${Buffer.concat(told).toString('utf8')}`,
    );
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
