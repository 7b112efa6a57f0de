import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const DIGITS = 16;

/** What an empty embedded cluster depends on: the engine and its settings. */
export const ENGINE_SOURCES = [
  'db/embedded/engine-thread.ts',
  'node_modules/@electric-sql/pglite/package.json',
  'node_modules/@electric-sql/pglite-pgvector/package.json',
];

/** A digest of files and of all files in folders, named from the root of the repository. */
export function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => filesBelow(join(ROOT, source))))
    hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, DIGITS);
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}
