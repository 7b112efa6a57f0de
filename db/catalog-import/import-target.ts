import type {
  CategoryRecord,
  Deletion,
  EntityRecord,
  EstimateRecord,
  HistoryRecord,
  ListingRecord,
  ProductRecord,
  TagRecord,
} from './records';

/** What a reference to an entity must fit. */
export interface EntityReference {
  readonly kind: string;
  readonly category: string;
}

/** The product that a variant belongs to, and whether that was deleted. */
export interface VariantOwner {
  readonly id: string;
  readonly product_id: string;
  readonly deleted: boolean;
}

/** A picture that is stored already: its address and, where one was made, that of its thumbnail. */
export interface StoredImage {
  readonly address: string;
  readonly thumbnail: string | null;
}

/**
 * The positions of those records of a load that were left out, because of something that they name; null when nothing
 * was written, because a value or a key was refused, or something that came before.
 */
export type WrittenLoad = readonly number[] | null;

/** Records that the catalog does not have, made ready one by one to be added at once. */
export interface Load<Record> {
  /** What waits to be written. */
  readonly bytes: number;
  /** Reads what it takes to add these records, if anything does. */
  prepare?(records: readonly Record[]): Promise<void>;
  /** Adds a record, of those that were prepared last. */
  add(record: Record): void;
  /**
   * Writes all of them in one transaction, or none. `turn` resolves when all that came before is there, or to false when
   * it is not and this must not be either: as many loads as the target has lanes may be written at the same time.
   */
  write(turn: Promise<boolean>): Promise<WrittenLoad>;
}

/**
 * The catalog as an import sees and changes it. Each `write…` is one transaction, in which the rows of
 * `catalog_rows` change together with the records that they are derived from; ids and keys must not repeat in a call.
 */
export interface ImportTarget {
  /** Slugs of all categories. */
  categoryIds(): Promise<string[]>;
  tagIds(): Promise<string[]>;
  /** Deleted entities too: what names them keeps the attribute (decisions.md 4). Unknown ids are left out. */
  entities(ids: readonly string[]): Promise<Map<string, EntityReference>>;
  /** The variants of these ids, and all variants of these products. */
  variants(ids: readonly string[], productIds: readonly string[]): Promise<VariantOwner[]>;
  storedImage(digest: string): Promise<StoredImage | null>;
  rememberImage(digest: string, image: StoredImage): Promise<void>;

  /** Does ahead what writing these products takes and no other write can change; may run beside one. */
  prepareProducts(records: readonly (ProductRecord | Deletion)[]): Promise<void>;

  writeCategories(records: readonly CategoryRecord[]): Promise<void>;
  writeTags(records: readonly TagRecord[]): Promise<void>;
  writeEntities(records: readonly (EntityRecord | Deletion)[]): Promise<void>;
  writeProducts(records: readonly (ProductRecord | Deletion)[]): Promise<void>;
  writeEstimates(records: readonly EstimateRecord[]): Promise<void>;
  writeHistory(records: readonly HistoryRecord[]): Promise<void>;
  writeListings(records: readonly ListingRecord[]): Promise<void>;

  /** Whether none of these records is there, so that they can be added at once: far less work than replacing them. */
  areNewProducts(ids: readonly string[]): Promise<boolean>;
  areNewEstimates(records: readonly EstimateRecord[]): Promise<boolean>;
  /** Begins a load of products. */
  beginProducts(): Promise<Load<ProductRecord>>;
  /** Begins a load of estimates, of variants that may turn out to belong to no live product. */
  beginEstimates(): Promise<Load<EstimateRecord>>;
  /** Writes a load that was begun here. */
  writeLoad(load: Pick<Load<never>, 'write'>, turn: Promise<boolean>): Promise<WrittenLoad>;
  /** Indexes that are still to be made, of those that a large first import leaves to the end of its products. */
  missingIndexes(): Promise<number>;
  /** Makes them; `onMade` is told of each. */
  makeIndexes(onMade: () => void): Promise<void>;
  /** How many loads may be written at the same time; 0 where there are none. */
  readonly lanes: number;

  /** Rows that name something that changed and are still to be derived again. */
  staleRows(): Promise<number>;
  /** Derives up to `limit` of them; resolves to how many there were. */
  projectStaleRows(limit: number): Promise<number>;
  /** Makes the tables quick to read after many changes. */
  tidy(): Promise<void>;
  /** Makes queries of a large catalog fast again if rows have changed; they are right without. */
  refreshSearch(): Promise<void>;
  /** Lets the next import begin. */
  close(): Promise<void>;
}
