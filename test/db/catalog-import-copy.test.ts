import fc from 'fast-check';
import type { Knex } from 'knex';
import { refusedValue } from '../../db/catalog/import/record-store';
import type { WrittenTable } from '../../db/core/copy-rows';
import { copyRows } from '../../db/core/copy-rows';
import { rowsOf, sql } from '../../db/core/sql';
import { useDatabase } from '../support/database';

const TABLE: WrittenTable = {
  name: 'copied',
  key: ['position'],
  columns: {
    position: 'int4',
    label: 'text',
    list: 'text[]',
    document: 'jsonb',
    worth: 'float8',
    gone: 'boolean',
    words: 'tsvector',
  },
  dated: false,
};

// What COPY, arrays, tsvectors and JSON each give a meaning of its own.
const special = fc.constantFrom(
  '\\',
  '\\N',
  '\\.',
  '\t',
  '\n',
  '\r',
  '"',
  "'",
  '{',
  '}',
  ',',
  'NULL',
  ' ',
  'é',
  '😀',
);
const text = fc
  .oneof(
    fc.string(),
    fc.array(fc.oneof(special, fc.string({ maxLength: 2 }))).map((parts) => parts.join('')),
  )
  .filter((value) => !value.includes('\0'));
const word = text.filter((value) => value !== '');
const row = fc.record({
  label: fc.option(text),
  list: fc.array(text, { maxLength: 4 }),
  document: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)), { maxKeys: 3 }),
  worth: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
  gone: fc.boolean(),
  words: fc.uniqueArray(word, { maxLength: 4 }),
});

const database = useDatabase();
beforeAll(async () => {
  await rowsOf(
    database.knex,
    sql`CREATE TABLE copied (position integer PRIMARY KEY, label text, list text[], document jsonb,
          worth float8, gone boolean, words tsvector)`,
  );
}, 120_000);
const copied = async (trx: Knex) =>
  rowsOf(
    trx,
    sql`SELECT label, list, document, worth, gone, tsvector_to_array(words) AS words FROM copied ORDER BY position`,
  );

describe('rows that are copied into a table', () => {
  test('come out as they were, whatever their text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        await rowsOf(database.knex, sql`TRUNCATE copied`);
        await database.knex.transaction(async (trx) => {
          await copyRows(
            trx,
            TABLE,
            rows.map((each, position) => ({ ...each, position })),
          );
        });
        const sorted = (words: readonly string[]) => [...words].sort();
        const found = (await copied(database.knex)) as typeof rows;
        expect(found.map((each) => ({ ...each, words: sorted(each.words) }))).toEqual(
          rows.map((each) => ({ ...each, words: sorted(each.words) })),
        );
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test('are all refused for one that the table can not hold, and the connection goes on', async () => {
    await rowsOf(database.knex, sql`TRUNCATE copied`);
    const rows = Array.from({ length: 5_000 }, (_, position) => ({
      position: position % 4_999,
      list: [],
      label: 'x'.repeat(50),
    }));
    const failure = await database.knex
      .transaction((trx) => copyRows(trx, TABLE, rows))
      .catch((error: unknown) => error);
    expect(refusedValue(failure)).toMatch(/^duplicate key value/);
    expect(await copied(database.knex)).toEqual([]);
  });
});
