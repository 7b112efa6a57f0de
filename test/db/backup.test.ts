import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Knex } from 'knex';
import { type DumpedRows, dumpDatabase, loadDatabase, RestoreRefused } from '../../db/backup/database-dump';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf } from '../../db/core/sql';
import { createEmbeddingsTable } from '../../db/embeddings/embedding-versions';
import { migrations, SQUASHED } from '../../db/migrations';
import { migrate, type SchemaSteps } from '../../db/migrations/migrate';
import { writeCatalogRows } from '../support/catalog-rows';
import { type TestDatabase, testDatabase } from '../support/database';

type Kept = Awaited<ReturnType<typeof dumped>>;

let database: TestDatabase;
let knex: Knex;

beforeEach(async () => {
  database = await testDatabase();
  ({ knex } = database);
});
afterEach(() => database.close());

async function dumped() {
  const texts = new Map<string, Buffer>();
  const dump = await dumpDatabase(knex, async (table, rows) => {
    texts.set(table, await buffer(rows));
  });
  return { dump, texts };
}

async function* rowsIn({ dump, texts }: Kept, without?: string): DumpedRows {
  for (const { name } of dump.tables)
    if (name !== without) yield { table: name, rows: Readable.from([texts.get(name) ?? Buffer.alloc(0)]) };
}

const HOOKS = { check: async () => undefined, finish: async () => undefined };
const load = (kept: Kept, hooks: Partial<typeof HOOKS> = {}, steps = migrations) =>
  loadDatabase(knex, steps, kept.dump, rowsIn(kept), { ...HOOKS, ...hooks });

const addAccount = (id: string, name: string) => knex('accounts').insert({ id, name, credits: 7 });
const topUp = () =>
  rowsOf<{ id: number }>(knex)`
    INSERT INTO credit_top_ups (account_id, amount) VALUES ('account_a', 7) RETURNING id`;

/** Some rows in tables with references, triggers, identity columns and vectors. */
async function populate(): Promise<void> {
  await addAccount('account_a', 'Tab\there, \\, a line\nfeed and é');
  await topUp();
  await knex('audit_log').insert({ actor: 'ada@host', action: 'accounts create', details: {} });
  const manifest = { output: { dimensions: 3 } };
  await knex('embedding_versions').insert({ model: 'eye@1', manifest, state: 'live' });
  await createEmbeddingsTable(knex, 1);
  await knex.raw("INSERT INTO embeddings_1 VALUES (1, 0, '[0.5,0.25,-1]')");
  const map = Buffer.from([0, 10, 92, 255]);
  await knex('embedding_maps').insert({ version_id: 1, map, products: ['bag'] });
  await knex('search_words').insert({ word: 'birkin', deletions: ['irkin', 'brkin'] });
}

test('a restored database is the same row by row, and continues where it was', async () => {
  await populate();
  const before = await dumped();
  await addAccount('account_b', 'later');
  await topUp();
  await load(before);
  expect(await dumped()).toEqual(before);
  expect(await topUp()).toEqual([{ id: 2 }]);
  await expect(rowsOf(knex)`DELETE FROM audit_log`).rejects.toThrow('only ever added to');
});

test('a dump of an older schema is brought up to the newest', async () => {
  await addAccount('account_a', 'old');
  const old = await dumped();
  const newer: SchemaSteps = {
    ...migrations,
    '209901010000-plans': {
      up: (trx) => trx.raw(`ALTER TABLE accounts ADD COLUMN plan text NOT NULL DEFAULT 'free'`),
      down: (trx) => trx.raw('ALTER TABLE accounts DROP COLUMN plan'),
    },
  };
  await migrate(knex, newer);
  await load(old, {}, newer);
  expect(await knex('accounts').select('id', 'plan')).toEqual([{ id: 'account_a', plan: 'free' }]);
  expect(await migrate(knex, newer)).toEqual([]);
});

test('a restore that fails or is refused changes nothing', async () => {
  await populate();
  const kept = await dumped();
  await addAccount('account_b', 'later');
  const before = await dumped();
  const fail = async () => {
    throw new Error('it fails');
  };
  for (const hooks of [{ check: fail }, { finish: fail }])
    await expect(load(kept, hooks)).rejects.toThrow('it fails');
  const withoutTable = loadDatabase(knex, migrations, kept.dump, rowsIn(kept, 'accounts'), HOOKS);
  await expect(withoutTable).rejects.toThrow();
  const ofSteps = (steps: readonly string[]) => load({ ...kept, dump: { ...kept.dump, steps: [...steps] } });
  await expect(ofSteps([...kept.dump.steps, '209901010000-newer'])).rejects.toThrow(RestoreRefused);
  await expect(ofSteps(['202611230000-earlier'])).rejects.toThrow('whose schema this one does not continue');
  const between = 'The backup was made by a commit between 0.1.0 and this release';
  for (const made of [1, SQUASHED.length])
    await expect(ofSteps(kept.dump.steps.slice(0, made))).rejects.toThrow(between);
  expect(await dumped()).toEqual(before);
});

test('a restore leaves out the search snapshot, even one in the dump, and it is rebuilt from the restored rows', async () => {
  const limits = { changesMin: 1, rowsMin: 1 };
  const left = () =>
    rowsOf(knex)`SELECT number::text FROM search_snapshots UNION ALL SELECT name FROM search_snapshot_columns
      UNION ALL SELECT term FROM search_snapshot_bitmaps UNION ALL SELECT field FROM search_snapshot_facets
      UNION ALL SELECT id FROM catalog_search_changes`;
  const bag = { kind: 'product', category: 'handbags', popularity: 1, name: 'Bag', words: ['bag'] };
  const rows = [1, 2, 3].map((number) => ({ ...bag, id: `product_${number}`, facets: ['brand:a'] }));
  await writeCatalogRows(knex, rows);
  expect(await makeSearchSnapshot(knex, limits)).toBe(true);
  await knex('catalog_rows').where({ id: 'product_1' }).update({ popularity: 2 });
  expect(await left()).not.toEqual([]);
  const kept = await dumped();
  // Transactions of another server.
  const changes = { name: 'catalog_search_changes', columns: ['number', 'id', 'transaction'] };
  const texts = new Map([...kept.texts, [changes.name, Buffer.from('1\tproduct_1\t999999999\n')]]);
  for (const dump of [kept, { dump: { ...kept.dump, tables: [...kept.dump.tables, changes] }, texts }]) {
    await load(dump);
    expect(await left()).toEqual([]);
    expect(await makeSearchSnapshot(knex, limits)).toBe(true);
  }
});
