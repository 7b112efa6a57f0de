import { categoriesOf } from '../taxonomy';
import type { KnownTaxonomy } from './known-taxonomy';
import type { EntityRecord, ProductRecord } from './records';

type EntityReference = Pick<EntityRecord, 'kind' | 'category'>;

/** What is wrong with a record, and in which field. */
export interface Fault {
  readonly field: string;
  readonly reason: string;
}

/** What a product names and can't; null when it can name it all. */
export function referenceFault(
  product: ProductRecord,
  taxonomy: KnownTaxonomy,
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
  known: Pick<KnownTaxonomy, 'categories' | 'tags'>,
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
