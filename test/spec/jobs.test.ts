import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { AccountService } from '../../models/access/account-service';
import { unavailable } from '../../models/errors';
import { PORTS, type VisionJobStore } from '../../models/ports';
import { endsOf, holdMethod } from '../support/hold-method';
import { DAMAGED_PNG, useJobs } from '../support/photo-jobs';
import { requestText, sendRaw } from '../support/raw-caller';

/** Photos that are looked at later. */
const { service, photo, look, ended, account, rowsOf } = useJobs();
const inside = { url: 'http://127.0.0.1/bag.jpg' };

// contract 16.1
describe('a job', () => {
  test('is answered 202 before any of its entries is looked at', async () => {
    const letGo = service.queue.holds();
    const made = await service.api.createJob({ entries: [photo, { images: [photo, photo] }] });
    expect([made.status, made.headers.get('X-Credits-Used')]).toEqual([202, '0']);
    expect(made.body).toMatchObject({ status: 'queued', total: 2, done: 0, failed: 0, credits_used: 0 });
    expect(made.body.data).toEqual(Array(2).fill({ state: 'waiting', prediction_id: null, answer: null }));
    letGo();
    expect(await ended(made)).toMatchObject({ id: made.body.id, done: 2, credits_used: 5 + 7 });
  });

  // contract 16.2
  test.each([
    ['alone', {}],
    ['of several sides', { images: [1, 2, 3] }],
    ['within a scope', { category_id: 'handbags', filters: [{ field: 'brand', include: ['brand_hermes'] }] }],
    ['with evidence', { explain: true }],
    ['with a confidence of its own', { min_confidence: 0 }],
    ['of a part', { region: { x: 0, y: 0, width: 0.75, height: 1 } }],
  ])('gives the answer to a photo %s that the identification gives', async (_what, asked) => {
    const photos = 'images' in asked ? { images: [photo, photo, photo] } : photo;
    const includes = ['taxonomy', 'pricing'];
    const known = await service.api.identify({ ...asked, ...photos, includes });
    const job = await ended(await service.api.createJob({ entries: [{ ...asked, ...photos }], includes }));
    expect(job.data).toEqual([{ state: 'done', prediction_id: expect.any(String), answer: known.body }]);
    const id = job.data[0]?.prediction_id ?? '';
    const digestsOf = async (prediction: string) => (await service.prediction(prediction))?.imageDigests;
    expect(await digestsOf(id)).toEqual(await digestsOf(known.headers.get('X-Prediction-Id') ?? ''));
  });

  // contract 4.7
  test('with the old name ids in a filter is answered with Deprecation: true', async () => {
    const scopes = [{ ids: ['brand_hermes'] }, { include: ['brand_hermes'] }];
    const [old, current] = await Promise.all(
      scopes.map((values) =>
        service.api.createJob({ entries: [{ ...photo, filters: [{ field: 'brand', ...values }] }] }),
      ),
    );
    expect([old?.status, old?.headers.get('Deprecation')]).toEqual([202, 'true']);
    expect(current?.headers.has('Deprecation')).toBe(false);
  });

  // contract 16.2
  test('gives the refusal of an entry that can not be identified, and goes on', async () => {
    const entries = [
      { images: [photo, { base64: DAMAGED_PNG }] },
      inside,
      { ...photo, category_id: 'shoes' },
      { ...photo, region: { x: 0, y: 0, width: 0.1, height: 0.1 } },
      photo,
    ];
    const made = await service.api.createJob({ entries });
    const job = await ended(made);
    expect(job).toMatchObject({ total: 5, done: 1, failed: 4, cancelled: 0, credits_used: 5 });
    expect(job.data.map(({ answer }) => answer)).toMatchObject([
      { success: false, error: 'unprocessable', reason: 'image_undecodable', index: 1 },
      { error: 'unprocessable', reason: 'url_blocked', request_id: `${made.body.id}.1` },
      { error: 'bad_request', field: 'category_id' },
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
  test('cancels what is not begun; what is begun ends, and is charged', async () => {
    const { api, accountId } = await account(100);
    const letGo = service.queue.holds();
    const made = await api.createJob({ entries: [photo, photo, photo, photo] });
    const running = look();
    await service.queue.asked();
    const { status, body } = await api.job(made.body.id, 'DELETE');
    expect([status, body.data.some(({ state }) => state === 'cancelled')]).toEqual([200, true]);
    expect(body.data.filter(({ state }) => state === 'waiting')).toEqual([]);
    letGo();
    await running;
    const job = await ended(made, api);
    expect(job.done).toBeGreaterThan(0);
    expect(job.done + job.cancelled).toBe(4);
    expect(await service.creditsBooked(accountId)).toBe(5 * job.done);
  });

  test('also cancels an entry that would be tried again', async () => {
    service.queue.fails();
    const made = await service.api.createJob({ entries: [photo] });
    const held = holdMethod(PostgresVisionJobStore.prototype, 'postpone');
    const running = look();
    await held.waiting(1);
    const { body } = await service.api.job(made.body.id, 'DELETE');
    expect(body.data[0]?.state).toBe('running');
    held.letGo();
    await running;
    expect((await ended(made)).cancelled).toBe(1);
  });

  test('of a job that is done leaves its answers', async () => {
    const made = await service.api.createJob({ entries: [photo] });
    const job = await ended(made);
    expect((await service.api.job(made.body.id, 'DELETE')).body).toEqual(job);
  });
});

// contract 16.7
describe('a job belongs to its account', () => {
  test('and is a 404 for every other, as one that there is not', async () => {
    const made = await service.api.createJob({ entries: [inside] });
    const stranger = await account();
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await stranger.api.job(made.body.id, method)).status).toBe(404);
      expect((await service.api.job('job_of_nobody', method)).status).toBe(404);
    }
    expect((await ended(made)).cancelled).toBe(0);
  });

  test('and needs a key that identifies photos', async () => {
    const { api: reader } = await service.newKey({ scopes: ['catalog:read'] });
    expect((await reader.createJob({ entries: [inside] })).status).toBe(403);
    expect((await reader.job('job_x')).status).toBe(403);
  });

  test('and what is left when its key is revoked is a 401', async () => {
    service.queue.isWaitedFor(1);
    const { api, keyId, accountId } = await account(100);
    const made = await api.createJob({ entries: [photo] });
    await service.revoke(keyId);
    service.queue.isWaitedFor(0);
    const other = (await service.newKey({ accountId })).api;
    expect((await ended(made, other)).data[0]).toMatchObject({
      state: 'failed',
      answer: { error: 'unauthorized' },
    });
    expect(await service.creditsBooked(accountId)).toBe(0);
  });

  test('and is not made for a caller who is gone', async () => {
    const { key, accountId } = await account(100);
    const held = holdMethod(PostgresVisionJobStore.prototype, 'openEntries', 'after');
    const ends = endsOf([PostgresCreditLedger.prototype, 'release']);
    service.log.clear();
    const call = { method: 'POST', path: '/v3/vision/jobs', body: { entries: [photo] } } as const;
    const socket = await sendRaw(service.url, requestText(call, key));
    await held.waiting(1);
    socket.destroy();
    await service.log.lines(1);
    held.letGo();
    await ends.all();
    expect(await rowsOf('vision_jobs', { account_id: accountId })).toEqual([]);
  });
});

// contract 16.8
describe('what is kept of a job', () => {
  test('are its answers, and no photo once it is answered', async () => {
    service.queue.isWaitedFor(1);
    const made = await service.api.createJob({ entries: [photo] });
    const request = async () =>
      (await rowsOf('vision_job_entries', { job_id: made.body.id }).first('request')).request;
    expect(await request()).toMatchObject({ photos: [{ jpeg: expect.any(String) }] });
    service.queue.isWaitedFor(0);
    await ended(made);
    expect(await request()).toBeNull();
  });

  test('goes with the predictions, by age and when an operator deletes them', async () => {
    const jobs = service.resolve<VisionJobStore>(PORTS.VisionJobStore);
    const { api, accountId } = await account();
    const made = await api.createJob({ entries: [inside] });
    expect(await jobs.deleteBefore(service.clock.now(), 10)).toBe(0);
    expect((await api.job(made.body.id)).status).toBe(200);
    await service.resolve<AccountService>(AccountService as never).deletePredictions(accountId);
    expect((await api.job(made.body.id)).status).toBe(404);
    const old = await api.createJob({ entries: [inside] });
    service.clock.advance(1);
    expect(await jobs.deleteBefore(service.clock.now(), 10)).toBe(1);
    expect((await api.job(old.body.id)).status).toBe(404);
  });
});

// contract 16.9
describe('the limits of jobs', () => {
  test('an account with a thousand entries without an answer is sent away, and others are not', async () => {
    service.queue.isWaitedFor(1);
    const { api } = await account();
    const entries = Array(100).fill(inside);
    for (let job = 0; job < 10; job += 1) expect((await api.createJob({ entries })).status).toBe(202);
    const refused = await api.createJob({ entries: [inside] });
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
    expect((await service.api.createJob({ entries: [inside] })).status).toBe(202);
  }, 60_000);

  test('a job with an Idempotency-Key is made once', async () => {
    const { api, accountId } = await account(100);
    const body = { entries: [photo] };
    const first = await api.createJob(body, { 'Idempotency-Key': 'mine' });
    const again = await api.createJob(body, { 'Idempotency-Key': 'mine' });
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([202, 'true']);
    expect(again.body.id).toBe(first.body.id);
    const other = await api.createJob({ entries: [photo, photo] }, { 'Idempotency-Key': 'mine' });
    expect(other.status).toBe(409);
    expect(await rowsOf('vision_jobs', { account_id: accountId })).toHaveLength(1);
  });

  test('also when its process died before it could answer', async () => {
    const { api, accountId } = await account(100);
    const { settle } = PostgresCreditLedger.prototype;
    const failing = jest.spyOn(PostgresCreditLedger.prototype, 'settle');
    // Entries of other tests' jobs are booked as ever.
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
});
