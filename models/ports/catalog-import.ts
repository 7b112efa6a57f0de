import type {
  CategoryRecord,
  EntityRecord,
  ProductRecord,
  ReadRecords,
  RecordKind,
  WrittenRecords,
} from '../catalog/import/records';
import type { AuditEntry } from './audit';

export interface Numbered<Record> {
  readonly line: number;
  readonly bytes: number;
  readonly record: Record;
}

export type ReadLine<Record> =
  | Numbered<Record>
  | { readonly line: number; readonly field: string; readonly reason: string };

/** A file of records, and its size on the disk. */
export interface RecordFile<Record> {
  readonly name: string;
  readonly bytes: number;
  /** Reads from the start, some lines at a time, each with the number of bytes of the file read so far. */
  read(): AsyncIterable<{ readonly lines: readonly ReadLine<Record>[]; readonly bytesRead: number }>;
}

export interface RecordSource {
  file<Kind extends RecordKind>(kind: Kind): Promise<RecordFile<ReadRecords[Kind]> | null>;
}

/** The report of rejected records (contract 13.6). */
export interface RejectLog {
  readonly count: number;
  /** Line 0 means the file as a whole. */
  add(file: string, line: number, field: string, reason: string): void;
  /** Waits until everything added has been written out of memory. */
  settle(): Promise<void>;
}

/** A variant that can have no prices: it is unknown, no product names it, or the product that does is deleted. */
export interface UnpricedVariant {
  readonly id: string;
  readonly known: boolean;
  readonly product_id: string | null;
}

/** A picture that is already stored: its address and, if one was made, that of its thumbnail. */
export interface StoredImage {
  readonly address: string;
  readonly thumbnail: string | null;
}

/** The database's records of stored images, by the SHA-256 of their bytes in hexadecimal. */
export interface StoredImageIndex {
  find(digests: readonly string[]): Promise<ReadonlyMap<string, StoredImage>>;
  remember(digest: string, image: StoredImage): Promise<void>;
  /** Keeps images not yet named by any row for a while. Resolves when none of them is being removed. */
  keep(addresses: readonly string[]): Promise<void>;
}

/** One transaction, during which nobody else writes records. */
export interface RecordTransaction {
  /** Deleted entities too, unless `onlyLive`: rows that name them keep the attribute (contract 1.8). Unknown ids are left out. */
  entities(ids: readonly string[], onlyLive?: boolean): Promise<ReadonlyMap<string, EntityRecord>>;
  /** Those of these ids that are live products. */
  products(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the variants with these ids that can have no prices. */
  unpricedVariants(ids: readonly string[]): Promise<readonly UnpricedVariant[]>;
  /**
   * Writes records and rows derived from them, or notes rows to be derived. The last record of a key counts.
   * @throws RecordRefusedError when one of them can't be stored; none is written then, and the transaction continues
   */
  write<Kind extends RecordKind>(kind: Kind, records: readonly WrittenRecords[Kind][]): Promise<void>;
}

/** The records of the catalog, read and written by one import or one call while others write as well. */
export interface RecordStore {
  categories(): Promise<readonly CategoryRecord[]>;
  tagIds(): Promise<readonly string[]>;
  /** A different number after each change of categories, tags or entities; data read later is at least as new. */
  taxonomyVersion(): Promise<number>;
  entities(ids: readonly string[]): Promise<ReadonlyMap<string, EntityRecord>>;
  /** All or nothing, one after the other with the transactions of all other writers; inside, only the transaction may be used. */
  transaction<Result>(work: (transaction: RecordTransaction) => Promise<Result>): Promise<Result>;
  /** Completes the audit log entry that was begun in the first transaction (contract 15.8). */
  finish(details: AuditEntry['details']): Promise<void>;
}

/** The products of a feed, as one import of it finds and leaves them (contract 13.23). */
export interface FeedRun {
  readonly known: number;
  /** Whether any of these is a live product of the feed. */
  hasAny(productIds: readonly string[]): Promise<boolean>;
  note(productIds: readonly string[]): Promise<void>;
  /** How many live products of the feed this import did not mark and no other feed has. */
  missingCount(): Promise<number>;
  missing(after: string, limit: number): Promise<readonly string[]>;
  /** Products that this import did not mark no longer belong to the feed. */
  forgetMissing(): Promise<void>;
}

/** The catalog for the one import that has it open, or for any dry run, which responds as if writes had happened but changes nothing. */
export interface CatalogImportStore extends RecordStore {
  /** Live entities of these kinds, by id, after one of them. */
  entitiesOf(kinds: readonly string[], after: string, limit: number): Promise<readonly EntityRecord[]>;
  openFeed(name: string): Promise<FeedRun>;
  /** Rows that name something changed and must still be derived again. */
  staleRows(): Promise<number>;
  /** Derives up to `limit` of them; resolves to the number derived. */
  deriveStaleRows(limit: number): Promise<number>;
  /** Whether indexes may be made while prices are written. */
  readonly worksInParallel: boolean;
  /** Indexes that a large first import leaves to the end of its products. */
  missingIndexes(): Promise<number>;
  makeIndexes(onMade: () => void): Promise<void>;
  /** From now on indexes are no longer left to the end, and what searches need of products may be made. */
  productsWritten(): void;
  /** Makes queries fast again after many changes, and reports the outcome of the records to webhooks. */
  end(counts: { readonly accepted: number; readonly rejected: number }, now: Date): Promise<void>;
  close(): Promise<void>;
}

/** The body of a call that writes records: a small bundle. */
export interface RecordBody {
  /** The numbers of its lines, without blank ones, and the id of each record if it is readable. */
  readonly lines: readonly { readonly line: number; readonly id: string | null }[];
  readonly source: RecordSource;
}

export interface RecordBodies {
  /** @param now the time for estimates without one @throws AppError 400 without a line, 413 above `RECORDS_MAX` */
  read(body: Uint8Array, now: Date): Promise<RecordBody>;
}

export interface FoundRecord {
  readonly kind: 'products' | 'entities' | 'categories';
  /** Whether it is a row that searches find; an entity of a kind outside the hierarchy is not (contract 13.10). */
  readonly searchable: boolean;
}

export type ReadRecord =
  | { readonly kind: 'products'; readonly record: ProductRecord }
  | { readonly kind: 'entities'; readonly record: EntityRecord }
  | { readonly kind: 'categories'; readonly record: CategoryRecord };

/** The catalog as calls change it, beside an import and beside each other. */
export interface CatalogRecords {
  /** For one call, recorded in the audit log as this entry. */
  open(entry: AuditEntry): RecordStore;
  /** Null when there is no product, entity or category with this id, or when it is deleted. */
  find(id: string): Promise<FoundRecord | null>;
  read(id: string): Promise<ReadRecord | null>;
  /** Derives up to `limit` noted rows; returns how many. None while an import runs, which does it itself. */
  deriveStaleRows(limit: number): Promise<number>;
}
