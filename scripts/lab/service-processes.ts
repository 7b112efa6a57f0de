import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Stream } from 'node:stream';
import { text } from 'node:stream/consumers';
import { processEnvironment } from '../config';

export const REPOSITORY_ROOT = resolve(__dirname, '../..');

const TSX = ['--require', 'tsx/cjs'] as const;

/** Node's arguments for the command line, as `npm run loupe` gives them: an import keeps its young objects in a larger space. */
export const LOUPE_ARGUMENTS = ['--max-semi-space-size=32', ...TSX, 'scripts/loupe.ts'] as const;

/** Node's arguments for the service, as `npm start` gives them. */
const START_ARGUMENTS = [
  '--heap-growing-percent=200',
  ...['--require', './scripts/low-priority-pool.cjs', ...TSX, 'scripts/start.ts'],
];

export interface ServiceProcess {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Of a command that has ended. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Settings = Readonly<Record<string, string>>;

/** The environment of a process: its settings alone, without those of a developer's `.env`. */
export const childEnvironment = (settings: Settings) => ({
  ...{ PATH: processEnvironment()['PATH'] ?? '', DOTENV_PATH: devNull, LOG_LEVEL: 'warn' },
  ...settings,
});

/** The programs of a checkout of the repository, each run as a process of its own with the settings given. */
export function programsOf(root: string) {
  /** Resolves when it is ready. @param log an open file stream; else it is shown @param within a command that runs the words after it */
  async function startProcess(
    settings: Settings,
    log: Stream | 'inherit' = 'inherit',
    within: readonly string[] = [],
  ): Promise<ServiceProcess> {
    const [command = process.execPath, ...words] = [...within, process.execPath, ...START_ARGUMENTS];
    const child = spawn(command, words, {
      cwd: root,
      env: childEnvironment({
        ...{ MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', PORT: '0', ...settings },
      }),
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

  const spawnLoupe = (
    settings: Settings,
    ...words: readonly string[]
  ): ChildProcessByStdio<null, Readable, Readable> =>
    spawn(process.execPath, [...LOUPE_ARGUMENTS, ...words], {
      cwd: root,
      env: childEnvironment(settings),
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  async function outcomeOf(settings: Settings, ...words: readonly string[]): Promise<Outcome> {
    const child = spawnLoupe(settings, ...words);
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const [stdout, stderr, [code]] = await ended;
    return { code: Number(code ?? -1), stdout, stderr };
  }

  const runLoupe = async (settings: Settings, ...words: readonly string[]): Promise<unknown> =>
    documentOf(words, await outcomeOf(settings, ...words, '--json'));

  return { startProcess, spawnLoupe, outcomeOf, runLoupe };
}

/** What a command printed with `--json`. @throws Error when it failed */
export function documentOf(words: readonly string[], { code, stdout, stderr }: Outcome): unknown {
  if (code === 0) return JSON.parse(stdout);
  throw new Error(`loupe ${words.join(' ')} exited with ${code}: ${stderr}`);
}

export const { startProcess, spawnLoupe, outcomeOf, runLoupe } = programsOf(REPOSITORY_ROOT);
