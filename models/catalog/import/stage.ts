import type { Clock, Progress, RecordSource, RecordStore, RecordTransaction, RejectLog } from '../../ports';
import type { KnownTaxonomy } from './known-taxonomy';
import type { Deletion, Pictured, VariantRecord } from './records';

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

/** A record with pictures, or one that takes such a record out. */
export type PicturedRecord =
  | (Pictured & { readonly id: string; readonly variants?: readonly VariantRecord[] })
  | Deletion;

/** Stores the pictures that records name (contract 13.5). */
export interface Pictures {
  /**
   * The records with addresses; one with a picture that is missing or can't be decoded is rejected. What are addresses
   * already stays as it is.
   */
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
export interface WriteContext<Store extends RecordStore = RecordStore> extends WritePorts<Store> {
  readonly taxonomy: KnownTaxonomy;
}

/** How the records of one file are checked and written. */
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
  write(records: readonly Written[], transaction: RecordTransaction): Promise<void>;
}
