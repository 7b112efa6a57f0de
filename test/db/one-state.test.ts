import fc from 'fast-check';
import type { Knex } from 'knex';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf, sql } from '../../db/core/sql';
import { type ResolvedQuery, SORTS } from '../../models/catalog/catalog-query';
import { deleteCatalogRows, type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { naiveSearch } from '../support/naive-search';

const SEED = 20_261_124;
const ROWS = 200;
const WORDS = ['bag', 'bags', 'chanel', 'epi', 'gold'];
/** Interleavings of each source. */
const RUNS = { postgres: 150, embedded: 50 } as const;

const row = fc.record({
  category: fc.constantFrom('handbags', 'watches'),
  popularity: fc.nat(9),
  name: fc.tuple(fc.constantFrom('A', 'B', 'C', 'D'), fc.nat(20)).map((parts) => parts.join(' ')),
  facets: fc.tuple(fc.nat(2), fc.nat(30)).map(([brand, model]) => [`brand:b${brand}`, `model:m${model}`]),
  words: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 3 }),
});

const query: fc.Arbitrary<ResolvedQuery> = fc.record({
  node: fc.constantFrom('product', 'product', 'product', 'brand'),
  categories: fc.constantFrom(null, ['handbags'], ['watches', 'handbags']),
  filters: fc.constantFrom(
    [],
    [{ field: 'brand', include: ['b1'], exclude: [] }],
    [{ field: 'model', include: ['m1', 'm2', 'm3', 'm4'], exclude: [] }],
    [{ field: 'brand', include: [], exclude: ['b0'] }],
  ),
  words: fc.oneof(
    fc.constant(null),
    fc.uniqueArray(fc.constantFrom(...WORDS, 'chanl', 'ba'), { minLength: 1, maxLength: 2 }),
  ),
  sort: fc.constantFrom(...SORTS),
  page: fc.nat(4),
  pageSize: fc.constantFrom(3, 20),
  facets: fc.constantFrom([], [{ field: 'brand', limit: 10, words: null }]),
});

/** Several rows at once, so that half of them would be seen; or another snapshot, or none. */
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.tuple(fc.nat(ROWS + 20), fc.option(row, { freq: 4 })), {
      minLength: 1,
      maxLength: 12,
    }),
  },
  { weight: 1, arbitrary: fc.constant('snapshot' as const) },
  { weight: 1, arbitrary: fc.constant('none' as const) },
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

describe('an answer is of one state, whatever is written between its statements', () => {
  const database = useDatabase();
  let catalog: PostgresCatalogRepository;
  /** Called before each statement that is no part of a transaction, and before a transaction. */
  let interrupt: () => Promise<void> = async () => undefined;
  let rows: readonly SearchedRow[] = [];

  beforeAll(async () => {
    catalog = new PostgresCatalogRepository(interrupted(database.knex, () => interrupt()));
    rows = fc
      .sample(row, { seed: SEED, numRuns: ROWS })
      .map((each, number) => ({ ...each, ...identityOf(number) }));
    await writeCatalogRows(database.knex, rows);
  });
  // contract 4.14
  test.each([
    ['a snapshot', [0.3]],
    ['the rows', [0.3]],
    ['a snapshot, with a change before every statement', [1]],
  ] as const)(
    '%s',
    async (source, [share]) => {
      await remake(source !== 'the rows');
      const interleaving = fc.record({
        asked: query,
        changes: fc.array(change, { minLength: 30, maxLength: 30 }),
        chances: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 30, maxLength: 30 }),
      });
      let again = 0;
      await fc.assert(
        fc.asyncProperty(interleaving, async ({ asked, changes, chances }) => {
          const states = [rows];
          let statements = 0;
          interrupt = async () => {
            const at = statements++;
            const coming = changes[at];
            if (coming === undefined || (chances[at] ?? 1) > share) return;
            await apply(coming);
            states.push(rows);
          };
          const found = await catalog.search(asked);
          interrupt = async () => undefined;
          const answer = { ...found, rows: found.rows.map(({ id, name }) => [id, name]) };
          const expected = states.map((state) => expectedOf(state, asked));
          expect(expected).toContainEqual(answer);
          if (states.length > 1) again += 1;
        }),
        { seed: SEED, numRuns: RUNS[database.kind], endOnFailure: true },
      );
      expect(again).toBeGreaterThan(0);
    },
    600_000,
  );

  async function remake(withSnapshot: boolean): Promise<void> {
    if (withSnapshot) await makeSearchSnapshot(database.knex, { changesMin: 1, rowsMin: 40 });
    else await rowsOf(database.knex, sql`DELETE FROM search_snapshots`);
  }

  async function apply(coming: Change): Promise<void> {
    if (typeof coming === 'string') return remake(coming === 'snapshot');
    const edits = new Map(coming);
    const written: SearchedRow[] = [];
    const gone = new Set<string>();
    for (const [number, each] of edits) {
      if (each) written.push({ ...each, ...identityOf(number) });
      else gone.add(identityOf(number).id);
    }
    const touched = new Set([...gone, ...written.map(({ id }) => id)]);
    await database.knex.transaction(async (trx) => {
      await writeCatalogRows(trx, written);
      await deleteCatalogRows(trx, [...gone]);
    });
    rows = [...rows.filter(({ id }) => !touched.has(id)), ...written];
  }
});

/** Some rows are products, some are not. */
const identityOf = (number: number) => {
  const kind = number % 8 === 0 ? 'brand' : 'product';
  return { id: `${kind}_${number}`, kind };
};

function expectedOf(state: readonly SearchedRow[], asked: ResolvedQuery) {
  const { ids, ...totals } = naiveSearch([...state], asked, []);
  const names = new Map(state.map(({ id, name }) => [id, name]));
  return { ...totals, rows: ids.map((id) => [id, names.get(id)]) };
}

/** A pool whose statements and transactions wait for something before they begin. */
function interrupted(knex: Knex, before: () => Promise<void>): Knex {
  const acquireConnection = async (): Promise<unknown> => {
    await before();
    return knex.client.acquireConnection();
  };
  const client: unknown = Object.create(knex.client, { acquireConnection: { value: acquireConnection } });
  return Object.create(knex, { client: { value: client } });
}
