import { resolve } from 'node:path';
import { config as readDotEnv } from 'dotenv';
import { z } from 'zod';
import { TRACE_SETTINGS } from './tracing/settings';

/** What this process does: everything, only HTTP, or only vision jobs. */
export const ROLES = ['all', 'api', 'worker'] as const;

/** Every setting of a process, validated and frozen. Names and defaults: README, "Settings". */
export type Config = Readonly<z.infer<typeof settings>>;

/** Told all at once: every setting that is wrong, by name. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The settings are wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * The settings of this process, from the environment and `.env` (the environment wins).
 *
 * @param environment what to read instead, for tests
 * @throws ConfigError naming every fault
 */
export function readConfig(environment?: Readonly<Record<string, string | undefined>>): Config {
  const source = environment ?? processEnvironment();
  const given = Object.entries(source).filter(([, value]) => value !== undefined && value.trim() !== '');
  const parsed = settings.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  return Object.freeze(parsed.data);
}

/** The environment of the process with `.env` below it; the only place that reads either. */
export function processEnvironment(): Record<string, string | undefined> {
  const dotEnv: Record<string, string> = {};
  readDotEnv({ processEnv: dotEnv, quiet: true });
  return { ...dotEnv, ...process.env };
}

/**
 * Tells libraries not to report their use to their makers. ONNX Runtime reads it from the environment of the process
 * when it loads, which may be in any thread.
 */
export function refuseTelemetry(): void {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
}

const wholeNumber = (fallback: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(minimum).max(maximum))
    .default(fallback);

const addressList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((each) => each.trim().toLowerCase())
      .filter(Boolean),
  )
  .refine(
    (list) => list.every((each) => /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/.test(each)),
    'must be host:port,…',
  )
  .default([]);

const signingKeys = z
  .string()
  .transform((text) =>
    text.split(',').map((pair) => {
      const at = pair.indexOf(':');
      return { id: pair.slice(0, at).trim(), secret: pair.slice(at + 1).trim() };
    }),
  )
  .refine(
    (keys) => keys.every((key) => /^[A-Za-z0-9_-]{1,32}$/.test(key.id) && key.secret.length >= 16),
    'must be id:secret[,id:secret], each secret at least 16 characters',
  )
  // A link would be signed with one of the two and verified with the other.
  .refine((keys) => new Set(keys.map((key) => key.id)).size === keys.length, 'names an id twice')
  .optional();

const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL with ${protocols.join(' or ')}`,
    );

const settings = z
  .object({
    PORT: wholeNumber(3000, 0, 65_535),
    HOST: z.string().default('127.0.0.1'),
    ROLE: z.enum(ROLES).default('all'),
    DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
    DATABASE_POOL_MAX: wholeNumber(10, 1, 500),
    REDIS_URL: url(['redis:', 'rediss:']).optional(),
    DATA_DIR: z
      .string()
      .default('.loupe')
      .transform((folder) => resolve(folder)),
    MODEL: z
      .string()
      .regex(/^[^@\s]+(@[^@\s]+)?$/, 'must be a model id, or id@version')
      .optional(),
    SIGNING_KEYS: signingKeys,
    PUBLIC_URL: url(['http:', 'https:'])
      .transform((text) => text.replace(/\/+$/, ''))
      .optional(),
    TRUST_PROXY: wholeNumber(0, 0, 10),
    IMAGE_FETCH_ALLOW: addressList,
    RATE_PER_SECOND: wholeNumber(50),
    RATE_PER_MINUTE: wholeNumber(0),
    VISION_CONCURRENCY: wholeNumber(16),
    CONFIDENCE_FLOOR: z
      .string()
      .transform(Number)
      .pipe(z.number({ message: 'must be a number from 0 to 1' }).min(0).max(1))
      .optional(),
    VISION_DEADLINE_MS: wholeNumber(15_000, 100),
    IMAGE_BYTES_MAX: wholeNumber(20 * 1024 * 1024, 1024),
    IMAGE_PIXELS_MAX: wholeNumber(50_000_000, 1024),
    IMAGE_FETCH_TIMEOUT_MS: wholeNumber(10_000, 100),
    IMAGE_FETCH_REDIRECTS_MAX: wholeNumber(3),
    PAGE_SIZE_MAX: wholeNumber(100, 1, 10_000),
    INFERENCE_THREADS: wholeNumber(0, 0, 256),
    INFERENCE_BACKEND: z.enum(['auto', 'tensorflow', 'wasm', 'cpu']).default('auto'),
    PHOTO_MEMORY_MIB: wholeNumber(32, 0, 65_536),
    INDEX_MEMORY_MIB: wholeNumber(1536, 64, 1_048_576),
    NEIGHBOUR_RECALL_SAMPLE: wholeNumber(1000),
    QUEUE_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, _ and -')
      .default('loupe'),
    QUEUE_WAITING_MAX: wholeNumber(1000, 1),
    QUEUES_PASSWORD: z.string().min(8, 'must have at least 8 characters').optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    LOG_FORMAT: z.enum(['json', 'pretty']).default('json'),
    STOP_TIMEOUT_MS: wholeNumber(20_000, 100),
    ...TRACE_SETTINGS,
  })
  .refine(({ ROLE, REDIS_URL }) => (ROLE !== 'api' && ROLE !== 'worker') || REDIS_URL !== undefined, {
    path: ['ROLE'],
    message: 'api and worker meet in Redis: set REDIS_URL, or use all',
    // Told together with the faults of single settings.
    when: () => true,
  });
