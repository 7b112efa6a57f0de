import { LRUCache } from 'lru-cache';
import type { Numbered, RecordStore, RecordTransaction } from '../../ports';
import type { CategoryRecord, Deletion, DisplayFields, EntityRecord, VariantRecord } from './records';

export type Batch<Record> = readonly Numbered<Record>[];

export interface Fault {
  readonly field: string;
  readonly reason: string;
}

export type Reject = (line: number, field: string, reason: string) => void;
export const WHOLE_LINE = 'line';
const REASON_LENGTH_MAX = 500;
/** Longer than the paths of most systems may be. */
const PLACE_LENGTH_MAX = 5_000;

/** The location of a fault, on one line: ids and names come from the bundle and may contain anything. */
export const placeText = (place: string): string => oneLine(place, PLACE_LENGTH_MAX);

export const reasonText = (reason: string): string => oneLine(reason, REASON_LENGTH_MAX);

function oneLine(text: string, lengthMax: number): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax)}…`;
}

export type RecordWithImages =
  | (DisplayFields & { readonly id: string; readonly variants?: readonly VariantRecord[] })
  | Deletion;

export interface Pictures {
  storeAll<Given extends RecordWithImages>(batch: Batch<Given>, reject: Reject): Promise<Batch<Given>>;
}

export interface Stage<Read, Written extends Read = Read> {
  /**
   * Records that share any of these are written in different transactions, in the order of their lines, because the effect
   * of each depends on the one before. Of records that share only their key, the last of a batch is written.
   */
  inOrder(record: Read): readonly string[];
  /** Does the checks that writes of this file can't affect: it runs while the previous batch is written. */
  prepare(batch: Batch<Read>, reject: Reject): Promise<Batch<Written>>;
  /** Checks the rest, in the transaction of the write. Returns the records that may be written; the others were rejected. */
  check(batch: Batch<Written>, reject: Reject, transaction: RecordTransaction): Promise<Batch<Written>>;
}

/** Those of a million products; about 50 MB. */
const ENTITIES_MAX = 60_000;

/** The catalog's categories, tags and entities, and the categories and tags accepted since. */
export class KnownTaxonomy {
  readonly categories = new Map<string, CategoryRecord>();
  readonly tags = new Set<string>();
  // By size, since a `max` is allocated at once, and most calls need only a few.
  readonly #entities = new LRUCache<string, EntityRecord>({
    maxSize: ENTITIES_MAX,
    sizeCalculation: () => 1,
  });
  #version = Number.NaN;

  constructor(private readonly store: RecordStore) {}

  /** Reloads them if anybody changed them; returns the version that they are at least as new as. */
  async refresh(): Promise<number> {
    const version = await this.store.taxonomyVersion();
    if (version === this.#version) return version;
    const [categories, tags] = [await this.store.categories(), await this.store.tagIds()];
    this.#entities.clear();
    this.categories.clear();
    this.tags.clear();
    for (const category of categories) this.categories.set(category.id, category);
    for (const tag of tags) this.tags.add(tag);
    this.#version = version;
    return version;
  }

  /** Deleted entities too: rows that name them keep the attribute (contract 1.8). Unknown ids are left out. */
  async entities(ids: readonly string[]): Promise<ReadonlyMap<string, EntityRecord>> {
    const unknown = ids.filter((id) => !this.#entities.has(id));
    const found = new Map(await this.store.entities(unknown));
    for (const id of ids) {
      const known = this.#entities.get(id);
      if (known) found.set(id, known);
    }
    for (const id of unknown) {
      const entity = found.get(id);
      if (entity) this.#entities.set(id, entity);
    }
    return found;
  }
}
