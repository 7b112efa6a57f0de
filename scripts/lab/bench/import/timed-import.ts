import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { processEnvironment } from '../../../config';
import { LOUPE_ARGUMENTS, REPOSITORY_ROOT } from '../../service-processes';

const SAMPLE_MS = 100;
const MIB = 2 ** 20;

/** How an import went: how long, and how much memory its process held at each quarter of that time and at most. */
export interface TimedImport {
  readonly seconds: number;
  readonly quartersMib: readonly number[];
  readonly peakMib: number;
}

/** Imports a bundle as an operator does, in a process of its own. @throws Error when something was rejected */
export async function timedImport(
  settings: Readonly<Record<string, string>>,
  bundle: string,
): Promise<TimedImport> {
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
  const samples: number[] = [];
  let peak = 0;
  const sampling = setInterval(async () => {
    const memory = await memoryOf(child.pid ?? 0);
    if (memory.resident > 0) samples.push(memory.resident / MIB);
    peak = Math.max(peak, memory.peak);
  }, SAMPLE_MS);
  const [code] = await once(child, 'exit');
  clearInterval(sampling);
  if (code !== 0) throw new Error(`the import exited with ${String(code)}`);
  const quartersMib = [1, 2, 3, 4].map(
    (quarter) => samples[Math.ceil((samples.length * quarter) / 4) - 1] ?? 0,
  );
  return { seconds: (performance.now() - startedAt) / 1000, quartersMib, peakMib: peak / MIB };
}

/** Bytes that a process holds, and has held at most (proc_pid_status(5)); 0 where the system does not tell. */
async function memoryOf(pid: number): Promise<{ resident: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const bytes = (line: RegExp) => Number(line.exec(status)?.[1] ?? 0) * 1024;
  return { resident: bytes(/VmRSS:\s+(\d+) kB/), peak: bytes(/VmHWM:\s+(\d+) kB/) };
}
