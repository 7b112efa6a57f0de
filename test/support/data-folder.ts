import { constants, cpSync } from 'node:fs';
import { join } from 'node:path';

/** Copies a prepared data folder, without the sockets of the database that ran there. */
export function copyDataFolder(prepared: string, dataDir: string): void {
  cpSync(prepared, dataDir, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => path !== join(prepared, 'postgres', 'run'),
  });
}
