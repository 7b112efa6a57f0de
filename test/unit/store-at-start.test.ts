import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { probePostgres } from '../../db/core/probe-postgres';
import { StoreFault } from '../../models/store-fault';
import { startService } from '../../scripts/composition/service';
import { waitForStore } from '../../scripts/composition/wait-for-store';
import { readConfig } from '../../scripts/config';
import { probeRedis } from '../../workers/queue/redis-connection';
import { temporaryFolder } from '../support/temporary-folder';

/** A store that can't be used is named at the start with its setting, what is wrong and what to do, without a secret. */
const SERVER = {
  version_number: 170_002,
  version: '17.2',
  encoding: 'UTF8',
  standby: false,
  installed: '0.8.4' as string | null,
  available: '0.8.4' as string | null,
  may_create: true,
};

/** A server that answers each connection as it is told to. */
interface FakeStore {
  readonly port: number;
  close(): Promise<void>;
}

async function fakeStore(talk: (socket: Socket) => void): Promise<FakeStore> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    talk(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, close };
}

const int = (bytes: 2 | 4, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
};
const frame = (type: string, ...body: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(body);
  return Buffer.concat([Buffer.from(type), int(4, content.length + 4), content]);
};
const READY = frame('Z', Buffer.from('I'));

/** The messages by which PostgreSQL answers a query with one row. */
function rowFrames(row: Readonly<Record<string, string | number | boolean | null>>): Buffer {
  const fields = Object.entries(row).map(([name, value]) => {
    const type = typeof value === 'number' ? 23 : typeof value === 'boolean' ? 16 : 25;
    const tail = [int(4, 0), int(2, 0), int(4, type), int(2, -1), int(4, -1), int(2, 0)];
    return Buffer.concat([Buffer.from(`${name}\0`), ...tail]);
  });
  const cells = Object.values(row).map((value) => {
    if (value === null) return int(4, -1);
    const text = Buffer.from(typeof value === 'boolean' ? (String(value)[0] ?? '') : String(value));
    return Buffer.concat([int(4, text.length), text]);
  });
  return Buffer.concat([
    frame('T', int(2, fields.length), ...fields),
    frame('D', int(2, cells.length), ...cells),
    frame('C', Buffer.from('SELECT 1\0')),
  ]);
}

/** A PostgreSQL that lets everybody in and answers each query with one row. */
const postgresWith = (row: Parameters<typeof rowFrames>[0]): Promise<FakeStore> =>
  fakeStore((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([frame('R', int(4, 0)), READY]));
      socket.on('data', (bytes) => {
        if (bytes.toString('latin1', 0, 1) === 'Q') socket.write(Buffer.concat([rowFrames(row), READY]));
      });
    });
  });

/** A server that answers the first message of each connection with these bytes, and ends it. */
const answering = (bytes: string | Buffer): Promise<FakeStore> =>
  fakeStore((socket) => socket.once('data', () => socket.end(bytes)));

const postgresRefusing = (code: string, message: string): Promise<FakeStore> =>
  answering(frame('E', Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)));

/** A Redis that answers each command by its name, in RESP; `+OK` where nothing is said. */
const redisWith = (replies: Readonly<Record<string, string>>): Promise<FakeStore> =>
  fakeStore((socket) => {
    socket.on('data', (bytes) => {
      for (const [, name = ''] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
        socket.write(`${replies[name.toLowerCase()] ?? replies['*'] ?? '+OK'}\r\n`);
    });
  });

const postgresUrl = ({ port }: FakeStore, tail = '') =>
  `postgres://ann:hunter2@127.0.0.1:${port}/loupe${tail}`;

/** The fault that a probe of a store ends in; the store is closed then. */
async function faultOf(probe: Promise<unknown>, store?: FakeStore): Promise<StoreFault> {
  const fault: unknown = await probe.catch((failure: unknown) => failure);
  await store?.close();
  if (!(fault instanceof StoreFault)) throw new Error(`no StoreFault: ${String(fault)}`);
  expect(fault.message).not.toContain('hunter2');
  return fault;
}

const closedPort = async () => {
  const store = await answering('');
  await store.close();
  return store;
};

describe('PostgreSQL', () => {
  const probed = (store: FakeStore, tail = '') => faultOf(probePostgres(postgresUrl(store, tail)), store);

  test.each<[string, Partial<typeof SERVER>, RegExp]>([
    ['that is too old', { version_number: 140_009, version: '14.9' }, /is PostgreSQL 14\.9; Loupe needs 15/],
    ['that is a standby', { standby: true }, /standby.*primary/],
    ['with another encoding', { encoding: 'SQL_ASCII' }, /SQL_ASCII.*ENCODING 'UTF8'/],
    ['without pgvector', { installed: null, available: null }, /\(Debian: postgresql-17-pgvector/],
    ['with an old pgvector', { installed: '0.7.4' }, /0\.7\.4.*ALTER EXTENSION vector UPDATE/],
    [
      'whose user may not create extensions',
      { installed: null, may_create: false },
      /"ann".*CREATE EXTENSION/,
    ],
  ])('%s is refused with what to do', async (_what, state, reason) => {
    const store = await postgresWith({ ...SERVER, ...state });
    const { message } = await probed(store);
    expect(message).toMatch(reason);
    expect(message).toContain(`"loupe" at 127.0.0.1:${store.port}`);
  });

  test.each([
    ['0.8.4', []],
    ['0.10.0', []],
    ['0.8.3', [expect.stringMatching(/0\.8\.3: before 0\.8\.2 .*parallel.* 0\.8\.4 .*vacuum/)]],
  ])('with pgvector %s is used, with a warning below 0.8.4', async (installed, warnings) => {
    const store = await postgresWith({ ...SERVER, installed });
    const told = await probePostgres(postgresUrl(store));
    await store.close();
    expect(told).toEqual(warnings);
  });

  test.each([
    ['28P01', 'password authentication failed for user "ann"', /refuses the user "ann" or its/, false],
    ['28000', 'no pg_hba.conf entry for host "10.0.0.1", no encryption', /sslmode=verify-full/, false],
    ['28000', 'role "ann" does not exist', /there is no such user/, false],
    ['3D000', 'database "loupe" does not exist', /createdb loupe/, false],
    ['53300', 'too many clients already', /max_connections/, true],
    ['57P03', 'the database system is starting up', /starting or stopping/, true],
  ])(
    'error %s (%s) is explained, and waited for only where that may help',
    async (code, text, reason, mayPass) => {
      const { message, mayPass: isWaitedFor } = await probed(await postgresRefusing(code, text));
      expect([message, isWaitedFor]).toEqual([expect.stringMatching(reason), mayPass]);
    },
  );

  test.each<[string, () => Promise<FakeStore>, string, RegExp, boolean]>([
    ['is away', closedPort, '', /nothing listens there/, true],
    ['cuts the connection', () => answering(''), '', /cut off/, true],
    ['speaks no TLS', () => answering('N'), '?sslmode=verify-full', /no TLS.*sslmode/, false],
    [
      'needs a file',
      closedPort,
      '?sslmode=verify-full&sslrootcert=/no/such.pem',
      /\/no\/such\.pem.*read/,
      false,
    ],
  ])('a server that %s is explained', async (_what, open, tail, reason, mayPass) => {
    const store = await open();
    const { message, mayPass: isWaitedFor } = await faultOf(probePostgres(postgresUrl(store, tail)));
    if (open !== closedPort) await store.close();
    expect([message, isWaitedFor]).toEqual([expect.stringMatching(reason), mayPass]);
  });

  test('a host whose name is not known is explained', async () => {
    const unknown = await faultOf(probePostgres('postgres://ann:hunter2@no-such-host.invalid/loupe'));
    expect([unknown.message, unknown.mayPass]).toEqual([expect.stringMatching(/name is not known/), true]);
  });
});

describe('Redis', () => {
  const redisUrl = ({ port }: FakeStore) => `redis://:hunter2@127.0.0.1:${port}/3`;

  test.each<[string, Readonly<Record<string, string>>, RegExp, boolean]>([
    ['a wrong password', { hello: '-WRONGPASS invalid username-password pair' }, /refuses the user/, false],
    ['no password', { '*': '-NOAUTH Authentication required.' }, /asks for a password|refuses/, false],
    ['an unknown database', { select: '-ERR DB index is out of range' }, /no database of this number/, false],
    ['a server that loads', { info: '-LOADING Redis is loading the dataset' }, /can not serve now/, true],
    ['a replica', { info: '$10\r\nrole:slave' }, /replica.*primary/, true],
  ])('%s is explained, and waited for only where that may help', async (_what, replies, reason, mayPass) => {
    const store = await redisWith(replies);
    const { message, mayPass: isWaitedFor } = await faultOf(probeRedis(redisUrl(store)), store);
    expect([message, isWaitedFor]).toEqual([expect.stringMatching(reason), mayPass]);
    expect(message).toContain(`127.0.0.1:${store.port}, database 3`);
  });

  test('a primary is used', async () => {
    const store = await redisWith({ info: '$11\r\nrole:master' });
    await probeRedis(redisUrl(store));
    await store.close();
  });

  test('a server that is away, or speaks no TLS, is explained', async () => {
    const gone = await faultOf(probeRedis(redisUrl(await closedPort())));
    expect([gone.message, gone.mayPass]).toEqual([expect.stringMatching(/nothing listens there/), true]);
    const plain = await answering('-ERR unknown command\r\n');
    const untold = await faultOf(probeRedis(`rediss://127.0.0.1:${plain.port}`), plain);
    expect([untold.message, untold.mayPass]).toEqual([expect.stringMatching(/does not speak TLS/), false]);
  });
});

describe('waiting', () => {
  const setup = () => {
    let now = 0;
    const lines: string[] = [];
    const log = (_fields: object, line: string) => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    const timer = {
      now: () => now,
      delay: async (ms: number) => {
        now += ms;
      },
    };
    return { lines, logger, timer };
  };

  test('goes on until the store is there, and says so in the log every five seconds', async () => {
    const { lines, logger, timer } = setup();
    let attempts = 0;
    const probe = async () => {
      attempts += 1;
      if (attempts <= 12) throw new StoreFault('the database at db:5432: nothing listens there', true);
      return attempts;
    };
    expect(await waitForStore('DATABASE_URL', probe, { waitMs: 30_000, logger, timer })).toBe(13);
    expect(lines).toEqual([
      expect.stringMatching(/^DATABASE_URL: the database at db:5432: nothing.*30 s more/),
      expect.stringMatching(/25 s more/),
      expect.stringMatching(/20 s more/),
    ]);
  });

  test('ends when the time is up, at once where waiting does not help, and lets other failures through', async () => {
    const { logger, timer } = setup();
    const waiting = (failure: Error, waitMs = 3_000) =>
      waitForStore('REDIS_URL', () => Promise.reject(failure), { waitMs, logger, timer });
    await expect(waiting(new StoreFault('away', true))).rejects.toThrow('REDIS_URL: away (waited 3 s)');
    const before = timer.now();
    await expect(waiting(new StoreFault('wrong password', false))).rejects.toThrow(
      'REDIS_URL: wrong password',
    );
    await expect(waiting(new StoreFault('away', true), 0)).rejects.toThrow(/^REDIS_URL: away$/);
    await expect(waiting(new TypeError('ours'))).rejects.toThrow(TypeError);
    expect(timer.now()).toBe(before);
  });
});

describe('a service', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  const startWith = (settings: Record<string, string>) =>
    startService(
      readConfig({ PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', STORE_WAIT_MS: '0', ...settings }),
    );

  test.each([
    ['DATABASE_URL', 'postgres'],
    ['REDIS_URL', 'redis'],
  ])(
    'does not start while nothing listens at its %s, and names setting, host and port',
    async (name, scheme) => {
      const { port } = await closedPort();
      const expected = new RegExp(`^${name}: .*127\\.0\\.0\\.1:${port}.*: nothing listens there`);
      await expect(startWith({ [name]: `${scheme}://127.0.0.1:${port}/0` })).rejects.toThrow(expected);
    },
  );

  test('does not start where its folder is a file, and names setting and folder', async () => {
    const DATA_DIR = join(folder, 'file');
    writeFileSync(DATA_DIR, '');
    await expect(startWith({ DATA_DIR })).rejects.toThrow(/^DATA_DIR: .*file must be a folder/);
  });
});
