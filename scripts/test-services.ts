import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { processEnvironment } from './config';
import { bringUpServices, type Services } from './services/bring-up-services';
import { jestTotals } from './services/jest-totals';
import type { Environment } from './services/service';

/** The tests that speak to a database or a queue; `npm test` runs the same ones on the embedded adapters. */
const SERVICE_TESTS = ['test/service', 'test/spec', 'test/contracts', 'test/db', 'test/workers'];

const ROOT = resolve(__dirname, '..');

/**
 * `npm run test:services`: brings up a real PostgreSQL and Redis and runs the service-level tests on them. Parameters go to
 * Jest; one that names something under `test/` takes the place of the usual folders. Ends with Jest's exit code, or 1 when
 * there was no test to run.
 */
async function main(environment: Environment, parameters: readonly string[]): Promise<number> {
  const services = await bringUpServices({ environment, log: (line) => console.error(line) });
  const reports = await mkdtemp(join(tmpdir(), 'loupe-jest-'));
  try {
    console.error(`services: ${services.how}`);
    const given = parameters.find((parameter) => parameter.startsWith('--outputFile='));
    const report = given?.slice('--outputFile='.length) ?? join(reports, 'report.json');
    const own = given === undefined ? ['--json', `--outputFile=${report}`] : [];
    const exitCode = await runJest(services, environment, [...own, ...parameters]);
    return await conclude(exitCode, report, services);
  } finally {
    await rm(reports, { recursive: true, force: true });
    await services.stop();
  }
}

/** Through `npm test`, so that both runs share one way of starting Jest. */
async function runJest(
  services: Services,
  environment: Environment,
  parameters: readonly string[],
): Promise<number> {
  const named = parameters.some((parameter) => parameter.startsWith('test/'));
  const folders = named ? [] : SERVICE_TESTS.filter((folder) => existsSync(join(ROOT, folder)));
  if (!named && folders.length === 0) return 1;
  const flags = parameters.some((parameter) => /^(-i|-w|--runInBand|--maxWorkers)\b/.test(parameter))
    ? []
    : ['--maxWorkers=2'];
  const child = spawn('npm', ['test', '--silent', '--', ...flags, ...folders, ...parameters], {
    cwd: ROOT,
    env: { ...environment, TEST_DATABASE_URL: services.postgres.url, TEST_REDIS_URL: services.redis.url },
    // Jest prints its JSON on standard output, which here is for the last line alone.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  const [exitCode] = await once(child, 'exit');
  return typeof exitCode === 'number' ? exitCode : 1;
}

async function conclude(exitCode: number, report: string, services: Services): Promise<number> {
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) {
    console.log(`test:services: no test was run (${services.how})`);
    return exitCode || 1;
  }
  const { passed, failed, notRun } = jestTotals(text);
  console.log(`test:services: ${passed} passed, ${failed} failed, ${notRun} skipped (${services.how})`);
  return passed + failed === 0 ? exitCode || 1 : exitCode;
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
