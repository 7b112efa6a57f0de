import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointId } from '../../endpoints';

type Shown = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
type Ids = Partial<Record<EndpointId, Shown>>;

const shows = (summary: string, value: unknown) => ({ summary, value });

/** The smallest PNG that there is; a photo is longer. */
const PHOTO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A grey square of 32 pixels. */
export const LARGER_PHOTO =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAAA1BMVEWAgICQdD0xAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQ4y2NgGAWjYBSMAuwAAAQgAAFWu83mAAAAAElFTkSuQmCC';

const photo = {
  address: shows('A photo by its address', { url: 'https://pictures.example/bag.jpg' }),
  bytes: shows('A photo as base64 (shortened here to one dot)', { base64: PHOTO }),
};

const records = [
  {
    products: {
      id: 'product_birkin_croc',
      category: 'handbags',
      attributes: { brand: 'brand_hermes', model: 'model_birkin', style: 'style_birkin_croc' },
      popularity: 90,
      images: ['https://pictures.example/birkin.jpg'],
      variants: [{ id: 'variant_birkin_croc_30', fields: [{ field: 'size', name: '30' }] }],
    },
  },
  {
    estimates: { variant: 'variant_birkin_croc_30', source: 'ebay', region: 'NA', A: 58000, currency: 'usd' },
  },
];

/** Examples of what is sent to each endpoint (contract 4). */
export const REQUESTS: Ids = {
  queryCatalog: {
    search: shows('Free text', { query: 'hermes birkin', page_size: 1 }),
    facets: shows('Facets and tags: exotic bags of a brand, without one model, with prices', {
      category_id: 'handbags',
      filters: [
        { field: 'brand', include: ['brand_hermes'] },
        { field: 'tags', include: ['material:exotic'] },
        { field: 'model', exclude: ['model_kelly'] },
      ],
      includes: ['taxonomy', 'pricing'],
      page_size: 1,
    }),
    counts: shows('Counts of the brands in the result, and of the models with a name like this', {
      query: 'birkin',
      facets: ['brand', { field: 'model', query: 'bir', limit: 5 }],
      page_size: 1,
    }),
    models: shows('Models of a brand by name', {
      category_id: 'handbags',
      taxonomy_node: 'model',
      filters: [{ field: 'brand', include: ['brand_hermes'] }],
      sort: 'name_asc',
      page_size: 1,
    }),
    deprecated: shows('The deprecated `ids`; the answer has `Deprecation: true`', {
      filters: [{ field: 'brand', ids: ['brand_hermes'] }],
      page_size: 1,
    }),
  },
  getItems: {
    one: shows('A product and its model, with prices; and an unknown id', {
      ids: ['product_birkin_croc', 'model_birkin', 'product_gone'],
      includes: ['taxonomy', 'pricing'],
    }),
  },
  suggest: {
    one: shows('What completes a text, while it is typed', {
      query: 'herm',
      category_id: 'handbags',
      size: 2,
    }),
  },
  identify: {
    ...photo,
    several: shows('Two photos of a handbag, one of them a part of a larger picture, with the reasons', {
      images: [{ base64: PHOTO }, { base64: LARGER_PHOTO, region: { x: 0.25, y: 0, width: 0.5, height: 1 } }],
      category_id: 'handbags',
      explain: true,
    }),
  },
  sendFeedback: {
    one: shows('The catalog does not have it', { correct_id: null, comment: 'A special order' }),
  },
  writeRecords: {
    one: shows('A product and its price', records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  },
  createJob: {
    one: shows('A piece by one photo, and one by two', {
      entries: [
        { base64: PHOTO, category_id: 'handbags' },
        { images: [{ base64: LARGER_PHOTO }, { base64: LARGER_PHOTO }] },
      ],
      includes: ['taxonomy'],
    }),
  },
  createWebhook: {
    one: shows('When a job is done, and before credits end', {
      url: 'https://shop.example/loupe',
      events: ['vision.job.done', 'account.credits.low'],
      credits_below: 500,
    }),
  },
  searchProductsV2: {
    one: shows('Facets and tags', {
      search: 'birkin',
      brand: 'brand_hermes',
      exclude_model: 'model_kelly',
      tags: 'material:exotic',
      page_size: 1,
    }),
  },
  identifyV2: photo,
  createAccount: { one: shows('A limited account', { name: 'Shop', credits: 1000 }) },
  creditAccount: { one: shows('An invoice is paid', { amount: 500, note: 'Invoice 17' }) },
  keepPhotos: { one: shows('No photos are kept', { keep: false }) },
  createKey: {
    one: shows('A key for v3', { name: 'laptop', versions: ['v3'], limits: { per_second: 10 } }),
  },
  rotateKey: { one: shows('The old key opens the API for two more days', { overlap_hours: 48 }) },
};

/**
 * Answers of each endpoint, to the requests of the same name. `test/spec/openapi-examples.test.ts` records them from a
 * service, and holds them to their schemas.
 */
export const ANSWERS = JSON.parse(readFileSync(join(__dirname, 'examples.json'), 'utf8')) as Ids;
