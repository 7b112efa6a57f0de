import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inTransaction } from '../../db/core/sql';
import { readTableText, writeTableText } from '../../db/core/table-text';
import { useDatabase } from '../support/database';

describe('the rows of a table as text', () => {
  const database = useDatabase();

  test('are the same rows when they are read again', async () => {
    const tags = () => database.knex('tags').orderBy('id');
    await database.knex('tags').insert([
      { id: 'tag_1', group: 'a', name: 'Tab\there, back\\slash, line\nfeed' },
      { id: 'tag_2', group: 'b', name: 'Édition limitée' },
    ]);
    const before = await tags();
    const written = new PassThrough();
    const [text] = await Promise.all([
      buffer(written),
      inTransaction(database.knex, (trx) => writeTableText(trx, { name: 'tags' }, written)),
    ]);
    await database.knex('tags').delete();
    await inTransaction(database.knex, (trx) => readTableText(trx, { name: 'tags' }, Readable.from([text])));
    expect(before).toHaveLength(2);
    expect(await tags()).toEqual(before);
  });

  test('with a key that is there are refused, and nothing is added', async () => {
    await database.knex('tags').insert({ id: 'tag_9', group: 'c', name: 'Nine' });
    const lines = Readable.from(['tag_8\tc\tEight\t0\t{}\ntag_9\tc\tNine again\t0\t{}\n']);
    await expect(
      inTransaction(database.knex, (trx) => readTableText(trx, { name: 'tags' }, lines)),
    ).rejects.toMatchObject({
      code: '23505',
    });
    expect(await database.knex('tags').where({ id: 'tag_8' })).toEqual([]);
  });
});
