import type { CatalogImportStore, Clock, Progress, RecordSource, RejectLog } from '../../ports';
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

/** A record with pictures, or one that takes such a record out. */
export type PicturedRecord =
  | (Pictured & { readonly id: string; readonly variants?: readonly VariantRecord[] })
  | Deletion;

/** Stores the pictures that records name (contract 13.5). */
export interface Pictures {
  /** The records with addresses; one with a picture that is missing or can't be decoded is rejected. */
  storeAll<Given extends PicturedRecord>(batch: Batch<Given>, reject: Reject): Promise<Batch<Given>>;
}

/** What an import needs from outside. */
export interface ImportPorts {
  readonly source: RecordSource;
  readonly store: CatalogImportStore;
  readonly pictures: Pictures;
  readonly rejects: RejectLog;
  readonly progress: Progress;
  readonly clock: Clock;
  /** About how long a transaction is to take. */
  readonly transactionMs: number;
}

/** What every stage of one import shares. */
export interface ImportContext extends ImportPorts {
  /** Known so far: the catalog's, and those of the bundle that were accepted. */
  readonly categories: Map<string, CategoryRecord>;
  readonly tags: Set<string>;
}

/** How the records of one file are checked and written. */
export interface Stage<Read, Written extends Read = Read> {
  /** Records of the same key replace each other. */
  key(record: Read): string;
  /**
   * Whether records of the same key must be written one after the other, because what each changes depends on the
   * one before; else the last of a batch is written alone.
   */
  readonly inOrder: boolean;
  /** Checks what the writes of this file can't change: it runs while the batch before is written. */
  prepare(batch: Batch<Read>, reject: Reject): Promise<Batch<Written>>;
  /** Checks the rest. The records that may be written; the others were rejected. */
  check(batch: Batch<Written>, reject: Reject): Promise<Batch<Written>>;
  write(records: readonly Written[]): Promise<void>;
}
