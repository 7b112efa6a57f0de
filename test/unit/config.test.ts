import { resolve } from 'node:path';
import { ConfigError, readConfig } from '../../scripts/config';

/** running.md "Settings": names, defaults, and that every fault is told at once. */

test('every setting has the default of the contract', () => {
  expect(readConfig({})).toMatchObject({
    PORT: 3000,
    HOST: '127.0.0.1',
    ROLE: 'all',
    DATA_DIR: resolve('.loupe'),
    IMAGE_FETCH_ALLOW: [],
    RATE_PER_SECOND: 50,
    RATE_PER_MINUTE: 0,
    VISION_CONCURRENCY: 16,
    VISION_DEADLINE_MS: 15_000,
    IMAGE_BYTES_MAX: 20 * 1024 * 1024,
    IMAGE_PIXELS_MAX: 50_000_000,
    IMAGE_FETCH_TIMEOUT_MS: 10_000,
    IMAGE_FETCH_REDIRECTS_MAX: 3,
    PAGE_SIZE_MAX: 100,
  });
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'MODEL', 'SIGNING_KEYS', 'PUBLIC_URL', 'CONFIDENCE_FLOOR'])
    expect(readConfig({})).not.toHaveProperty(name);
});

test('a blank setting is one that is not set, and the settings can not be changed', () => {
  const config = readConfig({ PORT: ' ', REDIS_URL: '' });
  expect(config.PORT).toBe(3000);
  expect(config).not.toHaveProperty('REDIS_URL');
  expect(Object.isFrozen(config)).toBe(true);
});

test('lists and addresses are taken apart', () => {
  const config = readConfig({
    SIGNING_KEYS: 'b:0123456789abcdef,a:fedcba98:76543210',
    IMAGE_FETCH_ALLOW: 'LocalHost:8080, [::1]:9090',
    PUBLIC_URL: 'https://loupe.example/base/',
    PORT: '0',
  });
  expect(config.SIGNING_KEYS).toEqual([
    { id: 'b', secret: '0123456789abcdef' },
    { id: 'a', secret: 'fedcba98:76543210' },
  ]);
  expect(config.IMAGE_FETCH_ALLOW).toEqual(['localhost:8080', '[::1]:9090']);
  expect(config.PUBLIC_URL).toBe('https://loupe.example/base');
  expect(config.PORT).toBe(0);
});

test('every fault is named at once', () => {
  const wrong = {
    PORT: 'http',
    ROLE: 'boss',
    DATABASE_URL: 'mysql://x',
    REDIS_URL: 'x',
    SIGNING_KEYS: 'k:short',
    PUBLIC_URL: 'ftp://x',
    IMAGE_FETCH_ALLOW: 'localhost',
    RATE_PER_SECOND: '-1',
    CONFIDENCE_FLOOR: '2',
    PAGE_SIZE_MAX: '0',
    VISION_DEADLINE_MS: '1.5',
  };
  expect(
    faultsOf(wrong)
      .map((fault) => fault.split(':')[0])
      .sort(),
  ).toEqual(Object.keys(wrong).sort());
});

test('a fault between settings is named together with those of single ones', () => {
  expect(faultsOf({ ROLE: 'worker', PORT: 'http' }).map((fault) => fault.split(':')[0])).toEqual([
    'PORT',
    'ROLE',
  ]);
  expect(faultsOf({ ROLE: 'worker', REDIS_URL: 'x' }).map((fault) => fault.split(':')[0])).toEqual([
    'REDIS_URL',
  ]);
});

test('two signing keys of one name are refused', () => {
  const SIGNING_KEYS = 'a:0123456789abcdef,b:0123456789abcdef,a:fedcba9876543210';
  expect(faultsOf({ SIGNING_KEYS })).toEqual(['SIGNING_KEYS: names an id twice']);
});

test('api and worker meet in Redis', () => {
  expect(() => readConfig({ ROLE: 'api' })).toThrow(/REDIS_URL/);
  expect(readConfig({ ROLE: 'api', REDIS_URL: 'redis://localhost' }).ROLE).toBe('api');
});

function faultsOf(settings: Record<string, string>): readonly string[] {
  try {
    readConfig(settings);
  } catch (failure) {
    return failure instanceof ConfigError ? failure.faults : [];
  }
  return [];
}
