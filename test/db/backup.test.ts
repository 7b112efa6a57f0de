import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Knex } from 'knex';
import {
  type DatabaseDump,
  type DumpedRows,
  dumpDatabase,
  loadDatabase,
  RestoreRefused,
} from '../../db/backup/database-dump';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf, sql } from '../../db/core/sql';
import { createEmbeddingsTable } from '../../db/embeddings/embedding-versions';
import { migrations } from '../../db/migrations';
import { migrate, type SchemaSteps } from '../../db/migrations/migrate';
import { writeCatalogRows } from '../support/catalog-rows';
import { type TestDatabase, testDatabase } from '../support/database';

interface Kept {
  readonly dump: DatabaseDump;
  readonly texts: ReadonlyMap<string, Buffer>;
}

/** A cluster is made for each test. */
jest.setTimeout(240_000);

const NO_HOOKS = { check: async () => undefined, finish: async () => undefined };

let database: TestDatabase;

beforeEach(async () => {
  database = await testDatabase();
}, 240_000);
afterEach(() => database.close());

async function dumped(knex: Knex): Promise<Kept> {
  const texts = new Map<string, Promise<Buffer>>();
  const dump = await dumpDatabase(knex, (table) => {
    const text = new PassThrough();
    texts.set(table, buffer(text));
    return text;
  });
  const read = await Promise.all([...texts].map(async ([table, text]) => [table, await text] as const));
  return { dump, texts: new Map(read) };
}

async function* rowsIn({ dump, texts }: Kept): DumpedRows {
  for (const { name } of dump.tables)
    yield { table: name, rows: Readable.from([texts.get(name) ?? Buffer.alloc(0)]) };
}

const load = (kept: Kept, hooks: Partial<typeof NO_HOOKS> = {}, steps: SchemaSteps = migrations) =>
  loadDatabase(database.knex, steps, kept.dump, rowsIn(kept), { ...NO_HOOKS, ...hooks });

/** Something in tables that name each other, have triggers, numbers of their own, and vectors. */
async function populate(knex: Knex): Promise<void> {
  await rowsOf(
    knex,
    sql`INSERT INTO accounts (id, name, credits) VALUES ('account_a', 'Tab\there, \\, a line\nfeed and é', 7)`,
  );
  await rowsOf(knex, sql`INSERT INTO credit_top_ups (account_id, amount) VALUES ('account_a', 7)`);
  await rowsOf(
    knex,
    sql`INSERT INTO audit_log (actor, action, details) VALUES ('ada@host', 'accounts create', '{}')`,
  );
  await rowsOf(
    knex,
    sql`INSERT INTO embedding_versions (model, manifest, state)
        VALUES ('eye@1', '{"output": {"dimensions": 3}}', 'live')`,
  );
  await createEmbeddingsTable(knex, 1);
  await rowsOf(knex, sql`INSERT INTO embeddings_1 VALUES (1, 0, '[0.5,0.25,-1]')`);
  await rowsOf(knex, sql`INSERT INTO search_words (word, deletions) VALUES ('birkin', '{irkin,brkin}')`);
}

test('a database is what it was, row by row, and goes on where it was', async () => {
  await populate(database.knex);
  const before = await dumped(database.knex);
  await rowsOf(database.knex, sql`INSERT INTO accounts (id, name) VALUES ('account_b', 'later')`);
  await rowsOf(database.knex, sql`INSERT INTO credit_top_ups (account_id, amount) VALUES ('account_a', 1)`);
  await load(before);
  const after = await dumped(database.knex);
  expect(after).toEqual(before);
  const [next] = await rowsOf<{ id: number }>(
    database.knex,
    sql`INSERT INTO credit_top_ups (account_id, amount) VALUES ('account_a', 1) RETURNING id`,
  );
  expect(next?.id).toBe(2);
  await expect(rowsOf(database.knex, sql`DELETE FROM audit_log`)).rejects.toThrow('only ever added to');
});

test('a dump of an older schema is brought up to the newest', async () => {
  const { knex } = database;
  await rowsOf(knex, sql`INSERT INTO accounts (id, name) VALUES ('account_a', 'old')`);
  const old = await dumped(knex);
  const newer: SchemaSteps = {
    ...migrations,
    '209901010000-plans': {
      up: (trx) => trx.raw(`ALTER TABLE accounts ADD COLUMN plan text NOT NULL DEFAULT 'free'`),
      down: (trx) => trx.raw('ALTER TABLE accounts DROP COLUMN plan'),
    },
  };
  await migrate(knex, newer);
  await load(old, {}, newer);
  expect(await rowsOf(knex, sql`SELECT id, plan FROM accounts`)).toEqual([{ id: 'account_a', plan: 'free' }]);
  expect(await migrate(knex, newer)).toEqual([]);
});

test.each(['before anything is done', 'when all is done'])('what fails %s changes nothing', async (when) => {
  await populate(database.knex);
  const kept = await dumped(database.knex);
  await rowsOf(database.knex, sql`INSERT INTO accounts (id, name) VALUES ('account_b', 'later')`);
  const before = await dumped(database.knex);
  const fail = async () => {
    throw new Error('it fails');
  };
  const hooks = when === 'when all is done' ? { finish: fail } : { check: fail };
  await expect(load(kept, hooks)).rejects.toThrow('it fails');
  expect(await dumped(database.knex)).toEqual(before);
});

test('a dump without the rows of one of its tables is refused, and so is one of a newer schema', async () => {
  await populate(database.knex);
  const kept = await dumped(database.knex);
  const missing = (async function* (): DumpedRows {
    for await (const each of rowsIn(kept)) if (each.table !== 'accounts') yield each;
  })();
  await expect(loadDatabase(database.knex, migrations, kept.dump, missing, NO_HOOKS)).rejects.toThrow();
  const newer = { ...kept.dump, steps: [...kept.dump.steps, '209901010000-newer'] };
  await expect(load({ ...kept, dump: newer })).rejects.toThrow(RestoreRefused);
  await expect(load({ ...kept, dump: { ...kept.dump, steps: ['202611230000-earlier'] } })).rejects.toThrow(
    'The backup is of a release of Loupe whose schema this one does not continue',
  );
  expect(await dumped(database.knex)).toEqual(kept);
});

describe('the search snapshot', () => {
  const LIMITS = { changesMin: 1, rowsMin: 1 };
  const left = (knex: Knex) =>
    rowsOf(
      knex,
      sql`SELECT number::text FROM search_snapshots UNION ALL SELECT name FROM search_snapshot_columns
          UNION ALL SELECT term FROM search_snapshot_bitmaps UNION ALL SELECT field FROM search_snapshot_facets
          UNION ALL SELECT id FROM catalog_search_changes`,
    );

  beforeEach(async () => {
    const bag = { kind: 'product', category: 'handbags', popularity: 1, name: 'Bag', words: ['bag'] };
    const rows = [1, 2, 3].map((number) => ({ ...bag, id: `product_${number}`, facets: ['brand:a'] }));
    await writeCatalogRows(database.knex, rows);
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(true);
    await rowsOf(database.knex, sql`UPDATE catalog_rows SET popularity = 2 WHERE id = 'product_1'`);
  });

  test('is not in a dump, and is made anew of the restored rows', async () => {
    expect(await left(database.knex)).not.toEqual([]);
    await load(await dumped(database.knex));
    expect(await left(database.knex)).toEqual([]);
    expect(await makeSearchSnapshot(database.knex, LIMITS)).toBe(true);
  });

  test('is left out of a dump that has it, whose transactions were those of another server', async () => {
    const kept = await dumped(database.knex);
    const changes = { name: 'catalog_search_changes', columns: ['number', 'id', 'transaction'] };
    const texts = new Map([...kept.texts, [changes.name, Buffer.from('1\tproduct_1\t999999999\n')]]);
    await load({ dump: { ...kept.dump, tables: [...kept.dump.tables, changes] }, texts });
    expect(await left(database.knex)).toEqual([]);
  });
});
