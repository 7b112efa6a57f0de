import { readFile } from 'node:fs/promises';
import type { ServiceProcess } from '../service-processes';

/** How a process was at one moment. */
export interface Sample {
  /** Seconds since the watch began. */
  readonly at: number;
  readonly residentMib: number;
  /** Delay of the event loop since the sample before, in milliseconds: its 99th percentile and its longest. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

/** The event loop is looked at every so often: an idle one shows this much, and a delay comes on top. */
const RESOLUTION_MS = 10;

/** Memory and event loop of a process of the service, by the system and by its own `/metrics`. */
export class ProcessWatch {
  readonly samples: Sample[] = [];
  readonly #started = performance.now();

  constructor(
    readonly name: string,
    private readonly watched: ServiceProcess,
  ) {}

  /** Looks once; what was before the first look is not in its delays. */
  async look(): Promise<void> {
    const metrics = await fetch(`${this.watched.url}/metrics`).then((answer) => answer.text());
    const at = (performance.now() - this.#started) / 1000;
    this.samples.push({
      at,
      residentMib: await residentMib(this.watched.process.pid ?? 0),
      loopP99Ms: delayMs(metrics, 'p99'),
      loopMaxMs: delayMs(metrics, 'max'),
    });
  }

  /** Looks every second while `work` goes on; answers the samples of that time. */
  async during(work: Promise<unknown>): Promise<readonly Sample[]> {
    await this.look();
    const from = this.samples.length;
    const looking = setInterval(() => void this.look().catch(() => undefined), 1_000);
    await work.finally(() => clearInterval(looking));
    await this.look();
    return this.samples.slice(from);
  }
}

/** 0 where the system does not tell (proc_pid_status(5)). */
export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

function delayMs(metrics: string, which: string): number {
  const line = new RegExp(`^nodejs_eventloop_lag_${which}_seconds (\\S+)`, 'm').exec(metrics);
  return Math.max(0, Number(line?.[1] ?? Number.NaN) * 1000 - RESOLUTION_MS);
}

/** MiB at the begin, the most, and at the end. */
export function memoryOf(samples: readonly Sample[]): string {
  const mib = samples.map((sample) => Math.round(sample.residentMib));
  return `${mib[0]}, ${Math.max(...mib)}, ${mib.at(-1)}`;
}
