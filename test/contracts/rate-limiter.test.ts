import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { MemoryRateLimiter } from '../../api/limits/memory-rate-limiter';
import { RedisRateLimiter } from '../../api/limits/redis-rate-limiter';
import type { RateLimiter } from '../../models/ports';
import { silent } from '../support/log-sink';
import { REDIS_URL } from './queue-support';

/** A limiter, and another one that shares its counts as a second process would. */
interface Opened {
  readonly one: RateLimiter;
  readonly other: RateLimiter;
  /** Does something by a clock that is a day ahead and then corrected. */
  ahead(work: () => Promise<unknown>): Promise<void>;
  close(): Promise<unknown>;
}

const DAY_MS = 86_400_000;

async function aheadHere(work: () => Promise<unknown>): Promise<void> {
  const spy = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + DAY_MS);
  await work();
  spy.mockRestore();
}

/** As if its clock had been ahead: what expires there, expires a day later. */
async function aheadInRedis(client: Redis, prefix: string, work: () => Promise<unknown>): Promise<void> {
  await work();
  for (const key of await client.keys(`${prefix}:*`)) {
    await client.pexpire(key, (await client.pttl(key)) + DAY_MS);
    if ((await client.type(key)) !== 'zset') continue;
    for (const slot of await client.zrange(key, '0', '-1')) await client.zincrby(key, DAY_MS, String(slot));
  }
}

async function inMemory(): Promise<Opened> {
  const limiter = new MemoryRateLimiter();
  return { one: limiter, other: limiter, ahead: aheadHere, close: async () => undefined };
}

/** Nothing listens there: each process counts for itself. */
async function inRedisThatIsAway(): Promise<Opened> {
  const settings = { enableOfflineQueue: false, lazyConnect: true, retryStrategy: () => null };
  const client = new Redis({ host: '127.0.0.1', port: 1, disconnectTimeout: 1, ...settings });
  client.on('error', () => undefined);
  const limiter = new RedisRateLimiter(client, 'test', silent);
  return { one: limiter, other: limiter, ahead: aheadHere, close: async () => client.disconnect() };
}

async function inRedis(): Promise<Opened> {
  const clients = [new Redis(REDIS_URL), new Redis(REDIS_URL)] as const;
  await Promise.all(clients.map((client) => client.ping()));
  const prefix = `test-${randomUUID()}`;
  return {
    one: new RedisRateLimiter(clients[0], prefix, silent),
    other: new RedisRateLimiter(clients[1], prefix, silent),
    ahead: (work) => aheadInRedis(clients[0], prefix, work),
    close: () => Promise.all(clients.map((client) => client.quit())),
  };
}

const OPENERS = { inMemory, inRedisThatIsAway, ...(REDIS_URL ? { inRedis } : {}) };

describe.each(Object.entries(OPENERS))('a rate limiter %s', (_name, open) => {
  let limiters: Opened;
  beforeAll(async () => {
    limiters = await open();
  });
  afterAll(() => limiters.close());

  const slotOnceFree = async (key: string): Promise<void> => {
    while ((await limiters.one.acquire(key, 1, 20)) === null) await new Promise(setImmediate);
  };

  test('allows as many calls as the limit, wherever they are counted, and then no more', async () => {
    const { one, other } = limiters;
    const first = await one.consume('key-a', 'minute', 2);
    expect(first).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
    expect(first.resetSeconds).toBeGreaterThan(0);
    expect(first.resetSeconds).toBeLessThanOrEqual(60);
    expect(await other.consume('key-a', 'minute', 2)).toMatchObject({ allowed: true, remaining: 0 });
    const third = await one.consume('key-a', 'minute', 2);
    expect(third).toMatchObject({ allowed: false, limit: 2, remaining: 0 });
  });

  test('counts keys and windows apart', async () => {
    const allowed = async (key: string, window: 'minute' | 'second') =>
      (await limiters.one.consume(key, window, 1)).allowed;
    expect([await allowed('key-b', 'minute'), await allowed('key-c', 'minute')]).toEqual([true, true]);
    expect([await allowed('key-b', 'second'), await allowed('key-b', 'minute')]).toEqual([true, false]);
  });

  test('gives as many slots as the limit, several together or none, and gives released ones again', async () => {
    const { one, other } = limiters;
    const five = await one.acquire('key-d', 6, 60_000, 5);
    expect(five).not.toBeNull();
    expect(await other.acquire('key-d', 6, 60_000, 2)).toBeNull();
    expect(await other.acquire('key-d', 6, 60_000)).not.toBeNull();
    expect(await one.acquire('key-d', 6, 60_000)).toBeNull();
    await five?.release();
    await five?.release();
    expect(await one.acquire('key-d', 6, 60_000, 6)).toBeNull();
    expect(await other.acquire('key-d', 6, 60_000, 5)).not.toBeNull();
  });

  test('reclaims a slot that nobody released', async () => {
    await limiters.one.acquire('key-e', 1, 20);
    await slotOnceFree('key-e');
  });

  // contract 14.18
  test('restarts a window begun by a clock that was ahead, and reclaims its slots', async () => {
    const { one, other, ahead } = limiters;
    const refused = { allowed: false, limit: 1, remaining: 0 };
    await ahead(async () => {
      await one.consume('key-f', 'minute', 1);
      expect(await one.consume('key-f', 'minute', 1)).toMatchObject(refused);
    });
    expect(await other.consume('key-f', 'minute', 1)).toMatchObject({ allowed: true });
    const second = await one.consume('key-f', 'minute', 1);
    expect(second).toMatchObject(refused);
    expect(second.resetSeconds).toBeLessThanOrEqual(60);
    await ahead(() => one.acquire('key-g', 1, 20));
    await slotOnceFree('key-g');
  });
});
