import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { processEnvironment } from '../config';
import { bringUpObjectStore, bringUpServers } from './services/servers';

const SERVICES = 'test/service/jest.config.js';

/**
 * `npm run test:services`: brings up a real PostgreSQL, Redis and object store and runs the service-level tests on them, with the short
 * form of the fault tests, which bring up servers of their own. Parameters go to Jest; one that begins with `test/` takes the place of
 * the usual tests; those of `test/faults` are named alone. Ends with 1 when a test failed or there was none.
 */
async function main(parameters: readonly string[]): Promise<number> {
  const config = configOf(parameters.filter((parameter) => parameter.startsWith('test/')));
  const environment = processEnvironment();
  const options = { environment, log: (line: string) => console.error(line) };
  const [servers, objects] = await Promise.all([
    bringUpServers(options),
    bringUpObjectStore(options).catch((failure: unknown) => {
      console.error(`S3: its tests are skipped, TEST_S3_URL may name a server: ${String(failure)}`);
      return null;
    }),
  ]);
  console.error(`servers: ${servers.how}; ${objects?.how ?? 'no object store'}`);
  if (servers.given && config === SERVICES)
    console.error('test/faults: not run, since the servers were given and are not ours to disturb');
  const addresses = {
    TEST_DATABASE_URL: servers.postgres.url,
    TEST_REDIS_URL: servers.redis.url,
    ...(objects ? { TEST_S3_URL: objects.url } : {}),
    ...(servers.given ? {} : { TEST_FAULTS: '1' }),
  };
  try {
    return await runJest({ ...environment, ...addresses }, ['--config', config, ...parameters]);
  } finally {
    await Promise.all([servers.stop(), objects?.stop()]);
  }
}

function configOf(named: readonly string[]): string {
  if (named.length === 0) return SERVICES;
  const faults = named.filter((name) => name.startsWith('test/faults'));
  if (faults.length === 0) return 'jest.config.js';
  if (faults.length === named.length) return 'test/faults/jest.config.js';
  throw new Error('The tests of test/faults run without others; name them alone.');
}

async function runJest(environment: Record<string, string | undefined>, words: string[]): Promise<number> {
  const child = spawn(process.execPath, [require.resolve('jest/bin/jest'), ...words], {
    cwd: resolve(__dirname, '../..'),
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (failure: unknown) => {
    console.error(failure instanceof Error ? failure.message : failure);
    process.exitCode = 1;
  },
);
