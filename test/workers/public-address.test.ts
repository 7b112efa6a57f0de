import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isPublicAddress } from '../../workers/image/public-address';

/**
 * contract 7.5: the guard against IANA's special-purpose registries, multicast, and what other registries withdrew from
 * public use, block by block. Addresses are computed without the library that the guard uses, so both can't share a mistake.
 */
const BLOCKS = readFileSync(join(__dirname, 'special-purpose-blocks.csv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',') as [block: string, name: string, reference: string]);
/** A platform's metadata service on an address that IANA calls public. */
const METADATA = '168.63.129.16/32';

function rangeOf(block: string) {
  const [address = '', prefix = ''] = block.split('/');
  const first = numberOf(address);
  return { first, last: first + (1n << BigInt((isV6(block) ? 128 : 32) - Number(prefix))) - 1n };
}

const isV6 = (text: string): boolean => text.includes(':');

/** The number of an address in one of the usual notations, without dotted quads in IPv6. */
function numberOf(address: string): bigint {
  if (!isV6(address)) return address.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
  const [before = [], after = []] = address
    .split('::')
    .map((text) => text.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

const textOfV4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
const textOfV6 = (value: bigint): string =>
  Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(':');

const holds = ({ first, last }: ReturnType<typeof rangeOf>, value: bigint): boolean =>
  first <= value && value <= last;
const isIsatap = (value: bigint): boolean => ((value >> 32n) & 0xfdff_ffffn) === 0x5efen;

describe.each([
  ['IPv4', textOfV4, rangeOf('0.0.0.0/0'), [...BLOCKS.map(([block]) => block), METADATA]],
  ['IPv6', textOfV6, rangeOf('2000::/3'), BLOCKS.map(([block]) => block)],
] as const)('%s', (family, text, assigned, all) => {
  const ofFamily = (block: string) => isV6(block) === (family === 'IPv6');
  const blocks = BLOCKS.filter(([block]) => ofFamily(block));
  const special = all.filter(ofFamily).map(rangeOf);
  const isPublic = (value: bigint): boolean =>
    holds(assigned, value) &&
    !special.some((range) => holds(range, value)) &&
    !(family === 'IPv6' && isIsatap(value));
  const space = rangeOf(`${text(0n)}/0`);

  test.each(blocks)('%s (%s, %s) is not public, unlike its neighbours', (block) => {
    const { first, last } = rangeOf(block);
    const within = fc.sample(fc.bigInt(first, last), { seed: 7, numRuns: 50 });
    for (const value of [first, last, ...within])
      expect([text(value), isPublicAddress(text(value))]).toEqual([text(value), false]);
    for (const value of [first - 1n, last + 1n].filter((each) => holds(space, each)))
      expect([text(value), isPublicAddress(text(value))]).toEqual([text(value), isPublic(value)]);
  });

  test('is public everywhere else', () => {
    const address = fc.bigInt(assigned.first, assigned.last);
    fc.assert(
      fc.property(address, (value) => isPublicAddress(text(value)) === isPublic(value)),
      { numRuns: 5000 },
    );
  });
});

test.each(['93.184.216.34', '8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each<readonly [kind: string, address: string]>([
  ['link-local with zone', 'fe80::1%eth0'],
  ['public with zone', '2606:4700:4700::1111%1'],
  ['IPv4-mapped, dotted', '::ffff:127.0.0.1'],
  ['IPv4-mapped of a public one', '::ffff:8.8.8.8'],
  ['IPv4-compatible, dotted', '::127.0.0.1'],
  ['translated', '::ffff:0:127.0.0.1'],
  ['ISATAP', '2606:4700::5efe:127.0.0.1'],
  ['ISATAP of a public one', '2606:4700::200:5efe:8.8.8.8'],
  ['unassigned', '4000::1'],
  ...['', 'localhost', '1.2.3', '0x7f.1', '127.1', '[::1]', 'example.com', '8.8.8.8 ', '8.8.8.08'].map(
    (text) => ['no address', text] as const,
  ),
])('%s: "%s" is not', (_kind, address) => expect(isPublicAddress(address)).toBe(false));
