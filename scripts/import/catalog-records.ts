import { z } from 'zod';
import type {
  CategoryRecord,
  Deletion,
  EntityRecord,
  ProductRecord,
  TagRecord,
} from '../../models/catalog/import/records';
import { joinCategories } from '../../models/catalog/taxonomy';
import { ownData } from './own-data';
import { field, id, label, linkBy, name, picture, prefixedId, textOf } from './record-values';

/**
 * The accepted form of the records of a catalog (contract 13.3) and its way into the stored one. Pictures are
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
const categories = z.union(
  [id, z.array(id).min(1).transform(distinct).transform(joinCategories)],
  'is no id and no list of ids',
);

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
