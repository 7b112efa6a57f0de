import { categoriesOf } from '../taxonomy';
import type { CategoryRecord, EntityRecord, ProductRecord } from './records';

/** The categories and tags that records may name. */
export interface Named {
  readonly categories: ReadonlyMap<string, CategoryRecord>;
  readonly tags: ReadonlySet<string>;
}

type EntityReference = Pick<EntityRecord, 'kind' | 'category'>;

/** What is wrong with a record, and in which field. */
export interface Fault {
  readonly field: string;
  readonly reason: string;
}

/** What a product names and can't; null when it can name it all. */
export function referenceFault(
  product: ProductRecord,
  taxonomy: Named,
  entities: ReadonlyMap<string, EntityRecord>,
): Fault | null {
  const unknown = vocabularyFault(product, taxonomy);
  if (unknown) return unknown;
  const { attributes } = product;
  for (const field in attributes) {
    for (const id of attributes[field] ?? []) {
      const reason = entityFault(id, entities.get(id), { kind: field, category: product.category });
      if (reason !== null) return { field: `attributes.${field}`, reason };
    }
  }
  return null;
}

/** A category or a tag that is not known; null when all are. */
export function vocabularyFault(
  record: { readonly category: string; readonly tags: readonly string[] },
  known: Named,
): Fault | null {
  const category = categoriesOf(record.category).find((id) => !known.categories.has(id));
  if (category !== undefined) return { field: 'category', reason: `there is no category "${category}"` };
  const position = record.tags.findIndex((tag) => !known.tags.has(tag));
  if (position < 0) return null;
  return { field: `tags.${position}`, reason: `there is no tag "${record.tags[position]}"` };
}

/** Why an entity can't stand in a field of a record; null when it can. It must be in each category of the record. */
export function entityFault(
  id: string,
  entity: EntityReference | undefined,
  wanted: EntityReference,
): string | null {
  if (!entity) return `there is no entity "${id}"`;
  if (entity.kind !== wanted.kind) return `"${id}" is a ${entity.kind}`;
  return isInAll(entity.category, wanted.category) ? null : belongsElsewhere(id, entity.category);
}

/** Whether an entity with these categories is in all of those. */
export function isInAll(categories: string, wanted: string): boolean {
  const own = categoriesOf(categories);
  return categories === wanted || categoriesOf(wanted).every((id) => own.includes(id));
}

export const belongsElsewhere = (id: string, categories: string): string =>
  `"${id}" belongs to the category ${categoriesOf(categories)
    .map((each) => `"${each}"`)
    .join(' and ')}`;

const REASON_LENGTH_MAX = 500;
/** Longer than the paths of most systems may be. */
const PLACE_LENGTH_MAX = 5_000;

/** Where something is at fault, on one line: ids and names are the bundle's own and may hold anything. */
export const placeText = (place: string): string => oneLine(place, PLACE_LENGTH_MAX);

/** What is at fault there, on one line. */
export const reasonText = (reason: string): string => oneLine(reason, REASON_LENGTH_MAX);

function oneLine(text: string, lengthMax: number): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax)}…`;
}
