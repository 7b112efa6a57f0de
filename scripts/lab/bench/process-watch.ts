import { readdir, readFile } from 'node:fs/promises';
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

/**
 * Processor milliseconds that processes took so far, with those of the children that they have waited for (proc_pid_stat(5),
 * in hundredths of a second).
 */
export async function processorMsOf(pids: readonly number[]): Promise<number> {
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // After the name, which may hold spaces: user, system, and both of the children.
  const ticks = lines.flatMap((line) =>
    line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15),
  );
  return 10 * ticks.reduce((sum, own) => sum + Number(own), 0);
}

/** Processes of this machine with one of these names. */
export async function processesCalled(names: readonly string[]): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter(Number.isInteger);
  const called = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return pids.filter((_, at) => names.includes(called[at]?.trim() ?? ''));
}
