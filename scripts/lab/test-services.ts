import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { processEnvironment } from '../config';
import { bringUpServices, type Services } from './services/bring-up-services';
import { givenObjectStore } from './services/given-services';
import { type JestTotals, jestTotals } from './services/jest-totals';
import { startPrivateSwift } from './services/private-swift';
import type { Environment, ObjectStore } from './services/service';

/** Jest's configurations: of all tests, of those that speak to a database or a queue, and of those that kill servers. */
const CONFIGS = {
  all: 'jest.config.js',
  services: 'test/service/jest.config.js',
  faults: 'test/faults/jest.config.js',
} as const;

const ROOT = resolve(__dirname, '../..');

/**
 * `npm run test:services`: brings up a real PostgreSQL, Redis and object store and runs the service-level tests on them,
 * beside the short form of the fault tests, which wait much, on servers that they may disturb. Parameters go to Jest; one that names something
 * under `test/` takes the place of the usual folders. Ends with Jest's exit code, or 1 when there was no test to run.
 */
async function main(environment: Environment, parameters: readonly string[]): Promise<number> {
  const [services, objects] = await Promise.all([
    bringUpServices({ environment, log: (line) => console.error(line) }),
    objectStore(environment),
  ]);
  const reports = await mkdtemp(join(tmpdir(), 'loupe-jest-'));
  const addresses = {
    TEST_DATABASE_URL: services.postgres.url,
    TEST_REDIS_URL: services.redis.url,
    ...(objects ? { TEST_S3_URL: objects.url } : {}),
  };
  try {
    console.error(`services: ${services.how}`);
    const given = parameters.find((parameter) => parameter.startsWith('--outputFile='));
    const others = parameters.filter((parameter) => parameter !== given);
    const outcomes = configsFor(parameters, services).map(async (config, index): Promise<Outcome> => {
      const report = reportAt(given?.slice('--outputFile='.length) ?? join(reports, 'report.json'), index);
      const words = ['--config', config, '--json', `--outputFile=${report}`, ...others];
      return { exitCode: await runJest({ ...environment, ...addresses }, words), report };
    });
    return await conclude(await Promise.all(outcomes), services);
  } finally {
    await rm(reports, { recursive: true, force: true });
    await Promise.all([services.stop(), objects?.stop()]);
  }
}

/** A server with an S3 API; null where there is none to be had, whose tests are skipped then. */
async function objectStore(environment: Environment): Promise<ObjectStore | null> {
  const log = (line: string) => console.error(line);
  try {
    const store = givenObjectStore(environment) ?? (await startPrivateSwift({ environment, log }));
    console.error(`S3: ${store.how}`);
    return store;
  } catch (failure) {
    console.error(`S3: tests of it are skipped, TEST_S3_URL may name a server: ${String(failure)}`);
    return null;
  }
}

/** Beside the report of the first run, those of the others: `report.json`, `report-1.json`. */
const reportAt = (first: string, index: number): string =>
  index === 0 ? first : `${first.replace(/\.json$/, '')}-${index}.json`;

/** A run of Jest that has ended. */
interface Outcome {
  readonly exitCode: number;
  /** Where its report is, if it came to that. */
  readonly report: string;
}

/** What Jest is run with, once for each. */
function configsFor(parameters: readonly string[], services: Services): readonly string[] {
  const named = parameters.filter((parameter) => parameter.startsWith('test/'));
  if (named.length > 0)
    return [named.some((each) => each.startsWith('test/faults')) ? CONFIGS.faults : CONFIGS.all];
  if (!services.given) return [CONFIGS.services, CONFIGS.faults];
  console.error('test/faults: not run, since the servers were given and are not ours to disturb');
  return [CONFIGS.services];
}

async function runJest(environment: Environment, parameters: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [require.resolve('jest/bin/jest'), ...parameters], {
    cwd: ROOT,
    env: environment,
    // Jest prints its JSON on standard output, which here is for the last line alone.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  const [exitCode] = await once(child, 'exit');
  return typeof exitCode === 'number' ? exitCode : 1;
}

async function conclude(outcomes: readonly Outcome[], { how }: Services): Promise<number> {
  const failed = outcomes.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0;
  const texts = await Promise.all(
    outcomes.map(({ report }) => readFile(report, 'utf8').catch(() => undefined)),
  );
  const totals = texts.flatMap((text) => (text === undefined ? [] : [jestTotals(text)]));
  if (totals.length < outcomes.length || totals.length === 0) {
    console.log(`test:services: not all tests were run (${how})`);
    return failed || 1;
  }
  const sum = (count: (total: JestTotals) => number) => totals.reduce((all, total) => all + count(total), 0);
  const [passed, broken] = [sum((total) => total.passed), sum((total) => total.failed)];
  const skipped = sum((total) => total.notRun);
  console.log(`test:services: ${passed} passed, ${broken} failed, ${skipped} skipped (${how})`);
  return passed + broken === 0 ? failed || 1 : failed;
}

main(processEnvironment(), process.argv.slice(2)).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
