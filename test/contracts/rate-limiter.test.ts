import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { MemoryRateLimiter } from '../../api/limits/memory-rate-limiter';
import { RedisRateLimiter } from '../../api/limits/redis-rate-limiter';
import type { RateLimiter } from '../../models/ports';
import { processEnvironment } from '../../scripts/config';
import { silent } from '../support/log-sink';

/** What every rate limiter promises (`RateLimiter` in models/ports.ts). */
interface Adapter {
  readonly name: string;
  /** A limiter and another one that shares its counts, as a second process would. */
  open(): Promise<{
    one: RateLimiter;
    other: RateLimiter;
    /** Does something by a clock that is a day ahead, and right afterwards. */
    ahead(work: () => Promise<unknown>): Promise<void>;
    close(): Promise<void>;
  }>;
}

const DAY_MS = 86_400_000;

async function aheadHere(work: () => Promise<unknown>): Promise<void> {
  const now = Date.now();
  const spy = jest.spyOn(Date, 'now').mockReturnValue(now + DAY_MS);
  await work();
  spy.mockRestore();
}

/** As if its clock had been: what lapses there, lapses a day later. */
async function aheadInRedis(client: Redis, prefix: string, work: () => Promise<unknown>): Promise<void> {
  await work();
  for (const key of await client.keys(`${prefix}:*`)) {
    await client.pexpire(key, (await client.pttl(key)) + DAY_MS);
    if ((await client.type(key)) !== 'zset') continue;
    for (const place of await client.zrange(key, '0', '-1')) await client.zincrby(key, DAY_MS, String(place));
  }
}

const nothing = () => undefined;

const MEMORY: Adapter = {
  name: 'in memory',
  open: async () => {
    const limiter = new MemoryRateLimiter();
    return { one: limiter, other: limiter, ahead: aheadHere, close: async () => undefined };
  },
};

const redisAt = (url: string): Adapter => ({
  name: 'in Redis',
  open: async () => {
    const clients = [new Redis(url), new Redis(url)] as const;
    await Promise.all(clients.map((client) => client.ping()));
    const prefix = `test-${randomUUID()}`;
    return {
      one: new RedisRateLimiter(clients[0], prefix, silent),
      other: new RedisRateLimiter(clients[1], prefix, silent),
      ahead: (work) => aheadInRedis(clients[0], prefix, work),
      close: async () => {
        for (const client of clients) await client.quit();
      },
    };
  },
});

/** Nothing listens there: each process goes on by itself. */
const REDIS_AWAY: Adapter = {
  name: 'in Redis that is away',
  open: async () => {
    const client = new Redis({
      host: '127.0.0.1',
      port: 1,
      enableOfflineQueue: false,
      lazyConnect: true,
      retryStrategy: () => null,
      disconnectTimeout: 1,
    });
    client.on('error', nothing);
    const limiter = new RedisRateLimiter(client, 'test', silent);
    return { one: limiter, other: limiter, ahead: aheadHere, close: async () => client.disconnect() };
  },
};

const redisUrl = processEnvironment()['TEST_REDIS_URL'];
const ADAPTERS = [MEMORY, REDIS_AWAY, ...(redisUrl === undefined ? [] : [redisAt(redisUrl)])];

describe.each(ADAPTERS)('a rate limiter $name', ({ open }) => {
  let limiters: Awaited<ReturnType<Adapter['open']>>;
  beforeAll(async () => {
    limiters = await open();
  });
  afterAll(() => limiters.close());

  test('allows as many calls as the limit, wherever they are counted, and then no more', async () => {
    const { one, other } = limiters;
    const first = await one.consume('key-a', 'minute', 2);
    expect(first).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
    expect(first.resetSeconds).toBeGreaterThan(0);
    expect(first.resetSeconds).toBeLessThanOrEqual(60);
    expect(await other.consume('key-a', 'minute', 2)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await one.consume('key-a', 'minute', 2)).toMatchObject({ allowed: false, limit: 2, remaining: 0 });
  });

  test('counts keys and windows apart', async () => {
    const { one } = limiters;
    await one.consume('key-b', 'minute', 1);
    expect(await one.consume('key-c', 'minute', 1)).toMatchObject({ allowed: true });
    expect(await one.consume('key-b', 'second', 1)).toMatchObject({ allowed: true });
    expect(await one.consume('key-b', 'minute', 1)).toMatchObject({ allowed: false });
  });

  test('gives as many places as the limit, and again those that were released', async () => {
    const { one, other } = limiters;
    const [first, second] = [await one.acquire('key-d', 2, 60_000), await other.acquire('key-d', 2, 60_000)];
    expect([first, second]).not.toContain(null);
    expect(await one.acquire('key-d', 2, 60_000)).toBeNull();
    await first?.release();
    await first?.release();
    expect(await other.acquire('key-d', 2, 60_000)).not.toBeNull();
    expect(await other.acquire('key-d', 2, 60_000)).toBeNull();
  });

  test('gives several places together, or none of them', async () => {
    const { one, other } = limiters;
    const five = await one.acquire('key-f', 6, 60_000, 5);
    expect(five).not.toBeNull();
    expect(await other.acquire('key-f', 6, 60_000, 2)).toBeNull();
    expect(await other.acquire('key-f', 6, 60_000)).not.toBeNull();
    await five?.release();
    await five?.release();
    expect(await one.acquire('key-f', 6, 60_000, 6)).toBeNull();
    expect(await one.acquire('key-f', 6, 60_000, 5)).not.toBeNull();
  });

  test('takes back a place that nobody released', async () => {
    const { one } = limiters;
    await one.acquire('key-e', 1, 20);
    let place = await one.acquire('key-e', 1, 20);
    while (place === null) {
      await new Promise((resolve) => setImmediate(resolve));
      place = await one.acquire('key-e', 1, 20);
    }
    expect(place).not.toBeNull();
  });

  // contract 14.18
  test('begins a window anew that a clock which was ahead has begun, and takes back its places', async () => {
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
    let place = await one.acquire('key-g', 1, 20);
    while (place === null) {
      await new Promise((resolve) => setImmediate(resolve));
      place = await one.acquire('key-g', 1, 20);
    }
    expect(place).not.toBeNull();
  });
});
