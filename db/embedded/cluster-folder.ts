import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncTree, writeDurably } from '../files/durable-files';

/** The options that ensureEmbedded passes to the host that it starts. */
export interface HostOptions {
  /** Folder of everything that belongs to one embedded database: `data`, `run`, `host.log`. */
  readonly folder: string;
  /** Default true: a commit waits until the disk has it; else it survives the end of any process, not a loss of power. */
  readonly durable: boolean;
  /** A client that holds the database without using it for so long is disconnected. Default 60 s. */
  readonly holdIdleMs: number;
}

const DATA = 'data';
const SEAL = 'data.complete';

/** Whether `folder` holds a whole cluster: without one, the next start makes it, which takes a while. */
export const hasCluster = (folder: string): boolean => existsSync(join(folder, SEAL));

/** The folder of the sealed, complete cluster, or a new one from `create`. An unsealed one, from an interrupted start, is made anew. */
export async function prepareCluster(
  { folder, durable }: HostOptions,
  create: (data: string) => Promise<void>,
): Promise<string> {
  const data = join(folder, DATA);
  const seal = join(folder, SEAL);
  if (existsSync(seal)) return data;
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  await create(data);
  if (durable) await syncTree(data);
  await writeDurably(seal, '');
  return data;
}
