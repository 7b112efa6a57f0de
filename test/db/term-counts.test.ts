import { rowsOf, sql } from '../../db/core/sql';
import {
  deleteCatalogRows,
  keptCounts,
  naiveCounts,
  type SearchedRow,
  writeCatalogRows,
} from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const rowOf = (writer: number, number: number): SearchedRow => ({
  id: `product_${writer}_${number}`,
  kind: 'product',
  category: 'handbags',
  popularity: 0,
  name: 'Bag',
  facets: [`brand:${number % 3}`, `colour:${number % 2}`, ...(number % 5 === 0 ? ['colour:9'] : [])],
  words: ['bag', `w${number % 4}`],
});

describe('counts of terms', () => {
  const database = useDatabase();

  const first = Array.from({ length: 20 }, (_, number) => rowOf(99, number));

  beforeAll(async () => {
    // With the words in the vocabulary, writers wait for nothing of each other.
    await writeCatalogRows(database.knex, first);
  });
  test('are right after writers at the same time, of which some change their minds', async () => {
    const pools = [database.knex, await database.connect()];
    const kept = await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const knex = pools[writer % 2] ?? database.knex;
        const rows = Array.from({ length: 40 }, (_each, number) => rowOf(writer, number));
        const undone = new Error('undone');
        const transaction = knex.transaction(async (trx) => {
          for (let from = 0; from < 40; from += 10) await writeCatalogRows(trx, rows.slice(from, from + 10));
          await deleteCatalogRows(trx, [rowOf(writer, 7).id]);
          if (writer % 4 === 3) throw undone;
        });
        const outcome = await transaction.catch((error: unknown) => error);
        expect(outcome).toBe(writer % 4 === 3 ? undone : undefined);
        return outcome === undone ? [] : rows.filter((_each, number) => number !== 7);
      }),
    );
    expect(await keptCounts(database.knex)).toEqual(naiveCounts([...first, ...kept.flat()]));
  });

  test('are merged by those who write, so that a term has few lines after many statements', async () => {
    const before = await keptCounts(database.knex);
    // A statement merges one term in eight: that none of 150 in a row merged this one has odds of one in 10^8.
    const statements = 200;
    for (let number = 0; number < statements; number++) {
      await writeCatalogRows(database.knex, [rowOf(100, number)]);
    }
    const [lines] = await rowsOf<{ count: number }>(
      database.knex,
      sql`SELECT count(*) FROM term_counts WHERE kind = 'product' AND term = ''`,
    );
    expect(lines?.count).toBeLessThan(150);
    expect((await keptCounts(database.knex)).get('')).toBe((before.get('') ?? 0) + statements);
  });

  test('and what queries scan are gone when the catalog is emptied', async () => {
    await rowsOf(database.knex, sql`TRUNCATE catalog_rows`);
    expect(await keptCounts(database.knex)).toEqual(new Map());
    expect(await rowsOf(database.knex, sql`SELECT id FROM catalog_search`)).toEqual([]);
  });
});
