import { once } from 'node:events';
import { processEnvironment } from '../../config';
import { bringUpServices } from './bring-up-services';

const USAGE = `Brings up PostgreSQL with pgvector and Redis, prints their addresses as one line of JSON, and ends them on Ctrl-C.
usage: node --import tsx scripts/lab/services/main.ts [--durable] [NAME=VALUE ...]   (settings of PostgreSQL)`;

async function main(parameters: readonly string[]): Promise<void> {
  const settings = parameters
    .filter((parameter) => parameter !== '--durable')
    .map((pair) => pair.split(/=(.*)/s, 2));
  if (settings.some((pair) => pair.length < 2)) {
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  const durable = parameters.includes('--durable');
  const asked = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const services = await bringUpServices({
    environment: processEnvironment(),
    log: (line) => console.error(line),
    postgres: { durable, settings: Object.fromEntries(settings) },
    redis: { durable },
  });
  const { postgres, redis, how } = services;
  console.log(JSON.stringify({ databaseUrl: postgres.url, redisUrl: redis.url, how }));
  // Signals alone do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  await asked;
  clearInterval(alive);
  await services.stop();
}

void main(process.argv.slice(2));
