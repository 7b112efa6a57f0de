import { execFile, type StdioOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { connectPostgres } from '../../../db/core/knex';
import { messageOf } from '../../../models/errors';

/** A running server that tests may disturb. After `kill`, `start` brings it back at the same address with what it has on disk. */
export interface Server {
  /** Its address, password included; that of an S3 server has its key. */
  readonly url: string;
  start(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Connections stay open and nothing answers, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends it for good and removes its data; a server that was given by its address stays as it is. */
  stop(): Promise<void>;
}

export interface Servers {
  /** With pgvector. */
  readonly postgres: Server;
  /** Evicts nothing, and keeps nothing across a restart. */
  readonly redis: Server;
  readonly how: string;
  /** Whether one of them was given by its address and must not be disturbed. */
  readonly given: boolean;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Variables that may name servers, as `process.env` has them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  /** Whether PostgreSQL keeps committed data through a crash; default false, which is faster. */
  readonly durable?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/** A server as shell commands, for programs unpacked from Debian's packages (`run`) and for a container. */
interface Kind {
  readonly run: string;
  readonly container: string;
  url(password: string, port: number): string;
  answers(url: string): Promise<unknown>;
}

const POSTGRES_IMAGE = 'pgvector/pgvector:0.8.5-pg17';
const REDIS_IMAGE = 'redis:7';
const START_LIMIT_MS = 60_000;
const POLL_MS = 50;
/** `nobody` in place of root, as which database servers refuse to run. */
const IDENTITY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

function postgres({ durable = false, settings = {} }: ServerOptions): Kind {
  const fast = durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const given = Object.entries({ max_connections: '200', ...fast, ...settings })
    .map(([name, value]) => `-c ${quoted(`${name}=${value}`)}`)
    .join(' ');
  return {
    run: `PATH=$(echo "$ROOT"/usr/lib/postgresql/*/bin):$PATH
      if [ ! -d data ]; then
        printf %s "$PASSWORD" >password
        initdb -U loupe --pwfile=password --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync -D data
        echo 'CREATE DATABASE loupe' | postgres --single -D data postgres
      fi
      exec postgres -D data -h 127.0.0.1 -p "$PORT" -k '' ${given}`,
    // Parallel index builds need more shared memory than a container has by default.
    container: `--publish "127.0.0.1:$PORT:5432" --shm-size 1g --env POSTGRES_USER=loupe --env POSTGRES_PASSWORD="$PASSWORD" \
      --env POSTGRES_INITDB_ARGS=--locale=C.UTF-8 ${POSTGRES_IMAGE} postgres ${given}`,
    url: (password, port) => `postgresql://loupe:${password}@127.0.0.1:${port}/loupe`,
    async answers(url) {
      const database = connectPostgres({ url, poolMax: 1 });
      await database.knex.raw('SELECT 1').finally(() => database.close());
    },
  };
}

const REDIS_SETTINGS = `--save '' --appendonly no --maxmemory-policy noeviction --databases 64`;

const redis: Kind = {
  // In a file, the password appears in no list of processes.
  run: `echo "requirepass $PASSWORD" >redis.conf
    exec "$ROOT/usr/bin/redis-server" redis.conf --bind 127.0.0.1 --port "$PORT" ${REDIS_SETTINGS}`,
  container: `--publish "127.0.0.1:$PORT:6379" ${REDIS_IMAGE} redis-server --requirepass "$PASSWORD" ${REDIS_SETTINGS}`,
  url: (password, port) => `redis://:${password}@127.0.0.1:${port}`,
  async answers(url) {
    const limits = { connectTimeout: 2_000, commandTimeout: 2_000, retryStrategy: () => null };
    const client = new Redis(url, { lazyConnect: true, ...limits });
    client.on('error', () => undefined);
    await client.ping().finally(() => client.disconnect());
  },
};

/** OpenStack Swift; it has no container. */
const swift: Kind = {
  run: `python=$ROOT/usr/bin/python3; [ -x "$python" ] || python=/usr/bin/python3
    export S3_SECRET="$PASSWORD" PYTHONPATH="$ROOT/usr/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1
    exec "$python" -c ${quoted(readFileSync(join(__dirname, 'swift-server.py'), 'utf8'))} "$FOLDER" "$PORT"`,
  container: '',
  url: (password, port) => `http://loupe%3Atest:${password}@127.0.0.1:${port}`,
  async answers(url) {
    const { status } = await fetch(new URL(url).origin);
    if (status >= 500) throw new Error(`status ${status}`);
  },
};

/** A server's processes are those that work in its folder. */
const SIGNAL = `own() { find /proc/[0-9]*/cwd -maxdepth 0 -lname "$FOLDER*" 2>/dev/null | cut -d/ -f3; }
  signal() { kill -s "$1" $(own) 2>/dev/null || true; }`;

/** `pause` signals twice, for processes that were forked meanwhile. */
const PROCESS = {
  kill: `${SIGNAL}; while [ -n "$(own)" ]; do signal KILL; sleep 0.02; done`,
  pause: `${SIGNAL}; signal STOP; signal STOP`,
  resume: `${SIGNAL}; signal CONT`,
  end: `${SIGNAL}; signal QUIT; signal CONT; tries=0
    while [ -n "$(own)" ] && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
    signal KILL; rm -rf "$FOLDER"`,
} as const;

const CONTAINER = {
  ...{ kill: 'docker kill "$NAME"', pause: 'docker pause "$NAME"', resume: 'docker unpause "$NAME"' },
  end: 'docker rm --force --volumes "$NAME"',
} as const;

interface Provider {
  readonly how: string;
  start(kind: Kind): Promise<Server>;
}

/** Commands, which run as the user of the server, who may signal its processes. */
interface Commands extends Readonly<Record<'start' | 'kill' | 'pause' | 'resume' | 'end', string>> {
  readonly environment: ServerOptions['environment'];
  readonly identity: { readonly uid?: number; readonly gid?: number };
  /** A file for what the server says. */
  readonly log: string;
}

/**
 * PostgreSQL with pgvector and Redis, by the first way that works here: addresses in the environment (`TEST_DATABASE_URL` and
 * `TEST_REDIS_URL`, else `DATABASE_URL` and `REDIS_URL`), a Docker engine, Debian's packages. What was started ends with
 * this process, even when that is killed.
 * @throws Error that names what failed in each way
 */
export async function bringUpServers(options: ServerOptions): Promise<Servers> {
  const { environment, log } = options;
  const given = [
    addressGiven(environment['TEST_DATABASE_URL'] || environment['DATABASE_URL']),
    addressGiven(environment['TEST_REDIS_URL'] || environment['REDIS_URL']),
  ];
  const kinds = [postgres(options), redis];
  const failures: string[] = [];
  const providers = given.every(Boolean)
    ? [async (): Promise<Provider> => ({ how: 'addresses given', start: refuse })]
    : [() => dockerProvider(options), () => debianProvider(options, 'databases')];
  for (const find of providers) {
    const started: Server[] = [];
    try {
      const { how, start } = await find();
      for (const [at, kind] of kinds.entries()) started.push(given[at] ?? (await start(kind)));
      const [database, queue] = started as [Server, Server];
      const stop = async () => void (await Promise.all(started.map((each) => each.stop())));
      return { postgres: database, redis: queue, how, given: given.some(Boolean), stop };
    } catch (failure) {
      await Promise.all(started.map((each) => each.stop()));
      failures.push(messageOf(failure));
      log(`servers: ${failures.at(-1)}`);
    }
  }
  throw new Error(`no PostgreSQL and Redis could be brought up; ${failures.join('; ')}`);
}

/** That of `TEST_S3_URL`, else OpenStack Swift from Debian's packages. @throws Error on machines without apt or the packages */
export async function bringUpObjectStore(options: ServerOptions): Promise<Server & { readonly how: string }> {
  const given = addressGiven(options.environment['TEST_S3_URL']);
  if (given) return { ...given, how: 'address given' };
  const { how, start } = await debianProvider(options, 'swift');
  return { ...(await start(swift)), how };
}

async function dockerProvider({ environment, log }: ServerOptions): Promise<Provider> {
  const docker = (...words: string[]) => promisify(execFile)('docker', words, { env: environment });
  await docker('info').catch(() => Promise.reject(new Error('no Docker engine answers')));
  for (const image of [POSTGRES_IMAGE, REDIS_IMAGE]) {
    if (await docker('image', 'inspect', image).catch(() => null)) continue;
    log(`Docker engine: pulling ${image}`);
    await docker('pull', '--quiet', image);
  }
  return {
    how: `Docker engine: ${POSTGRES_IMAGE}, ${REDIS_IMAGE}`,
    async start(kind) {
      const name = `loupe-${randomBytes(6).toString('hex')}`;
      const run = `docker run --detach --name "$NAME" --label loupe.services ${kind.container}`;
      const start = `docker start "$NAME" 2>/dev/null || ${run}`;
      return await started(kind, (own) => ({
        ...{ ...CONTAINER, start, identity: {}, log: '/dev/null' },
        environment: { ...environment, ...own, NAME: name },
      }));
    },
  };
}

async function debianProvider({ log }: ServerOptions, what: 'databases' | 'swift'): Promise<Provider> {
  log(`Debian packages: ${what}, unpacked and not installed`);
  const script = join(__dirname, 'debian-software.sh');
  const found = await promisify(execFile)('bash', [script, what], { maxBuffer: 1 << 28 }).catch(
    ({ stderr, message }: Error & { stderr?: string }) => {
      throw new Error(`Debian packages: ${(stderr ?? '').trim().slice(-1000) || message}`);
    },
  );
  const [root, libraries, versions] = found.stdout.trim().split('\n');
  return {
    how: `Debian packages: ${versions}`,
    async start(kind) {
      const folder = mkdtempSync(join(tmpdir(), 'loupe-server-'));
      chmodSync(folder, 0o700);
      if (IDENTITY.uid !== undefined) chownSync(folder, IDENTITY.uid, IDENTITY.gid);
      const start = `set -e; umask 077; cd "$FOLDER"; export LD_LIBRARY_PATH="$LIBRARIES"; ${kind.run}`;
      const place = { FOLDER: folder, ROOT: root, LIBRARIES: libraries };
      return await started(kind, (own) => ({
        ...{ ...PROCESS, start, identity: IDENTITY, log: join(folder, 'server.log') },
        environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', ...place, ...own },
      }));
    },
  };
}

async function started(
  kind: Kind,
  commandsFor: (own: { PORT: string; PASSWORD: string }) => Commands,
): Promise<Server> {
  const [port, password] = [await freePort(), randomBytes(16).toString('hex')];
  const url = kind.url(password, port);
  const commands = commandsFor({ PORT: String(port), PASSWORD: password });
  const options = { env: { ...commands.environment }, cwd: '/', ...commands.identity };
  const shell = async (line: string) => void (await promisify(execFile)('sh', ['-c', line], options));
  const inBackground = (line: string, stdio: StdioOptions) => {
    // A session of its own, so that Ctrl-C does not end it first.
    const child = spawn('sh', ['-c', line], { ...options, stdio, detached: true });
    child.unref();
    return child;
  };
  // The system closes the pipe when this process ends, however it does.
  const janitor = inBackground(`read -r _; ${commands.end}`, ['pipe', 'ignore', 'ignore']);
  const start = async (): Promise<void> => {
    const log = openSync(commands.log, 'a', 0o600);
    const child = inBackground(commands.start, ['ignore', log, log]);
    closeSync(log);
    for (const deadline = Date.now() + START_LIMIT_MS; ; await delay(POLL_MS)) {
      if (child.signalCode === null && !child.exitCode) {
        const isUp = await kind.answers(url).then(
          () => true,
          () => false,
        );
        if (isUp) return;
        if (Date.now() < deadline) continue;
      }
      throw new Error(`a server did not start: ${readFileSync(commands.log, 'utf8').trim().slice(-2000)}`);
    }
  };
  const stop = async (): Promise<void> => {
    if (janitor.exitCode !== null) return;
    janitor.ref();
    const ended = once(janitor, 'exit');
    janitor.stdin?.end();
    await ended;
  };
  await start().catch(async (failure) => {
    await stop();
    throw failure;
  });
  return {
    ...{ url, start, stop },
    kill: () => shell(commands.kill),
    pause: () => shell(commands.pause),
    resume: () => shell(commands.resume),
  };
}

/** Somebody else's server: calls that would disturb it are refused. Null without an address. */
const addressGiven = (url: string | undefined): Server | null =>
  url
    ? { url, start: refuse, kill: refuse, pause: refuse, resume: refuse, stop: async () => undefined }
    : null;

async function refuse(): Promise<never> {
  throw new Error('this server was given by its address and is not ours to disturb');
}

/** A TCP port of 127.0.0.1 that was free a moment ago; another process may still take it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
