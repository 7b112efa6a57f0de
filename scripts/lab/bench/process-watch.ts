import { readFile } from 'node:fs/promises';
import type { ServiceProcess } from '../service-processes';
import type { Cell } from './table';

/** How a process was at one moment: MiB, and the longest delay of its event loop since the moment before, in ms. */
export interface Sample {
  readonly residentMib: number;
  readonly heapMib: number;
  readonly loopMaxMs: number;
}

/** The event loop is looked at every so often: an idle one shows this much, and a delay comes on top. */
const RESOLUTION_MS = 10;

async function look({ url, process: { pid = 0 } }: ServiceProcess): Promise<Sample> {
  const metrics = await fetch(`${url}/metrics`).then((answer) => answer.text());
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1] ?? Number.NaN);
  return {
    residentMib: await memoryOf(pid),
    heapMib: value('nodejs_heap_size_used_bytes') / 2 ** 20,
    loopMaxMs: Math.max(0, value('nodejs_eventloop_lag_max_seconds') * 1000 - RESOLUTION_MS),
  };
}

/** Looks at a process every second while `work` goes on, until the process ends. */
export async function watched(service: ServiceProcess, work: Promise<unknown>): Promise<Sample[]> {
  const samples = [await look(service)];
  const note = async (): Promise<void> => {
    await look(service)
      .then((sample) => samples.push(sample))
      .catch(() => undefined);
  };
  const looking = setInterval(note, 1_000);
  await work.finally(() => clearInterval(looking));
  await note();
  return samples;
}

/** MiB of a process, 0 where the system does not tell (proc_pid_status(5)): now (`VmRSS`), or at most so far (`VmHWM`). */
export async function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`${which}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}

/** MiB before, at most, and after. */
export function memoryCell(samples: readonly Sample[]): Cell {
  const mib = samples.map(({ residentMib }) => Math.round(residentMib));
  return [mib[0], Math.max(...mib), mib.at(-1)].join(', ');
}
