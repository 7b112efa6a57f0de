/** Ordinals below `size`, the first in the highest bit of the first byte, as `bit_send` writes them. Sets of one size combine into new ones. */
export class Bitset {
  private readonly words: Uint32Array;

  private constructor(
    readonly size: number,
    private readonly bytes: Uint8Array,
  ) {
    this.words = new Uint32Array(bytes.buffer);
  }

  static empty(size: number): Bitset {
    return new Bitset(size, new Uint8Array(Math.ceil(size / 32) * 4));
  }

  static full(size: number): Bitset {
    const set = Bitset.empty(size);
    set.bytes.fill(0xff, 0, size >>> 3);
    for (let ordinal = size & ~7; ordinal < size; ordinal++) set.add(ordinal);
    return set;
  }

  static of(size: number, ordinals: Iterable<number>): Bitset {
    const set = Bitset.empty(size);
    for (const ordinal of ordinals) set.add(ordinal);
    return set;
  }

  /** The same ordinals in a set with room for others. */
  copy(size = this.size): Bitset {
    if (size === this.size) return new Bitset(size, this.bytes.slice());
    const copied = Bitset.empty(size);
    copied.bytes.set(this.bytes.subarray(0, copied.bytes.length));
    return copied;
  }

  /** Replaces bytes from an ordinal on, which must be a multiple of 8. */
  setBytes(from: number, bytes: Uint8Array): void {
    const first = from >>> 3;
    this.bytes.set(bytes.subarray(0, this.bytes.length - first), first);
  }

  /** Adds the ordinals of a set that is no larger. */
  addAll({ words }: Bitset): void {
    for (let at = 0; at < words.length; at++) this.words[at] = (this.words[at] ?? 0) | (words[at] ?? 0);
  }

  add(ordinal: number): void {
    this.bytes[ordinal >>> 3] = (this.bytes[ordinal >>> 3] ?? 0) | (0x80 >>> (ordinal & 7));
  }

  remove(ordinal: number): void {
    this.bytes[ordinal >>> 3] = (this.bytes[ordinal >>> 3] ?? 0) & ~(0x80 >>> (ordinal & 7));
  }

  has(ordinal: number): boolean {
    return ((this.bytes[ordinal >>> 3] ?? 0) & (0x80 >>> (ordinal & 7))) !== 0;
  }

  /** Removes the ordinals that are not in another set or, if it is to be `outside`, those that are. */
  keep({ words }: Bitset, outside = false): this {
    const flipped = outside ? -1 : 0;
    for (let at = 0; at < words.length; at++)
      this.words[at] = (this.words[at] ?? 0) & ((words[at] ?? 0) ^ flipped);
    return this;
  }

  and(set: Bitset): Bitset {
    return this.copy().keep(set);
  }

  /** Adds a bit to each binary digit of this set. The set of the bits becomes that of the carries; whether there are any. */
  addBits({ words }: Bitset): boolean {
    let carries = 0;
    for (let at = 0; at < words.length; at++) {
      const digit = this.words[at] ?? 0;
      const bit = words[at] ?? 0;
      this.words[at] = digit ^ bit;
      words[at] = digit & bit;
      carries |= digit & bit;
    }
    return carries !== 0;
  }

  count(): number {
    const { words } = this;
    let count = 0;
    for (let at = 0; at < words.length; at++) count += bitsIn(words[at] ?? 0);
    return count;
  }

  forEach(visit: (ordinal: number) => void): void {
    for (let at = 0; at < this.bytes.length; at++) {
      if (at % 4 === 0 && this.words[at >>> 2] === 0) at += 3;
      for (let bits = this.bytes[at] ?? 0; bits > 0; ) {
        const bit = Math.clz32(bits) - 24;
        bits &= ~(0x80 >>> bit);
        visit(at * 8 + bit);
      }
    }
  }

  /** How many of the 32 ordinals from a multiple of 32 on are members. */
  countFrom(ordinal: number): number {
    return bitsIn(this.words[ordinal >>> 5] ?? 0);
  }
}

function bitsIn(word: number): number {
  if (word === 0) return 0;
  return (BITS_IN_HALF[word & 0xffff] ?? 0) + (BITS_IN_HALF[word >>> 16] ?? 0);
}

/** Precomputed: the sum of shifts and masks takes three times as long. */
const BITS_IN_HALF = Uint8Array.from({ length: 1 << 16 }, (_, half) => {
  let bits = 0;
  for (let left = half; left > 0; left &= left - 1) bits += 1;
  return bits;
});
