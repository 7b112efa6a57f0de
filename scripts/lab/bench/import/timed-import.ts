import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { processEnvironment } from '../../../config';
import { LOUPE_ARGUMENTS, REPOSITORY_ROOT } from '../../service-processes';
import type { Settings } from '../set-up';

const SAMPLE_MS = 100;

/** How long an import took, and how much memory its process held at most. */
export interface TimedImport {
  readonly seconds: number;
  readonly peakMib: number;
}

/** Imports a bundle as an operator does, in a process of its own. @throws Error when something was rejected */
export async function timedImport(settings: Settings, bundle: string): Promise<TimedImport> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [...LOUPE_ARGUMENTS, 'catalog', 'import', bundle, '--no-wait', '--json'],
    {
      cwd: REPOSITORY_ROOT,
      env: { PATH: processEnvironment()['PATH'], ...settings },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  let peak = 0;
  const sampling = setInterval(async () => {
    peak = Math.max(peak, await peakMib(child.pid ?? 0));
  }, SAMPLE_MS);
  const [code] = await once(child, 'exit');
  clearInterval(sampling);
  if (code !== 0) throw new Error(`the import exited with ${String(code)}`);
  return { seconds: (performance.now() - startedAt) / 1000, peakMib: peak };
}

/** 0 where the system does not tell (proc_pid_status(5)). */
async function peakMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
