import { itemsById } from '../../db/catalog/catalog-items';
import { rowsOf, sql } from '../../db/core/sql';
import { PostgresPricingRepository } from '../../db/pricing/pricing-repository';
import type { DataFile } from '../../models/pricing/estimate';
import { writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const file = (kind: DataFile['kind'], region: DataFile['region']): DataFile => ({
  kind,
  variantId: 'variant_a',
  region,
});

const BEST = {
  source: 'ebay',
  region: 'NA',
  A: 5190,
  B: null,
  C: null,
  D: null,
  currency: 'usd',
  confidence: null,
};

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
    await writeCatalogRows(
      knex,
      ['brand_a', 'brand_b', 'product_a'].map((id) => ({
        id,
        kind: id.split('_')[0] ?? '',
        category: 'handbags',
        popularity: 0,
        name: id,
        facets: [],
        words: [],
      })),
    );
    await rowsOf(
      knex,
      sql`INSERT INTO products (id, category, attributes) VALUES ('product_a', 'handbags', '{}')`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO variants (id, product_id, position)
          VALUES ('variant_a', 'product_a', 0), ('variant_b', 'product_a', 1), ('variant_c', 'product_a', 2)`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO market_estimates (variant_id, source, region, a, b, c, d, currency, estimated_at, confidence) VALUES
            ('variant_a', 'ebay', 'NA', 5190, 4605.5, NULL, NULL, 'usd', '2026-03-15T12:00:00.250Z', 0.8),
            ('variant_a', 'ebay', 'EU-UK', 10, NULL, NULL, NULL, 'gbp', '2026-03-15T00:00:00Z', NULL),
            ('variant_a', 'Zz', 'NA', 1, 1, 1, 1, 'usd', '2026-03-15T00:00:00Z', NULL),
            ('variant_b', 'ebay', 'NA', NULL, NULL, NULL, 1, 'usd', '2026-03-15T00:00:00Z', 1)`,
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
    await rowsOf(
      knex,
      sql`INSERT INTO listings VALUES ('variant_b', 'EU-UK', 'https://shop/b', 'name', 'vendor', 1, 'gbp', '2026-01-01')`,
    );
  });
  test('come with the rows, by source, then region; null where a variant has none', async () => {
    const [product] = await itemsById(database.knex, ['product_a'], true);
    expect(product?.variants.map(({ id, prices }) => [id, prices?.estimates?.length ?? null])).toEqual([
      ['variant_a', 3],
      ['variant_b', 1],
      ['variant_c', null],
    ]);
    const estimates = product?.variants[0]?.prices?.estimates;
    expect(estimates?.map(({ source, region }) => [source, region])).toEqual([
      ['Zz', 'NA'],
      ['ebay', 'EU-UK'],
      ['ebay', 'NA'],
    ]);
    expect(estimates?.at(-1)).toEqual({
      source: 'ebay',
      region: 'NA',
      A: 5190,
      B: 4605.5,
      C: null,
      D: null,
      currency: 'usd',
      estimatedAt: new Date('2026-03-15T12:00:00.250Z'),
      confidence: 0.8,
    });
  });

  test('are not read with rows unless they are asked for', async () => {
    const items = await itemsById(database.knex, ['product_a', 'brand_a'], false);
    expect(items.flatMap(({ variants }) => variants).filter(({ prices }) => prices)).toEqual([]);
    expect(items.filter(({ maxMarketEstimate }) => maxMarketEstimate)).toEqual([]);
  });

  test('have data files where there is at least one row, regions in their order', async () => {
    await rowsOf(
      database.knex,
      sql`INSERT INTO estimate_history (variant_id, region, date, source, currency)
          VALUES ('variant_a', 'NA', '2026-01-01', 'ebay', 'usd') ON CONFLICT DO NOTHING`,
    );
    const [product] = await itemsById(database.knex, ['product_a'], true);
    expect(product?.variants.map(({ prices }) => prices?.files)).toEqual([
      [
        { kind: 'historical_estimates', region: 'NA' },
        { kind: 'historical_estimates', region: 'EU-IE' },
        { kind: 'pricing_data', region: 'NA' },
      ],
      [{ kind: 'pricing_data', region: 'EU-UK' }],
      [],
    ]);
  });

  test('of rows that are no product are the highest below them', async () => {
    await rowsOf(
      database.knex,
      sql`UPDATE catalog_rows SET max_estimate = ${JSON.stringify({ ...BEST, estimated_at: '2026-03-15T12:00:00.250Z' })}::jsonb
          WHERE id = 'brand_a'`,
    );
    const items = await itemsById(database.knex, ['brand_b', 'brand_a', 'product_a'], true);
    expect(items.map(({ maxMarketEstimate }) => maxMarketEstimate)).toEqual([
      undefined,
      { ...BEST, estimatedAt: new Date('2026-03-15T12:00:00.250Z') },
      undefined,
    ]);
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
