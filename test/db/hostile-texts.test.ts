import fc from 'fast-check';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { addToVocabulary } from '../../db/catalog/import/derived-rows';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf, Sql, sql } from '../../db/core/sql';
import { wordsOf } from '../../models/catalog/fold-text';
import { type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const SEED = 20_260_301;
const ROWS = 2_400;
/** The vocabulary holds this many, most of them from rows that no longer exist. */
const REFERENCES = 100_000;
/** Limits on the cost of any text, whatever the catalog contains. */
const STATEMENTS_MAX = 40;
const SENT_MAX = 100_000;
/** Rows that a plan node passes on or drops: candidates of the vocabulary, and each row once for each of its words. */
const PLAN_ROWS_MAX = 60_000;

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];
const HAN = Array.from({ length: 60 }, (_, index) => String.fromCodePoint(0x4e00 + index));

/** References that differ in few digits, words that are the beginnings of others, and every letter as a word. */
const rowOf = (number: number): SearchedRow => ({
  ...{ id: `product_${number}`, kind: 'product', category: 'handbags', popularity: number, name: 'Bag' },
  facets: ['brand:a'],
  words: [
    String(10_000_000 + number),
    `sku${String(number).padStart(8, '0')}`,
    'a'.repeat(1 + (number % 400)),
    `${HAN[number % 60]}${HAN[(number * 7) % 60]}手${HAN[(number * 13) % 60]}表`,
    ...ALPHABET.filter((_, index) => (number + index) % 3 > 0),
    ...['the', 'and', 'bag'],
  ],
});

const repeated = (count: number, word: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => word(index))
    .join(' ')
    .slice(0, 512);

const TEXTS: Readonly<Record<string, string>> = {
  'ten words of digits': repeated(10, (index) => String(10_000_005 + index * 111)),
  'fifty words of digits': repeated(56, (index) => String(10_000_005 + index * 37)),
  'references with an edit each': repeated(40, (index) => `sku0000${index}x`),
  'one-letter words': repeated(256, (index) => ALPHABET[index % 26] ?? ''),
  'one-letter words of any script': repeated(256, (index) => String.fromCodePoint(0x4e00 + index * 3)),
  'two-letter words': repeated(170, (index) => (index + 370).toString(36)),
  'two-character parts': repeated(170, (index) => `${HAN[index % 60]}${HAN[(index * 7) % 60]}`),
  'a repeated letter': 'a'.repeat(512),
  'words of a repeated letter': repeated(30, (index) => 'a'.repeat(index + 2)),
  'words that all rows have': repeated(128, (index) => ['the', 'and', 'bag'][index % 3] ?? ''),
  'a word that all rows have among references': repeated(50, (index) =>
    index % 2 ? 'bag' : `${10_000_005 + index * 37}`,
  ),
  'mixed scripts': repeated(100, (index) => ['가방', 'की', '手表', 'bag', '١٢٣'][index % 5] ?? ''),
  'a beginning of all references': 'sku0',
};

const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 10_000_000, max: 10_009_999 }).map(String),
      fc.string({ unit: fc.constantFrom(...'aab01'), minLength: 1, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...HAN.slice(0, 9), '手', '表'), minLength: 1, maxLength: 5 }),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { minLength: 1, maxLength: 120 },
  )
  .map((words) => Array.from(words.join(' ')).slice(0, 512).join(''));

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function rowsThrough(node: PlanNode): number {
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  const own = (node['Actual Rows'] + dropped) * node['Actual Loops'];
  return Math.max(own, ...(node.Plans ?? []).map(rowsThrough));
}

// contract 5.8
describe('any text is answered in bounded work', () => {
  const database = useDatabase();

  beforeAll(async () => {
    const rows = Array.from({ length: ROWS }, (_, number) => rowOf(number));
    await writeCatalogRows(database.knex, rows);
    const references = Array.from({ length: REFERENCES }, (_, number) => String(10_000_000 + number));
    await database.knex.transaction((trx) => addToVocabulary(trx, references));
    await rowsOf(database.knex, sql`VACUUM (ANALYZE)`);
  });

  const search = (text: string, pageSize = 20) =>
    new PostgresCatalogRepository(database.knex).search({
      ...{ node: 'product', categories: null, filters: [], sort: 'popularity_desc', page: 0 },
      ...{ pageSize, words: wordsOf(text) },
    });

  /** Executes each statement of a search once more under EXPLAIN. */
  async function expectBounded(text: string): Promise<void> {
    const { knex } = database;
    const asked: { readonly sql: string; readonly bindings?: Sql['bindings'] }[] = [];
    const listen = (statement: (typeof asked)[number]) => asked.push(statement);
    knex.client.on('query', listen);
    await search(text).finally(() => knex.client.off('query', listen));
    expect(asked.length).toBeLessThanOrEqual(STATEMENTS_MAX);
    for (const { sql: statement, bindings = [] } of asked) {
      expect(JSON.stringify(bindings).length).toBeLessThan(SENT_MAX);
      const plan = new Sql(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement.replace(/\$\d+/g, '?')}`, bindings);
      const [line] = await rowsOf<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(knex, plan);
      expect(line && rowsThrough(line['QUERY PLAN'][0].Plan)).toBeLessThan(PLAN_ROWS_MAX);
    }
  }

  describe.each(['rows', 'a snapshot'])('from %s', (source) => {
    beforeAll(async () => {
      if (source === 'a snapshot') await makeSearchSnapshot(database.knex, { rowsMin: 100 });
    });

    test.each(Object.entries(TEXTS))('%s', (_name, text) => expectBounded(text));

    test('generated texts', async () => {
      await fc.assert(fc.asyncProperty(anyText, expectBounded), { seed: SEED, numRuns: 8 });
    }, 300_000);

    test('exact words are found whatever is beside them, and misspelt ones by the nearest words', async () => {
      const others = Array.from({ length: 40 }, (_, index) => 10_000_100 + index * 7);
      const text = ['10000017', '10000444', '10002399', ...others];
      const ids = (await search(text.join(' '), 100)).rows.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(['product_17', 'product_444', 'product_2399']));
      const misspelt = await search('sku00001234x', 100);
      expect(misspelt.rows.map(({ id }) => id)).toContain('product_1234');
    });
  });
});
