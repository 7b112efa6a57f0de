import { rowsOf, sql } from '../../db/core/sql';
import { PostgresPricingRepository } from '../../db/pricing/pricing-repository';
import type { DataFile } from '../../models/pricing/estimate';
import { useDatabase } from '../support/database';

const file = (kind: DataFile['kind'], region: DataFile['region']): DataFile => ({
  kind,
  variantId: 'variant_a',
  region,
});

describe('prices', () => {
  const database = useDatabase();
  let prices: PostgresPricingRepository;

  beforeAll(async () => {
    prices = new PostgresPricingRepository(database.knex);
    const { knex } = database;
    await rowsOf(
      knex,
      sql`INSERT INTO categories (id, name, hierarchy, name_fields) VALUES ('handbags', 'H', '{}', '{}')`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO products (id, category, attributes) VALUES ('product_a', 'handbags', '{}')`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO variants (id, product_id, position)
          VALUES ('variant_a', 'product_a', 0)`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO estimate_history (variant_id, region, date, source, a, currency)
          SELECT 'variant_a', 'EU-IE', DATE '2010-01-01' + day, source, day, 'eur'
          FROM generate_series(0, 2499) AS day, unnest('{b,a}'::text[]) AS source`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO listings (variant_id, region, link, variant_name, vendor, price, currency, date)
          SELECT 'variant_a', 'NA', 'https://shop/' || lpad(number::text, 5, '0'), 'name', 'vendor', number + 0.5, 'usd',
            CASE WHEN number < 4500 THEN DATE '2026-01-01' + number % 7 END
          FROM generate_series(0, 4999) AS number`,
    );
  });
  test('as history come oldest first, then by source, every row once', async () => {
    const rows = await all(prices.fileRows(file('historical_estimates', 'EU-IE')));
    expect(rows).toHaveLength(5_000);
    expect(rows.slice(0, 3)).toEqual([
      ['2010-01-01', 'a', 0, null, null, null, 'eur', null],
      ['2010-01-01', 'b', 0, null, null, null, 'eur', null],
      ['2010-01-02', 'a', 1, null, null, null, 'eur', null],
    ]);
    const keys = rows.map(([date, source]) => `${date} ${source}`);
    expect(keys).toEqual([...new Set(keys)].sort());
  });

  test('as listings come newest first, then by link, those without a date last, every row once', async () => {
    const rows = await all(prices.fileRows(file('pricing_data', 'NA')));
    expect(rows).toHaveLength(5_000);
    expect(rows[0]).toEqual(['https://shop/00006', 'name', 'vendor', 6.5, 'usd', '2026-01-07']);
    expect(rows.at(-1)).toEqual(['https://shop/04999', 'name', 'vendor', 4999.5, 'usd', null]);
    const keys = rows.map(([link, , , , , date]) => ({ link: String(link), date: String(date ?? '') }));
    expect(keys).toEqual(
      [...keys].sort(
        (left, right) => right.date.localeCompare(left.date) || left.link.localeCompare(right.link),
      ),
    );
    expect(new Set(keys.map(({ link }) => link)).size).toBe(5_000);
  });

  test('of a file without rows are none', async () => {
    expect(await all(prices.fileRows(file('pricing_data', 'EU-IE')))).toEqual([]);
  });
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
