import fc from 'fast-check';
import type { Knex } from 'knex';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf } from '../../db/core/sql';
import type { ResolvedQuery } from '../../models/catalog/catalog-query';
import { deleteCatalogRows, type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { gate } from '../support/gate';
import { naiveSearch, naiveSuggest } from '../support/naive-search';
import { type Edits, editsOf, query, RandomCatalog, row, suggestion } from './random-catalog';

const SEED = 20_261_124;
const ROWS = 200;
const RUNS = { postgres: 60, embedded: 16 } as const;

/** Several rows at once, so that half of them would be seen; or another snapshot, or none. */
const change = fc.oneof(
  { weight: 6, arbitrary: editsOf(ROWS + 20) },
  { weight: 1, arbitrary: fc.constant('snapshot' as const) },
  { weight: 1, arbitrary: fc.constant('none' as const) },
);

/** Each with the chance that it is left out. */
const interruptions = fc.array(fc.tuple(change, fc.double({ min: 0, max: 1, noNaN: true })), {
  minLength: 30,
  maxLength: 30,
});
type Interruptions = readonly (readonly [coming: Edits | 'snapshot' | 'none', chance: number])[];

const ZEBRAS: ResolvedQuery = {
  ...{ node: 'product', categories: null, words: ['zebr'], filters: [] },
  ...{ sort: 'popularity_desc', page: 0, pageSize: 20 },
};

type Hooks = Record<'before' | 'after' | 'within', () => Promise<void>>;

/** A pool whose statements wait for hooks before they begin and after they end, or within a transaction before each. */
function interrupted(knex: Knex, hooks: Hooks): Knex {
  const acquireConnection = async (): Promise<unknown> => {
    await hooks.before();
    return knex.client.acquireConnection();
  };
  const releaseConnection = async (connection: unknown): Promise<void> => {
    await knex.client.releaseConnection(connection);
    await hooks.after();
  };
  const client: unknown = Object.create(knex.client, {
    acquireConnection: { value: acquireConnection },
    releaseConnection: { value: releaseConnection },
  });
  const transaction = (work: (own: Knex.Transaction) => Promise<unknown>): Promise<unknown> =>
    knex.transaction(async (own) => {
      const connection = await own.client.acquireConnection();
      const query = connection.query.bind(connection);
      connection.query = async (...asked: readonly unknown[]) => {
        await hooks.within();
        return query(...asked);
      };
      return work(own).finally(() => {
        delete connection.query;
      });
    });
  return Object.create(knex, { client: { value: client }, transaction: { value: transaction } });
}

describe('an answer comes from one state, whatever is written between its statements', () => {
  const database = useDatabase();
  let catalog: PostgresCatalogRepository;
  let written: RandomCatalog;
  const nothing = async (): Promise<void> => undefined;
  const hooks: Hooks = { before: nothing, after: nothing, within: nothing };

  beforeAll(async () => {
    catalog = new PostgresCatalogRepository(interrupted(database.knex, hooks));
    written = new RandomCatalog(database.knex);
    const rows = fc.sample(row, { seed: SEED, numRuns: ROWS });
    await written.apply(rows.map((each, number) => [number, each]));
  });

  async function remake(withSnapshot: boolean): Promise<void> {
    if (withSnapshot) return void (await makeSearchSnapshot(database.knex, { changesMin: 1, rowsMin: 40 }));
    // The service never drops a snapshot without making another; the change distinguishes this state from an earlier one.
    await rowsOf(database.knex)`
      WITH dropped AS (DELETE FROM search_snapshots) INSERT INTO catalog_search_changes (id) VALUES ('')`;
  }

  /** Changes something before some of the statements of an answer. Also returns the states in between. */
  async function interrupting<Answer>(coming: Interruptions, share: number, answer: () => Promise<Answer>) {
    const states = [written.rows];
    let statements = 0;
    hooks.before = async () => {
      const [next, chance] = coming[statements++] ?? [];
      if (next === undefined || chance === undefined || chance > share) return;
      if (typeof next === 'string') await remake(next === 'snapshot');
      else await written.apply(next);
      states.push(written.rows);
    };
    const answered = await answer();
    hooks.before = nothing;
    return { answered, states };
  }

  // contract 4.14
  test.each([
    ['a snapshot', 0.3],
    ['the rows', 0.3],
    ['a snapshot, with a change before every statement', 1],
  ])('%s', async (source, share) => {
    await remake(source !== 'the rows');
    let isSeen = false;
    await fc.assert(
      fc.asyncProperty(query, interruptions, async (asked, coming) => {
        const { answered, states } = await interrupting(coming, share, () => catalog.search(asked));
        const { rows, ...totals } = answered;
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
  });

  // contract 5.12
  test('suggestions', async () => {
    await remake(true);
    await fc.assert(
      fc.asyncProperty(suggestion, interruptions, async (asked, coming) => {
        const { answered, states } = await interrupting(coming, 0.3, () => catalog.suggest(asked));
        const answers = states.map((state) => naiveSuggest(state, asked));
        expect(answers).toContainEqual(answered.map(({ id }) => id));
      }),
      { seed: SEED, numRuns: RUNS[database.kind], endOnFailure: true },
    );
  });

  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  const zebra = (id: string, popularity: number, word: string): SearchedRow => ({
    ...{ id, popularity, kind: id.split('_')[0] ?? '', category: 'handbags', facets: [] },
    ...{ name: `The ${word}`, words: [word] },
  });
  const OLD = [zebra('product_z1', 1, 'zebra'), zebra('brand_z1', 1, 'zebra')];
  /** Half of them are found by a word that is new. */
  const NEW = [
    ...[zebra('product_z2', 2, 'zebra'), zebra('product_z3', 3, 'zebras')],
    ...[zebra('brand_z2', 2, 'zebra'), zebra('brand_z3', 3, 'zebras')],
  ];
  const writeNew = () => writeCatalogRows(database.knex, NEW);

  /** The answer is the one before or after a change that follows its statement of this number, from 0. */
  async function expectWhole(at: number, change: () => Promise<unknown>, answer: () => Promise<unknown>) {
    await deleteCatalogRows(database.knex, idsOf(NEW));
    // Words remain when their rows are deleted.
    await rowsOf(database.knex)`DELETE FROM search_words WHERE word = 'zebras'`;
    await writeCatalogRows(database.knex, OLD);
    await remake(true);
    const before = await answer();
    let statements = 0;
    hooks.after = async () => {
      if (statements++ === at) await change();
    };
    const answered = await answer();
    hooks.after = nothing;
    if (statements <= at) await change();
    const after = await answer();
    expect(after).not.toEqual(before);
    expect([before, after]).toContainEqual(answered);
  }

  // contract 4.14
  test('a search, when another query of the process sees a newer state between its words and its rows', async () => {
    for (const node of ['product', 'brand']) {
      const search = async () => idsOf((await catalog.search({ ...ZEBRAS, node })).rows);
      await expectWhole(0, () => writeNew().then(search), search);
      // What was found in an older state is not tried again.
      const connecting = jest.spyOn(hooks, 'before');
      await search();
      expect(connecting).toHaveBeenCalledTimes(1);
      connecting.mockRestore();
    }
  });

  // contract 4.14
  test('a search, when an older state arrives late between its words and its rows', async () => {
    await deleteCatalogRows(database.knex, idsOf(NEW));
    await writeCatalogRows(database.knex, OLD);
    await remake(true);
    const search = async () => idsOf((await catalog.search(ZEBRAS)).rows);
    await search();
    // The late query has to read a term.
    const unknown = { ...ZEBRAS, words: null, filters: [{ field: 'brand', include: ['none'], exclude: [] }] };
    const [read, arrival, seen, continuation] = [gate(), gate(), gate(), gate()];
    hooks.after = () => {
      read.open();
      return arrival.opened;
    };
    const late = catalog.search(unknown);
    await read.opened;
    hooks.after = nothing;
    await writeNew();
    const newer = await search();
    hooks.after = async () => {
      hooks.after = nothing;
      // The late query has seen the older state when it goes on to another statement.
      hooks.before = () => {
        seen.open();
        return continuation.opened;
      };
      arrival.open();
      await seen.opened;
      hooks.before = nothing;
    };
    expect(await search()).toEqual(newer);
    expect(newer).toContain('product_z3');
    continuation.open();
    await late;
  });

  // contract 4.14
  test.each([2, 3])('a search in a transaction, when rows come before its statement %i', async (at) => {
    // The embedded database runs one transaction at a time.
    if (database.kind === 'embedded') return;
    let [changes, statements] = [0, 0];
    const search = async () => {
      hooks.before = () => writeCatalogRows(database.knex, [zebra('brand_z1', ++changes, 'zebra')]);
      const { rows } = await catalog.search({ ...ZEBRAS, words: ['zebras', 'the'] });
      hooks.before = nothing;
      return idsOf(rows);
    };
    await deleteCatalogRows(database.knex, idsOf(NEW));
    await writeCatalogRows(database.knex, OLD);
    await remake(true);
    const before = await search();
    hooks.within = async () => {
      if (statements++ === at) await writeNew();
    };
    expect(await search()).toEqual(before);
    hooks.within = nothing;
    expect(statements).toBeGreaterThan(at);
    expect(await search()).not.toEqual(before);
  });

  // contract 5.12
  test.each([0, 1, 2, 3, 4])('suggestions, when rows come after statement %i', async (statement) => {
    for (const size of [2, 4, 20]) {
      const asked = { text: 'zebr', words: ['zebr'], category: null, size };
      await expectWhole(statement, writeNew, async () => idsOf(await catalog.suggest(asked)));
    }
  });

  test('a search that is retried repeatedly is still answered from the snapshot', async () => {
    const { knex } = database;
    await writeCatalogRows(knex, OLD);
    await remake(true);
    // So that an answer from the rows would be wrong.
    await rowsOf(knex)`ALTER TABLE catalog_search DISABLE TRIGGER USER`;
    await rowsOf(knex)`DELETE FROM catalog_search WHERE kind = 'product'`;
    await rowsOf(knex)`ALTER TABLE catalog_search ENABLE TRIGGER USER`;
    let changes = 0;
    hooks.before = () => writeCatalogRows(knex, [zebra('brand_z1', ++changes, 'zebra')]);
    const { rows } = await catalog.search(ZEBRAS);
    hooks.before = nothing;
    expect(idsOf(rows)).toContain('product_z1');
  });
});
