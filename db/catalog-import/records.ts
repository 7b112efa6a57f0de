/**
 * Records of a bundle as they are stored (catalog-bundle.md): checked, defaults filled in, and every image an address
 * (`https://…`, or a stored one that begins with `/`). A record replaces the whole record of its id.
 */

export interface Pictured {
  readonly popularity: number;
  readonly images: readonly string[];
  readonly thumbnails: readonly string[];
}

export interface CategoryRecord extends Pictured {
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

export interface EntityRecord extends Pictured {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly category: string;
  /** Kind to id. */
  readonly parents: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly keywords: readonly string[];
}

export interface VariantRecord extends Pictured {
  readonly id: string;
  readonly fields: readonly { readonly field: string; readonly name: string }[];
}

export interface ProductRecord extends Pictured {
  readonly id: string;
  readonly category: string;
  /** Field to ids in the order of the bundle; never an empty list. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly tags: readonly string[];
  readonly keywords: readonly string[];
  readonly variants: readonly VariantRecord[];
}

/** Takes an entity or a product out of the catalog until a later full record brings it back. */
export interface Deletion {
  readonly id: string;
  readonly deleted: true;
}

export const isDeletion = (record: { readonly id: string } | Deletion): record is Deletion =>
  'deleted' in record;

/** A record with what the database holds under its id. */
export interface Stored<Record> {
  readonly record: Record;
  readonly deleted: boolean;
}

interface GradeColumns {
  readonly a: number | null;
  readonly b: number | null;
  readonly c: number | null;
  readonly d: number | null;
}

export interface EstimateRecord extends GradeColumns {
  readonly variant_id: string;
  readonly source: string;
  readonly region: string;
  readonly currency: string;
  /** ISO 8601. */
  readonly estimated_at: string;
  readonly confidence: number | null;
}

export interface HistoryRecord extends GradeColumns {
  readonly variant_id: string;
  readonly region: string;
  /** `YYYY-MM-DD`, as everywhere here. */
  readonly date: string;
  readonly source: string;
  readonly currency: string;
  readonly confidence: number | null;
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
