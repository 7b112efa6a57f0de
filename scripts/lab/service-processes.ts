import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
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
const START_ARGUMENTS = ['--require', './scripts/low-priority-pool.cjs', ...TSX, 'scripts/start.ts'];

export interface ServiceProcess {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

/** The programs of a checkout of the repository, each run as a process of its own with the settings given. */
export const programsOf = (root: string) => ({
  /** Resolves when it is ready. @param log an open file stream; else it is shown @param within a command that runs the words after it */
  async startProcess(
    settings: Settings,
    log: Stream | 'inherit' = 'inherit',
    within: readonly string[] = [],
  ): Promise<ServiceProcess> {
    const [command = process.execPath, ...words] = [...within, process.execPath, ...START_ARGUMENTS];
    const child = spawn(command, words, {
      cwd: root,
      env: {
        ...{ PATH: processEnvironment()['PATH'], MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' },
        ...{ PORT: '0', LOG_LEVEL: 'warn', ...settings },
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
  },

  spawnLoupe: (
    settings: Settings,
    ...words: readonly string[]
  ): ChildProcessByStdio<null, Readable, Readable> =>
    spawn(process.execPath, [...LOUPE_ARGUMENTS, ...words], {
      cwd: root,
      env: { PATH: processEnvironment()['PATH'], LOG_LEVEL: 'warn', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),

  async runLoupe(settings: Settings, ...words: readonly string[]): Promise<unknown> {
    const child = this.spawnLoupe(settings, ...words, '--json');
    const [answer, told, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    if (code === 0) return JSON.parse(answer);
    throw new Error(`loupe ${words.join(' ')} exited with ${String(code)}: ${told}`);
  },
});

const own = programsOf(REPOSITORY_ROOT);
export const { startProcess, spawnLoupe } = own;
export const runLoupe: typeof own.runLoupe = (...words) => own.runLoupe(...words);
