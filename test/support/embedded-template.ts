import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of a prepared, closed cluster, for the option `template` of `ensureEmbedded`: made by `prepare` (which
 * gets an empty data folder, opens an embedded database in it, fills it and closes it), then kept in `cacheFolder`
 * under `key`. Name in `key` whatever the content depends on, such as a hash of the migrations. Processes that
 * prepare at once do no harm: the first to finish wins.
 */
export async function prepareTemplate(
  cacheFolder: string,
  key: string,
  prepare: (dataFolder: string) => Promise<void>,
): Promise<string> {
  const cached = join(cacheFolder, key);
  if (existsSync(cached)) return join(cached, 'postgres');
  mkdirSync(cacheFolder, { recursive: true });
  const draft = mkdtempSync(join(cacheFolder, 'draft-'));
  try {
    await prepare(draft);
    renameSync(draft, cached);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(cached)) throw error;
  }
  return join(cached, 'postgres');
}
