import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { socketPath } from '../../db/embedded/run-folder';
import { frame, startup } from '../../db/embedded/wire-protocol';
import { startFixture } from './embedded-support';

const sql = fc.constantFrom(
  ...['select 1', 'begin', 'savepoint s', 'commit', 'rollback', 'selec', '', 'prepare p as select 1'],
  ...['copy t from stdin', 'copy t from stdin; copy t from stdin', 'copy t to stdout'],
  'insert into t values ($1)',
);
const name = fc.constantFrom('\0', 'n\0');
const body = (text: string, zeros = 0) => Buffer.concat([Buffer.from(text), Buffer.alloc(zeros)]);

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

test('whatever one client sends, and whenever it leaves, the others get their answers', async () => {
  const fixture = await startFixture();
  const other = await fixture.connect();
  await other.query('create table t (a int)');
  const host = await fixture.hostPid();
  const path = socketPath(await fixture.embedded.socketFolder());

  const property = fc.asyncProperty(fc.array(message, { maxLength: 14 }), async (messages) => {
    const socket = connect(path);
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(Buffer.concat([startup({ user: 'garbage' }), ...messages]));
    const answered = other.query('select 7 as seven');
    await once(socket, 'data');
    socket.destroy();
    expect((await answered).rows).toEqual([{ seven: 7 }]);
    expect((await other.query('select txid_current_if_assigned() as open')).rows).toEqual([{ open: null }]);
  });
  await fc.assert(property, { numRuns: 300 });
  expect(await fixture.hostPid()).toBe(host);
  await fixture.remove();
});
