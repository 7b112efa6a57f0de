import type { z } from 'zod';
import type { legacyRow } from '../../../legacy/answers';
import type { catalogRow } from '../../../v3/answers';
import type { marketEstimate, prices } from '../../../wire/answers';

/** Where the service of the examples is. */
export const BASE = 'https://loupe.example';

const picture = (start: string) => `${BASE}/images/${start.repeat(64 / start.length)}.jpg`;
const images = [picture('3f9ac1d2')];
const thumbnails = [picture('b07e5d41')];

const SIGNATURE = 'expires=1773580800&key=k1&signature=Zk3v0q1mQ2b8pS7tYx4uWc9nE5rLa6hJdGfKiOoPzVw';
const link = (kind: string, region: 'NA' | 'EU-UK') => ({
  region,
  url: `${BASE}/files/${kind}/variant_birkin_croc_30/${region}.csv?${SIGNATURE}`,
});

/** A resale estimate of a marketplace. */
export const estimate: z.output<typeof marketEstimate> = {
  source: 'vestiaire_collective',
  region: 'EU-UK',
  A: 60000,
  B: 52000,
  C: 40000,
  D: null,
  currency: 'gbp',
  estimated_at: '2026-03-15T12:00:00.000Z',
  confidence: 0.8,
};

/** The prices of a variant: estimates in the answer, what lies behind them in files. */
export const pricing: { [Field in keyof typeof prices]: z.output<(typeof prices)[Field]> } = {
  market_estimates: [estimate],
  historical_estimates: [link('historical_estimates', 'NA'), link('historical_estimates', 'EU-UK')],
  pricing_data: [link('pricing_data', 'EU-UK')],
};

export const attributes = [
  { field: 'category', id: 'handbags', name: 'Handbags' },
  { field: 'brand', id: 'brand_hermes', name: 'Hermès' },
  { field: 'model', id: 'model_birkin', name: 'Birkin' },
  { field: 'style', id: 'style_birkin_croc', name: 'Crocodile' },
];

const head = { id: 'product_birkin_croc', name: 'Hermès Birkin Crocodile' };
const variant = {
  id: 'variant_birkin_croc_30',
  fields: [{ field: 'size', name: '30' }],
  images,
  thumbnails: [],
  popularity: 10,
};

/** A product with its taxonomy. */
export const product: z.output<typeof catalogRow> = {
  ...head,
  popularity: 100,
  images,
  thumbnails,
  attributes,
  variants: [variant],
};

/** The same product with its prices. */
export const pricedProduct: z.output<typeof catalogRow> = {
  ...product,
  variants: [{ ...variant, pricing }],
};

/** A row that is no product, as it is listed with `taxonomy_node` or answered to an unsure photo. */
export const model: z.output<typeof catalogRow> = {
  id: 'model_birkin',
  name: 'Birkin',
  popularity: 80,
  images,
  thumbnails,
  attributes: attributes.slice(0, 3),
};

/** A category, which names the tags that there are. */
export const category: z.output<typeof catalogRow> = {
  id: 'handbags',
  name: 'Handbags',
  popularity: 10,
  images,
  thumbnails,
  attributes: attributes.slice(0, 1),
  available_tags: [
    { id: 'edition:limited', name: 'Limited edition', group: 'edition' },
    { id: 'material:canvas', name: 'Canvas', group: 'material' },
    { id: 'material:exotic', name: 'Exotic', group: 'material' },
  ],
};

/** The product as v1 and v2 answer it. */
export const legacyProduct: z.output<typeof legacyRow> = {
  ...head,
  attributes,
  variants: [{ ...variant, ...pricing }],
  popularity: 100,
  images,
  thumbnails,
};
