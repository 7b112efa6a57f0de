import { z } from 'zod';
import type {
  CategoryRecord,
  Deletion,
  EntityRecord,
  EstimateRecord,
  HistoryRecord,
  ListingRecord,
  ProductRecord,
  TagRecord,
} from '../../../db/catalog-import/records';
import { TAGS_FIELD } from '../../../models/catalog/taxonomy';
import {
  GRADES,
  gradesDescend,
  REGION_CURRENCIES,
  REGIONS,
  type Region,
} from '../../../models/pricing/estimate';
import { pathFault } from './bundle-paths';

/**
 * The accepted form of each record of a bundle (catalog-bundle.md) and its way into the stored one. Pictures are still
 * as the bundle names them: an `https://` address or a path. Keys that are not known are passed over.
 */

const NAME_LENGTH_MAX = 500;
const ID_LENGTH_MAX = 200;
const FIELD_LENGTH_MAX = 60;
/** Addresses are keys in the database, whose entries must stay under 2,700 bytes. */
const ADDRESS_BYTES_MAX = 2_000;
const INTEGER_MAX = 2 ** 31 - 1;
const DEFAULT_NAME_FIELDS = ['brand', 'model', 'style'];
/** Fields with a meaning of their own, which no kind of entity may take. */
const RESERVED_FIELDS = ['product', 'variant', 'category', TAGS_FIELD, 'keywords'];

/** PostgreSQL can't hold these: NUL, and halves of a surrogate pair (JSON can write both). */
const UNSTORABLE = /\0|\p{Surrogate}/u;
const storable = z
  .string()
  .refine((text) => !UNSTORABLE.test(text), 'holds a character that can not be stored');

const name = storable.max(NAME_LENGTH_MAX).refine((text) => text.trim() !== '', 'is blank');
const label = storable.max(NAME_LENGTH_MAX);
/** Ids stand in addresses and comma-separated lists. */
const id = storable
  .max(ID_LENGTH_MAX)
  .regex(/^[^\s\p{C},/?#%]+$/u, 'is no id: empty, or with white space or one of , / ? # %');
const field = storable
  .max(FIELD_LENGTH_MAX)
  .regex(/^\p{L}[\p{L}\p{N}_-]*$/u, 'is no field name')
  .refine((text) => !RESERVED_FIELDS.includes(text), 'is a reserved field name');
const prefixed = (prefix: string) =>
  id.refine(
    (text) => text.startsWith(prefix) && text.length > prefix.length,
    `does not start with ${prefix}`,
  );

const picture = storable.superRefine((reference, context) => {
  const fault = reference.includes('://') ? addressFault(reference, ['https:']) : pathFault(reference);
  if (fault !== null) context.addIssue({ code: 'custom', message: `is ${fault}` });
});
const pictures = z.array(picture).default([]);
const pictured = { popularity: z.number().default(0), images: pictures, thumbnails: pictures };
const tags = z.array(id).default([]).transform(distinct);
const keywords = z.array(label).default([]);
const alive = { deleted: z.literal(false).optional() };

/** What stands in the place of an entity or a product that is taken out. */
export const deletionSchema = z
  .object({ id, deleted: z.literal(true) })
  .transform((record): Deletion => ({ id: record.id, deleted: true }));

export const categorySchema = z
  .object({
    id,
    name,
    hierarchy: z.array(field).default([]).refine(isDistinct, 'names an attribute twice'),
    name_fields: z.array(field).default(DEFAULT_NAME_FIELDS),
    ...pictured,
  })
  .transform((record): CategoryRecord => record);

export const tagSchema = z
  .object({
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

export const entitySchema = z
  .object({ id, kind: field, name, category: id, parents: z.record(field, id).default({}), tags, keywords })
  .extend({ ...pictured, ...alive })
  .superRefine((record, context) => {
    if (!record.id.startsWith(`${record.kind}_`)) {
      context.addIssue({ code: 'custom', path: ['id'], message: `does not start with ${record.kind}_` });
    }
    if (record.kind in record.parents) {
      context.addIssue({ code: 'custom', path: ['parents', record.kind], message: 'is of its own kind' });
    }
  })
  .transform(({ deleted, ...record }): EntityRecord => record);

const attributeIds = z
  .union([id.transform((only) => [only]), z.array(id).transform(distinct)], 'is no id and no list of ids')
  .default([]);

const variant = z
  .object({ id: prefixed('variant_'), fields: z.array(z.object({ field: label, name: label })).default([]) })
  .extend(pictured);

export const productSchema = z
  .object({
    id: prefixed('product_'),
    category: id,
    attributes: z.record(field, attributeIds),
    tags,
    keywords,
    variants: z
      .array(variant)
      .default([])
      .refine((variants) => isDistinct(variants.map((each) => each.id)), 'names a variant twice'),
  })
  .extend({ ...pictured, ...alive })
  .transform(({ deleted, attributes, ...record }): ProductRecord => {
    const given = Object.entries(attributes).filter(([, ids]) => ids.length > 0);
    return { ...record, attributes: Object.fromEntries(given) };
  });

const grade = z.number().nonnegative().nullable().default(null);
const grades = { A: grade, B: grade, C: grade, D: grade };
const region = z.enum(REGIONS as readonly [Region, ...Region[]]);
const date = z.iso.date().refine((text) => text >= '0001', 'is no date');
const confidence = z.number().nullable().default(null);
const priced = { variant: prefixed('variant_'), region };

/** `now` stands in for an `estimated_at` that is left out. */
export const estimateSchema = (now: Date) =>
  z
    .object({ ...priced, source: id, ...grades, currency: z.string().optional(), confidence })
    .extend({ estimated_at: z.iso.datetime({ offset: true }).default(now.toISOString()) })
    .superRefine(checkPrices)
    .transform(
      (record): EstimateRecord => ({
        variant_id: record.variant,
        source: record.source,
        region: record.region,
        ...gradeColumns(record),
        currency: REGION_CURRENCIES[record.region],
        estimated_at: new Date(record.estimated_at).toISOString(),
        confidence: record.confidence,
      }),
    );

export const historySchema = z
  .object({ ...priced, date, source: id, ...grades, currency: z.string().optional(), confidence })
  .superRefine(checkPrices)
  .transform(
    (record): HistoryRecord => ({
      variant_id: record.variant,
      region: record.region,
      date: record.date,
      source: record.source,
      ...gradeColumns(record),
      currency: REGION_CURRENCIES[record.region],
      confidence: record.confidence,
    }),
  );

export const listingSchema = z
  .object({
    ...priced,
    link: storable.superRefine((link, context) => {
      const fault = addressFault(link, ['https:', 'http:']);
      if (fault !== null) context.addIssue({ code: 'custom', message: `is ${fault}` });
    }),
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
    (record): ListingRecord => ({
      variant_id: record.variant,
      region: record.region,
      link: record.link,
      variant_name: record.variant_name,
      vendor: record.vendor,
      price: record.price,
      currency: record.currency ?? REGION_CURRENCIES[record.region],
      date: record.date,
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

const gradeColumns = ({ A, B, C, D }: Prices) => ({ a: A, b: B, c: C, d: D });

function addressFault(address: string, protocols: readonly string[]): string | null {
  if (Buffer.byteLength(address) > ADDRESS_BYTES_MAX) return `longer than ${ADDRESS_BYTES_MAX} bytes`;
  const allowed = protocols.map((protocol) => `${protocol}//`).join(' or ');
  const isAllowed = URL.canParse(address) && protocols.includes(new URL(address).protocol);
  return isAllowed ? null : `no ${allowed} address`;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
