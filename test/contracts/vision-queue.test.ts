import { randomUUID } from 'node:crypto';
import { internalError, unprocessable } from '../../models/errors';
import type { VisionCaller, VisionPlace } from '../../models/ports';
import { jpegOf } from '../../models/vision/neighbours';
import {
  ADAPTERS,
  FakePipeline,
  failureOf,
  gate,
  HandClock,
  neighbourhood,
  type OpenedQueue,
  type QueueSetup,
  requestFor,
  until,
} from './queue-support';

const HOUR = 3_600_000;

/** An caller who has nothing in the queue. */
const stranger = (deadlineAt: number): VisionCaller => ({ accountId: randomUUID(), deadlineAt });

describe.each(ADAPTERS)('vision queue, %s', (_name, adapter) => {
  const clock = new HandClock();
  const door = gate();
  const opened: OpenedQueue[] = [];
  let pipeline = new FakePipeline();

  const open = async (limits: Partial<QueueSetup> = {}): Promise<OpenedQueue['queue']> => {
    const one = await adapter({ pipeline, clock, concurrency: 16, waitingMax: 1_000, ...limits });
    opened.push(one);
    return one.queue;
  };
  const inAnHour = (): number => clock.now().getTime() + HOUR;
  /** Every photo waits in the pipeline until the test is over. */
  const hold = async (photo: number) => {
    await door.opened;
    return neighbourhood(photo);
  };

  /** A queue that was measured at a second for each photo, and has one in work. */
  const openBusy = async (): Promise<OpenedQueue['queue']> => {
    pipeline.behave = async (photo) => {
      clock.advance(1_000);
      return neighbourhood(photo);
    };
    const queue = await open({ concurrency: 1 });
    for (const photo of [1, 2, 3, 4, 5]) await queue.neighbours(requestFor(photo, inAnHour()));
    await queue.enter(stranger(inAnHour()));
    pipeline.behave = hold;
    void queue.neighbours(requestFor(6, inAnHour())).catch(() => undefined);
    await pipeline.given(6);
    return queue;
  };

  beforeEach(() => {
    pipeline = new FakePipeline();
  });

  afterAll(async () => {
    door.open();
    await Promise.all(opened.map((each) => each.close()));
  });

  test('takes a photo as pixels too', async () => {
    const queue = await open();
    const request = requestFor(7, inAnHour());
    const [image] = request.images;
    if (!image) throw new Error('a request has a photo');
    const pixels = { pixels: Buffer.alloc(3), width: 1, height: 1, digest: 'd' };
    const photo = { ...pixels, jpeg: () => jpegOf(image) };
    await expect(queue.neighbours({ ...request, images: [photo] })).resolves.toEqual(neighbourhood(7));
  });

  test('gives each of 200 interleaved callers the answer to its own photo', async () => {
    const together: (() => void)[] = [];
    // Ten at a time, answered in the reverse order of their arrival.
    pipeline.behave = async (photo) => {
      await new Promise<void>((resolve) => {
        together.push(resolve);
        if (together.length === 10) for (const answer of together.splice(0).reverse()) answer();
      });
      return neighbourhood(photo);
    };
    const queue = await open();
    const photos = Array.from({ length: 200 }, (_, photo) => photo);
    const answers = await Promise.all(photos.map((photo) => queue.neighbours(requestFor(photo, inAnHour()))));
    expect(answers.map((answer) => answer.neighbours)).toEqual(
      photos.map((photo) => neighbourhood(photo).neighbours),
    );
  });

  test('hands over the whole scope, the sandbox too', async () => {
    const queue = await open();
    const filters = [{ field: 'brand', include: ['brand_a'], exclude: ['brand_b'] }];
    const scope = { category: 'handbags', filters, sandbox: true } as const;
    await queue.neighbours({ ...requestFor(1, inAnHour()), scope });
    expect(pipeline.scopes).toEqual([scope]);
  });

  test('fails with timeout at the deadline, and the place is free again', async () => {
    pipeline.behave = hold;
    const queue = await open({ concurrency: 1 });
    void queue.neighbours(requestFor(1, inAnHour())).catch(() => undefined);
    await pipeline.given(1);
    const waiting = queue.neighbours(requestFor(2, clock.now().getTime() + 50));
    await expect(waiting).rejects.toMatchObject({ status: 504, code: 'timeout' });
    await expect(queue.depth()).resolves.toEqual({ waiting: 0, active: 1 });
  });

  test('fails with timeout when the deadline has passed before the call', async () => {
    const queue = await open();
    const late = queue.neighbours(requestFor(1, clock.now().getTime()));
    await expect(late).rejects.toMatchObject({ code: 'timeout' });
    expect(pipeline.seen).toEqual([]);
  });

  test('refuses with unavailable and Retry-After when the queue is full', async () => {
    pipeline.behave = hold;
    const queue = await open({ concurrency: 1, waitingMax: 1 });
    void queue.neighbours(requestFor(1, inAnHour())).catch(() => undefined);
    await pipeline.given(1);
    void queue.neighbours(requestFor(2, inAnHour())).catch(() => undefined);
    await until(async () => (await queue.depth()).waiting === 1);
    const refused = await failureOf(queue.neighbours(requestFor(3, inAnHour())));
    expect(refused).toMatchObject({ status: 503, code: 'unavailable', headers: { 'Retry-After': '1' } });
  });

  test('refuses what can not be answered in time at the measured pace, and says when it could', async () => {
    pipeline.behave = async (photo) => {
      clock.advance(1_000);
      return neighbourhood(photo);
    };
    const queue = await open({ concurrency: 1 });
    for (const photo of [1, 2, 3, 4, 5]) await queue.neighbours(requestFor(photo, inAnHour()));
    pipeline.behave = hold;
    void queue.neighbours(requestFor(6, inAnHour())).catch(() => undefined);
    await pipeline.given(6);
    for (const photo of [7, 8, 9]) {
      void queue.neighbours(requestFor(photo, inAnHour())).catch(() => undefined);
      await until(async () => (await queue.depth()).waiting === photo - 6);
    }
    // Four photos of a second each are ahead.
    const refused = await failureOf(queue.neighbours(requestFor(10, clock.now().getTime() + 1_500)));
    expect(refused).toMatchObject({ status: 503, code: 'unavailable', headers: { 'Retry-After': '3' } });
  });

  test('lets no more photos in than can be answered in half of their time, also before they are in the queue', async () => {
    const queue = await openBusy();
    const inAMinute = clock.now().getTime() + 60_000;
    const places: VisionPlace[] = [];
    const comeUntilRefused = async () => {
      for (;;) places.push(await queue.enter(stranger(inAMinute)));
    };
    await expect(comeUntilRefused()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    // A second for each, and one is in work, of which the queue on Redis may not have heard yet.
    expect([30, 31]).toContain(places.length);
    await expect(queue.admit(stranger(inAMinute))).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
    });
    for (const place of places) place.leave();
    await expect(queue.enter(stranger(inAMinute))).resolves.toBeDefined();
  });

  test('keeps the last eighth of its places from an account that takes all, for those who take less', async () => {
    pipeline.behave = hold;
    const queue = await open({ concurrency: 1, waitingMax: 16 });
    await queue.enter(stranger(inAnHour()));
    void queue.neighbours(requestFor(1, inAnHour())).catch(() => undefined);
    await pipeline.given(1);
    const placesOf = async (accountId: string): Promise<number> => {
      for (let places = 0; ; places += 1) {
        const entered = await queue.enter({ accountId, deadlineAt: inAnHour() }).catch((failure) => failure);
        if (!('leave' in entered)) {
          expect(entered).toMatchObject({ status: 503, code: 'unavailable' });
          return places;
        }
      }
    };
    await expect(placesOf('flood')).resolves.toBe(14);
    await expect(placesOf('somebody')).resolves.toBe(2);
    await expect(placesOf('somebody else')).resolves.toBe(0);
  });

  test('lets an account that has none of the queue in, where one that has much would be too late', async () => {
    const queue = await openBusy();
    const flood = { accountId: 'flood', deadlineAt: clock.now().getTime() + 60_000 };
    const flooding = async () => {
      for (;;) await queue.enter(flood);
    };
    await expect(flooding()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    await expect(queue.admit(stranger(flood.deadlineAt))).resolves.toBeUndefined();
  });

  test('counts photos, and of those to be decoded before one only as many of each account as its turn takes', async () => {
    const queue = await openBusy();
    const inAMinute = clock.now().getTime() + 60_000;
    const flood = { accountId: 'flood', deadlineAt: inAMinute, photos: 5 };
    const entered: VisionPlace[] = [];
    const flooding = async () => {
      for (;;) entered.push(await queue.enter(flood));
    };
    await expect(flooding()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(entered.length).toBeLessThan(8);
    for (let photo = 0; photo < 12; photo += 1)
      await queue.enter({ accountId: 'other', deadlineAt: inAMinute });
  });

  test('sends a photo of an account that takes all away also when it comes to be queued', async () => {
    pipeline.behave = hold;
    const queue = await open({ concurrency: 1, waitingMax: 8 });
    const deadlineAt = inAnHour();
    const ask = (photo: number, accountId: string) =>
      failureOf(queue.neighbours({ ...requestFor(photo, deadlineAt), accountId }));
    await queue.enter({ accountId: 'flood', deadlineAt });
    await queue.enter({ accountId: 'flood', deadlineAt });
    void ask(1, 'flood');
    await pipeline.given(1);
    for (let photo = 2; photo <= 8; photo += 1) {
      void ask(photo, 'somebody');
      await until(async () => (await queue.depth()).waiting === photo - 1);
    }
    await expect(ask(9, 'flood')).resolves.toMatchObject({ status: 503, code: 'unavailable' });
    void ask(10, 'somebody');
    await until(async () => (await queue.depth()).waiting === 8);
  });

  test('gives the place of a caller who hung up to the next one', async () => {
    const firstPhoto = gate();
    pipeline.behave = async (photo) => {
      if (photo === 1) await firstPhoto.opened;
      return neighbourhood(photo);
    };
    const queue = await open({ concurrency: 1, waitingMax: 1 });
    const first = queue.neighbours(requestFor(1, inAnHour()));
    await pipeline.given(1);
    const caller = new AbortController();
    const second = queue.neighbours(requestFor(2, inAnHour(), caller.signal));
    await until(async () => (await queue.depth()).waiting === 1);
    caller.abort(new Error('hung up'));
    await expect(second).rejects.toThrow('hung up');
    const third = queue.neighbours(requestFor(3, inAnHour()));
    firstPhoto.open();
    await expect(first).resolves.toEqual(neighbourhood(1));
    await expect(third).resolves.toMatchObject({ neighbours: [{ imageId: 3 }] });
    expect(pipeline.seen).toEqual([1, 3]);
  });

  test('hands on a failure that is the answer, with all its parts', async () => {
    pipeline.behave = async () => {
      throw unprocessable('image_undecodable', 'The image is damaged.');
    };
    const queue = await open();
    await expect(queue.neighbours(requestFor(1, inAnHour()))).rejects.toMatchObject({
      status: 422,
      code: 'unprocessable',
      message: 'The image is damaged.',
      extras: { reason: 'image_undecodable' },
    });
    expect(pipeline.seen).toEqual([1]);
  });

  // contract 7.13
  test('tries once more after a fault that may pass', async () => {
    pipeline.behave = async (photo) => {
      if (pipeline.seen.length === 1) throw new Error('passing');
      return neighbourhood(photo);
    };
    const queue = await open();
    await expect(queue.neighbours(requestFor(1, inAnHour()))).resolves.toMatchObject({ version: { id: 1 } });
    expect(pipeline.seen).toEqual([1, 1]);
  });

  test('fails with internal_error, inside unsaid, after a second fault', async () => {
    pipeline.behave = async () => {
      throw new Error('secret of the inside');
    };
    const queue = await open();
    const failure = await failureOf(queue.neighbours(requestFor(1, inAnHour())));
    expect(failure).toMatchObject({
      status: 500,
      code: 'internal_error',
      message: internalError(null).message,
    });
    expect(pipeline.seen).toEqual([1, 1]);
  });

  test('knows the answer of a job that was asked for before', async () => {
    const queue = await open();
    const request = requestFor(1, inAnHour());
    await expect(queue.neighbours(request)).resolves.toEqual(neighbourhood(1));
    // No word of its end will come a second time: the look at the deadline finds it.
    const again = queue.neighbours({ ...request, deadlineAt: clock.now().getTime() + 50 });
    await expect(again).resolves.toEqual(neighbourhood(1));
  });

  test('tells metrics how deep the queue is and how old its head', async () => {
    pipeline.behave = hold;
    const queue = await open({ concurrency: 1 });
    await expect(queue.oldestWaitingMs()).resolves.toBe(0);
    void queue.neighbours(requestFor(1, inAnHour())).catch(() => undefined);
    await pipeline.given(1);
    void queue.neighbours(requestFor(2, inAnHour())).catch(() => undefined);
    await until(async () => (await queue.depth()).waiting === 1);
    await expect(queue.depth()).resolves.toEqual({ waiting: 1, active: 1 });
  });

  test('sends everyone who waits away when it is closed', async () => {
    pipeline.behave = hold;
    const { queue, close } = await adapter({ pipeline, clock, concurrency: 1, waitingMax: 10 });
    opened.push({ queue, close });
    const asked = [1, 2].map((photo) => failureOf(queue.neighbours(requestFor(photo, inAnHour()))));
    await pipeline.given(1);
    await until(async () => (await queue.depth()).waiting === 1);
    const closing = queue.close();
    for (const failure of await Promise.all(asked)) expect(failure).toMatchObject({ code: 'unavailable' });
    await expect(queue.neighbours(requestFor(3, inAnHour()))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(queue.ping()).rejects.toMatchObject({ code: 'unavailable' });
    void closing;
  });
});
