import type { z } from 'zod';
import type { legacyAnswer, legacyVisionAnswer } from '../../../legacy/answers';
import type { PATHS } from '../../../paths';
import type { evidence as rowEvidence } from '../../../v3/answers';
import { ACCOUNT_EXAMPLES } from './accounts';
import { catalog, type Examples, LARGER_PHOTO, one, PHOTO, shows } from './example';
import { LATER_EXAMPLES } from './later-examples';
import { RECORD_EXAMPLES } from './records';
import { attributes, category, estimate, legacyProduct, model, pricedProduct, product } from './rows';

const evidence: z.output<typeof rowEvidence> = {
  image: 'https://loupe.example/images/0b7c0e.jpg',
  photo: 1,
  similarity: 0.93,
  margin: 0.21,
  photos: [
    { similarity: 0.9, agrees: true },
    { similarity: 0.96, agrees: true },
  ],
  levels: attributes.slice(1).map((attribute) => ({ ...attribute, confidence: 0.98 })),
};

const legacy: z.output<typeof legacyAnswer> = {
  success: true,
  data: [legacyProduct],
  search: 'birkin',
  results: 1,
  total_results: 1,
  page: 0,
  total_pages: 1,
  stats: { id: { handbags: 1, brand_hermes: 1, model_birkin: 1, style_birkin_croc: 1 }, nbWordsMatched: 1 },
  sort_applied: 'relevance',
};

const legacyVision: z.output<typeof legacyVisionAnswer> = {
  success: true,
  results: [
    {
      label: 'Hermès Birkin Crocodile',
      confidence: 0.97,
      id: 'product_birkin_croc',
      product: {
        id: 'product_birkin_croc',
        updated_at: '2026-03-15T12:00:00.000Z',
        category_id: 'handbags',
        attributes: legacyProduct.attributes,
        variants: legacyProduct.variants ?? [],
        popularity: 100,
        deleted: false,
        nbWordsMatched: 0,
      },
    },
  ],
  processingTime: 83.9,
  predictionId: '0197a3f0-5b7e-7c21-9e44-8d2f6a1b3c55',
};

const photo = {
  address: shows('A photo by its address', { url: 'https://pictures.example/bag.jpg' }),
  bytes: shows('A photo as base64 (shortened here to one dot)', { base64: PHOTO }),
};

const PRICED = { credits_used: 6, includes: ['taxonomy' as const, 'pricing' as const] };
const BY_POPULARITY = { sort_applied: 'popularity_desc' };
const NOTHING = catalog([], { credits_used: 0, resolved_taxonomy: { node: null, level: null } });

/** Examples of each endpoint (contract 4). Tests send the requests and hold the answers against their schemas. */
export const EXAMPLES: Readonly<Partial<Record<keyof typeof PATHS, Examples>>> = {
  queryCatalog: {
    requests: {
      search: shows('Free text', { query: 'hermes birkin', page_size: 10 }),
      facets: shows('Facets and tags: exotic bags of a brand, without one model, with prices', {
        category_id: 'handbags',
        filters: [
          { field: 'brand', include: ['brand_hermes'] },
          { field: 'tags', include: ['material:exotic'] },
          { field: 'model', exclude: ['model_kelly'] },
        ],
        includes: ['taxonomy', 'pricing'],
      }),
      counts: shows(
        'How many rows of the result have which brand, and which of the models that are called so',
        { query: 'birkin', facets: ['brand', { field: 'model', query: 'bir', limit: 5 }], page_size: 1 },
      ),
      models: shows('Models of a brand by name', {
        category_id: 'handbags',
        taxonomy_node: 'model',
        filters: [{ field: 'brand', include: ['brand_hermes'] }],
        sort: 'name_asc',
      }),
      categories: shows('Categories with the tags that there are', { taxonomy_node: 'category' }),
      deprecated: shows('The deprecated `ids`; the answer has `Deprecation: true`', {
        filters: [{ field: 'brand', ids: ['brand_hermes'] }],
      }),
    },
    answers: {
      search: shows('Free text', catalog([product], { sort_applied: 'relevance' })),
      counts: shows(
        'A text with the counts of two facets',
        catalog([product], {
          sort_applied: 'relevance',
          facets: {
            brand: [{ id: 'brand_hermes', name: 'Hermès', count: 2 }],
            model: [{ id: 'model_birkin', name: 'Birkin', count: 2 }],
          },
        }),
      ),
      facets: shows(
        'Facets and tags, with prices',
        catalog([pricedProduct], { ...PRICED, ...BY_POPULARITY }),
      ),
      models: shows(
        'Models of a brand',
        catalog([model], { resolved_taxonomy: { node: 'model', level: 1 }, sort_applied: 'name_asc' }),
      ),
      categories: shows(
        'Categories',
        catalog([category], { resolved_taxonomy: { node: 'category', level: 0 }, ...BY_POPULARITY }),
      ),
      pastTheEnd: shows(
        'A page past the end: no rows, free of charge',
        catalog([], { total_results: 1, total_pages: 1, page: 7, credits_used: 0, ...BY_POPULARITY }),
      ),
    },
  },
  getItem: one('A product with its prices', catalog([pricedProduct], PRICED)),
  listSimilarItems: {
    answers: {
      some: shows('Another product that looks like it', catalog([{ ...product, similarity: 0.83 }], {})),
      nothing: shows('No picture is known: free of charge', NOTHING),
    },
  },
  getItems: one(
    'A product and its model, with prices; and an id that there is not',
    {
      ...catalog([pricedProduct, { ...model, max_market_estimate: estimate }], {
        ...PRICED,
        credits_used: 7,
      }),
      not_found: ['product_gone'],
    },
    { ids: ['product_birkin_croc', 'model_birkin', 'product_gone'], includes: ['taxonomy', 'pricing'] },
  ),
  suggest: {
    requests: {
      typed: shows('While it is typed', { query: 'herm' }),
      blank: shows('The most popular handbags', { category_id: 'handbags', size: 5 }),
    },
    answers: {
      typed: shows('A brand and a model of it', {
        success: true,
        results: 2,
        credits_used: 0,
        data: [
          {
            id: 'brand_hermes',
            name: 'Hermès',
            node: 'brand',
            attributes: attributes.slice(0, 2),
            matched: [[0, 4]],
          },
          {
            id: 'model_birkin',
            name: 'Birkin',
            node: 'model',
            attributes: attributes.slice(0, 3),
            matched: [],
          },
        ],
      }),
    },
  },
  identify: {
    requests: {
      ...photo,
      priced: shows('With prices', {
        base64: `data:image/png;base64,${PHOTO}`,
        includes: ['taxonomy', 'pricing'],
      }),
      several: shows('Two photos of a handbag, one of them a part of a larger picture, with the reasons', {
        images: [
          { base64: PHOTO },
          { base64: LARGER_PHOTO, region: { x: 0.25, y: 0, width: 0.5, height: 1 } },
        ],
        category_id: 'handbags',
        explain: true,
      }),
    },
    answers: {
      sure: shows('The product is known', catalog([{ ...product, confidence: 0.97 }], { credits_used: 5 })),
      several: shows(
        'Two photos, with the reasons',
        catalog([{ ...product, confidence: 0.97, evidence }], { credits_used: 7 }),
      ),
      unsure: shows(
        'Only the model is known',
        catalog([{ ...model, confidence: 0.91 }], {
          credits_used: 5,
          resolved_taxonomy: { node: 'model', level: 1 },
        }),
      ),
      nothing: shows('Nothing sure enough: free of charge', NOTHING),
    },
  },
  sendFeedback: {
    requests: {
      product: shows('It is this product', { correct_id: 'product_birkin_croc' }),
      none: shows('The catalog does not have it', { correct_id: null, comment: 'A special order' }),
    },
    answers: {
      product: shows('The first row was right', {
        success: true,
        prediction_id: '0197a3f0-5b7e-7c21-9e44-8d2f6a1b3c55',
        correct_id: 'product_birkin_croc',
        comment: null,
        right: true,
        credits_used: 0,
      }),
    },
  },
  ...ACCOUNT_EXAMPLES,
  ...RECORD_EXAMPLES,
  ...LATER_EXAMPLES,
  searchProductsV2: {
    requests: {
      search: shows('Free text', { search: 'birkin', page_size: 10 }),
      facets: shows('Facets and tags', {
        brand: 'brand_hermes',
        exclude_model: 'model_kelly',
        tags: 'material:exotic',
      }),
    },
    answers: { search: shows('Free text', legacy) },
  },
  identifyV2: { requests: photo, answers: { sure: shows('The product is known', legacyVision) } },
  searchProductsV1: one('?search=birkin', legacy),
  checkHealth: one('Alive', { status: 'alive' }),
  checkReadiness: one('Ready', {
    status: 'ready',
    checks: {
      process: 'ready',
      database: 'ok',
      storage: 'ok',
      images: 'ok',
      processes: 'ok',
      model: 'ok',
      index: 'ok',
      queue: 'ok',
      workers: 'ok',
    },
    warnings: [],
    inference: { 'loupe-eye@1.0.0': 'onnx' },
  }),
  getDataFile: {
    answers: {
      historical_estimates: shows(
        '`historical_estimates`: oldest first',
        'date,source,A,B,C,D,currency,confidence\r\n2026-01-01,ebay,56000.25,,,,usd,0.7\r\n2026-03-01,ebay,58000,,,,usd,0.7\r\n',
      ),
      pricing_data: shows(
        '`pricing_data`: newest first',
        'link,variant_name,vendor,price,currency,date\r\nhttps://market.example/1,Birkin 30,fashionphile,52000,usd,2026-03-02\r\n',
      ),
    },
  },
};
