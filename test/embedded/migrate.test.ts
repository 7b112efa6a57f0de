import { rmSync } from 'node:fs';
import { connectEmbedded, type Database } from '../../db/core/knex';
import { migrate, type SchemaSteps } from '../../db/migrations/migrate';
import { folderWithCluster } from './embedded-support';

const stepOf = (table: string): SchemaSteps[string] => ({
  up: async (knex) => knex.schema.createTable(table, (columns) => columns.bigIncrements('id')),
  down: async (knex) => knex.schema.dropTable(table),
});
const first: SchemaSteps = { '202601010000-first': stepOf('first') };
const steps: SchemaSteps = { ...first, '202601020000-second': stepOf('second') };

describe('a database that is opened and migrated', () => {
  let folder: string;
  let database: Database;
  let other: Database;

  beforeAll(async () => {
    folder = await folderWithCluster();
    const options = { dataDir: folder, durable: false };
    database = await connectEmbedded(options);
    other = await connectEmbedded(options);
  });
  afterAll(async () => {
    await Promise.all([database.close(), other.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  test('two processes that migrate at once run each step once', async () => {
    const run = await Promise.all([migrate(database.knex, steps), migrate(other.knex, steps)]);
    expect(run.flat().sort()).toEqual(Object.keys(steps));
    expect(await migrate(database.knex, steps)).toEqual([]);
  });

  test('a step that fails leaves the schema as it was, and no lock', async () => {
    const third = stepOf('third');
    const up: typeof third.up = async (knex) => {
      await third.up(knex);
      throw new Error('broken');
    };
    const broken = { ...steps, '202601030000-broken': { ...third, up } };
    await expect(migrate(database.knex, broken)).rejects.toThrow('broken');
    expect(await other.knex.schema.hasTable('third')).toBe(false);
    expect(await migrate(other.knex, steps)).toEqual([]);
  });

  // contract 14.15
  test('a schema made by a newer release is refused in our own words, and stays as it is', async () => {
    const newer =
      'The database is of a newer release of Loupe: its schema has 202601020000-second, which this release does not know. Use the release that made it, or start with an empty database';
    await expect(migrate(database.knex, first)).rejects.toThrow(newer);
    const others = Object.fromEntries(Object.entries(steps).map(([name, step]) => [`2027-${name}`, step]));
    const apart = 'does not continue: its schema has 202601010000-first, 202601020000-second';
    await expect(migrate(database.knex, others)).rejects.toThrow(apart);
    expect(await migrate(database.knex, steps)).toEqual([]);
  });

  test('int8 is a number, one that a number cannot hold is an error, numeric and date stay text', async () => {
    const sql = "select 9007199254740991::int8 as big, 0.10::numeric as amount, '2026-02-01'::date as day";
    expect((await database.knex.raw(sql)).rows).toEqual([
      { big: 9007199254740991, amount: '0.10', day: '2026-02-01' },
    ]);
    await expect(database.knex.raw('select 9007199254740993::int8')).rejects.toThrow(RangeError);
    expect((await database.knex.raw('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
