import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { connectEmbedded } from '../../db/core/knex';
import { Embedded, embeddedFolder, ensureEmbedded } from '../../db/embedded/ensure-embedded';
import { findRunningHost, hostPid, socketPath } from '../../db/embedded/run-folder';
import { startup } from '../../db/embedded/wire-protocol';
import { connectTo, folderWithCluster, startFixture } from './embedded-support';

let folder: string;

beforeEach(async () => {
  folder = await folderWithCluster();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (at = folder): Promise<Embedded> => ensureEmbedded(at, { durable: false });

async function expectAnswers(embedded: Embedded): Promise<void> {
  const client = await connectTo(embedded);
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
}

/** Resolves when the host that listens in `socketFolder` has ended; counts as no client. */
async function hostEnd(socketFolder: string): Promise<{ ended: Promise<unknown> }> {
  const watcher: Socket = connect(socketPath(socketFolder));
  watcher.on('error', () => undefined);
  await once(watcher, 'connect');
  // `once` would reject with the error of a connection that a killed host resets.
  return { ended: new Promise((resolve) => watcher.once('close', resolve)) };
}

/** Another process that uses the database, and the socket folder that it was given. */
async function startProcess(): Promise<{ kill: () => Promise<unknown>; socketFolder: string }> {
  const words = ['--require', require.resolve('tsx/cjs'), join(__dirname, 'embedded-starter.ts')];
  const starter: ChildProcess = spawn(process.execPath, [...words, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(starter.stdout ?? starter, 'data');
  const kill = async () => {
    starter.kill('SIGKILL');
    await once(starter, 'exit');
  };
  return { kill, socketFolder: String(line).trim() };
}

describe('starting', () => {
  // contract 14.9
  test('all that start at once, other processes included, share one host, which begins an interrupted first start anew', async () => {
    rmSync(join(folder, 'postgres', 'data.complete'));
    writeFileSync(join(folder, 'postgres', 'data', 'PG_VERSION'), '18\n');
    const [other, ...all] = await Promise.all([startProcess(), start(), start(), start()]);
    const clients = await Promise.all(all.map(connectTo));
    await clients[0]?.query('create table t (a int)');
    for (const client of clients) expect((await client.query('select a from t')).rows).toEqual([]);
    for (const each of all) expect(await each.socketFolder()).toBe(other.socketFolder);
    expect(readdirSync(join(folder, 'postgres', 'run'))).toEqual(['1']);
    await other.kill();
    await Promise.all(clients.map((client) => client.end()));
    await Promise.all(all.map((one) => one.close()));
  });

  test('an unusable folder is named with the reason', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const message = expect.stringMatching(/EEXIST.*file/);
    await expect(ensureEmbedded(file)).rejects.toMatchObject({ status: 503, message });
  });

  test('a database that another user has opened is refused at once, and the remedy named', async () => {
    const holder = await start();
    const denied = Object.assign(new Error('connect'), { code: 'EACCES' });
    const connecting = jest.spyOn(Client.prototype, 'connect').mockRejectedValue(denied as never);
    await expect(start()).rejects.toThrow('another user opened it');
    connecting.mockRestore();
    const making = jest.spyOn(fs, 'mkdirSync').mockImplementation(() => {
      throw denied;
    });
    await expect(start()).rejects.toThrow('give yours the whole folder (chown -R)');
    making.mockRestore();
    await holder.close();
  });

  test('a cluster of another major version is refused with what PostgreSQL says, and not opened again at once', async () => {
    const file = join(folder, 'postgres', 'data', 'PG_VERSION');
    const version = readFileSync(file);
    const embedded = new Embedded(embeddedFolder(folder), { durable: false });
    for (const written of ['99\n', version]) {
      writeFileSync(file, written);
      const message = expect.stringMatching(/version 99/);
      await expect(embedded.socketFolder()).rejects.toMatchObject({ status: 503, message });
    }
    await embedded.close();
  });
});

// contract 11.4
test('a call is not told why the database cannot be started again', async () => {
  const database = await connectEmbedded({ dataDir: folder, durable: false });
  await database.knex.raw('SELECT 1');
  const run = join(folder, 'postgres', 'run');
  const { ended } = await hostEnd((await findRunningHost(run)) ?? '');
  writeFileSync(join(folder, 'postgres', 'data', 'PG_VERSION'), '99\n');
  process.kill(await hostPid((await findRunningHost(run)) ?? ''), 'SIGKILL');
  await ended;
  // The connection that broke.
  await expect(database.knex.raw('SELECT 1')).rejects.toThrow();
  const message = 'The database does not answer; try again.';
  await expect(database.knex.raw('SELECT 1')).rejects.toMatchObject({ status: 503, message });
  await database.close();
});

test('a client that leaves while the database is being opened leaves the host to open it', async () => {
  const own = join(folder, 'postgres');
  mkdirSync(join(own, 'run'), { recursive: true });
  const words = ['--require', require.resolve('tsx/cjs'), require.resolve('../../db/embedded/host.ts')];
  const options = JSON.stringify({ folder: own, durable: false, holdIdleMs: 60_000 });
  const host = spawn(process.execPath, [...words, options], { stdio: ['ignore', 'ignore', 'pipe'] });
  const told: Buffer[] = [];
  host.stderr.on('data', (bytes) => told.push(bytes));
  let socketFolder: string | undefined;
  while (socketFolder === undefined) {
    await delay(10);
    socketFolder = await findRunningHost(join(own, 'run'));
  }
  const client = connect(socketPath(socketFolder));
  client.end(startup({ user: 'postgres', application_name: 'psql' }));
  client.resume();
  await once(client, 'close');
  const embedded = await start();
  expect(await embedded.socketFolder()).toBe(socketFolder);
  await expectAnswers(embedded);
  await embedded.close();
  expect(told.join('')).not.toMatch(/Error/);
});

describe('ending', () => {
  test('the host closes the database and ends when its last user has released it, and leaves no folder behind, also where a path is too long for a socket', async () => {
    const deep = join(folder, 'deep'.repeat(30));
    renameSync(await folderWithCluster(), deep);
    for (const _time of [1, 2]) {
      const embedded = await start(deep);
      await expectAnswers(embedded);
      const { ended } = await hostEnd(await embedded.socketFolder());
      await embedded.close();
      await ended;
      await expect(embedded.socketFolder()).rejects.toMatchObject({ status: 503 });
    }
    expect(readdirSync(join(deep, 'postgres', 'run'))).toEqual(['2']);
  });

  test('the host outlives the process that started it while another uses it, and ends with the last', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    const embedded = await start();
    const { ended } = await hostEnd(first.socketFolder);
    await first.kill();
    await expectAnswers(embedded);
    await embedded.close();
    await second.kill();
    await ended;
  });
});

test('a host that is killed loses nothing that was committed, and the next query starts another', async () => {
  const fixture = await startFixture();
  const database = await connectEmbedded({ dataDir: fixture.dataFolder, durable: false, poolMax: 2 });
  await database.knex.raw('create table t (id int primary key)');
  let committed = 0;
  const writing = (async () => {
    for (;;) {
      await database.knex('t').insert({ id: committed + 1 });
      committed += 1;
    }
  })();
  const { ended } = await hostEnd(await fixture.embedded.socketFolder());
  while (committed < 200) await database.knex.raw('select 1');
  const connections = await Promise.all([1, 2].map(() => database.knex.client.acquireConnection()));
  const noticed = Promise.all(connections.map((each) => new Promise((resolve) => each.once('end', resolve))));
  for (const each of connections) await database.knex.client.releaseConnection(each);
  process.kill(await fixture.hostPid(), 'SIGKILL');
  await expect(writing).rejects.toThrow();
  await ended;
  // The system ends the connections of a killed process one after another.
  await noticed;

  const rows = await database.knex('t').count('* as n').max('id as last').first();
  // The one that was under way may have been committed without its answer.
  expect([committed, committed + 1]).toContain(rows?.n);
  expect(rows?.last).toBe(rows?.n);
  await database.close();
  await fixture.remove();
});
