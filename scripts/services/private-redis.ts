import { randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Software } from './debian-software';
import { freePort } from './free-port';
import { PrivateFolder } from './private-folder';
import { PrivateServer } from './private-server';
import type { RedisOptions, RedisService } from './services';

const PING_LIMIT_MS = 2000;

/**
 * A Redis of our own on 127.0.0.1: free port, random password, nothing evicted. It keeps its data over a restart
 * only when `durable` (append-only file).
 */
export async function startPrivateRedis(software: Software, options: RedisOptions): Promise<RedisService> {
  const folder = await PrivateFolder.create('redis', 'redis.pid', 'TERM');
  try {
    return await startIn(folder, software, options);
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function startIn(
  folder: PrivateFolder,
  software: Software,
  options: RedisOptions,
): Promise<RedisService> {
  const port = await freePort();
  const password = randomBytes(16).toString('hex');
  const configuration = join(folder.path, 'redis.conf');
  await writeFile(configuration, redisConfiguration({ port, password, folder: folder.path, ...options }), {
    mode: 0o600,
  });
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
    restart: () => server.restart(),
    kill: () => server.kill(),
    start: () => server.start(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    async stop() {
      await server.stop();
      await folder.remove();
    },
  };
}

/** The text of the configuration file; a file, so that the password stands in no list of processes. */
export function redisConfiguration(
  options: RedisOptions & { port: number; password: string; folder: string },
): string {
  const settings = {
    port: options.port,
    bind: '127.0.0.1',
    requirepass: options.password,
    dir: options.folder,
    pidfile: join(options.folder, 'redis.pid'),
    daemonize: 'no',
    save: '""',
    appendonly: options.durable === true ? 'yes' : 'no',
    'maxmemory-policy': 'noeviction',
    databases: 64,
    ...options.settings,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}

/** Asks for a PONG over a connection of its own. */
function redisAnswers(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    let received = '';
    socket.setTimeout(PING_LIMIT_MS, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8');
      if (received.includes('+PONG')) finish(true);
      else if (received.includes('-')) finish(false);
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}
