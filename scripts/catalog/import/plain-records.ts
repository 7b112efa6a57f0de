import { Derived } from '../../../db/catalog-import/derived';
import type { EstimateRecord, ProductRecord, VariantRecord } from '../../../db/catalog-import/records';
import { gradesDescend, REGION_CURRENCIES, type Region } from '../../../models/pricing/estimate';
import { fieldFault, idFault, labelFault, pictureFault } from './record-values';

/**
 * The records of the two largest files where they are as an exporter writes them: every key there, none unknown, every
 * value in order. That takes a tenth of the time of the schemas, which judge all other lines; null says that a line is
 * one of those. What is accepted here is accepted there, as the same record. Texts and lists that records have in
 * common are shared between them: what waits in batches to be written is a quarter of what was parsed.
 */

const PRODUCT_KEYS = 9;
const VARIANT_KEYS = 5;
const VARIANT_FIELD_KEYS = 2;
const ESTIMATE_KEYS = 10;
const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
/** Estimates are made at few different times. */
const TIMES_MAX = 1_000;

type Json = Readonly<Record<string, unknown>>;

/** A product with all that a product may have. */
export function plainProduct(value: unknown): ProductRecord | null {
  if (!isObject(value, PRODUCT_KEYS)) return null;
  const { id, category, tags, keywords, popularity, images, thumbnails } = value;
  if (!isPrefixed(id, 'product_') || !isId(category) || !isDistinctIds(tags) || !isLabels(keywords))
    return null;
  if (!isNumber(popularity) || !isPictures(images) || !isPictures(thumbnails)) return null;
  const attributes = plainAttributes(value['attributes']);
  const variants = plainVariants(value['variants']);
  if (!attributes || !variants) return null;
  return {
    id,
    category: texts.of(category),
    attributes,
    tags: sharedList(tags),
    keywords: sharedList(keywords),
    variants,
    popularity,
    images: sharedList(images),
    thumbnails: sharedList(thumbnails),
  };
}

/** An estimate in the currency of its region, made at a whole second of UTC. */
export function plainEstimate(value: unknown): EstimateRecord | null {
  if (!isObject(value, ESTIMATE_KEYS)) return null;
  const { variant, source, region, A, B, C, D, currency, estimated_at, confidence } = value;
  if (!isPrefixed(variant, 'variant_') || !isId(source) || !isRegion(region)) return null;
  if (currency !== REGION_CURRENCIES[region] || !isNumberOrNull(confidence)) return null;
  if (!isGrade(A) || !isGrade(B) || !isGrade(C) || !isGrade(D) || !gradesDescend({ A, B, C, D })) return null;
  const time = plainTime(estimated_at);
  if (time === null) return null;
  return {
    variant_id: variant,
    source: texts.of(source),
    region: texts.of(region),
    a: A,
    b: B,
    c: C,
    d: D,
    currency: REGION_CURRENCIES[region],
    estimated_at: time,
    confidence,
  };
}

function plainAttributes(value: unknown): Record<string, readonly string[]> | null {
  if (!isObject(value)) return null;
  const attributes: Record<string, readonly string[]> = {};
  for (const [field, ids] of Object.entries(value)) {
    if (fieldFault(field) !== null) return null;
    if (isId(ids)) attributes[field] = lists.of(ids);
    else if (isDistinctIds(ids) && ids.length > 0) attributes[field] = sharedList(ids);
    else return null;
  }
  return attributes;
}

function plainVariants(values: unknown): readonly VariantRecord[] | null {
  if (!Array.isArray(values)) return null;
  const variants: VariantRecord[] = [];
  for (const value of values) {
    const variant = plainVariant(value);
    if (!variant) return null;
    variants.push(variant);
  }
  const isDistinct = variants.length < 2 || new Set(variants.map(({ id }) => id)).size === variants.length;
  return isDistinct ? variants : null;
}

function plainVariant(value: unknown): VariantRecord | null {
  if (!isObject(value, VARIANT_KEYS)) return null;
  const { id, fields, popularity, images, thumbnails } = value;
  if (!isPrefixed(id, 'variant_') || !Array.isArray(fields) || !isNumber(popularity)) return null;
  if (!isPictures(images) || !isPictures(thumbnails)) return null;
  const shared: VariantRecord['fields'][number][] = [];
  for (const each of fields) {
    if (!isObject(each, VARIANT_FIELD_KEYS) || !isLabel(each['field']) || !isLabel(each['name'])) return null;
    shared.push({ field: texts.of(each['field']), name: texts.of(each['name']) });
  }
  return { id, fields: shared, popularity, images: sharedList(images), thumbnails: sharedList(thumbnails) };
}

/** The same texts and lists for what is equal. */
const texts = new Derived((text) => text);
const lists = new Derived((text): readonly string[] => [text]);
const NONE: readonly string[] = [];

function sharedList(list: readonly string[]): readonly string[] {
  const [only] = list;
  if (only === undefined) return NONE;
  return list.length === 1 ? lists.of(only) : list.map((text) => texts.of(text));
}

const times = new Map<string, string>();

/** The time as `Date` writes it; null also of a day that its month does not have. */
function plainTime(text: unknown): string | null {
  if (typeof text !== 'string' || !UTC_TIME.test(text)) return null;
  const known = times.get(text);
  if (known !== undefined) return known;
  const date = new Date(text);
  const time = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  if (time !== text.replace('Z', '.000Z')) return null;
  if (times.size >= TIMES_MAX) times.clear();
  times.set(text, time);
  return time;
}

/** An object, of so many keys if that is given. */
function isObject(value: unknown, keys?: number): value is Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return keys === undefined || Object.keys(value).length === keys;
}

const isId = (value: unknown): value is string => typeof value === 'string' && idFault(value) === null;

const isPrefixed = (value: unknown, prefix: string): value is string =>
  isId(value) && value.startsWith(prefix) && value.length > prefix.length;

function isDistinctIds(values: unknown): values is readonly string[] {
  if (!Array.isArray(values) || !values.every(isId)) return false;
  return values.length < 2 || new Set(values).size === values.length;
}

const isLabel = (value: unknown): value is string => typeof value === 'string' && labelFault(value) === null;

const isLabels = (values: unknown): values is readonly string[] =>
  Array.isArray(values) && values.every(isLabel);

const isPictures = (values: unknown): values is readonly string[] =>
  Array.isArray(values) && values.every((value) => typeof value === 'string' && pictureFault(value) === null);

/** JSON can write numbers that are too large for one. */
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const isNumberOrNull = (value: unknown): value is number | null => value === null || isNumber(value);

const isGrade = (value: unknown): value is number | null => value === null || (isNumber(value) && value >= 0);

const isRegion = (value: unknown): value is Region =>
  typeof value === 'string' && Object.hasOwn(REGION_CURRENCIES, value);
