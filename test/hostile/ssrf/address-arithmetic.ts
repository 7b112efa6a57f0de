/** Addresses as numbers, written without the library that the guard uses, so that both can't share a mistake. */
export interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** First and last address of a block in CIDR notation. */
export function rangeOf(block: string): Range {
  const [address = '', prefix = ''] = block.split('/');
  const bits = address.includes(':') ? 128 : 32;
  const size = 1n << BigInt(bits - Number(prefix));
  const first = numberOf(address);
  return { first, last: first + size - 1n };
}

/** The number of an address in one of the usual notations, without dotted quads in IPv6. */
export function numberOf(address: string): bigint {
  if (!address.includes(':')) {
    return address.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
  }
  const [head = '', tail] = address.split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const after = tail === undefined ? [] : groupsOf(tail);
  const before = groupsOf(head);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Dotted decimal. */
export const textOfV4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');

/** Eight groups, none left out. */
export const textOfV6 = (value: bigint): string =>
  Array.from({ length: 8 }, (_, group) => ((value >> BigInt(112 - 16 * group)) & 0xffffn).toString(16)).join(
    ':',
  );
