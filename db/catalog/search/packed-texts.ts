/** Ends each text; no text of PostgreSQL holds it. */
const END = 0;

/** Texts that are looked up both ways, in a fifth of the memory of strings and a map of them. */
export class PackedTexts {
  readonly #bytes: Buffer;
  readonly #ends: Uint32Array;
  #slots: Uint32Array | null = null;

  /** @param chunks as `packed` makes them, one after the other */
  constructor(chunks: readonly Buffer[], size: number) {
    const bytes = Buffer.concat(chunks);
    const ends = new Uint32Array(size);
    let next = 0;
    for (let at = 0; at < bytes.length; at++) if (bytes[at] === END) ends[next++] = at;
    this.#bytes = bytes;
    this.#ends = ends;
  }

  get size(): number {
    return this.#ends.length;
  }

  at(position: number): string {
    return this.#bytes.toString('utf8', this.#startOf(position), this.#ends[position]);
  }

  areEqual(left: number, right: number): boolean {
    const bytes = this.#bytes;
    return (
      bytes.compare(bytes, this.#startOf(left), this.#ends[left], this.#startOf(right), this.#ends[right]) ===
      0
    );
  }

  /** The position of a text, which is in the list only once; undefined if it is not. */
  positionOf(text: string): number | undefined {
    this.#slots ??= this.#hashed();
    const bytes = Buffer.from(text);
    const last = this.#slots.length - 1;
    for (let slot = hashOf(bytes, 0, bytes.length) & last; ; slot = (slot + 1) & last) {
      const position = (this.#slots[slot] ?? 0) - 1;
      if (position < 0) return undefined;
      if (bytes.compare(this.#bytes, this.#startOf(position), this.#ends[position]) === 0) return position;
    }
  }

  #startOf(position: number): number {
    return position === 0 ? 0 : (this.#ends[position - 1] ?? 0) + 1;
  }

  /** Positions, counted from 1, by the hashes of their texts, each in the first slot that was free. */
  #hashed(): Uint32Array {
    const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * this.size + 1)));
    const last = slots.length - 1;
    for (let position = 0; position < this.size; position++) {
      let slot = hashOf(this.#bytes, this.#startOf(position), this.#ends[position] ?? 0) & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = position + 1;
    }
    return slots;
  }
}

export const packed = (texts: readonly string[]): Buffer =>
  Buffer.from(texts.map((text) => `${text}\0`).join(''));

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}
