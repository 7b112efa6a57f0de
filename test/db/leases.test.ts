import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import type { NewJob } from '../../models/vision/jobs/vision-job';
import { openAccount } from '../faults/books';
import { useDatabase } from '../support/database';

describe('entries of vision jobs', () => {
  jest.setTimeout(240_000);

  const MINUTE_MS = 60_000;
  let now = new Date('2026-03-01T12:00:00Z');
  const clock = { now: () => now };
  const lease = (): Date => new Date(now.getTime() + MINUTE_MS);

  const database = useDatabase();
  let stores: PostgresVisionJobStore[];
  let job: Omit<NewJob, 'id' | 'entries'>;
  const OPEN_MAX = 1_000;

  beforeAll(async () => {
    // As many as there are processes, each with connections of its own.
    const pools = [database.knex, await database.connect()];
    stores = pools.map((knex) => new PostgresVisionJobStore(knex, clock));
    job = { ...(await newAccount()), test: false, includes: ['taxonomy'], baseUrl: 'https://a.example' };
  }, 240_000);

  const newAccount = () => openAccount({ database }, 'test', { test: false });

  function add(id: string, count: number, owner = job, store = stores[0]): Promise<boolean> {
    if (!store) throw new Error('there is no store');
    const entry = { photos: [{ kind: 'url' as const, url: new URL('https://a.example/1.jpg') }] };
    const asked = { ...entry, category: null, filters: [], minConfidence: null, explain: false };
    return store.add({ ...owner, id, entries: Array.from({ length: count }, () => asked) }, OPEN_MAX);
  }

  // contract 16.3, 16.4
  test('two processes never begin the same entry, until its lease ends', async () => {
    await add('job_1', 60);
    const beginAll = async (store: PostgresVisionJobStore): Promise<number[]> => {
      const own: number[] = [];
      for (;;) {
        const entry = await store.begin(MINUTE_MS);
        if (!entry) return own;
        own.push(entry.position);
      }
    };
    const workers = stores.flatMap((store) => [store, store, store].map(beginAll));
    const begun = (await Promise.all(workers)).flat();
    expect([...begun].sort((left, right) => left - right)).toEqual(Array.from({ length: 60 }, (_, at) => at));
    now = lease();
    expect(await stores[1]?.begin(MINUTE_MS)).toMatchObject({ position: 0, tries: 2 });
  });

  test('an entry is finished once, by the process that leases it', async () => {
    await add('job_2', 1);
    const answer = { state: 'done' as const, predictionId: 'p', answer: { success: true, credits_used: 3 } };
    const begin = async (store = stores[0]) => {
      for (;;) {
        const entry = await store?.begin(MINUTE_MS);
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
    const found = await stores[0]?.find(job, 'job_2');
    expect(found?.entries).toEqual([
      { state: 'done', predictionId: 'p', answerBytes: json.length, creditsUsed: 3 },
    ]);
    expect(await stores[0]?.answers('job_2', 0, 1)).toEqual([json]);
  });

  test('adding a job under an existing id changes nothing', async () => {
    await add('job_3', 2);
    await add('job_3', 5);
    expect((await stores[0]?.find(job, 'job_3'))?.entries).toHaveLength(2);
    expect(await stores[0]?.find({ ...job, accountId: 'account_of_nobody' }, 'job_3')).toBeNull();
  });

  // contract 16.5
  describe('the account served longest ago', () => {
    const [many, one] = ['many', 'one'];
    let owners: Record<string, typeof job>;
    beforeEach(async () => {
      await database.knex('vision_jobs').delete();
      owners = {
        [many]: { ...job, ...(await newAccount()) },
        [one]: { ...job, ...(await newAccount()) },
      };
    });
    const nameOf = (accountId?: string) =>
      Object.entries(owners).find(([, owner]) => owner.accountId === accountId)?.[0] ?? null;
    const next = async (without: string[] = []) =>
      nameOf((await stores[0]?.begin(MINUTE_MS, without))?.accountId);

    test('has the next turn, however many jobs others have', async () => {
      for (let at = 0; at < 50; at += 1) await add(`many_${at}`, 1, owners[many]);
      expect([await next(), await next()]).toEqual([many, many]);
      await add('one', 5, owners[one]);
      const turns: unknown[] = [];
      for (let turn = 0; turn < 10; turn += 1) turns.push(await next());
      expect(turns).toEqual(Array.from({ length: 5 }, () => [one, many]).flat());
    });

    test('keeps its turn while it has no entries', async () => {
      for (let at = 0; at < 5; at += 1) {
        await add(`many_${at}`, 1, owners[many]);
        expect(await next()).toBe(many);
      }
      await add('one', 1, owners[one]);
      await add('many_last', 1, owners[many]);
      expect([await next(), await next(), await next()]).toEqual([one, many, null]);
    });

    test('is skipped while it is excluded', async () => {
      await add('many', 3, owners[many]);
      await add('one', 3, owners[one]);
      const without = [owners[many]?.accountId ?? ''];
      expect([await next(without), await next(without), await next(without)]).toEqual([one, one, one]);
      expect([await next(without), await next()]).toEqual([null, many]);
    });
  });
});

describe('webhook messages', () => {
  jest.setTimeout(240_000);

  let now = new Date('2026-03-01T12:00:00Z');
  const clock = { now: () => now };
  const lease = (): Date => new Date(now.getTime() + 30_000);

  const database = useDatabase();
  let first: PostgresWebhookStore;
  let second: PostgresWebhookStore;
  let accountId: string;
  let keyId: string;
  const NOTED = { actor: 'test', action: 'webhooks register', accountId: null, subject: null, details: {} };

  beforeAll(async () => {
    // As two processes, each with connections of its own.
    first = new PostgresWebhookStore(database.knex, clock);
    second = new PostgresWebhookStore(await database.connect(), clock);
    ({ accountId, keyId } = await openAccount({ database }, 'test', { test: false }));
  }, 240_000);
  const webhookOf = (id: string) => ({
    ...{ id, accountId, keyId, test: false, secret: 'whsec_AAAA', creditsBelow: null },
    ...{ url: new URL(`https://a.example/${id}`), events: ['model.drift'] as const },
  });
  const address = (id: string) => first.add(webhookOf(id), 100, NOTED);
  const drift = () => first.tellOfDrift({ claimed: 0.9, right: 0.5, answers: 200 }, null, 0);

  // contract 16.13, 16.14
  test('two processes never take the same message, and an endpoint gets one at a time', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `w${at}`);
    for (const id of ids) await address(id);
    await drift();
    await drift();
    const takeAll = async (store: PostgresWebhookStore): Promise<string[]> => {
      const taken: string[] = [];
      for (;;) {
        const message = await store.begin(30_000);
        if (!message) return taken;
        taken.push(message.endpointId);
      }
    };
    // One that finds all others locked comes back later; in the end each was taken once.
    const taken: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const takers = [first, second, first, second].map(takeAll);
      taken.push(...(await Promise.all(takers)).flat());
    }
    expect(taken.sort()).toEqual([...ids].sort());
    now = lease();
    expect(await second.begin(30_000)).toMatchObject({ tries: 1 });
  });

  test('the message with the fewest tries comes first, so a failing one blocks no other', async () => {
    await database.knex('webhook_endpoints').delete();
    await address('one');
    await drift();
    const poison = await first.begin(30_000);
    const again = { message: now, endpoint: now, dropBefore: new Date(0) };
    if (poison) await first.failed(poison, 'no', again);
    await drift();
    const next = await first.begin(30_000);
    expect([poison?.tries, next?.tries, next?.id === poison?.id]).toEqual([1, 1, false]);
  });

  test('removing an endpoint removes its messages', async () => {
    await address('gone');
    await drift();
    expect(await second.remove({ accountId: 'account_of_nobody', test: false }, 'gone', NOTED)).toBe(false);
    expect(await second.remove({ accountId, test: false }, 'gone', NOTED)).toBe(true);
    expect(await database.knex('webhook_messages').where({ endpoint_id: 'gone' })).toEqual([]);
  });
});
