import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresIdempotencyStore } from '../../db/accounts/idempotency-store';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { AccountService } from '../../models/access/account-service';
import { unavailable } from '../../models/errors';
import { endsOf, holdMethod, requestText, sendRaw } from '../support/interrupted-calls';
import { useJobs } from '../support/photo-jobs';

/** contract 16.1 to 16.9: photos that are identified later, and what each entry is charged. */
const { service, photo, look, ended, account, rowsOf } = useJobs();
const damaged = { base64: Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64') };
const inside = { url: 'http://127.0.0.1/bag.jpg' };
const entriesOf = (count: number) => ({ entries: Array.from({ length: count }, () => photo) });
const twoSides = { images: [photo, photo] };

describe('a job', () => {
  // contract 16.1, 16.3
  test('is answered 202 before any of its entries is processed', async () => {
    // The service also looks for entries by itself, but not while a call waits for a photo.
    service.queue.photosWaiting = 1;
    const { api, accountId } = await account(100);
    const made = await api.createJob({ entries: [photo, twoSides] });
    expect([made.status, made.headers.get('X-Credits-Used')]).toEqual([202, '0']);
    expect(made.body).toMatchObject({ status: 'queued', total: 2, done: 0, failed: 0, credits_used: 0 });
    expect(made.body.data).toEqual(Array(2).fill({ state: 'waiting', prediction_id: null, answer: null }));
    expect(await service.creditsBooked(accountId)).toBe(0);
    service.queue.photosWaiting = 0;
    expect(await ended(made, api)).toMatchObject({ id: made.body.id, done: 2, credits_used: 5 + 7 });
    expect([await service.creditsBooked(accountId), await service.balance(accountId)]).toEqual([12, 88]);
  });

  // contract 4.7, 16.1, 16.2
  test('gives for each entry the answer to an identification of it, whatever the others ask for', async () => {
    const asAShopMayWriteIt = '{"a":"\\u0000\\ud800"}';
    const product = () => rowsOf('products', { id: 'product_birkin_croc' });
    await product().update({ data: asAShopMayWriteIt });
    const filters = [{ field: 'brand', ids: ['brand_hermes'] }];
    const region = { x: 0, y: 0, width: 0.75, height: 1 };
    const asked = [{}, { category_id: 'handbags', filters }, { explain: true }, { min_confidence: 1 }];
    const single = [...asked, { region }].map((each) => ({ ...photo, ...each }));
    const entries = [...single, { images: [photo, photo, photo] }];
    const includes = ['taxonomy', 'pricing'];
    const made = await service.api.createJob({ entries, includes });
    expect(made.headers.get('Deprecation')).toBe('true');
    const { data } = await ended(made);
    const digestsOf = async (id: string | null | undefined) =>
      (await service.prediction(id ?? ''))?.imageDigests;
    for (const [at, entry] of entries.entries()) {
      const { body: answer, headers } = await service.api.identify({ ...entry, includes });
      expect(headers.get('Deprecation')).toBe('filters' in entry ? 'true' : null);
      expect(data[at]).toEqual({ state: 'done', prediction_id: expect.any(String), answer });
      const known = await digestsOf(headers.get('X-Prediction-Id'));
      expect(await digestsOf(data[at]?.prediction_id)).toEqual(known);
    }
    await product().update({ data: null });
  });

  // contract 16.2
  test('reports the refusal of an entry that cannot be identified, and continues', async () => {
    const entries = [
      { images: [photo, damaged] },
      inside,
      { ...photo, region: { x: 0, y: 0, width: 0.1, height: 0.1 } },
      photo,
    ];
    const made = await service.api.createJob({ entries });
    const job = await ended(made);
    expect(job).toMatchObject({ total: 4, done: 1, failed: 3, cancelled: 0, credits_used: 5 });
    expect(job.data.map(({ answer }) => answer)).toMatchObject([
      { success: false, error: 'unprocessable', reason: 'image_undecodable', index: 1 },
      { error: 'unprocessable', reason: 'url_blocked', request_id: `${made.body.id}.1` },
      { error: 'bad_request', field: 'region' },
      { success: true, credits_used: 5 },
    ]);
  });

  // contract 12.2
  test('may be twice as large as an identification, and no larger', async () => {
    const raw = (bytes: number) => ({ raw: JSON.stringify({ entries: [inside] }).padEnd(bytes) });
    const identification = Math.ceil((256 * 1024 * 4) / 3) + 64 * 1024;
    const send = (bytes: number) => service.api.send('POST', '/v3/vision/jobs', raw(bytes));
    expect((await send(2 * identification)).status).toBe(202);
    expect((await send(2 * identification + 1)).status).toBe(413);
  });
});

// contract 16.6
describe('DELETE', () => {
  test('cancels entries that have not begun; the others end, and are charged', async () => {
    const { api, accountId } = await account(100);
    const letGo = service.queue.holds();
    const made = await api.createJob(entriesOf(4));
    const running = look();
    await service.queue.asked();
    const { status, body } = await api.job(made.body.id, 'DELETE');
    const states = body.data.map(({ state }) => state);
    expect([status, states.includes('cancelled'), states.includes('waiting')]).toEqual([200, true, false]);
    letGo();
    await running;
    const job = await ended(made, api);
    expect(job.done).toBeGreaterThan(0);
    expect(job.done + job.cancelled).toBe(4);
    expect(await service.creditsBooked(accountId)).toBe(5 * job.done);
    expect((await api.job(made.body.id, 'DELETE')).body).toEqual(job);
  });

  test('also cancels an entry that would be retried', async () => {
    service.queue.behaviour = 'fails';
    const made = await service.api.createJob(entriesOf(1));
    const held = holdMethod(PostgresVisionJobStore.prototype, 'postpone');
    const running = look();
    await held.waiting;
    const { body } = await service.api.job(made.body.id, 'DELETE');
    expect(body.data[0]?.state).toBe('running');
    held.letGo();
    await running;
    expect((await ended(made)).cancelled).toBe(1);
  });
});

// contract 16.7
describe('the caller of a job', () => {
  test('whose key is revoked gets a 401 for the remaining entries', async () => {
    service.queue.photosWaiting = 1;
    const { api, keyId, accountId } = await account(100);
    const made = await api.createJob(entriesOf(1));
    await service.revoke(keyId);
    service.queue.photosWaiting = 0;
    const { data } = await ended(made, (await service.newKey({ accountId })).api);
    expect(data[0]).toMatchObject({ state: 'failed', answer: { error: 'unauthorized' } });
    expect(await service.creditsBooked(accountId)).toBe(0);
  });

  test.each<['openEntries' | 'find', string[]]>([
    ['openEntries', []],
    ['find', ['cancelled']],
  ])('who disconnected gets no job, or it is cancelled: after %s', async (moment, states) => {
    service.queue.photosWaiting = 1;
    const { key, accountId } = await account(100);
    const store = PostgresVisionJobStore.prototype;
    const held = holdMethod(store, moment, 'after');
    const ends = endsOf([PostgresCreditLedger.prototype, 'settle'], [store, 'cancel']);
    service.log.clear();
    const call = { method: 'POST', path: '/v3/vision/jobs', body: entriesOf(1) } as const;
    const socket = await sendRaw(service.url, requestText(call, key));
    await held.waiting;
    socket.destroy();
    await service.log.lines(1);
    held.letGo();
    await ends.all();
    expect(await rowsOf('vision_job_entries', { account_id: accountId }).pluck('state')).toEqual(states);
  });
});

// contract 16.8, 16.5
test('a job keeps its answers, and no photo once it is answered; photos that a caller waits for go first', async () => {
  service.queue.photosWaiting = 1;
  const made = await service.api.createJob(entriesOf(1));
  const request = async () =>
    (await rowsOf('vision_job_entries', { job_id: made.body.id }).first('request')).request;
  expect(await look()).toBe(false);
  expect((await service.api.job(made.body.id)).body.status).toBe('queued');
  expect(await request()).toMatchObject({ photos: [{ jpeg: expect.any(String) }] });
  service.queue.photosWaiting = 0;
  expect((await ended(made)).done).toBe(1);
  expect(await request()).toBeNull();
});

// contract 16.8, 7.12
test('a job is deleted with the predictions, by age and when an operator deletes them', async () => {
  const store = service.resolve(PostgresHousekeepingStore);
  const deleted = () => store.deleteBefore('vision_jobs', service.clock.now(), 10);
  const { api, accountId } = await account();
  const made = await api.createJob({ entries: [inside] });
  const statusOf = async (id: string) => (await api.job(id)).status;
  expect(await deleted()).toBe(0);
  expect(await statusOf(made.body.id)).toBe(200);
  await service.resolve(AccountService).deletePredictions(accountId);
  expect(await statusOf(made.body.id)).toBe(404);
  await api.identify(photo);
  const old = await api.createJob({ entries: [inside] });
  service.clock.advance(1);
  expect(await deleted()).toBe(1);
  expect(await rowsOf('predictions', { account_id: accountId })).toHaveLength(1);
  await store.deleteBefore('predictions', service.clock.now(), 1_000);
  expect(await rowsOf('predictions', { account_id: accountId })).toEqual([]);
  expect(await statusOf(old.body.id)).toBe(404);
});

// contract 12.6
test('a job with an Idempotency-Key is made once, also when its process died before it could answer', async () => {
  const { api, accountId } = await account(100);
  const { settle } = PostgresCreditLedger.prototype;
  const failing = jest.spyOn(PostgresCreditLedger.prototype, 'settle');
  // Entries of other tests' jobs are booked as usual.
  failing.mockImplementation(function (this: PostgresCreditLedger, charge, ...rest) {
    if (charge.accountId !== accountId) return settle.call(this, charge, ...rest);
    throw unavailable('The database does not answer.', 1);
  });
  const send = () => api.createJob({ entries: [inside] }, { 'Idempotency-Key': 'mine' });
  expect((await send()).status).toBe(503);
  failing.mockRestore();
  service.clock.advance(60_000);
  expect((await send()).status).toBe(202);
  expect(await rowsOf('vision_jobs', { account_id: accountId })).toHaveLength(1);
});

// contract 16.3
describe('the charge of a job', () => {
  test('is refused when the balance does not cover the most expensive entry', async () => {
    const { api, accountId } = await account(6);
    expect((await api.createJob({ entries: [photo, twoSides] })).status).toBe(402);
    expect(await rowsOf('vision_jobs', { account_id: accountId })).toEqual([]);
    expect((await api.createJob(entriesOf(2))).status).toBe(202);
  });

  test('is refused for the remaining entries when the credits run out', async () => {
    const { api, accountId } = await account(12);
    const job = await ended(await api.createJob(entriesOf(4)), api);
    expect(job).toMatchObject({ done: 2, failed: 2, credits_used: 10 });
    const refusals = job.data.filter(({ state }) => state === 'failed').map(({ answer }) => answer);
    expect(refusals).toMatchObject(Array(2).fill({ error: 'insufficient_credits' }));
    expect(await service.balance(accountId)).toBe(2);
  });

  test('waits for credits that other calls hold, also if they are taken just before it, and not for its own', async () => {
    const { api, accountId } = await account(5);
    const hold = (held: number) => rowsOf('accounts', { id: accountId }).update({ held });
    service.queue.photosWaiting = 1;
    const made = await api.createJob(entriesOf(1));
    await hold(5);
    jest.spyOn(PostgresCreditLedger.prototype, 'reserve').mockResolvedValueOnce(false);
    service.queue.photosWaiting = 0;
    expect(await look()).toBe(false);
    // As when its process has died.
    await rowsOf('vision_job_entries', { job_id: made.body.id }).update({ state: 'running' });
    while ((await rowsOf('vision_job_entries', { job_id: made.body.id, tries: 0 })).length > 0) await look();
    await hold(0);
    expect(await ended(made, api)).toMatchObject({ done: 1, credits_used: 5 });
  });

  test('is booked once, with its answer, when the process dies before it can keep the answer', async () => {
    const { api, accountId } = await account(100);
    const finish = jest.spyOn(PostgresVisionJobStore.prototype, 'finish');
    finish.mockRejectedValueOnce(unavailable('The database does not answer.', 1));
    const made = await api.createJob(entriesOf(1));
    while (finish.mock.calls.length === 0) await look().catch(() => undefined);
    expect(await service.creditsBooked(accountId)).toBe(5);
    // The catalog has nothing similar any more, and the answer was paid for.
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

  test('is booked once when a process that seemed dead continues beside its successor', async () => {
    const { api, accountId } = await account(100);
    const finish = holdMethod(PostgresVisionJobStore.prototype, 'finish');
    const made = await api.createJob(entriesOf(1));
    const asleep = look();
    await finish.waiting;
    finish.passNew();
    service.clock.advance(60_000);
    const claim = holdMethod(PostgresIdempotencyStore.prototype, 'claim');
    const successor = look();
    await claim.waiting;
    finish.letGo();
    await asleep;
    claim.letGo();
    await successor;
    expect(await ended(made, api)).toMatchObject({ done: 1, credits_used: 5 });
    expect(await service.creditsBooked(accountId)).toBe(5);
  });
});

// contract 16.4
describe('an entry', () => {
  test('is retried after growing pauses while the workers are away', async () => {
    service.queue.behaviour = 'fails';
    const made = await service.api.createJob(entriesOf(1));
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

  test('is given up after a day of retries, free of charge', async () => {
    const { api, accountId } = await account(100);
    service.queue.behaviour = 'fails';
    const since = service.clock.now().getTime();
    let job = (await api.createJob(entriesOf(1))).body;
    while (job.status !== 'done') {
      service.clock.advance(3_600_000);
      await look();
      job = (await api.job(job.id)).body;
    }
    expect(job.data[0]).toMatchObject({ state: 'failed', answer: { error: 'unavailable' } });
    expect(service.clock.now().getTime() - since).toBeGreaterThan(86_400_000);
    expect([await service.creditsBooked(accountId), await service.balance(accountId)]).toEqual([0, 100]);
  });
});
