import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { unavailable } from '../../models/errors';
import { PORTS, type VisionJobStore } from '../../models/ports';
import { holdMethod } from '../support/hold-method';
import { DAMAGED_PNG, useJobs } from '../support/photo-jobs';

/** The entries of jobs one by one: when they are looked at, and what they are charged. */
const { service, photo, look, ended, account, rowsOf } = useJobs();

// contract 16.3
describe('the charge of a job', () => {
  test('is that of its entries, and what its answers say', async () => {
    const { api, accountId } = await account(100);
    const made = await api.createJob({
      entries: [photo, { images: [photo, photo] }, { base64: DAMAGED_PNG }],
    });
    expect(await service.creditsBooked(accountId)).toBe(0);
    expect((await ended(made, api)).credits_used).toBe(12);
    expect(await service.creditsBooked(accountId)).toBe(12);
    expect(await service.balance(accountId)).toBe(88);
  });

  test('is nothing where nothing is found', async () => {
    const { api, accountId } = await account(100);
    await service.sees();
    const job = await ended(await api.createJob({ entries: [photo] }), api);
    expect(job.data[0]?.answer).toMatchObject({ success: true, data: [], credits_used: 0 });
    expect(await service.creditsBooked(accountId)).toBe(0);
  });

  test('that the balance does not cover for its dearest entry refuses the job', async () => {
    const { api, accountId } = await account(6);
    const entries = [photo, { images: [photo, photo] }];
    expect((await api.createJob({ entries })).status).toBe(402);
    expect(await rowsOf('vision_jobs', { account_id: accountId })).toEqual([]);
    expect((await api.createJob({ entries: [photo, photo] })).status).toBe(202);
  });

  test('is refused for the entries that are left when the credits end', async () => {
    const { api, accountId } = await account(12);
    const job = await ended(await api.createJob({ entries: [photo, photo, photo, photo] }), api);
    expect(job).toMatchObject({ done: 2, failed: 2, credits_used: 10 });
    const refusals = job.data.filter(({ state }) => state === 'failed').map(({ answer }) => answer);
    expect(refusals).toMatchObject(Array(2).fill({ error: 'insufficient_credits' }));
    expect(await service.balance(accountId)).toBe(2);
  });

  test('is booked once, with its answer, when the process dies before it can keep the answer', async () => {
    const { api, accountId } = await account(100);
    const finish = jest.spyOn(PostgresVisionJobStore.prototype, 'finish');
    finish.mockRejectedValueOnce(unavailable('The database does not answer.', 1));
    const made = await api.createJob({ entries: [photo] });
    while (finish.mock.calls.length === 0) await look().catch(() => undefined);
    expect(await service.creditsBooked(accountId)).toBe(5);
    // The catalog has nothing like it any more, and the answer was paid for.
    await service.sees();
    expect(await look()).toBe(false);
    service.clock.advance(60_000);
    const job = await ended(made, api);
    finish.mockRestore();
    expect(job).toMatchObject({ done: 1, credits_used: 5 });
    expect(job.data[0]?.answer).toMatchObject({ data: [{ id: 'product_birkin_croc' }], credits_used: 5 });
    expect(await service.creditsBooked(accountId)).toBe(5);
    expect(await rowsOf('idempotent_calls', { account_id: accountId })).toEqual([]);
  });

  test('is booked once when a process that was taken for dead goes on', async () => {
    const { api, accountId } = await account(100);
    const finish = holdMethod(PostgresVisionJobStore.prototype, 'finish');
    const made = await api.createJob({ entries: [photo] });
    const asleep = look();
    await finish.waiting(1);
    finish.passNew();
    service.clock.advance(60_000);
    await ended(made, api);
    finish.letGo();
    await asleep;
    expect((await api.job(made.body.id)).body).toMatchObject({ done: 1, credits_used: 5 });
    expect(await service.creditsBooked(accountId)).toBe(5);
  });
});

// contract 16.4
describe('an entry', () => {
  const begin = () => service.resolve<VisionJobStore>(PORTS.VisionJobStore).begin(60_000);

  test('that a process began which died is begun again by another', async () => {
    service.queue.isWaitedFor(1);
    const made = await service.api.createJob({ entries: [photo] });
    expect(await begin()).toMatchObject({ jobId: made.body.id, tries: 1 });
    service.queue.isWaitedFor(0);
    expect(await look()).toBe(false);
    expect((await service.api.job(made.body.id)).body.status).toBe('running');
    service.clock.advance(60_000);
    expect(await ended(made)).toMatchObject({ done: 1, credits_used: 5 });
  });

  test('is tried again after growing pauses while the workers are away', async () => {
    service.queue.fails();
    const made = await service.api.createJob({ entries: [photo] });
    for (const [tries, pause] of [2_000, 4_000, 8_000].entries()) {
      const failed = { job_id: made.body.id, state: 'waiting', tries: tries + 1 };
      while ((await rowsOf('vision_job_entries', failed)).length === 0) await look();
      expect((await service.api.job(made.body.id)).body).toMatchObject({ done: 0, failed: 0 });
      service.clock.advance(pause - 1);
      expect(await look()).toBe(false);
      service.clock.advance(1);
    }
    await service.sees(['product_birkin_croc', 0.05]);
    expect(await ended(made)).toMatchObject({ done: 1, credits_used: 5 });
  });

  test('is given up after a day of tries, free of charge', async () => {
    const { api, accountId } = await account(100);
    service.queue.fails();
    const since = service.clock.now().getTime();
    const made = await api.createJob({ entries: [photo] });
    for (;;) {
      await look();
      const { status, data } = (await api.job(made.body.id)).body;
      if (status !== 'done') {
        service.clock.advance(3_600_000);
        continue;
      }
      expect(data[0]).toMatchObject({ state: 'failed', answer: { error: 'unavailable' } });
      break;
    }
    expect(service.clock.now().getTime() - since).toBeGreaterThan(86_400_000);
    expect([await service.creditsBooked(accountId), await service.balance(accountId)]).toEqual([0, 100]);
  });
});

// contract 16.5
describe('photos that somebody waits for', () => {
  test('go before the entries of jobs', async () => {
    service.queue.isWaitedFor(1);
    const made = await service.api.createJob({ entries: [photo] });
    expect(await look()).toBe(false);
    expect((await service.api.job(made.body.id)).body.status).toBe('queued');
    service.queue.isWaitedFor(0);
    expect((await ended(made)).done).toBe(1);
  });

  test('the entries of jobs take turns, so that none waits for a long one', async () => {
    service.queue.isWaitedFor(1);
    const jobs = service.resolve<VisionJobStore>(PORTS.VisionJobStore);
    const [long, short] = [await account(), await account()];
    const first = await long.api.createJob({ entries: [photo, photo, photo] });
    service.clock.advance(1_000);
    const second = await short.api.createJob({ entries: [photo] });
    const order: string[] = [];
    for (let entry = 0; entry < 4; entry += 1) {
      const begun = await jobs.begin(60_000);
      order.push(begun?.jobId ?? '');
    }
    const [a, b] = [first.body.id, second.body.id];
    expect(order.slice(0, 2).sort()).toEqual([a, b].sort());
    expect(order.slice(2)).toEqual([a, a]);
  });
});
