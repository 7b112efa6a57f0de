import { CHANGES_MAX } from '../../db/catalog/search/catalog-state';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { postingRequests, rankProducts } from '../../db/catalog/search/rank-products';
import { scoredRows, type Window } from '../../db/catalog/search/scored-rows';
import { SnapshotCache } from '../../db/catalog/search/snapshot-cache';
import { CHUNK } from '../../db/catalog/search/snapshot-chunks';
import type { TermExpansion } from '../../db/catalog/search/term-expansion';
import { rowsOf } from '../../db/core/sql';
import { type ResolvedQuery, type RowPosition, SORTS } from '../../models/catalog/catalog-query';
import { deleteCatalogRows, type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const rowOf = (number: number, kind = 'product'): SearchedRow => ({
  ...{ id: `${kind}_${number}`, kind, category: 'handbags', popularity: number % 4, name: `Bag ${number}` },
  facets: [`brand:${number % 3}`],
  words: ['bag', `w${number % 4}`],
});

const LISTING: ResolvedQuery = {
  ...{ node: 'product', categories: null, words: null, sort: 'name_asc', page: 0, pageSize: 20 },
  filters: [{ field: 'brand', include: ['1'], exclude: [] }],
};
const NOTHING = { near: [], beginnings: [], misspelt: [] };
const WINDOW = { offset: 0, limit: 20 };
const LIMITS = { changesMin: 1, rowsMin: 5 };

// contract 4.14
describe('a search snapshot', () => {
  const database = useDatabase();
  /** The catalog in a transaction that began before the changes that follow. */
  const olderState = async () => {
    const older = await database.knex.transaction({ isolationLevel: 'repeatable read', readOnly: true });
    await rowsOf(older)`SELECT 1 FROM catalog_search LIMIT 1`;
    return older;
  };
  let memory: SnapshotCache;
  const found = async (
    asked: ResolvedQuery,
    words: readonly TermExpansion[] | null,
    window: Window,
    knex = database.knex,
  ) => {
    const { view } = await memory.load(postingRequests(asked, words) ?? [], knex);
    return view && rankProducts(knex, view, asked, words, window);
  };
  const idsOf = (rows: readonly RowPosition[]) => rows.map(({ id }) => id);
  const total = async () => (await found(LISTING, null, WINDOW))?.total ?? null;

  beforeAll(async () => {
    memory = new SnapshotCache(database.knex);
  });
  beforeEach(async () => {
    await rowsOf(database.knex)`TRUNCATE catalog_rows`;
    const rows = Array.from({ length: 30 }, (_, number) => [rowOf(number), rowOf(number, 'brand')]);
    await writeCatalogRows(database.knex, rows.flat());
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(true);
    expect(await total()).toBe(10);
  });

  test('is rebuilt once the configured number of changes is reached, and not before', async () => {
    await writeCatalogRows(database.knex, [{ ...rowOf(1, 'brand'), popularity: 99 }]);
    await writeCatalogRows(database.knex, [rowOf(1)]);
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(false);
    await deleteCatalogRows(database.knex, ['product_1']);
    expect(await makeSearchSnapshot(database.knex, { ...LIMITS, changesMin: 2 })).toBe(false);
    await deleteCatalogRows(database.knex, ['product_4']);
    expect(await makeSearchSnapshot(database.knex, { ...LIMITS, changesMin: 2 })).toBe(true);
    expect(await total()).toBe(8);
    expect(await rowsOf(database.knex)`SELECT id FROM catalog_search_changes`).toEqual([{ id: '' }]);
  });

  test('is rebuilt when other rows have changed so often that it would not be used', async () => {
    await rowsOf(database.knex)`
      INSERT INTO catalog_search_changes (id) SELECT '' FROM generate_series(0, ${CHANGES_MAX}::integer)`;
    expect(await total()).toBeNull();
    expect(await makeSearchSnapshot(database.knex, { ...LIMITS, changesMin: 100 })).toBe(true);
    expect(await total()).toBe(10);
  });

  test('keeps what texts stand for up to a number of readings', () => {
    const kept = memory.lastSeen()?.seen.expansions;
    const many = { ...NOTHING, word: 'bag', exact: [], near: Array(9_990).fill(['w1']) };
    for (let text = 0; text < 40; text += 1) kept?.set(`text ${text}`, [many]);
    expect(kept?.size).toBe(20);
  });

  test('reads an order once for queries that come together', async () => {
    await makeSearchSnapshot(database.knex, { ...LIMITS, changesMin: 0 });
    memory = new SnapshotCache(database.knex);
    await memory.load([]);
    const asked: unknown[] = [];
    const listen = ({ bindings }: { bindings?: readonly unknown[] }) => asked.push(...(bindings ?? []));
    database.knex.client.on('query', listen);
    await Promise.all(Array.from({ length: 8 }, total));
    database.knex.client.off('query', listen);
    expect(asked.filter((each) => each === 'by_name')).toHaveLength(1);
  });

  test('answers nothing after all products were removed at once', async () => {
    await rowsOf(database.knex)`TRUNCATE catalog_rows`;
    expect(await total()).toBeNull();
    await writeCatalogRows(database.knex, [rowOf(1)]);
    expect(await total()).toBeNull();
    expect(await makeSearchSnapshot(database.knex, { ...LIMITS, changesMin: 100 })).toBe(true);
    expect(await total()).toBe(1);
  });

  test('that was made during an unfinished change includes the change once it is done', async () => {
    await deleteCatalogRows(database.knex, ['product_29']);
    // The embedded database does one transaction after the other, so nothing can run concurrently there.
    if (database.kind === 'embedded') return;
    const trx = await database.knex.transaction();
    await writeCatalogRows(trx, [rowOf(40)]);
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(true);
    expect(await total()).toBe(10);
    await trx.commit();
    expect(await total()).toBe(11);
  });

  test('answers every state as it is, in whatever order states are seen', async () => {
    if (database.kind === 'embedded') return;
    const older = await olderState();
    const open = await database.knex.transaction();
    await writeCatalogRows(open, [rowOf(40)]);
    await writeCatalogRows(database.knex, [rowOf(43)]);
    expect(await total()).toBe(11);
    await writeCatalogRows(database.knex, [{ ...rowOf(43), facets: [] }, rowOf(46)]);
    expect(await total()).toBe(11);
    const newest = memory.lastSeen()?.seen.state;
    const { view } = await memory.load([], older);
    await older.commit();
    await open.commit();
    expect(view?.live.count()).toBe(30);
    expect(memory.lastSeen()?.seen.state).toBe(newest);
    expect(await total()).toBe(12);
  });

  test('answers an older state by terms that few products have, after a newer one was answered by them', async () => {
    if (database.kind === 'embedded') return;
    const rare = { ...LISTING, filters: [{ field: 'brand', include: ['rare'], exclude: [] }] };
    const few = (number: number) => ({ ...rowOf(number), facets: ['brand:rare'] });
    const many = Array.from({ length: 300 }, (_, number) => rowOf(100 + number));
    await writeCatalogRows(database.knex, [...many, few(500), few(501)]);
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(true);
    const older = await olderState();
    await writeCatalogRows(database.knex, [rowOf(500), few(502), few(100)]);
    const rowsIn = async (knex = database.knex) => idsOf((await found(rare, null, WINDOW, knex))?.rows ?? []);
    const states = [await rowsIn(), await rowsIn(older), await rowsIn()];
    await older.commit();
    const newest = ['product_100', 'product_501', 'product_502'];
    expect(states).toEqual([newest, ['product_500', 'product_501'], newest]);
  });

  test('answers as the rows do where it has more ordinals than one bitmap', async () => {
    const { knex } = database;
    await rowsOf(knex)`
      INSERT INTO catalog_rows (id, kind, category, popularity, sort_key, facets, words, name, attributes, images,
        thumbnails, updated_at)
      SELECT 'product_' || n, 'product', 'handbags', n % 7, n % 100, ARRAY['brand:' || n % 3, 'model:' || n % 9000],
        array_to_tsvector(ARRAY['bag', 'w' || n % 4, 'm' || n % 9000]), '', '[]', '{}', '{}', now()
      FROM generate_series(100, ${CHUNK + 3_000}::integer) AS n`;
    expect(await makeSearchSnapshot(knex, LIMITS)).toBe(true);
    // So many that the position of a page among them has to be searched for.
    await rowsOf(knex)`
      UPDATE catalog_rows SET popularity = 6 - popularity, sort_key = sort_key || '!', facets = ARRAY['brand:1', 'model:7']
      WHERE hashtext(id) % 19 = 0`;
    const expansions = ['w1', 'm8001', 'bag'].map((word) => ({ ...NOTHING, word, exact: [[word]] }));
    const listing = { ...LISTING, facets: [{ field: 'model', limit: 1, words: null }] };
    const cases = SORTS.flatMap((sort) =>
      [0, 7_000, 11_900].flatMap((offset) => [
        { asked: { ...listing, sort }, words: null, offset },
        { asked: { ...LISTING, sort, filters: [] }, words: expansions, offset },
      ]),
    );
    // All at once, like many callers: one statement loads the state for several answers.
    const pages = await Promise.all(
      cases.map(({ asked, words, offset }) => found(asked, words, { offset, limit: 50 })),
    );
    for (const [at, { asked, words, offset }] of cases.entries()) {
      const page = pages[at];
      const { state, ...scored } = await scoredRows(knex, asked, words, { offset, limit: 50 });
      expect(page && { ...page, rows: idsOf(page.rows) }).toEqual({ ...scored, rows: idsOf(scored.rows) });
    }
  });
});
