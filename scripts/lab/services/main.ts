import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { processEnvironment } from '../../config';
import { bringUpObjectStore, bringUpServers } from './servers';

/**
 * `npm run services`: PostgreSQL and Redis until this process is stopped; their addresses are one line of JSON. With a command, as in
 * `npm run test:services`, it runs on them and an object store, and its exit code is that of the command.
 */
async function main([command, ...words]: readonly string[]): Promise<void> {
  const environment = processEnvironment();
  const options = { environment, log: (line: string) => console.error(line) };
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const [servers, objects] = await Promise.all([
    bringUpServers(options),
    command === undefined
      ? null
      : bringUpObjectStore(options).catch((failure: unknown) => {
          console.error(`S3: its tests are skipped, TEST_S3_URL may name a server: ${String(failure)}`);
          return null;
        }),
  ]);
  const { postgres, redis, how, given } = servers;
  try {
    if (command === undefined) {
      console.log(JSON.stringify({ databaseUrl: postgres.url, redisUrl: redis.url, how }));
      // Signals alone do not keep a process alive.
      const alive = setInterval(() => undefined, 60_000);
      await stopped;
      clearInterval(alive);
      return;
    }
    console.error(`servers: ${how}; ${objects?.how ?? 'no object store'}`);
    if (given)
      console.error('test/faults: not run, since the servers were given and are not ours to disturb');
    const addresses = {
      ...{ TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url },
      ...(objects ? { TEST_S3_URL: objects.url } : {}),
      ...(given ? {} : { TEST_FAULTS: '1' }),
    };
    const env = { ...environment, ...addresses };
    const child = spawn(command, words, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    stopped.then(() => child.kill('SIGTERM'));
    const [code] = await once(child, 'exit');
    process.exitCode = typeof code === 'number' ? code : 1;
  } finally {
    await Promise.all([servers.stop(), objects?.stop()]);
  }
}

main(process.argv.slice(2)).catch((failure: unknown) => {
  console.error(failure instanceof Error ? failure.message : failure);
  process.exitCode = 1;
});
