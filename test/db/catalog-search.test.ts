import fc from 'fast-check';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { SnapshotCache } from '../../db/catalog/search/snapshot-cache';
import { rowsOf, sql } from '../../db/core/sql';
import {
  type FacetAsked,
  type ResolvedQuery,
  type RowPosition,
  SANDBOX_PRODUCTS,
  type SearchPage,
  SORTS,
} from '../../models/catalog/catalog-query';
import type { CatalogItem } from '../../models/catalog/item';
import { deleteCatalogRows, type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { naiveSearch } from '../support/naive-search';
import { askedWords, SYNONYMS, VOCABULARY, word, writeGivenSynonyms } from './search-words';

/** Enough that pages are also found by walking in order, not only by collecting and sorting. */
const ROWS = 6_000;
const SEED = 20_260_301;
/** Random queries for each of three sources; the embedded database takes its time. */
const QUERIES = { postgres: 400, embedded: 100 } as const;
/** Walks by cursors for each source. */
const WALKS = { postgres: 80, embedded: 25 } as const;

const FIELDS = { brand: 6, model: 40, colour: 5, tags: 3 } as const;
const facetIds = (field: keyof typeof FIELDS) =>
  Array.from({ length: FIELDS[field] }, (_, index) => `${field}_${index}`);

const facet = (field: keyof typeof FIELDS, several: number) =>
  fc
    .uniqueArray(fc.constantFrom(...facetIds(field)), { maxLength: several })
    .map((ids) => ids.map((id) => `${field}:${id}`));

const row: fc.Arbitrary<Omit<SearchedRow, 'id'>> = fc.record({
  kind: fc.constantFrom(...Array(12).fill('product'), 'brand'),
  category: fc.constantFrom('handbags', 'handbags', 'watches'),
  popularity: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 })),
  name: fc
    .tuple(
      fc.constantFrom('Été', 'ete', '“Q”', '3.1', 'Zoë', 'Яхта', 'A b', 'The Row', 'L’Air', '香', '!'),
      word,
    )
    .map((parts) => parts.join(' ')),
  facets: fc
    .tuple(facet('brand', 1), facet('model', 1), facet('colour', 2), facet('tags', 3))
    .map((all) => all.flat()),
  words: fc.uniqueArray(word, { maxLength: 6 }),
});

const filter = fc.constantFrom(...(Object.keys(FIELDS) as (keyof typeof FIELDS)[])).chain((field) => {
  const ids = fc.uniqueArray(fc.constantFrom(...facetIds(field), 'unknown'), { maxLength: 3 });
  return fc.record({ field: fc.constant(field), include: ids, exclude: fc.oneof(fc.constant([]), ids) });
});

const facets: fc.Arbitrary<FacetAsked[]> = fc.uniqueArray(
  fc.record({
    field: fc.constantFrom(...Object.keys(FIELDS), 'unknown', 'brand:', 'sort', 'constructor'),
    limit: fc.constantFrom(1, 3, 20, 100),
    words: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom('model', 'mod', '1', '2', 'b'), { maxLength: 2 }) },
    ),
  }),
  { selector: ({ field }) => field, maxLength: 3 },
);

const query: fc.Arbitrary<ResolvedQuery> = fc.record({
  node: fc.constantFrom('product', 'product', 'product', 'brand', 'family'),
  categories: fc.constantFrom(null, ['handbags'], ['watches', 'handbags'], ['shoes'], []),
  filters: fc.oneof(fc.constant([]), fc.array(filter, { maxLength: 3 })),
  words: fc.oneof(fc.constant(null), askedWords),
  match: fc.constantFrom('any', 'any', 'all'),
  sort: fc.constantFrom(...SORTS),
  page: fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(400) }),
  pageSize: fc.constantFrom(1, 7, 20, 100),
  facets,
});

const queryOfAnyKey: fc.Arbitrary<ResolvedQuery> = fc.oneof(
  { weight: 2, arbitrary: query },
  { weight: 1, arbitrary: query.map((asked) => ({ ...asked, sandbox: true }) as const) },
);

/** Some words and facets of these rows are frequent enough for a bitmap, some are not. */
const SNAPSHOT = { changesMin: 1, rowsMin: 150 };

const database = useDatabase();
let catalog: PostgresCatalogRepository;
let rows: SearchedRow[];

beforeAll(async () => {
  catalog = new PostgresCatalogRepository(database.knex);
  expect(await makeSearchSnapshot(database.knex)).toBe(true);
  const made = fc.sample(row, { seed: SEED, numRuns: ROWS });
  rows = made.map((each, index) => ({ ...each, id: `product_${(index * 7919) % ROWS}` }));
  await writeCatalogRows(database.knex, rows);
  await writeGivenSynonyms(database.knex);
  await reimport();
  await rowsOf(
    database.knex,
    sql`INSERT INTO categories (id, name, hierarchy, name_fields)
        SELECT id, id, '{}', '{}' FROM unnest(ARRAY['handbags', 'watches']) AS id`,
  );
  await rowsOf(database.knex, sql`ANALYZE`);
});
/** A second import: some rows leave, some change, some come back as they were. */
async function reimport(): Promise<void> {
  await deleteCatalogRows(
    database.knex,
    rows.splice(0, 300).map(({ id }) => id),
  );
  const others = fc.sample(row, { seed: SEED + 1, numRuns: 500 });
  const changed = rows
    .splice(0, 500)
    .map(({ id }, index) => ({ ...(others[index] ?? {}), id }) as SearchedRow);
  await writeCatalogRows(database.knex, [...changed, ...rows.slice(0, 200)]);
  rows.push(...changed);
}

/** Changes as a shop makes them: new products, changed ones, some that go, some that come back. */
const edit = fc.record({
  changed: fc.array(fc.tuple(fc.nat(ROWS + 400), row), { maxLength: 4 }),
  deleted: fc.array(fc.nat(ROWS + 400), { maxLength: 2 }),
});

async function apply({ changed, deleted }: typeof edit extends fc.Arbitrary<infer Edit> ? Edit : never) {
  const written = new Map(changed.map(([number, each]) => [`product_${number}`, each]));
  const gone = new Set(deleted.map((number) => `product_${number}`));
  await writeCatalogRows(
    database.knex,
    Array.from(written, ([id, each]) => ({ ...each, id })),
  );
  await deleteCatalogRows(database.knex, [...gone]);
  rows = [
    ...rows.filter(({ id }) => !written.has(id)),
    ...Array.from(written, ([id, each]) => ({ ...each, id })),
  ].filter(({ id }) => !gone.has(id));
}

const numberOf = (id: string): number => Number(id.slice('product_'.length));

describe.each(['changes alone', 'a snapshot', 'a snapshot and changes', 'rows'])(
  'catalog queries answered from %s',
  (source) => {
    const changes = source === 'a snapshot and changes';

    beforeAll(async () => {
      if (source === 'a snapshot') expect(await makeSearchSnapshot(database.knex, SNAPSHOT)).toBe(true);
      if (source === 'rows') await rowsOf(database.knex, sql`DELETE FROM search_snapshots`);
      if (!changes) return;
      for (const each of fc.sample(edit, { seed: SEED, numRuns: 300 })) await apply(each);
    }, 120_000);

    test('come from there', async () => {
      const { view } = await new SnapshotCache(database.knex).open(database.knex, []);
      expect(view !== null).toBe(source !== 'rows');
      if (!view) return;
      const { size, products } = view.snapshot.changes;
      expect(size > products).toBe(source !== 'a snapshot');
      expect(products > 0).toBe(source !== 'changes alone');
    });

    // contract 4.14, 4.15, 4.16, 5.9, 5.10, 5.16, 5.17, 5.18, 9.8
    test('answer as reading every row would: rows, order, exact total, words matched, facets', async () => {
      expect(expectedOf({ ...ALL, sandbox: true }).total).toBe(2 * SANDBOX_PRODUCTS);
      await fc.assert(
        fc.asyncProperty(queryOfAnyKey, changes ? edit : fc.constant(null), async (asked, edited) => {
          if (edited) await apply(edited);
          const found = await catalog.search(asked);
          expect({ ...found, rows: found.rows.map(({ id }) => id) }).toEqual(expectedOf(asked));
        }),
        { seed: SEED, numRuns: QUERIES[database.kind], endOnFailure: true },
      );
    }, 600_000);

    test('neither repeat nor skip a row from page to page', async () => {
      const asked = { ...ALL, pageSize: 97, sort: 'popularity_asc' } as const;
      const seen: string[] = [];
      for (let page = 0; ; page++) {
        const { rows: found } = await catalog.search({ ...asked, page });
        if (found.length === 0) break;
        seen.push(...found.map(({ id }) => id));
      }
      expect(seen).toEqual(naiveSearch(rows, { ...asked, page: 0, pageSize: ROWS }, SYNONYMS).ids);
    });

    // contract 4.17, 4.18
    test('with cursors neither repeat nor skip a row that stands still, whatever changes meanwhile', async () => {
      await fc.assert(
        fc.asyncProperty(query, fc.array(edit, { minLength: 8, maxLength: 8 }), async (asked, edits) => {
          const everything = { ...asked, page: 0, pageSize: ROWS + 400 };
          const before = naiveSearch(rows, everything, SYNONYMS);
          const seen: string[] = [];
          const touched = new Set<string>();
          let after: RowPosition | null = null;
          for (const each of edits) {
            const answer: SearchPage<CatalogItem> = await catalog.search({ ...asked, after });
            seen.push(...answer.rows.map(({ id }) => id));
            after = answer.last ?? null;
            if (touched.size === 0) expect(answer.total).toBe(before.total);
            if (after === null) break;
            if (!changes) continue;
            await apply(each);
            // Whatever is written, the row of the cursor is taken away as well.
            await apply({ changed: [], deleted: [numberOf(after.id)] });
            for (const number of [...each.deleted, ...each.changed.map(([changed]) => changed)]) {
              touched.add(`product_${number}`);
            }
            touched.add(after.id);
          }
          const still = (ids: readonly string[]) => ids.filter((id) => !touched.has(id));
          const expected = still(before.ids);
          expect(still(seen)).toEqual(after === null ? expected : expected.slice(0, still(seen).length));
          if (!changes) expect(seen).toEqual(before.ids.slice(0, seen.length));
        }),
        { seed: SEED, numRuns: WALKS[database.kind], endOnFailure: true },
      );
    }, 600_000);

    test('a page past the end is empty and has the right total', async () => {
      const listed = await catalog.search({ ...ALL, page: 1_000_000_000 });
      expect(listed).toEqual({ rows: [], total: naiveSearch(rows, ALL, SYNONYMS).total, wordsMatched: 0 });
      const asked = { ...ALL, words: ['chanel'], page: 5_000 };
      expect(await catalog.search(asked)).toEqual({
        ...naiveSearch(rows, asked, SYNONYMS),
        ids: undefined,
        rows: [],
      });
    });

    test('no word finds nothing', async () => {
      expect(await catalog.search({ ...ALL, words: [] })).toEqual({ rows: [], total: 0, wordsMatched: 0 });
    });

    test('a query of more words than the catalog has ranks as any other', async () => {
      const asked = { ...ALL, words: [...VOCABULARY, 'quartz', 'c'], pageSize: 100 };
      const found = await catalog.search(asked);
      expect(found.rows.map(({ id }) => id)).toEqual(naiveSearch(rows, asked, SYNONYMS).ids);
    });

    function expectedOf(asked: ResolvedQuery) {
      const { ids, ...totals } = naiveSearch(rows, asked, SYNONYMS);
      return { ...totals, rows: ids };
    }
  },
);

const ALL: ResolvedQuery = {
  node: 'product',
  categories: null,
  filters: [],
  words: null,
  sort: 'popularity_desc',
  page: 0,
  pageSize: 20,
};
