import { resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { config as readDotEnv } from 'dotenv';
import { z } from 'zod';
import { BACKENDS } from '../workers/embedder/backends';
import * as setting from './composition/setting-types';
import { TRACE_SETTINGS } from './composition/tracing/tracing';

export const ROLES = ['all', 'api', 'worker'] as const;

/** Every setting of a process, validated and frozen. Names and defaults: docs/settings.md. */
export type Config = Readonly<z.infer<typeof settings>>;

export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The settings are wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** The settings of this process (contract 14.3), from the environment and `.env` (the environment wins). @throws ConfigError naming every fault */
export function readConfig(environment?: Readonly<Record<string, string | undefined>>): Config {
  const source = environment ?? processEnvironment();
  // Secrets read from files often end with a line break.
  const given = Object.entries(source)
    .map(([name, value]) => [name, value?.trim()] as const)
    .filter(([, value]) => value);
  const values = Object.fromEntries(given);
  const parsed = settings.safeParse({ ...(values['ROLE'] === 'worker' ? WORKER_DEFAULTS : {}), ...values });
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  return Object.freeze(parsed.data);
}

/** The environment, completed by `.env` for libraries too; the only place that reads either. @throws ConfigError for a broken `.env` */
export function processEnvironment(): Record<string, string | undefined> {
  const { error } = readDotEnv({ quiet: true });
  if (error && error.code !== 'ENOENT') throw new ConfigError([`.env: cannot be read: ${error.message}`]);
  return { ...process.env };
}

/** Tells the AWS SDK, whose version is pinned, not to warn of the versions of Node that its later ones will need. */
export function silenceAwsSdk(): void {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
}

/** Short, as a person is waiting. */
const COMMAND_WAIT_MS = 5_000;

/** The settings of a command: quiet, with plain-text warnings and less patience for a store. @throws ConfigError naming every fault */
export function readCommandConfig(): Config {
  const config = readConfig();
  return {
    ...config,
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'pretty',
    STORE_WAIT_MS: Math.min(config.STORE_WAIT_MS, COMMAND_WAIT_MS),
  };
}

/** A worker's port serves only health and metrics, and must not be that of an API on the same host. */
const WORKER_DEFAULTS = { PORT: '0' };

export const settingNames = (): readonly string[] => Object.keys(settings.shape);

/** MiB: a quarter of V8's maximum heap, which follows the memory of the machine or container; at most 64. */
const quarterOfHeapMib = (): number =>
  Math.min(64, Math.floor(getHeapStatistics().heap_size_limit / 4 / 2 ** 20));

const settings = z
  .object({
    PORT: setting.wholeNumber(3000, 0, 65_535),
    HOST: setting.listenHost().default('127.0.0.1'),
    ROLE: z.enum(ROLES).default('all'),
    DATABASE_URL: setting
      .storeUrl(/^postgres(ql)?$/, /^\/?[^/]*$/, 'postgres://user:password@host:5432/database')
      .optional(),
    DATABASE_POOL_MAX: setting.wholeNumber(10, 1, 500),
    REDIS_URL: setting.storeUrl(/^rediss?$/, /^\/?\d*$/, 'redis://user:password@host:6379/0').optional(),
    DATA_DIR: z
      .string()
      .default('.loupe')
      .transform((folder) => resolve(folder)),
    MODEL: setting.text(/^[^@\s]+(@[^@\s]+)?$/, 'must be a model id, or id@version').optional(),
    IMAGE_STORE: setting.bucketLocation().optional(),
    IMAGE_STORE_PATH_STYLE: z.enum(['true', 'false']).optional(),
    IMAGE_BASE_URL: setting.baseUrl().optional(),
    AWS_ENDPOINT_URL: setting.baseUrl().optional(),
    AWS_ENDPOINT_URL_S3: setting.baseUrl().optional(),
    AWS_REGION: setting.text(/^[A-Za-z0-9-]+$/, 'must be letters, digits and -').default('us-east-1'),
    AWS_ACCESS_KEY_ID: z.string().optional(),
    AWS_SECRET_ACCESS_KEY: z.string().optional(),
    AWS_SESSION_TOKEN: z.string().optional(),
    SIGNING_KEYS: setting.signingKeys().optional(),
    LOUPE_URL: setting.baseUrl().optional(),
    LOUPE_API_KEY: z.string().optional(),
    PUBLIC_URL: setting.baseUrl().optional(),
    TRUST_PROXY: setting.wholeNumber(0, 0, 10),
    CORS_ORIGINS: setting.origins(),
    IMAGE_FETCH_ALLOW: setting.addressList(),
    WEBHOOK_ALLOW: setting.addressList(),
    RATE_PER_SECOND: setting.wholeNumber(50),
    RATE_PER_MINUTE: setting.wholeNumber(0),
    VISION_CONCURRENCY: setting.wholeNumber(16),
    UNKNOWN_KEYS_PER_MINUTE: setting.wholeNumber(200),
    TEST_CALLS_PER_MONTH: setting.wholeNumber(10_000),
    ADMIN_TOKEN: z
      .string()
      .min(32, 'must have at least 32 characters')
      .regex(/^[!-~]*$/, 'must be printable ASCII without spaces')
      .optional(),
    CONFIDENCE_FLOOR: setting.fraction().optional(),
    VISION_DEADLINE_MS: setting.milliseconds(15_000, 100),
    IMAGE_BYTES_MAX: setting.wholeNumber(20 * 1024 * 1024, 1024, 256 * 1024 * 1024),
    IMAGE_PIXELS_MAX: setting.wholeNumber(50_000_000, 1024, 1_000_000_000),
    IMAGE_FETCH_TIMEOUT_MS: setting.milliseconds(10_000, 100),
    IMAGE_FETCH_REDIRECTS_MAX: setting.wholeNumber(3, 0, 20),
    BODY_MEMORY_MIB: setting.wholeNumber(128, 1, 65_536),
    ANSWER_MEMORY_MIB: setting.wholeNumber(quarterOfHeapMib(), 1, 65_536),
    UPLOAD_BYTES_PER_SECOND_MIN: setting.wholeNumber(16_384),
    PAGE_SIZE_MAX: setting.wholeNumber(100, 1, 10_000),
    PREDICTION_DAYS: setting.wholeNumber(90, 1, 36_500),
    SEARCH_MISSES: z.enum(['on', 'off']).default('off'),
    SEARCH_MISS_DAYS: setting.wholeNumber(90, 1, 36_500),
    UNUSED_IMAGE_DAYS: setting.wholeNumber(7, 0, 36_500),
    REPORT_DAYS: setting.wholeNumber(90, 0, 36_500),
    INFERENCE_THREADS: setting.wholeNumber(0, 0, 256),
    INFERENCE_BACKEND: z.enum(['auto', ...BACKENDS]).default('auto'),
    PHOTO_MEMORY_MIB: setting.wholeNumber(32, 0, 65_536),
    INDEX_MEMORY_MIB: setting.wholeNumber(1536, 64, 1_048_576),
    NEIGHBOUR_RECALL_SAMPLE: setting.wholeNumber(1000),
    QUEUE_PREFIX: setting.text(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, _ and -').default('loupe'),
    QUEUE_WAITING_MAX: setting.wholeNumber(1000, 1, 1_000_000),
    QUEUES_PASSWORD: z.string().min(8, 'must have at least 8 characters').optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    LOG_FORMAT: z.enum(['json', 'pretty']).default('json'),
    STORE_WAIT_MS: setting.milliseconds(30_000),
    STOP_TIMEOUT_MS: setting.milliseconds(20_000, 100),
    ...TRACE_SETTINGS,
  })
  .refine(({ ROLE, REDIS_URL }) => (ROLE !== 'api' && ROLE !== 'worker') || REDIS_URL !== undefined, {
    path: ['ROLE'],
    message: 'api and worker meet in Redis: set REDIS_URL, or use all',
    // Report these together with the faults of single settings.
    when: () => true,
  })
  .refine(({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }) => !AWS_ACCESS_KEY_ID === !AWS_SECRET_ACCESS_KEY, {
    path: ['AWS_ACCESS_KEY_ID'],
    message: 'counts together with AWS_SECRET_ACCESS_KEY: set both, or neither',
    when: () => true,
  });
