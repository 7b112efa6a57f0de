import type { MarketEstimate, StoredPrices } from '../pricing/estimate';
import type { DisplayFields, VariantRecord } from './import/records';

/** A category and the order of its taxonomy, outermost first (contract 1.1). */
export interface Category {
  readonly id: string;
  readonly name: string;
  readonly hierarchy: readonly string[];
}

/** Curated knowledge about an item beyond its text (contract 3.3). `group` is the id's namespace. */
export interface Tag {
  readonly id: string;
  readonly name: string;
  readonly group: string;
}

export interface Attribute {
  readonly field: string;
  readonly id: string;
  readonly name: string;
}

export interface Variant extends VariantRecord {
  /** If prices were requested. */
  readonly prices?: StoredPrices;
}

/** A product or a taxonomy entity (contract 1.1). Images are `https://…`, or begin with `/` (`ImageStore`). */
export interface CatalogItem extends DisplayFields {
  readonly id: string;
  /** `product`, `category` or an entity kind such as `brand`. */
  readonly kind: string;
  /** Slug of the category the row belongs to. */
  readonly category: string;
  readonly name: string;
  /** Category first, then the hierarchy in order, then further facets. */
  readonly attributes: readonly Attribute[];
  /** In the bundle's order; empty on rows that are not products. */
  readonly variants: readonly Variant[];
  /** The shop's data on a product (contract 1.10). */
  readonly title?: string;
  readonly sku?: string;
  readonly url?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Category rows only; ordered by group, then by display order. */
  readonly availableTags?: readonly Tag[];
  /** The highest estimate below a row that is not a product (contract 2.3), if prices were requested and there is one. */
  readonly maxMarketEstimate?: MarketEstimate;
  readonly updatedAt: Date;
}

/** What images are stored as, by the extension of their names. */
export const IMAGE_TYPES = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const;
export type ImageExtension = keyof typeof IMAGE_TYPES;

/** What follows `/images/`. Nothing else in an address names an image, so none can lead out of its store. */
export const IMAGE_NAME = /^([0-9a-f]{64})\.(jpg|png|webp)$/;

/** Whether the row has variants and is billed as a product (contract 10.1). */
export const isProduct = (item: { kind: string }): boolean => item.kind === 'product';
