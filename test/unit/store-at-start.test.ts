import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { probePostgres } from '../../db/core/probe-postgres';
import { StoreFault } from '../../models/store-fault';
import { startService } from '../../scripts/composition/service';
import { waitForStore } from '../../scripts/composition/wait-for-store';
import { readConfig } from '../../scripts/config';
import { freePort } from '../../scripts/lab/services/servers';
import { probeRedis } from '../../workers/queue/redis-connection';
import { listening } from '../support/local-server';
import { temporaryFolder } from '../support/temporary-folder';

/** At the start, an unusable store is reported with its setting, the fault and what to do, without a secret. */
const SERVER = {
  ...{
    version_number: 170_002,
    version: '17.2',
    encoding: 'UTF8',
    standby: false,
    read_only: false,
    may_create: true,
  },
  installed: '0.8.4' as string | null,
  available: '0.8.4' as string | null,
};

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const stop of stops.splice(0)) await stop();
});

/** The port of a server that answers each connection as it is told to; it is gone after the test. */
async function fakeStore(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    talk(socket);
  });
  await listening(server);
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

/** A PostgreSQL of this state, with whose client nothing goes over the wire. */
function postgresWith(state: Partial<typeof SERVER>): void {
  jest.spyOn(Client.prototype, 'connect').mockImplementation(async () => undefined);
  const rows = [{ ...SERVER, ...state }];
  jest.spyOn(Client.prototype, 'query').mockImplementation(async () => ({ rows }));
}

/** A server that answers the first message of each connection with these bytes, and ends it. */
const answering = (bytes: string | Buffer): Promise<number> =>
  fakeStore((socket) => socket.once('data', () => socket.end(bytes)));

/** A Redis that answers each command by its name, in RESP; `+OK` by default. */
const redisWith = (replies: Readonly<Record<string, string>>): Promise<number> =>
  fakeStore((socket) => {
    socket.on('data', (bytes) => {
      for (const [, name = ''] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
        socket.write(`${replies[name.toLowerCase()] ?? replies['*'] ?? '+OK'}\r\n`);
    });
  });

async function faultOf(probe: Promise<unknown>): Promise<[message: string, isWaitedFor: boolean]> {
  const fault: unknown = await probe.catch((failure: unknown) => failure);
  if (!(fault instanceof StoreFault)) throw new Error(`no StoreFault: ${String(fault)}`);
  expect(fault.message).not.toContain('hunter2');
  return [fault.message, fault.isTransient];
}

describe('PostgreSQL', () => {
  const urlOf = (port: number, tail = '') => `postgres://ann:hunter2@127.0.0.1:${port}/loupe${tail}`;

  test.each<[string, Partial<typeof SERVER>, RegExp]>([
    ['that is too old', { version_number: 140_009, version: '14.9' }, /is PostgreSQL 14\.9; Loupe needs 15/],
    ['that is a standby', { standby: true }, /standby.*primary/],
    ['that can only be read', { read_only: true }, /only be read.*primary/],
    ['with another encoding', { encoding: 'SQL_ASCII' }, /SQL_ASCII.*ENCODING 'UTF8'/],
    ['without pgvector', { installed: null, available: null }, /\(Debian: postgresql-17-pgvector/],
    ['with an old pgvector', { installed: '0.7.4' }, /0\.7\.4.*ALTER EXTENSION vector UPDATE/],
    ['where no extension may be made', { installed: null, may_create: false }, /"ann".*CREATE EXTENSION/],
  ])('%s is refused with what to do', async (_what, state, reason) => {
    postgresWith(state);
    const [message] = await faultOf(probePostgres(urlOf(5432)));
    expect(message).toMatch(reason);
    expect(message).toContain('"loupe" at 127.0.0.1:5432');
  });

  test.each([
    ['0.8.4', []],
    ['0.10.0', []],
    ['0.8.3', [expect.stringMatching(/0\.8\.3: before 0\.8\.2 .*parallel.* 0\.8\.4 .*vacuum/)]],
  ])('with pgvector %s is used, with a warning below 0.8.4', async (installed, warnings) => {
    postgresWith({ installed });
    expect(await probePostgres(urlOf(5432))).toEqual(warnings);
  });

  const refusing = (code: string, message: string) => () => {
    const body = Buffer.from(`E    SFATAL\0C${code}\0M${message}\0\0`);
    body.writeInt32BE(body.length - 1, 1);
    return answering(body);
  };
  const NO_FILE = '?sslmode=verify-full&sslrootcert=/no/such.pem';

  test.each<[RegExp, isWaitedFor: boolean, open: () => Promise<number>, tail?: string]>([
    [/refuses the user "ann" or its/, false, refusing('28P01', 'password authentication failed')],
    [/sslmode=verify-full/, false, refusing('28000', 'no pg_hba.conf entry for host "a", no encryption')],
    [/there is no such user/, false, refusing('28000', 'role "ann" does not exist')],
    [/createdb loupe/, false, refusing('3D000', 'database "loupe" does not exist')],
    [/max_connections/, true, refusing('53300', 'too many clients already')],
    [/starting or stopping/, true, refusing('57P03', 'the database system is starting up')],
    [/nothing listens there/, true, freePort],
    [/cut off/, true, () => answering('')],
    [/no TLS.*sslmode/, false, () => answering('N'), '?sslmode=verify-full'],
    [/\/no\/such\.pem.*read/, false, freePort, NO_FILE],
  ])('says %s, and is waited for only where that helps: %s', async (reason, isWaitedFor, open, tail = '') => {
    const fault = await faultOf(probePostgres(urlOf(await open(), tail)));
    expect(fault).toEqual([expect.stringMatching(reason), isWaitedFor]);
  });

  test('a host whose name is not known is explained', async () => {
    const fault = await faultOf(probePostgres('postgres://ann:hunter2@no-such-host.invalid/loupe'));
    expect(fault).toEqual([expect.stringMatching(/name is not known/), true]);
  });
});

describe('Redis', () => {
  test.each<[string, () => Promise<number>, RegExp, isWaitedFor: boolean]>([
    ['a wrong password', () => redisWith({ hello: '-WRONGPASS invalid pair' }), /refuses the user/, false],
    ['no password', () => redisWith({ '*': '-NOAUTH required.' }), /asks for a password|refuses/, false],
    ['no such database', () => redisWith({ select: '-ERR DB index' }), /no database of this number/, false],
    ['a server that loads', () => redisWith({ info: '-LOADING dataset' }), /cannot serve now/, true],
    ['a replica', () => redisWith({ info: '$10\r\nrole:slave' }), /replica.*primary/, true],
    ['a server that is away', freePort, /nothing listens there/, true],
  ])('%s is explained, and waited for only where that may help', async (_what, open, reason, isWaitedFor) => {
    const port = await open();
    const fault = await faultOf(probeRedis(`redis://:hunter2@127.0.0.1:${port}/3`));
    expect(fault).toEqual([expect.stringMatching(reason), isWaitedFor]);
    expect(fault[0]).toContain(`127.0.0.1:${port}, database 3`);
  });

  test('a server that speaks no TLS is explained', async () => {
    const port = await answering('-ERR unknown command\r\n');
    const fault = await faultOf(probeRedis(`rediss://127.0.0.1:${port}`));
    expect(fault).toEqual([expect.stringMatching(/does not speak TLS/), false]);
  });
});

describe('waiting', () => {
  let lines: string[] = [];
  const log = (_fields: object, line: string) => void lines.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  beforeEach(() => {
    jest.useFakeTimers();
    lines = [];
  });
  afterEach(() => jest.useRealTimers());

  test('continues until the store is there, and is logged every five seconds', async () => {
    let attempts = 0;
    const probe = async () => {
      attempts += 1;
      if (attempts <= 12) throw new StoreFault('the database at db:5432: nothing listens there', true);
      return attempts;
    };
    const waiting = waitForStore('DATABASE_URL', probe, { waitMs: 30_000, logger });
    await jest.advanceTimersByTimeAsync(12_000);
    expect(await waiting).toBe(13);
    expect(lines).toEqual([
      expect.stringMatching(/^DATABASE_URL: the database at db:5432: nothing.*30 s more/),
      expect.stringMatching(/25 s more/),
      expect.stringMatching(/20 s more/),
    ]);
  });

  test.each<[string, Error, waitMs: number, waitedMs: number, RegExp]>([
    ['when the time is up', new StoreFault('away', true), 3_000, 3_000, /^REDIS_URL: away \(waited 3 s\)$/],
    ['at once where it does not help', new StoreFault('wrong', false), 3_000, 0, /^REDIS_URL: wrong$/],
    ['at once without a time', new StoreFault('away', true), 0, 0, /^REDIS_URL: away$/],
    ['at once with a failure of another kind', new TypeError('ours'), 3_000, 0, /^ours$/],
  ])('ends %s', async (_when, failure, waitMs, waitedMs, message) => {
    const began = Date.now();
    const waiting = waitForStore('REDIS_URL', () => Promise.reject(failure), { waitMs, logger });
    const ended = expect(waiting.finally(() => expect(Date.now() - began).toBe(waitedMs))).rejects;
    const checked = ended.toThrow(message);
    await jest.advanceTimersByTimeAsync(waitMs);
    await checked;
  });
});

describe('a service', () => {
  const startWith = (settings: Record<string, string>) =>
    startService(readConfig({ PORT: '0', LOG_LEVEL: 'silent', STORE_WAIT_MS: '0', ...settings }));

  test.each([
    ['DATABASE_URL', 'postgres'],
    ['REDIS_URL', 'redis'],
  ])('does not start while nothing listens at %s, and names setting, host and port', async (name, scheme) => {
    const port = await freePort();
    const starting = startWith({ DATA_DIR: temporaryFolder(), [name]: `${scheme}://127.0.0.1:${port}/0` });
    const expected = new RegExp(`^${name}: .*127\\.0\\.0\\.1:${port}.*: nothing listens there`);
    await expect(starting).rejects.toThrow(expected);
  });

  const madeFile = () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    return file;
  };
  const places: [string, () => string][] = [
    ['is a file', madeFile],
    ['is below a file', () => join(madeFile(), 'data')],
  ];
  if (process.platform === 'linux') places.push(['is below one that takes none', () => '/proc/loupe/data']);
  test.each(places)(
    'does not start where its folder %s, and names setting and folder',
    async (_what, place) => {
      const DATA_DIR = place();
      await expect(startWith({ DATA_DIR })).rejects.toThrow(`DATA_DIR: ${DATA_DIR} must be a folder`);
    },
  );
});
