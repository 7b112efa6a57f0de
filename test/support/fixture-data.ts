import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { openImport } from '../../db/catalog/import/import-store';
import type { OpenAuditEntry } from '../../db/core/audit-log';
import { StoredPictures } from '../../models/catalog/stored-pictures';
import { NO_PROGRESS, PORTS, type Token } from '../../models/ports';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { openStores } from '../../scripts/composition/container';
import { adapterOf } from '../../scripts/composition/startup';
import { processEnvironment, readConfig } from '../../scripts/config';
import { type ImportOptions, importBundle } from '../../scripts/import/import-bundle';
import { copyMigrated, createOwnDatabase } from './database';
import { modelManifest } from './model-manifest';
import { inOwnBucket } from './s3-bucket';
import { copyDataFolder, digestOf, ENGINE_SOURCES, prepareTemplate, TEMPLATES } from './templates';

export interface CatalogSource {
  /** Lower-case letters, digits and underscores: part of the name of a database. */
  readonly name: string;
  /** Files and folders that its content depends on, relative to the root of the repository. */
  readonly sources: readonly string[];
  /** Its database is shared only by files of the same pool: others would count what theirs leave. */
  readonly pool?: string;
  /** Whether the pictures are in the object store where the tests have one: for files that write some. */
  readonly inBucket?: true;
  /** Writes it as bundles below a folder, in the order in which they are to be imported. */
  write(folder: string): Promise<readonly string[]>;
}

/** A catalog that is checked in, as bundles in the order of their import (`test/fixtures/README.md`). */
const checkedIn = (name: string, ...bundles: readonly string[]): CatalogSource => ({
  name,
  sources: bundles.map((bundle) => `test/fixtures/${bundle}`),
  write: async () => bundles.map((bundle) => join(__dirname, '../fixtures', bundle)),
});

/** A catalog with every shape that a rule of the contract speaks of. */
export const FIXTURE = checkedIn('fixture', 'catalog', 'deletions');

/** Bags and watches that exist, for queries as people type them. */
export const GOLDEN_CATALOG = checkedIn('golden', 'golden');

/** Writes records, by the file of a bundle without its extension, to a folder; resolves to that folder. */
export async function writeBundle(
  folder: string,
  files: Readonly<Record<string, readonly object[]>>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, records] of Object.entries(files)) {
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    await writeFile(join(folder, `${name}.jsonl`), lines.join(''));
  }
  return folder;
}

/** What the content of a prepared database depends on, besides its catalog. */
const SOURCES = ['db', 'models', 'scripts/import', 'test/support/fixture-data.ts', ...ENGINE_SOURCES];

/** A copy in the server of `TEST_DATABASE_URL`, else an embedded database that keeps what earlier files wrote. */
export async function createFixtureData(source: CatalogSource) {
  const { TEST_DATABASE_URL } = processEnvironment();
  const digest = digestOf([...SOURCES, ...source.sources]);
  if (TEST_DATABASE_URL) return inServer(TEST_DATABASE_URL, source, digest);
  const prepared = await prepareTemplate(`${source.name}-${digest}`, async (DATA_DIR) => {
    await copyMigrated(DATA_DIR);
    await fill(source, { DATA_DIR });
  });
  const { dataDir, release } = await acquireEmbedded(prepared, source.pool);
  return { settings: { DATA_DIR: dataDir }, remove: release };
}

async function inServer(server: string, source: CatalogSource, digest: string) {
  // The files that the database names lie beside it.
  const files = join(TEMPLATES, `${source.name}-${digest}-files`);
  const { url, drop } = await createOwnDatabase(server, {
    ...{ name: source.name, digest, isStale: !existsSync(files) },
    prepare: (template) => fill(source, { DATA_DIR: files, DATABASE_URL: template }),
  });
  const folder = await mkdtemp(join(tmpdir(), 'lps-'));
  copyDataFolder(files, folder);
  const bucket = source.inBucket ? await inOwnBucket(join(folder, 'images')) : {};
  return {
    settings: { DATA_DIR: folder, DATABASE_URL: url, ...bucket },
    remove: async () => {
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Imports a catalog, under an embedding version that no model needs to be loaded for. */
async function fill(source: CatalogSource, settings: Readonly<Record<string, string>>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lpb-'));
  const { container, close } = await openStores(readConfig({ ...settings, LOG_LEVEL: 'warn' }));
  try {
    await adapterOf(container, PORTS.EmbeddingRepository).create(MANIFEST);
    const report = join(folder, 'rejects.txt');
    for (const bundle of await source.write(folder)) {
      const { rejected } = await importInto(container, { bundle, report });
      if (rejected > 0) throw new Error(`the fixture is not accepted: ${readFileSync(report, 'utf8')}`);
    }
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Imports a bundle as the command does, without progress and without waiting for its pictures. */
export function importInto(
  container: { resolve<Port>(token: Token<Port>): Port },
  options: Pick<ImportOptions, 'bundle' | 'report' | 'transactionMs'> & { readonly dryRun?: boolean },
  entry: OpenAuditEntry | null = null,
) {
  const ports = {
    openImport: (dryRun: boolean) => openImport(container.resolve(PORTS.Knex) as Knex, dryRun, 1, entry),
    images: container.resolve(PORTS.ImageStore),
    pictures: container.resolve<StoredPictures>(StoredPictures as never),
    storedImages: container.resolve(PORTS.StoredImageIndex),
    embedding: {
      embeddings: container.resolve(PORTS.EmbeddingRepository),
      queue: {
        isShared: false,
        embed: async () => ({ embedded: 0, failed: 0 }),
        close: async () => undefined,
      },
      hasWorkers: async () => true,
    },
    clock: container.resolve(PORTS.Clock),
  };
  return importBundle({ dryRun: false, wait: false, ...options }, ports, NO_PROGRESS);
}

/** Confident about one near image, unsure between two equally near ones, confident about what both have in common. */
const MANIFEST: ModelManifest = {
  ...modelManifest('test-eye', 4),
  calibration: {
    confidence: {
      kind: 'choice',
      candidate: { nearest: 2, views: 2 },
      none: { constant: 2, similarity: 0, nearest: 0, views: 0, others: 0, spread: 0 },
      kin: 0.5,
    },
    floor: 0.05,
  },
};
