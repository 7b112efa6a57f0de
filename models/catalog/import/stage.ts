import type { Clock, Progress, RecordSource, RecordStore, RecordTransaction, RejectLog } from '../../ports';
import type { Named } from './faults';
import type { FilesProgress } from './files-progress';
import type { CategoryRecord, Deletion, Pictured, VariantRecord } from './records';

/** A record and the line that it stands in. */
export interface Numbered<Record> {
  readonly line: number;
  readonly bytes: number;
  readonly record: Record;
}

export type Batch<Record> = readonly Numbered<Record>[];

/** Writes one reject into the report. */
export type Reject = (line: number, field: string, reason: string) => void;

/** Stands for the line itself where no field is at fault. */
export const WHOLE_LINE = 'line';

/** A record with pictures, or one that removes such a record. */
export type PicturedRecord =
  | (Pictured & { readonly id: string; readonly variants?: readonly VariantRecord[] })
  | Deletion;

/** Turns the pictures that records name into addresses (contract 13.5). */
export interface Pictures {
  storeAll<Given extends PicturedRecord>(batch: Batch<Given>, reject: Reject): Promise<Batch<Given>>;
}

/** What the writing of records needs from outside. */
export interface WritePorts<Store extends RecordStore = RecordStore> {
  readonly source: RecordSource;
  readonly store: Store;
  readonly pictures: Pictures;
  readonly rejects: RejectLog;
  readonly progress: Progress;
  readonly clock: Clock;
  /** About how long a transaction is to take. */
  readonly transactionMs: number;
}

/** What all stages share. */
export interface WriteContext extends WritePorts {
  readonly taxonomy: KnownTaxonomy;
  readonly files: FilesProgress;
}

/** How the records of one file are checked before they are written. */
export interface Stage<Read, Written extends Read = Read> {
  /** Records of the same key replace each other. */
  key(record: Read): string;
  /**
   * Records that share any of these are written in different transactions, in the order of their lines, because what
   * each changes depends on the one before. Of records that share nothing but their key, the last of a batch is written.
   */
  inOrder(record: Read): readonly string[];
  /** Does what the writes of this file can't change: it runs while the batch before is written. */
  prepare(batch: Batch<Read>, reject: Reject): Promise<Batch<Written>>;
  /** Checks the rest, in the transaction of the write. The records that may be written; the others were rejected. */
  check(batch: Batch<Written>, reject: Reject, transaction: RecordTransaction): Promise<Batch<Written>>;
}

/** The catalog's categories and tags, and those that were accepted since. */
export class KnownTaxonomy implements Named {
  readonly categories = new Map<string, CategoryRecord>();
  readonly tags = new Set<string>();
  #version = Number.NaN;

  constructor(private readonly store: Pick<RecordStore, 'taxonomyVersion' | 'categories' | 'tagIds'>) {}

  /** Reads them anew if anybody changed them; the version that they are at least as new as. */
  async refresh(): Promise<number> {
    const version = await this.store.taxonomyVersion();
    if (version === this.#version) return version;
    const [categories, tags] = [await this.store.categories(), await this.store.tagIds()];
    this.categories.clear();
    this.tags.clear();
    for (const category of categories) this.categories.set(category.id, category);
    for (const tag of tags) this.tags.add(tag);
    this.#version = version;
    return version;
  }
}
