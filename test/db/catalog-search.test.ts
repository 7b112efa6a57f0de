import fc from 'fast-check';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { SnapshotCache } from '../../db/catalog/search/snapshot-cache';
import { rowsOf } from '../../db/core/sql';
import {
  type ResolvedQuery,
  type RowPosition,
  SANDBOX_PRODUCTS,
  type SearchPage,
} from '../../models/catalog/catalog-query';
import type { CatalogItem } from '../../models/catalog/item';
import { useDatabase } from '../support/database';
import { naiveSearch, naiveSuggest } from '../support/naive-search';
import * as drawn from './random-catalog';

/** Enough for a sandbox, for more rows of the taxonomy than suggestions walk, and for terms with a bitmap and without. */
const ROWS = 5_400;
const SEED = 20_260_301;
/** Random queries for each source; the embedded database takes its time. */
const QUERIES = { postgres: 80, embedded: 30 } as const;
const WALKS = { postgres: 20, embedded: 8 } as const;
const SNAPSHOT = { changesMin: 1, rowsMin: 150 };

const ALL: ResolvedQuery = {
  ...{ node: 'product', categories: null, filters: [], words: null },
  ...{ sort: 'popularity_desc', page: 0, pageSize: 20 },
};

const queryOfAnyKey: fc.Arbitrary<ResolvedQuery> = fc.oneof(
  { weight: 2, arbitrary: drawn.query },
  { weight: 1, arbitrary: drawn.query.map((asked) => ({ ...asked, sandbox: true }) as const) },
);
const edits = drawn.editsOf(ROWS + 400);

const database = useDatabase();
let catalog: PostgresCatalogRepository;
let written: drawn.RandomCatalog;

beforeAll(async () => {
  const { knex } = database;
  catalog = new PostgresCatalogRepository(knex);
  written = new drawn.RandomCatalog(knex);
  expect(await makeSearchSnapshot(knex)).toBe(true);
  const rows = fc
    .sample(drawn.row, { seed: SEED, numRuns: ROWS })
    .map((each, index) => [(index * 7919) % ROWS, each] as const);
  await written.apply(rows);
  await drawn.writeGivenSynonyms(knex);
  // A second import: some rows leave, some change, some come as they were.
  const others = fc.sample(drawn.row, { seed: SEED + 1, numRuns: 500 });
  await written.apply([
    ...rows.slice(0, 300).map(([number]) => [number, null] as const),
    ...rows.slice(300, 800).map(([number], at) => [number, others[at] ?? null] as const),
    ...rows.slice(800, 1_000),
  ]);
  await rowsOf(knex)`INSERT INTO categories (id, name, hierarchy, name_fields)
    SELECT id, id, '{}', '{}' FROM unnest(ARRAY['handbags', 'watches']) AS id`;
  await rowsOf(knex)`ANALYZE`;
});

const expectedOf = (asked: ResolvedQuery) => {
  const { ids, ...totals } = naiveSearch(written.rows, asked, drawn.SYNONYMS);
  return { ...totals, rows: ids };
};

const found = async (asked: ResolvedQuery) => {
  const page = await catalog.search(asked);
  return { ...page, rows: page.rows.map(({ id }) => id) };
};

const SOURCES = ['changes alone', 'a snapshot', 'a snapshot and changes', 'rows'];

describe.each(SOURCES)('catalog queries answered from %s', (source) => {
  const changes = source === 'a snapshot and changes';

  beforeAll(async () => {
    if (source === 'a snapshot') expect(await makeSearchSnapshot(database.knex, SNAPSHOT)).toBe(true);
    if (source === 'rows')
      await rowsOf(database.knex)`
          WITH dropped AS (DELETE FROM search_snapshots) INSERT INTO catalog_search_changes (id) VALUES ('')`;
    if (changes) await written.apply(fc.sample(edits, { seed: SEED, numRuns: 300 }).flat());
  });

  test('come from there', async () => {
    const { view } = await new SnapshotCache(database.knex).load([]);
    expect(view !== null).toBe(source !== 'rows');
    if (!view) return;
    const { size, products } = view.snapshot.changes;
    expect(size > products).toBe(source !== 'a snapshot');
    expect(products > 0).toBe(source !== 'changes alone');
  });

  // contract 4.14, 4.15, 4.16, 5.7, 5.9, 5.10, 5.16, 5.17, 5.18, 9.8
  test('give the answers of reading every row: rows, order, exact total, words matched, facets', async () => {
    expect(expectedOf({ ...ALL, sandbox: true }).total).toBe(2 * SANDBOX_PRODUCTS);
    const pastTheEnd = { ...ALL, page: 1_000_000_000 };
    expect(await found(pastTheEnd)).toEqual(expectedOf(pastTheEnd));
    await fc.assert(
      fc.asyncProperty(queryOfAnyKey, edits, async (asked, edited) => {
        if (changes) await written.apply(edited);
        expect(await found(asked)).toEqual(expectedOf(asked));
      }),
      { seed: SEED, numRuns: QUERIES[database.kind], endOnFailure: true },
    );
  }, 600_000);

  // contract 5.12
  test('suggest what reading every row would give, in its order', async () => {
    await fc.assert(
      fc.asyncProperty(drawn.suggestion, async (asked) => {
        const suggested = await catalog.suggest(asked);
        expect(suggested.map(({ id }) => id)).toEqual(naiveSuggest(written.rows, asked, drawn.SYNONYMS));
      }),
      { seed: SEED, numRuns: QUERIES[database.kind] },
    );
  }, 600_000);

  // contract 4.17, 4.18
  test('with cursors neither repeat nor skip an unchanged row, whatever else changes', async () => {
    await fc.assert(
      fc.asyncProperty(drawn.query, fc.array(edits, { minLength: 8, maxLength: 8 }), async (asked, steps) => {
        const before = expectedOf({ ...asked, page: 0, pageSize: ROWS + 400 });
        const seen: string[] = [];
        const touched = new Set<string>();
        let after: RowPosition | null = null;
        for (const each of steps) {
          const answer: SearchPage<CatalogItem> = await catalog.search({ ...asked, after });
          seen.push(...answer.rows.map(({ id }) => id));
          after = answer.last ?? null;
          if (touched.size === 0) expect(answer.total).toBe(before.total);
          if (after === null) break;
          if (!changes) continue;
          // Whatever is written, the row of the cursor is removed as well.
          const edited: drawn.Edits = [...each, [Number(after.id.slice('product_'.length)), null]];
          await written.apply(edited);
          for (const [number] of edited) touched.add(`product_${number}`);
        }
        const still = (ids: readonly string[]) => ids.filter((id) => !touched.has(id));
        const expected = still(before.rows);
        expect(still(seen)).toEqual(after === null ? expected : expected.slice(0, still(seen).length));
      }),
      { seed: SEED, numRuns: WALKS[database.kind], endOnFailure: true },
    );
  }, 600_000);
});
