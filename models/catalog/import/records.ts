/**
 * Records of a bundle as they are stored (contract 13): checked, defaults filled in, and every image an address
 * (`https://…`, or a stored one that begins with `/`). A record replaces the whole record of its id.
 */

export interface DisplayFields {
  readonly popularity: number;
  readonly images: readonly string[];
  readonly thumbnails: readonly string[];
}

export interface CategoryRecord extends DisplayFields {
  readonly id: string;
  readonly name: string;
  readonly hierarchy: readonly string[];
  readonly name_fields: readonly string[];
}

export interface TagRecord {
  readonly id: string;
  readonly group: string;
  readonly name: string;
  readonly display_order: number;
  readonly categories: readonly string[];
}

/** Another reading of words in a query (contract 5.9); a phrase is folded words, one space between. */
export interface SynonymRecord {
  readonly id: string;
  readonly phrases: readonly string[];
  /** What each of them may also be read as; a reading equal to the phrase has no effect. */
  readonly readings: readonly string[];
}

export interface EntityRecord extends DisplayFields {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** The id, or several as `joinCategories` makes them. */
  readonly category: string;
  readonly parents: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly keywords: readonly string[];
}

export interface VariantRecord extends DisplayFields {
  readonly id: string;
  readonly fields: readonly { readonly field: string; readonly name: string }[];
}

/** A shop's data on a product besides its taxonomy (contract 1.10). */
export interface OwnFields {
  readonly title?: string | null | undefined;
  readonly sku?: string | null | undefined;
  readonly url?: string | null | undefined;
  /** The JSON of an object. */
  readonly data?: string | null | undefined;
}

export interface ProductRecord extends DisplayFields, OwnFields {
  readonly id: string;
  readonly category: string;
  /** Field to ids in the order of the bundle; never an empty list. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly tags: readonly string[];
  readonly keywords: readonly string[];
  readonly variants: readonly VariantRecord[];
}

/** Removes a synonym, an entity or a product from the catalog until a later full record restores it. */
export interface Deletion {
  readonly id: string;
  readonly deleted: true;
}

export const isDeletion = (record: { readonly id: string } | Deletion): record is Deletion =>
  'deleted' in record;

/** A row of `catalog_rows` without its best estimate. */
export interface CatalogRow extends DisplayFields, Pick<EntityRecord, 'id' | 'kind' | 'category' | 'name'> {
  readonly sort_key: string;
  readonly facets: readonly string[];
  readonly words: readonly string[];
  /** The JSON of a list of `Attribute`, composed of parts shared by thousands of rows. */
  readonly attributes: string;
}

export interface DerivedProduct extends ProductRecord {
  readonly row: CatalogRow;
  readonly taxonomyVersion: number;
}

interface GradedPrice {
  readonly variant_id: string;
  readonly source: string;
  readonly region: string;
  readonly a: number | null;
  readonly b: number | null;
  readonly c: number | null;
  readonly d: number | null;
  readonly currency: string;
  readonly confidence: number | null;
}

export interface EstimateRecord extends GradedPrice {
  /** ISO 8601. */
  readonly estimated_at: string;
}

export interface HistoryRecord extends GradedPrice {
  /** `YYYY-MM-DD`, as everywhere here. */
  readonly date: string;
}

export interface ListingRecord {
  readonly variant_id: string;
  readonly region: string;
  readonly link: string;
  readonly variant_name: string;
  readonly vendor: string;
  readonly price: number | null;
  readonly currency: string;
  readonly date: string | null;
}

/** What a shop's table says of a variant: its listing in that shop or, without a price, that it has none there (contract 13.20). */
export interface ShopListing extends Omit<ListingRecord, 'region'> {
  /** Null if no market of the listing is known. */
  readonly region: string | null;
  readonly feed: string | null;
}

/** The contents of each file of a bundle, in the order in which they are read. */
export interface ReadRecords {
  readonly categories: CategoryRecord;
  readonly tags: TagRecord;
  readonly synonyms: SynonymRecord | Deletion;
  readonly entities: EntityRecord | Deletion;
  readonly products: ProductRecord | Deletion;
  readonly estimates: EstimateRecord;
  readonly history: HistoryRecord;
  readonly listings: ListingRecord | ShopListing;
}
export type RecordKind = keyof ReadRecords;

export interface WrittenRecords extends Omit<ReadRecords, 'products'> {
  readonly products: DerivedProduct | Deletion;
}

/** Reported when the catalog can't store one of the records: the record is at fault, not the catalog. */
export class RecordRefusedError extends Error {
  override readonly name = 'RecordRefusedError';
}
