import fc from 'fast-check';
import { isPublicAddress } from '../../workers/image/public-address';
import { numberOf, type Range, rangeOf, textOfV4, textOfV6 } from '../hostile/ssrf/address-arithmetic';
import { SPECIAL_PURPOSE_V4, SPECIAL_PURPOSE_V6 } from '../hostile/ssrf/special-purpose-blocks';

/** contract 7.5: the guard against the registries of IANA, block by block and address by address. */
const families = [
  {
    family: 'IPv4',
    blocks: SPECIAL_PURPOSE_V4,
    text: textOfV4,
    // A platform's metadata service on an address that IANA calls public.
    also: ['168.63.129.16/32'],
    assigned: rangeOf('0.0.0.0/0'),
  },
  {
    family: 'IPv6',
    blocks: SPECIAL_PURPOSE_V6,
    text: textOfV6,
    also: [],
    assigned: rangeOf('2000::/3'),
  },
];

const holds = ({ first, last }: Range, value: bigint): boolean => first <= value && value <= last;
const isIsatap = (value: bigint): boolean => ((value >> 32n) & 0xfdff_ffffn) === 0x5efen;

describe.each(families)('$family', ({ family, blocks, text, also, assigned }) => {
  const special = [...blocks.map(([block]) => block), ...also].map(rangeOf);
  const isPublic = (value: bigint): boolean =>
    holds(assigned, value) &&
    !special.some((range) => holds(range, value)) &&
    !(family === 'IPv6' && isIsatap(value));

  test.each(blocks)('%s (%s, %s) is not public from its first address to its last', (block) => {
    const { first, last } = rangeOf(block);
    const within = fc.sample(fc.bigInt(first, last), { seed: 7, numRuns: 50 });
    for (const value of [first, last, ...within])
      expect([text(value), isPublicAddress(text(value))]).toEqual([text(value), false]);
  });

  test.each(blocks)('%s (%s) takes nothing of its neighbours along', (block) => {
    const { first, last } = rangeOf(block);
    for (const value of [first - 1n, last + 1n].filter((each) => holds(rangeOf(`${text(0n)}/0`), each)))
      expect([text(value), isPublicAddress(text(value))]).toEqual([text(value), isPublic(value)]);
  });

  test('is public everywhere else', () => {
    fc.assert(
      fc.property(fc.bigInt(assigned.first, assigned.last), (value) => {
        expect(isPublicAddress(text(value))).toBe(isPublic(value));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('Addresses that a photo may be fetched from', () => {
  test.each(['93.184.216.34', '8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  test.each([
    ['a metadata service behind carrier NAT', '100.100.100.200'],
    ['link-local, metadata', '169.254.169.254'],
    ['metadata', '192.0.0.192'],
    ['platform service', '168.63.129.16'],
    ['metadata', 'fd00:ec2::254'],
    ['metadata', 'fd20:ce::254'],
    ['link-local with zone', 'fe80::1%eth0'],
    ['public with zone', '2606:4700:4700::1111%1'],
    ['IPv4-mapped, dotted', '::ffff:127.0.0.1'],
    ['IPv4-mapped of a public one', '::ffff:8.8.8.8'],
    ['IPv4-compatible, dotted', '::127.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::7f00:1'],
    ['NAT64 of a public one', '64:ff9b::808:808'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['Teredo', '2001:0:7f00:1::'],
    ['ISATAP', '2606:4700::5efe:127.0.0.1'],
    ['ISATAP of a public one', '2606:4700::200:5efe:8.8.8.8'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['unassigned', '4000::1'],
  ])('%s: %s is not', (_kind, address) => expect(isPublicAddress(address)).toBe(false));

  test.each(['', 'localhost', '1.2.3', '0x7f.1', '127.1', '[::1]', 'example.com', '8.8.8.8 ', '8.8.8.08'])(
    '"%s" is no public address',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );

  test('counts addresses as the registries do', () => {
    expect(numberOf('::1')).toBe(1n);
    expect(numberOf('2001:db8::1')).toBe(0x20010db8000000000000000000000001n);
    expect(textOfV6(numberOf('2001:db8::1'))).toBe('2001:db8:0:0:0:0:0:1');
    expect(textOfV4(rangeOf('10.0.0.0/8').last)).toBe('10.255.255.255');
  });
});
