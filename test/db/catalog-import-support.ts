import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { openImport } from '../../db/catalog/import/import-store';
import { PostgresStoredImageIndex } from '../../db/catalog/stored-image-index';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { LocalImageStore } from '../../db/files/local-image-store';
import { StoredPictures } from '../../models/catalog/stored-pictures';
import { unprocessable } from '../../models/errors';
import type { CatalogImportStore, ImagePreparer } from '../../models/ports';
import { type ImportOptions, type ImportResult, importBundle } from '../../scripts/import/import-bundle';
import { useDatabase } from '../support/database';
import { StoredVectors } from '../support/stored-vectors';
import { temporaryFolder } from '../support/temporary-folder';

/** Files of a bundle: JSON Lines from values (a string is a line as it is), or bytes. */
export type BundleFiles = Readonly<Record<string, readonly unknown[] | Buffer>>;

/** A bundle whose import only completes an earlier one. */
export const NO_RECORDS: BundleFiles = { 'products.jsonl': [] };

/** A picture that the fake preparer accepts; other bytes are not a picture. */
export const picture = (content: string): Buffer =>
  Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.from(content)]);

export function wrapped(
  target: CatalogImportStore,
  replacement: (name: string | symbol) => unknown,
): CatalogImportStore {
  return new Proxy(target, {
    get(object, name) {
      const other = replacement(name);
      if (other !== null) return other;
      const own = Reflect.get(object, name);
      return typeof own === 'function' ? own.bind(object) : own;
    },
  });
}

/** An importer for the tests of a file; before each of them its database holds these records, or none. */
export function useImportBench(files: BundleFiles | null = null): ImportBench {
  const bench = new ImportBench();
  beforeEach(async () => {
    await bench.clear();
    if (files) await bench.accept(files);
  });
  return bench;
}

class ImportBench {
  readonly database = useDatabase();
  readonly images = new LocalImageStore(temporaryFolder());
  readonly workers = new StoredVectors(() => this.embeddings);
  readonly notes: string[] = [];
  prepared = 0;
  /** Connections that work at the same time where the work can be split. */
  connections = 1;
  private readonly folder = temporaryFolder();
  private bundles = 0;

  get knex() {
    return this.database.knex;
  }

  get embeddings() {
    return new PostgresEmbeddingRepository(this.knex, 20_000);
  }

  async clear(): Promise<void> {
    // In small tables quicker than TRUNCATE, which makes new files. Those that refer to others come first.
    const first = ['embedding_versions', 'product_images', 'catalog_import_lock', 'product_feeds'];
    const tables = [...first, ...CATALOG_TABLES.toReversed()];
    await this.knex.raw(`DELETE FROM ${tables.join('; DELETE FROM ')}`);
    for (const address of await this.stored()) await this.images.remove(address);
    this.workers.embedded.splice(0);
    this.notes.splice(0);
    this.workers.unreachable.clear();
    this.prepared = 0;
  }

  write(files: BundleFiles): string {
    this.bundles += 1;
    const bundle = join(this.folder, `bundle-${this.bundles}`);
    mkdirSync(bundle);
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(bundle, name)), { recursive: true });
      writeFileSync(join(bundle, name), Buffer.isBuffer(content) ? content : linesOf(content));
    }
    return bundle;
  }

  async import(
    files: BundleFiles | string,
    options: Partial<ImportOptions> = {},
    wrap: (target: CatalogImportStore) => CatalogImportStore = (target) => target,
  ): Promise<ImportResult> {
    const storedImages = new PostgresStoredImageIndex(this.knex);
    return await importBundle(
      {
        bundle: typeof files === 'string' ? files : this.write(files),
        dryRun: false,
        report: join(this.folder, 'report.txt'),
        wait: false,
        ...options,
      },
      {
        openImport: async (dryRun) => wrap(await openImport(this.knex, dryRun, this.connections)),
        images: this.images,
        pictures: new StoredPictures(this.images, this.preparer, storedImages),
        storedImages,
        embedding: {
          embeddings: this.embeddings,
          queue: this.workers,
          hasWorkers: async () => this.workers.areRunning,
        },
        clock: { now: () => new Date('2026-03-01T12:00:00Z') },
      },
      { begin() {}, reach() {}, end() {}, note: (line) => this.notes.push(line) },
    );
  }

  async accept(files: BundleFiles): Promise<void> {
    const result = await this.import(files);
    if (result.rejected > 0) throw new Error(this.rejects().join('\n'));
  }

  rejects(): string[] {
    return readFileSync(join(this.folder, 'report.txt'), 'utf8').split('\n').filter(Boolean);
  }

  async stored(): Promise<string[]> {
    return (await Readable.from(this.images.addresses()).toArray()).sort();
  }

  async row(id: string): Promise<Record<string, unknown> | undefined> {
    const words = this.knex.raw('tsvector_to_array(words) AS words');
    return this.knex('catalog_rows').where({ id }).first('*', words);
  }

  /** Everything that an import writes, without what differs between two runs: times and identities. */
  async dump(): Promise<Record<string, unknown[]>> {
    const dump: Record<string, unknown[]> = {};
    for (const table of CATALOG_TABLES) {
      const { rows } = await this.knex.raw(`SELECT to_jsonb(t) - '{updated_at,away_since,id}'::text[] AS row,
        to_jsonb(t)->>'id' AS id FROM ${table} t ORDER BY to_jsonb(t) - '{updated_at,away_since,id}'::text[], to_jsonb(t)->>'id'`);
      const isNumbered = table === 'images';
      dump[table] = rows.map((each: { row: object; id: string }) => (isNumbered ? each.row : each));
    }
    const { rows } = await this.knex.raw(
      'SELECT product_id, address FROM product_images JOIN images ON images.id = image_id ORDER BY 1, 2',
    );
    return { ...dump, product_images: rows };
  }

  private readonly preparer: ImagePreparer = {
    prepare: async (bytes) => {
      this.prepared += 1;
      if (!bytes.subarray(0, 4).equals(picture('')))
        throw unprocessable('image_format', 'This is no picture.');
      return { jpeg: bytes, width: 1, height: 1, source: { width: 1, height: 1 }, digest: '' };
    },
    decode: () => Promise.reject(new Error('no picture is embedded here')),
    thumbnail: async (bytes, side) => Buffer.concat([Buffer.from([0xff, 0xd8, side % 256]), bytes]),
  };
}

const CATALOG_TABLES = [
  ...['categories', 'tags', 'synonyms', 'entities', 'products', 'variants', 'catalog_rows', 'images'],
  ...['market_estimates', 'estimate_history', 'listings', 'search_words', 'catalog_stale_rows'],
  ...['catalog_stored_images', 'catalog_import_preview'],
];

const linesOf = (values: readonly unknown[]): string =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');
