import { once } from 'node:events';
import { processEnvironment } from '../../config';
import { bringUpServers } from './servers';

/** `npm run services`: PostgreSQL and Redis until this process is stopped; their addresses are one line of JSON. */
async function main(): Promise<void> {
  const asked = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const servers = await bringUpServers({
    environment: processEnvironment(),
    log: (line) => console.error(line),
  });
  const { postgres, redis, how } = servers;
  console.log(JSON.stringify({ databaseUrl: postgres.url, redisUrl: redis.url, how }));
  // Signals alone do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  await asked;
  clearInterval(alive);
  await servers.stop();
}

void main();
