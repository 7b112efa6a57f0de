import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { frame } from '../../db/embedded/wire-protocol';
import { type EmbeddedFixture, startFixture } from './embedded-support';
import { bind, execute, flush, parse, RawClient, rowsIn, sync, text } from './raw-client';

describe('one embedded database, many clients', () => {
  let fixture: EmbeddedFixture;
  let a: Client;
  let b: Client;

  beforeAll(async () => {
    fixture = await startFixture();
    a = await fixture.connect();
    b = await fixture.connect();
    await a.query('create table t (id int primary key, name text not null)');
  });
  afterAll(() => fixture.remove());
  beforeEach(() => a.query('truncate t'));

  const countIn = async (client: Client): Promise<number> =>
    Number((await client.query('select count(*) from t')).rows[0].count);

  test('a statement that is sent in pieces is not mixed with those of others', async () => {
    const slow = await RawClient.open(await fixture.embedded.socketFolder());
    slow.send(parse("select 'slow'"), flush());
    await slow.until('1');
    const other = b.query('select $1::text as who', ['other']);
    slow.send(bind(), execute(), sync());
    expect(rowsIn(await slow.until('Z'))).toEqual(['slow']);
    expect((await other).rows).toEqual([{ who: 'other' }]);
    slow.socket.destroy();
  });

  test('hundreds of parametrised statements of many clients each get their own answer', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => fixture.connect()));
    const ask = async (client: Client, from: number): Promise<void> => {
      for (let n = from; n < from + 50; n += 1)
        expect((await client.query('select $1::int as n', [n])).rows).toEqual([{ n }]);
    };
    await Promise.all(clients.map((client, at) => ask(client, at * 50)));
  });

  test('prepared statements of the same name stay apart', async () => {
    const named = (client: Client, sql: string) => client.query({ name: 'same', text: sql, values: [] });
    await named(a, "select 'a' as of");
    await named(b, "select 'b' as of");
    expect((await named(a, "select 'a' as of")).rows).toEqual([{ of: 'a' }]);
    expect((await named(b, "select 'b' as of")).rows).toEqual([{ of: 'b' }]);
  });

  test('a transaction has the database to itself until it ends', async () => {
    await a.query('begin');
    await a.query("insert into t values (1, 'a')");
    const counted = countIn(b);
    await a.query("insert into t values (2, 'a')");
    await a.query('commit');
    expect(await counted).toBe(2);
  });

  test.each([
    ['transaction', "begin; insert into t values (1, 'gone')", 'Z'],
    ['COPY', 'copy t from stdin', 'G'],
  ])('a client that vanishes in a %s leaves nothing and holds up nobody', async (_what, sql, answer) => {
    const leaving = await RawClient.open(await fixture.embedded.socketFolder());
    leaving.send(frame('Q', text(sql)));
    await leaving.until(answer);
    if (answer === 'G') leaving.send(frame('d', Buffer.from('1\tgone\n')));
    const counted = countIn(b);
    leaving.socket.destroy();
    expect(await counted).toBe(0);
  });

  test('an error fails the transaction, not the connection or its neighbours', async () => {
    await a.query('begin');
    await expect(a.query('select nonsense')).rejects.toMatchObject({ code: '42703' });
    await expect(a.query('select 1')).rejects.toMatchObject({ code: '25P02' });
    await a.query('rollback');
    expect(await countIn(a)).toBe(0);
    expect(await countIn(b)).toBe(0);
  });

  test('settings, locks and temporary tables of a client end with it', async () => {
    const leaving = await fixture.connect();
    await leaving.query('set enable_seqscan = off; create temp table left_over (a int)');
    await leaving.end();
    expect((await b.query('show enable_seqscan')).rows[0].enable_seqscan).toBe('on');
    expect((await b.query("select to_regclass('left_over') as found")).rows[0].found).toBeNull();
  });

  test('COPY takes 50,000 rows while others wait for their turn', async () => {
    const lines = Array.from({ length: 50_000 }, (_, id) => `${id}\tname ${id}\n`);
    const copied = pipeline(Readable.from(lines), a.query(copyFrom('copy t from stdin')));
    const counted = countIn(b);
    await copied;
    expect([0, 50_000]).toContain(await counted);
    expect(await countIn(b)).toBe(50_000);
  });

  test('a bad row ends a COPY with its error, and the connection goes on', async () => {
    const lines = Array.from({ length: 5_000 }, (_, id) => `${id === 1 ? 'bad' : id}\tx\n`);
    const copying = pipeline(Readable.from(lines), a.query(copyFrom('copy t from stdin')));
    await expect(copying).rejects.toMatchObject({ code: '22P02' });
    expect(await countIn(a)).toBe(0);
  });

  test('an answer far larger than the buffers arrives whole', async () => {
    const { rows } = await a.query("select i, repeat('x', 1000) as filler from generate_series(1, 30000) i");
    expect(rows).toHaveLength(30_000);
    expect(rows.every((row, i) => row.i === i + 1 && row.filler.length === 1000)).toBe(true);
  });
});

test('a client that idles in a transaction, or does not read its answer, loses it, so that the others go on', async () => {
  const fixture = await startFixture({ holdIdleMs: 50 });
  const [idler, other] = [await fixture.connect(), await fixture.connect()];
  await idler.query('create table t (id int)');
  const ended = once(idler, 'error');
  await idler.query('begin; insert into t values (1)');
  expect((await other.query('select * from t')).rows).toEqual([]);
  expect((await ended)[0]).toMatchObject({ code: '25P03' });
  const deaf = await RawClient.open(await fixture.embedded.socketFolder());
  deaf.socket.pause();
  deaf.send(frame('Q', text("select repeat('x', 1000) from generate_series(1, 60000)")));
  expect((await (await fixture.connect()).query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  deaf.socket.destroy();
  await fixture.remove();
});
