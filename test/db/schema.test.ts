import { PostgresCatalogRepository } from '../../db/catalog-repository';
import { connectPostgres } from '../../db/knex';
import { migrate, migrateDown } from '../../db/migrate';
import { migrations } from '../../db/migrations';
import * as calibrationWeights from '../../db/migrations/202611201700-calibration-weights';
import { rowsOf, sql } from '../../db/sql';
import { writeCatalogRows } from '../support/catalog-rows';
import { type TestDatabase, testDatabase } from '../support/database';
import { keptCounts } from '../support/mark-counts';

describe('the schema', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.close());

  test('can be taken back, step by step, and made again', async () => {
    const names = Object.keys(migrations);
    expect((await migrateDown(database.knex, migrations)).sort()).toEqual(names);
    const left = sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'schema_%'`;
    expect(await rowsOf(database.knex, left)).toEqual([]);
    expect(await migrate(database.knex, migrations)).toEqual(names);
  });

  test('derives what queries scan from rows that were there before it', async () => {
    const row = { id: 'product_a', kind: 'product', category: 'handbags', popularity: 1, name: 'Bag' };
    await migrateDown(database.knex, migrations);
    const before = Object.entries(migrations).filter(([name]) => name < '202611200900');
    await migrate(database.knex, Object.fromEntries(before));
    await writeCatalogRows(database.knex, [{ ...row, facets: ['brand:a'], words: ['bag'] }]);
    await migrate(database.knex, migrations);
    expect(await keptCounts(database.knex)).toEqual(
      new Map([
        ['', 1],
        ['bag', 1],
        ['brand:a', 1],
      ]),
    );
    expect(await rowsOf(database.knex, sql`SELECT id, kind, popularity FROM catalog_search`)).toEqual([
      { id: 'product_a', kind: 'product', popularity: 1 },
    ]);
  });

  test('writes the calibrations of before as weights, and back', async () => {
    await rowsOf(database.knex, sql`DELETE FROM embedding_versions`);
    const kept = () =>
      rowsOf(
        database.knex,
        sql`SELECT manifest -> 'calibration' AS calibration FROM embedding_versions ORDER BY id`,
      );
    const before = { confidence: { kind: 'logistic', bias: -9, similarity: 8, margin: 6 }, floor: 0.05 };
    const manifests = [{ calibration: before }, { calibration: null }].map((manifest) =>
      JSON.stringify(manifest),
    );
    await rowsOf(
      database.knex,
      sql`INSERT INTO embedding_versions (model, manifest, state)
          SELECT 'eye@1', manifest::jsonb, 'retired' FROM unnest(${manifests}::text[]) AS given (manifest)`,
    );
    await calibrationWeights.up(database.knex);
    const { similarity, margin, ...confidence } = before.confidence;
    expect(await kept()).toEqual([
      { calibration: { ...before, confidence: { ...confidence, weights: { similarity, margin } } } },
      { calibration: null },
    ]);
    await calibrationWeights.down(database.knex);
    expect(await kept()).toEqual([{ calibration: before }, { calibration: null }]);
  });
});

test('a database that is away is a 503', async () => {
  const away = connectPostgres({ url: 'postgresql://nobody@127.0.0.1:1/nothing', acquireMs: 5_000 });
  try {
    const catalog = new PostgresCatalogRepository(away.knex);
    await expect(catalog.tags()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  } finally {
    await away.close();
  }
});
