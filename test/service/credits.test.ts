import { join } from 'node:path';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import type { Database } from '../../db/core/knex';
import { RandomIds, SystemClock } from '../../scripts/composition/system';
import { generateBundle, productId } from '../../scripts/lab/generator/generate-bundle';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { openAccount as openPayer } from '../faults/books';
import { type Answer, ApiClient } from '../support/api-client';
import type { Installation } from '../support/installation';
import { loupeHere } from '../support/run-loupe';
import { layoutInstallation } from './layout-installation';

/**
 * contract 9.2, 10 across processes: two of them answer for one account, on one database. On the embedded default
 * both share its folder; on PostgreSQL and Redis they are two APIs.
 */
const SEED = 7;
const CREDITS = 200;

let installation: Installation;
let settings: Installation['settings'];
let stores: Database;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  installation = await layoutInstallation();
  settings = installation.settings;
  const role = settings['REDIS_URL'] === undefined ? {} : { ROLE: 'api' };
  processes.push(...(await Promise.all([1, 2].map(() => startProcess({ ...settings, ...role })))));
  const bundle = join(installation.folder, 'bundle');
  await generateBundle({ seed: SEED, products: 30, out: bundle, images: false });
  await loupeHere(settings, 'catalog', 'import', bundle, '--no-wait');
  stores = await installation.connect();
}, 180_000);

afterAll(async () => {
  for (const each of processes) await each.stop();
  await stores?.close();
  await installation?.remove();
}, 60_000);

/** A client of each process with one new key, of an account with so many credits. */
async function openAccount(credits: number) {
  const { key, ...opened } = await openPayer({ database: stores }, 'test', { credits, test: false });
  return { ...opened, clients: processes.map(({ url }) => new ApiClient(url, key)) };
}

async function balanceOf(accountId: string) {
  const accounts = new PostgresAccountRepository(stores.knex, new RandomIds(), new SystemClock());
  return (await accounts.account(accountId))?.credits;
}

async function booked(accountId: string): Promise<number> {
  const lines = await new PostgresCreditLedger(stores.knex, new SystemClock()).usage(accountId, null, null);
  return lines.reduce((sum, { credits }) => sum + credits, 0);
}

/** Calls of every price there is without a photo, and of none. */
const CALLS: readonly ((api: ApiClient) => Promise<Answer<object>>)[] = [
  (api) => api.query({ includes: ['pricing'] }),
  (api) => api.query({ query: 'noir', page_size: 5 }),
  (api) => api.query({ query: 'nothingatall', includes: ['pricing'] }),
  (api) => api.item(productId(SEED, 3), 'pricing'),
  (api) => api.item('product_nobody', 'pricing'),
  (api) => api.v1({}),
  (api) => api.v2({ attribute: 'brand' }),
  (api) => api.query({ page: -1 }),
];

test('two processes never spend more than an account has, and the ledger is the sum of what they answered', async () => {
  const { accountId, clients } = await openAccount(CREDITS);
  const answers: Answer<object>[] = [];
  const hammer = async (client: number) => {
    for (let call = 0; call < 16; call += 1) {
      const api = clients[(client + call) % clients.length];
      const make = CALLS[(client * 3 + call) % CALLS.length];
      if (api && make) answers.push(await make(api));
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, client) => hammer(client)));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400, 402, 404]));
  const used = answers.map(({ headers }) => Number(headers.get('X-Credits-Used')));
  const sum = used.reduce((total, each) => total + each, 0);
  for (const [index, { status, body, headers }] of answers.entries()) {
    if (status !== 200) expect(used[index]).toBe(0);
    if ('credits_used' in body) expect(body.credits_used).toBe(used[index]);
    expect(Number(headers.get('X-Credits-Remaining'))).toBeGreaterThanOrEqual(0);
  }
  expect(await Promise.all([booked(accountId), balanceOf(accountId)])).toEqual([sum, CREDITS - sum]);
  expect(CREDITS - sum).toBeGreaterThanOrEqual(0);
}, 120_000);

test('the last credit is spent once, whoever asks for it', async () => {
  const { accountId, clients } = await openAccount(1);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, call) => clients[call % clients.length]?.query({ query: 'noir' })),
  );
  expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => answer?.status === 402)).toHaveLength(19);
  expect(await Promise.all([booked(accountId), balanceOf(accountId)])).toEqual([1, 0]);
}, 60_000);
