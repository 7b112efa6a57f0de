import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { openImport } from '../../db/catalog/import/open-import';
import { StoredPictures } from '../../models/catalog/stored-pictures';
import { type Clock, type EmbeddingRepository, type ImageStore, PORTS } from '../../models/ports';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { openStores } from '../../scripts/composition/container';
import type { Container } from '../../scripts/composition/opening';
import { processEnvironment, readConfig } from '../../scripts/config';
import { importBundle } from '../../scripts/import/import-bundle';
import { copyMigrated, createOwnDatabase } from './database';
import { modelManifest } from './model-manifest';
import { inOwnBucket } from './s3-bucket';
import { copyDataFolder, digestOf, ENGINE_SOURCES, prepareTemplate, TEMPLATES } from './templates';

/** Where one service of a test keeps its state, with the fixture in it. */
export interface FixtureData {
  readonly settings: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const FIXTURES = join(__dirname, '../fixtures');

/** A catalog that tests can ask for. */
export interface CatalogSource {
  /** Lower-case letters, digits and underscores: part of the name of a database. */
  readonly name: string;
  /** Files and folders that its content depends on, from the root of the repository. */
  readonly sources: readonly string[];
  /** Writes it as bundles below a folder, in the order in which they are to be imported. */
  write(folder: string): Promise<readonly string[]>;
}

/** What the content of a prepared database depends on, besides its catalog. */
const SOURCES = ['db', 'models', 'scripts/import', 'test/support/fixture-data.ts', ...ENGINE_SOURCES];

/** A catalog that is checked in, as bundles in the order of their import (`test/fixtures/README.md`). */
const checkedIn = (name: string, ...bundles: readonly string[]): CatalogSource => ({
  name,
  sources: bundles.map((bundle) => `test/fixtures/${bundle}`),
  write: async () => bundles.map((bundle) => join(FIXTURES, bundle)),
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

/**
 * A catalog in a database for one test file: a copy of its own in the server of `TEST_DATABASE_URL` when there is one, else an
 * embedded one that keeps what earlier files wrote. So a file tells its accounts, keys and photos from those of others.
 */
export async function createFixtureData(source: CatalogSource): Promise<FixtureData> {
  const { TEST_DATABASE_URL } = processEnvironment();
  if (TEST_DATABASE_URL) return inServer(TEST_DATABASE_URL, source);
  const { dataDir, giveBack } = await lendEmbedded(await preparedFolder(source));
  return { settings: { DATA_DIR: dataDir }, remove: async () => giveBack() };
}

/** The same with nothing written by others, and no process that has the embedded database open. */
export async function createUntouchedData(source: CatalogSource): Promise<FixtureData> {
  const { TEST_DATABASE_URL } = processEnvironment();
  if (TEST_DATABASE_URL) return inServer(TEST_DATABASE_URL, source);
  const folder = await mkdtemp(join(tmpdir(), 'lps-'));
  copyDataFolder(await preparedFolder(source), folder);
  return { settings: { DATA_DIR: folder }, remove: () => rm(folder, { recursive: true, force: true }) };
}

const digestOfData = ({ sources }: CatalogSource): string => digestOf([...SOURCES, ...sources]);

async function preparedFolder(source: CatalogSource): Promise<string> {
  const key = `${source.name}-${digestOfData(source)}`;
  return prepareTemplate(key, async (dataDir) => {
    await copyMigrated(dataDir);
    await fill(source, dataDir);
  });
}

async function inServer(server: string, source: CatalogSource): Promise<FixtureData> {
  const digest = digestOfData(source);
  // Beside the database go the files that it names.
  const files = join(TEMPLATES, `${source.name}-${digest}-files`);
  const database = await createOwnDatabase(server, {
    name: source.name,
    digest,
    isStale: !existsSync(files),
    prepare: (url) => fill(source, files, { DATA_DIR: files, DATABASE_URL: url }),
  });
  const folder = await mkdtemp(join(tmpdir(), 'lps-'));
  copyDataFolder(files, folder);
  return {
    settings: {
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      ...(await inOwnBucket(join(folder, 'images'))),
    },
    remove: async () => {
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Imports a catalog, under an embedding version that no model needs to be loaded for. */
async function fill(
  source: CatalogSource,
  folder: string,
  settings: Record<string, string> = { DATA_DIR: folder },
): Promise<void> {
  const config = readConfig({ ...settings, LOG_LEVEL: 'warn' });
  const bundles = await mkdtemp(join(tmpdir(), 'lpb-'));
  try {
    const written = await source.write(bundles);
    const loupe = await openStores(config);
    try {
      await loupe.container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository).create(MANIFEST);
      for (const bundle of written) await importWhole(loupe.container, bundle, join(bundles, 'rejects.txt'));
    } finally {
      await loupe.close();
    }
  } finally {
    await rm(bundles, { recursive: true, force: true });
  }
}

async function importWhole(container: Container, bundle: string, report: string): Promise<void> {
  const { rejected } = await importBundle(
    { bundle, report, dryRun: false, wait: false },
    {
      openImport: (dryRun) => openImport(container.resolve<Knex>(PORTS.Knex), dryRun),
      images: container.resolve<ImageStore>(PORTS.ImageStore),
      pictures: container.resolve(StoredPictures),
      storedImages: container.resolve(PORTS.StoredImageIndex),
      embedding: { embeddings: container.resolve(PORTS.EmbeddingRepository), queue: NO_INDEX_QUEUE },
      clock: container.resolve<Clock>(PORTS.Clock),
    },
    SILENT,
  );
  if (rejected > 0) throw new Error(`the fixture is not accepted: ${readFileSync(report, 'utf8')}`);
}

const nothing = () => undefined;
const SILENT = { begin: nothing, reach: nothing, end: nothing, note: nothing };

const NO_INDEX_QUEUE = {
  embed: async () => ({ embedded: 0, failed: 0 }),
  close: async () => undefined,
  isShared: false,
};

/** Sure of one near image, unsure of two that are as near as each other, sure of what both have in common. */
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
