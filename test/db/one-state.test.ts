import fc from 'fast-check';
import type { Knex } from 'knex';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf, sql } from '../../db/core/sql';
import { useDatabase } from '../support/database';
import { naiveSearch } from '../support/naive-search';
import { editsOf, query, RandomCatalog, row } from './random-catalog';

const SEED = 20_261_124;
const ROWS = 200;
/** Interleavings of each source. */
const RUNS = { postgres: 150, embedded: 50 } as const;

/** Several rows at once, so that half of them would be seen; or another snapshot, or none. */
const change = fc.oneof(
  { weight: 6, arbitrary: editsOf(ROWS + 20) },
  { weight: 1, arbitrary: fc.constant('snapshot' as const) },
  { weight: 1, arbitrary: fc.constant('none' as const) },
);

/** A pool whose statements and transactions wait for something before they begin. */
function interrupted(knex: Knex, before: () => Promise<void>): Knex {
  const acquireConnection = async (): Promise<unknown> => {
    await before();
    return knex.client.acquireConnection();
  };
  const client: unknown = Object.create(knex.client, { acquireConnection: { value: acquireConnection } });
  return Object.create(knex, { client: { value: client } });
}

describe('an answer is of one state, whatever is written between its statements', () => {
  const database = useDatabase();
  let catalog: PostgresCatalogRepository;
  let written: RandomCatalog;
  /** Called before each statement that is no part of a transaction, and before a transaction. */
  let interrupt: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    catalog = new PostgresCatalogRepository(interrupted(database.knex, () => interrupt()));
    written = new RandomCatalog(database.knex);
    const rows = fc.sample(row, { seed: SEED, numRuns: ROWS });
    await written.apply(rows.map((each, number) => [number, each]));
  });

  async function remake(withSnapshot: boolean): Promise<void> {
    if (withSnapshot) await makeSearchSnapshot(database.knex, { changesMin: 1, rowsMin: 40 });
    else await rowsOf(database.knex, sql`DELETE FROM search_snapshots`);
  }

  // contract 4.14
  test.each([
    ['a snapshot', 0.3],
    ['the rows', 0.3],
    ['a snapshot, with a change before every statement', 1],
  ])(
    '%s',
    async (source, share) => {
      await remake(source !== 'the rows');
      const interruption = fc.tuple(change, fc.double({ min: 0, max: 1, noNaN: true }));
      const interruptions = fc.array(interruption, { minLength: 30, maxLength: 30 });
      let isSeen = false;
      await fc.assert(
        fc.asyncProperty(query, interruptions, async (asked, coming) => {
          const states = [written.rows];
          let statements = 0;
          interrupt = async () => {
            const [next, chance] = coming[statements++] ?? [];
            if (next === undefined || chance === undefined || chance > share) return;
            if (typeof next === 'string') await remake(next === 'snapshot');
            else await written.apply(next);
            states.push(written.rows);
          };
          const { rows, ...totals } = await catalog.search(asked);
          interrupt = async () => undefined;
          const answers = states.map((state) => {
            const { ids, ...expected } = naiveSearch(state, asked);
            const names = new Map(state.map(({ id, name }) => [id, name]));
            return { ...expected, rows: ids.map((id) => [id, names.get(id)]) };
          });
          expect(answers).toContainEqual({ ...totals, rows: rows.map(({ id, name }) => [id, name]) });
          isSeen ||= states.length > 1;
        }),
        { seed: SEED, numRuns: RUNS[database.kind], endOnFailure: true },
      );
      expect(isSeen).toBe(true);
    },
    600_000,
  );
});
