import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Housekeeper } from '../../db/embedded/housekeeper';
import { socketPath } from '../../db/embedded/run-folder';
import { frame, startup } from '../../db/embedded/wire-protocol';
import { type EmbeddedFixture, startFixture } from './embedded-support';
import { bind, execute, flush, parse, RawClient, rowsIn, sync, text } from './raw-client';

const sql = fc.constantFrom(
  ...['select 1', 'begin', 'savepoint s', 'commit', 'rollback', 'selec', '', 'prepare p as select 1'],
  ...[
    'copy garbage from stdin',
    'copy garbage from stdin; copy garbage from stdin',
    'copy garbage to stdout',
  ],
  'insert into garbage values ($1)',
);
const name = fc.constantFrom('\0', 'n\0');
const body = (text: string, zeros = 0) => Buffer.concat([Buffer.from(text), Buffer.alloc(zeros)]);
const one = frame('Q', text('select 1'));
const run = (sql: string) => [parse(sql), bind(), execute(), flush()];

/** Valid messages, in an order that nobody would send them in, and some invalid ones. */
const message: fc.Arbitrary<Buffer> = fc.oneof(
  sql.map((text) => frame('Q', body(`${text}\0`))),
  fc.tuple(name, sql).map(([statement, text]) => frame('P', body(`${statement}${text}\0`, 2))),
  fc.tuple(name, name).map(([portal, statement]) => frame('B', body(portal + statement, 6))),
  name.map((portal) => frame('E', body(portal, 4))),
  fc
    .tuple(fc.constantFrom('D', 'C'), fc.constantFrom('S', 'P'), name)
    .map(([type, kind, of]) => frame(type, body(kind + of))),
  fc.constantFrom(...'HSc').map((type) => frame(type)),
  fc.constantFrom(frame('d', body('1\n')), frame('d', body('x\n')), frame('f', body('no\0'))),
  fc
    .tuple(fc.constantFrom(...'QPBEDCHScdfFXp?'), fc.uint8Array({ maxLength: 40 }))
    .map(([type, bytes]) => frame(type, bytes)),
);

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

  test('prepared statements of the same name stay apart', async () => {
    const named = (client: Client, sql: string) => client.query({ name: 'same', text: sql, values: [] });
    await named(a, "select 'a' as of");
    await named(b, "select 'b' as of");
    expect((await named(a, "select 'a' as of")).rows).toEqual([{ of: 'a' }]);
    expect((await named(b, "select 'b' as of")).rows).toEqual([{ of: 'b' }]);
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

  test.each([
    ['statement', run('select 1/0'), 'E', [one, sync()]],
    ['COPY', run('copy t from stdin'), 'G', [frame('d', body('bad\n')), sync()]],
    ['simple COPY', [frame('Q', text('copy t from stdin'))], 'G', [frame('d', body('bad\n')), frame('c')]],
  ])('a client that stays after an error in a %s goes on', async (_what, sent, answer, then) => {
    const client = await RawClient.open(await fixture.embedded.socketFolder());
    client.send(...sent);
    await client.until(answer);
    client.send(...then, one);
    expect(rowsIn(await client.until('D'))).toEqual(['1']);
    client.socket.destroy();
  });

  test('an answer far larger than the buffers arrives whole', async () => {
    const { rows } = await a.query("select i, repeat('x', 1000) as filler from generate_series(1, 30000) i");
    expect(rows).toHaveLength(30_000);
    expect(rows.every((row, i) => row.i === i + 1 && row.filler.length === 1000)).toBe(true);
  });

  test('dead rows are removed, the planner gets statistics, and the log is truncated', async () => {
    await a.query("create table dead as select repeat('x', 900) as filler from generate_series(1, 20000)");
    for (let round = 0; round < 4; round += 1) await a.query("update dead set filler = filler || 'y'");
    const figures = async () => {
      // Counts are published only once a second.
      await a.query('select pg_stat_force_next_flush()');
      const { rows } = await a.query(
        `select n_dead_tup::int as dead, c.reltuples::int as rows,
                pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as log
         from pg_stat_user_tables s join pg_class c on c.oid = s.relid, pg_control_checkpoint()
         where s.relname = 'dead'`,
      );
      return rows[0];
    };
    expect((await figures()).dead).toBeGreaterThan(20_000);
    expect((await figures()).log).toBeGreaterThan(64 * 1024 * 1024);

    const faults: string[] = [];
    const turns = { isBusy: false, turnsGranted: 1 };
    await new Housekeeper(await fixture.embedded.socketFolder(), turns, (line) => faults.push(line)).run();

    expect(faults).toEqual([]);
    expect(await figures()).toMatchObject({ dead: 0, rows: 20_000 });
    expect((await figures()).log).toBeLessThan(64 * 1024 * 1024);
  });

  test('whatever one client sends, and whenever it leaves, the others get their answers', async () => {
    await a.query('create table garbage (a int)');
    const host = await fixture.hostPid();
    const path = socketPath(await fixture.embedded.socketFolder());

    const property = fc.asyncProperty(fc.array(message, { maxLength: 14 }), async (messages) => {
      const socket = connect(path);
      socket.on('error', () => undefined).resume();
      await once(socket, 'connect');
      socket.write(Buffer.concat([startup({ user: 'garbage' }), ...messages]));
      const answered = a.query('select 7 as seven');
      await once(socket, 'data');
      socket.destroy();
      expect((await answered).rows).toEqual([{ seven: 7 }]);
      expect((await a.query('select txid_current_if_assigned() as open')).rows).toEqual([{ open: null }]);
    });
    const twoCopies = frame('Q', body('copy garbage from stdin; copy garbage from stdin\0'));
    const messages = [frame('c'), twoCopies, frame('d', body('x\n')), frame('S')];
    const examples = Array.from({ length: 50 }, (): [Buffer[]] => [messages]);
    // Where a client gets no answer, neither do those of later runs and tests.
    await fc.assert(property, { numRuns: 300, examples, timeout: 20_000, endOnFailure: true });
    expect(await fixture.hostPid()).toBe(host);
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
