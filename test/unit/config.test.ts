import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { settingWarnings } from '../../scripts/composition/setting-warnings';
import { ConfigError, processEnvironment, readConfig } from '../../scripts/config';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14.3, 17.1: names, defaults, and that every fault is told at once. */

// contract 14.16
test('a worker without a port takes a free one, so that an API beside it finds its own', () => {
  const settings = { ROLE: 'worker', REDIS_URL: 'redis://redis' };
  expect(readConfig(settings).PORT).toBe(0);
  expect(readConfig({ ...settings, PORT: '3001' }).PORT).toBe(3001);
  expect(readConfig({ ...settings, ROLE: 'api' }).PORT).toBe(3000);
});

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

test.each([
  ['s3://pictures', { bucket: 'pictures', prefix: '' }],
  ['s3://pictures/', { bucket: 'pictures', prefix: '' }],
  ['s3://my.pictures/shop/2026/', { bucket: 'my.pictures', prefix: 'shop/2026' }],
])('the bucket of %s is taken apart', (text, place) => {
  expect(readConfig({ IMAGE_STORE: text }).IMAGE_STORE).toEqual(place);
});

test.each([
  ['https://Shop.Example, http://localhost:5173', ['https://shop.example', 'http://localhost:5173']],
  ['https://shop.example:443', ['https://shop.example']],
  ['http://[::1]:8080', ['http://[::1]:8080']],
  ['capacitor://localhost', ['capacitor://localhost']],
  [' * ', '*'],
  ['', []],
])('the origins "%s" are those that browsers name', (text, origins) => {
  expect(readConfig({ CORS_ORIGINS: text }).CORS_ORIGINS).toEqual(origins);
});

test.each([
  'shop.example',
  'https://shop.example/',
  'https://shop.example/page',
  'https://*.shop.example',
  'https://me@shop.example',
  'https://shop.example:99999',
  '*, https://shop.example',
  'null',
])('the origin "%s" is refused by name', (text) => {
  expect(() => readConfig({ CORS_ORIGINS: text })).toThrow(/CORS_ORIGINS: must be \* or a list/);
});

// contract 14.3
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

const SECRET = '0123456789abcdef';

test.each([
  ['a secret alone, which would be published as the id', SECRET, 'the key has no id'],
  ['one of several without an id', `a:${SECRET},${SECRET}`, 'key 2 of 2 has no id'],
  ['an empty id', `:${SECRET}`, 'the id of the key must be 1 to 32 of A-Z, a-z, 0-9, _ and -'],
  ['an id with other letters', `a b:${SECRET}`, 'the id of the key must be'],
  ['an id over 32 letters', `${'a'.repeat(33)}:${SECRET}`, 'the id of the key must be'],
  ['a short secret', `a:${SECRET.slice(1)}`, 'the secret of the key must have at least 16 characters'],
  ['an id twice', `a:${SECRET},b:${SECRET},a:fedcba9876543210`, 'names an id twice'],
  ['a list that ends in a comma', `a:${SECRET},`, 'key 2 of 2 has no id'],
])('signing keys with %s are refused, and no part of a secret is repeated', (_what, SIGNING_KEYS, reason) => {
  const faults = faultsOf({ SIGNING_KEYS });
  expect(faults).toEqual([expect.stringContaining(`SIGNING_KEYS: ${reason}`)]);
  expect(faults.join()).not.toMatch(/0123|cdef|aaaa/);
});

test.each([
  ['a query', 'https://loupe.example/?a=b', 'query'],
  ['an empty query', 'https://loupe.example?', 'query'],
  ['a fragment', 'https://loupe.example/#a', 'fragment'],
  ['credentials', 'https://ann:hunter2@loupe.example', 'password'],
  ['no scheme', 'loupe.example', 'http'],
])('a PUBLIC_URL with %s is refused, and none of it repeated', (_what, PUBLIC_URL, reason) => {
  const faults = faultsOf({ PUBLIC_URL });
  expect(faults).toEqual([expect.stringContaining(reason)]);
  expect(faults.join()).not.toContain('hunter2');
});

test.each([
  ['HOST', 'http://0.0.0.0'],
  ['HOST', '127.0.0.1:3000'],
  ['HOST', '[::1]'],
  ['DATABASE_URL', 'postgres://user:1#hunter2@db/loupe'],
  ['DATABASE_URL', 'postgres://user:hun/ter2@db/loupe'],
  ['DATABASE_URL', 'postgres://db/loupe/more'],
  ['REDIS_URL', 'redis://:1#hunter2@redis:6379'],
  ['REDIS_URL', 'redis://redis:6379/jobs'],
  ['IMAGE_FETCH_ALLOW', '*:80'],
  ['IMAGE_FETCH_ALLOW', 'media:0'],
  ['IMAGE_FETCH_ALLOW', 'media:65536'],
  ['IMAGE_FETCH_ALLOW', '[::zz]:80'],
  ['IMAGE_FETCH_ALLOW', 'ann@media:80'],
  ['CONFIDENCE_FLOOR', '0x1'],
  ['VISION_DEADLINE_MS', '2147483648'],
  ['STOP_TIMEOUT_MS', '2147483648'],
  ['IMAGE_FETCH_TIMEOUT_MS', '2147483648'],
  ['IMAGE_BYTES_MAX', '99999999999'],
  ['IMAGE_PIXELS_MAX', '99999999999'],
  ['IMAGE_STORE', 'pictures'],
  ['IMAGE_STORE', 's3://Pictures'],
  ['IMAGE_STORE', 's3://pictures/../other'],
  ['IMAGE_STORE', 's3://pictures//shop'],
  ['IMAGE_STORE_PATH_STYLE', 'yes'],
  ['IMAGE_BASE_URL', 'https://cdn.example?a'],
  ['AWS_ENDPOINT_URL_S3', 'https://key:hunter2@minio:9000'],
  ['AWS_ACCESS_KEY_ID', 'hunter2'],
  ['LOUPE_URL', 'loupe:3000'],
  ['MODEL', 'a@b@c'],
  ['QUEUE_PREFIX', 'a:b'],
  ['QUEUES_PASSWORD', 'short'],
  ['ADMIN_TOKEN', 'only-thirty-one-characters-long'],
  ['ADMIN_TOKEN', 'forty characters, but with spaces in it'],
])('%s=%s is refused without being repeated', (name, value) => {
  const faults = faultsOf({ [name]: value });
  expect(faults).toEqual([expect.stringMatching(`^${name}: .`)]);
  expect(faults.join()).not.toContain(value);
  expect(faults.join()).not.toMatch(/hun/);
});

test.each([
  ['HOST', '::1'],
  ['HOST', 'loupe.internal'],
  ['DATABASE_URL', 'postgres:///loupe?host=/var/run/postgresql'],
  ['DATABASE_URL', 'postgresql://user:p%23%2Fw@db:5432/loupe?sslmode=verify-full'],
  ['REDIS_URL', 'rediss://:p%23w@redis.example:6380/2'],
  ['QUEUES_PASSWORD', 'long enough'],
  ['ADMIN_TOKEN', 'thirty-two-characters-and-no-les'],
] as const)('%s=%s is taken as it is, without white space around it', (name, value) => {
  expect(readConfig({ [name]: ` ${value}\n` })).toHaveProperty(name, value);
});

test('a .env that can not be read is a fault, not an empty one', () => {
  const before = process.cwd();
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.env'));
  process.chdir(folder);
  try {
    expect(() => processEnvironment()).toThrow(/\.env: can not be read/);
  } finally {
    process.chdir(before);
  }
});

test('what is allowed and hardly meant is warned of, and nothing else', () => {
  const warningsOf = (environment: Record<string, string>) =>
    settingWarnings(readConfig(environment), environment).join();
  expect(warningsOf({ HOME: '/root', PATH: '/bin', DATABASE_URL: 'postgres://db/loupe', PORT: '0' })).toBe(
    '',
  );
  expect(warningsOf({ DATABSE_URL: 'postgres://db' })).toMatch(/DATABSE_URL .* DATABASE_URL/);
  expect(warningsOf({ QUEUES_PASSWORD: 'long enough' })).toMatch(/no effect without REDIS_URL/);
  expect(warningsOf({ ROLE: 'worker', REDIS_URL: 'redis://redis' })).toMatch(/without DATABASE_URL/);
  expect(warningsOf({ STOP_TIMEOUT_MS: '1000' })).toMatch(/STOP_TIMEOUT_MS is shorter/);
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
