import { readdir, readFile } from 'node:fs/promises';

/** These and all that they started: an embedded service has its database in a process of its own. */
export async function processTree(pids: readonly number[]): Promise<number[]> {
  const family = new Set(pids);
  for (const pid of (await processes()).sort((one, other) => one - other)) {
    const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, parent] = line.slice(line.lastIndexOf(')') + 2).split(' ');
    if (family.has(Number(parent))) family.add(pid);
  }
  return [...family];
}

const processes = async (): Promise<number[]> =>
  (await readdir('/proc').catch(() => [])).map(Number).filter(Number.isInteger);

/** MiB of a process, 0 where the system does not say (proc_pid_status(5)): now (`VmRSS`), or at most so far (`VmHWM`). */
export async function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`${which}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}

/** Processor time so far, with that of the children waited for (proc_pid_stat(5), in hundredths of a second). */
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

export async function processesCalled(names: readonly string[]): Promise<number[]> {
  const pids = await processes();
  const called = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return pids.filter((_, at) => names.includes(called[at]?.trim() ?? ''));
}
