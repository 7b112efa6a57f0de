import type { Load, WrittenLoad } from '../../../db/catalog-import/import-target';
import type { BundleFileName } from './bundle-files';
import type { Parsed } from './parse-record';

/** A record and the line that it stands in. */
export interface Numbered<Record> {
  readonly line: number;
  /** The line itself, in UTF-8. */
  readonly bytes: Buffer;
  readonly record: Record;
}

/** Writes one reject into the report. */
export type Reject = (line: number, field: string, reason: string) => void;

/** How the records of one file are read, checked and written. */
export interface Stage<Record> {
  readonly file: BundleFileName;
  parse(text: string): Parsed<Record>;
  /** Records of the same key replace each other. */
  key(record: Record): string;
  /**
   * Whether records of the same key must be written one after the other, because what each changes depends on the
   * one before; else the last of a batch is written alone.
   */
  readonly inOrder: boolean;
  /** As `check`, for what the writes of this file can't change: it may run while the batch before is written. */
  prepare?(batch: readonly Numbered<Record>[], reject: Reject): Promise<readonly Numbered<Record>[]>;
  /** The records that may be written, with stored pictures; the others were rejected. */
  check(batch: readonly Numbered<Record>[], reject: Reject): Promise<readonly Numbered<Record>[]>;
  write(records: readonly Record[]): Promise<void>;
  /** How records are added that the catalog does not have, if there is a way that is quicker. */
  readonly loads?: Loads<Record> | undefined;
}

/** How the records of one file are added by the thousand. What a load refuses is written the other way. */
export interface Loads<Record> {
  /** How many may be written at the same time. */
  readonly lanes: number;
  /** What records that are added together must not share; null of one that adds nothing. */
  keys(record: Record): readonly string[] | null;
  /** Whether the catalog has none of these. */
  areNew(records: readonly Record[]): Promise<boolean>;
  /** As that of the stage. */
  prepare?(batch: readonly Numbered<Record>[], reject: Reject): Promise<readonly Numbered<Record>[]>;
  begin(): Promise<Load<Record>>;
  write(load: Load<Record>, turn: Promise<boolean>): Promise<WrittenLoad>;
}
