import { Readable } from 'node:stream';
import { rowsOf } from '../../db/core/sql';
import { PostgresPricingRepository } from '../../db/pricing/pricing-repository';
import type { DataFile } from '../../models/pricing/estimate';
import { useDatabase } from '../support/database';

// contract 2.8
describe('the rows of a data file that has more than are read at once', () => {
  const database = useDatabase();

  beforeAll(async () => {
    const { knex } = database;
    await knex.raw(`INSERT INTO categories (id, name, hierarchy, name_fields) VALUES ('handbags', 'H', '{}', '{}');
      INSERT INTO products (id, category, attributes) VALUES ('product_a', 'handbags', '{}');
      INSERT INTO variants (id, product_id, position) VALUES ('variant_a', 'product_a', 0)`);
    await rowsOf(knex)`INSERT INTO estimate_history (variant_id, region, date, source, a, currency)
      SELECT 'variant_a', 'EU-IE', DATE '2010-01-01' + day, source, day, 'eur'
      FROM generate_series(0, 2499) AS day, unnest('{b,a}'::text[]) AS source`;
    await rowsOf(knex)`
      INSERT INTO listings (variant_id, region, link, variant_name, vendor, price, currency, date)
      SELECT 'variant_a', 'NA', 'https://shop/' || lpad(number::text, 5, '0'), 'name', 'vendor', number + 0.5, 'usd',
        CASE WHEN number < 4500 THEN DATE '2026-01-01' + number % 7 END
      FROM generate_series(0, 4999) AS number`;
  });

  function rowsIn(kind: DataFile['kind'], region: DataFile['region']): Promise<(readonly unknown[])[]> {
    const prices = new PostgresPricingRepository(database.knex);
    return Readable.from(prices.fileRows({ kind, variantId: 'variant_a', region })).toArray();
  }

  test('of history come oldest first, then by source, each once', async () => {
    const rows = await rowsIn('historical_estimates', 'EU-IE');
    expect(rows.slice(0, 2)).toEqual([
      ['2010-01-01', 'a', 0, null, null, null, 'eur', null],
      ['2010-01-01', 'b', 0, null, null, null, 'eur', null],
    ]);
    const keys = rows.map(([date, source]) => `${date} ${source}`);
    expect(keys).toHaveLength(5_000);
    expect(keys).toEqual([...new Set(keys)].sort());
  });

  test('of listings come newest first, then by link, those without a date last, each once', async () => {
    const rows = await rowsIn('pricing_data', 'NA');
    expect(rows[0]).toEqual(['https://shop/00006', 'name', 'vendor', 6.5, 'usd', '2026-01-07']);
    const keys = rows.map(([link, , , , , date]) => [String(date ?? ''), String(link)] as const);
    expect(new Set(keys.map(([, link]) => link)).size).toBe(5_000);
    expect(keys).toEqual([...keys].sort(([a, b], [c, d]) => c.localeCompare(a) || b.localeCompare(d)));
    expect(await rowsIn('pricing_data', 'EU-IE')).toEqual([]);
  });
});
