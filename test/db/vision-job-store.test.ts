import { randomUUID } from 'node:crypto';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { API_VERSIONS } from '../../models/access/api-key';
import type { NewJob } from '../../models/vision/jobs/vision-job';
import { useDatabase } from '../support/database';

jest.setTimeout(240_000);

const MINUTE_MS = 60_000;
let now = new Date('2026-03-01T12:00:00Z');
const clock = { now: () => now };
const lease = (): Date => new Date(now.getTime() + MINUTE_MS);

const database = useDatabase();
let stores: PostgresVisionJobStore[];
let job: Omit<NewJob, 'id' | 'entries'>;

beforeAll(async () => {
  // As many as there are processes, each with connections of its own.
  const pools = [database.knex, await database.connect()];
  stores = pools.map((knex) => new PostgresVisionJobStore(knex, clock));
  const accounts = new PostgresAccountRepository(database.knex, { next: randomUUID }, clock);
  const { id: accountId } = await accounts.createAccount('test', null);
  const limits = { perSecond: null, perMinute: null, concurrency: null };
  const key = {
    accountId,
    name: 'test',
    versions: API_VERSIONS,
    test: false,
    limits,
    hash: Buffer.alloc(32),
  };
  job = {
    accountId,
    keyId: (await accounts.createKey(key)).id,
    includes: ['taxonomy'],
    baseUrl: 'https://a.example',
  };
}, 240_000);
const add = (id: string, count: number) => {
  const [store] = stores;
  if (!store) throw new Error('there is no store');
  const entry = { photos: [{ kind: 'url' as const, url: new URL('https://a.example/1.jpg') }] };
  const asked = { ...entry, category: null, filters: [], explain: false };
  return store.add({ ...job, id, entries: Array.from({ length: count }, () => asked) });
};

// contract 16.3, 16.4
test('of two processes that begin entries at the same time each has its own, until its time is over', async () => {
  await add('job_1', 60);
  const beginAll = async (store: PostgresVisionJobStore): Promise<number[]> => {
    const own: number[] = [];
    for (;;) {
      const entry = await store.begin(lease());
      if (!entry) return own;
      own.push(entry.position);
    }
  };
  const workers = stores.flatMap((store) => [store, store, store].map(beginAll));
  const begun = (await Promise.all(workers)).flat();
  expect([...begun].sort((left, right) => left - right)).toEqual(Array.from({ length: 60 }, (_, at) => at));
  now = lease();
  expect(await stores[1]?.begin(lease())).toMatchObject({ position: 0, tries: 2 });
});

test('an entry is finished by the one process that has it, once', async () => {
  await add('job_2', 1);
  const answer = { state: 'done' as const, predictionId: 'p', answer: { success: true, credits_used: 3 } };
  const begin = async (store = stores[0]) => {
    for (;;) {
      const entry = await store?.begin(lease());
      if (!entry) throw new Error('nothing is due');
      if (entry.jobId === 'job_2') return entry;
    }
  };
  const dead = await begin();
  now = lease();
  const alive = await begin(stores[1]);
  expect(await stores[0]?.finish(dead, answer)).toBe(false);
  await stores[0]?.postpone(dead, now);
  const finished = await Promise.all([0, 1].map(() => stores[1]?.finish(alive, answer)));
  expect(finished.filter(Boolean)).toHaveLength(1);
  const json = JSON.stringify(answer.answer);
  const found = await stores[0]?.find(job.accountId, 'job_2');
  expect(found?.entries).toEqual([
    { state: 'done', predictionId: 'p', answerBytes: json.length, creditsUsed: 3 },
  ]);
  expect(await stores[0]?.answers('job_2', 0, 1)).toEqual([json]);
});

test('a job of an id that there is stays as it is, and keeps what it asks', async () => {
  await add('job_3', 2);
  await add('job_3', 5);
  expect((await stores[0]?.find(job.accountId, 'job_3'))?.entries).toHaveLength(2);
  expect(await stores[0]?.find('account_of_nobody', 'job_3')).toBeNull();
});
