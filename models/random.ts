/** Mixes keys into one 32-bit number, the same on every machine: values can be drawn for product 17 without those before it. */
export function hash(...keys: readonly (number | string)[]): number {
  let state = 0x9e3779b9;
  for (const key of keys) {
    if (typeof key === 'string') {
      for (let at = 0; at < key.length; at++) state = mix(state ^ key.charCodeAt(at));
      state = mix(state ^ 0xff51afd7);
    } else {
      state = mix(state ^ (key | 0));
      state = mix(state ^ Math.floor(key / 4294967296));
    }
  }
  return state >>> 0;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) + 0x6d2b79f5;
}

/** A stream of pseudo-random draws (sfc32) fixed by its keys, never by a clock: the same seed gives the same bytes. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(...keys: readonly (number | string)[]) {
    this.a = hash(...keys, 'a');
    this.b = hash(...keys, 'b');
    this.c = this.a ^ Math.imul(this.b, 0x2545f491);
    for (let warmUp = 0; warmUp < 4; warmUp++) this.next();
  }

  next(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One entry of a list; an empty list is a mistake of the caller and throws. */
  pick<T>(list: readonly T[]): T {
    return at(list, this.integer(0, list.length - 1));
  }

  weighted<T>(entries: readonly (readonly [T, number])[]): T {
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of entries) {
      left -= weight;
      if (left < 0) return value;
    }
    return at(entries, entries.length - 1)[0];
  }

  /** A draw of mean 0 and deviation 1, bell-shaped and never beyond 3. */
  bell(): number {
    return (this.next() + this.next() + this.next() + this.next() - 2) * 1.7320508;
  }

  /** A draw whose ranking follows Zipf's law: few are near `most`, the bulk is small. */
  zipf(most: number, exponent = 0.9): number {
    return Math.floor(most * (1 + this.next() * most) ** -exponent);
  }
}

/** The entry of a list at an index that wraps round its end, for enumerating a vocabulary by ordinal. */
export function at<T>(list: readonly T[], index: number): T {
  const length = list.length;
  const entry = list[((index % length) + length) % length];
  if (length === 0 || entry === undefined) throw new RangeError('no entry to take from an empty list');
  return entry;
}

export const shuffled = <T>(list: readonly T[], ...keys: readonly (number | string)[]): T[] =>
  list
    .map((entry, index) => ({ entry, place: hash(...keys, index) }))
    .sort((one, other) => one.place - other.place)
    .map(({ entry }) => entry);
