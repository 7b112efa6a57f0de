import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A folder that one process works in, under a name that says which; what a killed one left can be taken over. */
export interface WorkFolder {
  readonly path: string;
  /** Lets go of it: with what is in it, which is then for the next one who asks for the same label, or removes it. */
  end(keep: boolean): Promise<void>;
}

/** Nobody comes back for what lies as long as this. */
const FORGOTTEN_MS = 7 * 24 * 60 * 60 * 1000;

/** A process on another host can't be looked at; one that has not touched its folder for so long is taken for dead. */
const QUIET_MS = 10 * 60 * 1000;

/** Folders that this process works in. */
const held = new Set<string>();

/**
 * A folder of this process inside `root`: what a process that is gone left under the same label, else a new one.
 *
 * @param label letters, digits and `-`
 */
export async function workFolder(root: string, label: string): Promise<WorkFolder> {
  await mkdir(root, { recursive: true });
  for (let attempt = 0; ; attempt += 1) {
    const name = `${label}.${HOST}.${process.pid}.${attempt}`;
    const path = join(root, name);
    if (held.has(path)) continue;
    held.add(path);
    await takeOver(root, label, name);
    await mkdir(path, { recursive: true });
    const end = async (keep: boolean) => {
      if (!keep) await rm(path, { recursive: true, force: true });
      held.delete(path);
    };
    return { path, end };
  }
}

/** Removes what processes that are gone left in `root` under this label, and whatever is forgotten there. */
export async function sweepWork(root: string, label: string): Promise<void> {
  for (const name of await namesIn(root)) {
    const age = await ageOf(join(root, name));
    const useless = name.startsWith(`${label}.`) || age > FORGOTTEN_MS;
    if (useless && isAbandoned(root, name, age)) await rm(join(root, name), { recursive: true, force: true });
  }
}

async function takeOver(root: string, label: string, name: string): Promise<void> {
  for (const other of await namesIn(root)) {
    if (other === name) return;
    if (!other.startsWith(`${label}.`)) continue;
    if (!isAbandoned(root, other, await ageOf(join(root, other)))) continue;
    // Of several that try, one succeeds.
    const taken = await rename(join(root, other), join(root, name)).then(
      () => true,
      () => false,
    );
    if (taken) return;
  }
}

const namesIn = (root: string): Promise<string[]> => readdir(root).catch(() => []);

/** Milliseconds since anything in the folder was written. */
async function ageOf(folder: string): Promise<number> {
  const paths = [folder, ...(await namesIn(folder)).map((name) => join(folder, name))];
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  return Date.now() - Math.max(0, ...stats.map((each) => each?.mtimeMs ?? 0));
}

function isAbandoned(root: string, name: string, ageMs: number): boolean {
  const [, host, pid] = name.split('.');
  if (host !== HOST) return ageMs > QUIET_MS;
  return Number(pid) === process.pid ? !held.has(join(root, name)) : !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    return failure instanceof Error && 'code' in failure && failure.code === 'EPERM';
  }
}

/** Names of hosts may hold dots. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
