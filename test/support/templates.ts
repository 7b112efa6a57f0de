import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { claimHost, shortPath } from '../../db/embedded/run-folder';

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
 * A data folder filled by `prepare`, cached under `key`, which must name everything that its content depends on; concurrent
 * processes wait for the one that prepares it. @param prepare fills an empty folder and closes its database
 */
export async function prepareTemplate(
  key: string,
  prepare: (dataDir: string) => Promise<void>,
): Promise<string> {
  const cached = join(TEMPLATES, key);
  if (fs.existsSync(cached)) return cached;
  const run = `${cached}-run`;
  fs.mkdirSync(run, { recursive: true });
  const short = shortPath(run);
  const until = Date.now() + PREPARED_WITHIN_MS;
  try {
    while (!fs.existsSync(cached)) {
      const claim = createServer();
      if (await claimHost(short.path, claim)) await fill(cached, prepare).finally(() => claim.close());
      else if (Date.now() < until) await delay(50);
      else throw new Error(`another process prepares ${cached} for too long, or fails again and again`);
    }
  } finally {
    short.release();
  }
  return cached;
}

const PREPARED_WITHIN_MS = 150_000;
/** Longer than a run of the tests goes on without the template that it began with. */
const UNUSED_MS = 3_600_000;

/** Removes what earlier states of the code have left. */
function removeUnused(): void {
  for (const path of fs.readdirSync(TEMPLATES).map((name) => join(TEMPLATES, name))) {
    const { mtimeMs = 0 } = fs.statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > UNUSED_MS) fs.rmSync(path, { recursive: true, force: true });
  }
}

/** Another process may have filled it before this one had the claim. */
async function fill(cached: string, prepare: (dataDir: string) => Promise<void>): Promise<void> {
  if (fs.existsSync(cached)) return;
  const draft = fs.mkdtempSync(join(TEMPLATES, 'draft-'));
  try {
    await prepare(draft);
    fs.renameSync(draft, cached);
    removeUnused();
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** Copies a prepared data folder, without the sockets of the database that ran there and without template0 and template1, which nobody opens. */
export function copyDataFolder(prepared: string, dataDir: string): void {
  const left = ['run', 'data/base/1', 'data/base/4'].map((name) => join(prepared, 'postgres', name));
  const mode = fs.constants.COPYFILE_FICLONE;
  fs.utimesSync(prepared, new Date(), new Date());
  fs.cpSync(prepared, dataDir, { recursive: true, mode, filter: (path) => !left.includes(path) });
}

/** A digest of files and of all files in folders, named from the root of the repository. */
export function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of sources.map((source) => join(ROOT, source))) {
    const names = fs.statSync(path).isDirectory() ? fs.readdirSync(path, { recursive: true }).sort() : [''];
    const files = names.map((name) => join(path, String(name))).filter((file) => fs.statSync(file).isFile());
    for (const file of files) hash.update(fs.readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}
