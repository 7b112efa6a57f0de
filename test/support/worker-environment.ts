import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { ensureEmbedded } from '../../db/embedded/ensure-embedded';
import { copyDataFolder } from './templates';

/** An open embedded database that nobody else uses until it is given back. */
interface LentDatabase {
  readonly dataDir: string;
  readonly isNew: boolean;
  giveBack(): void;
}

declare global {
  /** A prepared data folder, with what earlier files wrote since. @param apart names the files among which it is lent; those without share theirs */
  var lendEmbedded: (prepared: string, apart?: string) => Promise<LentDatabase>;
}

/** Of this Jest worker: databases that wait for the next file, by the folder that they began with, and for whom. */
const waiting = new Map<string, string[]>();

/** Node's environment, and embedded databases that outlive a test file: to open one takes longer than most files do. */
export default class WorkerEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    this.global.lendEmbedded = lend;
  }
}

async function lend(prepared: string, apart = ''): Promise<LentDatabase> {
  const free = waiting.get(prepared + apart) ?? [];
  waiting.set(prepared + apart, free);
  const used = free.pop();
  const dataDir = used ?? (await open(prepared));
  return { dataDir, isNew: used === undefined, giveBack: () => void free.push(dataDir) };
}

/** Opens a copy until the worker ends. A loss of power may cost it everything, so it waits for no disk. */
async function open(prepared: string): Promise<string> {
  // Jest's workers are children of the process that tears down.
  const dataDir = mkdtempSync(join(tmpdir(), prefixOf(process.send ? process.ppid : process.pid)));
  copyDataFolder(prepared, dataDir);
  await ensureEmbedded(dataDir, { durable: false });
  return dataDir;
}

/** Where the databases lie that were lent in a run of Jest. */
export const prefixOf = (run: number): string => `lpw-${run}-`;
