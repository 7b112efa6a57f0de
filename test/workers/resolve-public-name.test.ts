import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { publicResolver } from '../../workers/image/public-address';

/** A test DNS server's answers for a name; missing names do not exist. */
const ZONE: Readonly<Record<string, readonly string[]>> = {
  'both.example': ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
  'four.example': ['192.0.2.3'],
  'six.example': ['2001:db8::2'],
  'empty.example': [],
};
/** The type of a record by the length of its address. */
const TYPES: Readonly<Record<number, number>> = { 4: 1, 16: 28 };

let server: Socket;
const asked: string[] = [];

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, from) => server.send(answerTo(query), from.port, from.address));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

const resolve = (name: string) => publicResolver([`127.0.0.1:${server.address().port}`])(name);

function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12);
  const type = query.readUInt16BE(end + 1);
  // Between the labels of a name are their lengths.
  const name = query
    .toString('latin1', 13, end)
    .replace(/[\0-\x20]/g, '.')
    .toLowerCase();
  asked.push(`${name} ${type}`);
  const addresses = (ZONE[name] ?? [])
    .map((address) => Buffer.from(ipaddr.parse(address).toByteArray()))
    .filter(({ length }) => TYPES[length] === type);
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(name in ZONE ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.fill(0, 8);
  const records = addresses.flatMap((data) => [
    Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]),
    data,
  ]);
  return Buffer.concat([head, query.subarray(12, end + 5), ...records]);
}

test.each(['both.example', 'four.example', 'six.example'])('%s has all its addresses', async (name) => {
  asked.length = 0;
  expect(await resolve(name)).toEqual(ZONE[name]);
  expect(asked.sort()).toEqual([`${name} 1`, `${name} 28`]);
});

test.each([
  ['empty.example', 'ENODATA'],
  ['missing.example', 'ENOTFOUND'],
  // The hosts file, which names internal hosts, is not consulted.
  ['localhost', 'ENOTFOUND'],
])('%s has none: %s', async (name, code) => {
  await expect(resolve(name)).rejects.toMatchObject({ code });
});
