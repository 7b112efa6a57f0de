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
