import { randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Software } from './debian-software';
import { freePort } from './free-port';
import { inPrivateFolder, type PrivateFolder } from './private-folder';
import { PrivateServer } from './private-server';
import { redisAnswers } from './redis-answers';
import { redisSettings } from './server-settings';
import type { RedisOptions, RedisService } from './service';

/**
 * A Redis of our own on 127.0.0.1: free port, random password, nothing evicted. It keeps its data over a restart
 * only when `durable` (append-only file).
 */
export async function startPrivateRedis(software: Software, options: RedisOptions): Promise<RedisService> {
  return inPrivateFolder('redis', 'redis.pid', 'TERM', (folder) => startIn(folder, software, options));
}

async function startIn(
  folder: PrivateFolder,
  software: Software,
  options: RedisOptions,
): Promise<RedisService> {
  const port = await freePort();
  const password = randomBytes(16).toString('hex');
  const configuration = join(folder.path, 'redis.conf');
  const place = {
    port,
    bind: '127.0.0.1',
    dir: folder.path,
    pidfile: join(folder.path, 'redis.pid'),
    daemonize: 'no',
  };
  const text = configurationText({ ...place, requirepass: password, ...redisSettings(options) });
  await writeFile(configuration, text, { mode: 0o600 });
  if (folder.identity !== undefined) await chown(configuration, folder.identity.uid, folder.identity.gid);
  const server = new PrivateServer(
    {
      name: 'Redis',
      command: software.redisServer,
      parameters: [configuration],
      environment: { LC_ALL: 'C.UTF-8', LD_LIBRARY_PATH: software.libraryPath },
      stopSignal: 'SIGTERM',
      answers: () => redisAnswers(port, password),
    },
    folder,
  );
  await server.start();
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    ...server.methods(),
  };
}

/** A configuration file, so that the password stands in no list of processes. */
function configurationText(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value === '' ? '""' : value}\n`)
    .join('');
}
