import { randomUUID } from 'node:crypto';
import { internalError, unprocessable } from '../../models/errors';
import type { QueueSlot, VisionCaller } from '../../models/ports';
import { HandClock } from '../support/hand-clock';
import * as queues from './queue-support';

const stranger = (deadlineAt: number): VisionCaller => ({ accountId: randomUUID(), deadlineAt });

describe.each(queues.ADAPTERS)('vision queue, %s', (_name, adapter) => {
  const clock = new HandClock();
  const deadline = (ms = 3_600_000) => clock.at + ms;
  const opened: queues.OpenedQueue[] = [];
  const held: { open: () => void }[] = [];
  let pipeline: queues.FakePipeline;
  let queue: queues.OpenedQueue['queue'];

  const open = async (limits: Partial<queues.QueueSetup> = {}): Promise<queues.OpenedQueue> => {
    const one = await adapter({ pipeline, clock, concurrency: 16, waitingMax: 1_000, ...limits });
    opened.push(one);
    queue = one.queue;
    return one;
  };
  const ask = (photo: number, deadlineAt = deadline()) =>
    queue.neighbours(queues.requestFor(photo, deadlineAt));
  /** Requests for photos that wait: the first is in the pipeline, the others in the queue. */
  const occupy = async (...photos: number[]): Promise<void> => {
    const inWork = pipeline.seen.length + 1;
    held.push(pipeline.hold());
    for (const [waiting, photo] of photos.entries()) {
      void ask(photo).catch(() => undefined);
      await pipeline.given(inWork);
      await queues.until(async () => (await queue.depth()).waiting === waiting);
    }
  };
  /** A queue that was measured at a second for each photo, has one in work, and these waiting. */
  const openBusy = async (...waiting: number[]): Promise<void> => {
    pipeline.behave = async (photo) => {
      clock.advance(1_000);
      return queues.neighbourhood(photo);
    };
    await open({ concurrency: 1 });
    for (const photo of [1, 2, 3, 4, 5]) await ask(photo);
    await queue.admit(stranger(deadline()), 1);
    await occupy(6, ...waiting);
  };
  const slots = async (caller: () => VisionCaller, photos = 1): Promise<QueueSlot[]> => {
    const entered: QueueSlot[] = [];
    const entering = async () => {
      for (;;) entered.push(await queue.admit(caller(), photos));
    };
    await expect(entering()).rejects.toMatchObject(queues.UNAVAILABLE);
    return entered;
  };

  beforeEach(() => {
    pipeline = new queues.FakePipeline();
  });

  afterAll(async () => {
    for (const each of held) each.open();
    await Promise.all(opened.map((each) => each.close()));
  });

  test('also takes a photo as pixels, and passes on the stamp and the whole scope, including the sandbox', async () => {
    await open();
    const filters = [{ field: 'brand', include: ['brand_a'], exclude: ['brand_b'] }];
    const asked = { scope: { category: 'handbags', filters, sandbox: true }, liveStamp: '1234' } as const;
    const images = [
      { pixels: Buffer.of(0, 0, 0, 7, 8, 9), width: 2, height: 1, digest: 'pixels' },
      { jpeg: Buffer.of(1), digest: 'jpeg' },
    ];
    const request = { ...queues.requestFor(7, deadline()), images, ...asked };
    await expect(queue.neighbours(request)).resolves.toEqual(queues.neighbourhood(7));
    expect(pipeline.asked).toEqual([{ ...asked, images }]);
  });

  test('takes photos as pixels only while few are on their way', async () => {
    await open();
    const [first] = await Promise.all(Array.from({ length: 64 }, () => queue.admit(stranger(deadline()), 1)));
    expect(queue.takesPixels).toBe(false);
    first?.release();
    expect(queue.takesPixels).toBe(true);
  });

  test('gives each of 200 interleaved callers the answer to its own photo', async () => {
    const together: (() => void)[] = [];
    // Ten at a time, answered in the reverse order of their arrival.
    pipeline.behave = async (photo) => {
      await new Promise<void>((resolve) => {
        together.push(resolve);
        if (together.length === 10) for (const answer of together.splice(0).reverse()) answer();
      });
      return queues.neighbourhood(photo);
    };
    await open();
    const photos = Array.from({ length: 200 }, (_, photo) => photo);
    const answers = await Promise.all(photos.map((photo) => ask(photo)));
    expect(answers.map(({ neighbours }) => neighbours[0]?.imageId)).toEqual(photos);
  });

  test('fails with timeout at the deadline, and the slot is free again', async () => {
    await open({ concurrency: 1 });
    await occupy(1);
    await expect(ask(2, deadline(50))).rejects.toMatchObject({ status: 504, code: 'timeout' });
    await expect(queue.depth()).resolves.toEqual({ waiting: 0, active: 1 });
    await expect(ask(3, deadline(0))).rejects.toMatchObject({ code: 'timeout' });
    expect(pipeline.seen).toEqual([1]);
  });

  test('refuses with unavailable and Retry-After when the queue is full', async () => {
    await open({ concurrency: 1, waitingMax: 1 });
    await occupy(1, 2);
    await expect(ask(3)).rejects.toMatchObject({ ...queues.UNAVAILABLE, headers: { 'Retry-After': '1' } });
  });

  test('refuses a photo that cannot be answered in time at the measured pace, and says when it could', async () => {
    await openBusy(7, 8, 9);
    // Four photos of a second each are ahead.
    const refused = ask(10, deadline(1_500));
    await expect(refused).rejects.toMatchObject({ ...queues.UNAVAILABLE, headers: { 'Retry-After': '3' } });
  });

  test('lets no more photos in than can be answered in half of their time, also before they are in the queue', async () => {
    await openBusy();
    const inAMinute = deadline(60_000);
    const entered = await slots(() => stranger(inAMinute));
    // A second for each, and one is in work, of which the queue on Redis may not have heard yet.
    expect([30, 31]).toContain(entered.length);
    await expect(queue.admit(stranger(inAMinute), 0)).rejects.toMatchObject(queues.UNAVAILABLE);
    for (const slot of entered) slot.release();
    await expect(queue.admit(stranger(inAMinute), 1)).resolves.toBeDefined();
  });

  test('reserves the last eighth of its slots for accounts below their share', async () => {
    await open({ concurrency: 1, waitingMax: 16 });
    await queue.admit(stranger(deadline()), 1);
    await occupy(1);
    const taken: number[] = [];
    for (const accountId of ['flood', 'somebody', 'somebody else'])
      taken.push((await slots(() => ({ accountId, deadlineAt: deadline() }))).length);
    expect(taken).toEqual([14, 2, 0]);
  });

  test('admits an account with nothing in the queue where one with many photos would be too late', async () => {
    await openBusy();
    const deadlineAt = deadline(60_000);
    await slots(() => ({ accountId: 'flood', deadlineAt }));
    await expect(queue.admit(stranger(deadlineAt), 0)).resolves.toBeDefined();
  });

  test('counts photos, and of those waiting to be decoded only the ones whose turn comes first', async () => {
    await openBusy();
    const deadlineAt = deadline(60_000);
    const entered = await slots(() => ({ accountId: 'flood', deadlineAt }), 5);
    expect(entered.length).toBeLessThan(8);
    for (let photo = 0; photo < 12; photo += 1) await queue.admit({ accountId: 'other', deadlineAt }, 1);
  });

  test('refuses a photo of an account over its share even when it is about to be queued', async () => {
    await open({ concurrency: 1, waitingMax: 8 });
    const deadlineAt = deadline();
    const askAs = (accountId: string, photo: number) =>
      queues.failureOf(queue.neighbours({ ...queues.requestFor(photo, deadlineAt), accountId }));
    held.push(pipeline.hold());
    for (const _photo of [1, 2]) await queue.admit({ accountId: 'flood', deadlineAt }, 1);
    void askAs('flood', 1);
    await pipeline.given(1);
    for (let photo = 2; photo <= 8; photo += 1) {
      void askAs('somebody', photo);
      await queues.until(async () => (await queue.depth()).waiting === photo - 1);
    }
    await expect(askAs('flood', 9)).resolves.toMatchObject(queues.UNAVAILABLE);
    void askAs('somebody', 10);
    await queues.until(async () => (await queue.depth()).waiting === 8);
  });

  test('gives the slot of a disconnected caller to the next one', async () => {
    const firstPhoto = pipeline.hold();
    await open({ concurrency: 1, waitingMax: 1 });
    const first = ask(1);
    await pipeline.given(1);
    const caller = new AbortController();
    const askAsCaller = (photo: number) =>
      queues.failureOf(queue.neighbours(queues.requestFor(photo, deadline(), caller.signal)));
    const second = askAsCaller(2);
    await queues.until(async () => (await queue.depth()).waiting === 1);
    const stillLooking = askAsCaller(4);
    caller.abort('disconnected');
    const reasons = await Promise.all([second, stillLooking]);
    const third = ask(3);
    firstPhoto.open();
    expect(reasons).toEqual(['disconnected', 'disconnected']);
    await expect(first).resolves.toEqual(queues.neighbourhood(1));
    await expect(third).resolves.toMatchObject({ neighbours: [{ imageId: 3 }] });
    expect(pipeline.seen).toEqual([1, 3]);
  });

  // contract 7.13
  test('passes on a failure that is the answer, and tries once more after a fault, whose details it does not reveal', async () => {
    const refusal = unprocessable('image_undecodable', 'The image is damaged.');
    pipeline.behave = async (photo) => {
      if (photo === 1) throw refusal;
      if (photo === 3 || pipeline.seen.length === 2) throw new Error('secret of the inside');
      return queues.neighbourhood(photo);
    };
    await open();
    const { status, code, message, extras } = refusal;
    await expect(ask(1)).rejects.toMatchObject({ status, code, message, extras });
    await expect(ask(2)).resolves.toMatchObject({ version: { id: 1 } });
    const fault = { status: 500, code: 'internal_error', message: internalError(null).message };
    await expect(ask(3)).rejects.toMatchObject(fault);
    expect(pipeline.seen).toEqual([1, 2, 2, 3, 3]);
  });

  test('finds the answer of a job that was requested before', async () => {
    await open();
    const request = queues.requestFor(1, deadline());
    await expect(queue.neighbours(request)).resolves.toEqual(queues.neighbourhood(1));
    // Its event does not come a second time: the check at the deadline finds the answer.
    const again = queue.neighbours({ ...request, deadlineAt: deadline(50) });
    await expect(again).resolves.toEqual(queues.neighbourhood(1));
  });

  test('refuses all waiting callers when it is closed', async () => {
    const { close } = await open({ concurrency: 1, waitingMax: 10 });
    await expect(queue.oldestWaitingMs()).resolves.toBe(0);
    held.push(pipeline.hold());
    const asked = [1, 2].map((photo) => queues.failureOf(ask(photo)));
    await queues.until(async () => (await queue.depth()).waiting === 1);
    await expect(queue.depth()).resolves.toEqual({ waiting: 1, active: 1 });
    void close();
    for (const failure of await Promise.all(asked)) expect(failure).toMatchObject({ code: 'unavailable' });
    await expect(ask(3)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(queue.ping()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
