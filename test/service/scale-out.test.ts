import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../db/core/knex';
import { processEnvironment } from '../../scripts/config';
import { freePort } from '../../scripts/lab/services/servers';
import { audit, openAccount, type Payer } from '../faults/books';
import { type Outcome, runLoad } from '../faults/load';
import { Photos } from '../faults/photos';
import { ServicePart } from '../faults/service-part';
import type { Installation } from '../support/installation';
import { loupeHere } from '../support/run-loupe';
import { layoutInstallation } from './layout-installation';

/**
 * Beyond one machine: two apis and three workers that share nothing but PostgreSQL, Redis and a folder, each at an address of
 * its own where the system has several loopback addresses. Needs servers, so `npm run test:services` runs it.
 */
const { TEST_DATABASE_URL, TEST_REDIS_URL } = processEnvironment();
const HOSTS = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];
const CLIENTS = 4;
/** More than a photo takes, less than would slow the test. */
const PAUSE_MS = 20;

let installation: Installation;
let database: Database;
let payer: Payer;
let photos: Photos;
let apis: ServicePart[];
let workers: ServicePart[];

const withServers = TEST_DATABASE_URL && TEST_REDIS_URL ? describe : describe.skip;

withServers('Two apis and three workers, each at an address of its own', () => {
  beforeAll(async () => {
    installation = await layoutInstallation({ LOG_LEVEL: 'error', IMAGE_STORE: '' });
    const { folder, settings } = installation;
    const parts = await Promise.all(
      HOSTS.map(async (host, index) => {
        const address = await addressOf(host);
        return new ServicePart({ ...settings, ...address, ROLE: index < 2 ? 'api' : 'worker' });
      }),
    );
    apis = parts.slice(0, 2);
    workers = parts.slice(2);
    await Promise.all(parts.map((part) => part.start()));
    photos = await Photos.ofCatalog(join(folder, 'bundle'));
    await loupeHere(settings, 'catalog', 'import', join(folder, 'bundle'));
    database = await installation.connect();
    payer = await openAccount({ database }, 'scale');
  }, 120_000);

  afterAll(async () => {
    await Promise.all([...apis, ...workers].map((part) => part.stop()));
    await database.close();
    await installation.remove();
  }, 60_000);

  test('serve one queue from five addresses', async () => {
    const parts = [...apis, ...workers];
    expect(new Set(parts.map((part) => new URL(part.url).host)).size).toBe(parts.length);
    const ready = await Promise.all(parts.map(async ({ url }) => (await fetch(`${url}/readyz`)).status));
    expect(ready).toEqual([200, 200, 200, 200, 200]);
  });

  test('lose a worker and an api, killed under a steady load, and no call but those the api had in hand', async () => {
    // Anyone who waits for a job of the dead worker waits until another one has taken it over.
    const outcomes = await load(async (progress) => {
      await progress(40);
      await workers[0]?.kill();
      await progress(40);
      await apis[0]?.kill();
      await progress(40);
    });
    const lost = outcomes.filter(({ end }) => end !== 'answered');
    const answered = outcomes.filter(({ end }) => end === 'answered');
    expect(answered.map(({ status }) => status)).toEqual(answered.map(() => 200));
    expect(answered.flatMap(({ fault }) => fault ?? [])).toEqual([]);
    expect(lost.map(({ end }) => end)).toEqual(lost.map(() => 'connection lost'));
    expect(lost.length).toBeLessThanOrEqual(CLIENTS);
    expect([...apis, ...workers].map((part) => part.isRunning)).toEqual([false, true, false, true, true]);
    expect((await audit({ database }, payer, outcomes)).faults).toEqual([]);
  }, 60_000);

  test('take new processes in: the killed ones come back to the same addresses', async () => {
    await Promise.all([apis[0]?.start(), workers[0]?.start()]);
    const outcomes = await load((progress) => progress(40));
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 200));
  }, 60_000);
});

/** Calls until what disturbs them is done. */
function load(disturb: (progress: (calls: number) => Promise<void>) => Promise<void>): Promise<Outcome[]> {
  let calls = 0;
  const progress = async (more: number): Promise<void> => {
    const target = calls + more;
    while (calls < target) await delay(5);
  };
  return runLoad(
    { apis },
    {
      key: payer.key,
      callsMin: 0,
      concurrency: CLIENTS,
      pauseMs: PAUSE_MS,
      faults: disturb(progress),
      plan: async (call) => {
        calls += 1;
        const { jpeg, product } = await photos.photo(call);
        return { body: { base64: jpeg.toString('base64') }, product, hangUpAfterMs: null };
      },
    },
  );
}

/** Linux answers on all of 127.0.0.0/8; elsewhere the parts are told apart by their ports. */
async function addressOf(host: string): Promise<{ HOST: string; PORT: string }> {
  const exists = await new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(0, host, () => server.close(() => resolve(true)));
  });
  return { HOST: exists ? host : '127.0.0.1', PORT: String(await freePort()) };
}
