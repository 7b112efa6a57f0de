import fc from 'fast-check';
import { searchRows } from '../../db/catalog/search/search-rows';
import { Bitset } from '../../db/catalog/search/snapshot/bitset';
import { CHUNK } from '../../db/catalog/search/snapshot/chunk-bitmaps';
import { makeSearchSnapshot } from '../../db/catalog/search/snapshot/make-snapshot';
import { SnapshotSearch } from '../../db/catalog/search/snapshot/snapshot-search';
import { rowsOf, sql } from '../../db/core/sql';
import { type ResolvedQuery, SORTS } from '../../models/catalog/catalog-query';
import { deleteCatalogRows, type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { type TestDatabase, testDatabase } from '../support/database';

const SEED = 20_260_301;

describe('a set of ordinals', () => {
  const SIZE = 203;
  const ordinals = fc.uniqueArray(fc.nat(SIZE - 1), { maxLength: SIZE });
  const setOf = (members: readonly number[]): Bitset => {
    const set = Bitset.empty(SIZE);
    for (const ordinal of members) set.add(ordinal);
    return set;
  };
  const all = Array.from({ length: SIZE }, (_, ordinal) => ordinal);
  const members = (set: Bitset): number[] => set.ordinals(0, SIZE);

  test('combines, counts and pages as sets of numbers do', () => {
    fc.assert(
      fc.property(ordinals, ordinals, fc.nat(SIZE), fc.nat(SIZE), (left, right, offset, limit) => {
        const [a, b] = [setOf(left), setOf(right)];
        expect(members(a.and(b))).toEqual(all.filter((each) => left.includes(each) && right.includes(each)));
        expect(members(a.or(b))).toEqual(all.filter((each) => left.includes(each) || right.includes(each)));
        expect(members(a.xor(b))).toEqual(all.filter((each) => left.includes(each) !== right.includes(each)));
        expect(members(a.without(b))).toEqual(
          all.filter((each) => left.includes(each) && !right.includes(each)),
        );
        expect(a.count()).toBe(left.length);
        expect(a.ordinals(offset, limit)).toEqual(members(a).slice(offset, offset + limit));
        expect(all.filter((ordinal) => a.has(ordinal))).toEqual(members(a));
      }),
      { seed: SEED },
    );
  });

  test('that is full holds every ordinal and none beyond', () => {
    for (const size of [0, 1, 8, 31, 32, 33, 203]) expect(Bitset.full(size).count()).toBe(size);
  });
});

const rowOf = (number: number, kind = 'product'): SearchedRow => ({
  id: `${kind}_${number}`,
  kind,
  category: 'handbags',
  popularity: number % 4,
  name: `Bag ${number}`,
  facets: [`brand:${number % 3}`],
  words: ['bag', `w${number % 4}`],
});

const LISTING: ResolvedQuery = {
  node: 'product',
  categories: null,
  filters: [{ field: 'brand', include: ['1'], exclude: [] }],
  words: null,
  sort: 'name_asc',
  page: 0,
  pageSize: 20,
};
const WINDOW = { offset: 0, limit: 20 };
const LIMITS = { productsMin: 1, rowsMin: 5 };

describe('a search snapshot', () => {
  let database: TestDatabase;
  let search: SnapshotSearch;
  const total = async () => (await search.search(database.knex, LISTING, null, WINDOW))?.total ?? null;

  beforeAll(async () => {
    database = await testDatabase();
    search = new SnapshotSearch();
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(async () => {
    await rowsOf(database.knex, sql`TRUNCATE catalog_rows`);
    const kinds = ['product', 'brand'];
    await writeCatalogRows(
      database.knex,
      kinds.flatMap((kind) => Array.from({ length: 30 }, (_, number) => rowOf(number, kind))),
    );
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(true);
    expect(await total()).toBe(10);
  });

  test.each<[string, () => Promise<void>]>([
    ['is added', () => writeCatalogRows(database.knex, [rowOf(31)])],
    ['changes', () => writeCatalogRows(database.knex, [{ ...rowOf(1), facets: [] }])],
    ['becomes another kind', () => writeCatalogRows(database.knex, [{ ...rowOf(1), kind: 'brand' }])],
    ['is taken out', () => deleteCatalogRows(database.knex, ['product_1'])],
  ])('answers nothing any more when a product %s, until it is made again', async (_what, change) => {
    const before = await rowsOf(database.knex, sql`SELECT number FROM search_snapshots`);
    await change();
    expect(await total()).toBeNull();
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(true);
    expect(await total()).not.toBeNull();
    expect(await rowsOf(database.knex, sql`SELECT number FROM search_snapshots`)).not.toEqual(before);
  });

  test('stands while no product changes, and is not made again', async () => {
    await writeCatalogRows(database.knex, [{ ...rowOf(1, 'brand'), popularity: 99 }]);
    await writeCatalogRows(database.knex, [rowOf(1)]);
    expect(await total()).toBe(10);
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(false);
  });

  test('is gone when the catalog has become small', async () => {
    await deleteCatalogRows(database.knex, ['product_1']);
    expect(await makeSearchSnapshot(database.knex, { ...LIMITS, productsMin: 100 })).toBe(false);
    expect(await total()).toBeNull();
    const kept = await rowsOf(database.knex, sql`SELECT snapshot FROM search_snapshot_bitmaps`);
    expect(kept).toEqual([]);
  });

  test('that was made beside an unfinished change answers nothing once that is done', async () => {
    await deleteCatalogRows(database.knex, ['product_29']);
    // The embedded database does one transaction after the other, so nothing can be beside another there.
    if (database.kind === 'embedded') return;
    const trx = await database.knex.transaction();
    await writeCatalogRows(trx, [rowOf(40)]);
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(true);
    expect(await total()).toBe(10);
    await trx.commit();
    expect(await total()).toBeNull();
  });

  test('answers as the rows do where it has more ordinals than one bitmap', async () => {
    const { knex } = database;
    await rowsOf(
      knex,
      sql`INSERT INTO catalog_rows (id, kind, category, popularity, sort_key, facets, words, name, attributes, images,
            thumbnails, updated_at)
          SELECT 'product_' || n, 'product', 'handbags', n % 7, n % 100, ARRAY['brand:' || n % 3, 'model:' || n % 9000],
            array_to_tsvector(ARRAY['bag', 'w' || n % 4, 'm' || n % 9000]), '', '[]', '{}', '{}', now()
          FROM generate_series(100, ${CHUNK + 3_000}::integer) AS n`,
    );
    expect(await makeSearchSnapshot(knex, LIMITS)).toBe(true);
    const expansions = ['w1', 'm8001', 'bag'].map((word) => ({
      word,
      synonyms: [],
      beginning: null,
      longer: [],
      anyLonger: false,
      misspelt: [],
    }));
    for (const sort of SORTS) {
      for (const offset of [0, 7_000, 11_900]) {
        const query = { ...LISTING, sort };
        const window = { offset, limit: 50 };
        for (const [asked, words] of [
          [query, null],
          [{ ...query, filters: [] }, expansions],
        ] as const) {
          const found = await searchRows(knex, asked, words, window);
          expect(await search.search(knex, asked, words, window)).toEqual(found);
        }
      }
    }
  }, 60_000);
});
