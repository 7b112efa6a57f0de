import fc from 'fast-check';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { learnWords } from '../../db/catalog/import/derived-rows';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { expandTerms, FORMS_MAX, LONGER_MAX, MISSPELT_MAX } from '../../db/catalog/search/term-expansion';
import { rowsOf, Sql, sql } from '../../db/core/sql';
import type { ResolvedQuery } from '../../models/catalog/catalog-query';
import { wordsOf } from '../../models/catalog/fold-text';
import { type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const SEED = 20_260_301;
const ROWS = 2_400;
/** The vocabulary holds as many, most of them of rows that are no longer there. */
const REFERENCES = 100_000;
/** What any text may cost, whatever the catalog holds. */
const STATEMENTS_MAX = 40;
const LISTED_MAX = 200;
const SENT_MAX = 100_000;
/** Rows that a node of a plan hands on or drops: candidates of the vocabulary, and each row once for each of its words. */
const PLAN_ROWS_MAX = 60_000;

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];
const HAN = Array.from({ length: 60 }, (_, index) => String.fromCodePoint(0x4e00 + index));

/** References that differ in few digits, words that are the beginnings of others, and every letter as a word. */
const rowOf = (number: number): SearchedRow => ({
  id: `product_${number}`,
  kind: 'product',
  category: 'handbags',
  popularity: number,
  name: 'Bag',
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

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['ten words of digits', repeated(10, (index) => String(10_000_005 + index * 111))],
  ['twelve words of digits', repeated(12, (index) => String(10_000_005 + index * 111))],
  ['fifty words of digits', repeated(56, (index) => String(10_000_005 + index * 37))],
  ['references with an edit each', repeated(40, (index) => `sku0000${index}x`)],
  ['one-letter words', repeated(256, (index) => ALPHABET[index % 26] ?? '')],
  ['one-letter words of any script', repeated(256, (index) => String.fromCodePoint(0x4e00 + index * 3))],
  ['two-letter words', repeated(170, (index) => (index + 370).toString(36))],
  ['two-character parts', repeated(170, (index) => `${HAN[index % 60]}${HAN[(index * 7) % 60]}`)],
  ['a repeated letter', 'a'.repeat(512)],
  ['words of a repeated letter', repeated(30, (index) => 'a'.repeat(index + 2))],
  ['words that all rows have', repeated(128, (index) => ['the', 'and', 'bag'][index % 3] ?? '')],
  [
    'a word that all rows have among references',
    repeated(50, (index) => (index % 2 ? 'bag' : `${10_000_005 + index * 37}`)),
  ],
  ['mixed scripts', repeated(100, (index) => ['가방', 'की', '手表', 'bag', '١٢٣'][index % 5] ?? '')],
  ['a beginning of all references', 'sku0'],
];

interface Statement {
  readonly sql: string;
  readonly bindings?: Sql['bindings'];
}

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The rows that the busiest node of a plan hands on or drops. */
function busiest(node: PlanNode): number {
  const rows =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return Math.max(rows * node['Actual Loops'], ...(node.Plans ?? []).map(busiest));
}

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

// contract 5.8
describe('any text is answered in bounded work', () => {
  const database = useDatabase();
  let catalog: PostgresCatalogRepository;

  beforeAll(async () => {
    catalog = new PostgresCatalogRepository(database.knex);
    await writeCatalogRows(
      database.knex,
      Array.from({ length: ROWS }, (_, number) => rowOf(number)),
    );
    const references = Array.from({ length: REFERENCES }, (_, number) => String(10_000_000 + number));
    await database.knex.transaction((trx) => learnWords(trx, references));
    await rowsOf(database.knex, sql`VACUUM (ANALYZE)`);
  }, 240_000);
  const asked = (text: string): ResolvedQuery => ({
    ...{ node: 'product', categories: null, filters: [], sort: 'popularity_desc', page: 0, pageSize: 20 },
    words: wordsOf(text),
  });

  /** The statements of a query, and the text that they bind. */
  async function costOf(text: string) {
    const statements: Statement[] = [];
    const listen = (statement: Statement) => statements.push(statement);
    database.knex.client.on('query', listen);
    try {
      const { total, wordsMatched } = await catalog.search(asked(text));
      return { statements, total, wordsMatched };
    } finally {
      database.knex.client.off('query', listen);
    }
  }

  async function planRows(asked: Statement): Promise<number> {
    const plan = new Sql(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${asked.sql.replace(/\$\d+/g, '?')}`,
      asked.bindings,
    );
    const [line] = await rowsOf<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(database.knex, plan);
    return line ? busiest(line['QUERY PLAN'][0].Plan) : 0;
  }

  async function expectBounded(text: string): Promise<void> {
    const words = wordsOf(text);
    const { expansions } = await expandTerms(database.knex, words);
    const listed = (field: 'near' | 'misspelt') =>
      expansions.flatMap((expansion): readonly unknown[] => expansion[field]).length;
    expect(listed('misspelt')).toBeLessThanOrEqual(Math.max(LISTED_MAX, words.length));
    expect(listed('near')).toBeLessThanOrEqual(LISTED_MAX + Math.max(LISTED_MAX, words.length));
    for (const { near, misspelt } of expansions) {
      expect(near.length).toBeLessThanOrEqual(LONGER_MAX + FORMS_MAX);
      expect(misspelt.length).toBeLessThanOrEqual(MISSPELT_MAX);
    }
    const { statements, wordsMatched } = await costOf(text);
    expect(wordsMatched).toBeLessThanOrEqual(new Set(words).size);
    expect(statements.length).toBeLessThanOrEqual(STATEMENTS_MAX);
    for (const { bindings } of statements)
      expect(JSON.stringify(bindings ?? []).length).toBeLessThan(SENT_MAX);
    for (const statement of statements.filter((each) => !/^(BEGIN|COMMIT)\b/.test(each.sql)))
      expect(await planRows(statement)).toBeLessThan(PLAN_ROWS_MAX);
  }

  describe.each(['rows', 'a snapshot'])('from %s', (source) => {
    beforeAll(async () => {
      if (source === 'a snapshot') await makeSearchSnapshot(database.knex, { rowsMin: 100 });
    });

    test.each(TEXTS)('%s', async (_name, text) => {
      await expectBounded(text);
    });

    test('generated texts', async () => {
      await fc.assert(fc.asyncProperty(anyText, expectBounded), { seed: SEED, numRuns: 30 });
    }, 300_000);

    test('exact words are found whatever stands beside them, and misspelt ones by what is nearest', async () => {
      const exact = [10_000_017, 10_000_444, 10_002_399].map(String);
      const text = [...exact, ...Array.from({ length: 40 }, (_, index) => 10_000_100 + index * 7)].join(' ');
      const { rows } = await catalog.search({ ...asked(text), pageSize: 100 });
      expect(rows.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['product_17', 'product_444', 'product_2399']),
      );
      const { expansions } = await expandTerms(database.knex, ['sku00001234x']);
      expect(expansions[0]?.misspelt[0]).toBe('sku00001234');
    });
  });
});
