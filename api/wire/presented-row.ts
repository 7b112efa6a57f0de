import type { z } from 'zod';
import type { Attribute, CatalogItem, Tag, Variant } from '../../models/catalog/item';
import type { DataFileKind, MarketEstimate } from '../../models/pricing/estimate';
import type { Links, PublicAddress } from '../middleware/links';
import type { attribute, marketEstimate, pictures, prices, tag, variantField } from './answers';

type Presented<Fields extends Record<string, z.ZodType>> = z.input<z.ZodObject<Fields>>;

/** Parts of a row that look the same in every API version (contract 1.2). */
export const presentAttribute = ({ field, id, name }: Attribute): z.input<typeof attribute> => ({
  field,
  id,
  name,
});

export const presentTag = ({ id, name, group }: Tag): z.input<typeof tag> => ({ id, name, group });

export const presentVariantField = ({
  field,
  name,
}: Variant['fields'][number]): z.input<typeof variantField> => ({ field, name });

export const presentPictures = (
  of: Pick<CatalogItem, 'images' | 'thumbnails'>,
  address: PublicAddress,
): Presented<typeof pictures> => ({ images: of.images.map(address), thumbnails: of.thumbnails.map(address) });

/** The three price fields of a variant (contract 2.1); all null if nothing is known. */
export function presentPricing(of: Variant, { sign, address }: Links): Presented<typeof prices> {
  const filesOf = (kind: DataFileKind) => {
    const files = of.prices?.files.filter((file) => file.kind === kind) ?? [];
    const links = files.flatMap(({ region }) => {
      const path = sign({ kind, variantId: of.id, region });
      return path === null ? [] : [{ region, url: address(path) }];
    });
    return files.length === 0 ? null : links;
  };
  return {
    market_estimates: of.prices?.estimates?.map(presentEstimate) ?? null,
    historical_estimates: filesOf('historical_estimates'),
    pricing_data: filesOf('pricing_data'),
  };
}

/** The best estimate below a row that is not a product; null if there is none (contract 2.3). */
export const presentMaxEstimate = ({ maxMarketEstimate: best }: CatalogItem) =>
  best ? presentEstimate(best) : null;

/** One market estimate (contract 2.2). */
const presentEstimate = (estimate: MarketEstimate): z.input<typeof marketEstimate> => ({
  source: estimate.source,
  region: estimate.region,
  A: estimate.A,
  B: estimate.B,
  C: estimate.C,
  D: estimate.D,
  currency: estimate.currency,
  estimated_at: estimate.estimatedAt.toISOString(),
  confidence: estimate.confidence,
});
