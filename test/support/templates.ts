import { createHash } from 'node:crypto';
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Data folders that are prepared once and copied for each test. */

const ROOT = join(__dirname, '../..');
export const TEMPLATES = join(tmpdir(), 'loupe-templates');

/** What the content of an empty embedded cluster depends on: the engine and its settings. */
export const ENGINE_SOURCES = [
  'db/embedded/engine-thread.ts',
  'node_modules/@electric-sql/pglite/package.json',
  'node_modules/@electric-sql/pglite-pgvector/package.json',
];

/**
 * The data folder that `prepare` filled, kept under `key`, which names whatever its content depends on. Processes that
 * prepare it at the same time do no harm: the first to finish wins.
 * @param prepare gets an empty data folder; opens an embedded database in it, fills it and closes it
 */
export async function prepareTemplate(
  key: string,
  prepare: (dataDir: string) => Promise<void>,
): Promise<string> {
  const cached = join(TEMPLATES, key);
  if (existsSync(cached)) return cached;
  mkdirSync(TEMPLATES, { recursive: true });
  const draft = mkdtempSync(join(TEMPLATES, 'draft-'));
  try {
    await prepare(draft);
    renameSync(draft, cached);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(cached)) throw error;
  }
  return cached;
}

/** Copies a prepared data folder, without the sockets of the database that ran there. */
export function copyDataFolder(prepared: string, dataDir: string): void {
  cpSync(prepared, dataDir, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => path !== join(prepared, 'postgres', 'run'),
  });
}

/** A digest of files and of all files in folders, named from the root of the repository. */
export function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of sources.map((source) => join(ROOT, source))) {
    const names = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).sort() : [''];
    const files = names.map((name) => join(path, String(name))).filter((file) => statSync(file).isFile());
    for (const file of files) hash.update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}
