import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connectEmbedded } from '../../db/core/knex';
import { ensureEmbedded } from '../../db/embedded/ensure-embedded';
import { socketPath } from '../../db/embedded/run-folder';
import { connectTo, emptyTemplate, newFolder, startFixture } from './embedded-support';

let folder: string;
let template: string;

beforeAll(async () => {
  template = await emptyTemplate();
});
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Resolves when the host that listens in `socketFolder` has ended; counts as no client. */
async function hostEnd(socketFolder: string): Promise<{ ended: Promise<unknown> }> {
  const watcher: Socket = connect(socketPath(socketFolder));
  watcher.on('error', () => undefined);
  await once(watcher, 'connect');
  return { ended: once(watcher, 'close') };
}

/** Another process that uses the database, and the socket folder that it was given. */
async function startProcess(): Promise<{ process: ChildProcess; socketFolder: string }> {
  const starter = spawn(
    process.execPath,
    ['--require', require.resolve('tsx/cjs'), join(__dirname, 'embedded-starter.ts'), folder, template],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const [line] = await once(starter.stdout, 'data');
  return { process: starter, socketFolder: String(line).trim() };
}

describe('starting', () => {
  // contract 14.9
  test('all that start at once on a new folder share one host', async () => {
    const starting = [1, 2, 3, 4].map(() => ensureEmbedded(folder, { template, durable: false }));
    const embedded = await Promise.all(starting);
    const clients = await Promise.all(embedded.map(connectTo));
    await clients[0]?.query('create table t (a int)');
    for (const client of clients) expect((await client.query('select a from t')).rows).toEqual([]);
    expect(readdirSync(join(folder, 'postgres', 'run'))).toEqual(['1']);
    await Promise.all(clients.map((client) => client.end()));
    await Promise.all(embedded.map((one) => one.close()));
  });

  test('a process of its own joins the host that runs, and goes without it', async () => {
    const embedded = await ensureEmbedded(folder, { template, durable: false });
    const other = await startProcess();
    expect(other.socketFolder).toBe(await embedded.socketFolder());
    other.process.kill('SIGKILL');
    await once(other.process, 'exit');
    const client = await connectTo(embedded);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await embedded.close();
  });

  test('a folder whose path is too long for a socket works', async () => {
    const deep = join(folder, 'deep'.repeat(30));
    const embedded = await ensureEmbedded(deep, { template, durable: false });
    const client = await connectTo(embedded);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await embedded.close();
  });

  test('what an interrupted first start left is begun anew', async () => {
    mkdirSync(join(folder, 'postgres', 'data'), { recursive: true });
    writeFileSync(join(folder, 'postgres', 'data', 'PG_VERSION'), '18\n');
    const embedded = await ensureEmbedded(folder, { template, durable: false });
    await embedded.close();
  });

  test('a folder that can not be used is named with the reason', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(ensureEmbedded(file)).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(/file.*ENOTDIR/),
    });
  });

  test('a cluster of another major version is refused with what PostgreSQL says', async () => {
    const embedded = await ensureEmbedded(folder, { template, durable: false });
    await embedded.close();
    writeFileSync(join(folder, 'postgres', 'data', 'PG_VERSION'), '99\n');
    await expect(ensureEmbedded(folder, { durable: false })).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(/version 99/),
    });
  });
});

describe('ending', () => {
  test('the host closes the database and ends when its last user has given it up', async () => {
    const embedded = await ensureEmbedded(folder, { template, durable: false });
    const { ended } = await hostEnd(await embedded.socketFolder());
    await embedded.close();
    await ended;
    await expect(embedded.socketFolder()).rejects.toMatchObject({ status: 503 });
  });

  test('the host ends when the process that started it is killed', async () => {
    const starter = await startProcess();
    const { ended } = await hostEnd(starter.socketFolder);
    starter.process.kill('SIGKILL');
    await ended;
  });

  test('the host lives on while another process is connected', async () => {
    const starter = await startProcess();
    const embedded = await ensureEmbedded(folder, { template, durable: false });
    starter.process.kill('SIGKILL');
    await once(starter.process, 'exit');
    const client = await connectTo(embedded);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await embedded.close();
  });

  test('no folder of earlier hosts is left beside the newest', async () => {
    for (let start = 0; start < 2; start += 1) {
      const embedded = await ensureEmbedded(folder, { template, durable: false });
      await embedded.close();
    }
    expect(readdirSync(join(folder, 'postgres', 'run'))).toEqual(['2']);
  });
});

describe('a host that is killed', () => {
  test('loses nothing that was committed, and the next query starts another', async () => {
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
    const noticed = Promise.all(
      connections.map((each) => new Promise((resolve) => each.once('end', resolve))),
    );
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
});
