import type {
  CategoryRecord,
  EntityRecord,
  ReadRecords,
  RecordKind,
  WrittenRecords,
} from '../catalog/import/records';
import type { AuditEntry } from './audit';

/** A record and the line that it is in. */
export interface Numbered<Record> {
  readonly line: number;
  readonly bytes: number;
  readonly record: Record;
}

/** A line of a bundle: its record, or why it is none. */
export type ReadLine<Record> =
  | Numbered<Record>
  | { readonly line: number; readonly field: string; readonly reason: string };

/** A file of records, and its size on the disk. */
export interface RecordFile<Record> {
  readonly name: string;
  readonly bytes: number;
  /** Reads from the start, some lines at a time; with them how many bytes of the file were read so far. */
  read(): AsyncIterable<{ readonly lines: readonly ReadLine<Record>[]; readonly bytesRead: number }>;
}

/** Where the records come from (contract 13.1). */
export interface RecordSource {
  /** Null when there is no file of this kind. */
  file<Kind extends RecordKind>(kind: Kind): Promise<RecordFile<ReadRecords[Kind]> | null>;
}

/** Where rejects go (contract 13.6). */
export interface RejectLog {
  readonly count: number;
  /** Line 0 is the file as a whole. */
  add(file: string, line: number, field: string, reason: string): void;
  /** Waits until what was added has left the memory. */
  settle(): Promise<void>;
}

/** The product that a variant belongs to, null while none names it, and whether that was deleted. */
export interface VariantOwner {
  readonly id: string;
  readonly product_id: string | null;
  readonly deleted: boolean;
}

/** A picture that is stored already: its address and, where one was made, that of its thumbnail. */
export interface StoredImage {
  readonly address: string;
  readonly thumbnail: string | null;
}

/** What the database knows of stored images, by the SHA-256 of their bytes in hexadecimal. */
export interface StoredImageIndex {
  /** Unknown digests are left out. */
  find(digests: readonly string[]): Promise<ReadonlyMap<string, StoredImage>>;
  remember(digest: string, image: StoredImage): Promise<void>;
  /** Keeps images that no row names yet for a while. Resolves when none of them is being removed. */
  keep(addresses: readonly string[]): Promise<void>;
}

/** What is done with the records of the catalog in one transaction, beside which nobody else writes any. */
export interface RecordTransaction {
  /** Deleted entities too: what names them keeps the attribute (contract 1.8). Unknown ids are left out. */
  entities(ids: readonly string[]): Promise<ReadonlyMap<string, EntityRecord>>;
  /** Of the variants of these ids; unknown ids are left out. */
  variantOwners(ids: readonly string[]): Promise<readonly VariantOwner[]>;
  /**
   * Writes records with all that follows from them, or notes the rows that are to follow. Of one key the last stands.
   * @throws RecordRefusedError when one of them can't be held; none is written then, and the transaction goes on
   */
  write<Kind extends RecordKind>(kind: Kind, records: readonly WrittenRecords[Kind][]): Promise<void>;
}

/** The records of the catalog, read and written by one import or one call while others write as well. */
export interface RecordStore {
  categories(): Promise<readonly CategoryRecord[]>;
  tagIds(): Promise<readonly string[]>;
  /** Another number after each change of categories, tags or entities; what is read later is at least as new. */
  taxonomyVersion(): Promise<number>;
  /** As in a transaction. */
  entities(ids: readonly string[]): Promise<ReadonlyMap<string, EntityRecord>>;
  /** All of it or nothing, one after the other with those of all other writers; inside, only the transaction may be used. */
  transaction<Result>(work: (transaction: RecordTransaction) => Promise<Result>): Promise<Result>;
  /** Completes the entry in the audit log, which began in the first transaction (contract 15.8). */
  finish(details: AuditEntry['details']): Promise<void>;
}

/** The products of a feed, as one import of it finds and leaves them (contract 13.23). */
export interface FeedRun {
  /** Live products that the imports before this one brought. */
  readonly known: number;
  /** This import brings them. */
  note(productIds: readonly string[]): Promise<void>;
  /** How many live products of the feed this import did not note, that no other feed has. */
  missingCount(): Promise<number>;
  /** Their ids in order, after one of them. */
  missing(after: string, limit: number): Promise<readonly string[]>;
  /** What this import did not note is of the feed no more. */
  forgetMissing(): Promise<void>;
}

/** The catalog for the one import that has it open; in a dry run it answers as if writes had happened and changes nothing. */
export interface CatalogImportStore extends RecordStore {
  /** Live entities of these kinds, by id, after one of them. */
  entitiesOf(kinds: readonly string[], after: string, limit: number): Promise<readonly EntityRecord[]>;
  openFeed(name: string): Promise<FeedRun>;
  /** Rows that name something that changed and are still to be derived again. */
  staleRows(): Promise<number>;
  /** Derives up to `limit` of them; resolves to how many there were. */
  deriveStaleRows(limit: number): Promise<number>;
  /** Indexes that a large first import leaves to the end of its products. */
  missingIndexes(): Promise<number>;
  makeIndexes(onMade: () => void): Promise<void>;
  /** Makes queries fast again after many changes, and tells the webhooks what became of the records. */
  end(counts: { readonly accepted: number; readonly rejected: number }, now: Date): Promise<void>;
  close(): Promise<void>;
}
