/** Parts of examples. Tests hold every example against its schema (contract 14.19). */

type Shown = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

/** What is asked and answered, by the name of each example. */
export interface Examples {
  readonly requests?: Shown;
  readonly answers: Shown;
}

export const shows = (summary: string, value: unknown) => ({ summary, value });

/** One example of an answer, and of the request where that has a body. */
export const one = (summary: string, answer: unknown, request?: unknown): Examples => ({
  ...(request === undefined ? {} : { requests: { one: shows(summary, request) } }),
  answers: { one: shows(summary, answer) },
});

/** The smallest PNG that there is; a photo is longer. */
export const PHOTO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A grey square of 32 pixels. */
export const LARGER_PHOTO =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAAA1BMVEWAgICQdD0xAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQ4y2NgGAWjYBSMAuwAAAQgAAFWu83mAAAAAElFTkSuQmCC';

export const PREDICTION = '0197a3f0-5b7e-7c21-9e44-8d2f6a1b3c55';

const picture = (start: string) => `https://loupe.example/images/${start.repeat(8)}.jpg`;
const pictures = { images: [picture('3f9ac1d2')], thumbnails: [picture('b07e5d41')] };

export const attributes = [
  { field: 'category', id: 'handbags', name: 'Handbags' },
  { field: 'brand', id: 'brand_hermes', name: 'Hermès' },
  { field: 'model', id: 'model_birkin', name: 'Birkin' },
  { field: 'style', id: 'style_birkin_croc', name: 'Crocodile' },
];

/** A resale estimate of a marketplace. */
export const estimate = {
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

const SIGNATURE = 'expires=1773580800&key=k1&signature=Zk3v0q1mQ2b8pS7tYx4uWc9nE5rLa6hJdGfKiOoPzVw';
const link = (kind: string, region: string) => ({
  region,
  url: `https://loupe.example/files/${kind}/variant_birkin_croc_30/${region}.csv?${SIGNATURE}`,
});

/** Estimates are in the answer, what lies behind them in files. */
const pricing = {
  market_estimates: [estimate],
  historical_estimates: [link('historical_estimates', 'NA'), link('historical_estimates', 'EU-UK')],
  pricing_data: [link('pricing_data', 'EU-UK')],
};

const variant = {
  id: 'variant_birkin_croc_30',
  fields: [{ field: 'size', name: '30' }],
  images: pictures.images,
  thumbnails: [],
  popularity: 10,
};

/** A product with its taxonomy. */
export const product = {
  id: 'product_birkin_croc',
  name: 'Hermès Birkin Crocodile',
  popularity: 100,
  ...pictures,
  attributes,
  variants: [variant],
};

/** The same product with its prices. */
export const pricedProduct = { ...product, variants: [{ ...variant, pricing }] };

/** The product as v1 and v2 answer it. */
export const legacyProduct = { ...product, variants: [{ ...variant, ...pricing }] };

/** A row that is no product, as it is listed with `taxonomy_node` or answered to an unsure photo. */
export const model = {
  id: 'model_birkin',
  name: 'Birkin',
  popularity: 80,
  ...pictures,
  attributes: attributes.slice(0, 3),
};

/** An answer of one page. */
export const catalog = (data: readonly object[], rest: object = {}) => ({
  success: true,
  results: data.length,
  total_results: data.length,
  page: 0,
  total_pages: data.length === 0 ? 0 : 1,
  credits_used: 1,
  includes: ['taxonomy'],
  resolved_taxonomy: { node: 'product', level: 3 },
  ...rest,
  data,
});
