import type { z } from 'zod';
import type { legacyAnswer, legacyVisionAnswer } from '../../../legacy/answers';
import type { PATHS } from '../../../paths';
import type { evidence as rowEvidence } from '../../../v3/answers';
import { ACCOUNT_EXAMPLES } from './accounts';
import { catalog, type Examples, LARGER_PHOTO, one, PHOTO } from './example';
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
  address: { summary: 'A photo by its address', value: { url: 'https://pictures.example/bag.jpg' } },
  bytes: { summary: 'A photo as base64 (shortened here to one dot)', value: { base64: PHOTO } },
};

/** Examples of each endpoint (contract 4). Tests send the requests and hold the answers against their schemas. */
export const EXAMPLES: Readonly<Partial<Record<keyof typeof PATHS, Examples>>> = {
  queryCatalog: {
    requests: {
      search: { summary: 'Free text', value: { query: 'hermes birkin', page_size: 10 } },
      facets: {
        summary: 'Facets and tags: exotic bags of a brand, without one model, with prices',
        value: {
          category_id: 'handbags',
          filters: [
            { field: 'brand', include: ['brand_hermes'] },
            { field: 'tags', include: ['material:exotic'] },
            { field: 'model', exclude: ['model_kelly'] },
          ],
          includes: ['taxonomy', 'pricing'],
        },
      },
      counts: {
        summary: 'How many rows of the result have which brand, and which of the models that are called so',
        value: {
          query: 'birkin',
          facets: ['brand', { field: 'model', query: 'bir', limit: 5 }],
          page_size: 1,
        },
      },
      models: {
        summary: 'Models of a brand by name',
        value: {
          category_id: 'handbags',
          taxonomy_node: 'model',
          filters: [{ field: 'brand', include: ['brand_hermes'] }],
          sort: 'name_asc',
        },
      },
      categories: {
        summary: 'Categories with the tags that there are',
        value: { taxonomy_node: 'category' },
      },
      deprecated: {
        summary: 'The deprecated `ids`; the answer has `Deprecation: true`',
        value: { filters: [{ field: 'brand', ids: ['brand_hermes'] }] },
      },
    },
    answers: {
      search: { summary: 'Free text', value: catalog([product], { sort_applied: 'relevance' }) },
      counts: {
        summary: 'A text with the counts of two facets',
        value: catalog([product], {
          sort_applied: 'relevance',
          facets: {
            brand: [{ id: 'brand_hermes', name: 'Hermès', count: 2 }],
            model: [{ id: 'model_birkin', name: 'Birkin', count: 2 }],
          },
        }),
      },
      facets: {
        summary: 'Facets and tags, with prices',
        value: catalog([pricedProduct], {
          credits_used: 6,
          includes: ['taxonomy', 'pricing'],
          sort_applied: 'popularity_desc',
        }),
      },
      models: {
        summary: 'Models of a brand',
        value: catalog([model], {
          resolved_taxonomy: { node: 'model', level: 1 },
          sort_applied: 'name_asc',
        }),
      },
      categories: {
        summary: 'Categories',
        value: catalog([category], {
          resolved_taxonomy: { node: 'category', level: 0 },
          sort_applied: 'popularity_desc',
        }),
      },
      pastTheEnd: {
        summary: 'A page past the end: no rows, free of charge',
        value: catalog([], {
          total_results: 1,
          total_pages: 1,
          page: 7,
          credits_used: 0,
          sort_applied: 'popularity_desc',
        }),
      },
    },
  },
  showItem: one(
    'A product with its prices',
    catalog([pricedProduct], { credits_used: 6, includes: ['taxonomy', 'pricing'] }),
  ),
  showSimilar: {
    answers: {
      some: {
        summary: 'Another product that looks like it',
        value: catalog([{ ...product, similarity: 0.83 }], {}),
      },
      nothing: {
        summary: 'No picture is known: free of charge',
        value: catalog([], { credits_used: 0, resolved_taxonomy: { node: null, level: null } }),
      },
    },
  },
  showItems: one(
    'A product and its model, with prices; and an id that there is not',
    {
      ...catalog([pricedProduct, { ...model, max_market_estimate: estimate }], {
        credits_used: 7,
        includes: ['taxonomy', 'pricing'],
      }),
      not_found: ['product_gone'],
    },
    { ids: ['product_birkin_croc', 'model_birkin', 'product_gone'], includes: ['taxonomy', 'pricing'] },
  ),
  suggest: {
    requests: {
      typed: { summary: 'While it is typed', value: { query: 'herm' } },
      blank: { summary: 'The most popular handbags', value: { category_id: 'handbags', size: 5 } },
    },
    answers: {
      typed: {
        summary: 'A brand and a model of it',
        value: {
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
        },
      },
    },
  },
  identify: {
    requests: {
      ...photo,
      priced: {
        summary: 'With prices',
        value: { base64: `data:image/png;base64,${PHOTO}`, includes: ['taxonomy', 'pricing'] },
      },
      several: {
        summary: 'Two photos of a handbag, one of them a part of a larger picture, with the reasons',
        value: {
          images: [
            { base64: PHOTO },
            { base64: LARGER_PHOTO, region: { x: 0.25, y: 0, width: 0.5, height: 1 } },
          ],
          category_id: 'handbags',
          explain: true,
        },
      },
    },
    answers: {
      sure: {
        summary: 'The product is known',
        value: catalog([{ ...product, confidence: 0.97 }], { credits_used: 5 }),
      },
      several: {
        summary: 'Two photos, with the reasons',
        value: catalog([{ ...product, confidence: 0.97, evidence }], { credits_used: 7 }),
      },
      unsure: {
        summary: 'Only the model is known',
        value: catalog([{ ...model, confidence: 0.91 }], {
          credits_used: 5,
          resolved_taxonomy: { node: 'model', level: 1 },
        }),
      },
      nothing: {
        summary: 'Nothing sure enough: free of charge',
        value: catalog([], { credits_used: 0, resolved_taxonomy: { node: null, level: null } }),
      },
    },
  },
  correct: {
    requests: {
      product: { summary: 'It is this product', value: { correct_id: 'product_birkin_croc' } },
      none: {
        summary: 'The catalog does not have it',
        value: { correct_id: null, comment: 'A special order' },
      },
    },
    answers: {
      product: {
        summary: 'The first row was right',
        value: {
          success: true,
          prediction_id: '0197a3f0-5b7e-7c21-9e44-8d2f6a1b3c55',
          correct_id: 'product_birkin_croc',
          comment: null,
          right: true,
          credits_used: 0,
        },
      },
    },
  },
  ...ACCOUNT_EXAMPLES,
  ...RECORD_EXAMPLES,
  ...LATER_EXAMPLES,
  listProductsV2: {
    requests: {
      search: { summary: 'Free text', value: { search: 'birkin', page_size: 10 } },
      facets: {
        summary: 'Facets and tags',
        value: { brand: 'brand_hermes', exclude_model: 'model_kelly', tags: 'material:exotic' },
      },
    },
    answers: { search: { summary: 'Free text', value: legacy } },
  },
  identifyV2: {
    requests: photo,
    answers: { sure: { summary: 'The product is known', value: legacyVision } },
  },
  listProductsV1: one('?search=birkin', legacy),
  health: one('Alive', { status: 'alive' }),
  readiness: one('Ready', {
    status: 'ready',
    checks: { process: 'ready', database: 'ok', storage: 'ok', model: 'ok', index: 'ok', queue: 'ok' },
    warnings: [],
    inference: { 'loupe-eye@1.0.0': 'onnx' },
  }),
  dataFile: {
    answers: {
      historical_estimates: {
        summary: '`historical_estimates`: oldest first',
        value:
          'date,source,A,B,C,D,currency,confidence\r\n2026-01-01,ebay,56000.25,,,,usd,0.7\r\n2026-03-01,ebay,58000,,,,usd,0.7\r\n',
      },
      pricing_data: {
        summary: '`pricing_data`: newest first',
        value:
          'link,variant_name,vendor,price,currency,date\r\nhttps://market.example/1,Birkin 30,fashionphile,52000,usd,2026-03-02\r\n',
      },
    },
  },
};
