import type { PATHS } from '../../../paths';
import { ACCOUNT_EXAMPLES } from './accounts';
import { LATER_EXAMPLES } from './later';
import {
  attributes,
  catalog,
  type Examples,
  estimate,
  LARGER_PHOTO,
  legacyProduct,
  model,
  one,
  PHOTO,
  PREDICTION,
  pricedProduct,
  product,
  shows,
} from './parts';

const FREE = { credits_used: 0 };
const PRICED = { credits_used: 6, includes: ['taxonomy', 'pricing'] };
const NOTHING = catalog([], { ...FREE, resolved_taxonomy: { node: null, level: null } });

const photo = {
  address: shows('A photo by its address', { url: 'https://pictures.example/bag.jpg' }),
  bytes: shows('A photo as base64 (shortened here to one dot)', { base64: PHOTO }),
};

const evidence = {
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

const legacy = {
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
      facets: shows(
        'Facets and tags, with prices',
        catalog([pricedProduct], { ...PRICED, sort_applied: 'popularity_desc' }),
      ),
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
      models: shows(
        'Models of a brand',
        catalog([model], { resolved_taxonomy: { node: 'model', level: 1 }, sort_applied: 'name_asc' }),
      ),
    },
  },
  getItem: one('A product with its prices', catalog([pricedProduct], PRICED)),
  listSimilarItems: {
    answers: {
      some: shows('Another product that looks like it', catalog([{ ...product, similarity: 0.83 }])),
      nothing: shows('No picture is known: free of charge', NOTHING),
    },
  },
  getItems: one(
    'A product and its model, with prices; and an unknown id',
    {
      ...catalog([pricedProduct, { ...model, max_market_estimate: estimate }], PRICED),
      credits_used: 7,
      not_found: ['product_gone'],
    },
    { ids: ['product_birkin_croc', 'model_birkin', 'product_gone'], includes: ['taxonomy', 'pricing'] },
  ),
  suggest: one(
    'While it is typed: a brand and a model of it',
    {
      success: true,
      results: 2,
      ...FREE,
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
    },
    { query: 'herm', category_id: 'handbags', size: 5 },
  ),
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
  sendFeedback: one(
    'The catalog does not have it',
    {
      success: true,
      prediction_id: PREDICTION,
      correct_id: null,
      comment: 'A special order',
      right: false,
      ...FREE,
    },
    { correct_id: null, comment: 'A special order' },
  ),
  writeRecords: one(
    'A product and what it is worth, one of which is wrong',
    {
      success: true,
      accepted: 1,
      rejected: 1,
      ...FREE,
      data: [
        { line: 1, id: 'product_birkin_croc', status: 'accepted' },
        { line: 2, id: null, status: 'rejected', field: 'currency', reason: 'EU-UK is priced in gbp' },
      ],
    },
    records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  ),
  storeImage: one('A photo of a telephone', {
    success: true,
    url: product.images[0],
    thumbnail: product.thumbnails[0],
    width: 3024,
    height: 4032,
    ...FREE,
  }),
  deleteRecord: one('It is gone', { success: true, id: 'product_birkin_croc', deleted: true, ...FREE }),
  getRecord: one('A product', { success: true, data: records.slice(0, 1), ...FREE }),
  getRecordStatus: one('A picture waits', {
    success: true,
    id: 'product_birkin_croc',
    searchable: true,
    identifiable: true,
    pictures: { embedded: 2, pending: 1, failed: 0 },
    failures: [],
    ...FREE,
  }),
  getFeedStatus: one('A picture could not be fetched', {
    success: true,
    id: 'shopify',
    products: 440,
    pictures: { embedded: 1310, pending: 0, failed: 1 },
    failures: [{ image: 'https://shop.example/gone.jpg', reason: 'the server answered 404' }],
    ...FREE,
  }),
  ...LATER_EXAMPLES,
  searchProductsV2: one('Facets and tags', legacy, {
    search: 'birkin',
    brand: 'brand_hermes',
    exclude_model: 'model_kelly',
    tags: 'material:exotic',
    page_size: 10,
  }),
  identifyV2: {
    requests: photo,
    answers: {
      sure: shows('The product is known', {
        success: true,
        results: [
          {
            label: product.name,
            confidence: 0.97,
            id: product.id,
            product: {
              id: product.id,
              updated_at: '2026-03-15T12:00:00.000Z',
              category_id: 'handbags',
              attributes,
              variants: legacyProduct.variants,
              popularity: 100,
              deleted: false,
              nbWordsMatched: 0,
            },
          },
        ],
        processingTime: 83.9,
        predictionId: PREDICTION,
      }),
    },
  },
  searchProductsV1: one('?search=birkin', legacy),
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
  ...ACCOUNT_EXAMPLES,
  checkHealth: one('Alive', { status: 'alive' }),
  checkReadiness: one('Ready', {
    status: 'ready',
    checks: {
      process: 'ready',
      database: 'ok',
      storage: 'ok',
      images: 'ok',
      model: 'ok',
      index: 'ok',
      queue: 'ok',
    },
    warnings: [],
    inference: { 'loupe-eye@1.0.0': 'onnx' },
  }),
};
