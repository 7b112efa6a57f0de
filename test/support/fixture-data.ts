import { createHash } from 'node:crypto';
import { constants, cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { openTarget } from '../../db/catalog-import/open-target';
import { prepareTemplate } from '../../db/embedded/template';
import {
  type Clock,
  type EmbeddingRepository,
  type ImagePreparer,
  type ImageStore,
  PORTS,
} from '../../models/ports';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { importBundle } from '../../scripts/catalog/import/import-bundle';
import { readConfig } from '../../scripts/config';
import { type Container, withStore } from '../../scripts/container';
import { writeFixtureBundles } from './catalog-fixture';
import { createOwnDatabase } from './own-database';

/** Where one service of a test keeps its state, with the fixture in it. */
export interface FixtureData {
  readonly settings: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const ROOT = join(__dirname, '../..');

/** A catalog that tests can ask for. */
export interface CatalogSource {
  readonly name: string;
  /** Files and folders that its content depends on, from the root of the repository. */
  readonly sources: readonly string[];
  /** Writes it as bundles below a folder, in the order in which they are to be imported. */
  write(folder: string): Promise<readonly string[]>;
}

/** What the content of a prepared database depends on, besides its catalog. */
const SOURCES = ['package.json', 'db', 'models', 'scripts/catalog/import', 'test/support/fixture-data.ts'];

/** A catalog with every shape that a rule of the specification speaks of. */
export const FIXTURE: CatalogSource = {
  name: 'fixture',
  sources: ['test/support/catalog-fixture', 'test/support/catalog-fixture.ts'],
  async write(folder) {
    const { catalog, deletions } = await writeFixtureBundles(folder);
    return [catalog, deletions];
  },
};

/**
 * A database of its own with a catalog: in the server of `TEST_DATABASE_URL` when there is one, else an embedded one,
 * copied from a prepared folder.
 */
export async function createFixtureData(
  server: string | undefined,
  source: CatalogSource,
): Promise<FixtureData> {
  const folder = await mkdtemp(join(tmpdir(), 'lps-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  if (server === undefined) {
    const prepared = join(
      await prepareTemplate(
        join(tmpdir(), 'loupe-templates'),
        `${source.name}-${digestOf(source)}`,
        (dataDir) => fill(source, dataDir),
      ),
      '..',
    );
    cpSync(prepared, folder, {
      recursive: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (path) => path !== join(prepared, 'postgres', 'run'),
    });
    return { settings: { DATA_DIR: folder }, remove: removeFolder };
  }
  const database = await createOwnDatabase(server);
  const settings = { DATA_DIR: folder, DATABASE_URL: database.url };
  await fill(source, folder, settings);
  return {
    settings,
    remove: async () => {
      await database.drop();
      await removeFolder();
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
    await withStore(async (container) => {
      await container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository).create(MANIFEST);
      for (const bundle of written) await importWhole(container, bundle, join(bundles, 'rejects.txt'));
    }, config);
  } finally {
    await rm(bundles, { recursive: true, force: true });
  }
}

async function importWhole(container: Container, bundle: string, report: string): Promise<void> {
  const { rejected } = await importBundle(
    { bundle, report, dryRun: false, wait: false },
    {
      openTarget: (dryRun) => openTarget(container.resolve<Knex>(PORTS.Knex), dryRun),
      images: container.resolve<ImageStore>(PORTS.ImageStore),
      preparer: container.resolve<ImagePreparer>(PORTS.ImagePreparer),
      embedding: { embeddings: container.resolve(PORTS.EmbeddingRepository), queue: NO_INDEX_QUEUE },
      clock: container.resolve<Clock>(PORTS.Clock),
    },
    SILENT,
  );
  if (rejected > 0) throw new Error(`the fixture is not accepted: ${readFileSync(report, 'utf8')}`);
}

const nothing = () => undefined;
const SILENT = { begin: nothing, reach: nothing, end: nothing, note: nothing };

const NO_INDEX_QUEUE = { embed: async () => ({ embedded: 0, failed: 0 }), close: async () => undefined };

/** Sure of one near image, unsure of two that are as near as each other, sure of what both have in common. */
const MANIFEST: ModelManifest = {
  id: 'test-eye',
  version: '1.0.0',
  format: 'tfjs-layers',
  file: 'model.json',
  input: {
    width: 32,
    height: 32,
    layout: 'nhwc',
    channels: 'rgb',
    mean: [0, 0, 0],
    scale: [1, 1, 1],
    fit: 'contain',
    background: [255, 255, 255],
  },
  output: { dimensions: 4 },
  views: { catalog: [[0, 0, 1, 1]], query: [[0, 0, 1, 1]] },
  calibration: {
    confidence: { kind: 'logistic', bias: -8, weights: { similarity: 8, margin: 8 } },
    floor: 0.005,
  },
  licence: 'CC0-1.0',
  digests: {},
};

function digestOf({ sources }: CatalogSource): string {
  const hash = createHash('sha256');
  for (const file of [...SOURCES, ...sources].flatMap((source) => filesBelow(join(ROOT, source))))
    hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}
