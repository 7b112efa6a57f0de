import { once } from 'node:events';
import { bringUpServices } from './bring-up-services';

async function main(): Promise<void> {
  const pairs = process.argv.slice(2).map((pair) => pair.split('=', 2));
  const services = await bringUpServices({
    environment: process.env,
    log: (line) => console.error(line),
    postgres: { settings: Object.fromEntries(pairs) },
  });
  console.error(`services: ${services.how}`);
  console.log(
    JSON.stringify({ databaseUrl: services.postgres.url, redisUrl: services.redis.url, how: services.how }),
  );
  const alive = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  clearInterval(alive);
  await services.stop();
}

void main();
