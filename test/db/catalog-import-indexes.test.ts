import fc from 'fast-check';
import { acquireImport, PostgresImportStore } from '../../db/catalog/import/import-store';
import { countDeferredIndexes, deferIndexes } from '../../db/catalog/import/search-upkeep';
import { copyRows, writtenTable } from '../../db/core/copy-rows';
import { rowsOf, sql } from '../../db/core/sql';
import { nodeFacets, pendingLists } from '../../db/migrations';
import type { CatalogImportStore } from '../../models/ports';
import { CATALOG, ENTITIES, estimate, HANDBAGS, product, TAGS } from './catalog-import-sample';
import { useImportBench, wrapped } from './catalog-import-support';

const bench = useImportBench();
let whole: readonly unknown[];
beforeAll(async () => {
  bench.connections = bench.database.kind === 'postgres' ? 2 : 1;
  whole = await indexes();
});

const DEFERRED = 10;

const TAXONOMY = { 'categories.jsonl': [HANDBAGS], 'tags.jsonl': TAGS, 'entities.jsonl': ENTITIES };

/** Enough products to leave the indexes to their end. */
const MANY = Array.from({ length: 5_000 }, (_, number) => product(`bag${number}`, 'style_togo'));

const indexes = () =>
  rowsOf(bench.knex)`
    SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`;

/** Imports; returns how many indexes were missing each time they were to be made. Afterwards they all exist again. */
async function missingIn(
  products: object[],
  failsAfter = Number.POSITIVE_INFINITY,
  prices: Record<string, object[]> = {},
): Promise<number[]> {
  const missing: number[] = [];
  const replacement = (target: CatalogImportStore) => (name: string | symbol) => {
    if (name === 'makeIndexes')
      return async (onMade: () => void) => {
        missing.push(await countDeferredIndexes(bench.knex));
        await target.makeIndexes(onMade);
      };
    if (name !== 'transaction') return null;
    return async (work: Parameters<CatalogImportStore['transaction']>[0]) => {
      const written = await bench.knex('products').pluck('id');
      if (written.length > failsAfter) throw new Error('the disk is full');
      return await target.transaction(work);
    };
  };
  const files = { ...TAXONOMY, 'products.jsonl': products, ...prices };
  const importing = bench.import(files, {}, (target) => wrapped(target, replacement(target)));
  if (failsAfter < products.length) await expect(importing).rejects.toThrow('the disk is full');
  else expect(await importing).toMatchObject({ rejected: 0 });
  expect(await indexes()).toEqual(whole);
  expect(await countDeferredIndexes(bench.knex)).toBe(0);
  return missing;
}

/** The state left by an import that was killed among its first products. */
async function leaveMissing(): Promise<void> {
  const store = new PostgresImportStore(bench.knex, await acquireImport(bench.knex), 1, null);
  await deferIndexes(store);
  await store.close();
  expect(await countDeferredIndexes(bench.knex)).toBe(DEFERRED);
  expect(await indexes()).toHaveLength(whole.length - DEFERRED);
}

test('the search indexes are built by the next import after one was killed, whatever it contains, but not by a dry run', async () => {
  await leaveMissing();
  await bench.import(CATALOG, { dryRun: true });
  expect(await countDeferredIndexes(bench.knex)).toBe(DEFERRED);
  // One was built by hand in the meantime.
  const [first] = await rowsOf<{ definition: string }>(bench.knex)`
    SELECT definition FROM deferred_indexes ORDER BY name LIMIT 1`;
  await bench.knex.raw(first?.definition ?? '');
  await bench.import({ 'categories.jsonl': [HANDBAGS] });
  expect(await indexes()).toEqual(whole);
  expect(await countDeferredIndexes(bench.knex)).toBe(0);
});

test('indexes that a killed import dropped are no hindrance to migrations up (which change them too) and down', async () => {
  await pendingLists.down(bench.knex);
  await leaveMissing();
  await pendingLists.up(bench.knex);
  await nodeFacets.down(bench.knex);
  await nodeFacets.up(bench.knex);
  await bench.import({ 'categories.jsonl': [HANDBAGS] });
  expect(await indexes()).toEqual(whole);
});

const onServer = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

// The embedded database has one session, and leaves no index to the end.
onServer('the indexes of search on a server', () => {
  // Prices are written meanwhile, unless the pool has no room for that.
  test.each([9, 2])(
    'are built after the first products of a large import, also when it fails halfway (%i)',
    async (connections) => {
      bench.connections = connections;
      const estimates = [estimate('bag0_30', 9), estimate('bag0_30', 7), estimate('bag1_30', 8)];
      expect(await missingIn(MANY, undefined, { 'estimates.jsonl': estimates })).toEqual([DEFERRED]);
      expect(await bench.row('style_togo')).toMatchObject({ max_estimate: { A: 8 } });
      await bench.clear();
      expect(await missingIn(MANY, 3_000)).toEqual([DEFERRED]);
    },
  );

  test('stay when only the last products make an import large, and where there are products already', async () => {
    const listings = [{ variant: 'variant_bag0_30', region: 'NA', link: 'https://shop.example/1' }];
    const prices = { 'listings.jsonl': listings };
    expect(await missingIn(MANY.slice(0, 2_000), undefined, prices)).toEqual([]);
    expect(await missingIn(MANY)).toEqual([]);
  });

  test('stay while a reader keeps them in use', async () => {
    const reader = await bench.knex.transaction();
    await rowsOf(reader, sql`SELECT FROM catalog_search`);
    expect(await missingIn(MANY)).toEqual([]);
    await reader.commit();
  });
});

describe('copied rows', () => {
  const COLUMNS =
    'position int4, label text, list text[], document jsonb, worth float8, gone boolean, words tsvector';
  const TABLE = writtenTable('copied', 'position', COLUMNS);

  // Characters that COPY, arrays, tsvectors and JSON each give a meaning of their own.
  const special = fc.constantFrom(
    ...['\\', '\\N', '\\.', '\t', '\n', '\r', '"', "'", '{', '}', ',', 'NULL', ' ', 'é', '😀'],
  );
  const parts = fc.array(fc.oneof(special, fc.string({ maxLength: 2 }))).map((several) => several.join(''));
  const text = fc.oneof(fc.string(), parts).filter((value) => !value.includes('\0'));
  const row = fc.record({
    label: fc.option(text),
    list: fc.array(text, { maxLength: 4 }),
    document: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)), { maxKeys: 3 }),
    worth: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
    gone: fc.boolean(),
    words: fc.uniqueArray(text.filter(Boolean), { maxLength: 4 }),
  });

  beforeAll(async () => {
    await bench.knex.raw(`CREATE TABLE copied (${COLUMNS}, PRIMARY KEY (position))`);
  });

  test('come back unchanged, whatever their text', async () => {
    const { knex } = bench;
    const sorted = (given: readonly { readonly words: readonly string[] }[]) =>
      given.map((each) => ({ ...each, words: [...each.words].sort() }));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        await rowsOf(knex)`TRUNCATE copied`;
        const placed = rows.map((each, position) => ({ ...each, position }));
        await knex.transaction((trx) => copyRows(trx, TABLE, placed));
        const found = await rowsOf<(typeof rows)[number]>(knex)`
          SELECT label, list, document, worth, gone, tsvector_to_array(words) AS words FROM copied ORDER BY position`;
        expect(sorted(found)).toEqual(sorted(rows));
      }),
      { numRuns: 60 },
    );
  });
});
