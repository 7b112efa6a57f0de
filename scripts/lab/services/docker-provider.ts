import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port';
import { redisAnswers } from './redis-answers';
import { commandSucceeds, runCommand } from './run-command';
import { postgresParameters, redisSettings } from './server-settings';
import type {
  PostgresOptions,
  PostgresService,
  Provider,
  ProviderOptions,
  RedisOptions,
  RedisService,
  Service,
} from './service';
import { watchdog } from './watchdog';

const POSTGRES_IMAGE = 'pgvector/pgvector:0.8.5-pg17';
const REDIS_IMAGE = 'redis:7';
const START_LIMIT_MS = 60_000;
const POLL_MS = 200;

/**
 * Containers on free ports of 127.0.0.1.
 * @throws Error when no Docker engine answers or an image cannot be had.
 */
export async function dockerProvider(options: ProviderOptions): Promise<Provider> {
  if (!(await commandSucceeds('docker', ['info']))) throw new Error('no engine answers');
  for (const image of [POSTGRES_IMAGE, REDIS_IMAGE]) {
    if (await commandSucceeds('docker', ['image', 'inspect', image])) continue;
    options.log(`Docker engine: pulling ${image}`);
    await runCommand('docker', ['pull', '--quiet', image]);
  }
  return { how: `Docker engine: ${POSTGRES_IMAGE}, ${REDIS_IMAGE}`, startPostgres, startRedis };
}

async function startPostgres(options: PostgresOptions): Promise<PostgresService> {
  const port = await freePort();
  const password = randomBytes(16).toString('hex');
  const name = containerName('postgres');
  const container = new Container(name, () =>
    commandSucceeds('docker', ['exec', name, 'pg_isready', '-q', '-h', '127.0.0.1', '-U', 'loupe']),
  );
  // Parallel index builds need more shared memory than a container has by default.
  const limits = ['--publish', `127.0.0.1:${port}:5432`, '--shm-size', '1g'];
  const environment = [
    'POSTGRES_USER=loupe',
    `POSTGRES_PASSWORD=${password}`,
    'POSTGRES_INITDB_ARGS=--locale=C.UTF-8',
  ];
  const account = environment.flatMap((pair) => ['--env', pair]);
  await container.run([...limits, ...account, POSTGRES_IMAGE, 'postgres', ...postgresParameters(options)]);
  const databaseUrl = (database: string) =>
    `postgresql://loupe:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  return {
    url: databaseUrl('loupe'),
    ...container.methods(),
    async createDatabase(database, template) {
      const copied = template === undefined ? [] : ['--template', template];
      await runCommand('docker', ['exec', name, 'createdb', '-U', 'loupe', ...copied, database]);
      return databaseUrl(database);
    },
  };
}

async function startRedis(options: RedisOptions): Promise<RedisService> {
  const port = await freePort();
  const password = randomBytes(16).toString('hex');
  const container = new Container(containerName('redis'), () => redisAnswers(port, password));
  const settings = Object.entries(redisSettings(options)).flatMap(([name, value]) => [`--${name}`, value]);
  const server = ['redis-server', '--requirepass', password, ...settings];
  await container.run(['--publish', `127.0.0.1:${port}:6379`, REDIS_IMAGE, ...server]);
  return { url: `redis://:${password}@127.0.0.1:${port}`, ...container.methods() };
}

/** One container, removed with its data when this process ends in whatever way. */
class Container {
  private readonly guard;

  constructor(
    private readonly name: string,
    private readonly answers: () => Promise<boolean>,
  ) {
    this.guard = watchdog('docker', ['rm', '--force', '--volumes', name]);
  }

  async run(parameters: readonly string[]): Promise<void> {
    try {
      await runCommand('docker', [
        'run',
        '--detach',
        '--name',
        this.name,
        '--label',
        'loupe.services',
        ...parameters,
      ]);
      await this.answering();
    } catch (error) {
      await this.guard.release();
      throw error;
    }
  }

  methods(): Omit<Service, 'url'> {
    const docker = (...words: string[]) => runCommand('docker', [...words, this.name]).then(() => undefined);
    return {
      restart: () => docker('restart', '-t', '30').then(() => this.answering()),
      kill: () => docker('kill'),
      start: () => docker('start').then(() => this.answering()),
      pause: () => docker('pause'),
      resume: () => docker('unpause'),
      stop: () => this.guard.release(),
    };
  }

  private async answering(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await this.answers())) {
      if (Date.now() > deadline) {
        const log = await runCommand('docker', ['logs', '--tail', '20', this.name]).catch(String);
        throw new Error(`container ${this.name} does not answer: ${log}`);
      }
      await delay(POLL_MS);
    }
  }
}

function containerName(service: string): string {
  return `loupe-${service}-${randomBytes(6).toString('hex')}`;
}
