import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { ensureEmbedded } from '../../db/embedded/ensure-embedded';
import { readRecord, writeRecord } from '../../db/embedded/host-record';
import { type Claim, RunFolder } from '../../db/embedded/run-folder';
import { emptyTemplate, newFolder } from './embedded-support';

const LONG_MS = 3_600_000;
const SHORT_MS = 60;

let folder: string;
let servers: Server[];

beforeEach(() => {
  folder = newFolder();
  servers = [];
});
afterEach(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A process on the machine `name` that wants to be the host of the one folder. */
function claimOn(name: string, staleMs: number): Promise<Claim | undefined> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  return new RunFolder(join(folder, 'run'), { id: `boot of ${name}`, name }, staleMs).claim(server);
}

async function hostOn(name: string, staleMs: number): Promise<Claim> {
  const claim = await claimOn(name, staleMs);
  if (!claim) throw new Error(`${name} found another host`);
  return claim;
}

/** As when its process ends: nobody listens any more. */
const firstEnds = () => new Promise((resolve) => servers[0]?.close(resolve));

test('a second machine is refused while the host of the first renews its record, and is told what to do', async () => {
  const first = await hostOn('first', LONG_MS);
  const renewing = setInterval(() => first.renew(), 5);
  await expect(claimOn('second', LONG_MS)).rejects.toThrow(
    /another machine \(first, process \d+\).*DATA_DIR.*DATABASE_URL/s,
  );
  clearInterval(renewing);
  expect(first.renew()).toBe(true);
});

test('a second machine takes over from one that no longer renews, and the first learns of it', async () => {
  const first = await hostOn('first', LONG_MS);
  const second = await hostOn('second', SHORT_MS);
  expect(first.renew()).toBe(false);
  expect(second.renew()).toBe(true);
});

test('of several machines that take over at once, one does', async () => {
  await hostOn('first', LONG_MS);
  const others = ['second', 'third', 'fourth'].map((name) => hostOn(name, SHORT_MS));
  const claims = (await Promise.allSettled(others)).flatMap((each) =>
    each.status === 'fulfilled' ? [each.value] : [],
  );
  expect(claims.map((claim) => claim.renew()).filter(Boolean)).toHaveLength(1);
});

test('a host that has closed the database is not waited for', async () => {
  (await hostOn('first', LONG_MS)).release();
  await firstEnds();
  await hostOn('second', LONG_MS);
});

test('a host of the same machine that has died is not waited for, and one that listens is not doubled', async () => {
  await hostOn('first', LONG_MS);
  expect(await claimOn('first', LONG_MS)).toBeUndefined();
  await firstEnds();
  await hostOn('first', LONG_MS);
});

test('a record that a crash tore is waited for like any other', async () => {
  const first = await hostOn('first', LONG_MS);
  writeFileSync(join(first.socketFolder, 'host.json'), '');
  const second = await hostOn('second', SHORT_MS);
  expect(second.renew()).toBe(true);
});

// contract 14.9
test('the embedded database of a machine that lives is not opened by another', async () => {
  const template = await emptyTemplate();
  const embedded = await ensureEmbedded(folder, { template, durable: false });
  const socketFolder = await embedded.socketFolder();
  const record = readRecord(socketFolder);
  // As if the host were elsewhere: it goes on renewing what says so.
  writeRecord(socketFolder, { machine: { id: 'elsewhere', name: 'far' }, pid: record?.pid ?? 0 });
  await expect(ensureEmbedded(folder, { template, durable: false })).rejects.toMatchObject({
    status: 503,
    message: expect.stringMatching(/another machine \(far/),
  });
  await embedded.close();
});
