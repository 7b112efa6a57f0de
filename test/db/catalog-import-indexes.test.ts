import { ImportLock } from '../../db/catalog/import/import-store';
import { countDeferredIndexes, deferIndexes } from '../../db/catalog/import/search-upkeep';

import { rowsOf, sql } from '../../db/core/sql';
import type { CatalogImportStore } from '../../models/ports';
import { CATALOG, ENTITIES, HANDBAGS, product, TAGS } from './catalog-import-sample';
import { type BundleFiles, useImportBench, wrapped } from './catalog-import-support';

const bench = useImportBench();
let whole: readonly unknown[];
beforeAll(async () => {
  // The embedded database has one session, and leaves no index to the end.
  bench.connections = bench.database.kind === 'postgres' ? 2 : 1;
  whole = await indexes();
}, 120_000);

/** The indexes of search that can be left to the end. */
const DEFERRED = 9;

const TAXONOMY: BundleFiles = {
  'categories.jsonl': [HANDBAGS],
  'tags.jsonl': TAGS,
  'entities.jsonl': ENTITIES,
};

/** Products enough to leave the indexes to their end. */
const MANY = Array.from({ length: 5_000 }, (_, number) => product(`bag${number}`, 'style_togo'));

const indexes = () =>
  rowsOf(
    bench.knex,
    sql`SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`,
  );

/** Notes how many indexes are missing whenever they are to be made. */
const noting = (missing: number[]) => (target: CatalogImportStore) =>
  wrapped(target, (name) =>
    name === 'makeIndexes'
      ? async (onMade: () => void) => {
          missing.push(await countDeferredIndexes(bench.knex));
          await target.makeIndexes(onMade);
        }
      : null,
  );

/** As an import leaves them that was killed among its first products. */
async function leaveMissing(): Promise<void> {
  const lock = await ImportLock.acquire(bench.knex);
  expect(await deferIndexes(lock)).toBe(true);
  await lock.release();
  expect(await countDeferredIndexes(bench.knex)).toBe(DEFERRED);
  expect(await indexes()).toHaveLength(whole.length - DEFERRED);
}

describe('the indexes of search', () => {
  test('are built after the first products of a large import', async () => {
    const missing: number[] = [];
    await bench.import({ ...TAXONOMY, 'products.jsonl': MANY }, {}, noting(missing));
    expect(missing).toEqual(bench.connections > 1 ? [DEFERRED] : []);
    expect(await indexes()).toEqual(whole);
    expect(await countDeferredIndexes(bench.knex)).toBe(0);
  }, 120_000);

  test('stay where there are products already', async () => {
    await bench.import(CATALOG);
    const missing: number[] = [];
    await bench.import({ 'products.jsonl': MANY }, {}, noting(missing));
    expect(missing).toEqual([]);
    expect(await indexes()).toEqual(whole);
  }, 120_000);

  test('stay for a few products', async () => {
    const missing: number[] = [];
    await bench.import({ ...TAXONOMY, 'products.jsonl': MANY.slice(0, 200) }, {}, noting(missing));
    expect(missing).toEqual([]);
    expect(await indexes()).toEqual(whole);
  }, 120_000);

  test('are made when the products fail halfway', async () => {
    const failing = (store: CatalogImportStore) =>
      wrapped(store, (name) =>
        name === 'transaction'
          ? async (work: Parameters<CatalogImportStore['transaction']>[0]) => {
              const products = await bench.knex('products').pluck('id');
              if (products.length > 3_000) throw new Error('the disk is full');
              return await store.transaction(work);
            }
          : null,
      );
    const files = { ...TAXONOMY, 'products.jsonl': MANY };
    await expect(bench.import(files, {}, failing)).rejects.toThrow('the disk is full');
    expect(await indexes()).toEqual(whole);
  }, 120_000);

  test('are made by the next import after one was killed, whatever that brings, but not by a dry run', async () => {
    await leaveMissing();
    await bench.import(CATALOG, { dryRun: true });
    expect(await countDeferredIndexes(bench.knex)).toBe(DEFERRED);
    await bench.import({ 'categories.jsonl': [HANDBAGS] });
    expect(await indexes()).toEqual(whole);
    expect(await countDeferredIndexes(bench.knex)).toBe(0);
  }, 120_000);

  test('may have been built by hand in the meantime', async () => {
    await leaveMissing();
    const [first] = await rowsOf<{ definition: string }>(
      bench.knex,
      sql`SELECT definition FROM deferred_indexes ORDER BY name LIMIT 1`,
    );
    await bench.knex.raw(first?.definition ?? '');
    await bench.import({ 'categories.jsonl': [HANDBAGS] });
    expect(await indexes()).toEqual(whole);
    expect(await countDeferredIndexes(bench.knex)).toBe(0);
  }, 120_000);
});

const onServer = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

onServer('the indexes of search on a server', () => {
  test('stay while a reader keeps them in use', async () => {
    const reader = await bench.knex.transaction();
    await rowsOf(reader, sql`SELECT FROM catalog_search`);
    const missing: number[] = [];
    await bench.import({ ...TAXONOMY, 'products.jsonl': MANY }, {}, noting(missing));
    await reader.commit();
    expect(missing).toEqual([]);
    expect(await indexes()).toEqual(whole);
  }, 120_000);
});
