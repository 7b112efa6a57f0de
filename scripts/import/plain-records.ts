import type { EstimateRecord, ProductRecord, VariantRecord } from '../../models/catalog/import/records';
import { gradesDescend, REGION_CURRENCIES, type Region } from '../../models/pricing/estimate';
import { fieldFault, idFault, LABEL_LENGTH_MAX, labelFault, pictureFault } from './record-values';

/**
 * The records of the two largest files where they are as an exporter writes them: every key there, none unknown, every
 * value in order. That takes a tenth of the time of the schemas, which judge all other lines; null says that a line is
 * one of those. What is accepted here is accepted there, as the same record.
 */

const PRODUCT_KEYS = 9;
const VARIANT_KEYS = 5;
const VARIANT_FIELD_KEYS = 2;
const ESTIMATE_KEYS = 10;
const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
/** Estimates are made at few different times. */
const TIMES_MAX = 1_000;
/** What can't be stored, NUL and halves of a surrogate pair, stands in UTF-8 JSON as an escape or not at all. */
const ESCAPE = '\\u';

type Json = Readonly<Record<string, unknown>>;
type IsLabel = (value: unknown) => value is string;

/** A product with all that a product may have, which is the value of a line of UTF-8. */
export function plainProduct(value: unknown, line: string): ProductRecord | null {
  if (!isObject(value, PRODUCT_KEYS)) return null;
  const isLabel = line.includes(ESCAPE) ? isAnyLabel : isStorableLabel;
  const { id, category, tags, keywords, popularity, images, thumbnails } = value;
  if (!isPrefixed(id, 'product_') || !isId(category) || !isDistinctIds(tags)) return null;
  if (!isListOf(keywords, isLabel) || !isNumber(popularity)) return null;
  if (!isListOf(images, isPicture) || !isListOf(thumbnails, isPicture)) return null;
  const attributes = plainAttributes(value['attributes']);
  const variants = plainVariants(value['variants'], isLabel);
  if (!attributes || !variants) return null;
  return { id, category, attributes, tags, keywords, variants, popularity, images, thumbnails };
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
    source,
    region,
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
  for (const field of Object.keys(value)) {
    const ids = value[field];
    if (fieldFault(field) !== null) return null;
    if (isId(ids)) attributes[field] = [ids];
    else if (isDistinctIds(ids) && ids.length > 0) attributes[field] = ids;
    else return null;
  }
  return attributes;
}

function plainVariants(values: unknown, isLabel: IsLabel): readonly VariantRecord[] | null {
  if (!isListOf(values, (value): value is VariantRecord => isVariant(value, isLabel))) return null;
  const isDistinct = values.length < 2 || new Set(values.map(({ id }) => id)).size === values.length;
  return isDistinct ? values : null;
}

function isVariant(value: unknown, isLabel: IsLabel): value is VariantRecord {
  if (!isObject(value, VARIANT_KEYS)) return false;
  const { id, fields, popularity, images, thumbnails } = value;
  if (!isPrefixed(id, 'variant_') || !isNumber(popularity) || !Array.isArray(fields)) return false;
  if (!isListOf(images, isPicture) || !isListOf(thumbnails, isPicture)) return false;
  for (const each of fields) {
    if (!isObject(each, VARIANT_FIELD_KEYS) || !isLabel(each['field']) || !isLabel(each['name']))
      return false;
  }
  return true;
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
  if (!isListOf(values, isId)) return false;
  return values.length < 2 || new Set(values).size === values.length;
}

const isAnyLabel = (value: unknown): value is string =>
  typeof value === 'string' && labelFault(value) === null;

/** Of a text that can be stored. */
const isStorableLabel = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LABEL_LENGTH_MAX;

const isPicture = (value: unknown): value is string =>
  typeof value === 'string' && pictureFault(value) === null;

function isListOf<Element>(
  values: unknown,
  isElement: (value: unknown) => value is Element,
): values is readonly Element[] {
  if (!Array.isArray(values)) return false;
  for (const value of values) if (!isElement(value)) return false;
  return true;
}

/** JSON can write numbers that are too large for one. */
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const isNumberOrNull = (value: unknown): value is number | null => value === null || isNumber(value);

const isGrade = (value: unknown): value is number | null => value === null || (isNumber(value) && value >= 0);

const isRegion = (value: unknown): value is Region =>
  typeof value === 'string' && Object.hasOwn(REGION_CURRENCIES, value);
