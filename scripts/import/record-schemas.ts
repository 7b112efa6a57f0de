import { z } from 'zod';
import { market, storableDay, storableTime } from '../../api/wire/shared';
import { wordsOf } from '../../models/catalog/fold-text';
import type * as records from '../../models/catalog/import/records';
import { PHRASE_WORDS_MAX } from '../../models/catalog/index-terms';
import { joinCategories } from '../../models/catalog/taxonomy';
import { GRADES, REGION_CURRENCIES } from '../../models/pricing/estimate';
import { field, id, label, linkBy, name, ownData, picture, prefixedId, textOf } from './record-values';

/** The accepted form of records (contract 13.2, 13.3, 13.14, 13.16) and their conversion to the stored form, except pictures. */

const INTEGER_MAX = 2 ** 31 - 1;
const TITLE_LENGTH_MAX = 512;
const SKU_LENGTH_MAX = 128;
const PHRASES_MAX = 50;
const DEFAULT_NAME_FIELDS = ['brand', 'model', 'style'];

const distinct = (values: readonly string[]): string[] => [...new Set(values)];
const isDistinct = (values: readonly string[]): boolean => new Set(values).size === values.length;

/** Values by the kind of entity (contract 13.19). zod's record type drops the key `__proto__` silently. */
const byKind = <Value extends z.ZodType>(value: Value) =>
  z.preprocess(
    (given, context) => {
      if (given instanceof Object && Object.hasOwn(given, '__proto__')) {
        context.addIssue({ code: 'custom', message: 'the key "__proto__" cannot be used' });
      }
      return given;
    },
    z.record(field, value),
  );

const pictures = z.array(picture).default([]);
const pictured = { popularity: z.number().default(0), images: pictures, thumbnails: pictures };
const tags = z.array(id).default([]).transform(distinct);
const keywords = z.array(label).default([]);
const alive = { deleted: z.literal(false, 'is neither true nor false').optional() };

/** A deletion in place of a record of these fields; it may have any of them, and they are ignored. */
const deletionOf = (fields: z.ZodRawShape) =>
  z
    .strictObject({
      ...Object.fromEntries(Object.keys(fields).map((key) => [key, z.unknown().optional()])),
      id,
      deleted: z.literal(true),
    })
    .transform((record): records.Deletion => ({ id: record.id, deleted: true }));

const categorySchema = z.strictObject({
  // One row has each id.
  id: id.refine((text) => !text.startsWith('product_'), 'starts with product_, like the id of a product'),
  name,
  hierarchy: z.array(field).default([]).refine(isDistinct, 'names an attribute twice'),
  name_fields: z.array(field).default(DEFAULT_NAME_FIELDS),
  ...pictured,
});

const tagSchema = z
  .strictObject({
    id: id.regex(/^[^:]+:[^:]+$/, 'is not of the form <group>:<name>'),
    name,
    order: z.number().int().min(-INTEGER_MAX).max(INTEGER_MAX).default(0),
    categories: z.array(id).default([]),
  })
  .transform(({ order, ...record }): records.TagRecord => {
    const group = record.id.slice(0, record.id.indexOf(':'));
    return { group, display_order: order, ...record };
  });

/** Several are an entity's of the outermost kind (contract 1.11). */
const categories = z.union([id, z.array(id).min(1).transform(distinct).transform(joinCategories)], {
  error: ({ input }) => (input === undefined ? 'is required' : 'is no id and no list of ids'),
});

const entity = {
  ...{ id, kind: field, name, category: categories, parents: byKind(id).default({}), tags, keywords },
  ...pictured,
  ...alive,
};

const entitySchema = z
  .strictObject(entity)
  .superRefine((record, context) => {
    if (!record.id.startsWith(`${record.kind}_`)) {
      context.addIssue({ code: 'custom', path: ['id'], message: `does not start with ${record.kind}_` });
    }
    if (Object.hasOwn(record.parents, record.kind)) {
      context.addIssue({ code: 'custom', path: ['parents', record.kind], message: 'is of its own kind' });
    }
  })
  .transform(({ deleted, ...record }): records.EntityRecord => record);

const attributeIds = z
  .union([id.transform((only) => [only]), z.array(id).transform(distinct)], 'is no id and no list of ids')
  .default([]);

const variant = z.strictObject({
  id: prefixedId('variant_'),
  fields: z.array(z.strictObject({ field: label, name: label })).default([]),
  ...pictured,
});

const product = {
  id: prefixedId('product_'),
  category: id,
  attributes: byKind(attributeIds),
  tags,
  keywords,
  variants: z
    .array(variant)
    .default([])
    .refine((variants) => isDistinct(variants.map((each) => each.id)), 'names a variant twice'),
  title: textOf(TITLE_LENGTH_MAX).optional(),
  sku: textOf(SKU_LENGTH_MAX).optional(),
  url: linkBy('https:').optional(),
  data: ownData.optional(),
  ...pictured,
  ...alive,
};

const productSchema = z
  .strictObject(product)
  .transform(({ deleted, attributes, ...record }): records.ProductRecord => {
    const given = Object.entries(attributes).filter(([, ids]) => ids.length > 0);
    return { attributes: Object.fromEntries(given), ...record };
  });

const phrase = label
  .transform(wordsOf)
  .refine((words) => words.length > 0, 'holds no word')
  .refine((words) => words.length <= PHRASE_WORDS_MAX, `is longer than ${PHRASE_WORDS_MAX} words`)
  .transform((words) => words.join(' '));

const phrases = (min: number) =>
  z
    .array(phrase)
    .min(min, `holds fewer than ${min}`)
    .max(PHRASES_MAX, `holds more than ${PHRASES_MAX}`)
    .transform(distinct)
    .optional();

const synonym = { id, from: phrases(1), to: phrases(1), words: phrases(2), ...alive };

/** One-way or mutual (contract 13.14). */
const synonymSchema = z
  .strictObject(synonym)
  .transform(({ id, from, to, words }, context): records.SynonymRecord => {
    if (words && !from && !to) return { id, phrases: words, readings: words };
    if (from && to && !words) return { id, phrases: from, readings: to };
    context.addIssue({ code: 'custom', message: 'has either "from" and "to" or "words"' });
    return z.NEVER;
  });

const amount = z.number().nonnegative().nullable().default(null);
const about = { variant: prefixedId('variant_'), region: market };
const priced = {
  ...{ ...about, source: id, A: amount, B: amount, C: amount, D: amount },
  ...{ currency: z.string().optional(), confidence: z.number().min(0).max(1).nullable().default(null) },
};

type Prices = z.output<z.ZodObject<typeof priced>>;

const reject = (context: z.RefinementCtx, path: string, message: string) =>
  context.addIssue({ code: 'custom', path: [path], message });

function checkPrices(record: Prices, context: z.RefinementCtx): void {
  let lowest = Infinity;
  const rising = GRADES.find((grade) => {
    const before = lowest;
    lowest = record[grade] ?? lowest;
    return lowest > before;
  });
  if (rising) reject(context, rising, 'grades do not descend');
  const currency = REGION_CURRENCIES[record.region];
  if ((record.currency ?? currency) !== currency)
    reject(context, 'currency', `${record.region} is priced in ${currency}`);
}

const pricedColumns = ({ variant, source, region, A, B, C, D, confidence }: Prices) => ({
  currency: REGION_CURRENCIES[region],
  ...{ variant_id: variant, source, region, a: A, b: B, c: C, d: D, confidence },
});

const estimateSchema = z
  .strictObject({ ...priced, estimated_at: storableTime.optional() })
  .superRefine(checkPrices)
  .transform((record) => ({
    estimated_at: record.estimated_at && new Date(record.estimated_at).toISOString(),
    ...pricedColumns(record),
  }));

const historySchema = z
  .strictObject({ ...about, date: storableDay, ...priced })
  .superRefine(checkPrices)
  .transform((record): records.HistoryRecord => ({ date: record.date, ...pricedColumns(record) }));

const listingSchema = z
  .strictObject({
    ...about,
    link: linkBy('https:', 'http:'),
    variant_name: label.default(''),
    vendor: label.default(''),
    price: amount,
    currency: z
      .string()
      .regex(/^[a-z]{3}$/, 'is no lower-case ISO 4217 code')
      .optional(),
    date: storableDay.nullable().default(null),
  })
  .transform(({ variant, currency, ...record }): records.ListingRecord => {
    return { variant_id: variant, currency: currency ?? REGION_CURRENCIES[record.region], ...record };
  });

export const RECORDS = {
  CategoryRecord: categorySchema,
  TagRecord: tagSchema,
  SynonymRecord: synonymSchema,
  EntityRecord: entitySchema,
  ProductRecord: productSchema,
  HistoryRecord: historySchema,
  ListingRecord: listingSchema,
  SynonymDeletion: deletionOf(synonym),
  EntityDeletion: deletionOf(entity),
  ProductDeletion: deletionOf(product),
  EstimateRecord: estimateSchema,
};

/** The schemas of records and of a line of `PUT /v3/catalog/records` (contract 15.1), by their names in `/openapi.json`. */
export const RECORD_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...RECORDS,
  RecordLine: z
    .strictObject({
      categories: RECORDS.CategoryRecord.optional(),
      tags: RECORDS.TagRecord.optional(),
      synonyms: z.union([RECORDS.SynonymRecord, RECORDS.SynonymDeletion]).optional(),
      entities: z.union([RECORDS.EntityRecord, RECORDS.EntityDeletion]).optional(),
      products: z.union([RECORDS.ProductRecord, RECORDS.ProductDeletion]).optional(),
      estimates: RECORDS.EstimateRecord.optional(),
      'estimate-history': RECORDS.HistoryRecord.optional(),
      listings: RECORDS.ListingRecord.optional(),
    })
    .meta({ description: 'One record, under the name of its file', minProperties: 1, maxProperties: 1 }),
};
