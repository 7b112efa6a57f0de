import { constants, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostOptions } from './host-messages';

const DATA = 'data';
const SEAL = 'data.complete';

/**
 * The folder of the cluster, ready to be opened: as it is, or copied from the template, or empty. One that was never
 * sealed is what an interrupted first start left behind; nobody has used it, and it is begun anew.
 */
export function prepareCluster({ folder, template }: HostOptions): string {
  const data = join(folder, DATA);
  if (existsSync(join(folder, SEAL))) return data;
  rmSync(data, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (template === undefined) mkdirSync(data, { mode: 0o700 });
  else cpSync(join(template, DATA), data, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return data;
}

/** Says that the cluster was opened once and is whole. */
export function sealCluster({ folder }: HostOptions): void {
  const seal = join(folder, SEAL);
  if (!existsSync(seal)) writeFileSync(seal, '');
}
