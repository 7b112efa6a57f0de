/** The records of a bundle's files, as contract 13 gives them; only what the generator writes. */
export interface CategoryRecord {
  readonly id: string;
  readonly name: string;
  readonly hierarchy: readonly string[];
  readonly name_fields: readonly string[];
  readonly popularity: number;
  readonly images: readonly string[];
  readonly thumbnails: readonly string[];
}

export interface TagRecord {
  readonly id: string;
  readonly name: string;
  readonly order: number;
  readonly categories: readonly string[];
}

export interface EntityRecord {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly category: string;
  readonly parents: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly popularity: number;
  readonly images: readonly string[];
  readonly thumbnails: readonly string[];
  readonly keywords: readonly string[];
}

export interface VariantRecord {
  readonly id: string;
  readonly fields: readonly { readonly field: string; readonly name: string }[];
  readonly popularity: number;
  readonly images: readonly string[];
  readonly thumbnails: readonly string[];
}

export interface ProductRecord {
  readonly id: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly popularity: number;
  readonly images: readonly string[];
  readonly thumbnails: readonly string[];
  readonly keywords: readonly string[];
  readonly variants: readonly VariantRecord[];
}

/** Prices per condition; null where too few sales speak for one. */
export interface Grades {
  readonly A: number | null;
  readonly B: number | null;
  readonly C: number | null;
  readonly D: number | null;
}

export interface EstimateRecord extends Grades {
  readonly variant: string;
  readonly source: string;
  readonly region: string;
  readonly currency: string;
  readonly estimated_at: string;
  readonly confidence: number | null;
}

export interface HistoryRecord extends Grades {
  readonly variant: string;
  readonly region: string;
  readonly date: string;
  readonly source: string;
  readonly currency: string;
  readonly confidence: number | null;
}

export interface ListingRecord {
  readonly variant: string;
  readonly region: string;
  readonly link: string;
  readonly variant_name: string;
  readonly vendor: string;
  readonly price: number;
  readonly currency: string;
  readonly date: string;
}
