import { bringUpObjectStore, bringUpServers } from '../../scripts/lab/services/servers';

const log = () => undefined;

describe('servers given by their address', () => {
  const environment = {
    TEST_DATABASE_URL: 'postgresql://test',
    DATABASE_URL: 'postgresql://service',
    TEST_REDIS_URL: '',
    REDIS_URL: 'redis://service',
    TEST_S3_URL: 'http://key:secret@theirs',
  };

  test('the addresses for tests win over those of the service; an empty one counts as none', async () => {
    const { postgres, redis, given } = await bringUpServers({ environment, log });
    expect([postgres.url, redis.url, given]).toEqual(['postgresql://test', 'redis://service', true]);
    expect((await bringUpObjectStore({ environment, log })).url).toBe(environment.TEST_S3_URL);
  });

  test('are never killed, paused or stopped', async () => {
    const { redis, stop } = await bringUpServers({ environment, log });
    await expect(redis.kill()).rejects.toThrow('not ours');
    await expect(redis.pause()).rejects.toThrow('not ours');
    await expect(stop()).resolves.toBeUndefined();
  });
});
