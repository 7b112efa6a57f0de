import { z } from 'zod';
import { market } from '../../api/wire/answers';
import { wordsOf } from '../../models/catalog/fold-text';
import type {
  CategoryRecord,
  Deletion,
  EntityRecord,
  EstimateRecord,
  HistoryRecord,
  ListingRecord,
  ProductRecord,
  SynonymRecord,
  TagRecord,
} from '../../models/catalog/import/records';
import { PHRASE_WORDS_MAX } from '../../models/catalog/synonym';
import { joinCategories } from '../../models/catalog/taxonomy';
import { GRADES, gradesDescend, REGION_CURRENCIES, type Region } from '../../models/pricing/estimate';
import { field, id, label, linkBy, name, ownData, picture, prefixedId, textOf } from './record-values';

/**
 * The accepted form of the records of a bundle (contract 13.2, 13.3, 13.14) and its way into the stored one. Pictures are
 * still as the bundle names them.
 */

const INTEGER_MAX = 2 ** 31 - 1;
const TITLE_LENGTH_MAX = 512;
const SKU_LENGTH_MAX = 128;
const DEFAULT_NAME_FIELDS = ['brand', 'model', 'style'];

/** Values by the kind of entity. A record of zod's drops the key `__proto__` without a word. */
const byKind = <Value extends z.ZodType>(value: Value) =>
  z.preprocess(
    (given, context) => {
      if (given instanceof Object && Object.hasOwn(given, '__proto__')) {
        context.addIssue({ code: 'custom', message: 'the key "__proto__" can not be used' });
      }
      return given;
    },
    z.record(field, value),
  );

const pictures = z.array(picture).default([]);
const pictured = { popularity: z.number().default(0), images: pictures, thumbnails: pictures };
const tags = z.array(id).default([]).transform(distinct);
const keywords = z.array(label).default([]);
const alive = { deleted: z.literal(false).optional() };

/** What stands in the place of a record of these fields that is taken out; it may have them all, and they say nothing. */
export const deletionOf = (fields: z.ZodRawShape) =>
  z
    .strictObject({
      ...Object.fromEntries(Object.keys(fields).map((key) => [key, z.unknown().optional()])),
      id,
      deleted: z.literal(true),
    })
    .transform((record): Deletion => ({ id: record.id, deleted: true }));

export const categorySchema = z
  .strictObject({
    id,
    name,
    hierarchy: z.array(field).default([]).refine(isDistinct, 'names an attribute twice'),
    name_fields: z.array(field).default(DEFAULT_NAME_FIELDS),
    ...pictured,
  })
  .transform((record): CategoryRecord => record);

export const tagSchema = z
  .strictObject({
    id: id.regex(/^[^:]+:[^:]+$/, 'is not of the form <group>:<name>'),
    name,
    order: z.number().int().min(-INTEGER_MAX).max(INTEGER_MAX).default(0),
    categories: z.array(id).default([]),
  })
  .transform(
    (record): TagRecord => ({
      id: record.id,
      group: record.id.slice(0, record.id.indexOf(':')),
      name: record.name,
      display_order: record.order,
      categories: record.categories,
    }),
  );

/** Several are an entity's of the outermost kind (contract 1.11). */
const categories = z.union([id, z.array(id).min(1).transform(distinct).transform(joinCategories)], {
  error: ({ input }) => (input === undefined ? 'is required' : 'is no id and no list of ids'),
});

const entity = {
  ...{ id, kind: field, name, category: categories, parents: byKind(id).default({}), tags, keywords },
  ...pictured,
  ...alive,
};

export const entityDeletion = deletionOf(entity);

export const entitySchema = z
  .strictObject(entity)
  .superRefine((record, context) => {
    if (!record.id.startsWith(`${record.kind}_`)) {
      context.addIssue({ code: 'custom', path: ['id'], message: `does not start with ${record.kind}_` });
    }
    if (Object.hasOwn(record.parents, record.kind)) {
      context.addIssue({ code: 'custom', path: ['parents', record.kind], message: 'is of its own kind' });
    }
  })
  .transform(({ deleted, ...record }): EntityRecord => record);

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

export const productDeletion = deletionOf(product);

export const productSchema = z
  .strictObject(product)
  .transform(({ deleted, attributes, ...record }): ProductRecord => {
    const given = Object.entries(attributes).filter(([, ids]) => ids.length > 0);
    return { ...record, attributes: Object.fromEntries(given) };
  });

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

const PHRASES_MAX = 50;

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
    .transform((all) => [...new Set(all)]);

const synonym = {
  id,
  from: phrases(1).optional(),
  to: phrases(1).optional(),
  words: phrases(2).optional(),
  deleted: z.literal(false).optional(),
};

export const synonymDeletion = deletionOf(synonym);

/** The accepted form of a synonym, one-way or mutual, and its way into the stored one (contract 13.14). */
export const synonymSchema = z
  .strictObject(synonym)
  .transform(({ id, from, to, words }, context): SynonymRecord => {
    if (words && !from && !to) return { id, phrases: words, readings: words };
    if (from && to && !words) return { id, phrases: from, readings: to };
    context.addIssue({ code: 'custom', message: 'has either "from" and "to" or "words"' });
    return z.NEVER;
  });

const grade = z.number().nonnegative().nullable().default(null);
const grades = { A: grade, B: grade, C: grade, D: grade };
const date = z.iso.date().refine((text) => text >= '0001', 'is no date');
const confidence = z.number().nullable().default(null);
const priced = { variant: prefixedId('variant_'), region: market };

/** `now` stands in for an `estimated_at` that is left out. */
export const estimateSchema = (now: Date) =>
  z
    .strictObject({
      ...{ ...priced, source: id, ...grades, currency: z.string().optional(), confidence },
      estimated_at: z.iso.datetime({ offset: true }).optional(),
    })
    .superRefine(checkPrices)
    .transform(
      ({ estimated_at, ...record }): EstimateRecord => ({
        ...pricedColumns(record),
        estimated_at: new Date(estimated_at ?? now).toISOString(),
      }),
    );

export const historySchema = z
  .strictObject({ ...priced, date, source: id, ...grades, currency: z.string().optional(), confidence })
  .superRefine(checkPrices)
  .transform((record): HistoryRecord => ({ ...pricedColumns(record), date: record.date }));

export const listingSchema = z
  .strictObject({
    ...priced,
    link: linkBy('https:', 'http:'),
    variant_name: label.default(''),
    vendor: label.default(''),
    price: z.number().nonnegative().nullable().default(null),
    currency: z
      .string()
      .regex(/^[a-z]{3}$/, 'is no lower-case ISO 4217 code')
      .optional(),
    date: date.nullable().default(null),
  })
  .transform(
    ({ variant, ...record }): ListingRecord => ({
      ...record,
      variant_id: variant,
      currency: record.currency ?? REGION_CURRENCIES[record.region],
    }),
  );

type Prices = Record<(typeof GRADES)[number], number | null> & {
  region: Region;
  currency?: string | undefined;
};

function checkPrices(record: Prices, context: z.RefinementCtx): void {
  if (!gradesDescend(record)) {
    context.addIssue({ code: 'custom', path: [gradeThatRises(record)], message: 'grades do not descend' });
  }
  const currency = REGION_CURRENCIES[record.region];
  if (record.currency !== undefined && record.currency !== currency) {
    context.addIssue({
      code: 'custom',
      path: ['currency'],
      message: `${record.region} is priced in ${currency}`,
    });
  }
}

function gradeThatRises(record: Prices): string {
  let last = Number.POSITIVE_INFINITY;
  for (const each of GRADES) {
    const value = record[each];
    if (value !== null && value > last) return each;
    last = value ?? last;
  }
  return GRADES[0];
}

const pricedColumns = (
  record: Prices & { readonly variant: string; readonly source: string; readonly confidence: number | null },
) => ({
  variant_id: record.variant,
  source: record.source,
  region: record.region,
  a: record.A,
  b: record.B,
  c: record.C,
  d: record.D,
  currency: REGION_CURRENCIES[record.region],
  confidence: record.confidence,
});

const RECORDS = {
  CategoryRecord: categorySchema,
  TagRecord: tagSchema,
  SynonymRecord: synonymSchema,
  EntityRecord: entitySchema,
  ProductRecord: productSchema,
  EstimateRecord: estimateSchema(new Date(0)),
  HistoryRecord: historySchema,
  ListingRecord: listingSchema,
  SynonymDeletion: synonymDeletion,
  EntityDeletion: entityDeletion,
  ProductDeletion: productDeletion,
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
