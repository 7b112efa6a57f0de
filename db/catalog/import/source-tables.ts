import type { WrittenTable } from '../../core/written-table';

const PICTURED = { popularity: 'float8', images: 'text[]', thumbnails: 'text[]' } as const;
const GRADES = { a: 'float8', b: 'float8', c: 'float8', d: 'float8' } as const;

/** The tables of the records of a bundle, one per file (contract 13), and of the variants inside products. */
export const SOURCE_TABLES = {
  categories: {
    name: 'categories',
    key: ['id'],
    columns: { id: 'text', name: 'text', hierarchy: 'text[]', name_fields: 'text[]', ...PICTURED },
    dated: true,
  },
  tags: {
    name: 'tags',
    key: ['id'],
    columns: { id: 'text', group: 'text', name: 'text', display_order: 'int4', categories: 'text[]' },
    dated: false,
  },
  synonyms: {
    name: 'synonyms',
    key: ['id'],
    columns: { id: 'text', phrases: 'text[]', readings: 'text[]' },
    dated: false,
  },
  entities: {
    name: 'entities',
    key: ['id'],
    columns: {
      id: 'text',
      kind: 'text',
      name: 'text',
      category: 'text',
      parents: 'jsonb',
      tags: 'text[]',
      keywords: 'text[]',
      ...PICTURED,
      deleted: 'boolean',
    },
    dated: true,
  },
  products: {
    name: 'products',
    key: ['id'],
    columns: {
      id: 'text',
      category: 'text',
      attributes: 'jsonb',
      tags: 'text[]',
      keywords: 'text[]',
      title: 'text',
      sku: 'text',
      url: 'text',
      data: 'text',
      ...PICTURED,
      deleted: 'boolean',
    },
    dated: true,
  },
  variants: {
    name: 'variants',
    key: ['id'],
    columns: {
      id: 'text',
      product_id: 'text',
      position: 'int4',
      fields: 'jsonb',
      ...PICTURED,
      away_since: 'timestamptz',
    },
    dated: false,
  },
  estimates: {
    name: 'market_estimates',
    key: ['variant_id', 'source', 'region'],
    columns: {
      variant_id: 'text',
      source: 'text',
      region: 'text',
      ...GRADES,
      currency: 'text',
      estimated_at: 'timestamptz',
      confidence: 'float8',
    },
    dated: false,
  },
  history: {
    name: 'estimate_history',
    key: ['variant_id', 'region', 'date', 'source'],
    columns: {
      variant_id: 'text',
      region: 'text',
      date: 'date',
      source: 'text',
      ...GRADES,
      currency: 'text',
      confidence: 'float8',
    },
    dated: false,
  },
  listings: {
    name: 'listings',
    key: ['variant_id', 'region', 'link'],
    columns: {
      variant_id: 'text',
      region: 'text',
      link: 'text',
      variant_name: 'text',
      vendor: 'text',
      price: 'float8',
      currency: 'text',
      date: 'date',
    },
    dated: false,
  },
} as const satisfies Readonly<Record<string, WrittenTable>>;
