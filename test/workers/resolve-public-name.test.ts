import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { publicResolver } from '../../workers/image/public-address';

/** What a DNS server of the test's own says: addresses by name and family; names that are missing do not exist. */
const ZONE: Readonly<Record<string, Readonly<Partial<Record<'A' | 'AAAA', readonly string[]>>>>> = {
  'both.example': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] },
  'four.example': { A: ['192.0.2.3'] },
  'six.example': { AAAA: ['2001:db8::2'] },
  'empty.example': {},
};
const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };

let server: Socket;
let asked: string[] = [];

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, from) => server.send(answerTo(query), from.port, from.address));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
beforeEach(() => {
  asked = [];
});

const resolve = (name: string) => publicResolver([`127.0.0.1:${server.address().port}`])(name);

function answerTo(query: Buffer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const name = labels.join('.').toLowerCase();
  const type = TYPES[query.readUInt16BE(at + 1)];
  asked.push(`${name} ${type}`);
  const addresses = (type && ZONE[name]?.[type]) ?? [];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(name in ZONE ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.fill(0, 8);
  return Buffer.concat([head, question, ...addresses.map(recordOf)]);
}

function recordOf(address: string): Buffer {
  const data = address.includes(':') ? bytesOfV6(address) : Buffer.from(address.split('.').map(Number));
  const record = Buffer.from('c00c0000000100000000', 'hex');
  record.writeUInt16BE(data.length === 4 ? 1 : 28, 2);
  return Buffer.concat([record, Buffer.from([0, data.length]), data]);
}

function bytesOfV6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const middle = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0');
  const hex = [...groups(head), ...middle, ...groups(tail)].map((group) => group.padStart(4, '0'));
  return Buffer.from(hex.join(''), 'hex');
}

test('a name is known by all its addresses of both families', async () => {
  expect(await resolve('both.example')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  expect(asked.sort()).toEqual(['both.example A', 'both.example AAAA']);
});

test.each([
  ['four.example', ['192.0.2.3']],
  ['six.example', ['2001:db8::2']],
])('%s has addresses of one family only', async (name, addresses) => {
  expect(await resolve(name)).toEqual(addresses);
});

test.each([
  ['empty.example', 'ENODATA'],
  ['missing.example', 'ENOTFOUND'],
])('%s has none: %s', async (name, code) => {
  await expect(resolve(name)).rejects.toMatchObject({ code });
});

test('the hosts file is not asked, which names what is inside', async () => {
  await expect(resolve('localhost')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});
