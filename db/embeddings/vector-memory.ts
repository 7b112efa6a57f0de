import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as others } from 'node:timers/promises';
import type { Vectors } from '../../models/vision/neighbours';

export interface NearImage {
  readonly image: number;
  /** For each query the cosine distance of the nearest view of the picture. */
  readonly byQuery: readonly number[];
}

/** Unit vectors are kept as 16-bit integers, as precise as the half precision that they are stored in. */
const ONE = 32_767;
const VALUE_BYTES = 2;
/** Values that the scan compares at once. */
const LANES = 8;
const QUERIES_MAX = 256;
/** Multiplications after which the event loop gets a turn: about two milliseconds. */
const SLICE_PRODUCTS = 16_000_000;
/** Vectors that are compared by one call of the scan. */
const RUN_VECTORS = 1_024;
/** If the version has more than this many times the pictures in scope, only those in scope are compared. */
const FEW = 4;
const PAGE_BYTES = 65_536;
const PAGES_MAX = 65_536;
const GROWTH_PAGES_MIN = 16;
const FREE = -1;

/** The vectors of a version in memory, two bytes a value. A search compares all of them, in slices that yield to other work. */
export class VectorMemory {
  readonly #wasm = instance();
  readonly #slots = new Map<number, number>();
  /** By slot. A picture keeps its slot, as searches may be under way. */
  readonly #images: number[] = [];
  readonly #free: number[] = [];
  readonly #vectorBytes: number;
  readonly #outAt: number;
  readonly #vectorsAt: number;

  /** @param views of each picture; for a picture with fewer, copies of its first fill the rest */
  constructor(
    private readonly dimensions: number,
    private readonly views: number,
  ) {
    this.#vectorBytes = Math.ceil(dimensions / LANES) * LANES * VALUE_BYTES;
    this.#outAt = QUERIES_MAX * this.#vectorBytes;
    this.#vectorsAt = this.#outAt + Math.max(RUN_VECTORS, views) * 4;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Sets the vector of a view of a picture. The first view of a picture must be set first. */
  put(image: number, view: number, vector: Float32Array): void {
    if (vector.length !== this.dimensions || view >= this.views) {
      throw new RangeError(`view ${view} with ${vector.length} values`);
    }
    const slot = this.#slots.get(image) ?? this.#newSlot(image);
    for (let at = view; at < (view === 0 ? this.views : view + 1); at += 1) {
      this.#write(this.#addressOf(slot) + at * this.#vectorBytes, vector);
    }
  }

  remove(image: number): void {
    const slot = this.#slots.get(image);
    if (slot === undefined) return;
    this.#slots.delete(image);
    this.#images[slot] = FREE;
    this.#free.push(slot);
  }

  /** Nearest first, ties by id, of those present during the whole call and `among` these. @param queries unit vectors, 1 to 256 */
  async nearest(queries: Vectors, count: number, among?: ReadonlySet<number>): Promise<readonly NearImage[]> {
    if (queries.length > QUERIES_MAX) throw new RangeError(`${queries.length} query vectors`);
    const { views } = this;
    const nearest = new Nearest(count);
    this.#ask(queries);
    const few = among && among.size < this.size / FEW;
    let compared = 0;
    for (const [from, slots] of few ? this.#slotsOf(among) : this.#runs()) {
      if (compared > SLICE_PRODUCTS) {
        await others();
        this.#ask(queries);
        compared = 0;
      }
      compared += slots * views * queries.length * this.dimensions;
      const products = this.#productsOf(from, slots, 0, queries.length);
      for (let at = 0; at < slots; at += 1) {
        const image = this.#images[from + at] ?? FREE;
        if (image === FREE || (among && !among.has(image))) continue;
        let best = products[at * views] ?? 0;
        for (let view = 1; view < views; view += 1) best = Math.max(best, products[at * views + view] ?? 0);
        nearest.offer(image, best);
      }
    }
    return nearest.images.flatMap((image) => {
      const slot = this.#slots.get(image);
      if (slot === undefined) return [];
      const byQuery = queries.map((_, query) => distanceOf(Math.max(...this.#productsOf(slot, 1, query, 1))));
      return [{ image, byQuery }];
    });
  }

  /** All slots, in runs: the first slot of each and its length. */
  *#runs(): Generator<[from: number, slots: number]> {
    const most = Math.max(1, Math.floor(RUN_VECTORS / this.views));
    for (let from = 0; from < this.#images.length; from += most) {
      yield [from, Math.min(most, this.#images.length - from)];
    }
  }

  *#slotsOf(images: ReadonlySet<number>): Generator<[from: number, slots: number]> {
    for (const image of images) {
      const slot = this.#slots.get(image);
      if (slot !== undefined) yield [slot, 1];
    }
  }

  /** Copies queries to where the scan reads them; valid until the next yield. */
  #ask(queries: readonly Float32Array[]): void {
    for (const [at, query] of queries.entries()) this.#write(at * this.#vectorBytes, query);
  }

  /** For each view of a run of pictures, its largest product with the queries; valid until the next call. */
  #productsOf(slot: number, slots: number, query: number, queries: number): Int32Array {
    const vectors = slots * this.views;
    const [from, asked] = [this.#addressOf(slot), query * this.#vectorBytes];
    this.#wasm.scan(from, vectors, asked, queries, this.#vectorBytes, this.#outAt);
    return new Int32Array(this.#wasm.memory.buffer, this.#outAt, vectors);
  }

  #write(address: number, vector: Float32Array): void {
    const values = new Int16Array(this.#wasm.memory.buffer, address, this.dimensions);
    for (let at = 0; at < values.length; at += 1) {
      values[at] = Math.max(-ONE, Math.min(ONE, Math.round((vector[at] ?? 0) * ONE)));
    }
  }

  #newSlot(image: number): number {
    const slot = this.#free.pop() ?? this.#images.length;
    const missing = this.#addressOf(slot + 1) - this.#wasm.memory.buffer.byteLength;
    if (missing > 0) {
      const pages = this.#wasm.memory.buffer.byteLength / PAGE_BYTES;
      const wanted = Math.max(Math.ceil(missing / PAGE_BYTES), GROWTH_PAGES_MIN, Math.floor(pages / 8));
      this.#wasm.memory.grow(Math.min(wanted, Math.max(1, PAGES_MAX - pages)));
    }
    this.#images[slot] = image;
    this.#slots.set(image, slot);
    return slot;
  }

  #addressOf(slot: number): number {
    return this.#vectorsAt + slot * this.views * this.#vectorBytes;
  }
}

interface Scan {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  scan(vector: number, vectors: number, query: number, queries: number, bytes: number, out: number): void;
}

/** The part of the global `WebAssembly` that is needed, which the types of Node.js lack. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Scan };
}

function instance(): Scan {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
  return new Instance(new Module(readFileSync(join(__dirname, 'scan.wasm')))).exports;
}

/** Rounding can take a unit vector's product with itself a little beyond one. */
const distanceOf = (product: number): number => Math.min(2, Math.max(0, 1 - product / (ONE * ONE)));

/** Keeps the best of the offered entries, and up to as many others until the next cut. */
class Nearest {
  readonly #kept: { readonly image: number; readonly product: number }[] = [];
  /** The value of the worst entry that the last cut kept. */
  #least = Number.NEGATIVE_INFINITY;

  constructor(private readonly count: number) {}

  get images(): readonly number[] {
    this.#cut();
    return this.#kept.map(({ image }) => image);
  }

  offer(image: number, product: number): void {
    if (product < this.#least) return;
    this.#kept.push({ image, product });
    if (this.#kept.length >= 2 * this.count) this.#cut();
  }

  #cut(): void {
    this.#kept
      .sort((one, other) => other.product - one.product || one.image - other.image)
      .splice(this.count);
    if (this.#kept.length === this.count) this.#least = this.#kept.at(-1)?.product ?? this.#least;
  }
}
