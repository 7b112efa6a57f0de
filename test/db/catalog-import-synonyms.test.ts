import { gzipSync } from 'node:zlib';
import { rowsOf, sql } from '../../db/core/sql';
import { useImportBench } from './catalog-import-support';

/** contract 13.14: `synonyms.jsonl`. */
const bench = useImportBench();

const stored = () => rowsOf(bench.knex, sql`SELECT id, phrases, readings FROM synonyms ORDER BY id`);
const ONE_WAY = { id: 'syn_lv', from: ['LV', 'l.v.'], to: ['Louis  Vuitton', 'louis vuitton'] };
const MUTUAL = { id: 'syn_bag', words: ['bag', 'Étui', '手袋'] };

// contract 13.14
test('phrases are kept folded, each once', async () => {
  await bench.accept({ 'synonyms.jsonl': [ONE_WAY, MUTUAL] });
  expect(await stored()).toEqual([
    { id: 'syn_bag', phrases: ['bag', 'etui', '手袋'], readings: ['bag', 'etui', '手袋'] },
    { id: 'syn_lv', phrases: ['lv', 'l v'], readings: ['louis vuitton'] },
  ]);
});

// contract 13.2, 13.4
test('the last record of an id stands, deleted ones go and may come back; gzipped too', async () => {
  await bench.accept({ 'synonyms.jsonl': [MUTUAL, ONE_WAY, { ...ONE_WAY, from: ['vuitton'] }] });
  expect(await stored()).toMatchObject([{ id: 'syn_bag' }, { id: 'syn_lv', phrases: ['vuitton'] }]);
  const gone = `${JSON.stringify({ id: 'syn_lv', deleted: true })}\n{"id":"nobody","deleted":true}\n`;
  await bench.accept({ 'synonyms.jsonl.gz': gzipSync(gone) });
  expect(await stored()).toMatchObject([{ id: 'syn_bag' }]);
  await bench.accept({ 'synonyms.jsonl': [{ id: 'syn_lv', deleted: true }, ONE_WAY] });
  expect(await stored()).toMatchObject([{ id: 'syn_bag' }, { id: 'syn_lv', phrases: ['lv', 'l v'] }]);
});

// contract 13.7
test('a dry run checks and changes nothing', async () => {
  const result = await bench.import({ 'synonyms.jsonl': [MUTUAL, { id: 'x' }] }, { dryRun: true });
  expect([result.accepted, result.rejected, await stored()]).toEqual([1, 1, []]);
});

// contract 13.6, 13.14
test.each<[object, string]>([
  [{ words: ['a', 'b'] }, 'id: is required'],
  [{ id: 'x' }, 'line: has either "from" and "to" or "words"'],
  [{ id: 'x', from: ['a'] }, 'line: has either "from" and "to" or "words"'],
  [{ id: 'x', from: ['a'], to: ['b'], words: ['a', 'b'] }, 'line: has either "from" and "to" or "words"'],
  [{ id: 'x', words: ['a'] }, 'words: holds fewer than 2'],
  [{ id: 'x', from: [], to: ['b'] }, 'from: holds fewer than 1'],
  [{ id: 'x', from: ['a'], to: ['!!!'] }, 'to.0: holds no word'],
  [{ id: 'x', from: ['a', 'a b c d e f'], to: ['b'] }, 'from.1: is longer than 5 words'],
  [{ id: 'x', words: Array.from({ length: 51 }, (_, at) => `w${at}`) }, 'words: holds more than 50'],
  [{ id: 'x', words: 'bag' }, 'words: is no array'],
  [{ id: 'x', words: ['bag', 'x'.repeat(501)] }, 'words.1: is longer than 500 characters'],
])('%j is rejected alone', async (record, reason) => {
  const result = await bench.import({ 'synonyms.jsonl': [MUTUAL, record, ONE_WAY] });
  expect([result.accepted, bench.rejects()]).toEqual([2, [`synonyms.jsonl:2: ${reason}`]]);
  expect(await stored()).toHaveLength(2);
});
