import type { Client } from 'pg';
import { frame } from '../../db/embedded/wire-protocol';
import { type EmbeddedFixture, startFixture } from './embedded-support';
import { bind, execute, parse, RawClient, rowsIn, sync, text } from './raw-client';

const MEGABYTE = 1_000_000;

let fixture: EmbeddedFixture;
let holder: Client;
const newRawClient = async () => RawClient.open(await fixture.embedded.socketFolder());

beforeAll(async () => {
  // Less than the time of a test: a message that never arrives shows as an error. Long enough for a busy machine.
  fixture = await startFixture({ holdIdleMs: 60_000 });
  holder = await fixture.connect();
  await holder.query('create table t (name text not null)');
});
afterAll(() => fixture.remove());

/** Holds the database while `begin` starts what is to wait for its turn; then releases it. */
async function whileHeld<T>(begin: () => T): Promise<T> {
  await holder.query('begin');
  const begun = begin();
  // With each answer the host serves its sockets, so it has read as much of the others as it will.
  for (let pass = 0; pass < 100; pass += 1) await holder.query('select 1');
  await holder.query('commit');
  return begun;
}

const insert = 'insert into t values ($1) returning length(name) as bytes';

describe.each([2, 20])('messages of %i MB that wait for their turn', (megabytes) => {
  const name = 'x'.repeat(megabytes * MEGABYTE);

  test.each([
    ['parameters', (client: Client) => client.query(insert, [name])],
    ['named statements', (client: Client) => client.query({ name: 'large', text: insert, values: [name] })],
    ['simple queries', (client: Client) => client.query(insert.replace('$1', `'${name}'`))],
  ])('of three clients are all answered, and others beside them: %s', async (_, send) => {
    const clients = await Promise.all([1, 2, 3].map(() => fixture.connect()));
    const other = await fixture.connect();
    const answered = await whileHeld(() => [...clients.map(send), other.query('select 0 as bytes')]);
    const bytes = (await Promise.all(answered)).map(({ rows }) => rows[0].bytes);
    expect(bytes).toEqual([name.length, name.length, name.length, 0]);
  });

  test.each([
    ['while it waits', whileHeld],
    ['in its turn', async (begin: () => void) => begin()],
  ])('leave nothing and hold nobody up when their client dies within one, %s', async (_, started) => {
    await holder.query('truncate t');
    const whole = Buffer.concat([parse("insert into t values ('gone')"), bind(), execute()]);
    const large = frame('Q', text(`insert into t values ('${name}')`));
    const dying = await newRawClient();
    await started(() => dying.send(whole, large.subarray(0, large.length / 2)));
    const counted = holder.query('select count(*)::int as n from t');
    dying.socket.destroy();
    expect((await counted).rows).toEqual([{ n: 0 }]);
    expect((await holder.query('select count(*)::int as n from t')).rows).toEqual([{ n: 0 }]);
  });
});

test('a client that sends large messages without waiting gets all answers in order', async () => {
  const client = await newRawClient();
  const sizes = [3, 1, 2].map((megabytes) => megabytes * MEGABYTE);
  await whileHeld(() => {
    for (const size of sizes)
      client.send(parse(`select length('${'x'.repeat(size)}')`), bind(), execute(), sync());
  });
  for (const size of sizes) expect(rowsIn(await client.until('Z'))).toEqual([String(size)]);
  client.socket.destroy();
});

test('a message above the size limit disconnects its client and nobody else, even if it waited for its turn', async () => {
  const tooLong = frame('Q');
  tooLong.writeInt32BE(2 ** 30, 1);
  const client = await newRawClient();
  await whileHeld(() => client.send(frame('Q', text('select 1')), tooLong));
  expect(String((await client.until('E')).at(-1))).toContain('08P01');
  expect((await holder.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
