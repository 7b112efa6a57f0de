import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { settingWarnings } from '../../scripts/composition/setting-warnings';
import { ConfigError, processEnvironment, readConfig } from '../../scripts/config';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14.3, 17.1: names and defaults of settings, and that every fault is reported at once, without its value. */
const SECRET = '0123456789abcdef';

function faultsOf(settings: Record<string, string>): readonly string[] {
  try {
    readConfig(settings);
  } catch (failure) {
    return failure instanceof ConfigError ? failure.faults : [];
  }
  return [];
}
const faulty = (settings: Record<string, string>) =>
  faultsOf(settings)
    .map((fault) => fault.split(':')[0])
    .sort();

test('every setting has the default of the contract', () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    ...{ PORT: 3000, HOST: '127.0.0.1', ROLE: 'all', DATA_DIR: resolve('.loupe'), PAGE_SIZE_MAX: 100 },
    ...{ RATE_PER_SECOND: 50, RATE_PER_MINUTE: 0, VISION_CONCURRENCY: 16, VISION_DEADLINE_MS: 15_000 },
    ...{ IMAGE_BYTES_MAX: 20 * 1024 * 1024, IMAGE_PIXELS_MAX: 50_000_000, IMAGE_FETCH_ALLOW: [] },
    ...{ IMAGE_FETCH_TIMEOUT_MS: 10_000, IMAGE_FETCH_REDIRECTS_MAX: 3 },
  });
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'MODEL', 'SIGNING_KEYS', 'PUBLIC_URL', 'CONFIDENCE_FLOOR'])
    expect(config).not.toHaveProperty(name);
  expect(Object.isFrozen(config)).toBe(true);
});

// contract 14.16
test('a worker without a port takes a free one, so that an API beside it gets its own', () => {
  const settings = { ROLE: 'worker', REDIS_URL: 'redis://redis' };
  expect(readConfig(settings).PORT).toBe(0);
  expect(readConfig({ ...settings, PORT: '3001' }).PORT).toBe(3001);
  expect(readConfig({ ...settings, ROLE: 'api' }).PORT).toBe(3000);
});

const PADDED = 'Authorization=Basic dXNlcjpwYXNzdw==,X-Scope=shop';
const POSTGRES = 'postgresql://user:p%23%2Fw@db:5432/loupe?sslmode=verify-full';

test.each<[name: string, value: string, parsed?: unknown]>([
  ['PORT', ' ', 3000],
  ['PORT', '0', 0],
  ['HOST', '::1', '::1'],
  ['HOST', 'loupe.internal', 'loupe.internal'],
  ['REDIS_URL', '', undefined],
  ['REDIS_URL', 'rediss://:p%23w@redis.example:6380/2', 'rediss://:p%23w@redis.example:6380/2'],
  ['DATABASE_URL', 'postgres:///loupe?host=/var/run', 'postgres:///loupe?host=/var/run'],
  ['DATABASE_URL', POSTGRES, POSTGRES],
  ['QUEUES_PASSWORD', 'long enough', 'long enough'],
  ['ADMIN_TOKEN', 'thirty-two-characters-and-no-les', 'thirty-two-characters-and-no-les'],
  ['PUBLIC_URL', 'https://loupe.example/base/', 'https://loupe.example/base'],
  ['IMAGE_FETCH_ALLOW', 'LocalHost:8080, [::1]:9090', ['localhost:8080', '[::1]:9090']],
  ['SIGNING_KEYS', `b:${SECRET}`, [{ id: 'b', secret: SECRET }]],
  ['SIGNING_KEYS', 'a:fedcba98:76543210', [{ id: 'a', secret: 'fedcba98:76543210' }]],
  ['IMAGE_STORE', 's3://pictures', { bucket: 'pictures', prefix: '' }],
  ['IMAGE_STORE', 's3://pictures/', { bucket: 'pictures', prefix: '' }],
  ['IMAGE_STORE', 's3://my.pictures/shop/2026/', { bucket: 'my.pictures', prefix: 'shop/2026' }],
  ['CORS_ORIGINS', 'https://Shop.Example, http://a:5173', ['https://shop.example', 'http://a:5173']],
  ['CORS_ORIGINS', 'https://shop.example:443', ['https://shop.example']],
  ['CORS_ORIGINS', 'http://[::1]:8080', ['http://[::1]:8080']],
  ['CORS_ORIGINS', 'capacitor://localhost', ['capacitor://localhost']],
  ['CORS_ORIGINS', ' * ', '*'],
  ['CORS_ORIGINS', '', []],
  ['OTEL_EXPORTER_OTLP_HEADERS', PADDED, PADDED],
])('%s=%s is read as %j, whatever white space surrounds it', (name, value, parsed) => {
  const config: Readonly<Record<string, unknown>> = { ...readConfig({ [name]: ` ${value}\n` }) };
  expect(config[name]).toEqual(parsed);
});

/** Values, alone or each with words of its message. */
const REFUSED: Readonly<Record<string, readonly (string | readonly [value: string, words: string])[]>> = {
  PORT: ['99999999999999999999'],
  AWS_REGION: ['eu west', 'eu/west'],
  OTEL_TRACES_SAMPLER: [['sometimes', 'always_on, always_off or traceidratio']],
  HOST: ['http://0.0.0.0', '127.0.0.1:3000', '[::1]'],
  DATABASE_URL: ['postgres://u:1#hunter2@db/loupe', 'postgres://u:hun/ter2@db/loupe', 'postgres://db/a/b'],
  REDIS_URL: ['redis://:1#hunter2@redis:6379', 'redis://redis:6379/jobs'],
  IMAGE_FETCH_ALLOW: ['*:80', 'media:0', 'media:65536', '[::zz]:80', 'ann@media:80'],
  CONFIDENCE_FLOOR: ['0x1'],
  VISION_DEADLINE_MS: ['2147483648'],
  STOP_TIMEOUT_MS: ['2147483648'],
  IMAGE_FETCH_TIMEOUT_MS: ['2147483648'],
  IMAGE_BYTES_MAX: ['99999999999'],
  IMAGE_PIXELS_MAX: ['99999999999'],
  IMAGE_STORE: ['pictures', 's3://Pictures', 's3://pictures/../other', 's3://pictures//shop'],
  IMAGE_STORE_PATH_STYLE: ['yes'],
  IMAGE_BASE_URL: ['https://cdn.example?a'],
  AWS_ENDPOINT_URL_S3: ['https://key:hunter2@minio:9000'],
  AWS_ACCESS_KEY_ID: ['hunter2'],
  LOUPE_URL: ['loupe:3000'],
  MODEL: ['a@b@c'],
  QUEUE_PREFIX: ['a:b'],
  QUEUES_PASSWORD: ['short'],
  ADMIN_TOKEN: ['only-thirty-one-characters-long', 'forty characters, but with spaces in it'],
  PUBLIC_URL: [
    ['https://loupe.example/?a=b', 'query'],
    ['https://loupe.example?', 'query'],
    ['https://loupe.example/#a', 'fragment'],
    ['https://ann:hunter2@loupe.example', 'password'],
    ['loupe.example', 'http'],
  ],
  CORS_ORIGINS: [
    ['shop.example', 'must be * or a list'],
    ...['https://shop.example/', 'https://shop.example/page', 'https://*.shop.example', 'null'],
    ...['https://me@shop.example', 'https://shop.example:99999', '*, https://shop.example'],
  ],
  // A secret by itself would be published as the id of a key.
  SIGNING_KEYS: [
    [SECRET, 'the key has no id'],
    [`a:${SECRET},${SECRET}`, 'key 2 of 2 has no id'],
    [`:${SECRET}`, 'the id of the key must be 1 to 32 of A-Z, a-z, 0-9, _ and -'],
    [`a b:${SECRET}`, 'the id of the key must be'],
    [`${'a'.repeat(33)}:${SECRET}`, 'the id of the key must be'],
    [`a:${SECRET.slice(1)}`, 'the secret of the key must have at least 16 characters'],
    [`a:${SECRET},b:${SECRET},a:fedcba9876543210`, 'names an id twice'],
    [`a:${SECRET},`, 'key 2 of 2 has no id'],
  ],
};

test.each(Object.entries(REFUSED))('a wrong %s is refused by name, without its value', (name, values) => {
  for (const each of values) {
    const [value, words] = typeof each === 'string' ? [each, ''] : each;
    const faults = faultsOf({ [name]: value });
    expect(faults).toEqual([expect.stringMatching(`^${name}: .`)]);
    expect(faults.join()).toContain(words);
    expect(faults.join()).not.toMatch(/hun|0123|cdef|aaaa/);
    if (value.length > 4) expect(faults.join()).not.toContain(value);
  }
});

// contract 14.3
test('all faults are named at once, including those between settings', () => {
  const wrong = {
    ...{ PORT: 'http', ROLE: 'boss', DATABASE_URL: 'mysql://x', REDIS_URL: 'x', SIGNING_KEYS: 'k:short' },
    ...{ PUBLIC_URL: 'ftp://x', IMAGE_FETCH_ALLOW: 'localhost', RATE_PER_SECOND: '-1', PAGE_SIZE_MAX: '0' },
    ...{ CONFIDENCE_FLOOR: '2', VISION_DEADLINE_MS: '1.5' },
    ...{ OTEL_TRACES_EXPORTER: 'zipkin', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    ...{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_HEADERS: 'no pair' },
    ...{ OTEL_EXPORTER_OTLP_TIMEOUT: '0', OTEL_RESOURCE_ATTRIBUTES: 'a=%' },
    ...{ OTEL_TRACES_SAMPLER: 'sometimes', OTEL_TRACES_SAMPLER_ARG: '2' },
  };
  expect(faulty(wrong)).toEqual(Object.keys(wrong).sort());
  expect(faulty({ ROLE: 'worker', PORT: 'http' })).toEqual(['PORT', 'ROLE']);
  expect(faulty({ ROLE: 'worker', REDIS_URL: 'x' })).toEqual(['REDIS_URL']);
  expect(() => readConfig({ ROLE: 'api' })).toThrow(/REDIS_URL/);
});

test('a .env that cannot be read is a fault, not an empty one', () => {
  const before = process.cwd();
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.env'));
  process.chdir(folder);
  try {
    expect(() => processEnvironment()).toThrow(/\.env: cannot be read/);
  } finally {
    process.chdir(before);
  }
});

test.each<[settings: Record<string, string>, warnings: RegExp]>([
  [{ HOME: '/root', PATH: '/bin', DATABASE_URL: 'postgres://db/loupe', PORT: '0' }, /^$/],
  [{ DATABSE_URL: 'postgres://db' }, /DATABSE_URL .* DATABASE_URL/],
  [{ QUEUES_PASSWORD: 'long enough' }, /no effect without REDIS_URL/],
  [{ ROLE: 'worker', REDIS_URL: 'redis://redis' }, /without DATABASE_URL/],
  [{ STOP_TIMEOUT_MS: '1000' }, /STOP_TIMEOUT_MS is shorter/],
  [{ VISION_DEADLINE_MS: '40000', STOP_TIMEOUT_MS: '40000' }, /^$/],
  [{ VISION_DEADLINE_MS: '40001', STOP_TIMEOUT_MS: '40001' }, /^VISION_DEADLINE_MS is long/],
])('what is allowed but hardly meant causes a warning, and nothing else does: %j', (settings, warnings) => {
  expect(settingWarnings(readConfig(settings), settings).join()).toMatch(warnings);
});
