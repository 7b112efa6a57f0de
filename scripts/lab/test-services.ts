import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { processEnvironment } from '../config';
import { bringUpObjectStore, bringUpServers, type Servers } from './services/servers';

/** Jest's configurations: of all tests, of those that speak to a database or a queue, and of those that kill servers. */
const ALL = 'jest.config.js';
const SERVICES = 'test/service/jest.config.js';
const FAULTS = 'test/faults/jest.config.js';

/**
 * `npm run test:services`: brings up a real PostgreSQL, Redis and object store and runs the service-level tests on them, beside
 * the short form of the fault tests, which mostly wait, on servers of their own. Parameters go to Jest; one that begins with
 * `test/` takes the place of the usual tests. Ends with 1 when a test failed or there was none.
 */
async function main(parameters: readonly string[]): Promise<number> {
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
  const addresses = {
    TEST_DATABASE_URL: servers.postgres.url,
    TEST_REDIS_URL: servers.redis.url,
    ...(objects ? { TEST_S3_URL: objects.url } : {}),
  };
  try {
    const codes = configsFor(parameters, servers).map((config, run) =>
      runJest({ ...environment, ...addresses }, [
        '--config',
        config,
        ...parameters.map((each) => ofRun(each, run)),
      ]),
    );
    return (await Promise.all(codes)).find((code) => code !== 0) ?? 0;
  } finally {
    await Promise.all([servers.stop(), objects?.stop()]);
  }
}

/** Jest is run once for each. */
function configsFor(parameters: readonly string[], { given }: Servers): readonly string[] {
  const named = parameters.filter((parameter) => parameter.startsWith('test/'));
  if (named.length > 0) return [named.some((each) => each.startsWith('test/faults')) ? FAULTS : ALL];
  if (!given) return [SERVICES, FAULTS];
  console.error('test/faults: not run, since the servers were given and are not ours to disturb');
  return [SERVICES];
}

/** The report of the second run is beside that of the first: `report.json`, `report-1.json`. */
const ofRun = (parameter: string, run: number): string =>
  run > 0 && parameter.startsWith('--outputFile=') ? parameter.replace(/\.json$/, `-${run}.json`) : parameter;

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
