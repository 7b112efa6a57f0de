import type { z } from 'zod';
import type {
  deletionAnswer,
  imageAnswer,
  recordAnswer,
  recordStatusAnswer,
  recordsAnswer,
} from '../../../v3/record-answers';
import { one } from './example';

const LINES = [
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

const written: z.output<typeof recordsAnswer> = {
  success: true,
  accepted: 1,
  rejected: 1,
  credits_used: 0,
  data: [
    { line: 1, id: 'product_birkin_croc', status: 'accepted' },
    { line: 2, id: null, status: 'rejected', field: 'currency', reason: 'EU-UK is priced in gbp' },
  ],
};

const stored: z.output<typeof imageAnswer> = {
  success: true,
  url: 'http://127.0.0.1:3000/images/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.jpg',
  thumbnail:
    'http://127.0.0.1:3000/images/60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752.jpg',
  width: 3024,
  height: 4032,
  credits_used: 0,
};

const read: z.output<typeof recordAnswer> = {
  success: true,
  data: [{ products: { id: 'product_birkin_croc', ...LINES[0]?.products } }],
  credits_used: 0,
};

const deleted: z.output<typeof deletionAnswer> = {
  success: true,
  id: 'product_birkin_croc',
  deleted: true,
  credits_used: 0,
};

const status: z.output<typeof recordStatusAnswer> = {
  success: true,
  id: 'product_birkin_croc',
  searchable: true,
  identifiable: true,
  pictures: { embedded: 2, pending: 1, failed: 0 },
  credits_used: 0,
};

/** What is asked and answered where the catalog is written. */
export const RECORD_EXAMPLES = {
  writeRecords: one(
    'A product and what it is worth, one of which is wrong',
    written,
    LINES.map((line) => `${JSON.stringify(line)}\n`).join(''),
  ),
  storeImage: one('A photo of a telephone', stored),
  getRecord: one('A product', read),
  deleteRecord: one('It is gone', deleted),
  getRecordStatus: one('A picture waits', status),
};
