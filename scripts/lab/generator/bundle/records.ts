import type {
  EntityRecord as StoredEntity,
  ProductRecord as StoredProduct,
} from '../../../../models/catalog/import/records';
import type { GradeValues } from '../../../../models/pricing/estimate';

/** The records of a bundle's files as they are written (contract 13); only what the generator writes. */
export type { CategoryRecord, VariantRecord } from '../../../../models/catalog/import/records';

export interface TagRecord {
  readonly id: string;
  readonly name: string;
  readonly order: number;
  readonly categories: readonly string[];
}

export type EntityRecord = Omit<StoredEntity, 'tags'> & Partial<Pick<StoredEntity, 'tags'>>;

export type ProductRecord = Omit<StoredProduct, 'attributes'> & {
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
};

interface PricedRecord extends GradeValues {
  readonly variant: string;
  readonly source: string;
  readonly region: string;
  readonly currency: string;
  readonly confidence: number | null;
}

export interface EstimateRecord extends PricedRecord {
  readonly estimated_at: string;
}

export interface HistoryRecord extends PricedRecord {
  readonly date: string;
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

/** An entity that has nothing but its name. */
export const bareEntity = (id: string, kind: string, name: string, category: string): EntityRecord => ({
  id,
  kind,
  name,
  category,
  parents: {},
  popularity: 0,
  images: [],
  thumbnails: [],
  keywords: [],
});
